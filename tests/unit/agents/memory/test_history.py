from __future__ import annotations

import json
from pathlib import Path

from agents.memory.archive import Archive
from agents.memory.entries import Entry
from agents.memory.history import events, last_event, newest, tail

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
    for size in range(1, 12):
        pages = [names(archive, first, min(10, first + size - 1)) for first in range(1, 11, size)]
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
