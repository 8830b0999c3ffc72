"""A reply that comes in pieces is what it would be if it came as one; and replies from a script."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.llm.backend import TEXT_LIMIT, Enough, StreamedReply, tidy
from agents.llm.backends.scripted import SCRIPTED, ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import estimate
from mud.errors import Unavailable

PROFILE, SCRIPT = LLMProfile(), LLMProfile(backend="scripted")
PIECE = st.text(st.sampled_from("ab\n \x1b\x00?é😀\ud83d\ude00"), max_size=6)
"""Text with what a border may cut through: stops, halves of a character, and what is taken out."""
STOP = st.text("ab\n?é😀", max_size=4)


def never(shown: list[str]) -> Enough:
    """Return what never has enough, and writes down what it is shown."""

    def enough(so_far: str) -> bool:
        shown.append(so_far)
        return False

    return enough


def test_nothing_else_is_known_of_a_reply_than_if_it_had_come_as_one() -> None:
    @given(st.lists(PIECE, max_size=12), st.lists(STOP, max_size=4).map(tuple))
    @example(["a\ud83d", "\ude00b"], ("?",))
    @example(["\ud83d", "\x00\ude00"], ("??",))
    @example(["a", "b", "\x1b", "a", "b"], ("baba", "bab"))
    def grow(pieces: list[str], stop: tuple[str, ...]) -> None:
        shown = [""]
        growing = StreamedReply(replace(PROFILE, stop=stop), never(shown))
        for text, piece in zip(itertools.accumulate(pieces), pieces, strict=True):
            over = growing.add(piece)
            known = text.removesuffix("\ud83d")  # the half is no character yet, and may become one
            assert growing.text == text
            assert shown[-1] == tidy(known, stop)
            assert over == (tidy(known, stop) != tidy(known))
            if over:
                break

    grow()


@pytest.mark.parametrize("end", ["\ud83d", "\ud83d\ude00"])
def test_a_reply_is_kept_up_to_its_limit_and_no_half_waits_there(end: str) -> None:
    shown: list[str] = []
    growing = StreamedReply(PROFILE, never(shown))
    begun = "a" * (TEXT_LIMIT - 1)
    for piece in (begun, end[0], end[1:] + "b", "c"):
        growing.add(piece)
    assert shown[-1] == tidy(growing.text) == begun + "?"


def test_a_reply_ends_at_its_length_and_where_it_is_enough() -> None:
    growing = StreamedReply(replace(PROFILE, max_tokens=1), lambda so_far: so_far.endswith("!"))
    assert [growing.add(piece) for piece in ("a", "", "b", "c", "d")] == [False, False, False, False, True]
    assert StreamedReply(PROFILE, lambda so_far: so_far.endswith("!")).add("look!")


async def test_a_script_ends_in_words() -> None:
    model = ScriptedModel(["look"])
    assert (await model.complete("one", SCRIPT)).text == "look"
    with pytest.raises(Unavailable, match="at its end"):
        await model.complete("two", SCRIPT)
    assert model.prompts == ["one", "two"]


async def test_named_in_a_profile_it_says_its_texts_over_and_over() -> None:
    profile = LLMProfile(backend="scripted", model="say Hello. / look")
    model = SCRIPTED.make(profile)
    assert [(await model.complete("x", profile)).text for _ in range(3)] == ["say Hello.", "look", "say Hello."]


async def test_a_long_text_is_cut_at_a_word() -> None:
    profile = LLMProfile(backend="scripted", max_tokens=10)
    text = (await ScriptedModel(["all work and no play " * 9]).complete("x", profile)).text
    assert text
    assert ("all work and no play " * 9).startswith(text + " ")
    assert estimate(text) <= 10
