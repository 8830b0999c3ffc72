from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.commands._answer import excerpt
from agents.commands.mind import best_section
from agents.memory.note_form import NoteSection


@given(st.text(max_size=80), st.integers(1, 40))
def test_an_excerpt_is_the_beginning_and_ends_between_two_words_when_it_can(text: str, most: int) -> None:
    line = " ".join(text.split())
    cut = excerpt(text, most)
    assert len(cut) <= most + 3
    if cut == line:
        return
    begun = cut.removesuffix("...")
    assert line.startswith(begun)
    rest = line[len(begun) :]
    assert rest[0] in " ,;:-" or " " not in line[most // 2 : most + 1]


def test_an_excerpt_of_what_fits_is_all_of_it() -> None:
    assert excerpt("one\n two", 7) == "one two"
    assert excerpt("one two, three", 9) == "one two..."


def test_the_part_that_has_most_of_the_words_fits_and_of_several_the_newest() -> None:
    parts = [
        NoteSection("b", "The heron left."),
        NoteSection("a", "A heron stood by the mill."),
        NoteSection("", "Rain."),
    ]
    found = best_section(parts, "where was the heron by the mill?")
    assert found is not None
    assert found.heading == "a"
    newest = best_section(parts, "heron")
    assert newest is not None
    assert newest.heading == "b"
    assert best_section([], "heron") is None


def test_without_a_word_in_common_the_newest_part_with_a_text_fits() -> None:
    parts = [
        NoteSection("Old", ""),
        NoteSection("b", "The heron left."),
        NoteSection("a", "A heron stood by the mill."),
    ]
    found = best_section(parts, "zeppelin")
    assert found is not None
    assert found.heading == "b"
    assert best_section([NoteSection("Old", "")], "zeppelin") is None
