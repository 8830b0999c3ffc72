from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Entry, Hit
from agents.recall.question import clauses_of, is_about_speaker, read_question, repeats, states_answer
from agents.recall.ranking import Candidates, rank
from agents.recall.settings import RecallSettings
from mud.clock import parse_iso

AT = "2026-01-01T00:00:00.000Z"
NOW = parse_iso(AT)
FOX = 'Petra says, "Last night I saw a fox in the orchard; what could that mean?"'


def _heard(seq: int, actor: str | None, text: str, kind: str = "heard") -> Entry:
    return Entry(seq, AT, kind, actor, None, text)


def _asked(
    question: str, shares: dict[int, float], *entries: Entry, cosines: dict[int, float] | None = None
) -> list[Hit]:
    found = Candidates(shares, cosines or {}, {one.seq: one for one in entries}, {})
    return rank(found, read_question(question, NOW), 9, NOW, RecallSettings())


@pytest.mark.parametrize(
    "text",
    [
        FOX,
        'Petra says, "Last night I saw a fox in the orchard. What could that mean?"',
        'Petra says, "Last night I saw a fox in the orchard, what could that mean?"',
        'Petra says, "I saw a fox in the orchard – do you know why?"',
    ],
)
def test_a_statement_that_ends_in_a_question_is_no_question_to_who_asks_about_it(text: str) -> None:
    other = _heard(9, "Moss", 'Moss says, "There is no fox in the orchard at noon."')
    hits = _asked("Who saw a fox in the orchard?", {1: 0.8, 9: 0.75}, _heard(1, "Petra", text), other)
    assert [hit.seq for hit in hits] == [1, 9]


@pytest.mark.parametrize(
    "text",
    [
        "Did you see a fox in the orchard?",
        "When you were in the orchard, did you see a fox?",
        "That is lovely! Did you see the fox in the orchard?",
    ],
)
def test_a_question_is_worth_less_than_what_tells_it(text: str) -> None:
    told = _heard(9, "Moss", "There was a fox in the orchard.")
    assert [hit.seq for hit in _asked("the fox in the orchard", {1: 0.8, 9: 0.75}, _heard(1, "Petra", text), told)] == [
        9,
        1,
    ]
    assert not states_answer(text, ("fox", "orchard"))


ECHOES = (
    'You say, "A fox in the orchard?"',
    'You say, "A fox in the orchard? That means luck, they say."',
    'You say, "So you saw a fox in the orchard last night."',
    'You say, "You told me that last night you saw a fox in the orchard, and I promised to keep watch for it."',
)


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("lead", [0.0, 0.4])
def test_an_echo_never_stands_above_what_it_repeats(echo: str, lead: float) -> None:
    entries = [_heard(1, "Petra", FOX), _heard(2, None, echo, "said"), _heard(9, "Moss", "An owl in the orchard.")]
    hits = _asked("the fox in the orchard", {1: 0.5, 2: 0.5 + lead, 9: 0.3}, *entries)
    assert [hit.seq for hit in hits][:2] == [1, 2]
    assert hits[0].score > hits[1].score
    # What it gets for that is told like every other part.
    assert (hits[0].echoed > 0) == (hits[0].echoed != 0)
    assert lead == 0 or hits[0].echoed > 0


def test_what_tells_more_or_of_somebody_else_is_no_echo() -> None:
    told = ("fox", "orchard")
    assert not repeats('Moss says, "The fox in the orchard is tame, and its den lies under the wall."', FOX, told)
    assert not repeats('Moss says, "Foxes bring luck."', FOX, told)
    assert not repeats("A fox in the orchard.", 'Petra says, "Is there a fox in the orchard?"', told)
    # The answer to a choice is none either.
    assert not repeats("The blue lamp.", "Did you buy the red or the blue lamp?", ("lamp",))
    # Nor what the question asks for by name.
    moss = _heard(2, "Moss", 'Moss says, "I saw a fox in the orchard."')
    hits = _asked("Did Moss see a fox in the orchard?", {1: 0.5, 2: 0.5}, _heard(1, "Petra", FOX), moss)
    assert hits[0].seq == 2


def test_one_who_says_the_same_again_makes_no_echo_of_it() -> None:
    again = [
        _heard(seq, "Petra", f'Petra says, "I saw a fox in the orchard{more}."')
        for seq, more in ((1, ""), (2, " today"))
    ]
    assert [hit.seq for hit in _asked("fox in the orchard", {1: 0.5, 2: 0.6}, *again)] == [2, 1]


def test_a_question_about_oneself_asks_who_spoke_is_about_speaker() -> None:
    mine = _heard(1, "User", 'User says, "I like my answers in metres."')
    yours = _heard(2, "Assistant", 'Assistant says, "You may like your answers in metres."')
    assert [hit.seq for hit in _asked("Which units do I like?", {1: 0.5, 2: 0.5}, mine, yours)] == [1, 2]
    # Where many talk, most of them are somebody else.
    others = [_heard(seq, actor, "Rain.") for seq, actor in ((3, "Moss"), (4, "Petra"))]
    hits = _asked("Which units do I like?", {1: 0.5, 2: 0.5}, mine, yours, *others)
    assert {hit.who for hit in hits} == {0.0}
    assert is_about_speaker("I lost my hat.")
    assert not is_about_speaker('Moss says, "You lost your hat, I think."')


@given(st.text(), st.text(), st.lists(st.sampled_from(["fox", "a", "1"])))
def test_any_text_can_be_read(one: str, other: str, asked: list[str]) -> None:
    clauses_of(one)
    repeats(one, other, asked)
    states_answer(one, asked)
