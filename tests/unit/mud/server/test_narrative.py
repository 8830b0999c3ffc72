from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mud.engine.chronicle import Chronicle
from mud.server.narrative import time_in_words
from mud.storage.texts import TextStore
from mud.world.roles import Role
from tests.houses import House, house
from tests.vaults import ROOT

NOW = datetime(2026, 11, 20, 23, 0, tzinfo=UTC)


@contextmanager
def chronicle(home: House) -> Iterator[None]:
    """Have the chronicle written within the block."""
    writing = Chronicle(home.parts.vault / "log", home.engine.world)
    home.engine.observe(writing.observe)
    try:
        yield
    finally:
        writing.close()


async def test_the_owner_reads_all_and_others_only_of_where_they_have_been(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        with chronicle(home):
            ann, ben = home.enter("Ann"), home.enter("Ben", "The Library")
            home.type(ann, "say The bees are out. | they are loud")
            home.type(ben, "say The dust is old.")
            owner = (await home.ask(ann, "@narrative")).reply
            assert "The bees are out." in owner
            assert "The dust is old." in owner
            assert "they are loud" not in owner
            others = (await home.ask(ann, "@narrative", Role.PLAYER)).reply
            assert "The bees are out." in others
            assert "The dust is old." not in others


async def test_it_is_told_by_place_by_person_and_by_number(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        with chronicle(home):
            ann, ben = home.enter("Ann"), home.enter("Ben", "The Library")
            for line in ("say One.", "say Two."):
                home.type(ann, line)
            home.type(ben, "say Three.")
            assert "Three." not in (await home.ask(ann, "@narrative here")).reply
            assert "Three." in (await home.ask(ann, "@narrative the library")).reply
            assert "Three." in (await home.ask(ann, "@narrative Ben")).reply
            assert "Two." not in (await home.ask(ann, "@narrative Ben")).reply
            (line,) = (await home.ask(ann, "@narrative Ann 1")).reply.splitlines()
            assert "Two." in line


async def test_a_whisper_is_nowhere_in_it(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        with chronicle(home):
            ann = home.enter("Ann")
            home.enter("Ben")
            home.type(ann, "whisper Ben The key is under the pot.")
            assert "key" not in (await home.ask(ann, "@narrative")).reply


@pytest.mark.parametrize("what", ["Nobody At All", "The Library", "0", "1000", "here -3"])
async def test_what_cannot_be_told_is_refused_and_an_unseen_place_is_as_good_as_none(tmp_path: Path, what: str) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert (await home.ask(ann, f"@narrative {what}", Role.PLAYER)).failed


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("2026-11-20T07:21:00.000Z", "this morning at 7:21"),
        ("2026-11-20T22:30:00.000Z", "tonight at 22:30"),
        ("2026-11-20T02:05:00.000Z", "in the night at 2:05"),
        ("2026-11-19T22:05:00.000Z", "yesterday at 22:05"),
    ],
)
def test_times_are_told_as_people_say_them(at: str, told: str) -> None:
    texts = TextStore(ROOT / "vault/text")
    texts.load()
    assert time_in_words(texts.render, at, NOW) == told
