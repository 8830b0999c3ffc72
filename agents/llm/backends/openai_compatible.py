"""Any server that speaks OpenAI's protocol: llama.cpp, Ollama under `/v1`, vLLM, LM Studio and others.

After a server refuses to stream it is asked for whole replies until its next check.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agents.llm.backend import Backend, Completion, Enough, Refused, StreamedReply
from agents.llm.http import CHECK_SECONDS, NoSuch, Wire, checked_parts, count, decoded
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import prompt_tokens, reply_tokens
from mud.errors import Unavailable

if TYPE_CHECKING:
    import httpx

_OTHERWISE = {"max_tokens": "max_completion_tokens", "temperature": "", "stop": ""}
"""Fields that OpenAI's newer reasoning models refuse, and their replacements ("" for none)."""


@dataclass(slots=True)
class _Reply:
    text: str = ""
    model: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    timed: bool = False
    thoughts: list[str] = field(default_factory=list)
    seconds: float = 0.0


class OpenAICompatible:
    """A client for one host. `wire` replaces the connection that the profile's host would give."""

    def __init__(self, profile: LLMProfile, wire: Wire | None = None) -> None:
        self._wire = wire or Wire(base_url(profile.host))
        self._first_model: str | None = None
        self._counts = True
        self._streams = self._streams_usage = True
        self._tells_time = False
        self._objections: dict[str, frozenset[str]] = {}  # unsupported fields by model name

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        model = profile.model
        if not model:
            self._first_model = self._first_model or (await self._listed(profile, CHECK_SECONDS))[0]
            model = self._first_model
        reply = await self._ask(_payload(prompt, model, profile), profile, enough)
        self._tells_time = self._tells_time or reply.timed
        read, cached = prompt_tokens(reply.counts.get("prompt"), prompt), reply.counts.get("cached")
        return Completion(
            self._wire.said(reply.text, profile, profile.stop),
            read,
            reply_tokens(reply.counts.get("completion"), reply.text, reply.thoughts, profile.max_tokens),
            reply.seconds,
            self._wire.said(reply.model or model, profile)[:200],
            None if cached is None or read is None else min(cached, read),
        )

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        """Count with llama.cpp's `/tokenize`, which stands beside `/v1`; None on other servers."""
        if not self._counts:
            return None
        address = f"{self._wire.base.removesuffix('/v1')}/tokenize"
        seconds = min(CHECK_SECONDS, profile.timeout)
        try:
            answer, _ = await self._wire.ask("POST", address, profile, seconds, {"content": text})
        except (NoSuch, Refused):
            self._counts = False  # do not send the whole text again
            return None
        found = answer.get("tokens")
        return len(found) if isinstance(found, list) else None

    async def check(self, profile: LLMProfile) -> str:
        self._first_model, self._counts, self._streams, self._streams_usage = None, True, True, True
        self._objections.clear()
        names = await self._listed(profile, min(CHECK_SECONDS, profile.timeout))
        self._first_model = names[0]
        return profile.model if profile.model in names else names[0]

    async def close(self) -> None:
        await self._wire.close()

    async def _listed(self, profile: LLMProfile, seconds: float) -> list[str]:
        none = "lists no model; load one there, or name one under model"
        return await self._wire.names("/models", profile, seconds, ("data", "id"), none)

    # ---- one reply ----

    async def _ask(self, payload: dict[str, Any], profile: LLMProfile, enough: Enough | None) -> _Reply:
        """Ask for a reply, leaving out fields that the model refuses; they are remembered if the request then works."""
        objections = self._objections.get(payload["model"], frozenset())
        while True:
            sent = _without(payload, objections)
            try:
                found = await self._fullest(sent, profile, enough)
            except Refused as refusal:
                if not (more := _named_in(refusal, sent)):
                    raise
                objections |= more
            else:
                self._objections[payload["model"]] = objections
                return found

    async def _fullest(self, payload: dict[str, Any], profile: LLMProfile, enough: Enough | None) -> _Reply:
        """Ask in the fullest way that the server takes; a way that it refuses is remembered."""
        while enough is not None and self._streams:
            with_usage = self._streams_usage
            try:
                return await self._streamed(payload, profile, enough)
            except (Refused, NoSuch) as refusal:
                if _named_in(refusal, payload):
                    raise  # a request without streaming would fail in the same way
                if with_usage and "stream_options" in str(refusal):
                    self._streams_usage = False
                    continue
            found = await self._plain(payload, profile)  # if this fails too, streaming was not the cause
            self._streams = False
            return found
        return await self._plain(payload, profile)

    async def _plain(self, payload: dict[str, Any], profile: LLMProfile) -> _Reply:
        return self._whole(*await self._wire.ask("POST", _path(profile), profile, profile.timeout, payload))

    def _whole(self, answer: dict[str, Any], seconds: float = 0.0) -> _Reply:
        try:
            choice = answer["choices"][0]
            text = choice["message"]["content"] if "message" in choice else choice["text"]
        except (KeyError, IndexError, TypeError):
            text = 0
        text = "" if text is None else text  # None: a reasoning model that used up its tokens on thoughts
        if not isinstance(text, str):
            raise Unavailable(f"{self._wire.name} sent an answer without a text")
        thoughts = _thoughts(choice.get("message"))
        return _Reply(text, _model(answer), _counts(answer), "timings" in answer, thoughts, seconds)

    async def _streamed(self, payload: dict[str, Any], profile: LLMProfile, enough: Enough) -> _Reply:
        asked = {**payload, "stream": True}
        if self._streams_usage:
            asked["stream_options"] = {"include_usage": True}
        if self._tells_time:
            asked["timings_per_token"] = True  # llama.cpp only; without it, counts are lost on an early end
        async with self._wire.opened("POST", _path(profile), profile, profile.timeout, asked) as response:
            if "json" in response.headers.get("content-type", ""):  # the server ignored `stream`
                reply = self._whole(self._wire.checked(decoded(await self._wire.read(response))))
            else:
                reply = await self._follow(response, profile, enough)
        reply.seconds = response.elapsed.total_seconds()
        return reply

    async def _follow(self, response: httpx.Response, profile: LLMProfile, enough: Enough) -> _Reply:
        reply, streamed, finished, event = _Reply(), StreamedReply(profile, enough), False, None
        async for event in self._events(response, profile):
            if event is _DONE:
                finished = True
                break
            reply.model = reply.model or _model(event)
            reply.counts |= _counts(event)
            reply.timed = reply.timed or "timings" in event
            choice = _choice(event)
            if choice is None or (piece := _piece(choice)) is None:
                raise Unavailable(f"{self._wire.name} sent an answer without a text")
            reply.thoughts += _thoughts(choice.get("delta"))
            finished = finished or choice.get("finish_reason") is not None
            if streamed.add(piece):
                finished = True
                break
        if event is None:
            self._wire.checked(None)
        if not finished:
            raise self._wire.broke_off()
        reply.text = streamed.text
        return reply

    async def _events(self, response: httpx.Response, profile: LLMProfile) -> AsyncIterator[dict[str, Any]]:
        async for line in self._wire.lines(response.aiter_raw(), profile.max_tokens):
            name, _, value = line.partition(b":")
            if name not in (b"data", b"error"):
                continue
            if value.strip() == b"[DONE]":
                yield _DONE
                return
            event = decoded(value.strip())
            if event is None:
                raise Unavailable(f"{self._wire.name} sent junk in the middle of its reply")
            if name == b"error" or event.get("error"):
                raise self._wire.midway(event if "error" in event else {"error": event}, profile)
            yield event


_DONE: dict[str, Any] = {"[DONE]": True}


def _path(profile: LLMProfile) -> str:
    return "/chat/completions" if profile.api == "chat" else "/completions"


def _payload(prompt: str, model: str, profile: LLMProfile) -> dict[str, Any]:
    limits = {"temperature": profile.temperature, "max_tokens": profile.max_tokens}
    payload: dict[str, Any] = {"model": model, **limits, "stream": False}
    if profile.stop:
        payload["stop"] = list(profile.stop)
    if profile.commands_only and profile.commands and "\n" in profile.stop:  # no grammar without an end of line
        payload["grammar"] = grammar_of(profile.commands)
    if profile.api == "chat":
        return payload | {"messages": [{"role": "user", "content": prompt}]}
    return payload | {"prompt": prompt}


def _without(payload: dict[str, Any], fields: frozenset[str]) -> dict[str, Any]:
    renamed = {name: payload[field] for field in fields & payload.keys() if (name := _OTHERWISE[field])}
    return {name: value for name, value in payload.items() if name not in fields} | renamed


def _named_in(refusal: Unavailable, payload: dict[str, Any]) -> frozenset[str]:
    """Return the replaceable fields that a refusal names; one-word names must be quoted, as they may be English."""
    found = re.findall(r"['\"`](\w+)['\"`]|\b(\w+_\w+)\b", str(refusal))
    return frozenset(quoted or plain for quoted, plain in found) & _OTHERWISE.keys() & payload.keys()


def _choice(event: dict[str, Any]) -> dict[str, Any] | None:
    choices = event.get("choices")
    if choices in ([], None):
        return {}
    return choices[0] if isinstance(choices, list) and isinstance(choices[0], dict) else None


def _piece(choice: dict[str, Any]) -> str | None:
    delta = choice.get("delta", choice)
    if not isinstance(delta, dict):
        return None
    text = delta.get("content" if "delta" in choice else "text")
    return "" if text is None else text if isinstance(text, str) else None


def _thoughts(said: object) -> list[str]:
    found = [said.get(name) for name in ("reasoning_content", "reasoning")] if isinstance(said, dict) else []
    return [one for one in found if isinstance(one, str) and one][:1]


def _model(answer: dict[str, Any]) -> str:
    return answer["model"] if isinstance(answer.get("model"), str) else ""


def _counts(answer: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int | None] = {}
    usage, timings = answer.get("usage"), answer.get("timings")
    if isinstance(timings, dict):
        cached, read = count(timings.get("cache_n")), count(timings.get("prompt_n"))
        found = {"cached": cached, "completion": count(timings.get("predicted_n"))}
        if cached is not None and read is not None:
            found["prompt"] = cached + read
    if isinstance(usage, dict):
        details = usage.get("prompt_tokens_details")
        found |= {"prompt": count(usage.get("prompt_tokens")), "completion": count(usage.get("completion_tokens"))}
        if isinstance(details, dict) and "cached_tokens" in details:
            found["cached"] = count(details["cached_tokens"])
    return {name: value for name, value in found.items() if value is not None}


# ---- a grammar of the commands: with it a reply can only be one command line ----

_SLOT = re.compile(r"<[^>]*>|\[[^\]]*\]|\S+")
_FREE = ("words", "text", "query")
_RULES = r"""words ::= first (" " word)*
first ::= [^ \t\r\n|\[<{(\x01-\x1f\x7f] [^ \t\r\n|\x01-\x1f\x7f]*
word ::= [^ \t\r\n|\x01-\x1f\x7f]+
name ::= bare (" " bare){0,10}
bare ::= [^ \t\r\n|\[\]<>{}():;,.?*@"`\x01-\x1f\x7f] [^ \t\r\n|\[\]<>{}():;,?*@"`\x01-\x1f\x7f]*
"""
"""Words do not begin like a slot, which models like to repeat. A name has no punctuation and at most eleven words, or
the reply would be read as prose.
"""


@functools.lru_cache(maxsize=8)
def grammar_of(usages: tuple[str, ...]) -> str:
    """Return a grammar, in llama.cpp's GBNF, of command lines with an optional reason; a `<slot>` is required."""
    forms = " |\n    ".join(map(_form, usages))
    # The prompt ends without a space, so most models begin a reply with one, and some do not.
    return f'root ::= " "? command (" | " words)? "\\n"\ncommand ::= {forms}\n{_RULES}'


def _form(usage: str) -> str:
    verb, *slots = _SLOT.findall(usage)
    rule = [json.dumps(verb)]
    for slot in slots:
        filled = f'" " {"words" if slot[1:-1] in _FREE else "name"}'
        rule.append({"[": f"({filled})?", "<": filled}.get(slot[0], json.dumps(f" {slot}")))
    return " ".join(rule)


def base_url(host: str) -> str:
    """Return the base address: `/v1` is added unless the host has a path of its own."""
    server, path = checked_parts(host, "http://127.0.0.1:8080")
    return server + (path or "/v1")


OPENAI_COMPATIBLE = Backend(
    "openai_compatible",
    "Any server that speaks OpenAI's protocol, such as llama.cpp or Ollama under /v1.",
    OpenAICompatible,
)
