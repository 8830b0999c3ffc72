"""What every backend keeps, with real tokens: the scripted one, real llama.cpp servers, Ollama's protocol in front of
one, and the embedded model."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from agents.llm.backend import Backend, Completion, Enough, LanguageModel, Refused, hold_to_window
from agents.llm.backends.embedded import Embedded
from agents.llm.backends.ollama import Ollama
from agents.llm.backends.openai_compatible import OpenAICompatible
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import estimate
from mud.errors import Unavailable
from mud.registry import load
from tests.live_server import WINDOW, LiveServer
from tests.ollama_adapter import adapting

COUNTING = "Counting:\nten 10\neleven 11\ntwelve 12\nthirteen 13\nfourteen"


Making = AsyncIterator["Subject"]


@dataclass(frozen=True)
class Subject:
    """A model under test.

    Args:
        model: the model.
        profile: how it is asked.
        enough: what is given when a test wants nothing to be ended early, so that streams are tried too.
    """

    model: LanguageModel
    profile: LLMProfile
    enough: Enough | None = None

    async def say(self, prompt: str = COUNTING, **changed: Any) -> Completion:
        return await self.model.complete(prompt, replace(self.profile, **changed), self.enough)


def never(text: str) -> bool:
    return False


async def scripted(server: LiveServer) -> Making:
    async def unhurried(prompt: str) -> str:
        await asyncio.sleep(0)
        return " 14\nfifteen 15\nsixteen 16 seventeen 17"

    yield Subject(ScriptedModel([unhurried] * 100, seconds=0.5), LLMProfile(backend="scripted", stop=()))


async def completions(server: LiveServer) -> Making:
    profile = LLMProfile(host=server.address, temperature=0, max_tokens=16, stop=())
    yield Subject(OpenAICompatible(profile), profile)


async def chat(server: LiveServer) -> Making:
    async for one in completions(server):
        yield replace(one, profile=replace(one.profile, api="chat"))


async def completions_streamed(server: LiveServer) -> Making:
    async for one in completions(server):
        yield replace(one, enough=never)


async def chat_streamed(server: LiveServer) -> Making:
    async for one in chat(server):
        yield replace(one, enough=never)


async def ollama(server: LiveServer) -> Making:
    async with adapting(server) as adapter:
        profile = LLMProfile(backend="ollama", host=adapter.host, temperature=0, max_tokens=16, stop=())
        yield Subject(Ollama(profile), profile)


async def ollama_streamed(server: LiveServer) -> Making:
    async for one in ollama(server):
        yield replace(one, enough=never)


async def ollama_chat(server: LiveServer) -> Making:
    async for one in ollama(server):
        yield replace(one, profile=replace(one.profile, api="chat"))


async def embedded(server: LiveServer) -> Making:
    profile = LLMProfile(backend="embedded", temperature=0, max_tokens=16, stop=())
    yield Subject(Embedded(profile), profile)


CASES: dict[str, list[Callable[[LiveServer], Making]]] = {
    "scripted": [scripted],
    "openai_compatible": [completions, completions_streamed, chat, chat_streamed],
    "ollama": [ollama, ollama_streamed, ollama_chat],
    "embedded": [embedded],
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Run all of it on one loop, so that one model of a kind, which takes a second to start, is tried by all tests."""
    return "asyncio"


@pytest.fixture(
    scope="module", params=[case for cases in CASES.values() for case in cases], ids=lambda case: case.__name__
)
async def subject(request: pytest.FixtureRequest, live_server: LiveServer) -> Making:
    async for made in request.param(live_server):
        yield made
        await made.model.close()


def test_every_backend_has_a_case_in_this_contract() -> None:
    assert set(CASES) == set(load("agents.llm.backends", Backend, "backend").names())


def test_a_backend_is_named_like_its_file_and_says_what_it_is() -> None:
    for backend in load("agents.llm.backends", Backend, "backend"):
        LLMProfile(backend=backend.name)
        assert backend.help.endswith(".")


async def test_a_completion_tells_its_text_its_tokens_its_time_and_its_model(subject: Subject) -> None:
    reply = await subject.say()
    assert reply.text
    assert COUNTING not in reply.text
    assert reply.prompt_tokens is not None
    assert 0 < reply.prompt_tokens < 100
    assert reply.completion_tokens is not None
    assert 0 < reply.completion_tokens <= subject.profile.max_tokens
    assert reply.seconds > 0
    assert reply.model
    short = await subject.say(max_tokens=3)
    assert short.completion_tokens is not None
    assert short.completion_tokens <= 3


async def test_a_reply_ends_before_the_first_stop(subject: Subject) -> None:
    free = await subject.say()
    mark = free.text.strip()[3:5]
    reply = await subject.say(stop=(mark, "nowhere"))
    assert mark not in reply.text
    assert len(reply.text) < len(free.text)


async def test_any_script_and_any_sign_can_stand_in_a_prompt(subject: Subject) -> None:
    prompt = 'Η Ελίζα λέει: 你好 😀 \x07 \u202e {braces} \\ "quotes" </s> <|im_end|>\n~Ελίζα>'
    assert isinstance((await subject.say(prompt, max_tokens=3)).text, str)


async def test_tokens_are_counted_as_the_model_counts_them_or_not_at_all(
    subject: Subject, live_server: LiveServer
) -> None:
    for text in ("", "ten", COUNTING, "Η Ελίζα λέει: 你好 😀"):
        counted = await subject.model.tokens(text, subject.profile)
        if isinstance(subject.model, ScriptedModel):
            assert counted == estimate(text), text
        else:
            assert counted == (None if isinstance(subject.model, Ollama) else live_server.tokens(text)), text


async def test_a_host_that_answers_passes_the_check_and_says_which_model_it_has(subject: Subject) -> None:
    name = await subject.model.check(subject.profile)
    assert name
    assert name.isprintable()


async def test_what_is_enough_ends_a_reply_early_and_changes_nothing_before(subject: Subject) -> None:
    whole = (await subject.say()).text
    seen: list[str] = []

    def three(text: str) -> bool:
        seen.append(text)
        return len(text) >= 3

    early = await subject.model.complete(COUNTING, subject.profile, three)
    assert whole.startswith(early.text)
    assert 3 <= len(early.text) < len(whole)
    assert seen[-1] == early.text
    assert not any(map(three, seen[:-1]))
    assert early.model
    assert early.seconds > 0
    assert (await subject.say()).text == whole


async def test_what_is_enough_sees_nothing_after_a_stop(subject: Subject) -> None:
    mark = (await subject.say()).text.strip()[3:5]
    seen: list[str] = []

    def note(text: str) -> bool:
        seen.append(text)
        return False

    reply = await subject.model.complete(COUNTING, replace(subject.profile, stop=(mark,)), note)
    assert not any(mark in text for text in [*seen, reply.text])


async def test_a_cancelled_call_leaves_the_model_usable(subject: Subject) -> None:
    for turns in (1, 40, 400):
        call = asyncio.create_task(subject.say(max_tokens=60))  # what a server goes on with it has to end
        for _ in range(turns):
            await asyncio.sleep(0)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):  # the scripted one is done by then
            await call
        assert (await subject.say(max_tokens=8)).text, turns


async def test_a_call_that_is_cancelled_in_mid_reply_leaves_the_model_usable(subject: Subject) -> None:
    begun = asyncio.Event()

    def begin(text: str) -> bool:
        begun.set()
        return False

    call = asyncio.create_task(subject.model.complete(COUNTING, replace(subject.profile, max_tokens=2000), begin))
    await begun.wait()
    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call
    reply = await subject.say(max_tokens=8)
    assert reply.text
    assert reply.seconds < 30


async def test_an_error_of_the_asker_comes_through_and_leaves_the_model_usable(subject: Subject) -> None:
    def broken(text: str) -> bool:
        raise LookupError(text)

    with pytest.raises(LookupError):
        await subject.model.complete(COUNTING, subject.profile, broken)
    assert (await subject.say(max_tokens=8)).text


async def test_a_prompt_longer_than_the_window_is_refused_in_words_and_the_host_is_well(subject: Subject) -> None:
    prompt = "hi " * (WINDOW + 100)
    with pytest.raises(Refused, match="num_ctx"):
        hold_to_window(prompt, subject.profile)  # as the queue does before it asks any of them
    if not isinstance(subject.model, ScriptedModel):
        with pytest.raises(Refused, match=r"context (size|length)"):
            await subject.say(prompt)
    await subject.model.check(subject.profile)
    assert (await subject.say(max_tokens=8)).text


async def test_a_closed_model_is_unavailable(subject: Subject) -> None:
    await subject.model.close()  # for good: the last test of each
    with pytest.raises(Unavailable):
        await subject.say()
    with pytest.raises(Unavailable):
        await subject.model.check(subject.profile)
    with pytest.raises(Unavailable):
        await subject.model.tokens(COUNTING, subject.profile)
    await subject.model.close()


async def test_what_a_server_had_read_before_is_told(live_server: LiveServer) -> None:
    async for one in completions(live_server):
        prompt = "Once more, from the beginning. " * 20
        await one.say(prompt)
        plain = await one.say(prompt)
        streamed = await replace(one, enough=never).say(prompt)
        early = await replace(one, enough=lambda text: True).say(prompt)
        for reply in (plain, streamed, early):
            assert reply.prompt_tokens == live_server.tokens(prompt)
            assert reply.cached_tokens is not None
            assert reply.cached_tokens >= reply.prompt_tokens - 2
        assert early.completion_tokens is not None
        assert early.completion_tokens < 4
        await one.model.close()


async def test_a_model_named_in_the_profile_is_asked_without_listing(live_server: LiveServer) -> None:
    async for one in completions(live_server):
        assert (await one.say(model="any")).text
        await one.model.close()


@pytest.mark.parametrize(
    "text",
    [
        "Dust turns in a blade of light. Somebody has left a chair by the window, facing out.",
        'You say, "The old key is under the third stone, by the fountain."',
        "#1003 #1004 2026-11-20T07:21:37.123Z 1234567890",
        "Καλημέρα κόσμε, τι κάνεις σήμερα;",
        "你好，世界。今天天气怎么样？",
        "Доброе утро, как дела?",
        "שלום עולם",
        "!?!?...---===***",
        "😀😃🎉",
        "go <exit>: walk to another location\nsay <words> | reason\nwhisper <name> <words>",
        "a b c d e f g h i j k",
        '{"seq":129,"kind":"heard","actor":"Moss"}',
    ],
)
def test_the_estimate_of_tokens_is_never_under_the_models_own_count(live_server: LiveServer, text: str) -> None:
    assert estimate(text) >= live_server.tokens(text)
    assert estimate(text) >= len(text.encode()) / 3
