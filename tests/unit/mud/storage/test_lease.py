"""Leases: of all that ever could write in a folder, only the last may."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.errors import LeaseLost
from mud.storage.files import write_atomic
from mud.storage.jsonl import JsonlWriter
from mud.storage.lease import FILE, FolderLease, Holder, held_here, holder_of, take
from mud.storage.paths import move, remove

TAKE_OFTEN = """
import sys
from pathlib import Path
from mud.storage.lease import take
print(*(take(Path(sys.argv[1])).epoch for _ in range(300)))
"""

WRITE_FOR_EVER = """
import json, sys
from pathlib import Path
from mud.errors import LeaseLost
from mud.storage.jsonl import JsonlWriter
from mud.storage.lease import take
folder = Path(sys.argv[1])
lease, writer, number = take(folder), JsonlWriter(folder / "lines.jsonl"), 0
try:
    while True:
        number += 1
        writer.append([json.dumps({"epoch": lease.epoch, "number": number})])
        print(number, flush=True)
except LeaseLost as error:
    print(error, flush=True)
"""


@contextmanager
def process(script: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-c", script, folder], stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


def said(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    return running.stdout.readline().strip()


@given(st.lists(st.tuples(st.sampled_from(["take", "give back", "write"]), st.integers(0, 3)), max_size=30))
def test_only_who_took_the_lease_last_and_did_not_give_it_back_holds_it(moves: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        leases: dict[int, FolderLease] = {}
        holder: int | None = None
        epoch = 0
        for move_, who in moves:
            if move_ == "take":
                leases[who] = take(Path(name), name=f"holder {who}")
                assert leases[who].clean == (holder in (None, who))
                assert leases[who].epoch == epoch + 1
                holder, epoch = who, epoch + 1
            elif move_ == "give back" and who in leases:
                leases.pop(who).give_back()
                holder = None if holder == who else holder
            assert [one for one, lease in leases.items() if lease.holds()] == ([] if holder is None else [holder])
            assert holder_of(Path(name)) == Holder(epoch, "" if holder is None else f"holder {holder}")


def test_an_epoch_that_is_not_new_is_refused(tmp_path: Path) -> None:
    take(tmp_path, 7)
    for old in (6, 7):
        with pytest.raises(LeaseLost, match="is too old"):
            take(tmp_path, old)
    assert take(tmp_path, 12).epoch == 12


def test_no_writer_writes_in_the_folder_once_the_lease_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "moss"
    folder.mkdir()
    (folder / "notes").mkdir()
    lease = take(folder)
    lines = JsonlWriter(folder / "lines.jsonl")
    lines.append(["{}"])
    write_atomic(folder / "notes" / "tea.md", "hot")
    (folder / FILE).write_text("2 somebody\n")
    for attempt in (
        lambda: lines.append(["{}"]),
        lambda: JsonlWriter(folder / "more.jsonl"),
        lambda: write_atomic(folder / "notes" / "tea.md", "cold"),
        lambda: remove(folder / "notes" / "tea.md"),
        lambda: move(folder / "notes" / "tea.md", tmp_path / "tea.md"),
    ):
        with pytest.raises(LeaseLost, match="somebody holds the lease of moss"):
            attempt()
    assert (folder / "lines.jsonl").read_text() == "{}\n"
    assert (folder / "notes" / "tea.md").read_text() == "hot"
    write_atomic(tmp_path / "tea.md", "elsewhere")
    assert held_here(folder) is None
    lease.give_back()
    assert holder_of(folder) == Holder(2, "somebody")


def test_of_many_processes_that_take_a_lease_at_once_no_two_get_the_same_epoch(tmp_path: Path) -> None:
    with process(TAKE_OFTEN, tmp_path) as one, process(TAKE_OFTEN, tmp_path) as other:
        epochs = [int(epoch) for running in (one, other) for epoch in said(running).split()]
    assert sorted(epochs) == list(range(1, 601))
    assert holder_of(tmp_path).epoch == 600


def test_a_frozen_writer_writes_nothing_more_after_another_took_over(tmp_path: Path) -> None:
    with process(WRITE_FOR_EVER, tmp_path) as writer:
        assert said(writer) == "1"
        writer.send_signal(signal.SIGSTOP)
        lease = take(tmp_path, name="here")
        before = (tmp_path / "lines.jsonl").read_text().count("\n")
        writer.send_signal(signal.SIGCONT)
        assert writer.stdout is not None
        last = list(writer.stdout)[-1]
        assert last == f"here holds the lease of {tmp_path.name}, since epoch 2\n"
        # One that had passed its check when it was frozen arrives late; this is what `clean` is for.
        assert (tmp_path / "lines.jsonl").read_text().count("\n") - before in (0, 1)
        assert not lease.clean
        assert lease.holds()


def test_the_lease_of_a_killed_writer_is_taken_at_once_and_is_not_clean(tmp_path: Path) -> None:
    with process(WRITE_FOR_EVER, tmp_path) as writer:
        assert said(writer) == "1"
        writer.kill()
        writer.wait()
    lease = take(tmp_path)
    assert lease.epoch == 2
    assert not lease.clean
    lease.give_back()
    assert take(tmp_path).clean
