"""Ollamas that answer badly, and what one is asked. What a good one does is in tests/contracts/test_backends.py."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest

from agents.llm.backend import TransientError
from agents.llm.backends.ollama import Ollama
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import estimate
from mud.errors import Unavailable
from tests.unit.agents.llm.backends.server import never, raised, serving, stream, whole

TAGS = {"models": [{"name": "tiny:1b"}, {"name": "small:latest"}]}


def part(text: str, **more: object) -> bytes:
    return json.dumps({"model": "m", "response": text, "done": False, **more}).encode() + b"\n"


LAST = part("", done=True, prompt_eval_count=7, eval_count=2)


async def complaint(reply: bytes, streamed: bool = True) -> str:
    return str(await raised(reply, never if streamed else None, Ollama))


JUNK = {
    "nothing": stream(),
    "a web page": stream(b"<html><body>It works!</body></html>\n"),
    "half a line": stream(part("say "), b'{"response": "h'),
    "an end before its end": stream(part("say ")),
    "a text that is none": stream(b'{"response": 5}\n'),
    "no text": stream(b'{"done": true}\n'),
    "a list": stream(b"[1, 2]\n"),
    "not UTF-8": stream(b'{"response": "\xff\xfe"}\n'),
    "an error": stream(part("say "), b'{"error": "out of memory"}\n'),
    "twenty megabytes": stream(part("") * 400_000),
    "no HTTP": b"220 ready\r\n\r\n",
}


@pytest.mark.parametrize("answer", JUNK.values(), ids=JUNK.keys())
@pytest.mark.parametrize("streamed", [True, False])
async def test_junk_is_unavailable_in_one_plain_line(answer: bytes, streamed: bool) -> None:
    words = await complaint(answer, streamed)
    assert words.startswith("HOST ")
    assert "\n" not in words
    assert len(words) < 400


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_model_that_is_missing_is_told_with_what_gets_it(streamed: bool) -> None:
    gone = whole(404, {"error": "model 'm' not found"})
    assert await complaint(gone, streamed) == "HOST has no model 'm'; `ollama pull m` gets it"


async def test_what_is_no_ollama_is_told_so() -> None:
    assert "is it an Ollama? That one listens at http://127.0.0.1:11434" in await complaint(whole(404, {}))


async def test_an_error_in_mid_stream_is_told_in_the_servers_words() -> None:
    assert (await complaint(JUNK["an error"])).endswith("gave up in the middle of its reply: out of memory")
    cut = await raised(JUNK["an end before its end"], never, Ollama)
    assert type(cut) is TransientError
    assert "broke off in the middle" in str(cut)


async def test_thoughts_are_no_part_of_a_reply_and_tokens_are_counted() -> None:
    async with serving(stream(part("", thinking="Hm."), part("say "), part("hi"), LAST), kind=Ollama) as (
        server,
        model,
    ):
        reply = await model.complete("x", server.profile, never)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("say hi", 7, 2)


async def test_thoughts_before_a_reply_that_is_ended_early_are_paid_for() -> None:
    thoughts = [part("", thinking="Hm. ")] * 50
    async with serving(stream(*thoughts, part("say hi"), LAST), kind=Ollama) as (server, model):
        reply = await model.complete("x", server.profile, lambda text: text == "say hi")
    assert (reply.text, reply.completion_tokens) == ("say hi", estimate("Hm. " * 50) + estimate("say hi"))


@pytest.mark.parametrize(("named", "has"), [("", True), ("small", True), ("Tiny:1b", True), ("tiny", False)])
async def test_a_check_asks_for_the_model_that_is_named(named: str, has: bool) -> None:
    async with serving(whole(200, TAGS), kind=Ollama) as (server, model):
        profile = replace(server.profile, model=named)
        with nullcontext() if has else pytest.raises(Unavailable, match=f"`ollama pull {named}` gets it"):
            await model.check(profile)


async def test_an_ollama_without_any_model_is_told_so() -> None:
    async with serving(whole(200, {"models": []}), kind=Ollama) as (server, model):
        with pytest.raises(Unavailable, match="has no model yet"):
            await model.check(server.profile)


@pytest.mark.parametrize("host", ["http://127.0.0.1:11434", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/api/"])
async def test_an_address_of_its_other_protocol_will_do(host: str) -> None:
    model = Ollama(LLMProfile(host=host, timeout=0.2))
    await model.close()
    with pytest.raises(Unavailable, match=r"^http://127\.0\.0\.1:11434 was closed"):
        await model.complete("x", LLMProfile(host=host, model="m"))
