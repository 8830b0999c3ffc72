from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Hit
from agents.prompt_excerpts import GAP, Excerpts, excerpts, first_sentence

CUE = 'The Library\nAnn\nAnn says, "Where is the third stone?"'
STONES = (
    "## 2026-05-02, The Garden\n\nThe gate squeaks. Tamsin oiled the third stone's hinge. It rained.\n\n"
    "## 2026-05-01, The Garden\n\nAnn asked for tea. The third stone is by the culvert."
)


def words(text: str) -> int:
    return len(text.split())


def note(title: str, text: str, score: float = 1.0) -> Hit:
    return Hit("note", text, score, title=title)


def summary(text: str, covers: tuple[int, int] = (1, 65)) -> Hit:
    return Hit("summary", text, 1.0, covers=covers)


def chosen(*hits: Hit, told: str = "", room: int = 100) -> Excerpts:
    return excerpts(hits, CUE, told, room, words)


def test_with_room_enough_a_note_is_told_whole_but_for_its_headings() -> None:
    assert chosen(note("Stones", STONES)).notes == (
        (
            "Stones",
            "The gate squeaks. Tamsin oiled the third stone's hinge. It rained. Ann asked for tea. "
            "The third stone is by the culvert.",
        ),
    )


def test_what_has_most_words_of_the_present_goes_first_and_a_gap_is_marked() -> None:
    assert chosen(note("Stones", STONES), room=15).notes == (
        ("Stones", f"Tamsin oiled the third stone's hinge. {GAP} The third stone is by the culvert."),
    )


def test_every_related_text_has_its_say_before_one_says_more() -> None:
    found = chosen(note("Stones", STONES), summary("I looked for the third stone. I was tired."), room=23)
    assert found.notes == (("Stones", "Tamsin oiled the third stone's hinge."),)
    assert [(one.text, one.covers) for one in found.experiences] == [
        ("I looked for the third stone. I was tired.", (1, 65))
    ]


@pytest.mark.parametrize(
    "told", ["The third stone is by the culvert.", 'Moss says, "the third stone is by the culvert."']
)
def test_what_the_prompt_shows_anyway_is_left_out_and_crowds_nothing(told: str) -> None:
    found = chosen(note("Moss", "Moss told me in The Library: The third stone is by the culvert."), told=told)
    assert found == Excerpts()
    again = chosen(summary('Moss said, "The third stone is by the culvert."'), told=told)
    assert again == Excerpts()


def test_of_two_texts_that_say_the_same_one_does() -> None:
    found = chosen(note("Ann", "Ann likes tea with lemon."), note("Tea", "Ann likes tea with lemon. It is black."))
    assert found.notes == (("Ann", "Ann likes tea with lemon."), ("Tea", "It is black."))


def test_an_item_of_a_list_is_told_without_its_mark_and_its_reference() -> None:
    found = chosen(
        note("Moss", "- Ask the catalogue. Take a lamp. [eliza#13]\n- The third stone is loose. [eliza#7-9]")
    )
    assert found.notes == (("Moss", "Ask the catalogue. Take a lamp. The third stone is loose."),)


def test_what_finds_no_room_is_counted_and_a_long_sentence_is_cut_between_two_words() -> None:
    long = "The third stone " + "is by the culvert and " * 9 + "wet."
    found = chosen(note("One", long), note("Two", "The third stone is old."), room=19)
    ((title, text),) = found.notes
    assert (title, found.crowded_out) == ("One", 1)
    assert text.endswith(GAP)
    assert long.startswith(text.removesuffix(GAP))


def test_no_room_shows_nothing() -> None:
    assert chosen(note("Stones", STONES), room=0) == Excerpts(crowded_out=1)


def test_a_text_without_a_word_is_not_shown() -> None:
    assert chosen(note("Dots", "... ---\n***"), note("Empty", "")) == Excerpts()


TEXTS = st.text('abc .!?…。\n-#[]:"äß你', max_size=120)


@given(
    st.lists(st.builds(note, st.text(max_size=20), TEXTS) | st.builds(summary, TEXTS), max_size=5),
    TEXTS,
    st.integers(0, 60),
)
def test_no_more_is_shown_than_there_is_room_for_and_nothing_is_made_up(hits: list[Hit], told: str, room: int) -> None:
    found = excerpts(hits, CUE, told, room, len)
    shown = [text for _, text in found.notes] + [one.text for one in found.experiences]
    assert sum(map(len, shown)) - sum(text.count(f" {GAP} ") * 3 + text.count(" ") for text in shown) <= room
    source = [" ".join(hit.text.split()) for hit in hits]
    for text in shown:
        for piece in text.split(f" {GAP} "):
            for word in piece.removesuffix(GAP).split():
                assert any(word in one for one in source)


@pytest.mark.parametrize(
    ("text", "first"),
    [("Bare. Cold.", "Bare."), ("A hall", "A hall"), ("", ""), ("好。冷。", "好。"), ('"Go!" it says. Go.', '"Go!"')],
)
def test_the_first_sentence_of_a_description_stands_for_it(text: str, first: str) -> None:
    assert first_sentence(text) == first
