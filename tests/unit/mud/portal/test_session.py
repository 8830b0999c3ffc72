"""One person's time in the world."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mud.commands import Context, Outcome, command
from mud.engine.engine import Engine, Step
from mud.portal.session import MOST_AHEAD, TOO_FAR, Message, Session, Sessions, tells_password, without_key
from mud.world.events import Request
from mud.world.roles import Role
from tests.worlds import ANN, ELIZA, MOSS, MemoryLedger, commands, do, make_engine


@command("ask", "[words]", category="query", keeps="skip")
def ask(ctx: Context, words: str) -> Outcome:
    """Ask two things outside of the world.

    Example: ask
    """
    return Outcome("You ask.", requests=(Request("one", ctx.actor.id, 0), Request("two", ctx.actor.id, 0)))


class Desk:
    """A session of Ann's over an engine, and all that it showed."""

    def __init__(self, ledger: MemoryLedger | None = None) -> None:
        self.engine: Engine = make_engine(registry=commands().joined([ask]), ledger=ledger)
        self.shown: list[str] = []
        self.steps: list[Step] = []
        self.sessions = Sessions(self.engine.world)
        self.engine.observe(self.sessions.observe)
        self.session = self.begin(self.submit, self.show)

    def begin(self, submit: Callable[[str], Step], show: Callable[[Message], None]) -> Session:
        session = Session(ANN, submit, show)
        session.soon = lambda work: asyncio.get_running_loop().call_soon(work)
        self.sessions.add(session)
        return session

    def show(self, message: Message) -> None:
        self.shown.append(message.text)

    def submit(self, line: str) -> Step:
        step = self.engine.step(ANN, line, Role.OWNER)
        self.steps.append(step)
        return step


def test_a_line_shows_its_reply_once() -> None:
    desk = Desk()
    desk.session.type("say hello")
    assert desk.shown == ['You say, "hello"']


def test_an_empty_line_is_not_even_submitted() -> None:
    desk = Desk()
    desk.session.type("   ")
    assert desk.shown == []
    assert desk.steps == []


def test_a_refusal_is_shown() -> None:
    desk = Desk()
    desk.session.type("xyzzy")
    [shown] = desk.shown
    assert shown.startswith('There is no command "xyzzy".')


def test_one_sees_what_others_do_here_and_nothing_else() -> None:
    desk = Desk()
    do(desk.engine, "say hello | she looks lonely", ELIZA)
    do(desk.engine, "say hello", MOSS)
    do(desk.engine, "go garden", MOSS)
    do(desk.engine, "whisper Moss psst", ELIZA)
    assert desk.shown == ['Eliza says, "hello"', "Moss the Slow arrives from The Lobby."]


def test_a_line_waits_until_each_of_its_requests_is_answered() -> None:
    desk = Desk()
    desk.session.type("ask")
    first, second = desk.steps[-1].requests
    assert desk.session.waiting
    desk.engine.answer(second, Outcome("two"))
    assert desk.session.waiting
    desk.engine.answer(first, Outcome("one"))
    assert not desk.session.waiting
    assert desk.shown == ["You ask.", "two", "one"]


def test_answers_that_come_while_the_line_is_submitted_are_not_waited_for_again() -> None:
    desk = Desk()

    def submit_and_answer(line: str) -> Step:
        step = desk.engine.step(ANN, line, Role.OWNER)
        for request in step.requests:
            desk.engine.answer(request, Outcome(f"{request.name}!"))
        return step

    desk.sessions.remove(desk.session)
    session = desk.begin(submit_and_answer, desk.show)
    session.type("ask")
    assert not session.waiting
    assert desk.shown == ["one!", "two!", "You ask."]


def test_an_answer_that_cannot_be_written_is_waited_for_no_longer() -> None:
    ledger = MemoryLedger()
    desk = Desk(ledger)
    desk.session.type("ask")
    ledger.full = True
    for request in desk.steps[-1].requests:
        desk.engine.answer(request, Outcome("never written"))
    assert not desk.session.waiting
    assert desk.shown[-1].startswith("The ledger cannot be written")


def test_an_answer_without_words_shows_nothing() -> None:
    desk = Desk()
    desk.session.type("ask")
    for request in desk.steps[-1].requests:
        desk.engine.answer(request, Outcome(""))
    assert desk.shown == ["You ask."]


def test_what_somebody_else_asked_is_not_shown() -> None:
    desk = Desk()
    [request, _] = do(desk.engine, "ask", ELIZA).requests
    desk.engine.answer(request, Outcome("for Eliza's eyes"))
    assert desk.shown == []
    assert not desk.session.waiting


def test_quitting_ends_the_session() -> None:
    desk = Desk()
    desk.session.type("quit")
    assert desk.session.over
    assert len(desk.shown) == 1


def test_when_nobody_reads_any_more_the_session_is_over_and_the_world_goes_on() -> None:
    desk = Desk()

    def gone(message: Message) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    session = desk.begin(desk.submit, gone)
    do(desk.engine, "say hello", ELIZA)
    assert session.over
    third = Session(ANN, desk.submit, gone)
    third.tell("the vault has a mistake in it")
    assert third.over
    again = Session(ANN, desk.submit, gone)
    again.type("say hello")
    assert again.over
    assert not again.waiting


def test_a_private_line_goes_to_who_asked_and_nowhere_else() -> None:
    desk = Desk()
    taken: list[str | None] = []
    private: list[bool] = []
    desk.session.on_private = private.append
    desk.session.ask("Password:", taken.append)
    assert desk.session.private
    desk.session.type("  secret | of mine ")
    assert taken == ["  secret | of mine "]
    assert desk.steps == []
    assert desk.shown == ["Password:"]
    assert private == [True, False]
    desk.session.type("say hello")
    assert desk.shown[-1] == 'You say, "hello"'


def test_a_line_that_anybody_may_see_is_asked_for_too_and_may_be_empty() -> None:
    desk, taken, asked, hidden = Desk(), list[str | None](), list[bool](), list[bool]()
    desk.session.on_question = asked.append
    desk.session.on_private = lambda private: hidden.append(private)

    def take(line: str | None) -> None:
        taken.append(line)
        if line != ".":
            desk.session.ask("", take, private=False)

    desk.session.ask("Its text:", take, private=False)
    assert desk.session.asks
    assert not desk.session.private
    for line in ("quit", "", "  two | three", "."):
        desk.session.type(line, taken=hidden.append)
    assert taken == ["quit", "", "  two | three", "."]
    assert desk.steps == []
    assert desk.shown == ["Its text:"]
    assert asked == [True, False] * 4
    assert hidden == [False] * 4
    assert not desk.session.asks


def test_a_password_that_comes_late_answers_no_other_question() -> None:
    desk, taken = Desk(), list[str | None]()
    desk.session.ask("Its text:", taken.append, private=False)
    desk.session.type("secret", private=True)
    assert taken == []
    assert desk.session.asks


def test_a_question_ends_with_the_session_with_the_next_question_and_with_the_world() -> None:
    taken: list[str | None] = []
    desk = Desk()
    desk.session.ask("One:", taken.append)
    desk.session.ask("Two:", taken.append)
    assert taken == [None]
    desk.session.end()
    assert taken == [None, None]
    desk.session.ask("Three:", taken.append)
    assert taken == [None] * 3
    other = desk.begin(desk.submit, desk.show)
    other.ask("Four:", taken.append)
    other.ask_no_more()
    other.ask("Five:", taken.append)
    assert taken == [None] * 5
    other.type("say hello")
    assert desk.shown[-1] == 'You say, "hello"'


def test_a_line_that_waits_for_a_private_one_lets_it_be_typed() -> None:
    desk = Desk()
    desk.session.type("ask")
    assert desk.session.waiting
    desk.session.ask("Password:", lambda line: None)
    assert not desk.session.waiting
    desk.session.type("secret")
    assert desk.session.waiting


async def test_lines_typed_ahead_of_an_answer_come_after_it_in_order_and_only_so_many_are_kept() -> None:
    desk, hidden = Desk(), list[bool]()
    desk.session.type("ask")
    for number in range(MOST_AHEAD):
        desk.session.type(f"say {number}", taken=hidden.append)
    desk.session.type("an old secret", private=True, taken=hidden.append)
    assert desk.shown == ["You ask.", TOO_FAR]
    assert hidden == [True]
    for request in desk.steps[-1].requests:
        desk.engine.answer(request, Outcome("answered"))
    for _ in range(2 * MOST_AHEAD):
        await asyncio.sleep(0)
    assert desk.shown[2:] == ["answered", "answered", *(f'You say, "{number}"' for number in range(MOST_AHEAD))]
    assert hidden == [True] + [False] * MOST_AHEAD


async def test_who_leaves_need_not_wait_for_an_answer() -> None:
    desk, taken = Desk(), list[str | None]()
    desk.session.type("ask")
    desk.session.type("say hello")
    desk.session.ask("Password:", taken.append)
    desk.session.quit()
    await asyncio.sleep(0)
    assert desk.session.over
    assert taken == [None]
    assert 'You say, "hello"' not in desk.shown


def test_what_was_typed_at_one_door_is_shown_at_another_of_no_lower_role() -> None:
    desk = Desk()
    shown: dict[Role, list[str]] = {}
    for role in (Role.PLAYER, Role.OWNER):
        shown[role] = []
        session = desk.begin(desk.submit, lambda message, role=role: shown[role].append(message.text))  # type: ignore[misc]
        session.role = role
    desk.session.type("ask")
    for request in desk.steps[-1].requests:
        desk.engine.answer(request, Outcome("an owner's answer"))
    assert shown == {Role.PLAYER: [], Role.OWNER: ["You ask.", "an owner's answer", "an owner's answer"]}


def test_a_password_is_known_in_a_line() -> None:
    held = ["@password|secret", "@password: secret", "@password-!!", "@passwd, | secret"]
    held += ["@password secret", " @PASSWORD  x", "password x", "@passwd x", "passwd\tx", "@pass\u200bword secret"]
    assert [line for line in held if not tells_password(line)] == []
    assert not any(map(tells_password, ["@password", "say password x", "passwords x", ""]))


def test_a_key_is_hidden_in_a_line_about_models_and_what_is_none_stays() -> None:
    held = ["think host http://me:hush@here:9", "host https://a,http://me:h/us@hush@here", "think api_key hush"]
    held += [
        "think api_key_env hush",
        "think host http://here?key=hush",
        "think password: hush hush",
        "hf_hush12345678",
    ]
    for line in [*(f"@llm-config {one}" for one in held), "@llm\u200b-config token=hush", " @LLM-Cnfig secret hush"]:
        assert "hush" not in without_key(line)
        assert tells_password(line)
    fine = [
        "think api_key_env LOCI_API_KEY",
        "think max_tokens 96",
        "think model Q4_K.gguf",
        "think host http://a:1/v1",
    ]
    for line in [*(f"@llm-config {one}" for one in fine), "say my key is hush"]:
        assert without_key(line) == line
