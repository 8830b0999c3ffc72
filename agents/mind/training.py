"""Training data: thoughts of an agent as JSON lines, from its traces, which hold each prompt by its sections.

A thought is left out when its agent held anything in confidence by then, or whispered: a summary in the prompt may tell
it in other words, so looking for the words of the whisper would not be safe. So is a thought after a whisper that
failed, or of unknown time. What an agent says aloud is public, wherever it has it from.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from agents.memory.entries import Entry
from agents.memory.memory import Memory
from agents.mind.interpreter import is_secret
from agents.mind.traces import ModelCall, Trace, TraceFile
from agents.prompt.prompt import join_sections
from mud.commands.speech import whisper
from mud.world.events import WHISPERED

FORMS = ("chat", "completion")
OUTCOMES = ("done", "refused", "rejected")
"""The world carried the line out, the world refused it, or the reply was no line that could be used."""

_CHUNK = 4096  # memories that are read at once
_UNSOUND = 0  # the step from which on everything counts as private
_NEVER = math.inf
_VERBS = (whisper.name, *whisper.aliases)
_ASIDE = re.compile(rf"\b(?:{'|'.join(_VERBS)})", re.I)
"""Mentions whispering; failures alone are searched for it, as their words may be in any form."""


class TrainingExample(NamedTuple):
    """One call to a model. `reply` is the line that was submitted; for a rejected one, what the model wrote."""

    agent: str
    at: str
    step: int
    brain: str
    model: str
    outcome: str
    prompt: str
    reply: str
    private: bool

    def record(self, form: str) -> dict[str, Any]:
        """Return the example in one of `FORMS`, with what it came from."""
        told = {name: getattr(self, name) for name in ("agent", "at", "step", "brain", "model", "outcome")}
        if form == "completion":
            return {"prompt": self.prompt, "completion": f" {self.reply}", **told}
        words = (("user", self.prompt), ("assistant", self.reply))
        return {"messages": [{"role": role, "content": text} for role, text in words], **told}


def training_examples(name: str, who: str, traces: TraceFile, memory: Memory, last: int) -> Iterator[TrainingExample]:
    """Yield every model call behind the submitted lines of an agent, newest first. Raises OSError for its archive.

    Args:
        last: the last step that is in the memory for sure; later thoughts may hold whispers that it does not know.
    """
    private_from = _private_from(memory)
    for head in traces.heads(who, last):
        try:
            trace = head.trace()
        except ValueError:
            continue  # a broken line
        if trace.step <= last and not trace.cut:
            private = not 0 < trace.step < private_from or _whispers(trace)
            yield from (
                _example(name, trace, call, private) for call in trace.asked if call.sections and call.reply.strip()
            )


def _example(name: str, trace: Trace, call: ModelCall, private: bool) -> TrainingExample:
    outcome = "rejected" if call.rejected else "refused" if trace.refused else "done"
    reply = call.reply.strip() if call.rejected else trace.line or ""
    prompt = join_sections([section.text for section in call.sections], call.glue)
    return TrainingExample(name, trace.at, trace.step, trace.brain, call.model, outcome, prompt, reply, private)


def _whispers(trace: Trace) -> bool:
    """Return whether the line is a whisper or a failed one, or a rejected reply may be one."""
    verb, *_ = (trace.line or "").casefold().split() or [""]
    failures = [trace.line or "", trace.refused] if trace.refused else []
    failures += [call.reply for call in trace.asked if call.rejected]
    return verb in _VERBS or any(map(_ASIDE.search, failures))


def _private_from(memory: Memory) -> float:
    """Return the step that left the first private memory; infinity without one, 0 when a memory cannot be read."""
    if memory.missing_from is not None:
        return _UNSOUND
    for first in range(1, memory.total + 1, _CHUNK):
        last = min(first + _CHUNK - 1, memory.total)
        entries = memory.read(first, last)
        if len(entries) != last - first + 1:
            return _UNSOUND
        found = next((entry.source for entry in entries if _is_private(entry)), None)
        if found is not None:
            return found
    return next((entry.source for entry in memory.tail if _is_private(entry)), _NEVER)  # also those in no archive yet


def _is_private(entry: Entry) -> bool:
    return entry.mark == WHISPERED or is_secret(entry) or (entry.failed and _ASIDE.search(entry.text) is not None)


class Wanted(NamedTuple):
    """Which examples are exported; an empty text means all."""

    form: str = "chat"
    brain: str = ""
    outcome: str = ""
    whispers: bool = False

    def takes(self, example: TrainingExample) -> bool:
        return self.brain in ("", example.brain) and self.outcome in ("", example.outcome)


class TrainingExport(NamedTuple):
    """JSON lines, oldest first, how many these are, and how many examples were left out as private."""

    text: str
    written: int
    private: int


Source = Callable[[], Iterator[TrainingExample]]


def export_training(sources: list[Source], wanted: Wanted) -> TrainingExport:
    """Return the wanted examples of all sources as JSON lines. Only reads, so it may run in a thread."""
    taken = [example for source in sources for example in source() if wanted.takes(example)]
    kept = sorted((one for one in taken if wanted.whispers or not one.private), key=lambda one: (one.at, one.step))
    lines = [json.dumps(example.record(wanted.form), ensure_ascii=False) + "\n" for example in kept]
    return TrainingExport("".join(lines), len(kept), len(taken) - len(kept))
