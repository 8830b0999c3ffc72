from __future__ import annotations

from pathlib import Path

from mud.world.roles import Role
from tests.houses import house


async def test_what_was_lived_is_found_with_its_number_and_place(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say the brass key is under the third flowerpot")
        eliza = home.agent("Eliza")
        await home.minds.catch_up(eliza)
        answer = await home.ask(eliza, "recall brass key", Role.AGENT)
        assert "flowerpot" in answer.reply
        assert "The Garden" in answer.reply
        assert eliza.memory.tail[-1].kind == "result"
        assert "flowerpot" in eliza.memory.tail[-1].text


async def test_ones_notes_are_found_by_title(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "note Zeppelin -> It lands on Tuesdays.")
        await home.minds.catch_up(ann)
        assert "Zeppelin" in (await home.ask(ann, "recall zeppelin tuesdays")).reply


async def test_nothing_found_is_said(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "recall zeppelin")
        assert not answer.failed
        assert "zeppelin" in answer.reply


async def test_another_mind_is_never_searched(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        home.type(eliza, "think zeppelins are real", Role.AGENT)
        for agent in (ann, eliza):
            await home.minds.catch_up(agent)
        assert "are real" not in (await home.ask(ann, "recall zeppelins")).reply
