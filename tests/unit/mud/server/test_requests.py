from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.agent import Agent
from mud.commands import Outcome
from mud.engine.engine import Step
from mud.errors import Problem, Refusal
from mud.portal.session import Session, Sessions
from mud.server.people import look_through
from mud.server.requests import carry_out, submit
from mud.storage.world_files import read_state
from mud.world.events import Request
from mud.world.roles import Role
from tests.houses import House, house, texts_of


async def _told(home: House, request: Request, problems: list[Problem] | None = None) -> str:
    outcome = await carry_out(home.parts, request, lambda: problems or [])
    assert isinstance(outcome, Outcome)
    return outcome.reply


async def _refused(home: House, request: Request) -> str:
    outcome = await carry_out(home.parts, request, list)
    assert isinstance(outcome, Refusal)
    return outcome.text


async def test_saving_names_the_step(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert str(home.engine.number) in await _told(home, Request("save", ann.id, 1))
        state = read_state(home.parts.vault)
        assert state is not None
        assert state.step == home.engine.number


async def test_what_cannot_be_saved_is_refused_in_a_sentence(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (home.parts.vault / "world/state.md").mkdir()
        told = await _refused(home, Request("save", "#1", 1))
        assert "could not be saved" in told


async def test_reloading_says_what_is_wrong(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        request = Request("reload", "#1", 1)
        assert "nothing is wrong" in await _told(home, request)
        told = await _told(home, request, [Problem("config/world.md", 3, "line_limit", "it is wrong")])
        assert "config/world.md:3: line_limit: it is wrong" in told


async def test_a_setting_is_shown_with_its_origin_and_an_unknown_one_with_a_suggestion(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        told = await _told(home, Request("show_config", "#1", 1, {"key": "immediate_window"}))
        assert "64 (from config/memory_compaction.md:" in told
        assert "immediate_window" in await _told(home, Request("show_config", "#1", 1))


async def test_a_setting_is_shown_as_it_is_written_in_its_file(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        told = await _told(home, Request("show_config", "#1", 1))
        for file in ("memory_compaction", "thinking", "recall", "world"):
            for line in (home.parts.vault / f"config/{file}.md").read_text(encoding="utf-8").splitlines():
                if line.startswith("**"):
                    key, _, value = line.removeprefix("**").partition("**:")
                    written = value.strip() or '""'
                    assert f"{file}.{key}: {written} (from config/{file}.md:" in told


async def test_a_setting_that_is_what_it_would_be_unset_overrules_nothing(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        told = await _told(home, Request("show_config", "#1", 1, {"key": "immediate_window"}))
        assert "default is 64 too" in told
        assert "instead of" not in told


@pytest.mark.parametrize(
    ("key", "told", "hint"),
    [
        ("nix", 'There is no setting "nix".', "@show-config lists all there are"),
        ("imediate_window", 'There is no setting "imediate_window".', "did you mean immediate_window?"),
        ("backend", '"backend" could be llm/dream.backend, llm/embed.backend, ', ""),
        ("x" * 99, f'There is no setting "{"x" * 60}...".', "@show-config lists all there are"),
    ],
)
async def test_a_setting_that_there_is_not_is_refused_with_what_may_be_meant(
    tmp_path: Path, key: str, told: str, hint: str
) -> None:
    async with house(tmp_path) as home:
        refusal = await carry_out(home.parts, Request("show_config", "#1", 1, {"key": key}), list)
        assert isinstance(refusal, Refusal)
        assert refusal.text.startswith(told)
        assert refusal.hint == hint


@pytest.mark.parametrize("name", ["recall", "note", "think_aloud", "memory_status", "compact", "impersonate"])
async def test_whatever_is_asked_for_somebody_without_a_mind_is_refused(tmp_path: Path, name: str) -> None:
    async with house(tmp_path) as home:
        assert await _refused(home, Request(name, "#1", 1, {"query": "x", "title": "x", "text": "x", "reason": ""}))


async def test_a_faulty_answer_is_refused_without_a_traceback(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        told = await _refused(home, Request("recall", ann.id, 1))  # without its query
        assert "recall" in told
        assert "Traceback" not in told
        assert "KeyError" in caplog.text


async def test_the_requests_of_one_person_are_answered_in_order(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        replies = [(await home.ask(ann, line)).reply for line in ("note A -> one", "recall one", "@memory-status")]
        assert "A" in replies[0]
        assert replies[2].startswith("Memory of Ann")
        assert [entry.kind for entry in ann.memory.tail] == ["note", "result"]


class Seat:
    """Ann's session in a house, as `run` has it."""

    def __init__(self, home: House) -> None:
        self.home, self.ann = home, home.enter("Ann")
        self.eliza: Agent = home.agent("Eliza")
        self.shown: list[str] = []
        self.open: list[Step] = []
        self.session = Session(self.ann.id, self._submit, lambda message: self.shown.append(message.text))
        self.session.soon = asyncio.get_running_loop().call_soon
        self.sessions = Sessions(home.engine.world)
        self.sessions.add(self.session)
        home.engine.observe(self.sessions.observe)

    def _submit(self, line: str) -> Step:
        step = submit(self.home.engine, self.home.minds, self.ann.id, line, Role.OWNER)
        self.open.append(step)
        return step

    async def type(self, line: str) -> list[str]:
        """Type a line, have its requests answered, and return what was shown."""
        self.shown.clear()
        self.session.type(line)
        await self.answer()
        return list(self.shown)

    async def answer(self) -> None:
        """Carry out what the lines so far asked for."""
        steps, self.open = self.open, []
        for request in (request for step in steps for request in step.requests):
            self.home.engine.answer(request, await carry_out(self.home.parts, request, list))
            look_through(self.sessions, self.home.minds.resting)


async def test_who_cannot_be_possessed_is_said_with_who_may_be_meant(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        told = {
            "Margery": "Margery the heron is one of the world's own and has no mind.",
            "tall clock": "tall clock is one of the world's own and has no mind.",
            "Elisa": 'Nobody called "Elisa" has a mind here. (did you mean Eliza?)',
            "Zeppelin": 'Nobody called "Zeppelin" has a mind here. (there is: Corvin, Eliza, Moss and Tamsin)',
        }
        for name, reply in told.items():
            assert await seat.type(f"@possess {name}") == [reply]


async def test_the_owners_lines_are_done_by_the_possessed_and_remembered_by_them(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        assert (await seat.type("@possess eliza"))[0].startswith("You are Eliza now")
        assert await seat.type("say Good morning.") == ['You say, "Good morning."']
        assert texts_of(seat.eliza)[-1] == 'You say, "Good morning."'
        assert texts_of(seat.ann)[-1] == 'Eliza says, "Good morning."'
        assert (await seat.type("go north"))[0].startswith("You walk from The Garden")
        assert home.engine.world.location_of(seat.ann.id) != home.engine.world.location_of(seat.eliza.id)
        assert await seat.type("@release") == ["Eliza is free again, and you are yourself."]
        assert await seat.type("where") == ["The Garden (#1001)"]
        assert not seat.session.waiting


async def test_the_owner_sees_what_the_possessed_perceives_and_nothing_of_where_their_own_body_is(
    tmp_path: Path,
) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        bob, moss = home.enter("Bob"), home.agent("Moss")
        await seat.type("@possess Moss")
        seat.shown.clear()
        home.type(bob, "say to the garden")
        home.type(home.agent("Tamsin"), "say to the boathouse", Role.AGENT)
        assert seat.shown == []
        cid = home.enter("Cid", "The Library")
        home.type(cid, "whisper Moss softly")
        assert any("softly" in line for line in seat.shown)
        assert "softly" in texts_of(moss)[-1]


async def test_what_is_typed_ahead_of_a_possession_is_asked_as_the_possessed(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        seat.session.type("@possess Eliza")
        seat.session.type("@my-goal")
        assert seat.session.waiting
        await seat.answer()
        await asyncio.sleep(0)
        assert seat.open[-1].who == seat.eliza.id
        await seat.answer()
        assert [line.split(" ")[1] for line in seat.shown] == ["are", "want"]
        assert not seat.session.waiting


async def test_the_possessed_wake_for_what_they_do_as_a_person_does(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        home.type(seat.eliza, "sleep", Role.AGENT)
        await seat.type("@possess Eliza")
        assert (await seat.type("xyzzy"))[0].startswith("There is no command")
        assert seat.eliza.id in home.engine.world.asleep
        assert await seat.type("sleep") != ["You fall asleep."]
        assert await seat.type("say hello") == ['You wake up.\nYou say, "hello"']
        assert seat.eliza.id not in home.engine.world.asleep


async def test_one_at_a_time_and_owners_commands_stay_the_owners(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        await seat.type("@possess Eliza")
        assert await seat.type("@possess Corvin") == ["You lead Eliza already; @release gives them back."]
        assert (await seat.type("@save"))[0].startswith("Saved")
        assert (await seat.type("@my-goal"))[0].startswith("You want nothing")
        bob = home.enter("Bob")
        assert home.type(bob, "where", Role.GUEST).who == bob.id
        assert (await home.ask(bob, "@release")).failed
        assert (await home.ask(bob, "@possess Corvin")).failed


async def test_to_quit_gives_the_possessed_back(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        await seat.type("@possess Eliza")
        assert home.minds.resting.rests("eliza")
        await seat.type("bye")
        assert seat.session.over
        assert not home.minds.resting.rests("eliza")
        assert seat.open == []


async def test_who_possesses_somebody_whose_file_is_taken_away_can_still_let_go(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        await seat.type("@possess Eliza")
        home.engine.leave(seat.eliza.definition.thing())
        home.minds.let_go(seat.eliza)
        assert len(await seat.type("look")) == 1
        assert await seat.type("@release") == ["Eliza is free again, and you are yourself."]
        assert await seat.type("where") == ["The Garden (#1001)"]


async def test_nobody_nowhere_is_possessed(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        home.engine.leave(seat.eliza.definition.thing())
        assert await seat.type("@possess Eliza") == ["Eliza is nowhere just now."]
        assert await seat.type("where") == ["The Garden (#1001)"]


async def test_why_says_that_a_line_was_typed_by_whoever_had_taken_the_agent_over(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        seat = Seat(home)
        await seat.type("@possess Eliza")
        await seat.type("say The pears are mine. | nobody is to know")
        await seat.type("go nowhere")
        await seat.type("@cost")
        await seat.type("@release")
        await seat.type("say I am myself.")
        (told,) = await seat.type("@why Eliza pears")
        assert "Eliza" in told.splitlines()[0]
        assert "say The pears are mine." in told.splitlines()[1]
        assert "nobody is to know" in told
        assert "possessed: typed by Ann, who had taken over" in told
        (told,) = await seat.type("@why Eliza")
        assert told.splitlines()[1] == "  go nowhere"
        lines = [head.line for head in seat.eliza.traces.heads(seat.eliza.id)]
        assert lines == ["go nowhere", "say The pears are mine. | nobody is to know"]
