"""What memories weigh by hindsight: by rules, and by a model of whose reply only the numbers count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.tokens import at_most
from agents.memory.entries import Entry
from agents.reflection import FILES, parse_prompt
from agents.reflection.experiences import SHOWN, changed_by, fitting, importance_by_rules, line_of, parse_ratings
from mud.errors import VaultProblem
from tests.unit.agents.prompt.test_prompt import checked_golden
from tests.unit.agents.reflection.telling import heard, made
from tests.vaults import SHIPPED

KEY = heard(1, "Moss", "The brass key hangs in the boathouse.")
RAIN = heard(2, "Tamsin", "It rains today.")


def test_what_was_asked_about_weighs_more_than_what_only_came_up_again() -> None:
    asked = importance_by_rules([KEY, RAIN, heard(3, "Corvin", "Where does the brass key hang?")], ())
    again = importance_by_rules([KEY, RAIN, heard(3, "Corvin", "I saw the brass key there, too.")], ())
    assert asked[1] > again[1] > KEY.importance
    assert 2 not in asked


def test_a_promise_of_a_friend_weighs_more_than_that_of_a_stranger() -> None:
    promise = heard(1, "Moss", "I will mend your lantern.")
    assert importance_by_rules([promise, RAIN], {"Moss"}) == {1: promise.importance + 1}
    assert importance_by_rules([promise, RAIN], {"Corvin"}) == {}


def test_what_is_lived_again_and_again_becomes_a_habit() -> None:
    yawns = [made(seq, "saw", "Petra yawns.") for seq in (1, 2, 3)]
    assert importance_by_rules(yawns, ()) == {1: 1, 2: 1, 3: 1}


def test_dreams_and_thoughts_are_no_evidence_that_something_came_up_again() -> None:
    assert importance_by_rules([KEY, made(2, "dream", "I dreamed: the brass key swam off in the boathouse")], ()) == {}


SPOKEN = ("key boathouse", "lamp moss", "brass rain", "I promise", "I will", "Where is the", "?", "a", "7")
WORD = st.sampled_from(SPOKEN)
ENTRIES = st.lists(
    st.tuples(st.sampled_from(["heard", "saw", "said", "dream", "result"]), st.lists(WORD, max_size=9)), max_size=40
)


@given(ENTRIES)
def test_by_rules_every_value_is_a_whole_number_from_1_to_10_and_always_the_same(
    told: list[tuple[str, list[str]]],
) -> None:
    entries = [
        heard(seq, "Moss", " ".join(words)) if kind == "heard" else made(seq, kind, " ".join(words))
        for seq, (kind, words) in enumerate(told, 1)
    ]
    found = importance_by_rules(entries, {"Moss"})
    assert found == importance_by_rules(entries, {"Moss"})
    assert all(1 <= value <= 10 and value != entries[seq - 1].importance for seq, value in found.items())
    assert all(entries[seq - 1].kind != "dream" for seq in found)


@pytest.mark.parametrize(
    ("reply", "rated"),
    [
        ("12: 7\n13: 2", {12: 7, 13: 2}),
        ("Here you are:\n- 12: 7\n* 13 - 2\n14: 9", {12: 7, 13: 2}),
        ("12: 7/10\n13. 2", {12: 7, 13: 2}),
        ("memory 12: 7 \n#13: 10", {12: 7, 13: 10}),
        ("12: 7\n12: 3\n13: 4", {13: 4}),
        ("12: 0\n13: 11", None),
        ("12: very much", None),
        ("<think>\n12: 3\n13: 9\n</think>\n12: 7\n13: 2", {12: 7, 13: 2}),
        ("12: 3\n13: 9\n</think>\nI rate nothing.", None),
        ("<thinking>\n12: 3\n13: 9", None),
        ("12: 7, because Moss promised it\n13: 1", {13: 1}),
        ("", None),
        ("99: 5\n98: 5", None),
        ("7 8 9", None),
    ],
)
def test_of_a_reply_only_numbers_for_the_shown_memories_count(reply: str, rated: dict[int, int] | None) -> None:
    assert parse_ratings(reply, [12, 13]) == rated


def test_a_reply_that_rates_less_than_half_is_of_no_use() -> None:
    assert parse_ratings("1: 5", [1, 2, 3]) is None


@given(st.text(max_size=400), st.sets(st.integers(1, 99), max_size=9))
def test_no_reply_whatever_gives_a_value_to_what_was_not_shown(reply: str, shown: set[int]) -> None:
    rated = parse_ratings(reply, shown) or {}
    assert rated.keys() <= shown
    assert all(1 <= value <= 10 for value in rated.values())


def test_only_ratings_that_differ_are_changes() -> None:
    entries: list[Entry] = [KEY, RAIN]
    assert changed_by({1: KEY.importance, 2: 9}, entries) == {2: 9}


EVENING = [
    heard(12, "Moss", "I will bring you the brass key tomorrow."),
    made(13, "did", "You wave."),
    heard(40, "Tamsin", "The {name} of the heron is Otto.\nHe is 7."),
    made(41, "saw", "The long rain. " * 30),
]


@pytest.mark.parametrize("file", FILES)
def test_the_shipped_prompts_are_the_golden_ones(file: str) -> None:
    words = parse_prompt((SHIPPED / "prompts" / file).read_text("utf-8"), f"prompts/{file}")
    shown = "\n".join(map(line_of, EVENING))
    text = words.render("Eliza", "Curious and warm; she asks before she tells.", shown)
    checked_golden(f"inner_{file.removesuffix('.md')}", f"{text}\n")


def test_a_place_that_is_unknown_or_missing_is_told_with_its_line() -> None:
    with pytest.raises(VaultProblem) as wrong:
        parse_prompt("---\na: b\n---\nYou are {nam}.\n", "prompts/dream.md")
    assert [str(one) for one in wrong.value.problems] == [
        "prompts/dream.md:4: {nam}: unknown place; expected one of name, profile, memories; did you mean name?",
        "prompts/dream.md: {memories}: this place is missing; expected it once",
    ]


def test_a_long_memory_is_cut_and_what_is_filled_in_is_not_searched_for_places() -> None:
    assert len(line_of(EVENING[3])) <= SHOWN + len("41:  ...")
    words = parse_prompt("{name}: {memories}", "x")
    assert words.render("Eliza", "", "{name} {profile}") == "Eliza: {name} {profile}"


def test_of_memories_the_newest_that_fit_are_shown() -> None:
    room = at_most(line_of(EVENING[2])) + at_most(line_of(EVENING[3])) + 2
    assert fitting(EVENING, room, at_most) == EVENING[2:]
    assert fitting(EVENING, 0, at_most) == []
