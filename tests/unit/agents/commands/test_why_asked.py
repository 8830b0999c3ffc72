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


async def test_a_word_with_a_capital_finds_the_newest_line_that_holds_it(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say Hello, Moss.", "say There is nobody in the garden but 3 herons."])
        ann = home.enter("Ann")
        for words in ("Hello", "hello", '"Hello"', "Hello full", "Eliza Hello"):
            assert "Hello, Moss." in await explained(home, ann, words)
        for words in ("Nobody", '"Nobody"', "nobody", "Eliza Nobody"):
            assert "nobody in the garden" in await explained(home, ann, words)


@pytest.mark.parametrize(("what", "told"), [("Nobody 3", '@why "Nobody"'), ("Wren", "no line with that word is kept")])
async def test_a_name_that_nobody_has_is_told_from_words(tmp_path: Path, what: str, told: str) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say There is nobody in the garden but 3 herons."])
        refusal = await refused(home, home.enter("Ann"), what)
        assert refusal.startswith(f'There is no agent called "{what.split()[0]}"')
        assert "there is: Corvin, Eliza, Moss and Tamsin." in refusal
        assert told in refusal


async def test_marks_alone_are_no_words(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say Good evening."])
        assert "???" in await refused(home, home.enter("Ann"), "Eliza ???")


async def test_a_line_that_says_the_words_goes_before_one_that_has_them_in_its_private_reason(tmp_path: Path) -> None:
    only = 'Only the private reason of this line holds "{}".\n'
    async with house(tmp_path) as home:
        said = ["say Do come. | to be kind", "say Out and in.", "look | they come in here", "say Welcome. | I am glad"]
        await spoke(home, said)
        ann = home.enter("Ann")
        for words, line in {
            "come": "say Do come.",
            "in": "say Out and in.",
            "welcome": "say Welcome.",
        }.items():
            for asked in (f"Eliza {words}", f'"{words}"'):
                told = await explained(home, ann, asked)
                assert f"\n  {line}\n" in told
                assert "Only" not in told
        for words, line in {"come in": "look", "glad": "say Welcome."}.items():
            told = await explained(home, ann, f"Eliza {words}")
            assert f"\n  {line}\n" in told
            assert told.startswith(only.format(words))
        assert "Only" not in await explained(home, ann, "Eliza glad welcome")
        assert 'There is no line of Eliza for "com"' in await refused(home, ann, "Eliza com")
