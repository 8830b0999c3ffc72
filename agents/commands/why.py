"""`@why`: how a line of an agent came about, from its trace."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from agents.agent import Agent
from agents.commands._answer import OTHERS_MIND, agents_listed, answers, ask, excerpt, mind_of, whose
from agents.definition import AgentDefinition, find_definition
from agents.memory.corrections import FORGOTTEN
from agents.memory.entries import Entry, read_reference, reference
from agents.mind.traces import PARTS, Head, Lookup, ModelCall, Trace, TracedHit, traces_of, with_texts
from agents.population import Population
from agents.text.daytime import when
from mud.commands import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import Refusal
from mud.world.events import Request
from mud.world.narration import Phrase, phrase

NOBODY = phrase("minds.why.nobody")
PERSON = phrase("minds.why.person", "name")
NO_LINES = phrase("minds.why.no_lines", "name")
NO_AGENT = phrase("minds.why.no_agent", "name", "there")
NEITHER = phrase("minds.why.neither", "name", "there")
FROM_ONE = phrase("minds.why.from_one", "number")
NO_SUCH = phrase("minds.why.no_such", "name", "what")
NO_SUCH_HERE = phrase("minds.why.no_such_here", "what")
UNTRACED = phrase("minds.why.untraced", "name", "text")
THERE_IS = phrase("minds.why.there_is")
ITEM = phrase("minds.why.item", "n", "when", "line")
NEWER = phrase("minds.why.newer", "text")
ONLY_REASON = phrase("minds.why.only_reason", "what")
UNREADABLE = phrase("minds.why.unreadable")
NO_MEMORY = phrase("minds.why.no_memory", "reference")

TITLE = phrase("minds.why.title", "name", "when", "place", "step")
BY = phrase("minds.why.by", "brain", "why")
BY_ALONE = phrase("minds.why.by_alone", "brain")
WAITED = phrase("minds.why.waited")
MEMORY = phrase("minds.why.memory", "seq", "when", "text")
SUMMARY = phrase("minds.why.summary", "reference")
NOTE = phrase("minds.why.note", "title")
GONE = phrase("minds.why.gone", "reference")
FORGOTTEN_SINCE = phrase("minds.why.forgotten", "reference")
CORRECTED = phrase("minds.why.corrected", "text", "reference")
CORRECTED_SINCE = phrase("minds.why.corrected_since")
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
LISTED = 8
LONGEST_LINE = 100
LONGEST_NAME = 4
LOOKED_BACK = 64
LONGEST = 160
LONGEST_FOUND = 70
LONGEST_CUE = 100
SHOWN = 5

Row = tuple[Phrase, list[str]]

_NOT_AT_ALL = 4

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_QUOTED = re.compile(r"[\"“](.+?)[\"”]?\s*$", re.S)
_HEARD = ("heard", "told")
_NUMBER = re.compile(r"-?[0-9]{1,5}")
_NAME = re.compile(r"\w[\w'’-]*")
_NUMBERED = re.compile(rf"({_NAME.pattern}) -?[0-9]+")


class _Wanted(NamedTuple):
    """Which line is wanted: `number` 1 is the newest, 0 when `words` or `step` decide; `heard` is the text of a named
    entry.
    """

    agents: tuple[AgentDefinition, ...]
    number: int = 1
    words: str = ""
    step: int = 0
    heard: str = ""


@command("@why", "[what]", category="memory", keeps="skip")
def why(ctx: Context, what: str) -> Outcome:
    """See how a line came about: who decided and why, what was recalled, what a model was asked and replied.

    Alone it explains what you heard last; with a name the last line of that agent. A number behind it means an earlier
    line (3 is the third last), words mean the newest line that holds them, a memory such as eliza#12 the line that it
    remembers. With full at the end you see the whole prompt and every reply. The owner may ask about everybody.

    Example: @why
    Example: @why Eliza 3
    Example: @why Eliza garden full
    """
    return ask(ctx, "why", what=what, may=whose(ctx))


@answers("why")
async def explain(minds: Population, request: Request) -> Outcome:
    what = request.args["what"].strip()
    bare = re.sub(r"(?:^|\s+)full$", "", what, flags=re.I)
    wanted = _wanted(minds, request, bare)
    found = await asyncio.to_thread(_found, wanted, minds.means.vault)
    agent = minds.by_slug(found[0].slug) if found is not None else None
    if found is None or agent is None:
        raise Refusal("\n".join(await _missing(minds, wanted, bare)))
    try:
        trace = found[1].trace()
    except ValueError:
        raise Refusal(minds.say(UNREADABLE)) from None
    shown = with_texts(trace, agent.memory.corrections.text)
    lines = told_trace(minds, agent, shown, full=bare != what)
    lines += [f"  {minds.say(CORRECTED_SINCE)}"] if shown != trace else []
    newer = _newer(agent, trace) if wanted.number == 1 and not (wanted.words or wanted.step) else ""
    first = [minds.say(NEWER, text=excerpt(newer, LONGEST_LINE))] if newer else []
    if _only_in_reason(wanted.words, found[1].line or ""):
        first = [minds.say(ONLY_REASON, what=excerpt(wanted.words, LONGEST_SHOWN))]
    return Outcome("\n".join([*first, *lines]))


def _wanted(minds: Population, request: Request, what: str) -> _Wanted:
    named, rest = _named(minds, what)
    own = minds.by_id(request.who)
    if request.args["may"] != "all":
        if own is None or (named is not None and named.id != own.id):
            raise Refusal(minds.say(OTHERS_MIND))
        named = own
    reference = read_reference(what)
    if reference is not None and "#" in what:
        return _of_memory(minds, request, reference.owner, reference.first)
    if named is None:
        return _unnamed(minds, own, what)
    if named.definition.person:
        raise Refusal(minds.say(PERSON, name=named.name))
    return _which(minds, (named.definition,), rest)


def _named(minds: Population, what: str) -> tuple[Agent | None, str]:
    words = what.split()
    for count in range(min(LONGEST_NAME, len(words)), 0, -1):
        definition = find_definition(" ".join(words[:count]).rstrip(",:"), minds.definitions)
        if definition is not None:
            return minds.open(definition.slug), " ".join(words[count:])
    return None, what


def _unnamed(minds: Population, own: Agent | None, what: str) -> _Wanted:
    """Interpret a text without a name: the line last heard by the owner, or words said by any agent."""
    stranger = _NUMBERED.fullmatch(what)
    if stranger and stranger[1][0].isupper():  # as words, name and number would match scattered in any line
        raise Refusal(minds.say(NO_AGENT, name=excerpt(stranger[1], LONGEST_SHOWN), there=agents_listed(minds)))
    if what and not _NUMBER.fullmatch(what):
        # Only their traces are read: to open all of a large world takes long, and one alone will be told of.
        minded = tuple(one for one in minds.definitions.values() if not one.person and minds.lives(one.slug))
        return _which(minds, minded, what)
    if what:
        _which(minds, (), what)  # refuses an invalid number first
    for entry in reversed(own.memory.newest(LOOKED_BACK) if own else []):
        speaker = _speaker(minds, entry) if entry.kind in _HEARD else None
        if speaker is not None:
            if what:
                return _which(minds, (speaker.definition,), what)
            return _Wanted((speaker.definition,), 0, step=entry.source, heard=entry.text)
    raise Refusal(minds.say(NOBODY))


def _speaker(minds: Population, entry: Entry) -> Agent | None:
    definition = find_definition(entry.actor, minds.definitions) if entry.actor else None
    return minds.open(definition.slug) if definition and not definition.person else None


def _which(minds: Population, agents: tuple[AgentDefinition, ...], rest: str) -> _Wanted:
    if _NUMBER.fullmatch(rest):
        if int(rest) < 1:
            raise Refusal(minds.say(FROM_ONE, number=rest))
        return _Wanted(agents, int(rest))
    quoted = _QUOTED.search(rest)
    return _Wanted(agents, 0, (quoted[1] if quoted else rest)) if rest else _Wanted(agents)


def _of_memory(minds: Population, request: Request, owner: str, seq: int) -> _Wanted:
    """Return the line behind an entry: its owner's, or that of the agent whom the owner perceived."""
    holder, whole = mind_of(minds, request, owner), request.args["may"] == "all"
    entry = next(iter(holder.memory.read(seq, seq)), None)
    if entry is None:
        raise Refusal(minds.say(NO_MEMORY, reference=reference(holder.slug, seq)))
    if entry.actor is None:
        doer = None if holder.definition.person else holder
    else:
        doer = _speaker(minds, entry) if whole else None
    if doer is None:
        raise Refusal(
            minds.say(OTHERS_MIND) if entry.actor and not whole else minds.say(PERSON, name=entry.actor or holder.name)
        )
    return _Wanted((doer.definition,), 0, step=entry.source, heard=entry.text)


def _found(wanted: _Wanted, vault: Path) -> tuple[AgentDefinition, Head] | None:
    """Return the newest wanted line and its agent. Only reads files, so it may run in a thread."""
    found = [(one, head) for one in wanted.agents if (head := _found_of(one, wanted, vault)) is not None]
    return max(found, key=lambda pair: pair[1].step, default=None)


def _found_of(agent: AgentDefinition, wanted: _Wanted, vault: Path) -> Head | None:
    traces = traces_of(vault, agent.slug)
    if wanted.step:
        return traces.find(agent.id, wanted.step)
    heads = traces.heads(agent.id)
    if not wanted.words:
        return next(islice(heads, wanted.number - 1, None), None)
    return _holding(heads, wanted.words)


def _holding(heads: Iterable[Head], words: str) -> Head | None:
    sought, best, least = _words(words), None, _NOT_AT_ALL
    for head in heads if sought else ():
        rank = _rank(sought, head.line or "")
        if rank < least:
            best, least = head, rank
        if not rank:
            break
    return best


def _rank(sought: list[str], line: str) -> int:
    """Rank a line by words: 0 adjacent, 1 scattered, 2 and 3 the same including its private reason."""
    for rank, text in ((0, line.partition(REASON_BAR)[0]), (2, line)):
        there = _words(text)
        if f" {' '.join(sought)} " in f" {' '.join(there)} ":
            return rank
        if set(sought) <= set(there):
            return rank + 1
    return _NOT_AT_ALL


def _only_in_reason(words: str, line: str) -> bool:
    said, _, reason = line.partition(REASON_BAR)
    sought = set(_words(words))
    return bool(sought) and sought <= set(_words(reason)) and not sought <= set(_words(said))


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def _newer(agent: Agent, trace: Trace) -> str:
    last = next((entry for entry in reversed(agent.memory.newest(LOOKED_BACK)) if entry.kind == "said"), None)
    return last.text if last is not None and last.source > trace.step else ""


async def _missing(minds: Population, wanted: _Wanted, what: str) -> list[str]:
    agent = minds.by_slug(wanted.agents[0].slug) if len(wanted.agents) == 1 else None
    shown = excerpt(what, LONGEST_SHOWN)
    if agent is None and what[0].isupper() and _NAME.fullmatch(what):
        return [minds.say(NEITHER, name=shown, there=agents_listed(minds))]
    if agent is None:
        return [minds.say(NO_SUCH_HERE, what=shown)]
    if wanted.heard:
        return [minds.say(UNTRACED, name=agent.name, text=excerpt(wanted.heard, LONGEST_LINE))]
    heads = await asyncio.to_thread(lambda: list(islice(agent.traces.heads(agent.id), LISTED)))
    if not heads:
        return [minds.say(NO_LINES, name=agent.name)]
    said = minds.say(NO_SUCH, name=agent.name, what=excerpt(wanted.words or str(wanted.number), LONGEST_SHOWN))
    change = agent.memory.corrections.text
    items = (_item(minds, n, head.at, change(head.line or "")) for n, head in enumerate(heads, 1))
    return [said, minds.say(THERE_IS), *(f"  {item}" for item in items)]


def _item(minds: Population, number: int, at: str, line: str) -> str:
    told = when(minds.say, at, minds.means.clock.now())
    return minds.say(ITEM, n=number, when=told, line=excerpt(line, LONGEST_LINE))


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
    which = reference(agent.slug, seq)
    if entry.kind == FORGOTTEN:
        return minds.say(FORGOTTEN_SINCE, reference=which)
    told = when(minds.say, entry.at, minds.means.clock.now())
    text = minds.say(MEMORY, seq=seq, when=told, text=excerpt(entry.text, LONGEST))
    return minds.say(CORRECTED, text=text, reference=which) if agent.memory.corrections.of(seq) else text


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
