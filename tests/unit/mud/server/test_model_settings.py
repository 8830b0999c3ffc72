from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from mud.server.wiring import RealClock
from mud.world.roles import Role
from tests.houses import house
from tests.model_server import Server
from tests.unit.mud.server.lobby import lobby
from tests.vaults import ROOT

THINK = "config/llm/think.md"


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


async def test_every_use_of_a_model_is_shown_with_where_its_values_come_from(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        told = (await home.ask(home.enter("Ann"), "@llm-config")).reply
        assert {"think:", "summarizer:", "dream:", "embed:"} <= set(told.splitlines())
        assert f"temperature: 0.8 (from {THINK}:" in told


async def test_a_value_is_set_in_its_file_and_the_prose_stays(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        path, ann = home.parts.vault / THINK, home.enter("Ann")
        before = path.read_text("utf-8")
        assert "0.7" in (await home.ask(ann, "@llm-config think temperature 0.7")).reply
        assert path.read_text("utf-8") == before.replace("**temperature**: 0.8", "**temperature**: 0.7")
        assert "temperature: 0.7" in (await home.ask(ann, "@llm-config think")).reply


@pytest.mark.parametrize("what", ["think temperature 9", "think nonsense 1", "thnik", "think model", "embed test"])
async def test_a_mistake_is_refused_and_changes_nothing(tmp_path: Path, what: str) -> None:
    async with house(tmp_path) as home:
        path = home.parts.vault / THINK
        before = path.read_text("utf-8")
        assert (await home.ask(home.enter("Ann"), f"@llm-config {what}")).failed
        assert path.read_text("utf-8") == before


async def test_a_test_tells_the_first_words_and_the_time(tmp_path: Path, server: Server) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann = home.enter("Ann")
        await home.ask(ann, f"@llm-config think host {server.address('behaves')}")
        step = await home.ask(ann, "@llm-config think test")
        assert not step.failed, step.reply
        assert " answered in " in step.reply


async def test_a_test_that_fails_is_one_sentence_with_what_to_try(tmp_path: Path, server: Server) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann = home.enter("Ann")
        await home.ask(ann, f"@llm-config think host {server.address('fails')}")
        step = await home.ask(ann, "@llm-config think test")
        assert step.failed
        assert "@llm-config think host URL" in step.reply


async def test_a_password_in_an_address_is_not_shown_and_players_see_nothing(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        changed = (await home.ask(ann, "@llm-config think host http://me:hush@127.0.0.1:9")).reply
        assert "hush" not in changed + (await home.ask(ann, "@llm-config think")).reply
        assert home.type(ann, "@llm-config", Role.PLAYER).failed


@pytest.mark.parametrize("told", ["think host http://me:hush@here:9", "think api_key_env hush", "host http://a?k=hush"])
async def test_a_key_that_is_typed_is_kept_nowhere_and_never_shown_back(
    tmp_path: Path, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with lobby(tmp_path) as hall:
        owner, guest = hall.owner(), hall.enter("Guest")
        for seat in (owner, guest):
            await hall.type(seat, f"@llm-config {told}", f"@llm-confg {told}")
        assert any("LOCI_API_KEY" in one for one in owner.shown)
        hall.people.leave_all()
        hall.parts.save()
        assert "hush" not in "".join(owner.shown + guest.shown)
    files = [path for path in (tmp_path / "vault").rglob("*") if path.is_file()]
    before = [path for path in (ROOT / "vault").rglob("*.md") if b"hush" in path.read_bytes()]
    assert len([path for path in files if b"hush" in path.read_bytes()]) == len(before)
    assert "hush" not in caplog.text
