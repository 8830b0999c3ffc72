from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from agents.life.mind_page import EVERY, MindPages, render_page
from mud.world.roles import Role
from tests.houses import house
from tests.unit.agents.llm.stage import HandClock, settle


async def test_a_page_shows_who_one_is_the_newest_memories_and_the_notes(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        home.type(ann, "say the pears are ripe")
        home.minds.add_note(eliza, "Sundial", "No fin.", None)
        page = render_page(eliza)
        assert "# Eliza" in page
        assert "You keep the garden" in page
        assert 'Ann says, "the pears are ripe"' in page
        assert "[[sundial|Sundial]]" in page
        assert f"memories: {eliza.memory.total}" in page


async def test_only_pages_of_those_who_perceived_something_are_written_and_the_watcher_is_told(tmp_path: Path) -> None:
    clock, told = HandClock(), dict[Path, str]()
    async with house(tmp_path, clock) as home:
        pages = MindPages(home.minds, told.__setitem__)
        home.engine.observe(pages.observe)
        run = asyncio.ensure_future(pages.run())
        home.type(home.agent("Eliza"), "think of pears", Role.AGENT)
        await settle()
        page = home.agent("Eliza").folder / "mind.md"
        assert not page.exists()
        clock.advance(EVERY)
        await settle()
        assert told == {page: page.read_text(encoding="utf-8")}
        assert "of pears" in told[page]
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)


async def test_a_page_does_not_bring_back_a_folder_that_was_taken_away(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        pages = MindPages(home.minds, lambda path, text: None)
        home.engine.observe(pages.observe)
        eliza = home.agent("Eliza")
        home.type(eliza, "think of pears", Role.AGENT)
        shutil.rmtree(eliza.folder)
        pages.write_all()
        assert not eliza.folder.exists()


async def test_a_page_that_cannot_be_written_keeps_no_other_from_it(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        pages = MindPages(home.minds, lambda path, text: None)
        home.engine.observe(pages.observe)
        eliza, moss = home.agent("Eliza"), home.agent("Moss")
        for agent in (eliza, moss):
            home.type(agent, "think of pears", Role.AGENT)
        (eliza.folder / "mind.md").mkdir()
        pages.write_all()
        assert "of pears" in (moss.folder / "mind.md").read_text(encoding="utf-8")
