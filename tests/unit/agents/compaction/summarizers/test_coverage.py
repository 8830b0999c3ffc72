"""Of many lines those are told that together hold the most for their length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.summarizers._coverage import ALIKE, Claim, covering, spoken_in


def claim(words: str, worth: float = 5.0, who: str = "Ada", tokens: int = 10, heavy: str = "") -> Claim:
    return Claim(worth, frozenset(words.split()), frozenset(heavy.split()), who, tokens)


def test_two_short_facts_go_before_one_long_one_that_is_worth_little_more() -> None:
    claims = [claim("flood bridge mill harvest", 6.0, tokens=40), claim("bees", 5.0), claim("lisbon", 5.0)]
    assert sorted(covering(claims, 40)) == [1, 2]


def test_what_was_told_already_is_not_told_in_other_words() -> None:
    claims = [claim("key third step mill"), claim("third step key"), claim("sister lighthouse", 2.0)]
    assert sorted(covering(claims, 100)) == [0, 2]


def test_another_number_is_another_fact_where_there_is_room_and_not_where_there_is_little() -> None:
    claims = [claim("ferry leaves 7", heavy="7"), claim("ferry leaves 8", heavy="8"), claim("bees honey", 1.0)]
    assert sorted(covering(claims, 100)) == [0, 1, 2]
    assert sorted(covering([one._replace(same=ALIKE) for one in claims], 100)) == [0, 2]


def test_of_equal_facts_those_of_more_people_are_told() -> None:
    claims = [claim("bees"), claim("lisbon"), claim("flood", who="Moss")]
    assert sorted(covering(claims, 100, 2)) == [0, 2]


def test_of_equal_facts_a_promise_is_told_first() -> None:
    claims = [claim("bees"), claim("lisbon")._replace(promise=True), claim("flood")]
    assert covering(claims, 10) == [1]


CLAIMS = st.lists(
    st.builds(
        claim,
        st.lists(st.sampled_from("abcdefgh"), max_size=5).map(" ".join),
        st.floats(-3, 12),
        st.sampled_from(["", "Ada", "Moss"]),
        st.integers(1, 60),
    ),
    max_size=12,
)


@given(CLAIMS, st.integers(0, 200), st.integers(0, 6))
def test_the_room_holds_and_each_is_told_once(claims: list[Claim], room: int, most: int) -> None:
    stay = covering(claims, room, most)
    assert sum(claims[at].tokens for at in stay) <= room
    assert len(stay) <= most
    assert len(set(stay)) == len(stay)


def test_a_sentence_said_again_is_told_by_all_of_it_also_behind_a_title() -> None:
    assert spoken_in('Moss said, "Ask Mr. Vane about the mill. Go now."') == {"ask mr vane about the mill"}
