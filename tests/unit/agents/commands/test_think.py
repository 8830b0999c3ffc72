from __future__ import annotations

from pathlib import Path

from tests.houses import house, texts_of


async def test_a_thought_is_one_memory_of_ones_own_and_nobody_elses(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        step = home.type(ann, "think the lamps were lit early | who was it?")
        assert step.reply == 'You think, "the lamps were lit early"'
        (entry,) = ann.memory.tail
        assert (entry.kind, entry.text, entry.reason) == ("thought", step.reply, "who was it?")
        assert texts_of(home.agent("Eliza"))[-1:] != [step.reply]
