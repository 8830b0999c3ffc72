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
from mud.clock import Clock, VirtualClock
from mud.registry import Registry
from tests.scripts import SCRIPTS
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import ROOT

LINES = [f"Moss said that the {number}. wheel of the old mill had stopped in the night." for number in range(20)]


class Server:
    """Makes an eighth less of a text than is counted without it, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, text: str) -> int | None:
        self.asked.append(text)
        return round(0.875 * at_most(text))


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
    assert 0.75 <= counter.ratio < 0.95
    assert counter.prompts()(LINES[0]) == counter.view()(LINES[0]) < before
    more, by = counter.total([*LINES, "And then the bell rang."])
    assert more > (exact or 0)
    assert by == f"{BY_TOKENIZER}, set right by {BY_SERVER}"


def test_of_what_a_server_says_of_several_texts_the_highest_ratio_holds() -> None:
    ratios, text, seen = TokenRatios(), "\n".join(LINES), []
    for share in (0.85, 0.95, 0.9):
        ratios.learn("mine", text, round(share * at_most(text)))
        seen.append(ratios.of("mine"))
    assert seen[0] < seen[1] == seen[2] < 1.0
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
    assert 0.75 <= counter.ratio < 0.95


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


# ---- the estimate and the upper bound ----


@given(st.text())
def test_the_estimate_is_between_a_third_of_the_bytes_and_all_of_them_with_one_more_a_word(text: str) -> None:
    size = len(text.encode())
    assert size / 3 <= estimate(text) <= size + len(text.split())


@given(st.text(), st.text())
def test_more_text_never_takes_fewer_tokens(text: str, more: str) -> None:
    assert estimate(text + more) >= estimate(text)


def test_half_a_surrogate_pair_is_counted_too() -> None:
    assert estimate("\ud800") > 0


@given(st.lists(st.text()))
def test_a_text_takes_as_many_tokens_as_its_lines_and_their_ends(lines: list[str]) -> None:
    lines = [part for line in lines for part in line.split("\n")]
    assert at_most("\n".join(lines)) == sum(map(at_most, lines)) + max(0, len(lines) - 1)


@pytest.mark.parametrize("word", ["x" * 1000, "ἀγορά" * 30, "Zbigniewowicz"])
def test_a_word_that_the_tokenizer_has_no_pieces_for_takes_several_tokens(word: str) -> None:
    assert at_most(word) >= len(word) / 3


def test_without_the_tokenizer_the_count_is_higher_and_never_fails() -> None:
    code = (
        "import sys; sys.modules['tokenizers'] = None\n"
        "from agents.llm.tokens import at_most; from tests.scripts import SCRIPTS\n"
        "print(*(at_most(text) for text in SCRIPTS.values()))"
    )
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    without = dict(zip(SCRIPTS, map(int, made.stdout.split()), strict=True))
    assert without["English"] >= at_most(SCRIPTS["English"])
    assert without["Armenian"] == at_most(SCRIPTS["Armenian"])
