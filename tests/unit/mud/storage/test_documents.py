"""Markdown files with front matter: read with true line numbers, changed without touching anything else."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mud.errors import VaultProblem
from mud.sanitize import sanitize
from mud.storage.documents import (
    examine_document,
    link_name,
    markdown_lines,
    open_fence,
    parse_document,
    render_document,
    replace_key,
    salvage_document,
)
from mud.storage.front_matter import plain_front

TEXT = st.text(max_size=40).map(sanitize)
SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**17), 10**17), st.floats(allow_nan=False, allow_infinity=False), TEXT
)
VALUE = st.one_of(SCALAR, st.lists(SCALAR, max_size=4), st.dictionaries(TEXT, SCALAR, max_size=4))
FRONT = st.dictionaries(TEXT, VALUE, max_size=5)

LIBRARY = """---
id: "#1003"
type: location
aliases: [reading room]
exits:
  south: "[[The Lobby]]"
  ladder: "[[The Loft]]"        # one way; the other end has its own list
---
# The Library

Dust turns in a blade of light.

## Profile

Old and quiet.
"""


def test_halves_of_characters_are_joined_and_one_that_stands_alone_is_a_question_mark() -> None:
    document = parse_document('---\ngoal: "find \\ud83d"\n"\\ud83d\\ude00": ["\\ud83d\\ude00 é"]\n---\n', "f.md")
    assert document.front == {"goal": "find ?", "\U0001f600": ["\U0001f600 é"]}


def problems_of(text: str) -> list[str]:
    with pytest.raises(VaultProblem) as caught:
        parse_document(text, "f.md")
    return [str(problem) for problem in caught.value.problems]


def test_a_document_is_read_with_its_title_intro_sections_and_lines() -> None:
    document = parse_document(LIBRARY, "world/locations/the-library.md")
    assert document.front["exits"] == {"south": "[[The Lobby]]", "ladder": "[[The Loft]]"}
    assert document.lines["aliases"] == 4
    assert document.lines["exits.ladder"] == 7
    assert document.body_line == 9
    assert document.title == "The Library"
    assert document.intro == "Dust turns in a blade of light."
    assert document.section("profile") == "Old and quiet."
    assert document.section("Goals") is None


@settings(deadline=None)
@given(FRONT, st.text(max_size=80).map(sanitize))
@example({"name": "null", "yes": "yes", "time": "12:30", "link": "[[Hall]]", "day": "2025-01-01"}, "")
@example({"a": {"b": "\t\n\u200a"}, "---": "---\n---"}, "---\n# t")
def test_what_is_rendered_parses_back_the_same(front: dict[str, object], body: str) -> None:
    document = parse_document(render_document(front, body), "f.md")
    assert document.front == front
    assert list(document.front) == list(front)
    assert [type(value) for value in document.front.values()] == [type(value) for value in front.values()]
    assert document.body == body


@settings(deadline=None)
@given(st.text(max_size=200))
@example("---\n!!binary x\n---\n")
@example("---\n? a\n: b\n---\n")
@example("---\na: !!int x\n---\n")
@example("---\n<<: {a: 1}\n---\n")
@example("---\n%YAML 9\n---\n")
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    for source in (text, f"---\n{text}\n---\nbody"):
        _, problems = examine_document(source, "f.md")
        lines = source.count("\n") + 1
        assert all(1 <= problem.line <= lines and problem.message for problem in problems)


@pytest.mark.parametrize(
    "typed", ["12:30", "no", "yes", "on", "2025-01-01", "007", "0x1f", "1_000", ".inf", "1e999", "<<"]
)
def test_what_only_other_programs_take_for_a_value_stays_text(typed: str) -> None:
    assert parse_document(f"---\nkey: {typed}\n---\n", "f.md").front == {"key": typed}


def test_keys_are_text_as_typed() -> None:
    assert list(parse_document("---\nnull: 1\nyes: 2\n12: 3\n---\n", "f.md").front) == ["null", "yes", "12"]


def test_every_problem_of_the_front_matter_is_told_at_once() -> None:
    text = "---\nid: 1\nhome: [[Hall]]\nid: 2\nkind: !thing x\nmore:\n  a: 1\n  a: 2\n---\n"
    assert problems_of(text) == [
        'f.md:3: home: a link needs quotes; expected "[[Hall]]"',
        "f.md:4: id: set twice; expected once (first in line 2)",
        "f.md:5: kind: the tag !thing means nothing here; remove it, or put the text in quotes",
        "f.md:8: more.a: set twice; expected once (first in line 7)",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("---\nid: 1\n", "f.md:1: the front matter has no end; expected a line --- after its last key"),
        ("---\n- a\n---\n", "f.md:2: the front matter is no list of keys; expected 'key: value' lines"),
        ("---\na: 1\nb: &x 2\n---\n", "f.md:3: a text that begins with & or * needs quotes"),
        ("---\na: 1\nb: \x07\n---\n", "f.md:3: a character that no text has (code 7); remove it"),
        ("---\n[[Hall]]: 1\n---\n", "f.md:2: a key must be text; a key with [ ] or { } needs quotes"),
    ],
)
def test_a_front_matter_that_is_none_is_told_plainly(text: str, told: str) -> None:
    assert problems_of(text) == [told]


def test_brackets_without_end_are_refused_not_followed() -> None:
    (told,) = problems_of("---\n" + "[" * 5000 + "\n---\n")
    assert told == "f.md:2: brackets nested too deeply; expected 'key: value' lines"


def test_a_link_with_text_behind_it_gets_the_hint_about_quotes() -> None:
    (told,) = problems_of("---\na: 1\nb: [[Hall]] and on\n---\n")
    assert told.startswith("f.md:3: this is not in order")
    assert 'a link needs quotes: "[[Name]]"' in told


@pytest.mark.parametrize(
    ("front", "told"),
    [
        ('a: "x\nb: "y"', "f.md:2: the quotation that begins here has no end"),
        ('e:\n  s: "[[A]]\n  t: "[[B]]"', "f.md:3: the quotation that begins here has no end"),
        ("a: [x, y\ne:\n  s: t", "f.md:2: this is not in order"),
        ("a: b\nno key\nc: d", "f.md:3: the front matter is no list of keys"),
    ],
)
def test_a_mistake_in_the_front_matter_is_told_at_the_line_where_it_is(front: str, told: str) -> None:
    document, (problem,) = examine_document(f"---\n{front}\n---\n", "f.md")
    assert str(problem).startswith(told)
    assert document.front == {}


def test_what_is_in_order_by_itself_can_be_salvaged() -> None:
    document = salvage_document('---\na: "x\nb: [y\ne:\n  s: "[[A]]"\n  t: [\nz: 1\n# Name\n')
    assert document.front == {"a": "x", "e": {"s": "[[A]]"}, "z": 1}
    assert (document.title, document.lines["e.s"], document.body_line) == ("Name", 5, 8)


def test_rare_line_ends_do_not_shift_the_line_numbers() -> None:
    text = '---\na: "x\u2028y"\nb: [[H]]\n---\n'
    assert problems_of(text)[0].startswith("f.md:3:")


def test_a_byte_order_mark_and_windows_line_ends_are_taken() -> None:
    document = parse_document("\ufeff---\r\nid: x\r\n---\r\n# Name\r\n\r\nText.\r\n## Part\r\nMore.\r\n", "f.md")
    assert (document.front, document.title, document.intro) == ({"id": "x"}, "Name", "Text.")
    assert document.sections == {"Part": "More."}


def test_headings_in_code_fences_are_text() -> None:
    document = parse_document("# A\n```\n## no\n# no\n```\n## B\n~~~~\n~~~\n## no\n~~~~\nend", "f.md")
    assert document.title == "A"
    assert list(document.sections) == ["B"]
    assert document.intro == "```\n## no\n# no\n```"


def test_sections_with_one_heading_lose_nothing() -> None:
    assert parse_document("## A\none\n## A\ntwo\n", "f.md").sections == {"A": "one\n\ntwo"}


def test_a_rule_in_the_body_is_no_front_matter() -> None:
    document = parse_document("# A\n\n---\n\nb: 1\n\n---\n", "f.md")
    assert document.front == {}
    assert document.body_line == 1


@settings(deadline=None)
@given(st.text(alphabet="`~ a\n\r", max_size=60))
def test_an_open_fence_is_found_just_when_the_next_line_would_be_code(text: str) -> None:
    hidden = list(markdown_lines(f"{text}\nplain"))[-1].fenced
    assert (open_fence(text) is not None) == hidden
    assert "".join(f"{line.text}\n" for line in markdown_lines(text)).rstrip("\n") == "\n".join(
        line.removesuffix("\r") for line in text.split("\n")
    ).rstrip("\n")


COMMENTED = """---
# where it is
id: "#1"   # never change this
exits:
  south: "[[A]]"   # the door
tags:
- a
- b
text: |
  one
  two
empty:   # nothing yet
---
# Name

Prose --- stays.
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("id", "#22", 'id: "#1"   # never', 'id: "#22"   # never'),
        ("exits", {"up": "[[B]]"}, 'exits:\n  south: "[[A]]"   # the door', 'exits:\n  up: "[[B]]"   # the door'),
        ("tags", ["c"], "tags:\n- a\n- b\n", "tags: [c]\n"),
        ("text", "three", "text: |\n  one\n  two\n", "text: three\n"),
        ("empty", 5, "empty:   #", "empty: 5   #"),
        ("brain", "auto", "nothing yet\n---", "nothing yet\nbrain: auto\n---"),
    ],
)
def test_only_the_one_key_changes_and_comments_stay(key: str, value: object, old: str, new: str) -> None:
    assert COMMENTED.count(old) == 1
    assert replace_key(COMMENTED, key, value) == COMMENTED.replace(old, new)


def test_a_missing_front_matter_is_added_at_the_top() -> None:
    assert replace_key("# Name\r\n", "id", "#1") == '---\r\nid: "#1"\r\n---\r\n# Name\r\n'


def test_a_front_matter_that_is_not_in_order_is_not_changed() -> None:
    with pytest.raises(VaultProblem, match=r"a.md:2: x: a link needs quotes"):
        replace_key("---\nx: [[H]]\n---\n", "id", "#1", "a.md")


@settings(deadline=None)
@given(FRONT, TEXT, VALUE, TEXT, st.booleans())
def test_a_replaced_key_reads_back_and_the_others_are_as_they_were(
    front: dict[str, object], key: str, value: object, body: str, has_front: bool
) -> None:
    text = render_document(front, body) if has_front else f"# T\n{body}"
    before = parse_document(text, "f.md")
    after = parse_document(replace_key(text, key, value), "f.md")
    assert after.front == {**before.front, key: value}
    assert after.body == before.body


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("[[The Lobby]]", "The Lobby"),
        (" [[The Lobby|lobby]] ", "The Lobby"),
        ("[[The Lobby#Door]]", "The Lobby"),
        ("[[#1003]]", "#1003"),
        ("[[Το Σπίτι]]", "Το Σπίτι"),
        ("The Lobby", None),
        ("[[ ]]", None),
        ("[[a]] [[b]]", None),
    ],
)
def test_a_link_gives_its_name(typed: str, name: str | None) -> None:
    assert link_name(typed) == name


@pytest.mark.parametrize(("value", "error"), [(object(), TypeError), (10**30, ValueError), (float("nan"), ValueError)])
def test_what_front_matter_cannot_hold_is_refused(value: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="front matter cannot hold"):
        render_document({"a": value}, "")


def test_a_front_matter_below_an_empty_one_is_a_mistake_and_a_rule_below_is_none() -> None:
    _, (problem,) = examine_document('---\n---\nid: "#1003"\nexits:\n  south: x\n---\n# The Library\n', "a.md")
    assert (problem.line, problem.message) == (
        2,
        "the front matter is empty, and one follows; expected a single line --- above it",
    )
    assert examine_document("---\n---\nHe said: go.\n\nShe went.\n\n---\n", "a.md")[1] == []


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
