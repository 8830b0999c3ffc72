"""Servers that answer badly. Real sockets; what a good server does is in tests/contracts/test_backends.py."""

from __future__ import annotations

import asyncio
import gzip
import sys
from base64 import b64encode
from dataclasses import replace

import pytest

from agents.llm.backend import Refused, TransientError, named_host
from agents.llm.backends.openai_compatible import OpenAICompatible, base_url
from agents.llm.http import BODY_LIMIT, WORDS
from agents.llm.profiles import LLMProfile
from mud.errors import Unavailable
from tests.unit.agents.llm.backends.server import KEY, answer, raised, serving, whole

NAMED = "LOCI_API_KEY_OF_MINE"


async def complaint(reply: bytes, **changed: str) -> str:
    return str(await raised(reply, None, OpenAICompatible, **changed))


JUNK = {
    "a web page": answer(200, b"<html><body>It works!</body></html>"),
    "nothing": answer(200, b""),
    "half a reply": answer(200, b'{"choices": [{"text": "say'),
    "a list": whole(200, [1, 2]),
    "a number": whole(200, 7),
    "no choices": whole(200, {"choices": []}),
    "choices that are no list": whole(200, {"choices": 5}),
    "a text that is none": whole(200, {"choices": [{"text": 5}]}),
    "a message that is none": whole(200, {"choices": [{"message": "hello"}]}),
    "a choice that is none": whole(200, {"choices": ["hello"]}),
    "not UTF-8": answer(200, b"\xff\xfe\x00\x01"),
    "a tower of brackets": answer(200, b"[" * 1_000_000),
    "packed": answer(200, gzip.compress(b"{}"), "Content-Encoding: gzip"),
    "no HTTP": b"220 ready\r\n\r\n",
    "a cut connection": b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
    "twenty megabytes": answer(200, b"x" * 20_000_000),
    "an endless header": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000,
    "a redirect": answer(302, b"", "Location: http://127.0.0.1:1/elsewhere"),
}


@pytest.mark.parametrize("reply", JUNK.values(), ids=JUNK.keys())
async def test_junk_is_unavailable_in_one_plain_line(reply: bytes) -> None:
    words = await complaint(reply)
    assert words.startswith("HOST/v1 ")
    assert "\n" not in words
    assert len(words) < 400


async def test_a_reply_without_end_is_read_to_the_limit_only() -> None:
    assert await complaint(JUNK["twenty megabytes"]) == f"HOST/v1 sent more than {BODY_LIMIT:,} bytes for one reply"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "it wants another key: name the environment variable that holds it under api_key_env"),
        (404, "it does not know this address or this model: check host, api and model; no such"),
        (429, "it is asked too often, or the account is used up; no such thing"),
        (500, "no such thing"),
    ],
)
async def test_an_error_is_told_with_its_meaning_and_the_servers_words(status: int, words: str) -> None:
    assert (await complaint(whole(status, {"error": {"message": "no such thing"}}))).startswith(
        f"HOST/v1 answered {status}: {words}"
    )


async def test_half_a_character_is_sent_as_a_question_mark_and_halves_that_belong_together_as_one() -> None:
    async with serving(whole(200, {"choices": [{"text": "hm"}]})) as (server, model):
        await model.complete("find \ud83d or \ud83d\ude00", server.profile)
    assert server.asked[-1]["prompt"] == "find ? or \U0001f600"
    assert b"content-type: application/json" in server.heads[-1].lower()


async def test_half_a_character_in_the_name_of_a_listed_model_is_a_question_mark() -> None:
    async with serving(whole(200, {"data": [{"id": "m\ud83d"}], "choices": [{"text": "hm"}]})) as (server, model):
        assert (await model.complete("x", replace(server.profile, model=""))).model == "m?"


async def test_a_refused_prompt_is_told_apart_from_a_server_that_is_down() -> None:
    assert type(await raised(whole(400, {"error": {"message": "too long"}}))) is Refused


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 520, 522, 524, 529])
async def test_a_server_that_stumbles_may_be_asked_again(status: int) -> None:
    assert type(await raised(answer(status, b"<html>Bad Gateway</html>"))) is TransientError


@pytest.mark.parametrize(
    "error",
    [
        {"message": "the request exceeds the available context size"},
        {"message": "input is too large to process. increase the physical batch size"},
        {"message": "Failed to parse grammar"},
        {"message": "tokens", "type": "exceed_context_size_error"},
        "invalid request: no such option",
    ],
)
async def test_an_inner_error_about_this_one_request_is_a_refusal_of_it(error: object) -> None:
    assert type(await raised(whole(500, {"error": error}))) is Refused


async def test_an_inner_error_that_says_that_it_took_too_long_may_pass() -> None:
    assert type(await raised(whole(500, {"error": "the runner took too long"}))) is TransientError


@pytest.mark.parametrize("status", [301, 401, 403, 505, 530])
async def test_what_neither_passes_nor_is_about_one_request_makes_a_host_unavailable(status: int) -> None:
    assert type(await raised(whole(status, {"error": "no"}))) is Unavailable


async def test_a_server_that_is_not_there_is_told_so() -> None:
    async with serving(b"") as (server, _):
        pass
    model = OpenAICompatible(server.profile)
    with pytest.raises(Unavailable, match="nothing answers at http://127"):
        await model.complete("x", server.profile)
    with pytest.raises(Unavailable, match="nothing answers at http://127"):
        await model.check(server.profile)
    await model.close()


async def test_the_key_is_sent_and_never_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(NAMED, KEY)
    caplog.set_level("DEBUG")
    forms = (KEY[4:], KEY[::-1], b64encode(KEY.encode()).decode())
    async with serving(whole(401, {"error": {"message": f"Incorrect key {KEY} given, {forms}"}})) as (server, model):
        with pytest.raises(Unavailable) as caught:
            await model.complete("x", replace(server.profile, api_key_env=NAMED))
    assert f"authorization: bearer {KEY}".encode() in server.heads[0].lower()
    assert not any(form in told for told in (str(caught.value), caplog.text) for form in forms)


@pytest.mark.parametrize("status", [401, 500])
async def test_no_part_of_the_key_is_told_where_the_servers_words_are_cut(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAMED, KEY)
    for before in range(WORDS - len(KEY), WORDS):
        words = f"{'x' * before}{KEY} and more"
        assert KEY[:5] not in await complaint(whole(status, {"error": {"message": words}}), api_key_env=NAMED)


async def test_a_key_that_is_not_set_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAMED, raising=False)
    assert await complaint(b"", api_key_env=NAMED) == (
        f"the environment variable {NAMED}, named under api_key_env, is not set"
    )
    monkeypatch.setenv(NAMED, "two\nlines")
    assert "holds several lines" in await complaint(b"", api_key_env=NAMED)


async def test_a_server_that_lists_no_model_is_told_so() -> None:
    assert await complaint(whole(200, {"data": []}), model="") == (
        "HOST/v1 lists no model; load one there, or name one under model"
    )


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ({"text": "say hi\nMoss says no"}, "say hi"),
        ({"message": {"content": None}}, ""),
        ({"text": "half a pair \ud800 and \x00"}, "half a pair ? and "),
        ({"text": "red \x1b[31mletters\x07\tand tabs"}, "red letters\tand tabs"),
    ],
)
async def test_a_reply_becomes_text_that_any_file_can_hold(choice: object, text: str) -> None:
    async with serving(whole(200, {"choices": [choice], "usage": {"prompt_tokens": "many"}})) as (server, model):
        reply = await model.complete("x", replace(server.profile, stop=("\n",)))
    assert (reply.text, reply.prompt_tokens) == (text, None)


async def test_what_a_server_says_of_an_error_is_one_line_of_visible_text() -> None:
    said = await complaint(whole(400, {"error": {"message": "no \x1b[31msuch\u202e\nmodel\x07"}}))
    assert said.endswith(": no such model")


@pytest.mark.parametrize("reply", [*(answer(status, b"{}") for status in (400, 404, 405, 501))])
async def test_a_server_that_cannot_count_is_not_sent_a_whole_life_again(reply: bytes) -> None:
    async with serving(reply) as (server, model):
        for _ in range(2):
            assert await model.tokens("a life", server.profile) is None
    (head,) = server.heads
    assert head.startswith(b"POST /tokenize ")


@pytest.mark.parametrize("reply", [answer(500, b"{}"), whole(200, [1, 2]), answer(200, b"no json")])
async def test_a_count_that_fails_is_unavailable_and_asked_for_again(reply: bytes) -> None:
    async with serving(reply) as (server, model):
        for _ in range(2):
            with pytest.raises(Unavailable):
                await model.tokens("a life", server.profile)
    assert len(server.heads) == 2


@pytest.mark.parametrize("told", [10**30, -1, 7.5, "12", True, None])
async def test_a_number_of_tokens_that_cannot_be_is_not_believed(told: object) -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": told}
    async with serving(whole(200, {"choices": [{"text": "look"}], "usage": usage})) as (server, model):
        reply = await model.complete("~Eliza>", server.profile)
        assert (reply.prompt_tokens, reply.completion_tokens) == (12, None)
        assert await model.tokens("a life", server.profile) is None


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        (" http://127.0.0.1:8080/ ", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("https://example.org/api/v1/", "https://example.org/api/v1"),
        ("http://[::1]:8080", "http://[::1]:8080/v1"),
    ],
)
def test_an_address_may_leave_out_the_path(host: str, base: str) -> None:
    assert base_url(host) == base


@pytest.mark.parametrize(
    "host", ["", "127.0.0.1:8080", "ftp://example.org", "http://", "http://a:99999", "http://[::1"]
)
def test_what_is_no_address_is_told_so(host: str) -> None:
    with pytest.raises(Unavailable, match="no address of a server"):
        base_url(host)


@pytest.mark.parametrize("host", ["http://me:secret@example.org", "http://example.org/v1?key=secret"])
def test_a_key_in_the_address_is_refused_without_repeating_it(host: str) -> None:
    assert "secret" not in named_host(LLMProfile(host=host))
    with pytest.raises(Unavailable, match="environment variable") as caught:
        base_url(host)
    assert "secret" not in str(caught.value)


async def test_a_server_that_does_not_listen_costs_no_import_of_an_http_client() -> None:
    asking = """
import asyncio, sys
from agents.llm.backends.openai_compatible import OpenAICompatible
from agents.llm.profiles import LLMProfile
from mud.errors import Unavailable
profile = LLMProfile(host="http://127.0.0.1:1")
try:
    asyncio.run(OpenAICompatible(profile).check(profile))
except Unavailable as error:
    print(error, "httpx" in sys.modules)
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", asking, stdout=asyncio.subprocess.PIPE)
    told, _ = await process.communicate()
    assert told.decode() == "nothing answers at http://127.0.0.1:1/v1 False\n"
