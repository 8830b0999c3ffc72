"""Plain front matter is read as YAML reads it, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mud.storage.documents import examine_document, render_document
from mud.storage.front_matter import plain_front

WORDS = st.sampled_from(["true", "null", "no", "on", "covers", "first", "waterfall", "x", "a_b"])
SCALARS = st.one_of(
    st.text(max_size=12),
    WORDS,
    st.integers(0, 10**17),
    st.floats(0, 1000, allow_nan=False),
    st.booleans(),
    st.none(),
)
VALUES = st.one_of(SCALARS, st.dictionaries(WORDS, st.integers(0, 10**6), min_size=1, max_size=3))


@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=5), st.text(max_size=20))
@example({"covers": {"first": 1, "last": 64}, "at": "2026-11-20T07:21:37.123Z", "x": 0.25, "y": None}, "# A\n\nb\n")
def test_what_the_program_writes_means_the_same_to_both(front: dict[str, object], body: str) -> None:
    _alike(render_document(front, body))


LINES = st.sampled_from(
    ["a: 1", "a: 01", "a: 1.50", "a: .5", "a: yes", 'a: "x"', "a: 'x'", "a: x # y", "a:", "a:  1", "b: {c: 1}",
     "b: {c: 1, c: 2}", "b: {c: x}", "b: [1]", "true: 1", "a: null", "a: 2026-01-01", 'a: "\\n"', "a: x ", "A: 1",
     "a: 1_000", "a: 12345678901234567890", "  c: 1", "# a", "", "---", "a: &x", "b: {null: 1}", "a: 1e5", 'a: "',
     'a: "\x85"', 'a: "\u2028"', 'a: "\t"', "a: nan"]
)  # fmt: skip


@given(st.lists(LINES, max_size=4))
def test_what_people_write_means_the_same_to_both(lines: list[str]) -> None:
    _alike("---\n" + "".join(f"{line}\n" for line in lines) + "---\nThe body.\n")


def _alike(text: str) -> None:
    plain = plain_front(text)
    if plain is not None:
        document, problems = examine_document(text, "x.md")
        assert problems == []
        assert plain == (document.front, document.body)
        assert [type(value) for value in plain[0].values()] == [type(value) for value in document.front.values()]


@pytest.mark.parametrize("text", ["", "# A", "---\na: 1\n", "\ufeff---\na: 1\n---\n", "---\r\na: 1\r\n---\r\n"])
def test_other_forms_are_left_to_the_thorough_reader(text: str) -> None:
    assert plain_front(text) is None


def test_the_usual_form_is_plain() -> None:
    text = '---\ntype: memory_summary\ncovers: {first: 1, last: 64}\nupdated: "2026"\nretention: 0.5\n---\nI woke.\n'
    front = {"type": "memory_summary", "covers": {"first": 1, "last": 64}, "updated": "2026", "retention": 0.5}
    assert plain_front(text) == (front, "I woke.\n")
