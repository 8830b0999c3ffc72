from __future__ import annotations

from pathlib import Path

from mud.world.roles import Role
from tests.houses import house


async def test_a_text_is_shown_with_its_places_its_file_and_line(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        told = (await home.ask(home.enter("Ann"), "@show-text app.save.saved", Role.BUILDER)).reply
        assert "Saved; step {step} is included. (from text/app.md:" in told
        assert "{step}" in told.splitlines()[1]


async def test_the_beginning_of_a_key_lists_those_below(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        told = (await home.ask(home.enter("Ann"), "@show-text app.save")).reply
        assert {"  app.save.saved", "  app.save.not_saved"} <= set(told.splitlines())


async def test_a_near_miss_is_suggested_and_a_player_sees_no_texts(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        step = await home.ask(ann, "@show-text app.save.savd")
        assert step.failed
        assert "app.save.saved" in step.reply
        assert home.type(ann, "@show-text app.save", Role.PLAYER).failed
