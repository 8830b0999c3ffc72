"""How far an inner life is: the same after a restart, also over a reflection that others lived through."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agents.inner.standing import Standing, standing_of
from agents.mind_page import render_page
from tests.houses import House, house
from tests.unit.agents.inner.telling import heard, made
from tests.unit.agents.inner.test_inner import asking, happened, hear, night, of_kind, prepared


def standing(home: House, name: str = "Eliza") -> Standing:
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
            "insights": 0,
            "reflection_sum": 0,
            "reflection_threshold": 20,
        }
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
        report = home.minds.report(eliza)
        assert row in report
        assert "; importance lived since then 0, looks back at 20" in report
        assert "## Inner life\n\n" in render_page(eliza, home.minds.inner.told(eliza, known=True))
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        assert home.minds.inner.told(eliza, known=True) is None, "a page looks nothing up"
        await home.minds.inner.look(eliza)
        assert home.minds.status(eliza)["inner"] == told


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


def test_insights_are_counted_and_the_newest_kept() -> None:
    far = Standing()
    far.take_in([made(seq, "thought", f"Thought {seq}.")._replace(mark="insight") for seq in range(1, 41)])
    far.take_in([made(41, "thought", "You think of plums."), heard(42, "Moss", "It rains.")])
    assert far.count == 40
    assert far.insights[-1] == "Thought 40."
    assert len(far.insights) < 40


def test_insights_from_before_there_were_marks_are_known_by_their_first_words() -> None:
    far = Standing()
    far.take_in([made(1, "thought", "I have come to think: Moss keeps promises. (memories 3, 9)")])
    assert far.count == 1
    assert far.insights
