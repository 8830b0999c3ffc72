"""The messages between the world and a brain written elsewhere, as JSON; docs/brains.md describes them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agents.brains import Situation
from agents.memory.entries import Entry
from mud.sanitize import sanitize

VERSION = 1
"""Of the messages; a brain says which one it speaks."""
LONGEST_MESSAGE = 1 << 16
"""Bytes of a message that the world reads."""
LONGEST_LINE = 2_000
"""Characters of a line, its private reason included."""
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 100.0
"""Think intervals until the next turn, at least and at most."""
ALL = "*"
"""Stands for every agent whose brain is remote."""


class Wrong(Exception):
    """A message that cannot be used; `code` is for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(sanitize(message))
        self.code = code

    def message(self) -> str:
        return written("error", code=self.code, message=str(self))


class Hello(NamedTuple):
    """The first message of a brain: for whom it will think, by name or id, and whether it wants whole prompts."""

    token: str
    agents: tuple[str, ...]
    name: str
    prompts: bool


class Given(NamedTuple):
    """A line of a brain, as its answer to a turn; None lets the turn pass."""

    who: str
    epoch: int
    turn: int
    line: str | None
    why: str
    pause: float


def written(kind: str, **fields: object) -> str:
    return json.dumps({"type": kind, **fields}, ensure_ascii=False)


def read(message: str | bytes, kind: str) -> dict[str, Any]:
    """Return a message of the kind that is expected. Raises Wrong."""
    try:
        data = json.loads(message)
    except (ValueError, RecursionError) as error:
        raise Wrong("malformed", f"this is no JSON: {error}") from None
    if not isinstance(data, dict) or data.get("type") != kind:
        raise Wrong("malformed", f'expected an object with "type": "{kind}"')
    return data


def read_hello(message: str | bytes) -> Hello:
    """Raises Wrong."""
    data = read(message, "hello")
    if data.get("version") != VERSION:
        raise Wrong("version", f"this world speaks version {VERSION}")
    agents = data.get("agents")
    if not isinstance(agents, list) or not agents or not all(isinstance(one, str) for one in agents):
        raise Wrong("malformed", f'"agents" is no list of names; expected such as ["Eliza"], or ["{ALL}"]')
    name = " ".join(sanitize(_text(data.get("name")) or "a brain").split())[:60]
    return Hello(_text(data.get("token")), tuple(agents), name, data.get("prompts") is True)


def read_lines(message: str | bytes) -> list[Given]:
    """Return the lines of a message. Raises Wrong, and then none of them counts."""
    lines = read(message, "lines").get("lines")
    if not isinstance(lines, list):
        raise Wrong("malformed", '"lines" is no list')
    return [_given(one) for one in lines]


def _given(data: object) -> Given:
    if not isinstance(data, dict):
        raise Wrong("malformed", "a line is no object")
    who, epoch, turn, line = (data.get(key) for key in ("id", "epoch", "turn", "line"))
    if not isinstance(who, str) or sanitize(who) != who or type(epoch) is not int or type(turn) is not int:
        raise Wrong("malformed", 'a line lacks "id", "epoch" or "turn" as they stand in the turn that it answers')
    if not isinstance(line, str | None) or len(line or "") > LONGEST_LINE:
        raise Wrong("malformed", f'"line" is no text of at most {LONGEST_LINE:,} characters, nor null')
    clean = " ".join(sanitize(line).split()) if line is not None else ""
    why = " ".join(sanitize(_text(data.get("why"))).split())[:200]
    return Given(who, epoch, turn, clean or None, why, _pause(data.get("pause", 1.0)))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _pause(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == math.inf:
        raise Wrong("malformed", '"pause" is no number')
    return float(min(max(value, SHORTEST_PAUSE), LONGEST_PAUSE))  # a whole number may be too large for a float


def situation_of(here: Situation) -> dict[str, object]:
    """Return what a character perceives now."""
    return {
        "location": here.location,
        "description": here.description,
        "exits": here.exits,
        "people": [{"name": one.name, "thinks": one.thinks, "speaks": one.speaks} for one in here.people],
        "items": here.items,
        "carrying": here.carrying,
        "notes": here.notes,
        "goal": here.goal,
        "bedtime": here.bedtime,
        "hour": here.hour,
    }


def memories_of(entries: Sequence[Entry]) -> list[Mapping[str, object]]:
    kept = ("seq", "at", "kind", "actor", "place", "text", "reason", "failed", "importance")
    return [{key: getattr(entry, key) for key in kept} for entry in entries]
