from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reply.reply import DEED, LONGEST, Listener, clean_reply
from tests.examples import examples
from tests.unit.agents.mind.said import READ, UNREAD, VERBS


@pytest.mark.parametrize(("raw", "line"), READ.values(), ids=READ.keys())
def test_a_command_is_read_out_of_what_models_send(raw: str, line: str | None) -> None:
    assert clean_reply(raw, "Eliza", VERBS) == line


@pytest.mark.parametrize("raw", UNREAD.values(), ids=UNREAD.keys())
def test_what_holds_no_command_becomes_nothing(raw: str) -> None:
    assert clean_reply(raw, "Eliza", VERBS) is None


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ("ladder", "go ladder"),
        ("~Eliza> Ladder.", "go Ladder"),
        ("the garden gate | to see Moss", "go the garden gate | to see Moss"),
        ("Hm.\n\nladder\nReason: to see Moss", "go ladder | to see Moss"),
        ("n", "go n"),
        ("look", "look"),
        ("The ladder is old.", None),
        ("gate", None),
    ],
)
def test_the_name_of_a_way_out_alone_is_walking_there(raw: str, line: str | None) -> None:
    assert clean_reply(raw, "Eliza", VERBS, ("north", "ladder", "garden gate", "look")) == line


def test_a_deed_is_short() -> None:
    deed = "put " + "very " * (DEED - 3) + "small key"
    assert clean_reply(deed, "Eliza", {"put"}) == deed
    assert clean_reply(deed.replace("very", "very very", 1), "Eliza", {"put"}) is None


def test_an_endless_line_ends_after_a_whole_sentence() -> None:
    line = clean_reply("say " + "The moss grows slowly. " * 500, "Eliza", VERBS)
    assert line is not None
    assert len(line) <= LONGEST
    assert line.endswith("The moss grows slowly.")


def test_a_verb_that_this_world_has_not_is_no_command() -> None:
    assert clean_reply("recall the key", "Eliza", {"say", "look"}) is None


@pytest.mark.parametrize(
    "junk",
    [
        *("<think>", "{", "say ", "- ", "**", "<", '"', "~", "[", "`", "say(", "w ", ">", "(", "</think", "1"),
        *(":", "<p ", "<think", "</think ", " **", " <s>", "<|im_start|> ", "x\n", "- \n", "<p>\n", "\x1b[1"),
        *("\u3000", "&nbsp;", "<p ", " ", "\t", "\n", " then", "“", "``` ", '{"a":', ". ", "(reason: "),
        *(". Reason: ", 'a="b", ', "a=b, "),
    ],
)
@pytest.mark.parametrize("head", ["", "go north", "x", 'say "', "say(", "say hi\n", "<think>"])
def test_twenty_megabytes_of_anything_are_done_with_at_once(head: str, junk: str) -> None:
    many = junk * (20_000_000 // len(junk))
    for raw in (head + many, f"{head}{many[:1900]}x", f"{head}{many[:1900]}> x\nT"):
        line = clean_reply(raw, "Eliza", VERBS)
        assert line is None or len(line) <= LONGEST
        assert min(seconds_for(raw) for _ in range(3)) < 0.5, "junk that takes more takes seconds or minutes"


def seconds_for(raw: str) -> float:
    started = time.process_time()
    clean_reply(raw, "Eliza", VERBS)
    Listener("Eliza", VERBS)(raw)
    return time.process_time() - started


fragments = st.sampled_from(
    [
        *("say ", "look", "~Eliza>", "~Moss>", "\n", "\u2029", "|", '"', "*", "`", "{", "}", "(", ")", " ", "-", "1. "),
        *("<think>", "</think>", "Command: "),
    ]
)


@settings(max_examples=examples(400))
@given(st.lists(fragments | st.text(max_size=12), max_size=25).map("".join))
def test_a_line_is_always_one_line_and_begins_with_a_verb(raw: str) -> None:
    line = clean_reply(raw, "Eliza", VERBS)
    if line is not None:
        assert line.split()[0] in VERBS
        assert len(line.splitlines()) == 1
        assert line == line.strip()
        assert all(sign.isprintable() or sign.isspace() for sign in line) or not line.isascii()
