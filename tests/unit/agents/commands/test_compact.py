from __future__ import annotations

from pathlib import Path

from tests.houses import house


async def test_a_manual_fold_takes_all_but_the_newest_and_shows_the_summary(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(100):
            home.type(ann, f"think of pear number {number}")
        answer = await home.ask(ann, "@compact-memories")
        assert not answer.failed
        assert ann.memory.watermark == 36
        assert ann.memory.recent is not None
        assert ann.memory.recent.text in answer.reply
        assert ann.memory.total == 100


async def test_nothing_to_fold_is_said_with_the_reason(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@compact-memories Eliza")
        assert "nothing is older than the newest 64 memories" in answer.reply
