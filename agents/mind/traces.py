"""Traces: how a line came about, as values, as lines of JSON, and in files, the oldest of which are deleted.

A trace holds recall hits, model calls, the deciding brain and its reason. It is private, so only the owner may see it.
Traces are expendable: one that cannot be written is dropped, and a broken line is skipped.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import orjson

from agents.llm.backend import Completion
from agents.memory.entries import Hit
from agents.prompt.prompt import Prompt, PromptSection
from mud.sanitize import sanitize_json, sanitize_values
from mud.storage.paths import make_folder, open_own, read_bytes, remove

LONGEST_HIT = 300
LONGEST_REPLY = 20_000
"""Characters kept of a raw reply, as many as `agents.reply.reply` reads."""
LONGEST_CUE = 2_000
PARTS = ("lexical", "vector", "recency", "importance", "neighbours", "who", "when", "answer", "echoed")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TracedHit:
    """One recall hit.

    `ref` is the number of an entry, `66-129` for a summary of these, or `[[Sundial]]` for a note; `parts` are the
    score's components by name, without zeros. `actor` is empty for the agent itself.
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
    query: str
    found: tuple[TracedHit, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call to a language model; empty strings mean none.

    Args:
        rejected: why the reply was not used.
        host: the host that answered; all hosts of the profile when none did.
        tokens: size of the prompt by our count; `prompt_tokens` is the server's.
        glue: what stands between the last section of the prompt and those before.
        shed: what was left out of the prompt, in words.
        queued, seconds: time in the queue, time of the model.
    """

    hint: str = ""
    reply: str = ""
    error: str = ""
    rejected: str = ""
    profile: str = ""
    host: str = ""
    model: str = ""
    sections: tuple[PromptSection, ...] = ()
    glue: str = "\n"
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
    """How one line came about, or one passed turn.

    Args:
        step: the ledger step of the line; for a passed turn, the last step before it.
        line: the command line with its private reason; None for a passed turn.
        brain: also `habit` for fixed rules, and `possessed` for a line typed by a person in control of the agent.
        text: key of the phrase that worded the line; empty when a model worded it.
        answers: number of the entry that it answers; 0 for none.
        cites: the sources, in the form of `TracedHit.ref`.
        instead: why another brain, which was chosen first, did not decide.
        refused: the reply of the world when the line failed.
        cut: texts in it were shortened to fit into the room for traces.
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
    cut: bool = False


def lookup_of(query: str, hits: tuple[Hit, ...]) -> Lookup:
    return Lookup(query[:LONGEST_CUE], tuple(map(_found, hits)))


def _found(hit: Hit) -> TracedHit:
    entry = hit.entry
    ref = f"{hit.covers[0]}-{hit.covers[1]}" if hit.covers else str(hit.seq) if hit.seq else f"[[{hit.title}]]"
    parts = {name: value for name in PARTS if (value := _finite(getattr(hit, name) or 0.0))}
    actor, place, at = (entry.actor or "", entry.place or "", entry.at) if entry else ("", "", hit.at)
    return TracedHit(hit.kind, ref, _finite(hit.score), parts, hit.text[:LONGEST_HIT], actor, place, at)


def with_texts(trace: Trace, change: Callable[[str], str]) -> Trace:
    """Return a trace with every text in it that may quote memories changed by a function."""

    def looked(one: Lookup) -> Lookup:
        return Lookup(change(one.query), tuple(replace(hit, text=change(hit.text)) for hit in one.found))

    def asked(one: ModelCall) -> ModelCall:
        sections = tuple(replace(part, text=change(part.text)) for part in one.sections)
        related = looked(one.related) if one.related is not None else None
        one = replace(one, hint=change(one.hint), reply=change(one.reply), rejected=change(one.rejected))
        return replace(one, sections=sections, related=related)

    line = change(trace.line) if trace.line is not None else None
    why, instead, refused = map(change, (trace.why, trace.instead, trace.refused))
    trace = replace(trace, line=line, why=why, instead=instead, refused=refused)
    return replace(trace, lookups=tuple(map(looked, trace.lookups)), asked=tuple(map(asked, trace.asked)))


def _finite(value: float) -> float:
    """Round a number; return 0 for NaN and infinity, which JSON cannot hold."""
    return round(value, 3) if math.isfinite(value) else 0.0


class ModelCallTimer:
    def __init__(self, hint: str, profile: str, host: str, seconds: Callable[[], float]) -> None:
        self._asked = ModelCall(hint=hint, profile=profile, host=host)
        self._seconds = seconds
        self._began = self._since = seconds()

    def related(self, query: str, hits: tuple[Hit, ...]) -> None:
        if hits:
            self._asked = replace(self._asked, related=lookup_of(query, hits))

    def built(self, prompt: Prompt) -> str:
        """Record the prompt, which is built when the call leaves the queue, and return its text."""
        self._since = self._seconds()
        self._asked = replace(
            self._asked,
            sections=prompt.sections,
            glue=prompt.glue,
            tokens=prompt.tokens,
            window=prompt.window,
            reserve=prompt.reserve,
            shed=prompt.shed,
            queued=round(self._since - self._began, 3),
        )
        return prompt.text

    def answered(self, completion: Completion) -> ModelCall:
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
        return replace(self._asked, error=str(why), seconds=self._passed())

    def _passed(self) -> float:
        return round(self._seconds() - self._since, 3)


def briefly(trace: Trace) -> Trace:
    asked = tuple(replace(one, sections=(), related=None, reply=one.reply[:LONGEST_HIT]) for one in trace.asked)
    return replace(trace, lookups=(), asked=asked)


def to_json(trace: Trace, longest: int | None = None) -> str:
    """Return a trace as one JSON line without newline or default values; texts are cut after `longest` characters.

    Step, time, character and line come first, so that a reader can skip a line without decoding all of it.
    """
    asked = tuple(replace(one, reply=one.reply[:LONGEST_REPLY]) for one in trace.asked)
    head = {"step": trace.step, "at": trace.at, "who": trace.who, "line": trace.line}
    rest = _plain(replace(trace, asked=asked))
    if longest is not None:
        rest = {key: _cut(value, longest) for key, value in rest.items() if key not in ("at", "who")} | {"cut": True}
    try:
        return orjson.dumps(head | rest).decode()
    except TypeError:  # a lone surrogate, which only the json module writes, as an escape
        return json.dumps(head | rest, ensure_ascii=False, separators=(",", ":"))


def _cut(value: Any, longest: int) -> Any:
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
    step: int
    at: str
    who: str
    line: str | None
    raw: bytes

    def trace(self) -> Trace:
        """Decode the whole trace; raises ValueError when the line is broken."""
        try:
            return _read(Trace, sanitize_json(self.raw, json.loads(self.raw)))
        except (TypeError, AttributeError, KeyError, RecursionError) as error:
            raise ValueError("this is no trace") from error


def head_of(raw: bytes) -> Head | None:
    """Return the first fields of a trace's line; None when it is broken."""
    found = _HEAD.match(raw)
    if found is None:
        return None
    try:
        line = sanitize_values(json.loads(found["line"]))
        return Head(int(found["step"]), found["at"].decode(), found["who"].decode(), line, raw)
    except ValueError:
        return None


def _plain(one: Any) -> dict[str, Any]:
    given = {field.name: getattr(one, field.name) for field in fields(one)}
    return {name: _value(value) for name, value in given.items() if value != _DEFAULTS[type(one)].get(name)}


def _value(value: Any) -> Any:
    if isinstance(value, TracedHit):  # there are dozens of them, and the generic way takes four times as long
        return {name: getattr(value, name) for name in _FOUND}
    if is_dataclass(value):
        return _plain(value)
    if isinstance(value, tuple):
        return [_value(one) for one in value]
    return value


_FOUND = tuple(field.name for field in fields(TracedHit))
_DEFAULTS = {
    form: {field.name: field.default for field in fields(form) if field.default is not MISSING}
    for form in (Trace, ModelCall, Lookup, PromptSection)
}


def _read(form: type[T], data: Mapping[str, Any]) -> T:
    """Read a value of a trace from JSON; fields that this version does not know, as of a newer one, are left out."""
    known = {field.name: data[field.name] for field in fields(form) if field.name in data}  # type: ignore[arg-type]
    for name in known.keys() & _NESTED.keys():
        known[name] = tuple(_read(_NESTED[name], one) for one in known[name])
    if known.get("related") is not None:
        known["related"] = _read(Lookup, known["related"])
    for name in known.keys() & {"cites", "shed"}:
        known[name] = tuple(known[name])
    if form is TracedHit:  # earlier versions wrote numbers that JSON cannot hold as null
        known["parts"] = {name: value for name, value in data["parts"].items() if value is not None}
        known["score"] = data["score"] or 0.0
    return form(**known)


_NESTED: Mapping[str, type[Any]] = {
    "lookups": Lookup,
    "asked": ModelCall,
    "sections": PromptSection,
    "found": TracedHit,
}


log = logging.getLogger(__name__)

FILES = 4
"""Number of files that share the room; the oldest is deleted as a whole."""


class TraceFile:
    def __init__(self, folder: Path) -> None:
        self._folder, self._failing = folder, False
        self._newest: Path | None = None
        """The file written last; saves listing the folder for every trace."""

    def keep(self, trace: Trace, room: int) -> None:
        """Append a trace and delete the oldest files when more than `room` bytes are used. Never raises.

        A trace larger than the whole room is cut. A failure is logged once.
        """
        if room <= 0:
            return
        try:
            self._write(trace, room)
            self._failing = False
        except OSError as error:
            if not self._failing:
                log.warning("the traces of %s cannot be kept: %s", self._folder.name, error)
            self._failing = True

    def _write(self, trace: Trace, room: int) -> None:
        data = _line(trace)
        longest = len(data)
        while len(data) > room and (longest := longest // 2):
            data = _line(trace, longest)
        if len(data) > room:
            return  # too large even when cut
        if self._newest is not None and _append(self._newest, data, room // FILES):
            return
        files = self._files()
        sizes = [path.stat().st_size for path in files]
        if files and _append(files[-1], data, room // FILES):
            self._newest = files[-1]
            return
        make_folder(self._folder, above=True)
        for path in files:  # before the new file is created: on a full disk this frees the space for it
            if sum(sizes) + max(room // FILES, len(data)) <= room:
                break
            remove(path)
            sizes.pop(0)
        self._newest = self._folder / f"{trace.step:010d}.jsonl"
        _append(self._newest, data)

    def heads(self, who: str, through: int | None = None) -> Iterator[Head]:
        """Yield the heads of submitted lines of a character, newest first, up to step `through`; reads files lazily."""
        for path in reversed(self._files()):
            if through is not None and int(path.stem) > through:
                continue
            try:
                lines = read_bytes(path).split(b"\n")
            except OSError as error:
                log.warning("traces of %s cannot be read: %s", self._folder.name, error)
                continue
            for raw in reversed(lines):
                head = head_of(raw)
                if head is not None and head.line is not None and head.who == who:
                    yield head

    def find(self, who: str, step: int) -> Head | None:
        """Return the head of a step's trace; None when it is not kept."""
        for head in self.heads(who, step):
            if head.step <= step:
                return head if head.step == step else None
        return None

    def _files(self) -> list[Path]:
        try:
            names = sorted(name for name in os.listdir(self._folder) if name[:-6].isdecimal() and name[-6:] == ".jsonl")  # noqa: PTH208
        except OSError:
            return []
        return [self._folder / name for name in names]


def traces_of(vault: Path, slug: str) -> TraceFile:
    """Return the traces of the agent in a folder, whose memory need not be opened for them."""
    return TraceFile(vault / "log/traces" / slug)


def _line(trace: Trace, longest: int | None = None) -> bytes:
    return to_json(trace, longest).encode("utf-8", "backslashreplace") + b"\n"


def _append(path: Path, data: bytes, most: int | None = None) -> bool:
    """Append a line to a file, on a line of its own even after a torn one, all or nothing.

    Return False when the file would exceed `most` bytes or is missing. With None the file is created, without limit.
    """
    try:
        descriptor = open_own(path, os.O_RDWR | os.O_APPEND | (os.O_CREAT if most is None else 0))
    except FileNotFoundError:
        if most is None:
            raise
        return False
    try:
        size = os.fstat(descriptor).st_size
        if most is not None and size + len(data) > most:
            return False
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            data = b"\n" + data
        written = os.write(descriptor, data)
        if written != len(data):
            os.ftruncate(descriptor, size)
            raise OSError(f"only {written} of {len(data)} bytes could be written")
        return True
    finally:
        os.close(descriptor)
