"""Counting tokens: by characters, by a tokenizer, and set right by what a server says."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.backend import Backend
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.queue import COUNT_SECONDS, ModelQueue, Urgency
from agents.llm.tokens import (
    BY_SERVER,
    BY_TOKENIZER,
    LONGEST_ASKED,
    MARGIN,
    TokenCounter,
    TokenRatios,
    at_most,
    estimate,
)
from agents.llm.tokens import (
    _words_and_rest as words_and_rest,
)
from mud.clock import Clock, VirtualClock
from mud.registry import Registry
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import ROOT

LINES = [f"Moss said that the {number}. wheel of the old mill had stopped in the night." for number in range(20)]


class Server:
    """Makes a fifth less of words than is counted without it, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.silent = False

    async def __call__(self, text: str) -> int | None:
        self.asked.append(text)
        words, rest = words_and_rest(text)
        return None if self.silent else round(0.8 * words + rest)


def test_the_program_starts_without_the_tokenizer() -> None:
    code = "import sys, mud.server.wiring, mud.server.app; sys.exit('tokenizers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


async def test_what_the_server_counts_is_exact_for_that_view_and_sets_all_other_counts_right() -> None:
    server = Server()
    counter = TokenCounter(ask=server)
    before = counter.prompts()(LINES[0])
    exact = await counter.calibrate(LINES)
    assert server.asked == ["\n".join(LINES)]
    assert counter.total(LINES) == (exact, BY_SERVER)
    assert counter.ratio == pytest.approx(0.8 * MARGIN, abs=0.011)
    assert counter.prompts()(LINES[0]) == counter.view()(LINES[0]) < before
    more, by = counter.total([*LINES, "And then the bell rang."])
    assert more > (exact or 0)
    assert by == f"{BY_TOKENIZER}, set right by {BY_SERVER}"


def test_of_what_a_server_says_of_several_texts_the_highest_ratio_holds() -> None:
    ratios = TokenRatios()
    text = "\n".join(LINES)
    words, rest = words_and_rest(text)
    for share in (0.8, 0.9, 0.85):
        ratios.learn("mine", text, round(share * words + rest))
    assert ratios.of("mine") == pytest.approx(0.9 * MARGIN, abs=0.011)
    assert ratios.of("another's") == 1.0


@pytest.mark.parametrize("exact", [0, 1, 20, 50_000])
def test_a_server_that_cannot_be_right_changes_nothing(exact: int) -> None:
    ratios = TokenRatios()
    ratios.learn("mine", "\n".join(LINES), exact)
    assert ratios.of("mine") == 1.0


def test_a_server_that_tells_of_more_is_believed_for_everything() -> None:
    ratios, text = TokenRatios(), "\n".join(LINES)
    ratios.learn("mine", text, 2 * at_most(text))
    assert ratios.of("mine") == pytest.approx(2 * MARGIN, abs=0.03)
    assert at_most("1234", ratios.of("mine")) >= 8


@pytest.mark.parametrize(("whole", "learned"), [(True, True), (False, False)])
async def test_what_a_server_tells_with_a_reply_is_learned_if_it_counts_the_whole_prompt(
    whole: bool, learned: bool
) -> None:
    clock, model = VirtualClock(), ScriptedModel(["look"])
    backend = Backend("scripted", "Scripted.", lambda profile: model, tells_whole=whole)
    profile = LLMProfile(backend="scripted", host="a")
    queue = ModelQueue(lambda name: profile, Registry("backend", [backend]), clock)
    prompt = "\n".join(LINES)
    await queue.ask(lambda: prompt, "think", Urgency.THINK, "Moss")
    assert (queue.ratios.of(profile.identity) != 1.0) is learned


async def test_of_a_view_too_long_to_be_sent_the_server_counts_the_end() -> None:
    server = Server()
    counter = TokenCounter(ask=server)
    texts = [f"{letter} " * (LONGEST_ASKED // 5) for letter in "abcd"]
    assert await counter.calibrate(texts) is None
    assert server.asked == ["\n".join(texts[2:])]
    assert counter.ratio == pytest.approx(0.8 * MARGIN, abs=0.011)


@given(st.lists(st.text(max_size=80), max_size=8))
def test_a_count_is_whole_and_never_negative_and_texts_add_up(texts: list[str]) -> None:
    for way in ("auto", "characters"):
        counter = TokenCounter(lambda way=way: way)  # type: ignore[misc]
        counts = [counter.view()(text) for text in texts]
        assert all(count >= 0 for count in counts)
        assert counter.total(texts)[0] == sum(counts)


def queue_of(model: ScriptedModel, clock: Clock) -> ModelQueue:
    backend = Backend("scripted", "Scripted.", lambda profile: model)
    profile = LLMProfile(backend="scripted", host="a")
    return ModelQueue(lambda name: profile, Registry("backend", [backend]), clock)


async def test_the_queue_reaches_the_model_that_counts() -> None:
    clock, model = VirtualClock(), ScriptedModel()
    queue = queue_of(model, clock)
    ask = queue.token_counter()
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
    asked = asyncio.ensure_future(queue.token_counter()("a word"))
    await settle()
    assert not asked.done()
    clock.advance(COUNT_SECONDS)
    assert await asked is None
    assert queue.silent(["think"]) == []
    await queue.close(0)
