"""Ollama by its own protocol: `/api/generate` and `/api/tags`.

Stops, lengths and the window count only inside `options`. `truncate` is off, so that the server refuses a prompt that
is too long instead of dropping its beginning. Ollama has no endpoint that counts tokens.
"""

from __future__ import annotations

import re
from typing import Any

from agents.llm.backend import Backend, Completion, Enough, StreamedReply
from agents.llm.http import CHECK_SECONDS, NoSuch, Wire, checked_parts, count, decoded
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import prompt_tokens, reply_tokens
from mud.errors import Unavailable

ADDRESS = "http://127.0.0.1:11434"
_MEANINGS = {404: f"it does not know this address: is it an Ollama? That one listens at {ADDRESS}"}
_MISSING = re.compile(r"model .*not found|not found.*model", re.I)


class Ollama:
    def __init__(self, profile: LLMProfile) -> None:
        self._wire = Wire(base_url(profile.host), meanings=_MEANINGS)
        self._first_model: str | None = None

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        model = profile.model
        if not model:
            self._first_model = self._first_model or (await self._listed(profile, CHECK_SECONDS))[0]
            model = self._first_model
        payload = _payload(prompt, model, profile, stream=enough is not None)
        try:
            if enough is None:
                answer, seconds = await self._wire.ask("POST", "/api/generate", profile, profile.timeout, payload)
                if answer.get("error"):
                    raise self._wire.midway(answer, profile)
                text, thoughts = self._text(answer), _thoughts(answer)
                if not answer.get("done"):
                    raise self._wire.broke_off()
            else:
                text, thoughts, answer, seconds = await self._streamed(payload, profile, enough)
        except NoSuch as error:
            if _MISSING.search(str(error)):
                raise self._has_not(model) from error
            raise
        return Completion(
            self._wire.said(text, profile, profile.stop),
            prompt_tokens(count(answer.get("prompt_eval_count")), prompt),
            reply_tokens(count(answer.get("eval_count")), text, thoughts, profile.max_tokens),
            seconds,
            self._wire.said(model, profile)[:200],
        )

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        if self._wire.closed:
            raise Unavailable(f"the way to {self._wire.name} is closed")
        return None

    async def check(self, profile: LLMProfile) -> str:
        self._first_model = None
        names = await self._listed(profile, min(CHECK_SECONDS, profile.timeout))
        wanted = profile.model.lower()
        if wanted and not {wanted, f"{wanted}:latest"} & {name.lower() for name in names}:
            raise self._has_not(profile.model)
        self._first_model = names[0]
        return profile.model or names[0]

    async def close(self) -> None:
        await self._wire.close()

    async def _listed(self, profile: LLMProfile, seconds: float) -> list[str]:
        none = "has no model yet; `ollama pull NAME` gets one"
        return await self._wire.names("/api/tags", profile, seconds, ("models", "name"), none)

    def _has_not(self, model: str) -> NoSuch:
        return NoSuch(f"{self._wire.name} has no model {model!r}; `ollama pull {model}` gets it")

    def _text(self, answer: dict[str, Any]) -> str:
        text = answer.get("response")
        if not isinstance(text, str):
            raise Unavailable(f"{self._wire.name} sent an answer without a text")
        return text

    async def _streamed(
        self, payload: dict[str, Any], profile: LLMProfile, enough: Enough
    ) -> tuple[str, list[str], dict[str, Any], float]:
        """Return the text, the thoughts, the numbers of the last line (empty when ended early), and the seconds."""
        reply, thoughts, last = StreamedReply(profile, enough), list[str](), dict[str, Any]()
        async with self._wire.opened("POST", "/api/generate", profile, profile.timeout, payload) as response:
            async for line in self._wire.lines(response.aiter_raw(), profile.max_tokens):
                if not line.strip():
                    continue
                part = self._wire.checked(decoded(line))
                if part.get("error"):
                    raise self._wire.midway(part, profile)
                thoughts += _thoughts(part)
                over = reply.add(self._text(part))
                if part.get("done"):
                    last = part
                if over or last:
                    break
            else:
                raise self._wire.broke_off()
        return reply.text, thoughts, last, response.elapsed.total_seconds()


def _thoughts(answer: dict[str, Any]) -> list[str]:
    thought = answer.get("thinking")
    return [thought] if isinstance(thought, str) and thought else []


def _payload(prompt: str, model: str, profile: LLMProfile, *, stream: bool) -> dict[str, Any]:
    options = {"temperature": profile.temperature, "num_predict": profile.max_tokens, "num_ctx": profile.num_ctx}
    stops = {"stop": list(profile.stop)} if profile.stop else {}
    payload: dict[str, Any] = {"model": model, "prompt": prompt, "stream": stream, "raw": profile.api == "completions"}
    payload |= {"options": {**options, **stops}, "truncate": False, "shift": False}
    if profile.think != "auto":
        payload["think"] = {"never": False, "always": True}.get(profile.think, profile.think)
    if profile.keep_alive.strip():
        payload["keep_alive"] = kept_alive(profile)
    return payload


def kept_alive(profile: LLMProfile) -> int | str:
    keep = profile.keep_alive.strip()
    return int(keep) if re.fullmatch(r"-?[0-9]{1,9}", keep) else keep


def base_url(host: str) -> str:
    server, path = checked_parts(host, ADDRESS)
    return server + path.removesuffix("/v1").removesuffix("/api")


OLLAMA = Backend(
    "ollama", "Ollama by its own protocol, which sets its window; at http://127.0.0.1:11434.", Ollama, tells_whole=False
)
