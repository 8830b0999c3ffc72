"""Summaries by rules: nothing is said to have come up again that did not, nothing is a scrap, people come first."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from agents.compaction.summarizer import SummarySource
from agents.compaction.summarizers.extractive import extract
from agents.memory.entries import Entry, importance_of
from agents.text.english import sentences
from tests.examples import examples
from tests.unit.agents.compaction.summarizers.test_extractive import ENTRIES

FACTS = (
    "My sister Orla keeps the lighthouse at Greywater.",
    "I promise to bring the blue ladder on Friday.",
    "The password of the mill is heron 4417.",
)


def entry(kind: str, text: str, actor: str | None = None, place: str = "The Attic") -> Entry:
    return Entry(1, "", kind, actor, place, text, importance=importance_of(kind, text))


def recent(*entries: Entry) -> str:
    return extract(SummarySource("Eliza", "recent", entries, max_sentences=4))


def life(entries: list[Entry], window: int) -> str:
    """Return the long-term summary after folding a life window by window."""
    longterm = ""
    for at in range(0, len(entries), window):
        fold = recent(*entries[at : at + window])
        longterm = extract(SummarySource("Eliza", "longterm", earlier=tuple(part for part in (longterm, fold) if part)))
    return longterm


def talk(count: int) -> list[Entry]:
    lines = ("The wind has turned again.", "My knees ache.", "What a crowd this morning.")
    return [entry("heard", f'Moss says, "{lines[at % 3]}"', "Moss") for at in range(count)]


def whole(text: str) -> bool:
    """Return whether every sentence is ended and every quotation closed."""
    ends = [re.search(r"""[.!?]["”»'’)\] ]*$""", one) for one in sentences(text)]
    return all(ends) and text.count('"') % 2 == 0 and text.count("“") == text.count("”")


def test_different_thoughts_are_never_told_as_one_that_came_again() -> None:
    ferries = [
        entry("thought", f'You think, "{at}: the ferry leaves at {at} past noon near dock {at}"') for at in range(300)
    ]
    for window in (20, 64):
        text = life(ferries, window)
        assert "More than once" not in text
        assert "Again and again" not in text


def test_the_very_same_words_came_more_than_once_whatever_their_case_and_spaces() -> None:
    one = 'Moss said, "The key lies under the third step."'
    other = 'Moss said,  "the KEY lies under the third step."'
    text = extract(SummarySource("Eliza", "longterm", earlier=(f"I saw a cat. {one}", other)))
    assert "More than once Moss said" in text
    text = extract(
        SummarySource("Eliza", "longterm", earlier=(f"I saw a cat. {one}", other.replace("third", "fourth")))
    )
    assert "third" in text
    assert "fourth" in text
    assert "More than once" not in text


@pytest.mark.parametrize(
    "cut",
    [
        entry("result", "There is a shelf. On it stands a plaster head labelled DECIMUS, and un"),
        entry("result", "There is a shelf. On it stands a plaster head labelled DECIMUS, and un…"),
        entry("note", "There is a shelf. DECIMUS labels have been pushed into"),
        entry("said", 'You say, "It is in a small upright hand: "DECIMUS borrowed the chair."'),
        entry("said", 'You say, "I promise to tell of the head labelled DECIMUS, and the…"'),
        entry("saw", 'A card says in a small upright hand: "DECIMUS borrowed the chair.'),
    ],
    ids=["no end", "three dots", "note", "open quotation", "own words cut", "open at the end"],
)
def test_what_was_cut_in_the_middle_is_left_out(cut: Entry) -> None:
    text = recent(cut, *talk(6))
    assert "DECIMUS" not in text
    assert whole(text)


def test_what_people_said_goes_before_looks_notes_and_chatter_of_ones_own() -> None:
    entries = talk(20)
    entries += [entry("heard", f'Petra says, "{fact}"', "Petra") for fact in FACTS]
    looks = "The Attic. Three chests stand by Window 12, and Lord Decimus hangs above a secret key. Exits: north."
    entries += [entry("result", looks), entry("result", looks.replace("Three", "Nine"))]
    entries += [entry("note", "You note under Greywater: I must remember the chests of Lord Decimus, 12 of them.")]
    entries += [entry("said", 'You say, "I will remember about your name, Petra."')] * 3
    text = recent(*entries)
    for fact in FACTS:
        assert fact.rstrip(".") in text
    assert "Decimus" not in text
    assert "remember about" not in text


def test_own_words_are_told_when_they_hold_a_promise_and_not_when_they_only_answer() -> None:
    promised = recent(*talk(20), entry("said", 'You say, "I promise to bring Petra the ladder."'))
    assert 'I said, "I promise to bring Petra the ladder."' in promised
    thanked = recent(*talk(20), entry("said", 'You say, "Thank you. I will bring Petra the ladder."'))
    assert "I will bring Petra the ladder." in thanked
    answered = recent(*talk(20), entry("said", 'You say, "Thank you, Petra, I will remember about your name."'))
    assert "remember about" not in answered


def test_a_fold_of_one_short_memory_is_told_shorter_and_whole() -> None:
    assert recent(entry("heard", 'Moss says, "Hi."', "Moss")) == 'Moss: "Hi."'


@settings(max_examples=examples(150), deadline=None)
@given(ENTRIES, ENTRIES)
def test_every_sentence_is_whole_and_every_quotation_closed(one: tuple[Entry, ...], two: tuple[Entry, ...]) -> None:
    folds = recent(*one), recent(*two)
    for text in (*folds, extract(SummarySource("Eliza", "longterm", earlier=folds))):
        assert whole(text), text
