"""A mind never holds what its character did not witness: the property that the whole house rests on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.compaction.status import report
from mud.world.roles import Role
from tests.examples import examples
from tests.houses import House, house, texts_of

NAMES = ("Eliza", "Moss", "Tamsin", "Corvin", "Ann")
VERBS = ("say", "emote", "whisper", "think", "note", "go", "nonsense")
LINE = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(VERBS), st.sampled_from(NAMES), st.integers(0, 5), st.booleans()
)


def _who_may_know(home: House, name: str, verb: str, to: str, failed: bool) -> set[str]:
    """Return the names of those who may hold the words of a line, asked of the world before it was typed."""
    if failed or verb in ("think", "note", "nonsense"):
        return {name}
    here = home.engine.world.location_of(home.agent(name).id)
    assert here is not None
    present = {one.name for one in home.engine.world.people(here.id)} & set(NAMES)
    return {name, to} & present if verb == "whisper" else present


def _typed(home: House, name: str, verb: str, to: str, way: int, word: str) -> str:
    if verb == "go":
        here = home.engine.world.location_of(home.agent(name).id)
        assert here is not None
        return f"go {here.exits[way % len(here.exits)].name}"
    if verb == "whisper":
        return f"whisper {to} {word}"
    return f"note {word} -> {word} it is" if verb == "note" else f"{verb} {word}"


async def _live(folder: Path, lines: list[tuple[str, str, str, int, bool]]) -> None:
    async with house(folder) as home:
        home.enter("Ann")
        spoken: list[tuple[str, set[str]]] = []
        for number, (name, verb, to, way, reasoned) in enumerate(lines):
            word, reason = f"zword{number}z", f"qreason{number}q"
            line = _typed(home, name, verb, to, way, word) + (f" | {reason}" if reasoned else "")
            before = _who_may_know(home, name, verb, to, failed=False)
            if verb == "note":
                await home.ask(home.agent(name), line, Role.AGENT)
                failed = False
            else:
                failed = home.type(home.agent(name), line, Role.AGENT).failed
            spoken.append((word, {name} if failed else before))
            spoken.append((reason, {name}))
        for name in NAMES:
            agent = home.agent(name)
            prompt = await home.parts.prompting.next_prompt(agent)
            held = "\n".join([prompt.text, *texts_of(agent), *(entry.reason or "" for entry in agent.memory.tail)])
            page = report(home.minds.status(agent))
            for word, knows in spoken:
                assert name in knows or word not in held + page, (name, word)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINE, min_size=1, max_size=25))
def test_no_memory_and_no_prompt_holds_what_its_character_did_not_witness(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, str, str, int, bool]]
) -> None:
    asyncio.run(_live(tmp_path_factory.mktemp("isolation"), lines))


async def test_those_who_are_there_do_remember(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say the brass key | because I trust you")
        home.type(ann, "whisper Eliza under the third pot")
        held = "\n".join(texts_of(home.agent("Eliza")))
        assert "brass key" in held
        assert "third pot" in held
        assert "trust" not in held
        assert next(entry.reason for entry in ann.memory.tail) == "because I trust you"
