"""A trace as aligned rows of text. It shows what the trace holds and adds nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.agent import Agent
from agents.commands._excerpt import excerpt
from agents.commands._when import when
from agents.memory.ranges import read_reference, reference
from agents.mind.traces import PARTS, Lookup, ModelCall, Trace, TracedHit
from agents.population.population import Population
from mud.world.narration import Phrase, phrase

TITLE = phrase("minds.why.title", "name", "when", "place", "step")
BY = phrase("minds.why.by", "brain", "why")
BY_ALONE = phrase("minds.why.by_alone", "brain")
WAITED = phrase("minds.why.waited")
MEMORY = phrase("minds.why.memory", "seq", "when", "text")
SUMMARY = phrase("minds.why.summary", "reference")
NOTE = phrase("minds.why.note", "title")
GONE = phrase("minds.why.gone", "reference")
QUERY = phrase("minds.why.query", "query")
NOTHING = phrase("minds.why.nothing")
MORE = phrase("minds.why.more", "n")
SCORE = phrase("minds.why.score")
FOUND = phrase("minds.why.found")
MODEL = phrase("minds.why.model", "model", "profile", "host")
TOKENS = phrase("minds.why.tokens", "tokens", "room", "window", "reserve")
READ = phrase("minds.why.read", "n")
CACHED = phrase("minds.why.cached", "n")
WRITTEN = phrase("minds.why.written", "n")
QUEUED = phrase("minds.why.queued", "queued", "seconds")
SECONDS = phrase("minds.why.seconds", "seconds")
EMPTY = phrase("minds.why.empty")
SECTION = phrase("minds.why.section", "tokens", "name")

REASON_ROW = phrase("minds.why.row_reason")
ANSWERS_ROW = phrase("minds.why.row_answers")
DECIDED_ROW = phrase("minds.why.row_decided")
INSTEAD_ROW = phrase("minds.why.row_instead")
WORDING_ROW = phrase("minds.why.row_wording")
RESTS_ROW = phrase("minds.why.row_rests")
RECALLED_ROW = phrase("minds.why.row_recalled")
MODEL_ROW = phrase("minds.why.row_model")
PROMPT_ROW = phrase("minds.why.row_prompt")
RELATED_ROW = phrase("minds.why.row_related")
HINT_ROW = phrase("minds.why.row_hint")
SHED_ROW = phrase("minds.why.row_shed")
REPLY_ROW = phrase("minds.why.row_reply")
REJECTED_ROW = phrase("minds.why.row_rejected")
FAILED_ROW = phrase("minds.why.row_failed")
COST_ROW = phrase("minds.why.row_cost")
TOOK_ROW = phrase("minds.why.row_took")
REFUSED_ROW = phrase("minds.why.row_refused")

REASON_BAR = " | "
"""Separates a line from its private reason."""
LONGEST = 160
LONGEST_FOUND = 70
LONGEST_CUE = 100
SHOWN = 5

Row = tuple[Phrase, list[str]]


def told_trace(minds: Population, agent: Agent, trace: Trace, *, full: bool) -> list[str]:
    """Return a trace as lines of text; `full` includes the prompt, all hits and the raw replies."""
    said, _, reason = (trace.line or "").partition(REASON_BAR)
    told = when(minds.say, trace.at, minds.means.clock.now())
    title = minds.say(TITLE, name=trace.name, when=told, place=trace.place, step=trace.step)
    rows = [
        (REASON_ROW, [reason]),
        (REFUSED_ROW, trace.refused.splitlines()),
        (ANSWERS_ROW, [_memory(minds, agent, trace.answers)] if trace.answers else []),
        (DECIDED_ROW, _decided(minds, trace)),
        (INSTEAD_ROW, [trace.instead]),
        (WORDING_ROW, [trace.text]),
        (RESTS_ROW, [_cited(minds, agent, one) for one in trace.cites]),
        *((RECALLED_ROW, _lookup(minds, one, full)) for one in trace.lookups),
        *(row for one in trace.asked for row in _asked(minds, one, full)),
        (TOOK_ROW, [minds.say(SECONDS, seconds=_seconds(trace.seconds))]),
    ]
    return [title, f"  {said}", *_aligned(minds, rows)]


def _aligned(minds: Population, rows: Sequence[Row]) -> Iterator[str]:
    kept = [(minds.say(word), [line for line in lines if line]) for word, lines in rows]
    kept = [(word, lines) for word, lines in kept if lines]
    width = max(len(word) for word, _ in kept) + 2
    for word, lines in kept:
        for number, line in enumerate(lines):
            yield f"  {word if number == 0 else '':<{width}}{line}".rstrip()


def _decided(minds: Population, trace: Trace) -> list[str]:
    by = minds.say(BY, brain=trace.brain, why=trace.why) if trace.why else minds.say(BY_ALONE, brain=trace.brain)
    return [by, minds.say(WAITED) if trace.waiting else ""]


def _memory(minds: Population, agent: Agent, seq: int) -> str:
    try:
        entry = next(iter(agent.memory.read(seq, seq)), None)
    except OSError:
        entry = None
    if entry is None:
        return minds.say(GONE, reference=reference(agent.slug, seq))
    told = when(minds.say, entry.at, minds.means.clock.now())
    return minds.say(MEMORY, seq=seq, when=told, text=excerpt(entry.text, LONGEST))


def _cited(minds: Population, agent: Agent, cite: str) -> str:
    found = None if cite.startswith("[[") else read_reference(cite)
    if found is None:
        return minds.say(NOTE, title=cite.removeprefix("[[").removesuffix("]]"))
    if found.first == found.last:
        return _memory(minds, agent, found.first)
    return minds.say(SUMMARY, reference=reference(agent.slug, found.first, found.last))


def _lookup(minds: Population, one: Lookup, full: bool) -> list[str]:
    lines = [minds.say(QUERY, query=excerpt(one.query, 10 * LONGEST_CUE if full else LONGEST_CUE))]
    if not one.found:
        return [*lines, minds.say(NOTHING)]
    shown = one.found if full else one.found[:SHOWN]
    parts = [part for part in PARTS if any(part in found.parts for found in shown)]
    heads = [minds.say(SCORE), *parts]
    lines.append("  ".join([*(f"{head:>5}" for head in heads), minds.say(FOUND)]))
    lines += [_hit(found, parts, heads) for found in shown]
    if len(shown) < len(one.found):
        lines.append(minds.say(MORE, n=len(one.found) - len(shown)))
    return lines


def _hit(found: TracedHit, parts: Sequence[str], heads: Sequence[str]) -> str:
    values = [f"{found.score:.2f}", *(f"{found.parts[part]:.2f}" if part in found.parts else "-" for part in parts)]
    cells = [f"{value:>{max(5, len(head))}}" for value, head in zip(values, heads, strict=True)]
    return "  ".join([*cells, f"[{found.ref.strip('[]')}] {excerpt(found.text, LONGEST_FOUND)}"])


def _asked(minds: Population, one: ModelCall, full: bool) -> list[Row]:
    by = minds.say(MODEL, model=one.model or "-", profile=one.profile, host=one.host or "-")
    return [
        (MODEL_ROW, [by]),
        (HINT_ROW, [one.hint]),
        (RELATED_ROW, _lookup(minds, one.related, full) if one.related else []),
        (PROMPT_ROW, _prompt(minds, one, full)),
        (SHED_ROW, list(one.shed) or [minds.say(EMPTY)] if one.sections else []),
        (REPLY_ROW, _reply(minds, one, full)),
        (REJECTED_ROW, [one.rejected]),
        (FAILED_ROW, [one.error]),
        (COST_ROW, [_cost(minds, one)]),
        (TOOK_ROW, [minds.say(QUEUED, queued=_seconds(one.queued), seconds=_seconds(one.seconds))]),
    ]


def _prompt(minds: Population, one: ModelCall, full: bool) -> list[str]:
    if not one.sections:
        return []
    room = one.window - one.reserve
    lines = [minds.say(TOKENS, tokens=one.tokens, room=room, window=one.window, reserve=one.reserve)]
    if full:
        for section in one.sections:
            lines.append(minds.say(SECTION, tokens=f"{section.tokens:>6}", name=section.name))
            lines += [f"        | {line}" for line in section.text.splitlines()]
        return lines
    sums: dict[str, int] = {}
    for section in one.sections:
        sums[section.name] = sums.get(section.name, 0) + section.tokens
    return [*lines, *(minds.say(SECTION, tokens=f"{tokens:>6}", name=name) for name, tokens in sums.items())]


def _reply(minds: Population, one: ModelCall, full: bool) -> list[str]:
    if one.error:
        return []
    if not one.reply.strip():
        return [minds.say(EMPTY)]
    return [f"| {line}" for line in one.reply.splitlines()] if full else [excerpt(one.reply, LONGEST)]


def _cost(minds: Population, one: ModelCall) -> str:
    told = ((READ, one.prompt_tokens), (CACHED, one.cached_tokens), (WRITTEN, one.completion_tokens))
    return ", ".join(minds.say(words, n=number) for words, number in told if number is not None)


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds >= 0.05 else f"{seconds:.3f}".rstrip("0").rstrip(".") or "0"
