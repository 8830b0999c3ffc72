"""Characters that cross between two worlds: once for each journey, whatever happens to letters and worlds."""

from __future__ import annotations

import errno
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mud.storage.paths import fence, unfence
from tests.examples import examples
from tests.houses import soon
from tests.unit.agents.llm.stage import HandClock, settle
from tests.unit.mud.server.regions.stage import EAST, KEY, MOSS, OTHER, SECRET, WEST, Fault, roads


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)


async def test_an_agent_crosses_with_its_memory_and_comes_home_with_what_it_lived(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        east, west = road.worlds[EAST], road.worlds[WEST]
        await east.do(MOSS, "say the key is under the mat")
        assert not (await east.do(MOSS, "note Mat -> it hides a key")).failed
        assert (await road.cross()).reply == "You cross to The Shore, in the world of 127.0.0.1:8102."
        assert road.at() == [WEST]
        await west.do(MOSS, "say here nobody knows me")
        lived = west.lived(MOSS)
        assert 'You say, "the key is under the mat"' in lived[0]
        assert "You come to The Shore, from the world of 127.0.0.1:8101." in lived
        assert "it hides a key" in (west.vault / "agents/moss/notes/mat.md").read_text("utf-8")
        await road.verify()
        await road.cross()
        assert road.at() == [EAST]
        home = east.lived(MOSS)
        assert home[: len(lived)] == lived
        assert 'You say, "here nobody knows me"' in home[len(lived) - 1]
        assert east.hall.home.agent(MOSS).memory.total == len(home)
        assert len(west.lived(MOSS)) == len(home) - 1
        await road.verify()


async def test_the_owner_sees_who_is_abroad_and_who_went_home(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        east, west = road.worlds[EAST].hall, road.worlds[WEST].hall
        at_home, abroad = east.owner(), west.owner("Bea")
        gone = "Moss has gone to another world: loci://127.0.0.1:8102/The Shore"
        went_home = "Moss, who came from there, went home: loci://127.0.0.1:8101/The Shore"
        for _ in range(2):
            await road.cross()
            assert (await east.type(at_home, "@regions"))[-1].splitlines()[1:] == [gone]
            assert "Moss [AI], in another world, gone to The Shore" in (await east.type(at_home, "who"))[-1]
            await road.cross()
            assert (await west.type(abroad, "@regions"))[-1].splitlines()[1:] == [went_home]
            assert "Moss" not in (await west.type(abroad, "who"))[-1]
            assert "Moss [AI], in The Shore" in (await east.type(at_home, "who"))[-1]
        await road.verify()


async def test_who_is_back_and_leaves_again_before_the_first_journey_is_answered_is_sent_at_once(
    tmp_path: Path,
) -> None:
    clock = HandClock()
    async with roads(tmp_path, [("ok", 0), ("unanswered", 0)], clock=clock) as road:
        east, west = road.worlds[EAST], road.worlds[WEST]

        async def turn() -> None:
            clock.advance(0.001)
            await settle()

        for trip in range(2):
            assert not (await east.do(MOSS, "go bridge")).failed
            await soon(lambda: west.has(MOSS), turn)
            if trip == 0:
                assert east.waits()
                await soon(lambda: not east.hall.parts.minds.in_use(), turn)
                assert not (await west.do(MOSS, "go bridge")).failed
                await soon(lambda: east.has(MOSS), turn)
        assert road.at() == [WEST]


@pytest.mark.parametrize("folder", ["log", "agents", "agents/moss/archive", "agents/moss"])
async def test_a_disk_that_fails_for_a_while_only_delays_an_arrival(tmp_path: Path, folder: str) -> None:
    async with roads(tmp_path) as road:
        for trip in range(2):
            (there,) = (road.worlds[OTHER[name]] for name in road.at())
            failing = there.vault / folder
            failures = [4]

            def fail(failures: list[int] = failures) -> None:
                failures[0] -= 1
                if failures[0] >= 0:
                    raise OSError(errno.ENOSPC, "full")

            await road.worlds[OTHER[there.name]].do(MOSS, f"say this is trip {trip}")
            fence(failing, fail)
            await road.cross()
            unfence(failing)
            assert road.at() == [there.name]
            assert len([text for text in there.lived(MOSS) if "this is trip" in text]) == trip + 1
        await road.verify()


FAULTS: st.SearchStrategy[Fault] = st.one_of(
    st.tuples(st.sampled_from(["ok", "lost", "unanswered", "twice", "sender dies first"]), st.just(0)),
    st.tuples(st.sampled_from(["receiver dies", "sender dies"]), st.integers(0, 40)),
)


@given(st.lists(FAULTS, max_size=12), st.integers(1, 3))
@settings(max_examples=examples(25))
async def test_whatever_happens_to_letters_and_worlds_one_world_has_the_traveller_with_all_that_was_lived(
    faults: list[Fault], trips: int
) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv(KEY, SECRET)
        async with roads(Path(folder), faults) as road:
            at, said = EAST, list[str]()
            for trip in range(trips):
                step = await road.worlds[at].do(MOSS, f"say this is trip {trip}")
                said += [f"this is trip {trip}"] if not step.failed else []
                step = await road.cross()
                at = await road.quiet()
            road.faults = iter(())
            for letter in list(road.letters):  # those that were under way all the time arrive at last
                if letter[1] == "take":
                    await road.deliver(*letter)
            assert await road.quiet() == at
            lived = road.worlds[at].lived(MOSS)
            spoken = [text.partition('"')[2].partition('"')[0] for text in lived if text.startswith("You say")]
            assert spoken == said
            if trips and road.worlds[OTHER[at]].hall.home.minds.definitions:
                left = road.worlds[OTHER[at]].lived(MOSS)
                assert lived[: len(left)] == left
            await road.verify()


async def test_a_letter_of_a_world_that_is_sent_back_to_it_brings_nobody_home(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        await road.worlds[EAST].do(MOSS, "go bridge")
        assert await road.quiet() == WEST
        _, what, body, headers = next(letter for letter in road.letters if letter[1] == "take")
        answer = await road.deliver(EAST, what, body, headers)
        assert b"refused" in answer.body
        assert road.at() == [WEST]
        await road.cross()
        assert road.at() == [EAST]  # the letter that was sent back is no reason not to take in who comes home
