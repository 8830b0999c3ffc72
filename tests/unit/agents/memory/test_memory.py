"""Memory: the view of a life, edits by hand, and what survives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from agents.compaction.status import coverage, holes, report, status
from agents.memory.archive import Archive
from agents.memory.entries import Entry
from agents.memory.memory import WAITING, Memory
from agents.memory.summaries import Summary, parse_summary, render_summary, stamp
from mud.clock import VirtualClock
from mud.errors import Unavailable, VaultProblem
from mud.world.events import Perception
from tests.disks import open_files_left
from tests.lives import Life, heard


def edit(life: Life, tier: str, text: str) -> Path:
    path = life.summary_file(tier)
    raw = path.read_text()
    path.write_text(f"{raw[: raw.index('# ')]}# My own title\n\n{text}\n")
    return path


def test_a_step_is_one_line_each_with_its_source(tmp_path: Path) -> None:
    life = Life(tmp_path)
    written = life.memory.append([heard("one"), heard("Wren, I promise to come.")], "2026-11-20T07:21:37.123Z", 8812)
    assert [entry.seq for entry in written] == [1, 2]
    assert written[1].importance > written[0].importance
    lines = (tmp_path / "archive" / "0000000001.jsonl").read_text().splitlines()
    assert [json.loads(line)["source"] for line in lines] == [8812, 8812]
    assert (life.memory.last_source, life.memory.last_source_count) == (8812, 2)


def test_records_from_outside_are_checked_as_a_whole(tmp_path: Path) -> None:
    memory = Life(tmp_path).memory
    with pytest.raises(ValueError, match="kind: there is no kind 'hered'"):
        memory.append_raw([{"text": "fine"}, {"text": "wrong", "kind": "hered"}])
    assert memory.total == 0
    (entry,) = memory.append_raw([{"text": "fine", "at": "2026-01-02T03:04:05+01:00", "importance": 9}])
    assert (entry.kind, entry.at, entry.importance) == ("told", "2026-01-02T02:04:05.000Z", 9)


@pytest.mark.parametrize(
    "wrong", [{}, {"text": " "}, {"text": 5}, {"text": "x", "at": "noon"}, {"text": "x", "actor": 1}]
)
def test_a_wrong_record_is_refused_with_its_key(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"^(text|at|actor): "):
        Life(tmp_path).memory.append_raw([wrong])


def test_the_ram_it_takes_does_not_grow_with_the_life(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(auto_enabled=False)
    life.memory.append_raw([{"text": f"word {number}"} for number in range(1000)])
    assert len(life.memory._ram) == 64
    assert [entry.text for entry in life.memory.tail] == [f"word {number}" for number in range(1000)]
    assert [entry.seq for entry in life.memory.newest(70)] == list(range(931, 1001))


def test_a_restart_finds_everything_again(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(300)
    before = life.memory.view()
    life.start()
    assert life.memory.view() == before
    assert life.messages == []
    assert life.memory.compactions == 3


def test_an_edit_wins_stays_through_a_restart_and_is_kept_at_the_next_fold(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    path = edit(life, "recent", "I alone know where the bell is.")
    assert "edited" in life.memory.reload_summary(path)[0]
    assert life.memory.reload_summary(path) == []
    life.start()
    assert (life.recent.text, life.recent.method) == ("I alone know where the bell is.", "edited")
    life.live(57)
    assert any("where the bell is" in text for text in life.edited_versions())
    assert "where the bell is" in life.longterm.text


@pytest.mark.parametrize("head", ["", "---\ncovers: {first: 1, last: 5}\n---\n", "---\ncovers: [\n---\n"])
def test_a_text_with_wrong_covers_is_kept_and_the_file_restored(tmp_path: Path, head: str) -> None:
    life = Life(tmp_path)
    life.live(200)
    path = life.summary_file("recent")
    before = path.read_text()
    path.write_text(f"{head}I alone know where the bell is.\n")
    (message,) = life.memory.reload_summary(path)
    assert "memories 66 to 129" in message
    assert path.read_text() == before
    assert [text for text in life.edited_versions() if "where the bell is" in text]


def test_a_file_that_is_no_text_is_set_aside_byte_for_byte(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    path = life.summary_file("recent")
    before = path.read_bytes()
    path.write_bytes(b"\xff\xfe\x00 bell")
    assert "cannot be read as text" in life.memory.reload_summary(path)[0]
    assert path.read_bytes() == before
    assert b"\xff\xfe\x00 bell" in [found.read_bytes() for found in path.parent.glob("*-edited.md")]


def test_a_summary_that_a_power_cut_tore_is_restored_and_is_no_shorter_text_of_a_person(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    path, whole = life.summary_file("recent"), life.memory.recent
    before = path.read_text()
    for end in (len(before) - 1, len(before) - 20, before.index("# ") + 9):
        path.write_text(before[:end])
        life.start()
        assert life.memory.recent == whole
        assert path.read_text() == before
        assert "summaries/recent.md: it broke off, and is restored" in life.messages[-1]
    path.write_text("")
    life.start()
    assert path.read_text() == before
    assert life.messages == ["summaries/recent.md was gone and is written again"]
    shorter = before.rstrip()[:-20] + "\n"
    path.write_text(shorter)
    life.start()
    assert path.read_text() == shorter, "a person may take something off the end"
    assert life.recent.method == "edited"


def test_of_a_fold_whose_version_a_power_cut_tore_nothing_is_shown(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    before = life.memory.recent
    life.live(64)
    newest = life.memory.recent
    assert before is not None
    assert newest is not None
    assert newest.covers[1] > before.covers[1]
    (version,) = tmp_path.glob(f"summaries/recent-{stamp(newest.updated)}.md")
    version.write_text(version.read_text()[:-30])
    life.summary_file("recent").unlink()
    life.summary_file("longterm").unlink()
    life.start()
    assert life.memory.recent == before
    assert any("what the last fold wrote is gone" in message for message in life.messages)


def test_a_summary_that_the_disk_fails_to_read_is_left_where_it_is(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    path, recent = life.summary_file("recent"), life.memory.recent
    path.write_text(path.read_text() + "And the bell rang twice.\n")
    with open_files_left(0):
        assert "cannot be read" in life.memory.reload_summary(path)[0]
    assert life.memory.recent == recent
    assert "was edited" in life.memory.reload_summary(path)[0]
    assert life.edited_versions() == []


def test_a_summary_that_nobody_made_is_kept_and_removed(tmp_path: Path) -> None:
    life = Life(tmp_path)
    path = life.summary_file("longterm")
    path.parent.mkdir()
    path.write_text("I was a king once.")
    assert "there is no such summary yet" in life.memory.reload_summary(path)[0]
    assert not path.exists()
    assert life.edited_versions() == ["I was a king once."]


def test_a_missing_or_blank_file_is_an_edit_in_progress_until_it_is_restored(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    path = life.summary_file("recent")
    before = path.read_text()
    for wreck in (path.unlink, lambda: path.write_text(" \n")):
        wreck()
        assert life.memory.reload_summary(path) == []
        assert life.memory.restore_missing() == ["summaries/recent.md was gone and is written again"]
        assert path.read_text() == before


def test_a_reader_reads_what_a_writer_would_restore_and_changes_nothing(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    old = life.summary_file("recent").read_text()
    life.live(60)
    life.summary_file("recent").write_text(old)
    life.start(writable=False)
    assert life.recent.covers == (130, 193)
    assert life.summary_file("recent").read_text() == old
    assert life.edited_versions() == []


def test_lost_summaries_fall_back_to_older_ones_and_are_folded_again(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(300)
    for name in ("recent.md", "longterm.md"):
        (tmp_path / "summaries" / name).unlink()
    max((tmp_path / "summaries").glob("recent-*.md")).unlink()
    life.start()
    assert "older summaries reach to memory 129" in life.messages[0]
    assert holes(coverage(life.compactor.view.shown()), 300) == ([], [])
    assert [commit.newest.covers for commit in life.compactor.fold_due_now()] == [(130, 193)]


def test_versions_are_every_committed_range_once(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(300)
    found = [life.memory.version(name) for name in life.memory.versions()]
    assert [one.covers for one in found if one is not None] == [(1, 65), (66, 129), (130, 193)]


def test_a_summary_file_reads_back_as_it_was_written() -> None:
    summary = Summary("recent", (66, 129), "I was here.", "2026-11-20T07:21:37.123Z", "waterfall", "model", "m: 1")
    assert parse_summary(render_summary(summary), "recent", "recent.md") == summary
    assert stamp(summary.updated) == "20261120-072137"
    with pytest.raises(VaultProblem, match="covers: missing"):
        parse_summary("no front matter", "recent", "recent.md")


def archive_file(life: Life) -> Path:
    return life.folder / "archive" / "0000000001.jsonl"


def rewrite(life: Life, change: Callable[[str], str]) -> None:
    """Put something else for lines of the archive."""
    path = archive_file(life)
    path.write_text("".join(f"{change(line)}\n" for line in path.read_text().splitlines()))


def standing(life: Life) -> tuple[dict[str, Any], str]:
    found = status(life.compactor.view)
    return found, report(found)


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("wrong", [{"recent": {"file": 5}}, {"number": "x"}, {"longterm": {"covers": [1, 129]}}])
def test_a_malformed_commit_line_costs_that_fold_alone_and_is_a_warning(
    tmp_path: Path, wrong: dict[str, object], writable: bool
) -> None:
    life = Life(tmp_path)
    life.live(200)
    rewrite(life, lambda line: json.dumps({**json.loads(line), **wrong}) if '"number":2' in line else line)
    life.start(writable)
    found, text = standing(life)
    assert (found["covered_through"], found["gaps"], found["compactions"]) == (65, [], 1)
    assert any("a commit line cannot be read" in warning for warning in found["warnings"])
    assert "No warnings." not in text
    if writable:
        assert [commit.newest.covers for commit in life.compactor.fold_due_now()] == [(66, 129)]
        assert life.memory.compactions == 2


def test_an_unreadable_line_of_the_tail_is_a_gap_with_a_warning(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(300)
    rewrite(life, lambda line: "garbage" if '"seq":288,' in line else line)
    life.start()
    found, text = standing(life)
    assert found["gaps"] == [{"first": 288, "last": 288}]
    assert "memory 288 cannot be read: archive/0000000001.jsonl" in found["warnings"]
    assert "No warnings." not in text
    assert life.memory.total == 300


def test_an_unreadable_line_under_a_summary_is_a_warning_when_it_is_read(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(300)
    rewrite(life, lambda line: "garbage" if '"seq":50,' in line or '"seq":51,' in line else line)
    life.start()
    assert len(life.memory.read(51, 60)) == 9
    assert len(life.memory.read(1, 60)) == 58
    assert life.memory.warnings[1:] == ["memories 50-51 cannot be read: archive/0000000001.jsonl"]


def test_many_unreadable_ranges_are_counted_not_all_named(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(61)
    rewrite(life, lambda line: "garbage" if json.loads(line)["seq"] % 5 == 0 else line)
    life.start()
    assert life.memory.warnings[-1] == "there are 4 more ranges of memories that cannot be read"


def test_what_was_set_aside_at_the_start_stays_a_warning(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(5)
    with archive_file(life).open("a") as file:
        file.write('{"seq":6,"at')
    life.start()
    assert "torn" in standing(life)[0]["warnings"][0]
    life.start()
    assert standing(life)[0]["warnings"] == []


def test_summaries_that_fell_back_are_a_warning_until_they_are_folded_again(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    for path in (tmp_path / "summaries").glob("*.md"):
        path.write_text("no summary at all")
    life.start()
    found, text = standing(life)
    assert (found["covered_through"], found["gaps"]) == (0, [])
    assert "older summaries reach to memory 0" in found["warnings"][0]
    assert "No warnings." not in text
    life.compactor.fold_due_now()
    assert standing(life)[0]["warnings"] == []


@pytest.mark.parametrize("writable", [True, False])
def test_an_archive_that_is_gone_while_summaries_exist_is_a_warning(tmp_path: Path, writable: bool) -> None:
    life = Life(tmp_path)
    life.live(200)
    shutil.rmtree(tmp_path / "archive")
    for _ in range(2):
        life.start(writable)
        assert life.memory.total == 0
        assert "the summaries reach to memory 129, the archive to 0" in standing(life)[0]["warnings"][0]


def test_an_edit_that_claims_too_much_does_not_blame_the_archive(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    life.summary_file("recent").write_text("---\ncovers: {first: 1, last: 999}\n---\nI know everything.\n")
    life.start()
    assert [message for message in life.messages if "archive" in message] == []


def test_what_a_kill_left_beside_is_swept_by_a_writer_alone(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(200)
    left = [tmp_path / ".0123456789ab.tmp", tmp_path / "summaries" / ".0123456789ab.tmp"]
    for path in left:
        path.write_text("half")
    life.start(writable=False)
    assert all(path.exists() for path in left)
    life.start()
    assert not any(path.exists() for path in left)


Ledger = list[tuple[int, list[Perception]]]


def recover(life: Life, ledger: Ledger) -> None:
    """Give a memory what a ledger has and it has not, as a start does."""
    memory = life.memory
    for number, left in ledger:
        if memory.last_source <= number:
            held = memory.last_source_count if memory.last_source == number else 0
            memory.append(left[held:], "2026-11-20T07:21:37.123Z", number)


@pytest.mark.parametrize("full_to_the_end", [True, False])
def test_what_does_not_fit_while_the_archive_cannot_be_written_comes_back_in_order(
    tmp_path: Path, full_to_the_end: bool
) -> None:
    life = Life(tmp_path)
    life.set(auto_enabled=False)
    ledger: Ledger = [(number, [heard(f"{number}, {at}") for at in range(90)]) for number in range(1, 61)]
    steps = iter(ledger)

    def live(count: int) -> None:
        for number, left in islice(steps, count):
            life.memory.append(left, "2026-11-20T07:21:37.123Z", number)

    live(3)
    life.disk.full = True
    live(52)
    assert (life.memory.waiting, life.memory.missing_from) == (WAITING, 49)
    assert "from step 49 on did not fit" in life.memory.warnings[-1]
    assert life.memory.last_source == 3
    life.disk.full = full_to_the_end
    live(5)
    assert (life.memory.missing_from, life.memory.last_source) == (49, 3 if full_to_the_end else 49)
    assert holes(coverage(life.compactor.view.shown()), life.memory.total + life.memory.waiting) == ([], [])
    warnings = status(life.compactor.view)["warnings"]
    assert any("come back at the next start" in text for text in warnings)
    life.disk.full = False
    if not full_to_the_end:
        life.memory.close()
    life.start()
    recover(life, ledger)
    assert [entry.text for entry in life.memory.tail] == [one.text for _, left in ledger for one in left]
    assert [entry.seq for entry in life.memory.tail] == list(range(1, 5401))
    assert (life.memory.missing_from, life.memory.warnings) == (None, [])


def test_records_from_outside_that_do_not_fit_are_refused_aloud(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.disk.full = True
    with pytest.raises(Unavailable, match="nothing more is taken up"):
        life.memory.append_raw([{"text": f"word {number}"} for number in range(6000)])
    life.disk.full = False
    with pytest.raises(Unavailable, match="nothing more is taken up"):
        life.memory.append_raw([{"text": "one more"}])


NOW = "2026-01-01T00:00:00.000Z"


def _memory(folder: Path, *, writable: bool, in_ram: int = 1024) -> Memory:
    memory = Memory("Wren", folder, VirtualClock(), in_ram=in_ram)
    memory.open(writable)
    return memory


def _seen(*words: str) -> list[Perception]:
    return [Perception("#1", "saw", word) for word in words]


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("in_ram", [2, 1024])
@pytest.mark.parametrize("written", [0, 3])
def test_what_a_reader_is_told_follows_what_is_written(tmp_path: Path, written: int, in_ram: int) -> None:
    writer = _memory(tmp_path, writable=True)
    writer.append(_seen(*(f"old {number}" for number in range(written))), NOW, 1)
    writer.close()
    before = _files(tmp_path)
    reader = _memory(tmp_path, writable=False, in_ram=in_ram)
    reader.append(_seen("one", "two"), NOW, 2)
    reader.append(_seen("three"), NOW, 3)
    lived = [*(f"old {number}" for number in range(written)), "one", "two", "three"]
    assert [entry.text for entry in reader.read(1, 99)] == [entry.text for entry in reader.tail] == lived
    assert [entry.text for entry in reader.view().tail] == lived
    assert [entry.text for entry in reader.read(written + 2, written + 2)] == ["two"]
    assert (reader.total, reader.waiting, reader.warnings) == (written + 3, 0, [])
    assert (reader.last_source, reader.last_source_count) == (3, 1)
    reader.close()
    assert _files(tmp_path) == before


def test_opening_again_forgets_what_was_not_written(tmp_path: Path) -> None:
    reader = _memory(tmp_path, writable=False)
    reader.append(_seen("one"), NOW, 1)
    reader.open(writable=False)
    assert (reader.total, reader.tail) == (0, [])


def test_what_does_not_follow_is_a_programming_error(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.open(writable=False)
    with pytest.raises(ValueError, match="memory 2 cannot follow memory 0"):
        archive.hold([Entry(2, NOW, "saw", None, None, "x")])


@pytest.mark.parametrize("writable", [False, True])
@pytest.mark.parametrize("line", ['{"seq":"two","at":"x"}', '{"seq":null}', '{"seq":true}', "[1]", "nonsense"])
def test_a_last_line_that_a_hand_mangled_is_passed_over_and_said(tmp_path: Path, line: str, writable: bool) -> None:
    writer = _memory(tmp_path, writable=True)
    writer.append(_seen("one"), NOW, 7)
    writer.close()
    (file,) = (tmp_path / "archive").iterdir()
    file.write_text(file.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    memory = Memory("Wren", tmp_path, VirtualClock())
    assert any("cannot be read" in message for message in memory.open(writable))
    assert (memory.total, memory.last_source) == (1, 7)
    memory.close()


def test_a_source_that_is_no_number_counts_as_none(tmp_path: Path) -> None:
    writer = _memory(tmp_path, writable=True)
    writer.append(_seen("one"), NOW, 7)
    writer.close()
    (file,) = (tmp_path / "archive").iterdir()
    file.write_text(file.read_text(encoding="utf-8").replace('"source":7', '"source":null'), encoding="utf-8")
    memory = _memory(tmp_path, writable=True)
    assert (memory.total, memory.last_source) == (1, 0)
    memory.close()
