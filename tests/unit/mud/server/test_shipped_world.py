"""The world as it is shipped: what a newcomer reads of who is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.houses import house


@pytest.mark.parametrize(
    ("place", "bare", "name"),
    [("The Towpath", "Margery", "Margery the heron"), ("The Roofless Hall", "Simonides", "Simonides the cat")],
)
async def test_an_animal_is_told_as_one_and_answers_to_its_bare_name(
    tmp_path: Path, place: str, bare: str, name: str
) -> None:
    async with house(tmp_path) as home:
        ann, ben = home.enter("Ann", place), home.enter("Ben", "The Garden")
        assert name in home.type(ann, "look").reply
        assert f"{name}, in {place}" in home.type(ann, "who").reply
        for called in (bare, bare.lower(), name):
            assert home.type(ann, f"examine {called}").reply.startswith(f"{name}: ")
        assert home.type(ann, f"'{bare}, hello").reply == f'You say, "{bare}, hello"'
        assert home.type(ann, f"whisper {bare} hello").reply == f'You whisper to {name}, "hello"'
        assert f"({name} is not here; " in home.type(ben, f"'hello {bare}").reply
