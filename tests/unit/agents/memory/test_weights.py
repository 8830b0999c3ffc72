"""Memories as much as they matter by hindsight: the archive's own lines stay, event lines beside them say the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.history import IMPORTANCE, last_values, read_weighed, values_of, weights_event
from agents.memory.memory import Memory
from mud.clock import VirtualClock
from mud.world.events import Perception

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
