"""The archive: lines on disk, and what a life knows of itself after any end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.archive import Archive
from agents.memory.entries import Entry
from mud.world.events import WHISPERED
from tests.examples import examples
from tests.lives import Disk, PowerCut


def entry(seq: int, source: int = 0, text: str = "") -> Entry:
    return Entry(
        seq, "2026-11-20T07:21:37.123Z", "heard", "Moss", "The Library", text or f"memory {seq}", source=source
    )


def opened(folder: Path, per_file: int = 4096, disk: Disk | None = None) -> Archive:
    archive = Archive(folder, per_file, (disk or Disk()).open)
    archive.open(True)
    return archive


def commit(last: int) -> dict[str, object]:
    covers = {"first": 1, "last": last}
    named = {"covers": covers, "file": "recent-1.md", "sha256": ""}
    return {"event": "auto_compact", "at": "now", "covers": covers, "recent": named, "number": 1}


def committed(archive: Archive) -> object:
    return archive.last_commit.line if archive.last_commit is not None else None


def test_a_line_has_exactly_the_keys_of_the_format(tmp_path: Path) -> None:
    opened(tmp_path).append([entry(1, 8812, 'Moss says, "The moss grows slowly."')])
    line = (tmp_path / "0000000001.jsonl").read_text()
    assert line == (
        '{"seq":1,"at":"2026-11-20T07:21:37.123Z","kind":"heard","actor":"Moss","place":"The Library",'
        '"text":"Moss says, \\"The moss grows slowly.\\"","reason":null,"failed":false,"importance":3,"source":8812}\n'
    )


def test_a_mark_stands_at_the_end_of_a_line_that_has_one_and_is_read_back_when_it_is_known(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append([entry(1)._replace(mark=WHISPERED), entry(2)])
    path = tmp_path / "0000000001.jsonl"
    first, second = path.read_text().splitlines()
    assert first.endswith(',"mark":"whispered"}')
    assert "mark" not in second
    assert [one.mark for one in archive.read(1, 2)] == [WHISPERED, None]
    path.write_text(path.read_text().replace('"whispered"', '["?"]') + second.replace(":2,", ":3,", 1) + "\n")
    assert [one.mark for one in opened(tmp_path).read(1, 3)] == [None, None, None]


def test_what_was_appended_is_read_back_in_any_range(tmp_path: Path) -> None:
    archive = opened(tmp_path, per_file=10)
    archive.append([entry(seq) for seq in range(1, 38)])
    for first, last in ((1, 37), (5, 5), (9, 12), (10, 11), (11, 20), (30, 99), (37, 37), (38, 40), (-3, 2)):
        assert [one.seq for one in archive.read(first, last)] == list(range(max(1, first), min(37, last) + 1))


def test_a_new_file_begins_after_its_share_and_repeats_the_last_commit_line(tmp_path: Path) -> None:
    archive = opened(tmp_path, per_file=4)
    archive.append([entry(1), entry(2), entry(3)])
    archive.append_event(commit(2))
    archive.append([entry(4), entry(5), entry(6)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0000000001.jsonl", "0000000005.jsonl"]
    assert json.loads((tmp_path / "0000000005.jsonl").read_text().splitlines()[0]) == commit(2)
    again = opened(tmp_path, per_file=4)
    assert (again.total, committed(again)) == (6, commit(2))


def test_a_text_that_looks_like_an_event_is_no_commit(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append([entry(1)])
    archive.append_event(commit(1))
    archive.append([entry(2, text='{"event":"auto_compact"}'), entry(3, text='"event":"auto_compact"')])
    assert committed(opened(tmp_path)) == commit(1)


def test_events_never_count_and_are_never_read_as_memories(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append_event({"event": "import", "at": "now", "count": 2})
    archive.append([entry(1), entry(2)])
    again = opened(tmp_path)
    assert again.total == 2
    assert [one.seq for one in again.read(1, 9)] == [1, 2]
    assert again.last_commit is None


def test_an_event_with_a_number_or_a_text_is_refused(tmp_path: Path) -> None:
    for wrong in ({"at": "now"}, {"event": "x", "seq": 1}, {"event": "x", "text": "y"}):
        with pytest.raises(ValueError, match="event line"):
            opened(tmp_path).append_event(wrong)
    with pytest.raises(ValueError, match="names the summaries"):
        opened(tmp_path).append_event({**commit(1), "recent": None})


def test_memories_must_go_on_where_the_archive_ends(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append([entry(1)])
    with pytest.raises(ValueError, match="memory 3 cannot follow memory 1"):
        archive.append([entry(3)])


def test_the_last_source_is_counted_over_two_files(tmp_path: Path) -> None:
    archive = opened(tmp_path, per_file=4)
    archive.append([entry(1, 7), entry(2, 8), entry(3, 9), entry(4, 9), entry(5, 9)])
    again = opened(tmp_path, per_file=4)
    for one in (archive, again):
        assert (one.last_source, one.last_source_count) == (9, 3)


def test_a_torn_last_line_is_set_aside_and_said(tmp_path: Path) -> None:
    opened(tmp_path).append([entry(1)])
    with (tmp_path / "0000000001.jsonl").open("a") as file:
        file.write('{"seq":2,"at":"2026')
    archive = Archive(tmp_path)
    (message,) = archive.open(True)
    assert "torn" in message
    assert archive.total == 1
    archive.append([entry(2)])
    assert [one.seq for one in opened(tmp_path).read(1, 2)] == [1, 2]
    assert [path.read_text() for path in tmp_path.glob("*.torn-*")] == ['{"seq":2,"at":"2026']


def test_a_reader_passes_a_torn_line_over_and_repairs_nothing(tmp_path: Path) -> None:
    opened(tmp_path).append([entry(1)])
    path = tmp_path / "0000000001.jsonl"
    with path.open("a") as file:
        file.write('{"seq":2')
    before = path.read_bytes()
    archive = Archive(tmp_path)
    archive.open(False)
    assert archive.total == 1
    assert path.read_bytes() == before
    with pytest.raises(RuntimeError, match="reading"):
        archive.append([entry(2)])


def test_a_broken_line_in_the_middle_costs_that_line_alone(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append([entry(seq) for seq in range(1, 6)])
    path = tmp_path / "0000000001.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], "{broken", *lines[3:]]) + "\n")
    again = opened(tmp_path)
    assert again.total == 5
    assert [one.seq for one in again.read(1, 5)] == [1, 2, 4, 5]


def test_lines_that_another_hand_wrote_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "0000000001.jsonl"
    rows = [{"text": f"memory {seq}", "at": "now", "kind": "told", "seq": seq} for seq in (1, 2, 3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [one.text for one in opened(tmp_path).read(2, 3)] == ["memory 2", "memory 3"]


def test_an_empty_last_file_after_a_power_cut_is_filled(tmp_path: Path) -> None:
    archive = opened(tmp_path, per_file=2)
    archive.append([entry(1, 1), entry(2, 2)])
    archive.append_event(commit(1))
    (tmp_path / "0000000003.jsonl").touch()
    again = opened(tmp_path, per_file=2)
    assert (again.total, again.last_source, committed(again)) == (2, 2, commit(1))
    again.append([entry(3)])
    assert [one.seq for one in opened(tmp_path, per_file=2).read(1, 9)] == [1, 2, 3]


def test_a_full_disk_writes_nothing_of_the_part_that_failed(tmp_path: Path) -> None:
    disk = Disk()
    archive = opened(tmp_path, disk=disk)
    archive.append([entry(1)])
    disk.full = True
    with pytest.raises(OSError, match="No space"):
        archive.append([entry(2), entry(3)])
    assert archive.total == 1
    disk.full = False
    archive.append([entry(2), entry(3)])
    assert opened(tmp_path).total == 3


def test_a_disk_that_refuses_a_full_file_gets_nothing_twice_into_the_next_one(tmp_path: Path) -> None:
    disk = Disk()
    archive = opened(tmp_path, per_file=2, disk=disk)
    archive.append([entry(1), entry(2)])
    disk.unsynced = True
    with pytest.raises(OSError, match="Input/output"):
        archive.append([entry(3)])
    disk.unsynced = False
    archive.append([entry(3)])
    assert len((tmp_path / "0000000003.jsonl").read_text().splitlines()) == 1
    assert [one.seq for one in opened(tmp_path, per_file=2).read(1, 9)] == [1, 2, 3]


def test_a_missing_first_file_is_said(tmp_path: Path) -> None:
    archive = opened(tmp_path, per_file=2)
    archive.append([entry(seq) for seq in range(1, 6)])
    (tmp_path / "0000000001.jsonl").unlink()
    (message,) = Archive(tmp_path).open(False)
    assert "before 3 are missing" in message


def test_another_process_in_the_same_folder_gets_the_same_answer(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append([entry(seq, seq) for seq in range(1, 50)])
    reader = Archive(tmp_path)
    assert reader.open(False) == []
    assert (reader.total, reader.last_source) == (49, 49)


def said(folder: Path, per_file: int = 4096) -> tuple[Archive, list[str]]:
    archive = Archive(folder, per_file)
    return archive, archive.open(False)


def add(path: Path, *lines: object) -> None:
    with path.open("a") as file:
        file.writelines((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)


@pytest.mark.parametrize(
    "change",
    [
        {"recent": {"file": 5}},
        {"recent": {"covers": {"first": 1, "last": 2}, "file": 5}},
        {"recent": {"covers": [1, 2], "file": "recent-1.md"}},
        {"recent": {"covers": {"first": 2, "last": 1}, "file": "recent-1.md"}},
        {"recent": {"covers": {"first": "1", "last": 2}, "file": "recent-1.md"}},
        {"recent": "recent-1.md"},
        {"longterm": []},
        {"recent": None},
        {"number": "two"},
        {"number": -1},
        {"number": True},
    ],
)
def test_a_malformed_commit_line_counts_as_none_and_is_said(tmp_path: Path, change: dict[str, object]) -> None:
    archive = opened(tmp_path)
    archive.append([entry(1), entry(2)])
    archive.append_event(commit(1))
    add(tmp_path / "0000000001.jsonl", {**commit(2), **change})
    again, messages = said(tmp_path)
    assert committed(again) == commit(1)
    assert messages == [
        "archive/0000000001.jsonl: a commit line cannot be read and is passed over; what was committed before holds"
    ]


def test_an_event_that_is_no_text_is_no_commit(tmp_path: Path) -> None:
    opened(tmp_path).append([entry(1)])
    add(tmp_path / "0000000001.jsonl", {**commit(1), "event": ["auto_compact"]}, {**commit(1), "event": None})
    again, messages = said(tmp_path)
    assert (again.total, committed(again), messages) == (1, None, [])


@pytest.mark.parametrize("broken", ["{garbage", '{"event":"auto_compact","recent":{"file":5}}', '{"event":"auto_com'])
def test_when_the_repeated_commit_line_is_broken_the_file_before_is_asked(tmp_path: Path, broken: str) -> None:
    archive = opened(tmp_path, per_file=4)
    archive.append([entry(1, 1), entry(2, 2), entry(3, 3)])
    archive.append_event(commit(2))
    archive.append([entry(4, 4), entry(5, 5), entry(6, 6)])
    path = tmp_path / "0000000005.jsonl"
    path.write_text("\n".join([broken, *path.read_text().splitlines()[1:]]) + "\n")
    again, messages = said(tmp_path, per_file=4)
    assert committed(again) == commit(2)
    assert messages


def test_a_number_that_does_not_follow_is_passed_over_and_said(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append([entry(seq, seq) for seq in range(1, 6)])
    for wrong in (900_000, 3, 99, -1, 0):
        add(tmp_path / "0000000001.jsonl", json.loads(entry(wrong, 9).to_json()))
    again, messages = said(tmp_path)
    assert (again.total, again.last_source) == (5, 5)
    assert messages == ["archive/0000000001.jsonl: 5 lines near the end are out of order and passed over"]
    opened(tmp_path).append([entry(6, 6, "the true sixth"), entry(7, 7, "the true seventh")])
    later, _ = said(tmp_path)
    assert later.total == 7
    assert [one.text for one in later.read(1, 9)][2:] == [
        "memory 3", "memory 4", "memory 5", "the true sixth", "the true seventh",
    ]  # fmt: skip
    assert [one.text for seq in (3, 7) for one in later.read(seq, seq)] == ["memory 3", "the true seventh"]


def test_a_line_that_was_taken_out_costs_that_memory_alone(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append([entry(seq) for seq in range(1, 10)])
    path = tmp_path / "0000000001.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:4], *lines[5:]]) + "\n")
    again, messages = said(tmp_path)
    assert (again.total, messages) == (9, [])
    assert [one.seq for one in again.read(1, 9)] == [1, 2, 3, 4, 6, 7, 8, 9]


def test_where_the_look_back_begins_is_no_disorder(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append([entry(seq, seq) for seq in range(1, 401)])
    path = tmp_path / "0000000001.jsonl"
    path.write_text(path.read_text().replace('"seq":83,', "x"))
    again, messages = said(tmp_path)
    assert again.total == 400
    assert messages == ["archive/0000000001.jsonl:83: this line cannot be read and is passed over"]


def test_nothing_but_nonsense_at_the_end_does_not_hide_what_stands_before(tmp_path: Path) -> None:
    opened(tmp_path).append([entry(seq, seq) for seq in range(1, 400)])
    add(tmp_path / "0000000001.jsonl", *["nonsense"] * 400)
    again, messages = said(tmp_path)
    assert (again.total, again.last_source) == (399, 399)
    assert messages == ["archive/0000000001.jsonl:400: this line and 399 more cannot be read and are passed over"]


def test_a_line_whose_number_is_none_is_named_as_one_that_cannot_be_read(tmp_path: Path) -> None:
    opened(tmp_path).append([entry(seq, seq) for seq in range(1, 10)])
    path = tmp_path / "0000000001.jsonl"
    path.write_text(path.read_text().replace('"seq":4,', '"seq":"x",').replace('"seq":7,', "\n"))
    again, messages = said(tmp_path)
    assert again.total == 9
    assert len(messages) == 1
    assert messages[0].startswith("archive/0000000001.jsonl:4: this line and ")


@pytest.mark.parametrize("change", [{"text": 5}, {"text": None}, {"at": 1}, {"kind": []}, {"actor": {}}])
def test_a_memory_with_a_part_that_is_no_text_cannot_be_read(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "0000000001.jsonl"
    rows = [json.loads(entry(seq).to_json()) for seq in (1, 2, 3)]
    add(path, rows[0], {**rows[1], **change}, {**rows[2], "source": "x", "importance": None})
    again, _ = said(tmp_path)
    assert again.total == 3
    assert [(one.seq, one.source, one.importance) for one in again.read(1, 3)] == [(1, 0, 3), (3, 0, 3)]


def test_where_a_memory_should_stand_is_told_by_the_files(tmp_path: Path) -> None:
    archive = opened(tmp_path, per_file=4)
    archive.append([entry(seq) for seq in range(1, 11)])
    assert archive.where(5, 8) == "archive/0000000005.jsonl"
    assert archive.where(4, 9) == "archive/0000000001.jsonl to archive/0000000009.jsonl"


@settings(max_examples=examples(60), deadline=None)
@given(
    count=st.integers(2, 12),
    per_file=st.integers(3, 20),
    wrecks=st.lists(st.tuples(st.integers(0, 20), st.text(max_size=12)), max_size=3),
)
def test_whatever_is_written_over_lines_the_rest_is_read_and_life_goes_on(
    tmp_path_factory: pytest.TempPathFactory, count: int, per_file: int, wrecks: list[tuple[int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    opened(folder, per_file).append([entry(seq, seq) for seq in range(1, count + 1)])
    path = folder / "0000000001.jsonl"
    lines = path.read_text().splitlines()
    for at, text in wrecks:
        lines[at % len(lines)] = json.dumps(text)
    path.write_text("\n".join(lines) + "\n")
    again = opened(folder, per_file)
    assert {one.seq for one in again.read(1, count)} == {
        seq for seq in range(1, count + 1) if seq > len(lines) or not lines[seq - 1].startswith('"')
    }
    again.append([entry(again.total + 1, 99, "what came after")])
    assert opened(folder, per_file).read(again.total, again.total)[0].text == "what came after"


@settings(max_examples=examples(40), deadline=None)
@given(
    batches=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    per_file=st.integers(1, 8),
    cut=st.integers(1, 20),
    half=st.booleans(),
)
def test_whatever_was_acknowledged_survives_a_power_cut_at_any_write(
    tmp_path_factory: pytest.TempPathFactory, batches: list[int], per_file: int, cut: int, half: bool
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    archive = opened(folder, per_file, Disk(cut, half))
    acknowledged = attempted = 0
    try:
        for number, size in enumerate(batches, 1):
            attempted += size
            archive.append([entry(acknowledged + at, number) for at in range(1, size + 1)])
            acknowledged = attempted
            if number % 3 == 0:
                archive.append_event(commit(acknowledged))
    except PowerCut:
        pass
    again = opened(folder, per_file)
    assert acknowledged <= again.total <= attempted
    assert [one.text for one in again.read(1, again.total)] == [f"memory {seq}" for seq in range(1, again.total + 1)]
    again.append([entry(again.total + 1)])
    assert len(opened(folder, per_file).read(1, 999)) == again.total


def test_half_a_character_that_stands_in_an_archive_is_read_as_a_mark_that_anything_takes(tmp_path: Path) -> None:
    opened(tmp_path).append([entry(1, 0, "half \ud800 pair, whole \U0001f600")])
    (read,) = opened(tmp_path).read(1, 1)
    assert read.text == "half ? pair, whole \U0001f600"
