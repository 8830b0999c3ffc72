"""Folds by a real, small language model; `make folds` does more of them. What it makes up never becomes a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.compaction.status import coverage, holes
from agents.memory.memory import Memory
from mud.clock import VirtualClock
from tests.live.folds import KEPT, NAME, Fold, Folding
from tests.live.judge import strangers
from tests.live.tellers import cast
from tests.live_server import LiveServer

WINDOW = 8
SOURCE = ('Moss says, "Old Pike owes me forty-two coins."', "Moss", "The Salt Mill", "You walk to Owl Lane in 1847.")


async def test_two_folds_by_a_real_model_commit_nothing_that_is_not_in_the_source(
    live_server: LiveServer, tmp_path: Path
) -> None:
    folds: list[Fold] = []
    life = Folding(tmp_path, live_server.address, seed=7, window=WINDOW, changes={"max_tokens": 60})
    await life.folds(2, folds.append)

    assert [(fold.wrong, fold.wrong_by_rules) for fold in folds] == [([], []), ([], [])]
    assert all(fold.replies for fold in folds)
    for fold in folds:
        made = [one for one in (fold.commit.longterm, fold.commit.recent) if one is not None]
        assert all(one.text.strip() and one.faithful and one.method in ("model", "extractive") for one in made)
        refused = [reply for reply in fold.replies if reply.why]
        assert len(refused) == len(fold.commit.rejected)
    memory = Memory(NAME, tmp_path, VirtualClock())
    memory.open(writable=False)
    assert holes(coverage(memory.view()), memory.total) == ([], [])
    assert memory.total - memory.watermark == KEPT


@pytest.mark.parametrize(
    ("summary", "found"),
    [
        ("I met Moss at the Salt Mill; Old Pike owed him 42 coins.", []),
        ("Moss and I were in Owl Lane. He spoke of forty-two coins.", []),
        ("Yesterday I heard from Moss that a mill was sold.", []),
        ("I met Ingrid.", ["Ingrid"]),
        ("I met ingrid at the mill.", ["Ingrid"]),
        ("I met Nobbs at the Salt Mill.", ["Nobbs"]),
        ("Nobbs was with me at the Salt Mill.", ["Nobbs"]),
        ("I met Young Pike.", ["Young", "Young Pike"]),
        ("I walked to the Salt Lane with Moss.", ["Salt Lane"]),
        ("I saw forty-three coins.", ["43"]),
        ("I saw twelve hundred coins.", ["1200"]),
        ("I saw 42 coins in 1848.", ["1848"]),
        ("I came third.", ["3"]),
    ],
)
def test_the_judge_finds_every_stranger(summary: str, found: list[str]) -> None:
    assert sorted(strangers(summary, SOURCE, NAME, cast().people)) == sorted(found)


def test_the_cast_is_large_enough_to_be_confused() -> None:
    assert len(set(cast().people)) >= 150
