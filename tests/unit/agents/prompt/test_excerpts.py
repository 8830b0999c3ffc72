from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Hit, Range
from agents.prompt.excerpts import GAP, Excerpts, Room, excerpts, first_sentence

CUE = 'The Library\nAnn\nAnn says, "Where is the third stone?"'
STONES = (
    "## 2026-05-02, The Garden\n\nThe gate squeaks. Tamsin oiled the third stone's hinge. It rained.\n\n"
    "## 2026-05-01, The Garden\n\nAnn asked for tea. The third stone is by the culvert."
)


NOTHING: Mapping[Range, list[str]] = {}


def words(text: str) -> int:
    return len(text.split())


def note(title: str, text: str, score: float = 1.0) -> Hit:
    return Hit("note", text, score, title=title)


def summary(text: str, covers: Range = (1, 65)) -> Hit:
    return Hit("summary", text, 1.0, covers=covers)


def chosen(
    *hits: Hit, told: str = "", room: int = 100, past: int = 100, lived: Mapping[Range, list[str]] = NOTHING
) -> Excerpts:
    """Choose of these; all notes have so much room, two experiences so much, and some memories may be quoted."""
    return excerpts(hits, CUE, told, Room(room, past, 2), words, lambda *covers: lived.get(covers, []))


def told_of(found: Excerpts) -> dict[Range, str]:
    return {one.covers: one.text for one in found.experiences}


def test_with_room_enough_a_note_is_told_whole_but_for_its_headings() -> None:
    assert chosen(note("Stones", STONES)).notes == (
        (
            "Stones",
            "The gate squeaks. Tamsin oiled the third stone's hinge. It rained. Ann asked for tea. "
            "The third stone is by the culvert.",
        ),
    )


def test_what_has_most_words_of_the_present_goes_first_and_a_gap_is_marked() -> None:
    assert chosen(note("Stones", STONES), room=16).notes == (
        ("Stones", f"Tamsin oiled the third stone's hinge. {GAP} The third stone is by the culvert."),
    )


def test_every_note_has_its_say_before_one_says_more() -> None:
    found = chosen(note("Stones", STONES), note("Weir", "I looked for the third stone. I was tired."), room=18)
    assert found.notes == (
        ("Stones", "Tamsin oiled the third stone's hinge."),
        ("Weir", "I looked for the third stone."),
    )


LONG = "The third stone " + "is by the culvert and " * 9 + "wet."
SEARCH = "I looked for the third stone. It was wet. I was tired. Ann waited in the library."
TEA = "Ann and I had tea. We spoke of a stone. It rained."


def test_an_experience_is_two_whole_sentences_and_more_only_where_they_fit_the_present() -> None:
    found = chosen(summary(SEARCH), summary(TEA, (66, 129)))
    assert told_of(found) == {
        (1, 65): f"I looked for the third stone. {GAP} Ann waited in the library.",
        (66, 129): "Ann and I had tea. We spoke of a stone.",
    }


def test_a_sentence_that_is_too_long_is_passed_over_and_none_is_cut() -> None:
    found = chosen(summary(f"{LONG} {SEARCH}"), past=40)
    assert told_of(found) == {(1, 65): f"I looked for the third stone. {GAP} Ann waited in the library."}
    assert found.experiences_crowded_out == 0


def test_where_two_sentences_of_one_find_no_room_the_next_is_shown_and_where_none_do_nothing() -> None:
    long = summary(f"{LONG} The stone, {LONG} It is wet. It is old.")
    assert chosen(long, summary(TEA, (66, 129)), past=30) == chosen(summary(TEA, (66, 129)))._replace(
        experiences_crowded_out=1
    )
    assert chosen(summary(SEARCH), summary(TEA, (66, 129)), past=9) == Excerpts(experiences_crowded_out=2)


def test_of_two_experiences_each_tells_of_another_time_where_there_is_another() -> None:
    whole = "I looked for a stone in the library. Ann told me of the third stone."
    found = chosen(summary(SEARCH, (66, 129)), summary(whole, (1, 129)), summary(TEA, (130, 193)))
    assert list(told_of(found)) == [(66, 129), (130, 193)]
    assert list(told_of(chosen(summary(SEARCH, (66, 129)), summary(whole, (1, 129))))) == [(66, 129), (1, 129)]


def test_summaries_that_repeat_one_another_show_what_only_one_of_them_says() -> None:
    found = chosen(summary(SEARCH), summary(f"{SEARCH} {TEA}", (1, 129)), summary(SEARCH, (1, 193)))
    assert told_of(found) == {
        (1, 65): f"I looked for the third stone. {GAP} Ann waited in the library.",
        (1, 129): "Ann and I had tea. We spoke of a stone.",
    }


def test_an_experience_that_the_prompt_shows_but_for_one_sentence_is_made_whole_by_what_was_lived_then() -> None:
    lived = {(1, 65): ["You wake.", 'Moss says, "Ann took the third stone. It was cold."', 'You say, "Tea?"']}
    told = "It was wet. I was tired. Ann waited in the library."
    assert told_of(chosen(summary(SEARCH), told=told, lived=lived)) == {
        (1, 65): f'I looked for the third stone. {GAP} Moss says, "Ann took the third stone. It was cold."'
    }
    assert chosen(summary(SEARCH), told=told) == Excerpts()


SPEECHES = (
    'Ann said, "The third stone is by the culvert. I went there twice before the rain began last week." and "My sister '
    'keeps nine hives behind the old chapel. A stone from the library holds the lid of one of them."; Moss said, "The '
    'stone was carried over the weir by four men and a mule. Nobody in the library wrote down what it had cost them."'
)


CULVERT = "The third stone is by the culvert. I went there twice before the rain began last week."
HIVES = "My sister keeps nine hives behind the old chapel. A stone from the library holds the lid of one of them."


def test_where_speeches_are_too_long_for_the_room_whole_sentences_of_them_are_shown() -> None:
    first, second = CULVERT.split(". ")
    assert told_of(chosen(summary(SPEECHES), past=26)) == {(1, 65): f'Ann said, "{first}." Ann said, "{second}"'}


@pytest.mark.parametrize(
    "told", ["The third stone is by the culvert.", 'Moss says, "the third stone is by the culvert."']
)
def test_what_the_prompt_shows_anyway_is_left_out_and_crowds_nothing(told: str) -> None:
    found = chosen(note("Moss", "Moss told me in The Library: The third stone is by the culvert."), told=told)
    assert found == Excerpts()
    again = chosen(summary('Moss said, "The third stone is by the culvert." It rained.'), told=told)
    assert again == Excerpts()


def test_an_item_of_a_list_is_told_without_its_mark_and_its_reference() -> None:
    found = chosen(
        note("Moss", "- Ask the catalogue. Take a lamp. [eliza#13]\n- The third stone is loose. [eliza#7-9]")
    )
    assert found.notes == (("Moss", "Ask the catalogue. Take a lamp. The third stone is loose."),)


def test_a_note_that_finds_no_room_is_counted() -> None:
    found = chosen(note("One", LONG), note("Two", "The third stone is old."), room=19)
    assert found == Excerpts((("Two", "The third stone is old."),), notes_crowded_out=1)


def test_a_text_without_a_word_is_not_shown() -> None:
    assert chosen(note("Dots", "... ---\n***"), note("Empty", "")) == Excerpts()


TEXTS = st.text('abc .!?…。\n-#[]:"äß你', max_size=120)
RANGES = st.tuples(st.integers(1, 9), st.integers(0, 9)).map(lambda both: (both[0], both[0] + both[1]))


@given(
    st.lists(st.builds(note, st.text(max_size=20), TEXTS) | st.builds(summary, TEXTS, RANGES), max_size=5),
    TEXTS,
    st.integers(0, 60),
    st.integers(0, 60),
    st.lists(TEXTS, max_size=3),
)
def test_no_more_is_shown_than_there_is_room_for_and_every_sentence_whole_and_none_twice(
    hits: list[Hit], told: str, room: int, past: int, lived: list[str]
) -> None:
    found = excerpts(hits, CUE, told, Room(room, past, 2), len, lambda first, last: lived)
    assert sum(len(text) for _, text in found.notes) <= room
    assert sum(len(one.text) for one in found.experiences) <= past
    shown = [text for _, text in found.notes] + [one.text for one in found.experiences]
    source = [" ".join(hit.text.split()) for hit in hits] + [" ".join(line.split()) for line in lived]
    for text in shown:
        for word in text.replace(GAP, " ").split():
            assert any(word in one.replace(GAP, " ") for one in source)
    assert len(found.experiences) <= 2


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Bare. Cold.", "Bare."),
        ("A hall", "A hall"),
        ("", ""),
        ("好。冷。", "好。"),
        ('"Go! Go!" it says. Go.', '"Go! Go!" it says.'),
    ],
)
def test_the_first_sentence_of_a_description_stands_for_it(text: str, first: str) -> None:
    assert first_sentence(text) == first
