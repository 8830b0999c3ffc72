from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.compaction.view import KIND, MaskLog
from mud.world.events import Perception
from tests.lives import Disk, Life, heard

LOOK = "The Library\n" + "Dust turns in a blade of light. " * 10
SMALL: dict[str, int | str] = {"strategy": "masking", "mask_keep": 2, "mask_block": 3, "mask_chars": 80}


class Turns:
    """A life that ends a turn after everything that happens."""

    def __init__(self, folder: Path, **changes: int | str) -> None:
        self.life = Life(folder, Disk())
        self.life.set(**{**SMALL, **changes})
        self.begin()

    def begin(self) -> None:
        """Begin, or begin again from the files alone."""
        life = self.life
        life.start()
        self.micro = MaskLog(life.compactor.view, life.clock)

    def happen(self, letters: str) -> list[int]:
        """Have long results (r), things heard (h) and own acts (a) happen; return the results that were masked."""
        masked = []
        for letter in letters:
            told = {
                "r": Perception("#1", KIND, LOOK, None, "The Library"),
                "h": heard("The wind has turned."),
                "a": Perception("#1", "did", "You sit down.", None, "The Library"),
            }[letter]
            self.life.memory.append([told], "2026-11-20T07:21:37.123Z", self.life.memory.total + 1)
            masked += self.micro.turn()
        return masked

    def shown_masked(self) -> list[int]:
        """Return the results that are shown masked now."""
        return [one.seq for one in self.life.compactor.view.shown().tail if one.text.endswith(f"life#{one.seq}]")]

    def lines(self) -> list[dict[str, Any]]:
        """Return the archive's lines on masks."""
        paths = sorted((self.life.folder / "archive").glob("*.jsonl"))
        lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
        return [line for line in lines if line.get("event") == "micro_compact"]


def test_masks_are_written_down_when_a_block_of_them_begins(tmp_path: Path) -> None:
    turns = Turns(tmp_path)
    assert turns.happen("rararara") == []
    assert turns.happen("rah") == [1, 3, 5]
    assert turns.happen("hh") == []
    (line,) = turns.lines()
    assert (line["covers"], line["masked"]) == ({"first": 1, "last": 5}, [1, 3, 5])
    assert set(line) == {"event", "at", "covers", "masked"}


def test_after_a_start_no_mask_is_written_down_twice(tmp_path: Path) -> None:
    turns = Turns(tmp_path)
    turns.happen("ra" * 8)
    turns.begin()
    turns.happen("ra" * 3)
    masked = [seq for line in turns.lines() for seq in line["masked"]]
    assert masked == [1, 3, 5, 7, 9, 11, 13, 15, 17]


def test_a_strategy_without_masks_writes_none_down_and_another_then_catches_up(tmp_path: Path) -> None:
    turns = Turns(tmp_path, strategy="none")
    assert turns.happen("ra" * 8) == []
    turns.life.set(strategy="masking")
    assert turns.happen("h") == [1, 3, 5, 7, 9, 11]


def test_a_full_disk_costs_the_line_and_nothing_else(tmp_path: Path) -> None:
    turns = Turns(tmp_path)
    turns.happen("rararara")
    turns.life.disk.full = True
    assert turns.happen("ra") == []
    turns.life.disk.full = False
    turns.life.memory.retry()
    assert turns.happen("h") == [1, 3, 5]
    assert turns.life.memory.total == 11


def test_a_great_many_masks_are_several_lines(tmp_path: Path) -> None:
    turns = Turns(tmp_path, strategy="none")
    told = [Perception("#1", KIND, LOOK, None, "The Library")] * 1205 + [
        Perception("#1", "did", "You sit.", None, None)
    ]
    turns.life.memory.append(told, "2026-11-20T07:21:37.123Z", 1)
    turns.life.set(strategy="masking")
    assert len(turns.micro.turn()) == 1203
    assert [len(line["masked"]) for line in turns.lines()] == [500, 500, 203]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(parts=st.lists(st.text("rha", max_size=12), max_size=6), keep=st.integers(0, 4), block=st.integers(1, 4))
def test_every_mask_that_is_shown_is_written_down_exactly_once(
    tmp_path_factory: Any, parts: list[str], keep: int, block: int
) -> None:
    turns = Turns(tmp_path_factory.mktemp("life"), mask_keep=keep, mask_block=block)
    for part in parts:
        turns.happen(part)
        told = [seq for line in turns.lines() for seq in line["masked"]]
        assert told == sorted(set(told))
        assert told == turns.shown_masked()
        turns.begin()
