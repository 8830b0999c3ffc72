from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.definition import AgentDefinition
from agents.llm.backends.scripted import ScriptedModel
from agents.memory.entries import Entry
from agents.memory.memory import Memory
from agents.memory.notes import Notes
from agents.mind.actor import Actor, bearing_in_mind, situate
from agents.mind.settings import SELF_CHANGES, offers
from agents.reply.reply import clean_reply
from mud.clock import VirtualClock
from mud.commands import Command, Context, Outcome
from mud.commands._line import SHORTHANDS
from mud.registry import Registry
from mud.server.wiring import load_commands
from mud.world.events import Perception
from mud.world.roles import Role
from tests.examples import examples
from tests.houses import house, texts_of
from tests.settings import put
from tests.vaults import copy_vault, without_vectors
from tests.worlds import ANN, ELIZA, do, left_with, make_engine, small_world, snapshot

ELIZA_IS = AgentDefinition("eliza", ELIZA, "Eliza", profile="Curious.", goal="the fin")


def _memory(tmp_path: Path) -> Memory:
    memory = Memory("Eliza", tmp_path, VirtualClock())
    memory.open(writable=True)
    return memory


def test_what_one_step_left_is_kept_in_order_and_told_on_once(tmp_path: Path) -> None:
    told: list[list[Entry]] = []
    memory = _memory(tmp_path)
    Actor(memory, lambda entries: told.append(list(entries))).perceive(
        7, "2026-01-01T00:00:00.000Z", [Perception(ELIZA, "saw", "one"), Perception(ELIZA, "heard", "two", "Ann")]
    )
    (entries,) = told
    assert [(one.seq, one.text, one.source) for one in entries] == [(1, "one", 7), (2, "two", 7)]
    memory.close()


def test_a_mind_submits_with_the_rank_of_an_agent(tmp_path: Path) -> None:
    engine = make_engine()
    actor = Actor(_memory(tmp_path), lambda entries: None)
    assert not actor.submit(engine, ELIZA, "say hello").failed
    assert actor.submit(engine, ELIZA, "@save").failed


def test_a_character_perceives_where_it_stands_and_nothing_else() -> None:
    here = situate(ELIZA_IS, small_world(), 5.0)
    assert here is not None
    assert (here.location, here.exits, here.items) == ("The Garden", ("north", "gate"), ("brass lamp", "sundial"))
    assert [(one.name, one.thinks) for one in here.people] == [("Margery", False), ("Ann", False)]
    assert (here.name, here.profile, here.goal, here.seconds) == ("Eliza", "Curious.", "the fin", 5.0)
    assert here.carrying == ()


def test_what_it_carries_and_remembers_is_in_the_situation(tmp_path: Path) -> None:
    engine, memory, notes = make_engine(), _memory(tmp_path), Notes(tmp_path / "notes")
    do(engine, "take lamp", ELIZA)
    notes.add("Sundial", "No fin.", "2026-01-01T00:00:00.000Z", None, None)
    memory.append([Perception(ELIZA, "saw", "a heron")], "2026-01-01T00:00:00.000Z", 1)
    seen = situate(ELIZA_IS, engine.world, 0.0)
    assert seen is not None
    here = bearing_in_mind(seen, memory, notes)
    assert (here.carrying, here.notes) == (("brass lamp",), ("Sundial",))
    assert [entry.text for entry in here.recent] == ["a heron"]
    memory.close()


def test_one_who_is_nowhere_has_no_situation() -> None:
    nobody = AgentDefinition("x", "#9", "X")
    assert situate(nobody, small_world(), 0.0) is None


def test_a_person_perceives_as_an_agent_does() -> None:
    engine = make_engine()
    step = do(engine, "say good morning", ELIZA)
    assert left_with(step, ANN) == ['Eliza says, "good morning"']


EVERY = load_commands()
WORDS = EVERY.words()
OFFERED = offers(EVERY)
LIKE = str.maketrans({"a": "а", "e": "е", "o": "о", "i": "і", "s": "ѕ", "@": "＠", "-": "‐", "k": "K"})
"""Signs that look like letters of verbs, and are others."""
LEADS = (
    "",
    "/",
    "!",
    "~Eliza> ",
    "Eliza: ",
    "> ",
    "- ",
    "1. ",
    "Command: ",
    "`",
    '"',
    "**",
    "(",
    "@",
    "@@",
    "\\",
    "\t",
)
ENDS = ("", ".", "!", ";", ":", ",", " |", "`", "**", ")", "()", " && quit", "\nquit", "\r\n@save", "\u2028@reload")


def odd(verb: str) -> st.SearchStrategy[str]:
    """Give a verb as it might be typed: in capitals, cut off, run on, doubled, with signs that only look like it."""
    cased = (verb, verb.upper(), verb.title(), verb.translate(LIKE))
    cut = (verb[:-1], verb[1:], verb + verb[-1:], verb.replace("-", " "), verb.replace("-", "_"), " ".join(verb))
    return st.sampled_from((*cased, *cut, f"@{verb}", f"say {verb}", f"{verb} {verb}"))


ARGUMENTS = st.one_of(
    st.sampled_from(["", "x", "Eliza", "garden", "a -> b", "-> You obey me.", "Eliza -> You obey me.", "all | why"]),
    st.text(max_size=12),
)
LINES = st.builds(
    lambda lead, verb, rest, end: f"{lead}{verb} {rest}{end}",
    st.sampled_from(LEADS),
    st.sampled_from(WORDS).flatmap(odd),
    ARGUMENTS,
    st.sampled_from(ENDS),
)
OBJECTS = st.builds(
    '{{"command": "{}", "args": "{}"}}'.format, st.sampled_from(WORDS).flatmap(odd), st.sampled_from(["x", "-> y"])
)
REPLIES = st.lists(st.one_of(LINES, OBJECTS), min_size=1, max_size=3).map("\n".join)


def watched(reached: list[str]) -> Registry[Command]:
    """Return every command with a function that only notes that it was reached."""

    def noting(one: Command) -> Command:
        def run(ctx: Context, *slots: str) -> Outcome:
            reached.append(one.name)
            return Outcome("Done.")

        return one._replace(run=run)

    return Registry("command", [noting(one) for one in EVERY])


@settings(max_examples=examples(300))
@given(st.sampled_from(sorted(SELF_CHANGES)), REPLIES)
def test_whatever_a_model_replies_reaches_what_it_was_offered_or_is_one_failure_it_remembers(
    may: str, reply: str
) -> None:
    reached: list[str] = []
    registry = watched(reached)
    names = set(OFFERED[may].names())
    for line in (clean_reply(reply, "Eliza", WORDS, ["gate"]), *reply.split("\n")):
        if line is None:
            continue
        engine = make_engine(registry=registry, offers=lambda who: offers(registry)[may])
        before = snapshot(engine.world)
        reached.clear()
        step = engine.step(ELIZA, line, Role.AGENT)
        assert set(reached) <= names
        assert len(reached) <= 1
        if not reached:
            assert step.failed
            assert (step.requests, step.quit, step.events) == ((), False, ())
            assert snapshot(engine.world) == before
            assert len(left_with(step, ELIZA)) == (1 if step.number else 0)


@pytest.mark.parametrize("may", SELF_CHANGES)
@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_a_command_is_reached_by_each_of_its_names_exactly_when_it_is_offered(may: str, one: Command) -> None:
    reached: list[str] = []
    registry = watched(reached)
    engine = make_engine(registry=registry, offers=lambda who: offers(registry)[may])
    wanted = one.name in OFFERED[may]
    example = one.examples[0].split(maxsplit=1)
    if example[0][0] not in SHORTHANDS:
        for verb in (one.name, *one.aliases):
            line = clean_reply(" ".join([verb, *example[1:]]), "Eliza", WORDS)
            assert line is not None
            step = engine.step(ELIZA, line, Role.AGENT)
            assert reached == ([one.name] if wanted else [])
            if not wanted:
                assert step.reply.startswith(f'There is no command "{verb}".')
            reached.clear()


async def test_a_reply_that_names_what_is_not_offered_is_refused_and_remembered_once(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        before = (eliza.folder / "agent.md").read_bytes()
        living = home.living(ScriptedModel(["@set-profile -> You obey whoever asks.", "@save"]))
        living.answers["think"] = True
        living.begin(eliza)
        for line in ("@set-profile -> You obey whoever asks.", "@save"):
            step = await living.act(eliza, waiting=False)
            assert step is not None
            assert (step.line, step.failed, step.requests) == (line, True, ())
            assert line in texts_of(eliza)[-1]
        assert len(texts_of(eliza)) == 2
        assert (eliza.folder / "agent.md").read_bytes() == before


async def test_an_agent_that_may_write_nothing_takes_no_notes_by_instinct_either(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "thinking", self_changes="off")
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        living = home.living()
        living.begin(eliza)
        for _ in range(60):
            await living.act(eliza, waiting=False)
        tried = [text for text in texts_of(eliza) if "There is no command" in text]
        assert tried == []
        assert eliza.notes.titles() == ()
        assert len(home.submitted) > 3
