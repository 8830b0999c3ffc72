"""How much of the facts, people and promises a summary holds, and faults in its text.

Every version left by folds by rules is judged, in a simulation of the shipped world and in scripted lives. The scripted
lives mark the words to be found; in the simulation the judge's rules find what was told and promised.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from agents.agent import Agent
from agents.compaction.judge.facts import PROMISE, parts_of, spoken_in
from agents.compaction.judge.reading import keys_of, telling_of
from agents.memory.entries import Entry
from agents.memory.summaries import TIERS, Summary, SummaryFiles
from agents.text.english import sentences, unquoted
from mud.clock import parse_iso
from mud.server.bulk import live_through, newcomer
from mud.server.wiring import opened
from mud.simulation.run import SimulationPlan, simulate
from tests.benchmarks import _samples as samples
from tests.benchmarks._bench import Say, Table
from tests.benchmarks._compaction.living import LivingMode
from tests.benchmarks._scratch import LifeClock, clock_of, scratch

LIVES = samples.FOLDER / "lives"
"""Scripted lives in the format of `remember`; `facts` and `promise` list the words to be found. A file is named after
its agent.
"""
STEPS, AGENTS = 3000, 6
SIMULATION = "simulation"
GROUPS = ("facts", "people", "promises")
BOTH = "both"
"""The long-term and the recent summary of one moment together."""
FAULTS = ("empty_quotations", "own_name", "said_twice")
MOST_OF_IT = 0.6
"""Share of telling words that must be found where no words are marked."""
LEAST_TELLING = 3
"""Fewest telling words of a sentence that counts as a fact about its speaker."""

_PARTS = re.compile(r"\d+|\D+")
_CITED = re.compile(r"\(?\bmemor(?:y|ies)\s+\d[\d,\s–-]*\)?")
_QUOTED = re.compile(r'"([^"\n]*)"|“([^”\n]*)”')
_OF_ONESELF = frozenset(("i", "my", "me", "mine", "we", "our", "us"))
_CALLS_ITSELF = re.compile(r"\b(?:I am|I'm|I was|me|myself|name is|name was|called|named),? $")


class WantedFact(NamedTuple):
    """Something in a memory that its summary should hold: `least` of `parts`, as compared, must be found."""

    group: str
    parts: tuple[str, ...]
    least: int


class SummarizedLife(NamedTuple):
    """A finished life: the wanted facts of each memory in order, and every version of each tier."""

    name: str
    wanted: Sequence[Sequence[WantedFact]]
    versions: Mapping[str, Sequence[Summary]]


def measure(way: LivingMode, steps: int, seed: int, say: Say) -> list[dict[str, Any]]:
    """Return a row for each tier of the simulation's lives and of every scripted life."""
    say(f"summaries: a simulation of {steps:,} steps")
    rows = _rows(SIMULATION, _simulated(way, steps, seed, say))
    for path in sorted(LIVES.glob("*.jsonl")):
        say(f"summaries: {path.stem}")
        rows += _rows(path.stem, [_scripted(way, path)])
    return rows


def _simulated(way: LivingMode, steps: int, seed: int, say: Say) -> list[SummarizedLife]:
    with scratch(way.vault, way.cache, ()) as copy:
        shutil.copytree(
            way.vault / "world", copy / "world", dirs_exist_ok=True, ignore=shutil.ignore_patterns("state.md")
        )
        for definition in (way.vault / "agents").glob("*/agent.md"):
            target = copy / "agents" / definition.parent.name
            target.mkdir()
            shutil.copyfile(definition, target / definition.name)
        simulate(SimulationPlan(copy, steps, AGENTS, seed, keep=True), say)
        with opened(copy, writable=False) as parts:
            return [_lived(one, _found) for one in parts.minds.opened() if not one.definition.person]


def _scripted(way: LivingMode, path: Path) -> SummarizedLife:
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    with scratch(way.vault, way.cache, ()) as copy, opened(copy, writable=True, clock=clock_of(records)) as parts:
        agent = newcomer(parts, path.stem.title())

        async def fold(one: Agent) -> None:
            assert isinstance(parts.clock, LifeClock)
            parts.clock.moment = parse_iso(one.memory.newest(1)[0].at)
            one.compactor.fold_due_now()

        asyncio.run(live_through(parts, agent, records, batch=1, fold=fold))
        return _lived(agent, lambda entry, name: _marked(records[entry.seq - 1], entry))


def _lived(agent: Agent, find: Callable[[Entry, str], Iterable[WantedFact]]) -> SummarizedLife:
    memory, files = agent.memory, SummaryFiles(agent.folder / "summaries")
    wanted = [tuple(find(entry, memory.name)) for entry in memory.read(1, memory.total)]
    return SummarizedLife(memory.name, wanted, {tier: list(files.versions(tier)) for tier in TIERS})


def _marked(record: Mapping[str, Any], entry: Entry) -> Iterator[WantedFact]:
    """Yield the marked facts of a line in a scripted life, and its actor."""
    yield from _people(entry)
    for group, key in (("facts", "facts"), ("promises", "promise")):
        if parts := tuple(in_a_row(one) for one in record.get(key, ())):
            yield WantedFact(group, parts, len(parts))


def _found(entry: Entry, name: str) -> Iterator[WantedFact]:
    """Yield the facts in an unmarked memory: the actor, what speakers say of themselves, promises."""
    yield from _people(entry)
    if entry.kind not in ("heard", "told", "said"):
        return
    for sentence in (one for said in spoken_in(entry.text) for one in parts_of(said) if not one.endswith("?")):
        words = tuple(sorted(telling_of(sentence)))
        least = -int(-MOST_OF_IT * len(words) // 1)
        if words and PROMISE.search(sentence):
            yield WantedFact("promises", words, least)
        elif entry.actor and len(words) >= LEAST_TELLING and not _OF_ONESELF.isdisjoint(keys_of(sentence)):
            yield WantedFact("facts", words, least)


def _people(entry: Entry) -> Iterator[WantedFact]:
    if entry.actor:
        yield WantedFact("people", (in_a_row(entry.actor),), 1)


def in_a_row(text: str) -> str:
    """Return a text's words and numbers as compared, with a space before, between and after."""
    parts = ([part] if part.isdigit() else keys_of(part) for part in _PARTS.findall(text))
    return f" {' '.join(word for part in parts for word in part)} "


def _rows(source: str, lives: Sequence[SummarizedLife]) -> list[dict[str, Any]]:
    rows = []
    for tier in TIERS:
        texts = [(life, one.covers, one.text) for life in lives for one in life.versions[tier]]
        faults = Counter(fault for life, _, text in texts for fault in faults_of(text, life.name))
        rows.append(_row(source, tier, texts) | {fault: faults[fault] for fault in FAULTS})
    both = [found for life in lives for found in _pairs(life)]
    return [*rows, _row(source, BOTH, both) | dict.fromkeys(FAULTS)]


def _pairs(life: SummarizedLife) -> Iterator[tuple[SummarizedLife, tuple[int, int], str]]:
    """Yield each recent summary together with the long-term summary of the same moment."""
    before = {one.covers[1]: one.text for one in life.versions["longterm"]}
    for one in life.versions["recent"]:
        yield life, (1, one.covers[1]), f"{before.get(one.covers[0] - 1, '')} {one.text}"


def _row(source: str, tier: str, texts: Sequence[tuple[SummarizedLife, tuple[int, int], str]]) -> dict[str, Any]:
    shares = [shares_of(text, set().union(*life.wanted[first - 1 : last])) for life, (first, last), text in texts]
    row: dict[str, Any] = {"life": source, "tier": tier, "versions": len(texts)}
    row["chars"] = round(mean(len(text) for _, _, text in texts)) if texts else None
    for group in GROUPS:
        known = [one[group] for one in shares if group in one]
        row[group] = round(mean(known), 3) if known else None
    return row


def shares_of(text: str, wanted: Iterable[WantedFact]) -> dict[str, float]:
    """Return, by group, the share of wanted facts that a text holds; groups without any are left out."""
    words = in_a_row(text)
    loose = frozenset(words.split())
    there, held = Counter[str](), Counter[str]()
    for one in wanted:
        there[one.group] += 1
        held[one.group] += sum((part in words) if part[0] == " " else part in loose for part in one.parts) >= one.least
    return {group: held[group] / count for group, count in there.items()}


def faults_of(text: str, name: str) -> set[str]:
    """Return which of `FAULTS` a summary has; `name` is that of its agent."""
    quoted = ("".join(groups) for groups in _QUOTED.findall(text))
    told = Counter(in_a_row(one) for one in sentences(text))
    faults = {
        "empty_quotations": any(not re.search(r"\w", _CITED.sub("", one)) for one in quoted),
        "own_name": _names(unquoted(text), name),
        "said_twice": any(times > 1 and sentence.strip() for sentence, times in told.items()),
    }
    return {fault for fault, there in faults.items() if there}


def _names(bare: str, name: str) -> bool:
    """Return whether a text without its quotations uses the agent's own name other than to introduce itself."""
    found = re.finditer(rf"\b{re.escape(name)}\b", bare)
    return any(not _CALLS_ITSELF.search(bare[: one.start()]) for one in found)


def table(rows: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]] = ()) -> Table:
    earlier = {(row["life"], row["tier"]): row for row in before}
    columns = ("versions", "chars", *GROUPS, *FAULTS)
    body = []
    for row in rows:
        old = earlier.get((row["life"], row["tier"]))
        told = [[_told(one[column]) for one in (old, row) if one is not None] for column in columns]
        body.append([f"{row['life']}, {row['tier']}", *(" / ".join(dict.fromkeys(cell)) for cell in told)])
    head = ["summaries", "versions", "characters", "facts held", "people", "promises", "empty quotations", "own name"]
    return Table([*head, "said twice"], body)


def told(steps: int, seed: int) -> str:
    return (
        f"Written by rules: every version of every summary of {AGENTS} agents over {steps:,} simulated steps (seed "
        f"{seed}) and of the scripted lives. Held is the mean share of what the covered memories hold: what people "
        f"told of themselves (with figures, names and gifts where the life is scripted), everybody met, promises; "
        f"{BOTH}: the two summaries of one moment, of all that they cover. The last three columns count versions: "
        f"with a quotation that says nothing, with the own name in the third person, with a sentence twice."
    )


def _told(value: float | int | None) -> str:
    return "-" if value is None else f"{value:.1%}" if isinstance(value, float) else f"{value:,}"
