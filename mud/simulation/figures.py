"""Figures of a simulation, counted while it runs, and the hash by which two runs are compared.

What it keeps grows with the world, not with the length of the run.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.text.english import RepetitionRate
from mud.clock import Clock
from mud.engine.engine import Step
from mud.world.events import Event, Perception
from mud.world.things import Thing
from mud.world.world import World

ANSWER = 60.0  # world seconds within which an answer counts as a conversation
TURNS = 3  # turns from which on speech between agents counts as a conversation
SPEECH = ("speech", "whisper")


class Turns:
    """Speech between agents in one location without a long pause: its lines, and how often the speaker changed."""

    def __init__(self) -> None:
        self.lines = self.turns = 0
        self.last, self.speaker = float("-inf"), ""

    def add(self, speaker: str, now: float) -> int:
        """Count a line; return by how much more lines are now part of a conversation."""
        if now - self.last > ANSWER:
            self.lines = self.turns = 0
            self.speaker = ""
        before = self.lines if self.turns >= TURNS else 0
        self.lines, self.turns = self.lines + 1, self.turns + (speaker != self.speaker)
        self.last, self.speaker = now, speaker
        return self.lines - before if self.turns >= TURNS else 0


class Figures:
    """The counts of one run; `wanted` is the number of steps that it is to have."""

    def __init__(self, agents: Collection[str], locations: Collection[str], clock: Clock, wanted: int) -> None:
        self._clock, self._wanted = clock, wanted
        self._began = clock.monotonic()
        self._locations = frozenset(locations)
        self._visited: set[str] = set()
        self._said = RepetitionRate()
        self._heard: dict[tuple[str, str], float] = {}  # world time when the second heard the first, lately
        self._pruned = self._began  # world time when what was heard too long ago was last taken out
        self._with: dict[str, set[str]] = {one: set() for one in agents}  # the agents that each has spoken with
        self._acted = dict.fromkeys(agents, self._began)  # world time of each agent's last line
        self._late: set[str] = set()  # the agents that submitted a line in the last tenth of the run
        self._silence = 0.0
        self._talks: dict[str, Turns] = {}  # by location
        self._between = self._conversing = 0  # spoken lines that an agent heard, and those of them in conversations
        self._walks = self._spoken = 0  # lines of agents
        self.steps = self.commands = self.events = self.thoughts = self.perceived = 0
        self.last = self._began

    def observe(self, step: Step) -> None:
        self.events += len(step.events)
        self.perceived += len(step.left)
        for event in step.events:
            if event.kind == "arrival":
                self._visited.add(event.location)
            elif event.kind in SPEECH and event.words:
                self._said.add(event.actor, event.words)
                self._spoke(event, step.left)

    def _spoke(self, event: Event, left: Collection[Perception]) -> None:
        now, speaker = self._clock.monotonic(), event.actor
        if now - self._pruned > ANSWER:
            self._heard = {pair: at for pair, at in self._heard.items() if now - at <= ANSWER}
            self._pruned = now
        if speaker in self._acted and any(one.event is event and one.who in self._acted for one in left):
            self._between += 1
            self._conversing += self._talks.setdefault(event.location, Turns()).add(speaker, now)
        for perceived in left:
            if perceived.event is not event:
                continue
            self._heard[speaker, perceived.who] = now
            if now - self._heard.get((perceived.who, speaker), float("-inf")) <= ANSWER:
                for one, other in ((speaker, perceived.who), (perceived.who, speaker)):
                    self._with.setdefault(one, set()).add(other)

    def submitted(self, step: Step) -> None:
        self.steps += 1
        self.commands += not step.failed
        kinds = {event.kind for event in step.events if event.actor == step.who}
        self._walks += "departure" in kinds
        self._spoken += not kinds.isdisjoint(SPEECH)
        self._pause(step.who)
        self._acted[step.who] = self.last = self._clock.monotonic()
        if self.steps > self._wanted - self._wanted // 10:
            self._late.add(step.who)

    def _pause(self, who: str) -> None:
        self._silence = max(self._silence, self._clock.monotonic() - self._acted.get(who, self._began))

    def record(self) -> dict[str, Any]:
        for who in self._acted:
            self._pause(who)
        hours = (self._clock.monotonic() - self._began) / 3600
        return {
            "share_walks": round(self._walks / max(1, self.steps), 3),
            "share_speech": round(self._spoken / max(1, self.steps), 3),
            "share_in_conversations": round(self._conversing / max(1, self._between), 3),
            "walks_per_agent_hour": round(self._walks / max(1, len(self._acted)) / hours, 1) if hours else 0.0,
            "lines_spoken": self._said.lines,
            "lines_repeated": self._said.repeated,
            "locations": len(self._locations),
            "locations_visited": len(self._visited & self._locations),
            "fewest_spoken_with": min(map(len, self._with.values()), default=0),
            "longest_silence_seconds": round(self._silence, 1),
            "silent_at_the_end": sum(one not in self._late for one in self._acted),
        }

    @property
    def repetition_rate(self) -> float:
        """The share of spoken lines that repeat one of the speaker's recent lines."""
        return self._said.rate


def resident() -> float | None:
    """Return this process's resident memory in megabytes; None where there is no /proc."""
    try:
        found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    except OSError:
        return None
    return round(int(found[1]) / 1024, 1) if found else None


def state_hash(world: World, agents: Iterable[Agent]) -> str:
    """Return sha256, in hex, over canonical JSON of every thing and every memory, without step numbers and times."""
    state = {
        "entities": {thing.id: entity(world, thing) for thing in world.things.values()},
        "channels": {one.name: [one.members, [(line.by, line.words) for line in one.lines]] for one in world.channels},
        "memories": {agent.id: _memory(agent) for agent in agents},
        "later": sorted((one.thing, one.effects) for one in world.live.timers.values()),
    }
    text = json.dumps(state, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def entity(world: World, thing: Thing) -> dict[str, Any]:
    journey = world.elsewhere.get(thing.id)
    return {
        **({"elsewhere": journey} if journey is not None else {}),
        "kind": thing.kind,
        "name": thing.name,
        "description": thing.description,
        "aliases": thing.aliases,
        "exits": [(way.name, way.to) for way in thing.exits],
        "fixed": thing.fixed,
        "thinks": thing.thinks,
        "in": world.where.get(thing.id),
        "away": world.away.get(thing.id),
        "asleep": thing.id in world.asleep,
        "states": sorted(world.live.of(thing.id)),
    }


def _memory(agent: Agent) -> dict[str, Any]:
    memory = agent.memory
    return {
        "total": memory.total,
        "longterm": memory.longterm.covers if memory.longterm else None,
        "recent": memory.recent.covers if memory.recent else None,
        "immediate": (memory.watermark + 1, memory.total),
        "tail": [entry.text for entry in memory.tail],
    }
