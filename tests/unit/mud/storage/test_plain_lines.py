from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from mud.storage.front_matter import parse_front, split
from mud.storage.plain_lines import read_plain

WORDS = st.sampled_from(
    ["north", "The Lobby", '"[[The Lobby]]"', "[[A]]", "12", "-3", "0.5", "007", "true", "Null", "tRUE", "yes", "~",
     '""',
     '"#1"', "a: b", "a #b", "# c", "'x'", "[a, b]", "[a, [b]]", "[[b], a]", "{}", "[]", "{first: 1, last: 2}",
     "{a: x, a: y}",
     '{"#1": ["#2", "#3"], b: {c: null}}', "[a,b]", "[a, b", "&a", "*a", "|", ">-", "no, sir", "what?", "it's", "- a",
     "Grüße", '"Grüße"', '"a\\tb"', '"a\tb"', "a  b", "x ", "12:30", "2025-01-01", "1e5", "!!str 5",
     "[1, 2.5, true]", ""]
)  # fmt: skip
KEYS = st.sampled_from(
    ["id", "exits", "a b", '"#1001"', "true", "no-way", "x.y", "key:", "?", '"a:b"', "1st", "Ä", "(x)"]
)
LINES = st.tuples(st.sampled_from(["", "", "", "  ", "  ", "   ", "\t", "- "]), KEYS, WORDS).map(
    lambda one: f"{one[0]}{one[1]}: {one[2]}".rstrip(" ") if one[2] != "x " else f"{one[0]}{one[1]}: x "
)
OTHERS = st.sampled_from(["", "# a comment", "...", "- item", "  - item", "  more", "\r"])
TEXTS = st.lists(st.one_of(LINES, LINES, LINES, OTHERS), max_size=6).map("\n".join)


@given(TEXTS)
@example('id: "#1"\nexits:\n  north: "[[A]]"\n  up the stairs: "[[B]]"\ntags: [a, b]')
@example("a:\nb: 1")
@example("a:\n  b: 1\na: 2")
def test_what_is_read_line_by_line_is_what_yaml_reads(source: str) -> None:
    text = f"---\n{source}\n---\n# Name\n"
    where = split(text)
    assert where.start is not None
    found = read_plain(text, where.start, where.end)
    if found is not None:
        front = parse_front(f"---\n{source}\n# a comment is left to YAML\n---\n# Name\n", "a.md")
        assert not front.problems
        assert repr(found.values) == repr(front.values)
        assert found.lines == front.lines
        assert found.spans == front.spans


def test_the_files_that_people_and_programs_write_are_read_line_by_line() -> None:
    source = (
        'id: "#1"\ntype: location\nfixed: true\nexits:\n  north: "[[A]]"\nlive: {"#1": {states: [lit, open], n: 2}}\n'
    )
    found = read_plain(source, 0, len(source))
    assert found is not None
    assert found.values == {
        "id": "#1",
        "type": "location",
        "fixed": True,
        "exits": {"north": "[[A]]"},
        "live": {"#1": {"states": ["lit", "open"], "n": 2}},
    }
    assert found.lines["exits.north"] == 6
    assert found.lines["live.#1.states"] == 7
