"""What `@why` says to who asks for a line that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.houses import house
from tests.unit.agents.commands.test_why import explained, refused, spoke


@pytest.mark.parametrize("what", ["Eliza 0", "Eliza -1", "0", "-1", "eliza -12"])
async def test_lines_are_counted_from_one(tmp_path: Path, what: str) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say On day -1 there were 0 bees and 12 wasps."])
        told = await refused(home, home.enter("Ann"), what)
        assert told.startswith(f"There is no line {what.split()[-1]}: 1 is the last one")


@pytest.mark.parametrize("what", ["Nobody", "Nobody 3", "Nobody full"])
async def test_a_name_that_nobody_has_is_no_word_to_look_for(tmp_path: Path, what: str) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say There is nobody in the garden but 3 herons."])
        ann = home.enter("Ann")
        told = await refused(home, ann, what)
        assert told.startswith('There is no agent called "Nobody"; there is: Corvin, Eliza, Moss and Tamsin.')
        assert '@why "Nobody"' in told
        for words in ('"Nobody"', "nobody", "Eliza Nobody"):
            assert "nobody in the garden" in await explained(home, ann, words)


async def test_marks_alone_are_no_words(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say Good evening."])
        assert "???" in await refused(home, home.enter("Ann"), "Eliza ???")
