"""Config files: every key checked, every problem told, prose left alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.compaction.settings import CompactionSettings
from mud.errors import VaultProblem
from mud.sanitize import sanitize
from mud.storage.settings import Value, describe, fill, one_of, parse_overrides, replace_setting, setting
from tests.settings import parse_settings, render_settings
from tests.vaults import SHIPPED


@dataclass(frozen=True, slots=True)
class Windows:
    immediate_window: int = setting(64, "Newest memories kept in full.", low=1, high=4096)
    recent_window: int = setting(64, "Memories folded at once.", low=1, high=4096)
    profile: str = setting("summarizer", "The LLM profile that summarizes.")
    strategy: str = setting("waterfall", "How memories are folded.", choices=("waterfall", "none"))
    stop: tuple[str, ...] = setting(("\n", "###"), "Texts that end a reply.")
    warmth: float = setting(0.7, "How freely words are chosen.", low=0, high=2)
    enabled: bool = setting(True, "Whether it runs.", per_agent=False)


FOUNDING = """# Memory Compaction Configuration

- **Immediate window**: Full detail for recent memories

---

## Compaction Windows

**immediate_window**: 64
_Number of most recent memories to keep in full detail_

**recent_window**: 64
_Number of memories before immediate window to summarize_

**Notes**:
- Compaction triggers at 129 memories

**profile**: summarizer
_LLM profile name used for generating summaries_

**Automatic**: Compaction runs automatically at 129 memories
**Manual**: Use `@compact-memories` command to force compaction

**Prompt Format**:
```
**immediate_window**: 3
# Memories:
>
```
"""


def told(text: str) -> list[str]:
    return [str(problem) for problem in parse_settings(text, Windows, "config/w.md")[1]]


def value_of(text: str, key: str) -> object:
    values, problems = parse_settings(text, Windows, "config/w.md")
    assert problems == []
    return values[key].value


def test_the_founding_form_gives_its_three_settings_and_nothing_else() -> None:
    values, problems = parse_settings(FOUNDING, Windows, "config/memory_compaction.md")
    assert problems == []
    assert [(value.key, value.value, value.line) for value in values.values()] == [
        ("immediate_window", 64, 9),
        ("recent_window", 64, 12),
        ("profile", "summarizer", 18),
    ]


def test_every_problem_of_a_file_is_told_at_once_in_order() -> None:
    text = """---
imediate_window: 3
stop: [a, 3]
warmth: 1
tags: [config]
---
**immediate_window**: 8x
**enabled**: ja
**strategy**: watrfall
**recent_window**: 0
**warmth**: 1.5
**profile**: a
```
"""
    assert told(text) == [
        "config/w.md:2: imediate_window: unknown key; expected one of immediate_window, recent_window, profile, "
        "strategy, stop, warmth, enabled; did you mean immediate_window?",
        'config/w.md:3: stop: this list does not fit; expected texts separated by commas, such as "one", "two"; '
        "text that looks like a number, true, false or null needs quotes",
        "config/w.md:7: immediate_window: '8x' is no whole number; expected a whole number from 1 to 4096",
        "config/w.md:8: enabled: 'ja' is neither; expected true or false",
        "config/w.md:9: strategy: 'watrfall' is no choice; expected one of waterfall, none; did you mean waterfall?",
        "config/w.md:10: recent_window: 0 is too low; expected a whole number from 1 to 4096",
        "config/w.md:11: warmth: set twice; expected once (first in line 4)",
        "config/w.md:13: this code fence has no end and hides what follows; expected a line ```",
    ]


def test_problems_of_front_matter_and_body_are_told_together() -> None:
    problems = told("---\nprofile: [[x]]\n---\n**recent_window**: 9999\n")
    assert problems[0] == 'config/w.md:2: profile: a link needs quotes; expected "[[x]]"'
    assert problems[-1].startswith("config/w.md:4: recent_window: 9999 is too high")


@pytest.mark.parametrize(
    "prose",
    [
        "**Notes**: 5",
        " **recent_window**: 5",
        "- **recent_window**: 5",
        "**recent_window** : 5",
        "recent_window: 5",
        "```\n**recent_window**: 5\n```",
        "~~~\n**unknown**: 5\n~~~",
        "text **recent_window**: 5",
    ],
)
def test_anything_else_is_prose(prose: str) -> None:
    assert parse_settings(prose, Windows, "f.md") == ({}, [])


@pytest.mark.parametrize(
    ("typed", "key", "value"),
    [
        ("**warmth**: 1", "warmth", 1.0),
        ("**warmth**: 5e-1", "warmth", 0.5),
        ("**recent_window**:8", "recent_window", 8),
        ("**recent_window**:   +8  ", "recent_window", 8),
        ("**enabled**: Off", "enabled", False),
        ("**enabled**: yes", "enabled", True),
        ("**strategy**: None", "strategy", "none"),
        ("**profile**: null", "profile", "null"),
        ("**profile**: yes", "profile", "yes"),
        ("**profile**: 12:30", "profile", "12:30"),
        ('**profile**: " a\\n"', "profile", " a\n"),
        ("**profile**:", "profile", ""),
        ('**stop**: "\\n", "###"', "stop", ("\n", "###")),
        ("**stop**: \\n, ###", "stop", ("\n", "###")),
        ('**stop**: "a, b" , c d ,', "stop", ("a, b", "c d")),
        ('**stop**: ""', "stop", ()),
        ("**stop**:", "stop", ()),
        ('---\nstop: ["\\n", b]\n---\n', "stop", ("\n", "b")),
        ("---\nstop: a, b\n---\n", "stop", ("a", "b")),
        ('---\nstop: ""\n---\n', "stop", ()),
        ('---\nstop: [""]\n---\n', "stop", ()),
        ("---\nprofile: yes\n---\n", "profile", "yes"),
        ("---\nenabled: no\n---\n", "enabled", False),
        ("---\nwarmth: 1\n---\n", "warmth", 1.0),
    ],
)
def test_values_are_read_as_their_type(typed: str, key: str, value: object) -> None:
    found = value_of(typed, key)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("**recent_window**: 3.5", "'3.5' is no whole number"),
        ("**recent_window**: ٣", "'٣' is no whole number"),
        ("**recent_window**:", "it has no value; expected a whole number"),
        ("**warmth**: nan", "'nan' is no number"),
        ("**warmth**: 1e999", "'1e999' is no number"),
        ("**strategy**:", "it has no value; expected one of waterfall, none"),
        ('**profile**: "a', r"opens quotes and does not close them"),
        ('**profile**: "a\\d"', r"unknown escape \\d; expected"),
        ("**stop**: a,,b", "an element is empty"),
        ("**stop**: ,", "an element is empty"),
        ('**stop**: "a", ""', 'an element is empty; .*; "" alone stands for none'),
        ('---\nstop: ["a", ""]\n---\n', 'an element is empty; .*; "" alone stands for none'),
        ('**stop**: "a" b', "quotes that do not close, or text behind them"),
        ("---\nprofile: null\n---\n", r"nothing \(null\) does not fit; expected text; .* needs quotes"),
        ("---\nprofile: true\n---\n", "true does not fit; expected text; .* needs quotes"),
        ("---\nprofile: 3\n---\n", "3 does not fit; expected text; .* needs quotes"),
        ("---\nrecent_window: true\n---\n", "true does not fit; expected a whole number"),
        ("---\nrecent_window:\n---\n", "it has no value"),
        ("---\nprofile: {a: 1}\n---\n", "this does not fit; expected text"),
    ],
)
def test_what_does_not_fit_is_said_with_what_was_expected(typed: str, message: str) -> None:
    (problem,) = parse_settings(typed, Windows, "f.md")[1]
    assert re.search(message, problem.message), problem.message


def test_a_key_set_twice_does_not_hide_that_its_second_value_is_wrong() -> None:
    values, problems = parse_settings("**recent_window**: 8\n**recent_window**: many\n", Windows, "f.md")
    assert [problem.line for problem in problems] == [2, 2]
    assert "set twice" in problems[0].message
    assert "no whole number" in problems[1].message
    assert values["recent_window"].value == 8


def test_where_there_is_nothing_to_expect_it_says_so() -> None:
    assert one_of(["a", "b"]) == "expected one of a, b"
    assert one_of([]) == "there is none"


def instances() -> st.SearchStrategy[Windows]:
    return st.builds(
        Windows,
        immediate_window=st.integers(1, 4096),
        recent_window=st.integers(1, 4096),
        profile=st.text(max_size=30).map(sanitize),
        strategy=st.sampled_from(["waterfall", "none"]),
        stop=st.lists(st.text(min_size=1, max_size=10).map(sanitize).filter(bool), max_size=4).map(tuple),
        warmth=st.floats(0, 2),
        enabled=st.booleans(),
    )


@settings(deadline=None)
@given(instances())
def test_a_rendered_config_file_reads_back_the_same(made: Windows) -> None:
    values, problems = parse_settings(render_settings("Windows", "What is kept.", made), Windows, "f.md")
    assert problems == []
    assert list(values) == [field.name for field in fields(Windows)]
    assert fill(Windows, values) == made


def test_a_rendered_schema_shows_every_key_with_its_help() -> None:
    text = render_settings("Windows", "", Windows)
    assert "**immediate_window**: 64\n_Newest memories kept in full: a whole number from 1 to 4096._\n" in text
    assert '**stop**: "\\n", "###"\n' in text


@settings(deadline=None)
@given(st.text(max_size=120))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    for source in (text, *(f"**{one.key}**: {text}" for one in describe(Windows))):
        _, problems = parse_settings(source, Windows, "f.md")
        assert all(problem.message for problem in problems)


def test_later_layers_win_and_foreign_keys_are_left_alone() -> None:
    file = {"recent_window": Value("recent_window", 8, "config/w.md", 1), "other": Value("other", 1, "config/w.md", 2)}
    agent = {"recent_window": Value("recent_window", 4, "agents/eliza/agent.md", 3)}
    assert fill(Windows, file, agent) == Windows(recent_window=4)
    assert fill(Windows, file) == Windows(recent_window=8)


def test_overrides_of_an_agent_are_checked_like_settings() -> None:
    front = {"id": "#1", "recent_window": 8, "warmth": 9, "enabled": False, "recent_windov": 1, "brian": "x"}
    lines = {key: number for number, key in enumerate(front, 2)}
    values, problems = parse_overrides(front, lines, {"w": Windows}, "agents/eliza/agent.md", own={"id", "brain"})
    assert values == {"recent_window": Value("recent_window", 8, "agents/eliza/agent.md", 3)}
    assert [str(problem) for problem in problems] == [
        "agents/eliza/agent.md:4: warmth: 9.0 is too high; expected a number from 0 to 2",
        "agents/eliza/agent.md:5: enabled: it holds for everybody; expected it in config/w.md only",
        "agents/eliza/agent.md:6: recent_windov: unknown key; expected a key of an agent or of a setting; "
        "did you mean recent_window?",
        "agents/eliza/agent.md:7: brian: unknown key; expected a key of an agent or of a setting; did you mean brain?",
    ]


def test_settings_are_described_with_type_default_bounds_and_help() -> None:
    described = {one.key: one for one in describe(Windows)}
    assert (described["warmth"].type, described["warmth"].low, described["warmth"].high) == ("float", 0, 2)
    assert described["stop"].default == ("\n", "###")
    assert not described["enabled"].per_agent
    assert described["profile"].help == "The LLM profile that summarizes."


def test_a_default_that_does_not_fit_is_a_mistake_of_the_program() -> None:
    @dataclass(frozen=True)
    class Wrong:
        window: int = setting(0, "Too low.", low=1)

    @dataclass(frozen=True)
    class Strange:
        window: dict[str, str] = setting("", "No such type.")  # noqa: RUF009  (ruff knows only plain types)

    with pytest.raises(TypeError, match=r"Wrong.window: its default does not fit: 0 is too low"):
        describe(Wrong)
    with pytest.raises(TypeError, match=r"Strange.window: a setting cannot be a"):
        describe(Strange)


@dataclass(frozen=True)
class Door:
    """A setting that may be an address."""

    door: str = setting("shut", "Where it is.", choices=("shut",), or_address=True)


@pytest.mark.parametrize("typed", ["shut", "http://localhost:8000", "https://10.0.0.1/"])
def test_an_address_may_stand_beside_the_choices(typed: str) -> None:
    values, problems = parse_settings(f"**door**: {typed}\n", Door, "f.md")
    assert (values["door"].value, problems) == (typed, [])


@pytest.mark.parametrize("typed", ["foo", "localhost:8000", "http://", "http://a b"])
def test_what_is_no_address_is_a_problem(typed: str) -> None:
    values, (problem,) = parse_settings(f"**door**: {typed}\n", Door, "f.md")
    assert values == {}
    assert "expected shut or an address such as http://localhost:8000" in str(problem)


FILE = "config/memory_compaction.md"


def put(text: str, key: str, value: str | int | bool) -> str:
    return replace_setting(text, CompactionSettings, key, value, FILE)


def read(text: str) -> dict[str, object]:
    values, problems = parse_settings(text, CompactionSettings, FILE)
    assert problems == []
    return {key: value.value for key, value in values.items()}


def test_the_shipped_file_changes_in_one_line_alone() -> None:
    text = (SHIPPED / FILE).read_text("utf-8")
    before, after = text.splitlines(), put(text, "strategy", "sleep").splitlines()
    assert len(before) == len(after)
    assert [new for old, new in zip(before, after, strict=True) if old != new] == ["**strategy**: sleep"]


def test_a_key_that_is_not_there_comes_at_the_end() -> None:
    assert put("# Mine\n\nprose", "strategy", "none") == "# Mine\n\nprose\n\n**strategy**: none\n"
    assert put("", "auto_enabled", False) == "**auto_enabled**: false\n"


def test_front_matter_that_sets_it_keeps_it() -> None:
    text = "---\nstrategy: none # for now\n---\n# Mine\n"
    assert put(text, "strategy", "sleep") == "---\nstrategy: sleep # for now\n---\n# Mine\n"


def test_what_stands_in_a_code_fence_is_no_setting() -> None:
    text = "```\n**strategy**: none\n```\n\n**strategy**: none\n"
    assert put(text, "strategy", "sleep") == "```\n**strategy**: none\n```\n\n**strategy**: sleep\n"


def test_line_ends_stay_as_they_are() -> None:
    assert put("# Mine\r\n**strategy**: none\r\nprose\r\n", "strategy", "sleep") == (
        "# Mine\r\n**strategy**: sleep\r\nprose\r\n"
    )


@pytest.mark.parametrize("text", ["**strategie**: none\n", "**strategy**: nonsense\n", "---\n- a list\n---\n"])
def test_a_file_with_a_mistake_is_left_alone(text: str) -> None:
    with pytest.raises(VaultProblem, match=FILE):
        put(text, "strategy", "sleep")


PROSE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="`~*-\r"), max_size=60)


@given(PROSE, PROSE, st.sampled_from([("strategy", "none"), ("recent_window", 7), ("auto_enabled", False)]))
def test_what_is_set_is_read_back_and_prose_stays(before: str, after: str, one: tuple[str, str | int | bool]) -> None:
    text = f"{before}\n**recent_window**: 9\n{after}\n"
    made = put(text, *one)
    assert read(made) == {**read(text), one[0]: one[1]}
    assert made.startswith(f"{before}\n**recent_window**: ")
    assert f"\n{after}\n" in made
    assert put(made, *one) == made
