"""Append-only JSON lines: whole or set aside, never half, never skipped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mud.sanitize import sanitize
from mud.storage.jsonl import JsonlWriter, read_jsonl
from tests.disks import file_size_limit, open_files_left

TEXT = st.text(max_size=20).map(sanitize)
JSON = st.dictionaries(TEXT, st.one_of(st.none(), st.booleans(), st.integers(), TEXT), max_size=4)

WRITE_FOR_EVER = """
import json, sys
from pathlib import Path
from mud.sanitize import sanitize
from mud.storage.jsonl import JsonlWriter
writer, number = JsonlWriter(Path(sys.argv[1])), 0
while True:
    writer.append([json.dumps({"n": number + 1, "pad": "x" * 3000}), json.dumps({"n": number + 2})])
    number += 2
    print(number, flush=True)
"""


def dumps(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def numbers(path: Path) -> list[int]:
    return [line.data["n"] for line in read_jsonl(path) if line.data]


@settings(deadline=None)
@given(st.lists(st.lists(JSON, max_size=4), max_size=4))
def test_what_is_appended_reads_back_the_same(batches: list[list[dict[str, Any]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        with JsonlWriter(path) as writer:
            for batch in batches:
                writer.append([dumps(data) for data in batch])
            assert writer.size == path.stat().st_size
        lines = list(read_jsonl(path))
        assert [line.data for line in lines] == [data for batch in batches for data in batch]
        for line in lines:
            assert next(read_jsonl(path, line.offset)).data == line.data


def test_a_file_torn_at_any_byte_keeps_its_whole_lines_and_sets_the_rest_aside(tmp_path: Path) -> None:
    whole = "".join(f"{dumps({'n': n, 'text': 'Ελίζα'})}\n" for n in range(3)).encode()
    for length in range(len(whole) + 1):
        path = tmp_path / f"{length}.jsonl"
        path.write_bytes(whole[:length])
        complete = whole[:length].count(b"\n")
        assert numbers(path) == list(range(complete))
        with JsonlWriter(path) as writer:
            torn = whole[:length].rpartition(b"\n")[2]
            aside = tmp_path / f"{length}.jsonl.torn-1"
            assert (writer.message is not None) == bool(torn)
            assert (aside.read_bytes() if aside.exists() else b"") == torn
            writer.append([dumps({"n": complete})])
        assert numbers(path) == list(range(complete + 1))


def test_a_torn_last_line_is_set_aside_and_said(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for number in (1, 2):
        path.write_bytes(b'{"n":0}\n{"n":')
        with JsonlWriter(path) as writer:
            assert writer.message == (f"a.jsonl: the last line was torn (5 bytes); it is kept in a.jsonl.torn-{number}")
    assert path.read_bytes() == b'{"n":0}\n'


def test_a_torn_line_longer_than_a_block_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":0}\n' + b"x" * 200_000)
    with JsonlWriter(path) as writer:
        assert writer.size == 8
    assert (tmp_path / "a.jsonl.torn-1").stat().st_size == 200_000


@pytest.mark.parametrize(
    "broken", [b"{", b"nothing", b"[1]", b"1", b'{"a":"\xff"}', b"\0\0\0", b"[" * 100_000, b"9" * 5000]
)
def test_a_broken_line_in_the_middle_is_handed_out_as_broken(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":0}\n' + broken + b'\n\n{"n":1}\n')
    lines = list(read_jsonl(path))
    assert [line.number for line in lines] == [1, 2, 4]
    assert [line.data for line in lines] == [{"n": 0}, None, {"n": 1}]
    assert lines[1].raw == broken.decode("utf-8", "replace")
    assert lines[2].offset == 8 + len(broken) + 2


def test_a_reader_repairs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":0}\n{"n":1}')
    assert numbers(path) == [0]
    assert path.read_bytes() == b'{"n":0}\n{"n":1}'
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_comes_up_short_leaves_none_of_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with JsonlWriter(path) as writer:
        writer.append([dumps({"n": 0})])
        with file_size_limit(20):
            with pytest.raises(OSError, match="only 12 of"):
                writer.append([dumps({"n": 1}), dumps({"n": 2, "pad": "x" * 50})])
            assert path.read_bytes() == b'{"n":0}\n'
            writer.append([dumps({"n": 1})])
            with pytest.raises(OSError, match="only 4 of"):
                writer.append([dumps({"n": 2})])
        writer.append([dumps({"n": 2})])
        writer.sync()
    assert numbers(path) == [0, 1, 2]
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_replaced_by_an_editor_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with JsonlWriter(path) as writer:
        writer.append([dumps({"n": 0})])
        (tmp_path / "saved").write_text('{"n":5}\n{"n":')
        (tmp_path / "saved").rename(path)
        writer.append([dumps({"n": 6})])
        assert writer.message is not None
        assert numbers(path) == [5, 6]
        path.unlink()
        writer.append([dumps({"n": 7})])
    assert numbers(path) == [7]


def test_a_file_that_cannot_be_opened_again_takes_no_line_until_it_can(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with JsonlWriter(path) as writer:
        writer.append([dumps({"n": 0})])
        path.unlink()
        with open_files_left(0), pytest.raises(OSError, match="Too many open files"):
            writer.append([dumps({"n": 1})])
        for number in (2, 3):
            writer.append([dumps({"n": number})])
    assert numbers(path) == [2, 3]


def test_a_line_holds_no_newline_and_a_closed_writer_writes_nothing(tmp_path: Path) -> None:
    writer = JsonlWriter(tmp_path / "new" / "a.jsonl")
    with pytest.raises(ValueError, match="must not hold a newline"):
        writer.append(["{}", "{\n}"])
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="is closed"):
        writer.append(["{}"])
    assert (tmp_path / "new" / "a.jsonl").read_bytes() == b""


def test_what_nobody_can_see_does_not_come_out_of_a_file(tmp_path: Path) -> None:
    with JsonlWriter(tmp_path / "a.jsonl") as writer:
        writer.append([dumps({"text": "a\ud800b\x1b[31m\u200bc", "\u202ek": ["\r\n\x00"]})])
    assert next(read_jsonl(tmp_path / "a.jsonl")).data == {"text": "a?bc", "k": ["\n"]}


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for _ in range(3):
        before = len(numbers(path)) if path.exists() else 0
        with subprocess.Popen(
            [sys.executable, "-c", WRITE_FOR_EVER, str(path)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            for _ in range(50):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read().split("\n")
        acknowledged = max([100, *(int(word) for word in rest[:-1] if word)])
        JsonlWriter(path).close()
        written = numbers(path)[before:]
        assert written == list(range(1, len(written) + 1))
        assert len(written) >= acknowledged
