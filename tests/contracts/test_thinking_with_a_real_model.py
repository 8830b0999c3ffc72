"""A thought from end to end: template, prompt, queue, a real llama.cpp server, the reply, the decision."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from agents.brains import Complete, Decision, Situation
from agents.brains.language import COMMON_VERBS, LANGUAGE
from agents.llm.backend import Backend, Completion
from agents.llm.backends.openai_compatible import OpenAICompatible
from agents.llm.hosts import HostState
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue, Urgency
from agents.llm.tokens import estimate
from agents.mind.interpreter import shipped_interpreter
from agents.prompt.prompt import TEMPLATES, Prompt, PromptParts, build_prompt, parse_template
from mud.errors import Unavailable
from mud.registry import load
from tests.live_server import WINDOW, LiveServer
from tests.unit.agents.llm.stage import HandClock, running

HEARD = tuple(f'Moss says, "The moss has grown {n} inches since spring."' for n in range(2, 12))
PARTS = PromptParts(
    name="Eliza",
    profile="Curious and warm.",
    commands=(("say <words>", "Say something."), ("go <exit>", "Walk."), ("look", "See where you are.")),
    transcript=(*HEARD, 'You say, "Good morning, Moss."', 'Moss says, "Where is the old key?"'),
    location="The Garden",
    exits=("north",),
    people=("Moss",),
)
NOW = Situation("Eliza", "", "eliza", "The Garden", "", ("north",), (), (), (), (), (), "", 0.0)


def prompt(order: str, parts: PromptParts, profile: LLMProfile) -> Prompt:
    template = parse_template((Path("vault/prompts") / TEMPLATES[order]).read_text("utf-8"), TEMPLATES[order])
    return build_prompt(parts, template, window=profile.num_ctx, reserve=profile.max_tokens, count=estimate)


def opened(profile: LLMProfile) -> ModelQueue:
    return ModelQueue({"think": profile}.__getitem__, load("agents.llm.backends", Backend, "backend"), HandClock())


async def decided(queue: ModelQueue, text: str) -> tuple[Decision, list[Completion]]:
    """Have one thought of the language brain about a prompt."""
    thought = LANGUAGE.start("Eliza", Random(1), lambda voice, key: (), shipped_interpreter).decide(NOW)
    replies: list[Completion] = []
    need = next(thought)
    while True:
        assert isinstance(need, Complete)
        replies.append(await queue.ask(lambda: text, "think", Urgency.THINK, "Eliza"))
        try:
            need = thought.send(replies[-1].text)
        except StopIteration as end:
            decision: Decision = end.value
            return decision, replies


@pytest.mark.parametrize("api", ["completions", "chat"])
@pytest.mark.parametrize("order", TEMPLATES)
async def test_a_thought_comes_to_a_line_or_says_why_it_did_not(live_server: LiveServer, api: str, order: str) -> None:
    profile = LLMProfile(host=live_server.address, api=api, temperature=0, max_tokens=32, num_ctx=WINDOW)
    queue = opened(profile)
    assert await queue.alive("think")
    made = prompt(order, PARTS, profile)
    decision, replies = await decided(queue, made.text)
    await queue.close(grace=5)
    assert decision.why
    if decision.line is not None:
        assert decision.line.split()[0] in COMMON_VERBS
    assert replies[0].prompt_tokens is not None
    assert replies[0].prompt_tokens <= made.tokens + 40, "40 for what the server's chat template adds"
    assert next(iter(queue.hosts)).state is HostState.UP


async def test_a_model_that_opens_with_an_empty_line_is_heard_all_the_same(live_server: LiveServer) -> None:
    profile = LLMProfile(host=live_server.address, temperature=0, max_tokens=24, num_ctx=WINDOW)
    asked = "# A letter\n\nDear Moss,"
    plain = OpenAICompatible(profile)
    assert (await plain.complete(asked, profile, lambda so_far: False)).text == "", "the server ends it at the stop"
    await plain.close()
    queue = opened(profile)
    for _ in range(2):
        reply = await queue.ask(lambda: asked, "think", Urgency.THINK, "Eliza", lambda so_far: False)
        assert reply.text.strip()
        assert "\n" not in reply.text
    await queue.close(grace=5)


async def test_a_prompt_as_long_as_the_window_allows_is_taken_by_the_server(live_server: LiveServer) -> None:
    profile = LLMProfile(host=live_server.address, max_tokens=8, num_ctx=768)
    queue = opened(profile)
    made = prompt("stable", replace(PARTS, transcript=PARTS.transcript * 9), profile)
    assert made.shed
    reply = await queue.ask(lambda: made.text, "think", Urgency.THINK, "Eliza")
    await queue.close(grace=5)
    assert reply.prompt_tokens is not None
    assert reply.prompt_tokens + profile.max_tokens <= profile.num_ctx


async def test_a_cancelled_thought_leaves_the_real_server_free_for_the_next(live_server: LiveServer) -> None:
    queue = opened(LLMProfile(host=live_server.address, max_tokens=2000, stop=(), temperature=0))
    long = asyncio.create_task(queue.ask(lambda: "Once upon a time", "think", Urgency.THINK, "Moss"))
    while not running(queue):
        await asyncio.sleep(0)
    long.cancel()
    await asyncio.gather(long, return_exceptions=True)
    short = opened(LLMProfile(host=live_server.address, max_tokens=4))
    assert (await short.ask(lambda: "Once upon a time", "think", Urgency.PERSON, "Eliza")).text
    await queue.close(grace=0)
    await short.close(grace=0)
    assert queue.overview(["think"])[0].totals.cancelled == 1


async def test_a_model_that_is_not_there_is_down_in_words_and_costs_no_time(live_server: LiveServer) -> None:
    queue = opened(LLMProfile(host="http://127.0.0.1:9"))
    assert not await queue.alive("think")
    with pytest.raises(Unavailable, match="is down"):
        await queue.ask(lambda: "x", "think", Urgency.THINK, "Eliza")
    await queue.close(grace=5)
    (told,) = queue.silent(["think"])
    assert told.startswith("http://127.0.0.1:9: down since 2026-01-01T00:00:00.000Z: nothing answers at")
