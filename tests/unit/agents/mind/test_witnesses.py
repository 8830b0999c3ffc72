from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import KINDS
from agents.mind.actor import by_witness, left_by
from mud.engine.engine import perceived_to_json
from mud.world.events import MARKS, Perception

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
WORDS = st.text(max_size=20)
MEMORY = st.builds(
    Perception,
    who=WORDS,
    kind=st.sampled_from(KINDS),
    text=WORDS,
    actor=st.none() | WORDS.filter(bool),
    place=st.none() | WORDS.filter(bool),
    reason=st.none() | WORDS.filter(bool),
    failed=st.booleans(),
    mark=st.none() | st.sampled_from(MARKS),
    event=st.none(),
)


@given(st.lists(MEMORY, max_size=6))
def test_what_a_step_left_reads_back_from_its_record(left: list[Perception]) -> None:
    assert left_by({"step": 1, "left": [perceived_to_json(one) for one in left]}) == left


@given(JSON, MEMORY)
def test_whatever_a_hand_wrote_into_the_ledger_is_passed_over_and_the_rest_stays(
    rubbish: object, good: Perception
) -> None:
    assert left_by({"step": 1, "left": [rubbish, perceived_to_json(good)]})[-1:] == [good]
    assert left_by({"step": 1, "left": rubbish}) == []


def test_a_record_that_left_nothing_leaves_nothing() -> None:
    assert left_by({"step": 1}) == []


def test_perceptions_are_grouped_by_who_had_them_in_order() -> None:
    one, two, three = (Perception(who, "saw", text) for who, text in (("#1", "a"), ("#2", "b"), ("#1", "c")))
    assert by_witness([one, two, three]) == {"#1": [one, three], "#2": [two]}
