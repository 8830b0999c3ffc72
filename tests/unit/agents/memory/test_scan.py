"""Which memories stand in an archive, told without decoding them, and always as a full reading tells it."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.archive import Archive, archive_files
from agents.memory.entries import Entry, merged, missing
from agents.memory.history import lost, size, without


def entry(seq: int) -> Entry:
    return Entry(seq, "2026-11-20T07:21:37.123Z", "heard", "Moss", "The Library", f'Moss says, "{seq}".', None)


def archive(folder: Path, count: int, per_file: int = 10) -> Archive:
    made = Archive(folder, per_file)
    made.open(writable=True)
    for first in range(1, count + 1, 7):
        made.append([entry(seq) for seq in range(first, min(count, first + 6) + 1)])
        made.append_event({"event": "micro_compact", "at": "2026-11-20T07:21:37.123Z", "covers": [1, 2]})
    made.close()
    return made


def spoil(folder: Path, seqs: set[int], how: str) -> None:
    """Tear, replace or take out the lines of some memories."""
    for _, path in archive_files(folder):
        kept = []
        for line in path.read_text().splitlines():
            if not any(line.startswith(f'{{"seq":{seq},') for seq in seqs):
                kept.append(line)
            elif how != "gone":
                kept.append("garbage" if how == "garbage" else line[: len(line) // 2])
        path.write_text("".join(f"{line}\n" for line in kept))


@settings(max_examples=150)
@given(
    count=st.integers(1, 64),
    seqs=st.sets(st.integers(1, 64), max_size=6),
    how=st.sampled_from(["garbage", "torn", "gone"]),
    ends=st.tuples(st.integers(1, 64), st.integers(1, 64)),
    chance=st.integers(0, 1 << 30),
)
def test_it_finds_what_a_full_reading_finds(
    tmp_path_factory: object, count: int, seqs: set[int], how: str, ends: tuple[int, int], chance: int
) -> None:
    folder = Path(f"{tmp_path_factory.mktemp('archive')}/{random.Random(chance).random()}")  # type: ignore[attr-defined]
    archive(folder, count)
    spoil(folder, {seq for seq in seqs if seq < count}, how)
    made = Archive(folder, 10)
    made.open(writable=False)
    first, last = sorted(min(end, made.total) for end in ends)
    whole = missing((found.seq for found in made.read(first, last)), first, last)
    assert lost(folder, first, last, made.total) == whole


def test_a_file_that_is_gone_is_a_gap(tmp_path: Path) -> None:
    archive(tmp_path, 64)
    archive_files(tmp_path)[2][1].unlink()
    assert lost(tmp_path, 1, 64, 64) == [(21, 30)]
    archive_files(tmp_path)[0][1].unlink()
    assert lost(tmp_path, 5, 64, 64) == [(5, 10), (21, 30)]


def test_an_archive_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert lost(tmp_path / "no", 3, 9, 9) == [(3, 9)]
    assert lost(tmp_path / "no", 3, 2, 9) == []
    assert size(tmp_path / "no") == (0, 0)


def test_its_size_is_that_of_its_files_alone(tmp_path: Path) -> None:
    archive(tmp_path, 25)
    (tmp_path / "notes.txt").write_text("mine")
    assert size(tmp_path) == (sum(path.stat().st_size for path in tmp_path.glob("*.jsonl")), 3)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 5)), max_size=6))
def test_a_range_without_its_gaps_and_the_gaps_make_the_range(pairs: list[tuple[int, int]]) -> None:
    gaps = merged((first, min(50, first + more)) for first, more in pairs)
    kept = without(1, 50, gaps)
    covered = sorted(seq for first, last in [*kept, *gaps] for seq in range(first, last + 1))
    assert covered == list(range(1, 51))
