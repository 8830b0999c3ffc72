from __future__ import annotations

from pathlib import Path

from mud.storage.files import write_atomic
from tests.houses import house


async def test_it_shows_exactly_the_prompt(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@impersonate eliza")
        assert home.minds.prompt_of is not None
        assert answer.reply == (await home.minds.prompt_of(home.agent("Eliza"))).text


async def test_it_shows_a_summary_edited_by_hand(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(100):
            home.type(ann, f"think of pear number {number}")
        await home.ask(ann, "@compact-memories")
        path = ann.folder / "summaries/recent.md"
        front = path.read_text(encoding="utf-8").rsplit("---\n", 1)[0]
        write_atomic(path, f"{front}---\n# Recent\n\nI met a pilot called Ottoline.\n")
        ann.memory.reload_summary(path)
        assert "Ottoline" in (await home.ask(ann, "@impersonate Ann")).reply


async def test_one_who_is_nobody_gets_a_sentence(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@impersonate Nobody")
        assert answer.failed
        assert "Nobody" in answer.reply
