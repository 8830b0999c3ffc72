"""Changes in the form that the ledger keeps."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.world.changes import Change, Define, FallAsleep, Leave, Put, Remove, WakeUp, change_from_json, change_to_json
from mud.world.channels import JoinChannel, LeaveChannel, Post
from mud.world.things import Exit, Kind, Thing

TEXT = st.text(max_size=20)
EXITS = st.lists(st.builds(Exit, TEXT, TEXT), max_size=4, unique_by=lambda way: way.name).map(tuple)
THINGS = st.builds(
    Thing, TEXT, st.sampled_from(Kind), TEXT, TEXT, st.lists(TEXT, max_size=3).map(tuple), EXITS, st.booleans(),
    st.booleans(),
)  # fmt: skip
CHANGES = st.one_of(
    st.builds(Put, TEXT, TEXT),
    st.builds(Leave, TEXT),
    st.builds(Remove, TEXT),
    st.builds(Define, THINGS),
    st.builds(FallAsleep, TEXT),
    st.builds(WakeUp, TEXT),
    st.builds(JoinChannel, TEXT, TEXT),
    st.builds(LeaveChannel, TEXT, TEXT),
    st.builds(Post, TEXT, TEXT, TEXT, TEXT),
)


@given(CHANGES)
def test_any_change_reads_back_from_its_ledger_form(change: Change) -> None:
    assert change_from_json(json.loads(json.dumps(change_to_json(change)))) == change


@pytest.mark.parametrize(
    "data", [{}, {"put": "#1"}, {"put": 1, "into": "#2"}, {"leave": None}, {"remove": []}, {"define": "x"}]
)
def test_what_is_no_change_is_a_value_error(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no known change"):
        change_from_json(data)
