"""How far an inner life is: the same after a restart, also over a reflection that others lived through."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agents.compaction.status import report, told_inner
from agents.life.mind_page import render_page
from agents.memory.archive import Archive
from agents.reflection.progress import FILES, LOOKED_BACK, ReflectionProgress, standing_of
from tests.houses import House, house
from tests.unit.agents.reflection.telling import AT, heard, made
from tests.unit.agents.reflection.test_inner import asking, happened, hear, night, of_kind, prepared


def standing(home: House, name: str = "Eliza") -> ReflectionProgress:
    memory = home.agent(name).memory
    return standing_of(memory.folder / "archive", memory.total)


async def test_the_status_tells_when_an_agent_reflected_and_dreamed_and_how_far_the_next_time_is(
    tmp_path: Path,
) -> None:
    prepared(tmp_path, reflection_threshold=20)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        assert home.minds.status(eliza)["inner"] is None, "nobody looked yet, and a status keeps nobody waiting"
        await home.minds.inner.look(eliza)
        before = home.minds.status(eliza)["inner"]
        assert before == {
            "reflected_at": None,
            "dreamed_at": None,
            "looked_from": 1,
            "insights": 0,
            "counted_from": 1,
            "reflection_sum": 0,
            "reflection_threshold": 20,
        }
        assert "Inner life     0 insights, not reflected yet, not dreamed yet; " in report(home.minds.status(eliza))
        hear(home, eliza)
        lived = home.minds.status(eliza)["inner"]["reflection_sum"]
        assert lived == sum(entry.importance for entry in eliza.memory.read(1, eliza.memory.total))
        await night(home, eliza)
        told = home.minds.status(eliza)["inner"]
        thoughts = of_kind(eliza, "thought")
        (dream,) = of_kind(eliza, "dream")
        (reflection,) = happened(eliza, "reflection")
        assert told["insights"] == len(thoughts) > 0
        assert (told["reflected_at"], told["dreamed_at"]) == (reflection["at"], dream.at)
        assert told["reflection_sum"] == 0
        row = f"Inner life     {len(thoughts)} insights, reflected {dream.at[:10]} {dream.at[11:16]}, dreamed "
        page = report(home.minds.status(eliza))
        assert row in page
        assert "; importance lived since then 0, looks back at 20" in page
        assert "## Inner life\n\n" in render_page(eliza, home.minds.inner.told(eliza, known=True))
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        assert home.minds.inner.told(eliza, known=True) is None, "a page looks nothing up"
        await home.minds.inner.look(eliza)
        assert home.minds.status(eliza)["inner"] == told


async def test_nothing_is_told_of_the_inner_life_of_a_person_who_has_none(tmp_path: Path) -> None:
    prepared(tmp_path)
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        hear(home, ann)
        assert "Inner life" not in (await home.ask(ann, "@memory-status full")).reply
        assert home.minds.status(ann)["inner"] is None
        assert home.minds.inner.told(ann) is None
        assert "Inner life" in (await home.ask(ann, "@memory-status Eliza full")).reply


async def test_what_is_lived_while_an_agent_reflects_counts_for_the_next_time(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=20, nightly_dream=False, own_notes=False)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        reflecting = asyncio.Event()
        free = asyncio.Event()

        async def wait(prompt: str) -> str:
            reflecting.set()
            await free.wait()
            return "Well."

        inner = asking(home, ["1: 1", wait])
        home.type(eliza, "sleep")
        inner.asleep(eliza, home.engine)
        await reflecting.wait()
        hear(home, eliza)
        status = inner.told(eliza)
        assert status is not None
        free.set()
        await inner.settle()
        later = [one for one in eliza.memory.read(9, eliza.memory.total) if one.kind == "heard"]
        told = inner.told(eliza)
        assert told is not None
        assert told["reflection_sum"] == sum(entry.importance for entry in later) > 0
        assert standing(home).sum == told["reflection_sum"]
        assert standing(home).count == told["insights"] == len(of_kind(eliza, "thought"))


def lived_long(folder: Path, per_file: int = 4096, **reflection: object) -> tuple[Path, int]:
    """Write a life that reflected and dreamed once, and lived through much since; return its archive and how much."""
    archive, total = Archive(folder / "archive", per_file), 2 * LOOKED_BACK
    archive.open(writable=True)
    archive.append([made(1, "dream", "I dreamed: of plums."), made(2, "thought", "A.")._replace(mark="insight")])
    archive.append_event({"event": "reflection", "at": AT, "through": 1, **reflection})
    archive.append([heard(seq, "Moss", "It rains.") for seq in range(3, total + 1)])
    archive.close()
    return folder / "archive", total


def told(inner: ReflectionProgress) -> str:
    known = {name: getattr(inner, name) for name in ("reflected_at", "dreamed_at", "looked_from", "counted_from")}
    return told_inner({**known, "insights": inner.count, "reflection_sum": 0, "reflection_threshold": 0})


def test_what_a_long_life_came_to_is_counted_and_dated_however_long_ago_that_was(tmp_path: Path) -> None:
    far = standing_of(*lived_long(tmp_path, insights=9))
    assert (far.count, far.reflected, far.reflected_at, far.dreamed, far.dreamed_at) == (9, 1, AT, 1, AT)
    assert told(far).startswith("9 insights, reflected 2026-11-20 07:21, dreamed 2026-11-20 07:21;")


def test_what_is_not_known_of_a_long_life_is_said_to_be_so(tmp_path: Path) -> None:
    uncounted = standing_of(*lived_long(tmp_path / "uncounted"))
    assert told(uncounted).startswith("0 insights since memory 513, reflected 2026-11-20 07:21, dreamed 2026-11-20")
    longest, total = lived_long(tmp_path / "longest", per_file=16, insights=9)
    begins = total - LOOKED_BACK + 1 - 16 * FILES
    since = f"since memory {begins}"
    wanted = f"0 insights {since}, not reflected {since}, not dreamed {since};"
    assert told(standing_of(longest, total)).startswith(wanted)


async def test_a_count_that_is_not_whole_is_not_handed_on_as_whole(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=20, nightly_dream=False, own_notes=False)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        eliza.memory.append_raw([{"text": "It rains."}])
        eliza.memory.record({"event": "reflection", "at": AT, "through": 1})
        eliza.memory.append_raw([{"text": f"Line {n}."} for n in range(LOOKED_BACK)])
        hear(home, eliza)
        await night(home, eliza)
        *_, event = happened(eliza, "reflection")
        assert "insights" not in event
        inner = home.minds.inner.told(eliza)
        assert inner is not None
        assert inner["insights"] == len(of_kind(eliza, "thought")) > 0
        assert inner["counted_from"] > 1


def test_insights_are_counted_and_the_newest_kept() -> None:
    far = ReflectionProgress()
    far.take_in([made(seq, "thought", f"Thought {seq}.")._replace(mark="insight") for seq in range(1, 41)])
    far.take_in([made(41, "thought", "You think of plums."), heard(42, "Moss", "It rains.")])
    assert far.count == 40
    assert far.insights[-1] == "Thought 40."
    assert len(far.insights) < 40


def test_insights_from_before_there_were_marks_are_known_by_their_first_words() -> None:
    far = ReflectionProgress()
    far.take_in([made(1, "thought", "I have come to think: Moss keeps promises. (memories 3, 9)")])
    assert far.count == 1
    assert far.insights
