"""Many who witness the same: written in groups, seen and found at once, and folded when it is quiet."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from agents.agent import Agent
from agents.compaction.turns import AT_ONCE, LOOK_AGAIN, MANY, PUT_OFF, WINDOW
from agents.population import CROWD
from mud.clock import Clock
from tests.houses import House, house
from tests.processes import memories, texts
from tests.settings import put
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import copy_vault, without_vectors

PEOPLE = CROWD + 3
SOON = 0.001


@asynccontextmanager
async def crowd(tmp_path: Path, clock: Clock | None = None, held: float = 3600.0) -> AsyncIterator[House]:
    """Open a house full of people, whose perceptions are held so long."""
    put(without_vectors(copy_vault(tmp_path)), "memory_compaction", summarizer="extractive")
    async with house(tmp_path, clock) as home:
        for number in range(PEOPLE):
            home.enter(f"Talker {chr(65 + number)}")
        home.minds.held.write()
        home.minds.held.seconds = held
        yield home


def people(home: House) -> list[Agent]:
    return [one for one in home.minds.opened() if one.name.startswith("Talker")]


def talk(home: House, numbers: Iterable[int]) -> None:
    for number in numbers:
        speaker = people(home)[number % PEOPLE]
        assert not home.type(speaker, f"say Pear number {number} fell near the wall").failed


def written(home: House, who: Agent) -> list[str]:
    return texts(memories(home.parts.vault, who.slug))


def tiled(who: Agent) -> list[tuple[int, int]]:
    """Return the ranges of what is shown, which must tile the whole life."""
    view = who.compactor.view.shown()
    ranges = [one.covers for one in (view.longterm, view.recent) if one is not None]
    ranges += [(entry.seq, entry.seq) for entry in view.tail]
    ends = [0, *(last for _, last in ranges)]
    assert [first - 1 for first, _ in ranges] == ends[:-1]
    assert ends[-1] == who.memory.total
    return [one.covers for one in (view.longterm, view.recent) if one is not None]


async def test_what_a_crowd_heard_is_there_before_it_is_written(tmp_path: Path) -> None:
    async with crowd(tmp_path) as home:
        ann, eliza = people(home)[0], home.agent("Eliza")
        before = ann.memory.total
        talk(home, range(1, 4))
        assert ann.memory.total == before + 3
        assert not [text for text in written(home, ann) if "number 2" in text]
        assert "number 3" in ann.memory.newest(1)[0].text
        assert "number 3" in (await home.parts.prompting.next_prompt(eliza)).text
        hits, _ = await home.parts.recall.search(ann.id, "pear number 2", by="words")
        assert any("number 2" in hit.text for hit in hits)
        assert home.minds.status(ann)["total"] == before + 3
        assert tiled(ann) == []
        home.minds.held.write()
        heard = [text for text in written(home, ann) if "number 2" in text]
        assert heard == ['Talker C says, "Pear number 2 fell near the wall"']


async def test_what_was_held_is_written_by_itself_soon(tmp_path: Path) -> None:
    async with crowd(tmp_path, held=SOON) as home:
        talk(home, range(2))
        who = people(home)[-1]
        while len(written(home, who)) < who.memory.total:
            await settle()
        assert "number 1" in written(home, who)[-1]


async def test_a_few_are_written_at_once(tmp_path: Path) -> None:
    async with crowd(tmp_path) as home:
        ann = people(home)[0]
        home.type(ann, "think nobody else hears that")
        assert "nobody else hears that" in written(home, ann)[-1]


async def test_saving_writes_what_is_held_first(tmp_path: Path) -> None:
    async with crowd(tmp_path) as home:
        talk(home, range(2))
        assert home.parts.save() == ""
        assert all(len(written(home, who)) == who.memory.total for who in people(home))


async def test_what_is_held_waits_when_the_disk_refuses_it(tmp_path: Path) -> None:
    async with crowd(tmp_path) as home:
        ann = people(home)[0]
        before = ann.memory.total
        talk(home, range(1, 3))
        archive = ann.folder / "archive"
        archive.rename(ann.folder / "away")
        archive.write_text("a file is in the way")
        home.minds.held.write()
        assert (ann.memory.total, ann.memory.waiting) == (before, 2)
        assert "number 2" in ann.memory.newest(1)[0].text
        assert home.parts.save() != ""
        archive.unlink()
        (ann.folder / "away").rename(archive)
        home.minds.remembered(ann, ann.memory.retry())
        assert (ann.memory.total, ann.memory.waiting) == (before + 2, 0)
        assert "number 2" in written(home, ann)[-1]


async def test_folds_wait_while_many_talk_and_take_their_usual_ranges_when_it_is_quiet(tmp_path: Path) -> None:
    clock = HandClock()
    async with crowd(tmp_path, clock) as home:
        ann = people(home)[0]
        talk(home, range(300))
        home.minds.held.write()
        await settle()
        assert ann.memory.watermark == 0
        assert tiled(ann) == []
        await quiet(clock)
        ranges = [one.covers for one in map(ann.memory.version, ann.memory.versions()) if one is not None]
        assert ranges == [(1, 65), (66, 129), (130, 193)]
        assert tiled(ann) == [(1, 129), (130, 193)]
        assert (ann.folder / "summaries/recent.md").read_text().count("first: 130, last: 193") == 1
        assert all(one.memory.watermark == 193 for one in people(home)[1:4])


async def quiet(clock: HandClock) -> None:
    """Let time pass until nothing happens any more."""
    for _ in range(20):
        clock.advance(max(WINDOW, LOOK_AGAIN))
        for _ in range(10):
            await settle()


async def test_what_would_wait_too_long_is_folded_while_many_talk(tmp_path: Path) -> None:
    clock = HandClock()
    async with crowd(tmp_path, clock) as home:
        ann = people(home)[0]
        number, most = 0, 0
        while ann.memory.total < 2 * PUT_OFF:
            talk(home, range(number, number + MANY // PEOPLE + 1))
            number += MANY // PEOPLE + 1
            home.minds.held.write()
            clock.advance(LOOK_AGAIN)
            for _ in range(4):
                await settle()
            most = max(most, ann.memory.total - ann.memory.watermark)
            tiled(ann)
        assert most < PUT_OFF + AT_ONCE
        assert ann.memory.recent is not None
        first, last = ann.memory.recent.covers
        assert last - first + 1 == AT_ONCE
        assert ann.memory.behind
        assert not (ann.folder / "summaries/recent.md").exists()
        await quiet(clock)
        assert not ann.memory.behind
        assert ann.memory.total - ann.memory.watermark <= 128
        covers = ann.memory.recent.covers
        assert f"first: {covers[0]}, last: {covers[1]}" in (ann.folder / "summaries/recent.md").read_text()


async def test_one_who_thinks_is_folded_while_many_talk_and_has_its_files_when_it_is_quiet(tmp_path: Path) -> None:
    clock = HandClock()
    async with crowd(tmp_path, clock) as home:
        living = home.living()
        eliza = home.agent("Eliza")
        living.begin(eliza)
        talk(home, range(200))
        home.minds.held.write()
        for _ in range(4):
            await settle()
        assert eliza.memory.watermark == 129
        assert people(home)[0].memory.watermark == 0
        assert eliza.memory.behind
        await quiet(clock)
        assert not eliza.memory.behind
        assert "first: 66, last: 129" in (eliza.folder / "summaries/recent.md").read_text()
