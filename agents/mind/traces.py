"""How a line came about, as a value: what was recalled, what a model was asked and replied, who decided, and why.

Pure: it knows what a trace holds and the form of its line in a file, not where it is kept. It invents nothing: what was
not told while the thought went on stands nowhere in it. A trace holds private things, so it is for the owner's eyes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import orjson

from agents.llm.backend import Completion
from agents.memory.entries import Hit
from agents.prompt.prompt import Prompt, PromptSection
from mud.sanitize import sanitize_json, sanitize_values

LONGEST_HIT = 300
"""Characters kept of what recall found; the whole of it is in the archive."""
LONGEST_REPLY = 20_000
"""Characters kept of a raw reply: as many as `agents.reply.replies` looks at."""
LONGEST_CUE = 2_000
"""Characters kept of what recall was asked for a prompt, which are the newest memories."""
PARTS = ("lexical", "vector", "recency", "importance", "neighbours", "who", "when", "answer", "echoed")
"""The parts of a hit's score, by their names in `Hit`."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TracedHit:
    """One thing that recall found.

    Args:
        kind: kind of memory, or `summary` or `note`.
        ref: the number of the memory, `66-129` for a summary of these, `[[Sundial]]` for a note.
        score: the fused score.
        parts: what it is made of, by name; parts there is nothing of are left out.
        text: its beginning.
        actor: who acted; empty for the agent itself, and where nobody did.
        place: where; empty when that is not known.
        at: when, as written; empty when that is not known.
    """

    kind: str
    ref: str
    score: float
    parts: Mapping[str, float]
    text: str
    actor: str = ""
    place: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Something that recall was asked.

    Args:
        query: what was looked for.
        found: what it found, best first.
    """

    query: str
    found: tuple[TracedHit, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelCall:
    """Something that a language model was asked.

    Args:
        hint: the advice in the prompt; empty for none.
        reply: the raw reply.
        error: why there is none; empty when there is.
        rejected: why nothing was done by it; empty when something was.
        profile, host, model: the LLM profile, the host that answered, all its hosts when none did, and the model that
            answered; empty when none did.
        sections: the prompt's parts in their order.
        tokens, window, reserve: what the prompt took by our count, of what, and what was kept free for the reply.
        shed: what was left out of the prompt, in words.
        prompt_tokens, completion_tokens, cached_tokens: as the server counted; None when it does not say.
        queued: seconds until its turn came.
        seconds: how long the model then took.
        related: what was looked up for the prompt.
    """

    hint: str = ""
    reply: str = ""
    error: str = ""
    rejected: str = ""
    profile: str = ""
    host: str = ""
    model: str = ""
    sections: tuple[PromptSection, ...] = ()
    tokens: int = 0
    window: int = 0
    reserve: int = 0
    shed: tuple[str, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    queued: float = 0.0
    seconds: float = 0.0
    related: Lookup | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """How one line came about, or one turn that passed.

    Args:
        step: number of the ledger's step that the line is; of a turn that passed, of the last step before.
        at: when, as written.
        who: id of the character.
        line: the command line, with its private reason; None when the turn passed.
        name: the agent's name.
        place: name of the location.
        brain: what decided; `habit` for what agents do by rule, such as falling asleep by the clock; `possessed`
            for what was typed by whoever had taken the agent over.
        why: in a few words.
        text: key of the text that words the line; empty when a model worded it.
        answers: number of the memory that it answers; 0 for none.
        cites: what it rests on, written as the `ref` of what is found.
        waiting: a person waited for it.
        instead: why another brain, whose turn it was, did not decide; empty when it did.
        refused: what the world said to it; empty when it did as it was told.
        seconds: how long the thought took.
        lookups: what was asked of recall.
        asked: what was asked of a language model, every try.
    """

    step: int
    at: str
    who: str
    line: str | None
    name: str = ""
    place: str = ""
    brain: str = ""
    why: str = ""
    text: str = ""
    answers: int = 0
    cites: tuple[str, ...] = ()
    waiting: bool = False
    instead: str = ""
    refused: str = ""
    seconds: float = 0.0
    lookups: tuple[Lookup, ...] = ()
    asked: tuple[ModelCall, ...] = ()


# while a thought goes on


def lookup_of(query: str, hits: tuple[Hit, ...]) -> Lookup:
    """Return what a trace keeps of a question to recall and its answer."""
    return Lookup(query[:LONGEST_CUE], tuple(map(_found, hits)))


def _found(hit: Hit) -> TracedHit:
    entry = hit.entry
    ref = f"{hit.covers[0]}-{hit.covers[1]}" if hit.covers else str(hit.seq) if hit.seq else f"[[{hit.title}]]"
    parts = {name: value for name in PARTS if (value := _finite(getattr(hit, name) or 0.0))}
    actor, place, at = (entry.actor or "", entry.place or "", entry.at) if entry else ("", "", hit.at)
    return TracedHit(hit.kind, ref, _finite(hit.score), parts, hit.text[:LONGEST_HIT], actor, place, at)


def _finite(value: float) -> float:
    """Return a number as a trace keeps it; 0 for what is none, which no file could hold."""
    return round(value, 3) if math.isfinite(value) else 0.0


class ModelCallTimer:
    """Takes note of one question to a model while it is asked.

    Args:
        hint: the advice in the prompt.
        profile, host: the LLM profile that is asked, and where; all its hosts when there are several.
        seconds: a monotonic clock.
    """

    def __init__(self, hint: str, profile: str, host: str, seconds: Callable[[], float]) -> None:
        self._asked = ModelCall(hint=hint, profile=profile, host=host)
        self._seconds = seconds
        self._began = self._since = seconds()

    def related(self, query: str, hits: tuple[Hit, ...]) -> None:
        """Note what was looked up for the prompt."""
        if hits:
            self._asked = replace(self._asked, related=lookup_of(query, hits))

    def built(self, prompt: Prompt) -> str:
        """Note the prompt, which is made when the question's turn comes, anew at each turn, and return its text."""
        self._since = self._seconds()
        self._asked = replace(
            self._asked,
            sections=prompt.sections,
            tokens=prompt.tokens,
            window=prompt.window,
            reserve=prompt.reserve,
            shed=prompt.shed,
            queued=round(self._since - self._began, 3),
        )
        return prompt.text

    def answered(self, completion: Completion) -> ModelCall:
        """Return everything, with the reply."""
        return replace(
            self._asked,
            reply=completion.text,
            model=completion.model,
            host=completion.host or self._asked.host,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            cached_tokens=completion.cached_tokens,
            seconds=self._passed(),
        )

    def failed(self, why: Exception) -> ModelCall:
        """Return everything, with why there is no reply."""
        return replace(self._asked, error=str(why), seconds=self._passed())

    def _passed(self) -> float:
        return round(self._seconds() - self._since, 3)


# in a file


def briefly(trace: Trace) -> Trace:
    """Return a trace without what was found and what the prompts said: enough of a turn that passed."""
    asked = tuple(replace(one, sections=(), related=None, reply=one.reply[:LONGEST_HIT]) for one in trace.asked)
    return replace(trace, lookups=(), asked=asked)


def to_json(trace: Trace, longest: int | None = None) -> str:
    """Return the line of a trace, without the newline; what is empty is left out.

    It begins with step, time, character and line, so that a reader can pass over it without decoding the rest.

    Args:
        trace: the trace.
        longest: characters after which each of its texts is cut; None for all of them.
    """
    asked = tuple(replace(one, reply=one.reply[:LONGEST_REPLY]) for one in trace.asked)
    head = {"step": trace.step, "at": trace.at, "who": trace.who, "line": trace.line}
    rest = _plain(replace(trace, asked=asked))
    if longest is not None:
        rest = {key: _cut(value, longest) for key, value in rest.items() if key not in ("at", "who")}
    try:
        return orjson.dumps(head | rest).decode()
    except TypeError:  # half a surrogate pair, which Python's own writes as an escape
        return json.dumps(head | rest, ensure_ascii=False, separators=(",", ":"))


def _cut(value: Any, longest: int) -> Any:
    """Return what a file holds with every text in it cut, and a sign where one was."""
    match value:
        case str():
            return value if len(value) <= longest else value[:longest] + "…"
        case dict():
            return {key: _cut(one, longest) for key, one in value.items()}
        case list() | tuple():
            return [_cut(one, longest) for one in value]
    return value


_HEAD = re.compile(
    rb'\{"step":(?P<step>\d{1,15}),"at":"(?P<at>[^"\\]*)","who":"(?P<who>[^"\\]*)",'
    rb'"line":(?P<line>null|"(?:[^"\\]|\\.)*")'
)


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a trace's line.

    Args:
        step, at, who, line: as in `Trace`.
        raw: the whole line.
    """

    step: int
    at: str
    who: str
    line: str | None
    raw: bytes

    def trace(self) -> Trace:
        """Return the whole trace.

        Raises:
            ValueError: when the rest of the line is broken.
        """
        try:
            return _trace(sanitize_json(self.raw, json.loads(self.raw)))
        except (TypeError, AttributeError, KeyError, RecursionError) as error:
            raise ValueError("this is no trace") from error


def head_of(raw: bytes) -> Head | None:
    """Return the beginning of a trace's line; None when it is broken."""
    found = _HEAD.match(raw)
    if found is None:
        return None
    try:
        line = sanitize_values(json.loads(found["line"]))
        return Head(int(found["step"]), found["at"].decode(), found["who"].decode(), line, raw)
    except ValueError:
        return None


def _plain(one: Any) -> dict[str, Any]:
    """Return a value as JSON holds it, without what is as it is by default."""
    return {
        field.name: _value(value) for field in fields(one) if (value := getattr(one, field.name)) != _default(field)
    }


def _value(value: Any) -> Any:
    if isinstance(value, TracedHit):  # by hand: there are dozens of them, and the general way takes four times as long
        return {name: getattr(value, name) for name in _FOUND}
    if is_dataclass(value):
        return _plain(value)
    if isinstance(value, tuple):
        return [_value(one) for one in value]
    return value


_FOUND = tuple(field.name for field in fields(TracedHit))


def _default(field: Field[Any]) -> Any:
    return field.default if field.default is not MISSING else None


def _trace(data: Mapping[str, Any]) -> Trace:
    lookups, asked = data.get("lookups", ()), data.get("asked", ())
    known = _known(Trace, data) | {"line": data.get("line"), "cites": tuple(data.get("cites", ()))}
    return Trace(**known | {"lookups": tuple(map(_lookup, lookups)), "asked": tuple(map(_asked, asked))})


def _asked(data: Mapping[str, Any]) -> ModelCall:
    sections = tuple(PromptSection(**_known(PromptSection, one)) for one in data.get("sections", ()))
    related = _lookup(data["related"]) if "related" in data else None
    return ModelCall(
        **_known(ModelCall, data) | {"sections": sections, "related": related, "shed": tuple(data.get("shed", ()))}
    )


def _lookup(data: Mapping[str, Any]) -> Lookup:
    return Lookup(data["query"], tuple(map(_found_in, data.get("found", ()))))


def _found_in(data: Mapping[str, Any]) -> TracedHit:
    """Return what was found, without numbers that are none: earlier versions wrote those as null."""
    parts = {name: value for name, value in data["parts"].items() if value is not None}
    return TracedHit(**_known(TracedHit, data) | {"score": data["score"] or 0.0, "parts": parts})


def _known(form: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what this version knows of an object, so that a line of a newer one can still be read."""
    return {field.name: data[field.name] for field in fields(form) if field.name in data}
