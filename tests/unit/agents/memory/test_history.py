from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.archive import Archive, archive_files
from agents.memory.entries import Entry, merged, missing
from agents.memory.history import (
    IMPORTANCE,
    events,
    last_event,
    last_values,
    lost,
    newest,
    read_weighed,
    size,
    tail,
    values_of,
    weights_event,
    without,
)
from agents.memory.memory import Memory
from agents.memory.summaries import COMMITS
from mud.clock import VirtualClock
from mud.world.events import Perception
from tests.examples import examples
from tests.lives import Life

COMMIT = {"event": "auto_compact", "covers": {"first": 1, "last": 2}, "number": 1, "longterm": None}
NAMED = {"covers": {"first": 1, "last": 2}, "file": "recent-20261120-072137.md", "sha256": "0"}


def entries(first: int, last: int) -> list[Entry]:
    return [
        Entry(seq, "2026-11-20T07:21:37.123Z", "did", None, None, f'"event": {seq}') for seq in range(first, last + 1)
    ]


def written(folder: Path) -> Path:
    """Write a life of ten memories, four a file, with events behind the 2nd, the 4th and the 9th."""
    archive = Archive(folder / "archive", per_file=4)
    archive.open(writable=True)
    archive.append(entries(1, 2))
    archive.append_event({**COMMIT, "recent": NAMED})
    archive.append(entries(3, 4))
    archive.append_event({"event": "micro_compact", "masked": [1]})
    archive.append(entries(5, 9))
    archive.append_event({"event": "micro_compact", "masked": [3]})
    archive.append(entries(10, 10))
    archive.close()
    return folder / "archive"


def names(archive: Path, first: int, last: int) -> list[tuple[int, str]]:
    return [(seq, event["event"]) for seq, event in events(archive, first, last)]


def test_events_stand_behind_the_memory_they_followed_and_a_repeated_commit_counts_once(tmp_path: Path) -> None:
    archive = written(tmp_path)
    assert len(list(archive.iterdir())) == 3
    assert names(archive, 1, 10) == [(2, "auto_compact"), (4, "micro_compact"), (9, "micro_compact")]


def test_a_part_has_the_events_behind_its_own_memories_only(tmp_path: Path) -> None:
    archive = written(tmp_path)
    assert names(archive, 1, 1) == []
    assert names(archive, 2, 3) == [(2, "auto_compact")]
    assert names(archive, 3, 4) == [(4, "micro_compact")]
    assert names(archive, 5, 8) == []
    assert names(archive, 9, 10) == [(9, "micro_compact")]


def test_every_cut_of_a_life_into_pages_shows_every_event_once(tmp_path: Path) -> None:
    archive = written(tmp_path)
    for length in range(1, 12):
        pages = [names(archive, first, min(10, first + length - 1)) for first in range(1, 11, length)]
        assert [event for page in pages for event in page] == names(archive, 1, 10)


def test_an_event_before_the_first_memory_comes_with_the_first(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.open(writable=True)
    archive.append_event({"event": "import", "covers": {"first": 1, "last": 2}})
    archive.append(entries(1, 2))
    archive.close()
    assert names(tmp_path, 1, 2) == [(0, "import")]
    assert names(tmp_path, 2, 2) == []


def test_broken_lines_and_texts_that_look_like_events_are_passed_over(tmp_path: Path) -> None:
    archive = written(tmp_path)
    with (archive / "0000000009.jsonl").open("ab") as file:
        file.write(b'{"event":"torn\n{"event":5}\n' + json.dumps({"event": "note"}).encode() + b'\n{"event":"half')
    assert names(archive, 10, 10) == [(10, "note")]


def test_the_last_event_of_a_name_is_found_from_the_end(tmp_path: Path) -> None:
    archive = written(tmp_path)
    assert last_event(archive, "micro_compact") == {"event": "micro_compact", "masked": [3]}
    assert (last_event(archive, "auto_compact") or {})["number"] == 1
    assert last_event(archive, "rebuild") is None
    assert last_event(tmp_path / "none", "rebuild") is None


def test_a_tail_is_the_memories_and_the_events_behind_them_by_one_reading(tmp_path: Path) -> None:
    archive = written(tmp_path)
    for first in range(1, 12):
        for last in range(first - 1, 11):
            memories, found = tail(archive, first, last, ("micro_compact", "auto_compact"))
            assert memories == (entries(first, last) if last >= first else [])
            assert [(seq, event["event"]) for seq, event in found] == (names(archive, first, last) if memories else [])
    assert [seq for seq, _ in tail(archive, 1, 10, ("micro_compact",))[1]] == [4, 9]


def test_a_tail_leaves_out_what_cannot_be_read(tmp_path: Path) -> None:
    archive = written(tmp_path)
    path = archive / "0000000005.jsonl"
    path.write_bytes(path.read_bytes().replace(b'{"seq":6,', b'{"seq":?,'))
    memories, found = tail(archive, 3, 10, ("micro_compact",))
    assert [entry.seq for entry in memories] == [3, 4, 5, 7, 8, 9, 10]
    assert [seq for seq, _ in found] == [4, 9]
    assert tail(tmp_path / "nowhere", 1, 9, ("micro_compact",)) == ([], [])


def test_the_newest_line_with_a_mark_before_a_memory_is_found_in_so_many_files(tmp_path: Path) -> None:
    archive, marks = written(tmp_path), (b'"event":"micro_compact"', b'"seq":3,', b'"kind":"dream"')
    micro, third, _ = newest(archive, 10, marks, 9)[0]
    assert micro == {"event": "micro_compact", "masked": [3]}
    assert (third or {})["seq"] == 3
    assert newest(archive, 10, marks[2:], 9) == ([None], 1)
    assert newest(archive, 9, marks[:1], 9) == ([{"event": "micro_compact", "masked": [1]}], 1)
    assert newest(archive, 10, marks[1:], 2) == ([None, None], 5)
    assert newest(archive, 1, marks, 9) == ([None, None, None], 1)
    assert newest(tmp_path / "none", 9, marks[:1], 9) == ([None], 9)


def test_an_event_is_noted_beside_the_memories_and_counts_nowhere(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(130)
    for event in ({"event": "micro_compact", "first": 1, "last": 9}, {"event": "import", "recent": None, "number": 7}):
        life.memory.record(event)
    life.live(5)
    before = life.memory.view()
    life.start()
    assert (life.memory.view(), life.memory.compactions, life.memory.total) == (before, 1, 135)
    assert (life.memory.last_source, life.messages) == (135, [])
    raw = (tmp_path / "archive" / "0000000001.jsonl").read_text()
    assert '{"event":"micro_compact","first":1,"last":9}\n' in raw


def test_an_event_that_cannot_be_noted_is_a_warning_until_one_can(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(3)
    life.disk.full = True
    life.memory.record({"event": "micro_compact"})
    assert "could not take note of micro_compact" in life.memory.warnings[0]
    life.disk.full = False
    life.memory.record({"event": "micro_compact"})
    assert life.memory.warnings == []


def test_a_commit_is_no_event_to_be_noted_and_a_reader_notes_nothing(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(3)
    for name in COMMITS:
        with pytest.raises(ValueError, match="written by `commit` alone"):
            life.memory.record({"event": name})
    before = (tmp_path / "archive" / "0000000001.jsonl").read_bytes()
    life.start(writable=False)
    life.memory.record({"event": "micro_compact"})
    assert (tmp_path / "archive" / "0000000001.jsonl").read_bytes() == before


AT = "2026-01-01T00:00:00.000Z"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory("Eliza", tmp_path, VirtualClock())
    made.open(writable=True)
    made.append([Perception("#1", "saw", f"Rain {n}.") for n in range(1, 7)], AT, 1)
    return made


def test_the_later_value_holds_and_the_memorys_own_line_stays(memory: Memory) -> None:
    assert memory.record(weights_event(AT, 6, {2: 9, 3: 1}, "rules"))
    memory.append([Perception("#1", "saw", "Sun.")], AT, 2)
    assert memory.record(weights_event(AT, 7, {3: 5}, "model"))
    assert [entry.importance for entry in read_weighed(memory, 1, 7)] == [3, 9, 5, 3, 3, 3, 2]
    assert [entry.importance for entry in memory.read(1, 7)] == [3, 3, 3, 3, 3, 3, 2]
    assert last_values(memory) == {2: 9, 3: 5}


def test_a_memory_opened_anew_weighs_the_same(memory: Memory, tmp_path: Path) -> None:
    memory.record(weights_event(AT, 6, {2: 9}, "rules"))
    before = read_weighed(memory, 1, 6)
    memory.close()
    again = Memory("Eliza", tmp_path, VirtualClock())
    again.open(writable=False)
    assert read_weighed(again, 1, 6) == before
    assert not again.record(weights_event(AT, 6, {2: 3}, "rules")), "a reader writes nothing"


@given(
    st.dictionaries(
        st.one_of(st.text(max_size=4), st.integers(0, 99).map(str)),
        st.one_of(st.integers(-5, 99), st.none(), st.text(max_size=3), st.booleans(), st.floats()),
    )
)
def test_whatever_a_hand_wrote_into_an_event_only_numbers_from_1_to_10_count(values: dict[str, object]) -> None:
    found = values_of({"event": IMPORTANCE, "values": values})
    assert all(type(value) is int and 1 <= value <= 10 for value in found.values())
    assert values_of({"event": "other", "values": values}) == {}
    assert values_of({"event": IMPORTANCE, "values": 7}) == {}


@given(st.dictionaries(st.integers(1, 10**6), st.integers(-99, 99)))
def test_what_is_written_is_read_within_its_bounds(values: dict[int, int]) -> None:
    told = values_of(weights_event(AT, 9, values, "rules"))
    assert told == {seq: max(1, min(10, value)) for seq, value in values.items()}


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


@settings(max_examples=examples(150))
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
