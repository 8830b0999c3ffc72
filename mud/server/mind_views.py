"""What owners see of the minds: answers for `mud.portal.views.MindViews`, made of plain values.

A whole life is only looked at through the index, in its thread; files are read in threads, and never a whole archive.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from itertools import takewhile
from typing import Any

import orjson

from agents.agent import Agent
from agents.compaction.due import next_at
from agents.definition import AgentDefinition
from agents.memory.entries import Entry, Range, read_reference
from agents.memory.history import events_by_file, raw_line
from agents.memory.note_form import Note, folded
from agents.memory.summaries import SummaryFiles, is_commit, parse_commit
from agents.mind.traces import Trace, to_json, with_texts
from agents.recall import overview
from agents.recall.overview import Acquaintance, LifeSegment
from mud.clock import iso, parse_iso
from mud.errors import Refusal, Unavailable
from mud.portal.views import Json
from mud.sanitize import sanitize
from mud.server.wiring import Parts
from mud.world.things import Kind

SEGMENTS = 240
"""Parts that a life is cut into at most."""
FOLDS = 300
"""Folds shown at most; of more, some evenly spread ones."""
LEDGER = 16_000_000  # bytes of the ledger's end in which sleep is looked for
SLEEPS = 200
THOUGHTS, WEIGHTIEST = 30, 12
LINES = 40
ARCHIVED = 50
HITS = 20
NOTES, PEOPLE = 150, 60
SIDE_BY_SIDE = 400
"""Memories of one time shown of one agent at most."""
MET_AMONG = 512  # newest memories among which the last meeting of two agents is looked for
EVENING = timedelta(hours=1)
LONGEST = 2_000
"""Characters of a text shown at most; the archive is shown in full."""
OWN = ("said", "did", "moved", "thought", "dream", "note")
INNER = ("thought", "dream")
ONLY = ("memories", "summaries", "notes")


class MindReader:
    """Answers questions about the memories of a vault."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self._minds, self._recall = parts, parts.minds, parts.recall

    def everybody(self) -> list[Json]:
        """Return who has a memory: agents first, then people, by name; those too who sleep while they are away."""
        minds, absent = self._minds, set(self._parts.engine.world.absent)
        known = [one for one in minds.definitions.values() if minds.lives(one.slug) or one.id in absent]
        return [self._brief(one) for one in sorted(known, key=lambda one: (one.person, one.name.casefold()))]

    def _brief(self, one: AgentDefinition) -> Json:
        """Return what is known of somebody without opening their memory; `memories` is None while it is closed."""
        world, agent = self._parts.engine.world, self._minds.in_use_by_slug(one.slug)
        thought = agent.thinker.last if agent is not None and agent.thinker is not None else None
        here = world.location_of(one.id)
        return {
            "slug": one.slug,
            "name": one.name,
            "person": one.person,
            "place": here.name if here is not None else None,
            "asleep": one.id in world.asleep,
            "paused": self._minds.resting.paused(one.slug),
            "brain": one.brain,
            "thought": {"line": thought.decision.line, "brain": thought.brain, "why": thought.decision.why}
            if thought is not None
            else None,
            "description": one.description,
            "memories": agent.memory.total if agent is not None else None,
            "tiers": _tiers(agent) if agent is not None else {},
        }

    async def life(self, agent: str) -> Json:
        """Return a life as figures; none has more than a few hundred values, however long the life is."""
        one = self._minds.get(agent)
        read, memory = partial(self._recall.read, one.id), one.memory
        parts = await read(overview.segments, SEGMENTS)
        weights = await read(overview.weights)
        weightiest = await read(overview.weightiest, WEIGHTIEST)
        inner = await read(overview.newest, INNER, THOUGHTS)
        folds, all_folds = await asyncio.to_thread(_folds, one, memory.total)
        sleeps = await asyncio.to_thread(self._parts.ledger.sleeps, one.id, LEDGER)
        return {
            **self._brief(one.definition),
            "next_fold": next_at(one.compactor.view),
            "strategy": one.compactor.view.strategy.name,
            "segments": [_segment(part) for part in parts],
            "importance": {str(value): count for value, count in weights.items()},
            "weightiest": [_entry(entry) for entry in weightiest],
            "inner": [_entry(entry) for entry in inner],
            "folds": folds,
            "all_folds": all_folds,
            "sleeps": [{"from": begin, "to": end} for begin, end in sleeps[-SLEEPS:]],
            "summaries": [
                {"tier": summary.tier, "covers": _range(summary.covers), "text": summary.text, "method": summary.method}
                for summary in (memory.longterm, memory.recent)
                if summary is not None
            ],
        }

    async def fold(self, agent: str, tier: str, file: str) -> Json:
        """Return a version of a summary with its receipt. Raises Refusal when there is none."""
        one = self._minds.get(agent)
        files = SummaryFiles(one.folder / "summaries")
        found = await asyncio.to_thread(files.version, tier, file) if tier in ("longterm", "recent") else None
        if found is None:
            raise Refusal("There is no such summary any more.")
        found = one.memory.corrections.summary(found)
        receipt = ("method", "model", "strategy", "reason", "depth", "retention", "faithful", "compression_ratio")
        return {
            "tier": tier,
            "covers": _range(found.covers),
            "text": found.text,
            "updated": found.updated,
            "tokens": dict(found.tokens),
            **{name: getattr(found, name) for name in receipt},
        }

    async def prompt(self, agent: str) -> Json:
        """Return what a model would be asked now. Raises Refusal for a character that is nowhere."""
        built = await self._parts.prompting.next_prompt(self._minds.get(agent))
        return {
            "tokens": built.tokens,
            "window": built.window,
            "reserve": built.reserve,
            "sections": [{"name": one.name, "tokens": one.tokens, "text": one.text} for one in built.sections],
            "shed": list(built.shed),
            "shown": _range(built.shown),
        }

    async def lines(self, agent: str, before: int) -> Json:
        """Return what an agent said and did, newest first; `traced` says that it is known how it came about."""
        one = self._minds.get(agent)
        found = await self._recall.read(one.id, partial(overview.newest, own=True), OWN, LINES, before)
        steps = await asyncio.to_thread(_traced, one, min((entry.source for entry in found), default=0))
        more = found[-1].seq if len(found) == LINES else 0
        return {"lines": [{**_entry(entry), "traced": entry.source in steps} for entry in found], "before": more}

    async def why(self, agent: str, seq: int) -> Json:
        """Return a memory, its line in the archive, and how the line behind it came about.

        A line that was heard is its speaker's. Raises Refusal for a memory that there is not.
        """
        one = self._minds.get(agent)
        entry = next(iter(one.memory.read(seq, seq)), None)
        if entry is None:
            raise Refusal(f"{one.name} has no memory {seq} that can be read.")
        doer = one if entry.actor is None else self._minds.find(entry.actor)
        head = await asyncio.to_thread(doer.traces.find, doer.id, entry.source) if doer is not None else None
        try:
            trace = await asyncio.to_thread(head.trace) if head is not None else None
        except ValueError:
            trace = None  # the line of the trace is broken
        raw = await asyncio.to_thread(raw_line, one.memory.archive, seq)
        return {
            "agent": one.name,
            "entry": _entry(entry),
            "raw": raw,
            "doer": doer.name if doer is not None else entry.actor,
            "trace": _trace(doer, trace) if trace is not None and doer is not None else None,
            "untraced": _why_untraced(doer, entry) if trace is None else "",
        }

    async def archive(self, agent: str, first: int) -> Json:
        """Return some memories in full, from a number on."""
        one = self._minds.get(agent)
        total = one.memory.total
        first = max(1, min(first, total - ARCHIVED + 1))
        read = one.memory.read(first, first + ARCHIVED - 1)
        return {"total": total, "first": first, "entries": [_entry(entry, longest=None) for entry in read]}

    async def search(self, agent: str, query: str, only: str | None) -> Json:
        """Return what recall finds; `behind` says that vectors are still missing. Raises Refusal for no words."""
        one, asked = self._minds.get(agent), sanitize(query[:LONGEST]).strip()
        if not any(map(str.isalnum, asked)):
            raise Refusal("There are no words to look for.")
        hits, behind = await self._recall.search(one.id, asked, HITS, only if only in ONLY else None)
        found = [
            {**hit.record(), "actor": hit.entry.actor if hit.entry else None, "text": _cut(hit.text)} for hit in hits
        ]
        return {"query": asked, "hits": found, "behind": behind}

    async def graph(self, agent: str) -> Json:
        """Return notes and people as nodes and edges. A note about somebody is one node with that person."""
        one = self._minds.get(agent)
        people = await self._recall.read(one.id, overview.acquaintances, PEOPLE)
        notes = await asyncio.to_thread(one.notes.all)
        kinds = {folded(thing.name): thing.kind.value for thing in self._parts.engine.world.things.values()}
        shown = [note._replace(text=_cut(note.text)) for note in notes[:NOTES]]
        return await asyncio.to_thread(_graph, one.name, people, shown, kinds) | {"notes": len(notes)}

    async def evening(self, one: str, other: str, since: str, until: str) -> Json:
        """Return what two agents remember of a time, each step that either perceived in a row of its own."""
        pair = self._minds.get(one), self._minds.get(other)
        if pair[0] is pair[1]:
            raise Refusal("Name two different ones.")
        begin, end = (_time(since), _time(until)) if since and until else _last_meeting(*pair)
        lived = [await self._recall.read(agent.id, overview.between, begin, end, SIDE_BY_SIDE + 1) for agent in pair]
        cut = [some[-SIDE_BY_SIDE].at for some in lived if len(some) > SIDE_BY_SIDE]
        begin = max([begin, *cut])  # both sides from the same moment on
        return {
            "names": [agent.name for agent in pair],
            "slugs": [agent.slug for agent in pair],
            "since": begin,
            "until": end,
            "rows": _rows([[entry for entry in some if entry.at >= begin] for some in lived]),
            "cut": bool(cut),
        }


def _cut(text: str, longest: int | None = LONGEST) -> str:
    return text if longest is None or len(text) <= longest else f"{text[:longest]}…"


def _entry(entry: Entry, longest: int | None = LONGEST) -> Json:
    names = ("seq", "at", "kind", "actor", "place", "reason", "failed", "importance", "source", "mark")
    return {**{name: getattr(entry, name) for name in names}, "text": _cut(entry.text, longest)}


def _range(covers: Range | None) -> dict[str, int] | None:
    return {"first": covers[0], "last": covers[1]} if covers is not None else None


def _segment(part: LifeSegment) -> Json:
    return part._asdict()


def _tiers(agent: Agent) -> Json:
    memory = agent.memory
    tail = (memory.watermark + 1, memory.total) if memory.total > memory.watermark else None
    tiers = {
        name: one.covers if one else None for name, one in (("longterm", memory.longterm), ("recent", memory.recent))
    }
    return {name: _range(covers) for name, covers in {**tiers, "verbatim": tail}.items()}


def _folds(agent: Agent, total: int) -> tuple[list[Json], int]:
    """Return folds, oldest first, and how many there are. Reads the archive's files one by one, so runs in a thread."""
    found: list[Json] = []
    for _, part in events_by_file(agent.folder / "archive", 0, total):
        found += [_fold(seq, event) for seq, event in part if is_commit(event) and parse_commit(event) is not None]
    last = len(found) - 1
    if len(found) <= FOLDS:
        return found, len(found)
    return [found[round(place * last / (FOLDS - 1))] for place in range(FOLDS)], len(found)


def _fold(seq: int, event: Mapping[str, Any]) -> Json:
    commit = parse_commit(event)
    named = commit.named if commit is not None else {}
    tokens = event.get("tokens")
    return {
        "after": seq,
        "at": event.get("at"),
        "event": event["event"],
        "reason": event.get("reason"),
        "tokens": tokens if isinstance(tokens, dict) else {},
        "tiers": {tier: {**(_range(one.covers) or {}), "file": one.file} for tier, one in named.items()},
    }


def _traced(agent: Agent, least: int) -> set[int]:
    """Return the steps from `least` on whose traces are kept."""
    return {head.step for head in takewhile(lambda head: head.step >= least, agent.traces.heads(agent.id))}


def _trace(agent: Agent, trace: Trace) -> Json:
    """Return a trace with the texts of the memories that it rests on."""
    told: Json = orjson.loads(to_json(with_texts(trace, agent.memory.corrections.text)))
    return {
        **told,
        "answered": _remembered(agent, str(trace.answers)) if trace.answers else None,
        "rests": [_remembered(agent, cite) for cite in trace.cites],
    }


def _remembered(agent: Agent, cite: str) -> Json:
    found = None if cite.startswith("[[") else read_reference(cite)
    entry = None
    if found is not None and found.first == found.last:
        entry = next(iter(agent.memory.read(found.first, found.last)), None)
    return {"ref": cite, "entry": _entry(entry) if entry is not None else None}


def _why_untraced(doer: Agent | None, entry: Entry) -> str:
    if doer is None:
        return f"{entry.actor} has no mind here." if entry.actor else "Nobody did this."
    if doer.definition.person:
        return f"{doer.name} is a person: only they know why."
    return "How it came about is not known: its trace is gone, or nobody decided it."


def _graph(name: str, people: Sequence[Acquaintance], notes: Sequence[Note], kinds: Mapping[str, str]) -> Json:
    nodes: dict[str, Json] = {folded(name): {"id": folded(name), "name": name, "kind": "self", "times": 0}}
    for person in people:
        nodes[folded(person.name)] = {
            "id": folded(person.name), "name": person.name, "kind": Kind.CHARACTER.value, "times": person.times,
            "first": person.first, "last": person.last,
        }  # fmt: skip
    edges = {(folded(name), folded(one.name)): {"kind": "met", "times": one.times} for one in people}
    met = set(nodes)
    for note in notes:
        key = folded(note.title)
        fresh = {"id": key, "name": note.title, "kind": kinds.get(key, "note"), "times": 0}
        nodes[key] = {**nodes.get(key, fresh), "note": note.text, "updated": note.updated}
    edges |= {
        (folded(name), key): {"kind": "noted", "times": 1} for note in notes if (key := folded(note.title)) not in met
    }
    edges |= {pair: {"kind": "names", "times": 1} for pair in _named_in(notes, nodes) if pair not in edges}
    return {"nodes": list(nodes.values()), "edges": [{"from": a, "to": b, **one} for (a, b), one in edges.items()]}


def _named_in(notes: Iterable[Note], nodes: Mapping[str, Json]) -> Iterable[tuple[str, str]]:
    """Yield each note with every node that it links to or names."""
    longest_first = sorted((one["name"] for one in nodes.values()), key=len, reverse=True)
    name = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)
    for note in notes:
        key = folded(note.title)
        named = {folded(found) for found in (*name.findall(note.text), *note.links)}
        yield from ((key, other) for other in sorted(named) if other != key and other in nodes)


def _rows(lived: Sequence[Sequence[Entry]]) -> list[Json]:
    rows: dict[tuple[str, int], Json] = {}
    for side, entries in enumerate(lived):
        for entry in entries:
            key = entry.at, entry.source
            row = rows.setdefault(key, {"at": entry.at, "step": entry.source, "place": entry.place, "sides": [[], []]})
            row["sides"][side].append(_entry(entry))
    return [rows[key] for key in sorted(rows)]


def _time(text: str) -> str:
    try:
        return iso(parse_iso(text.strip()))
    except (ValueError, OverflowError):
        raise Refusal(f"{text!r} is no time.", "one is written like 2026-11-20T07:21:37Z") from None


def _last_meeting(one: Agent, other: Agent) -> tuple[str, str]:
    """Return the time around the last step that both perceived; without one the end of the first one's life."""
    newest = [agent.memory.read(agent.memory.total - MET_AMONG + 1, agent.memory.total) for agent in (one, other)]
    there = {entry.source for entry in newest[1] if entry.source}
    shared = [entry for entry in newest[0] if entry.source in there]
    last = (shared or newest[0])[-1:]
    if not last:
        raise Unavailable(f"{one.name} remembers nothing yet.")
    end = parse_iso(last[0].at)
    return iso(end - EVENING), iso(end)
