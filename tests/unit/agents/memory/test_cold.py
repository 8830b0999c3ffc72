"""Cold memories: what is in RAM changes, and nothing that anybody sees."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.archive import OpenArchives
from agents.memory.memory import Memory
from mud.clock import VirtualClock
from mud.world.events import Perception

AT = "2026-01-01T00:00:00.000Z"
DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["hold", "write", "write held", "newest", "read", "sync", "rest", "rest"]), st.integers(1, 9)
    ),
    max_size=40,
)


def opened(folder: Path, together: OpenArchives | None = None) -> Memory:
    memory = Memory("Ann", folder, VirtualClock(), in_ram=6, together=together)
    memory.open(writable=True)
    return memory


def do(memory: Memory, deed: str, count: int, step: int) -> object:
    match deed:
        case "hold" | "write":
            left = [Perception("#1", "saw", f"step {step}, thing {one}") for one in range(count)]
            return memory.append(left, AT, step, hold=deed == "hold")
        case "write held":
            memory.write_held()
        case "newest":
            return memory.newest(count)
        case "read":
            return memory.read(memory.total - count, memory.total - count // 2)
        case "sync":
            return memory.sync()
    return None


@given(DEEDS)
def test_a_memory_that_goes_cold_at_any_time_answers_and_writes_as_one_that_never_does(
    deeds: list[tuple[str, int]],
) -> None:
    with TemporaryDirectory() as name:
        hot, cold = opened(Path(name) / "hot"), opened(Path(name) / "cold")
        for step, (deed, count) in enumerate(deeds, 1):
            if deed == "rest":
                assert cold.rest()
            assert do(hot, deed, count, step) == do(cold, deed, count, step)
            assert (hot.total, hot.last_source, hot.tail) == (cold.total, cold.last_source, cold.tail)
        hot.close()
        cold.close()
        written = [sorted((path.name, path.read_bytes()) for path in one.archive.glob("*")) for one in (hot, cold)]
        assert written[0] == written[1]


def test_of_many_archives_that_are_written_to_few_files_are_open_and_all_are_synced(tmp_path: Path) -> None:
    together = OpenArchives(3)
    memories = [opened(tmp_path / f"agent-{number}", together) for number in range(12)]
    for step in range(1, 4):
        for memory in memories:
            memory.append([Perception("#1", "heard", f"bell {step}")], AT, step)
    ours = [one for one in Path("/proc/self/fd").iterdir() if os.path.realpath(one).startswith(str(tmp_path))]
    assert len(ours) == 3
    assert all(memory.unsynced for memory in memories)
    assert all(memory.sync() for memory in memories)
    assert not any(memory.unsynced for memory in memories)
    assert all([entry.text for entry in memory.tail] == ["bell 1", "bell 2", "bell 3"] for memory in memories)


def test_a_memory_whose_archive_cannot_be_written_does_not_go_cold(tmp_path: Path) -> None:
    memory = opened(tmp_path / "ann")
    (tmp_path / "ann/archive").write_text("no folder", "utf-8")
    memory.append([Perception("#1", "saw", "a pear")], AT, 1)
    assert memory.waiting == 1
    assert not memory.rest()
    assert [entry.text for entry in memory.newest(1)] == ["a pear"]
