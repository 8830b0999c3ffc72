"""What a thing can do, in the form that the ledger keeps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.world.rules import parse_condition, parse_rule
from mud.world.traits import NO_TRAITS, StateText, Traits, traits_from_json, traits_to_json

RULES = (
    "when wind if chance 1 in 6: it becomes lit; after 10 seconds: make [[brass lamp]] in box",
    'when put anything on it: say "Click."',
    "when it becomes lit: exit down of Loft is gone",
    "when night begins: remove it",
)
CONDITIONS = ("lit", "box is open and not lit", "actor has brass lamp")
NAMES = st.dictionaries(st.sampled_from(["box", "brass lamp", "Loft"]), st.sampled_from(["#1", "#2"]))
TEXT = st.text(max_size=20)
TRAITS = st.builds(
    Traits,
    holds=st.sampled_from(["", "in", "on"]), capacity=st.integers(0, 1000), opens=st.booleans(), key=TEXT,
    light=st.booleans(), switch=st.booleans(), wearable=st.booleans(), food=st.booleans(), dark=st.booleans(),
    indoors=st.booleans(), states=st.lists(TEXT, max_size=3).map(tuple), writing=TEXT,
    texts=st.lists(st.builds(lambda source, text: StateText(source, parse_condition(source), text),
                             st.sampled_from(CONDITIONS), TEXT), max_size=3).map(tuple),
    verbs=st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple),
    rules=st.lists(st.sampled_from(RULES).map(parse_rule), max_size=4).map(tuple),
)  # fmt: skip


@given(TRAITS, NAMES)
def test_any_traits_read_back_from_their_ledger_form(traits: Traits, names: dict[str, str]) -> None:
    bound = traits.bound(names) if names else traits
    again = traits_from_json(json.loads(json.dumps(traits_to_json(bound))))
    assert again == bound
    assert again.waiting == bound.waiting


def test_what_can_do_nothing_takes_no_room() -> None:
    assert traits_to_json(NO_TRAITS) == {}
    assert traits_from_json({}) is NO_TRAITS


@pytest.mark.parametrize(
    "data",
    [{"holds": 1}, {"opens": "yes"}, {"capacity": "many"}, {"states": [1]}, {"rules": ["when"]}, {"rules": [2]},
     {"texts": [["lit"]]}, {"verbs": [["wind", 1]]}, {"names": []}, {"texts": [["a b c d", ""]]}],
)  # fmt: skip
def test_what_is_no_trait_is_told(data: dict[str, Any]) -> None:
    with pytest.raises((AttributeError, TypeError, ValueError)):
        traits_from_json(data)


def test_rules_are_found_by_what_they_wait_for_with_their_numbers() -> None:
    traits = Traits(rules=tuple(parse_rule(one) for one in (*RULES, "when wind: remove it")))
    assert set(traits.triggers) == {"wind", "put", "becomes lit", "night begins"}
    assert [number for number, _ in traits.waiting["wind"][False]] == [0, 4]
