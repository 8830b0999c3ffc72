"""A disk without room: what was indexed is still found, what comes is found too, and it is said once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.lexical import LexicalIndex
from tests.disks import file_size_limit
from tests.unit.agents.recall.lives import progress, seqs

Opened = Callable[..., LexicalIndex]


def entries(first: int, last: int) -> list[Entry]:
    at = "2026-01-01T00:00:00.000Z"
    return [Entry(seq, at, "heard", None, None, f"The {seq}. heron, h{seq}.") for seq in range(first, last + 1)]


@pytest.mark.parametrize("before", [0, 500])
def test_on_a_full_disk_it_goes_on_in_memory(opened: Opened, caplog: pytest.LogCaptureFixture, before: int) -> None:
    index = opened()
    index.add({"#1": entries(1, before)})
    with file_size_limit(300_000):
        for first in range(before + 1, before + 2000, 100):
            # From where it says that it is: a copy may lack what was never written down.
            start = index.do(tables.through_of, "#1") + 1
            index.add({"#1": entries(start, first + 99)})
            assert index.do(tables.through_of, "#1") == first + 99
            assert seqs(index, "#1", f"h{first}")[0] == first
        assert progress(index, "#1").lexical_through == before + 2000
        assert seqs(index, "#1", "h1")[0] == 1
    assert [record.levelname for record in caplog.records if "in memory" in record.message] == ["WARNING"]
    assert [record for record in caplog.records if record.levelno > logging.WARNING] == []


def test_after_a_full_disk_the_file_is_used_as_it_was_left(opened: Opened, tmp_path: Path) -> None:
    index = opened()
    index.add({"#1": entries(1, 100)})
    with file_size_limit(1000):
        index.add({"#1": entries(101, 101)})
        # What could not be copied comes from whoever fills it.
        index.add({"#1": entries(index.do(tables.through_of, "#1") + 1, 200)})
        assert index.do(tables.through_of, "#1") == 200
    index.close()
    again = opened()
    assert again.do(tables.through_of, "#1") == 100
    again.add({"#1": entries(101, 200)})
    assert seqs(again, "#1", "h200")[0] == 200


def test_where_no_index_can_be_kept_that_alone_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / ".index").write_text("in the way")
    index = LexicalIndex(tmp_path / ".index/lexical.sqlite3")
    index.add({"#1": entries(1, 5)})
    assert seqs(index, "#1", "h3")[0] == 3
    (said,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert said.startswith(f"No index can be kept in {tmp_path / '.index'} (")
