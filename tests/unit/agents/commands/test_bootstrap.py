from __future__ import annotations

from pathlib import Path

from tests.houses import house


async def test_a_life_without_summaries_gets_its_first_ones_at_once(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "@compaction off")
        for number in range(300):
            home.type(ann, f"think of the {number}. pear that Moss promised to bring to the old mill")
        assert ann.memory.watermark == 0
        total = ann.memory.total
        answer = await home.ask(ann, "@bootstrap-summaries")
        assert answer.reply.startswith(f"The summaries of Ann are made from memories 1 to {total - 64} (parts: 5")
        status = home.minds.status(ann)
        assert (status["covered_through"], status["gaps"], status["overlaps"]) == (total - 64, [], [])
        assert status["compactions"] == 1
        answer = await home.ask(ann, "@bootstrap-summaries")
        assert answer.reply == (
            f"There are summaries of Ann already, up to memory {total - 64}; @rebuild-summaries makes them anew."
        )


async def test_where_everything_fits_it_says_how_many_memories_there_are(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@bootstrap-summaries Eliza")
        assert answer.reply == "Eliza has 1 memory, still shown word for word; nothing needs a summary yet."
