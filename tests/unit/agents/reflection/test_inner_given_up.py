"""The inner life given up, woken, on a full disk or over an endless reply: nothing is lost, and nothing done twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.memory.history import IMPORTANCE, read_weighed
from agents.reflection.reflection import AFTER_FAILURE, LONGEST_REPLY
from mud.clock import VirtualClock
from mud.world.events import Perception
from mud.world.roles import Role
from tests.disks import file_size_limit
from tests.houses import house, texts_of
from tests.unit.agents.reflection.test_inner import AT, asking, happened, hear, night, of_kind, prepared


async def test_given_up_anywhere_and_begun_again_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    for turns in range(12):
        folder = tmp_path / str(turns)
        prepared(folder, "It rains in my sleep, and it rains for ever and ever.", reflection_threshold=20)
        async with house(folder) as home:
            eliza = home.agent("Eliza")
            hear(home, eliza)
            home.type(eliza, "sleep", Role.AGENT)
            home.minds.inner.asleep(eliza, home.engine)
            for _ in range(turns):
                await asyncio.sleep(0)
            home.minds.inner.interrupt("eliza")
            await home.minds.inner.settle()
        async with house(folder) as home:
            eliza = home.agent("Eliza")
            await night(home, eliza)
            assert len(of_kind(eliza, "dream")) == 1
            thoughts = [entry.text for entry in of_kind(eliza, "thought")]
            assert thoughts
            assert len(thoughts) == len(set(thoughts))
            note = (eliza.folder / "notes/moss.md").read_text()
            assert note.count("[eliza#7]") == 1


async def test_weighing_given_up_anywhere_is_done_once_and_leaves_archive_and_index_as_if_it_had_not_been(
    tmp_path: Path,
) -> None:
    ratings = "\n".join(f"{seq}: {9 if seq == 8 else 2}" for seq in range(1, 9))
    found = []
    for turns in (None, *range(24)):
        folder = tmp_path / str(turns)
        prepared(folder, nightly_dream=False, own_notes=False, reflection_threshold=0)
        async with house(folder) as home:
            eliza = home.agent("Eliza")
            hear(home, eliza)
            await home.minds.catch_up(eliza)
            inner = asking(home, [ratings] * 9)
            home.type(eliza, "sleep", Role.AGENT)
            inner.asleep(eliza, home.engine)
            for _ in range(turns or 0):
                await asyncio.sleep(0)
            if turns is not None:
                inner.interrupt("eliza")
            await inner.settle()
            again = len(happened(eliza, IMPORTANCE))
            await night(home, eliza, inner)
        async with house(folder) as home:  # as after a kill: what is known is what was written
            eliza = home.agent("Eliza")
            await night(home, eliza, asking(home, [ratings.replace("9", "1")] * 9))
            events_kept = happened(eliza, IMPORTANCE)
            assert len(events_kept) == 1, (turns, again)
            await home.minds.catch_up(eliza)
            hits, _ = await home.minds.search(eliza, "brass key rains herons cake", 9, "memories")
            indexed = {hit.seq: hit.entry.importance for hit in hits if hit.entry is not None}
            found.append((events_kept[0]["values"], texts_of(eliza), sorted(indexed.items())))
            weights = {entry.seq: entry.importance for entry in read_weighed(eliza.memory, 1, 8)}
            assert {seq: weights[seq] for seq in indexed if seq in weights} == {
                seq: value for seq, value in indexed.items() if seq in weights
            }
    assert all(one == found[0] for one in found), "given up or not, it comes to the same"


@pytest.mark.parametrize(("junk", "method"), [(LONGEST_REPLY - 100, "model"), (LONGEST_REPLY, "rules")])
async def test_of_an_endless_reply_only_the_beginning_is_looked_at(tmp_path: Path, junk: int, method: str) -> None:
    prepared(tmp_path, nightly_dream=False, own_notes=False, reflection_threshold=0)
    reply = "x" * (junk - 1) + "\n" + "\n".join(f"{seq}: 9" for seq in range(1, 9)) + "\n" + "y" * 100_000
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await night(home, eliza, asking(home, [reply], max_tokens=60_000, num_ctx=200_000))
        (event,) = happened(eliza, IMPORTANCE)
        assert event["method"] == method


async def test_nothing_begins_while_memories_wait_for_room_on_the_disk(tmp_path: Path) -> None:
    prepared(tmp_path)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        home.type(eliza, "sleep", Role.AGENT)
        (file,) = (eliza.folder / "archive").glob("*.jsonl")
        with file_size_limit(file.stat().st_size):
            eliza.memory.append([Perception(eliza.id, "heard", "x", "Moss", None)], AT, home.engine.number)
        assert eliza.memory.waiting
        home.minds.inner.asleep(eliza, home.engine)
        await home.minds.inner.settle()
        assert happened(eliza, IMPORTANCE) == []
        eliza.memory.retry()
        await night(home, eliza)
        assert len(happened(eliza, IMPORTANCE)) == 1


async def test_what_came_to_nothing_on_a_full_disk_is_tried_again_after_a_while(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    prepared(tmp_path)
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        home.type(eliza, "sleep", Role.AGENT)
        (file,) = (eliza.folder / "archive").glob("*.jsonl")
        with file_size_limit(file.stat().st_size):
            await night(home, eliza)
        await night(home, eliza)
        assert happened(eliza, IMPORTANCE) == [], "not at once"
        clock.advance(AFTER_FAILURE)
        await night(home, eliza)
        assert len(happened(eliza, IMPORTANCE)) == 1
        assert caplog.text.count("the inner life came to nothing") == 1


async def test_who_is_woken_out_of_a_dream_does_not_remember_it(tmp_path: Path) -> None:
    prepared(tmp_path, own_notes=False, reflection_threshold=0)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)

        async def woken(prompt: str) -> str:
            home.type(eliza, "wake", Role.AGENT)
            return "I flew over the mill with Moss, and the key sang to us."

        await night(home, eliza, asking(home, ["1: 1", woken]))
        assert of_kind(eliza, "dream") == []
        await night(home, eliza)
        assert len(of_kind(eliza, "dream")) == 1
