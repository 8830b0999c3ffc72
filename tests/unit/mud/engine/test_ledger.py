"""The ledger: one contract for the real one and the one of the tests, and what only files can go through."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mud.engine.ledger import Ledger
from tests.worlds import MemoryLedger

AnyLedger = Ledger | MemoryLedger


def opened(folder: Path, per_file: int = 3) -> Ledger:
    ledger = Ledger(folder, per_file)
    assert ledger.open() == []
    return ledger


@pytest.fixture(params=["file", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], AnyLedger]:
    return MemoryLedger if request.param == "memory" else lambda: opened(tmp_path / "log")


def record(number: int) -> dict[str, Any]:
    return {"at": "2026-01-01T00:00:00.000Z", "who": "#3001", "line": f"say {number}", "changes": [], "left": []}


class TestContract:
    def test_a_new_ledger_is_empty(self, make: Callable[[], AnyLedger]) -> None:
        ledger = make()
        assert ledger.last == 0
        assert list(ledger.after(0)) == []

    def test_what_was_written_comes_back_in_order_and_as_it_was(self, make: Callable[[], AnyLedger]) -> None:
        ledger = make()
        for number in range(1, 11):
            ledger.append(number, record(number))
            assert ledger.last == number
        for start in range(12):
            assert list(ledger.after(start)) == [{"step": n, **record(n)} for n in range(start + 1, 11)]

    def test_any_text_that_may_come_in_is_kept_as_it_is(self, make: Callable[[], AnyLedger]) -> None:
        ledger = make()
        odd = '\t κόσμε \U0001f30d \u2009 e\u0301 " \\ \n'
        ledger.append(1, {"line": odd})
        assert [one["line"] for one in ledger.after(0)] == [odd]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_refused_with_a_reason_and_never_read_back_as_nothing(
    tmp_path: Path, number: float
) -> None:
    ledger = opened(tmp_path)
    ledger.append(1, record(1))
    with pytest.raises(OSError, match="not finite"):
        ledger.append(2, {**record(2), "changes": [{"set": ("x", {"size": number})}]})
    ledger.append(2, {**record(2), "changes": [{"size": 1.5}]})
    assert [one["changes"] for one in ledger.after(0)] == [[], [{"size": 1.5}]]


def test_a_ledger_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    first = opened(tmp_path)
    for number in range(1, 6):
        first.append(number, record(number))
    first.close()
    second = opened(tmp_path)
    assert second.last == 5
    second.append(6, record(6))
    second.append(7, record(7))
    second.close()
    assert [one["step"] for one in opened(tmp_path).after(0)] == [1, 2, 3, 4, 5, 6, 7]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "ledger-0000000001.jsonl", "ledger-0000000004.jsonl", "ledger-0000000007.jsonl",
    ]  # fmt: skip


def test_a_torn_last_line_is_set_aside_and_said_and_its_number_used_again(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.append(1, record(1))
    first.append(2, record(2))
    first.close()
    path = tmp_path / "ledger-0000000001.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    second = Ledger(tmp_path)
    messages = second.open()
    assert len(messages) == 1
    assert "torn" in messages[0]
    assert second.last == 1
    second.append(2, record(22))
    assert [one["line"] for one in second.after(0)] == ["say 1", "say 22"]


def test_a_reader_ignores_a_torn_last_line_and_repairs_nothing(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.append(1, record(1))
    first.close()
    path = tmp_path / "ledger-0000000001.jsonl"
    torn = path.read_bytes() + b'{"step":2,"li'
    path.write_bytes(torn)
    assert [one["step"] for one in Ledger(tmp_path).after(0)] == [1]
    assert path.read_bytes() == torn


def test_a_file_that_was_only_just_begun_still_gives_the_number(tmp_path: Path) -> None:
    (tmp_path / "ledger-0000000004.jsonl").touch()
    assert opened(tmp_path).last == 3


@pytest.mark.parametrize("line", ["rubbish", "[]", '{"step":"two"}', '{"step":null}', '{"nothing":1}', '{"step":true}'])
def test_a_broken_line_in_the_middle_is_passed_over_and_never_fatal(tmp_path: Path, line: str) -> None:
    first = opened(tmp_path)
    first.append(1, record(1))
    first.close()
    path = tmp_path / "ledger-0000000001.jsonl"
    path.write_text(path.read_text() + line + "\n")
    second = opened(tmp_path)
    assert second.last == 1
    second.append(2, record(2))
    assert [one["step"] for one in second.after(0)] == [1, 2]


def test_when_a_new_file_cannot_be_begun_nothing_is_written_and_it_is_tried_again(tmp_path: Path) -> None:
    ledger = opened(tmp_path, per_file=1)
    ledger.append(1, record(1))
    blocked = tmp_path / "ledger-0000000002.jsonl"
    blocked.mkdir()
    with pytest.raises(OSError):
        ledger.append(2, record(2))
    assert ledger.last == 1
    blocked.rmdir()
    ledger.append(2, record(2))
    ledger.sync()
    assert [one["step"] for one in ledger.after(0)] == [1, 2]


def test_closing_twice_is_allowed_and_other_files_beside_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ledger-notes.jsonl").write_text("mine\n")
    ledger = opened(tmp_path)
    ledger.append(1, record(1))
    ledger.close()
    ledger.close()
    assert [one["step"] for one in ledger.after(0)] == [1]
    assert (tmp_path / "ledger-notes.jsonl").read_text() == "mine\n"


@given(steps=st.integers(1, 25), per_file=st.integers(1, 6), start=st.integers(0, 26))
@settings(deadline=None)  # the disk may be slow
def test_reading_on_from_anywhere_gives_exactly_what_follows(
    tmp_path_factory: pytest.TempPathFactory, steps: int, per_file: int, start: int
) -> None:
    ledger = opened(tmp_path_factory.mktemp("log"), per_file)
    for number in range(1, steps + 1):
        ledger.append(number, record(number))
    assert [one["step"] for one in ledger.after(start)] == list(range(start + 1, steps + 1))
    ledger.close()
