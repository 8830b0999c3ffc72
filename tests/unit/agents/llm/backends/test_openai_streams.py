"""Streams that go wrong. Real sockets; what a good server does is in tests/contracts/test_backends.py."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.backend import Completion, Enough, Refused, TransientError
from agents.llm.http import BODY_LIMIT, TOKEN_LIMIT, WORDS, Wire
from agents.llm.tokens import TEMPLATE_TOKENS, estimate
from mud.errors import Unavailable
from tests.unit.agents.llm.backends.server import KEY, Answer, never, raised, serving, stream, whole

DONE = b"data: [DONE]\n\n"


def piece(text: str | None, finish: str | None = None, **more: Any) -> bytes:
    return event({"choices": [{"text": text, "finish_reason": finish}], **more})


def event(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


async def said(*parts: bytes, **changed: Any) -> Completion:
    async with serving(stream(*parts)) as (server, model):
        return await model.complete("~Eliza>", replace(server.profile, **changed), never)


async def complaint(*parts: bytes) -> str:
    return str(await raised(stream(*parts), never))


SOUND = {
    "without the last line": [piece("say "), piece("hi", "stop")],
    "without a reason for its end": [piece("say "), piece("hi"), DONE],
    "with comments and other fields": [b": ping\n\nevent: x\nid: 7\nretry: 3\n", piece("say hi", "stop"), DONE],
    "without spaces": [p.replace(b"data: ", b"data:") for p in (piece("say "), piece("hi", "stop"), DONE)],
    "with other ends of lines": [p.replace(b"\n", b"\r\n") for p in (piece("say "), piece("hi", "stop"), DONE)],
    "with a cut last line": [piece("say "), piece("hi", "stop"), b"data: [DONE]"],
    "with an event that only counts": [piece("say hi", "stop"), event({"choices": [], "usage": None}), DONE],
    "with empty pieces": [piece(""), piece(None), piece("say "), piece(""), piece("hi", "stop"), DONE],
    "after its last line": [piece("say hi", "stop"), DONE, piece(" and more")],
    "as a chat": [
        event({"choices": [{"delta": {"role": "assistant", "content": None}, "finish_reason": None}]}),
        event({"choices": [{"delta": {"reasoning_content": "Hm. Who is it?"}}]}),
        event({"choices": [{"delta": {"content": "say hi"}}]}),
        event({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
        DONE,
    ],
}


@pytest.mark.parametrize("parts", SOUND.values(), ids=SOUND.keys())
async def test_a_stream_may_have_many_forms(parts: list[bytes]) -> None:
    assert (await said(*parts)).text == "say hi"


JUNK = {
    "nothing": [],
    "a web page": [b"<html><body>It works!</body></html>\n"],
    "comments alone": [b": ping\n" * 9],
    "half a line": [piece("say "), b'data: {"choices": [{"te'],
    "no JSON": [piece("say "), b"data: soup\n\n", DONE],
    "a list": [b"data: [1, 2]\n\n"],
    "not UTF-8": [piece("say "), b'data: {"choices": [{"text": "\xff\xfe"}]}\n\n', DONE],
    "a text that is none": [event({"choices": [{"text": 5}]}), DONE],
    "choices that are none": [event({"choices": 5}), DONE],
    "a choice that is none": [event({"choices": ["say hi"]}), DONE],
    "a delta that is none": [event({"choices": [{"delta": 7}]}), DONE],
    "an end before its end": [piece("say "), piece("h")],
    "an error": [piece("say "), event({"error": {"message": "out of memory", "code": 500}})],
    "an error of another form": [piece("say "), b'error: {"message": "out of memory"}\n\n'],
    "a tower of brackets": [b"data: " + b"[" * 100_000 + b"\n"],
    "twenty megabytes of one line": [b"data: " + b"x" * 20_000_000],
    "twenty megabytes of lines": [piece("") * 400_000],
}


@pytest.mark.parametrize("parts", JUNK.values(), ids=JUNK.keys())
async def test_a_stream_of_junk_is_unavailable_in_one_plain_line(parts: list[bytes]) -> None:
    words = await complaint(*parts)
    assert words.startswith("HOST/v1 ")
    assert "\n" not in words
    assert len(words) < 400


async def test_a_stream_without_end_is_read_to_the_limit_only() -> None:
    limit = BODY_LIMIT + 8 * TOKEN_LIMIT
    assert (
        await complaint(*JUNK["twenty megabytes of lines"]) == f"HOST/v1 sent more than {limit:,} bytes for one reply"
    )


async def test_what_breaks_off_may_pass_and_an_error_is_told_in_the_servers_words() -> None:
    cut = await raised(stream(piece("say ")), never)
    assert type(cut) is TransientError
    assert "broke off in the middle" in str(cut)
    assert (await complaint(*JUNK["an error"])).endswith("gave up in the middle of its reply: out of memory")


@pytest.mark.parametrize(("status", "after"), [(503, None), (429, 7.0)])
async def test_a_busy_server_may_pass_and_says_when(status: int, after: float | None) -> None:
    error = await raised(whole(status, {}, *([f"Retry-After: {after:.0f}"] if after else [])), never)
    assert isinstance(error, TransientError)
    assert error.after == after


async def test_the_connection_is_closed_as_soon_as_it_is_enough_so_that_the_server_stops() -> None:
    async with serving(stream(piece("say "), piece("hi"), b": wait")) as (server, model):
        reply = await model.complete("x", server.profile, lambda text: text == "say hi")
        await asyncio.wait_for(server.left.wait(), 30)
    assert (reply.text, reply.prompt_tokens) == ("say hi", None)


async def test_a_stop_that_the_server_takes_no_notice_of_ends_the_stream() -> None:
    async with serving(stream(piece("say hi"), piece("\nMoss"), b": wait")) as (server, model):
        reply = await model.complete("x", replace(server.profile, stop=("\n",)), never)
        await asyncio.wait_for(server.left.wait(), 30)
    assert reply.text == "say hi"


async def test_tokens_of_a_stream_are_those_that_it_tells_last() -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 30}}
    reply = await said(piece("say hi", "stop"), event({"choices": [], "usage": usage, "model": "small"}), DONE)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens, reply.model) == (40, 2, 30, "small")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_thoughts_before_a_reply_that_is_ended_early_are_paid_for(name: str) -> None:
    thought = event({"choices": [{"delta": {name: "a"}}]}) * 400
    reply = event({"choices": [{"delta": {"content": "say hi"}}]})
    async with serving(stream(thought, reply, DONE)) as (server, model):
        said = await model.complete("x", replace(server.profile, api="chat"), lambda text: text == "say hi")
    assert (said.text, said.completion_tokens) == ("say hi", 400 + estimate("say hi"))


async def test_thoughts_that_came_with_a_whole_reply_are_paid_for_where_its_server_counts_nothing() -> None:
    message = {"content": "say hi", "reasoning_content": "Hm. " * 50}
    async with serving(whole(200, {"choices": [{"message": message}]})) as (server, model):
        reply = await model.complete("x", server.profile)
    assert reply.completion_tokens == estimate("Hm. " * 50) + estimate("say hi")


async def test_a_server_that_tells_of_more_tokens_than_can_be_is_believed_as_far_as_can_be() -> None:
    usage = {"prompt_tokens": 10**8, "completion_tokens": 10**8, "prompt_tokens_details": {"cached_tokens": 10**8}}
    reply = await said(piece("say hi", "stop", usage=usage), DONE)
    most = len("~Eliza>") + TEMPLATE_TOKENS
    assert (reply.prompt_tokens, reply.cached_tokens) == (most, most)
    assert reply.completion_tokens == 8 + estimate("say hi"), "8 is the length that was asked for"


async def test_a_server_that_takes_no_notice_of_the_wish_for_a_stream_is_understood() -> None:
    async with serving(whole(200, {"choices": [{"text": "say hi"}]})) as (server, model):
        assert (await model.complete("x", server.profile, never)).text == "say hi"


def refusing(*fields: str, words: str = "") -> Answer:
    """Return what refuses these fields of a request when they ask for something."""

    def answer(body: dict[str, Any]) -> bytes:
        for one in fields:
            if body.get(one):
                return whole(400, {"error": {"message": words or f"unknown field {one}"}})
        if body["stream"]:
            return stream(piece("say hi", "stop"), DONE)
        return whole(200, {"choices": [{"text": "say hi"}]})

    return answer


async def test_a_server_that_refuses_to_stream_is_asked_plainly_and_this_is_remembered_until_its_check() -> None:
    async with serving(refusing("stream", words="no")) as (server, model):
        for _ in range(2):
            assert (await model.complete("x", server.profile, never)).text == "say hi"
        assert [body["stream"] for body in server.asked] == [True, False, False]
    async with serving(refusing("stream_options", words="what is stream_options?")) as (server, model):
        for _ in range(2):
            assert (await model.complete("x", server.profile, never)).text == "say hi"
        assert [(body["stream"], "stream_options" in body) for body in server.asked] == [
            (True, True),
            (True, False),
            (True, False),
        ]


def reasoning(body: dict[str, Any]) -> bytes:
    """Answer as OpenAI's newer reasoning models do."""
    for one in ("max_tokens", "temperature", "stop"):
        if body.get(one):
            shown = one if "_" in one else f"'{one}'"
            words = f"Unsupported parameter: {shown} is not supported with this model."
            return whole(400, {"error": {"message": words, "param": one}})
    return stream(piece("say hi", "stop"), DONE) if body["stream"] else whole(200, {"choices": [{"text": "say hi"}]})


@pytest.mark.parametrize("enough", [never, None])
async def test_a_field_that_a_model_refuses_by_name_is_asked_for_otherwise_from_then_on(enough: Enough | None) -> None:
    async with serving(reasoning) as (server, model):
        profile = replace(server.profile, stop=("\n",))
        for _ in range(2):
            assert (await model.complete("x", profile, enough)).text == "say hi"
        *refused, first, second = server.asked
        assert len(refused) == 3
        assert first == second
        assert first["max_completion_tokens"] == profile.max_tokens
        assert first.keys().isdisjoint({"max_tokens", "temperature", "stop"})
        assert first["stream"] is (enough is not None)
        await model.complete("x", replace(profile, model="other"), enough)
        assert "max_tokens" in server.asked[5], "another model may be of another kind"


async def test_what_is_refused_under_either_name_is_a_refusal_and_nothing_is_remembered() -> None:
    def too_long(body: dict[str, Any]) -> bytes:
        words = "'max_tokens' or 'max_completion_tokens' is too large"
        refused = body["prompt"] == "long"
        return whole(400, {"error": {"message": words}}) if refused else whole(200, {"choices": [{"text": "say hi"}]})

    async with serving(too_long) as (server, model):
        with pytest.raises(Refused, match="too large"):
            await model.complete("long", server.profile)
        assert (await model.complete("short", server.profile)).text == "say hi"
        assert [("max_tokens" in body) for body in server.asked] == [True, False, True]


async def test_a_refused_prompt_does_not_end_streaming() -> None:
    too_long = whole(400, {"error": {"message": "too long"}})
    async with serving(too_long, too_long, refusing()) as (server, model):
        with pytest.raises(Refused, match="too long"):
            await model.complete("x", server.profile, never)
        assert (await model.complete("x", server.profile, never)).text == "say hi"
        assert [body["stream"] for body in server.asked] == [True, False, True]


async def test_the_key_is_never_told_by_a_stream_either(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("LOCI_API_KEY_OF_MINE", KEY)
    caplog.set_level("DEBUG")
    named = "LOCI_API_KEY_OF_MINE"
    bad = event({"error": {"message": f"bad key {KEY}"}})
    assert "bad key (key)" in str(await raised(stream(piece("say "), bad), never, api_key_env=named))
    long = event({"error": {"message": f"{'x' * (WORDS - 9)}{KEY}"}})
    assert KEY[:5] not in str(await raised(stream(piece("say "), long), never, api_key_env=named))
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    ("code", "kind"), [(400, Refused), (500, TransientError), (503, TransientError), (None, Unavailable)]
)
async def test_an_error_in_mid_stream_means_what_its_code_means(code: int | None, kind: type[Unavailable]) -> None:
    async with serving(stream(piece("say "), event({"error": {"message": "no", "code": code}}))) as (server, model):
        server.answers.append(whole(code or 500, {"error": {"message": "no"}}))
        with pytest.raises(Unavailable) as caught:
            await model.complete("x", server.profile, never)
    assert type(caught.value) is kind


async def coming(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


@given(
    st.lists(st.sampled_from(["say hi", "", "Ελίζα 😀", "data: x"]), max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(st.integers(0, 99), max_size=8),
)
async def test_lines_are_the_same_however_they_are_cut(lines: list[str], end: str, places: list[int]) -> None:
    raw = "".join(f"{line}{end}" for line in lines).encode()
    cuts = sorted(min(place, len(raw)) for place in places)
    chunks = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    wire = Wire("http://127.0.0.1:1")
    found = [line async for line in wire.lines(coming(chunks), 1)]
    await wire.close()
    assert [line for line in found if line] == [line.encode() for line in lines if line]
