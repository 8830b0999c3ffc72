from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.rebuild import BOOTSTRAP, CHUNK, FILE, steps_of
from tests.lives import Life, PowerCut
from tests.rebuilds import rebuilt, tiles, unfolded


@given(through=st.integers(1, 5000), window=st.integers(1, 500), rolling=st.booleans(), back=st.integers(0, 300))
def test_parts_lie_one_behind_the_other_and_end_where_they_should(
    through: int, window: int, rolling: bool, back: int
) -> None:
    recent = (through - back, through) if back < through else None
    steps = steps_of(through, recent, min(window, CHUNK), rolling=rolling)
    read = [step.entries for step in steps if step.entries]
    assert read[0][0] == 1
    assert read[-1][1] == through
    assert all(after[0] == before[1] + 1 for before, after in pairwise(read))
    assert all(last - first < CHUNK for first, last in read)
    longterm = [step.covers for step in steps if step.tier == "longterm"]
    recent_from = steps[-1].covers[0] if steps[-1].tier == "recent" else through + 1
    assert (longterm[-1] if longterm else (1, 0)) == (1, recent_from - 1)


def test_parts_made_under_other_settings_are_made_again(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=unfolded("waterfall"))
    life.live(330)
    life.disk.cut_after(3)
    with pytest.raises(PowerCut):
        rebuilt(life, BOOTSTRAP)
    life.disk.cut = 0
    life.start()
    life.set(max_recent_sentences=2)
    assert rebuilt(life, BOOTSTRAP).kept == 0


def test_a_file_of_parts_that_a_hand_broke_is_made_again_where_it_is_broken(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=unfolded("waterfall"))
    life.live(330)
    life.disk.cut_after(4)
    with pytest.raises(PowerCut):
        rebuilt(life, BOOTSTRAP)
    life.disk.cut = 0
    life.start()
    file = life.folder / "summaries" / FILE
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], '{"covers": 7}', *lines[2:], '{"tier": "recent"}', ""]))
    assert rebuilt(life, BOOTSTRAP).kept == len(lines) - 2
    assert tiles(life)
