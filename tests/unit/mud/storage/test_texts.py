"""What people read: found by key, checked against the phrases the program uses, edited while the world runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mud.storage.texts import TextStore, fill_places, parse_texts
from mud.world.narration import phrase

SAID = phrase("commands.say.said", "words")
LOST = phrase("commands.lost")

COMMANDS = """# What commands say

Prose with **bold**: nothing.

**lost**: You are nowhere.

## Say

**said**: You say, "{words}"
  and wait.
_shown to who speaks_

- prose, not a variant
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "text" / "instinct").mkdir(parents=True)
    (tmp_path / "text" / "commands.md").write_text(COMMANDS)
    (tmp_path / "text" / "instinct" / "Old Moss.md").write_text(
        '## Who Is Here\n**greetings**:\n\n- Hello, {name}.\n* Oh.\\nYou!\n    At last.\n**silence**: ""\n'
    )
    return tmp_path / "text"


def store_of(folder: Path) -> TextStore:
    store = TextStore(folder)
    assert store.load() == []
    assert store.check([SAID, LOST]) == []
    return store


def told(source: str) -> list[str]:
    return [str(problem) for problem in parse_texts(source, "f", "text/f.md")[1]]


def test_a_text_is_found_by_path_section_and_key_and_its_places_are_filled(folder: Path) -> None:
    store = store_of(folder)
    assert store.render(SAID, words="hello {words}") == 'You say, "hello {words}" and wait.'
    assert store.render(LOST) == "You are nowhere."


def test_variants_keep_their_places(folder: Path) -> None:
    store = store_of(folder)
    assert store.variants("instinct.old_moss.who_is_here.greetings") == ("Hello, {name}.", "Oh.\nYou! At last.")
    assert store.variants("instinct.old_moss.who_is_here.silence") == ("",)
    assert store.variants("nothing") == ()
    assert store.keys("instinct.old_moss.") == [
        "instinct.old_moss.who_is_here.greetings",
        "instinct.old_moss.who_is_here.silence",
    ]


def test_braces_can_be_written_twice_and_what_is_filled_in_is_not_read_again() -> None:
    assert fill_places("{{{a}}} {b}", {"a": "{b}", "b": 1}) == "{{b}} 1"


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_file_is_read_or_refused_in_words(source: str) -> None:
    for text in (source, f"**key**: {source}", f"**key**:\n- {source}"):
        texts, problems = parse_texts(text, "f", "text/f.md")
        assert all(problem.message for problem in problems)
        for one in texts.values():
            for variant in one.variants:
                fill_places(variant, dict.fromkeys(one.places, "x"))


def test_every_mistake_in_a_file_is_told_at_once() -> None:
    source = "**a**: {Name}\n**b**:\n\n**c**: x\n**c**: y\n## S\n**d**: text\n- variant\n**e**: }\n**f**: {a b}\n```\n"
    assert told(source) == [
        "text/f.md:1: f.a: a brace that is no place; expected {place} in lower case, or {{ and }} for braces",
        'text/f.md:2: f.b: it has no text; expected text behind the colon or a list below ("" for none)',
        "text/f.md:5: f.c: set twice; expected once (first in line 4)",
        "text/f.md:8: f.s.d: a text on its line and a list below; expected one of both",
        "text/f.md:9: f.s.e: a brace that is no place; expected {place} in lower case, or {{ and }} for braces",
        "text/f.md:10: f.s.f: a brace that is no place; expected {place} in lower case, or {{ and }} for braces",
        "text/f.md:11: this code fence has no end and hides what follows; expected a line ```",
    ]


def test_phrases_and_texts_are_checked_against_each_other(folder: Path) -> None:
    (folder / "commands.md").write_text("**lots**: You {word}.\n## Say\n**said**:\n- {word}\n- {words}\n")
    store = TextStore(folder)
    store.load()
    assert [str(problem) for problem in store.check([SAID, LOST])] == [
        "text/commands.md: commands.lost: there is no such text, and the program uses it; "
        "expected a text without places",
        "text/commands.md:1: commands.lots: nothing in the program uses this text; did you mean commands.lost?",
        "text/commands.md:3: commands.say.said: a list of texts; expected one text behind the colon",
        "text/commands.md:3: commands.say.said: {word} is no place of this text; "
        "expected a text that may use {words}; did you mean {words}?",
    ]


def test_an_edit_is_taken_over(folder: Path) -> None:
    store = store_of(folder)
    (folder / "commands.md").write_text(COMMANDS.replace("You say", "You murmur"))
    assert store.reload() == []
    assert store.render(SAID, words="hm").startswith("You murmur")


@pytest.mark.parametrize("mistake", ["{words", "{wrods}", "\n**said**: twice"])
def test_an_edit_with_a_mistake_changes_nothing_and_is_told(folder: Path, mistake: str) -> None:
    store = store_of(folder)
    (folder / "commands.md").write_text(COMMANDS.replace("{words}", mistake).replace("nowhere", "elsewhere"))
    problems = store.reload()
    assert [problem.file for problem in problems][:1] == ["text/commands.md"]
    assert store.render(LOST) == "You are nowhere."


def test_an_empty_or_vanished_file_is_an_edit_in_progress(folder: Path) -> None:
    store = store_of(folder)
    (folder / "commands.md").write_text("\n")
    assert store.reload() == []
    (folder / "commands.md").unlink()
    assert store.reload() == []
    assert store.render(LOST) == "You are nowhere."


def test_a_text_taken_out_of_its_file_is_missed(folder: Path) -> None:
    store = store_of(folder)
    (folder / "commands.md").write_text("**lost**: Gone.\n")
    assert [problem.key for problem in store.reload()] == ["commands.say.said"]


def test_two_files_with_one_key_and_an_unreadable_one_are_told(folder: Path) -> None:
    (folder / "Commands.md").write_text("**lost**: Here too.\n")
    (folder / "bad.md").write_bytes(b"\xff")
    (folder / ".hidden.md").write_text("**x**: y\n")
    assert [str(problem) for problem in TextStore(folder).load()] == [
        "text/bad.md:1: this line is not UTF-8 text; save the file as UTF-8",
        "text/commands.md:5: commands.lost: set twice; expected once (first in text/Commands.md:1)",
    ]
