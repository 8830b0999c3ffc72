"""What every backend keeps, checked on the scripted one and on a real llama.cpp server, with real tokens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

import pytest

from agents.llm.backends._backend import Backend, LanguageModel, Refused
from agents.llm.backends._openai_client import OpenAICompatible
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import estimate
from mud.errors import Unavailable
from mud.registry import load
from tests.live_server import WINDOW, LiveServer

COUNTING = "Counting:\nten 10\neleven 11\ntwelve 12\nthirteen 13\nfourteen"


@dataclass(frozen=True)
class Subject:
    model: LanguageModel
    profile: LLMProfile


def scripted(server: LiveServer) -> Subject:
    async def unhurried(prompt: str) -> str:
        await asyncio.sleep(0)
        return " 14\nfifteen 15\nsixteen 16 seventeen 17"

    return Subject(ScriptedModel([unhurried] * 10, seconds=0.5), LLMProfile(backend="scripted", stop=()))


def completions(server: LiveServer) -> Subject:
    profile = LLMProfile(host=server.address, temperature=0, max_tokens=24, stop=())
    return Subject(OpenAICompatible(profile), profile)


def chat(server: LiveServer) -> Subject:
    profile = replace(completions(server).profile, api="chat")
    return Subject(OpenAICompatible(profile), profile)


CASES: dict[str, list[Callable[[LiveServer], Subject]]] = {
    "scripted": [scripted],
    "openai_compatible": [completions, chat],
}


@pytest.fixture(params=[case for cases in CASES.values() for case in cases], ids=lambda case: case.__name__)
async def subject(request: pytest.FixtureRequest, live_server: LiveServer) -> AsyncIterator[Subject]:
    made: Subject = request.param(live_server)
    yield made
    await made.model.close()


def test_every_backend_has_a_case_in_this_contract() -> None:
    assert set(CASES) == set(load("agents.llm.backends", Backend, "backend").names())


def test_a_backend_is_named_like_its_file_and_says_what_it_is() -> None:
    for backend in load("agents.llm.backends", Backend, "backend"):
        LLMProfile(backend=backend.name)
        assert backend.help.endswith(".")


async def test_a_completion_tells_its_text_its_tokens_its_time_and_its_model(subject: Subject) -> None:
    reply = await subject.model.complete(COUNTING, subject.profile)
    assert reply.text
    assert reply.prompt_tokens is not None
    assert 0 < reply.prompt_tokens < 100
    assert reply.completion_tokens is not None
    assert 0 < reply.completion_tokens <= subject.profile.max_tokens
    assert reply.seconds > 0
    assert reply.model


async def test_a_reply_ends_before_the_first_stop(subject: Subject) -> None:
    free = await subject.model.complete(COUNTING, subject.profile)
    mark = free.text.strip()[3:5]
    reply = await subject.model.complete(COUNTING, replace(subject.profile, stop=(mark, "nowhere")))
    assert mark not in reply.text
    assert len(reply.text) < len(free.text)


async def test_a_reply_is_no_longer_than_allowed(subject: Subject) -> None:
    reply = await subject.model.complete(COUNTING, replace(subject.profile, max_tokens=3))
    assert reply.completion_tokens is not None
    assert reply.completion_tokens <= 3


async def test_a_reply_does_not_hold_the_prompt(subject: Subject) -> None:
    assert COUNTING not in (await subject.model.complete(COUNTING, subject.profile)).text


async def test_any_script_and_any_sign_can_stand_in_a_prompt(subject: Subject) -> None:
    prompt = 'Η Ελίζα λέει: 你好 😀 \x07 \u202e {braces} \\ "quotes" </s> <|im_end|>\n~Ελίζα>'
    assert isinstance((await subject.model.complete(prompt, subject.profile)).text, str)


@pytest.mark.parametrize("text", ["", "ten", COUNTING, "Η Ελίζα λέει: 你好 😀"])
async def test_tokens_are_counted_as_the_model_counts_them(
    subject: Subject, live_server: LiveServer, text: str
) -> None:
    counted = await subject.model.tokens(text, subject.profile)
    assert counted == (estimate(text) if isinstance(subject.model, ScriptedModel) else live_server.tokens(text))


async def test_a_host_that_answers_passes_the_check(subject: Subject) -> None:
    await subject.model.check(subject.profile)


async def test_a_cancelled_call_leaves_the_model_usable(subject: Subject) -> None:
    call = asyncio.create_task(subject.model.complete(COUNTING, replace(subject.profile, max_tokens=500)))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await subject.model.complete(COUNTING, subject.profile)).text


async def test_a_closed_model_is_unavailable(subject: Subject) -> None:
    await subject.model.close()
    with pytest.raises(Unavailable):
        await subject.model.complete(COUNTING, subject.profile)
    with pytest.raises(Unavailable):
        await subject.model.check(subject.profile)
    with pytest.raises(Unavailable):
        await subject.model.tokens(COUNTING, subject.profile)


async def test_a_prompt_longer_than_the_servers_window_is_refused_in_words(live_server: LiveServer) -> None:
    one = completions(live_server)
    with pytest.raises(Refused, match="context size"):
        await one.model.complete("hi " * (WINDOW + 100), one.profile)
    await one.model.check(one.profile)
    await one.model.close()


async def test_a_model_named_in_the_profile_is_asked_without_listing(live_server: LiveServer) -> None:
    one = completions(live_server)
    reply = await one.model.complete(COUNTING, replace(one.profile, model="any"))
    assert reply.text
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
