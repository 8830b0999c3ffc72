"""The ledger played again: its lines are carried out anew, in the world that each of them found.

The world before the first step after each opening of the vault is kept (see `mud.engine.snapshots`). Time comes from
the record, and so does what came from outside: arrivals, edits of files, answers to requests, time of day and weather.
Texts and settings are those of now; a text that was reworded since is a difference.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from agents.mind.settings import ThinkingSettings
from mud.clock import parse_iso
from mud.commands import Command
from mud.engine.engine import Engine, WorldSettings, changes_of
from mud.engine.ledger import Ledger
from mud.engine.snapshots import follow_files, read_snapshot, snapshot_steps
from mud.errors import LociError
from mud.registry import Registry
from mud.server.opening import offered_to, world_of
from mud.server.wiring import Parts, opened
from mud.simulation.figures import entity, state_hash
from mud.world.changes import Change, Define, Remove
from mud.world.narration import shortened
from mud.world.roles import Role
from mud.world.world import World

COMPARED = {"who": "who acted", "failed": "whether it failed", "changes": "the changes", "left": "the perceptions"}
"""What must be the same in a step that is played again, and its name."""
_LONGEST = 600
"""Characters of a value that a difference in words shows."""
ROLES = {role.name.lower(): role for role in Role}


class Difference(NamedTuple):
    """Where a replay departs from the record.

    Args:
        step: number of the step.
        line: what was typed; None where nothing was.
        what: what differs, in words.
        recorded, replayed: the values that differ.
    """

    step: int
    line: str | None
    what: str
    recorded: Any
    replayed: Any

    def __str__(self) -> str:
        typed = f" ({self.line})" if self.line is not None else ""
        recorded, replayed = (
            shortened(json.dumps(one, ensure_ascii=False), _LONGEST) for one in (self.recorded, self.replayed)
        )
        return f"step {self.step}{typed}: {self.what} differ; recorded: {recorded}; replayed: {replayed}"


class Replay(NamedTuple):
    """What came of playing a ledger again.

    Args:
        first, last: the steps that were played.
        lines: how many of them were lines carried out anew.
        before: steps from before the first snapshot, which cannot be played again.
        state_hash: of the world that it came to, with the memories of the vault.
        recorded_hash: of the world that the vault holds.
        difference: the first one; None where none was found, or looked for.
        edited: files of the world that are others now than after the last step; none where the end was not reached.
    """

    first: int
    last: int
    lines: int
    before: int
    state_hash: str
    recorded_hash: str
    difference: Difference | None
    edited: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return self.difference is None and self.state_hash == self.recorded_hash


def replay(vault: Path, *, verify: bool, commands: Registry[Command] | None = None) -> Replay:
    """Play a vault's ledger again, as a reader.

    Args:
        verify: compare each step with its record, and stop at the first difference.
        commands: those of the world; None for all that the program has.

    Raises:
        LociError: nothing of the ledger can be played again, or the vault cannot be opened.
    """
    with opened(vault, writable=False) as parts:
        begins = next((record["step"] for record in Ledger(parts.vault / "log").after(0)), parts.engine.number + 1)
        snapshots = [step for step in snapshot_steps(parts.vault) if begins - 1 <= step <= parts.engine.number]
        if not snapshots:
            raise LociError("no step of this ledger can be played again: the world before it was not kept")
        return _Replaying(parts, commands or parts.commands, snapshots).play(verify=verify)


class _RecordedTime:
    """A clock that shows the time of the step that is played again."""

    def __init__(self, zone: tzinfo | None) -> None:
        self.zone, self._now = zone, datetime.now(UTC)

    def set(self, at: str) -> None:
        self._now = parse_iso(at)

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise RuntimeError("nobody waits in a replay")


class _LastRecord:
    """What the engine would have written; it stands in place of the ledger."""

    last = 0

    def __init__(self) -> None:
        self.record: dict[str, Any] = {}

    def append(self, step: int, record: dict[str, Any]) -> None:
        self.record = record


class _Replaying:
    def __init__(self, parts: Parts, commands: Registry[Command], snapshots: Sequence[int]) -> None:
        self._parts, self._commands, self._snapshots = parts, commands, snapshots
        forgotten = parts.configuration.get(ThinkingSettings).self_changes  # of who has no file any more
        self._offers, self._ledger = offered_to(commands, parts.minds, forgotten), Ledger(parts.vault / "log")
        self._made = _LastRecord()
        self._begin(snapshots[0])

    def _begin(self, step: int) -> None:
        """Go on from the world that was kept after a step."""
        parts, snapshot = self._parts, read_snapshot(self._parts.vault, step)
        self._begun, self._time = step, _RecordedTime(UTC if snapshot.utc else None)
        self._files, self._homes = dict(snapshot.files), dict(snapshot.state.files)
        self._engine = Engine(
            world_of(snapshot), self._commands, parts.texts.render, self._made, self._time,
            lambda: parts.configuration.get(WorldSettings), self._offers,
        )  # fmt: skip
        self._engine.witnesses |= set(snapshot.witnesses)

    def play(self, *, verify: bool) -> Replay:
        parts, first, lines, difference = self._parts, self._begun + 1, 0, None
        played = self._begun
        for record in self._records():
            played = record["step"]
            try:
                lines += self._play_step(record)
                difference = _difference(record, self._made.record) if verify else None
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise LociError(f"step {played} of the ledger is not as the program writes steps: {error!r}") from error
            if difference is not None:
                break
            follow_files(record, self._files, self._homes)
        agents, world = parts.minds.opened(), self._engine.world
        world.apply(self._as_opened())
        hashes = state_hash(world, agents), state_hash(parts.engine.world, agents)
        edited = self._edited() if difference is None and hashes[0] != hashes[1] else ()
        if verify and difference is None and hashes[0] != hashes[1]:
            difference = _at_the_end(played, parts.engine.world, world)
        return Replay(first, played, lines, self._before(first), *hashes, difference, edited)

    def _edited(self) -> tuple[str, ...]:
        """Return the files that are others than after the last step, new ones and missing ones too."""
        gone = {file for one, file in self._homes.items() if one not in self._engine.world.things}
        then = {file: text for file, text in self._files.items() if file.startswith("world/") and file not in gone}
        now = self._parts.world_files.texts(self._parts.world_files.files())
        return tuple(sorted(file for file in {**then, **now} if then.get(file) != now.get(file)))

    def _as_opened(self) -> list[Change]:
        """Return what whoever opens the world knows from the files of people and agents alone.

        Persons whom the world forgot have files, and agents who were forgotten or removed have none.
        """
        known = {one.id: one for one in self._parts.minds.definitions.values()}
        persons = (one.thing() for one in known.values() if one.person)
        agents = (one.id for one in self._engine.world.things.values() if one.thinks)
        return [
            *(Define(thing) for thing in persons if thing.id not in self._engine.world.things),
            *(Remove(one) for one in agents if one not in known),
        ]

    def _records(self) -> Iterator[Mapping[str, Any]]:
        """Yield the steps that can be played, and begin anew where there is a snapshot."""
        next_step = self._begun + 1
        for record in takewhile(lambda one: one["step"] <= self._parts.engine.number, self._ledger.after(self._begun)):
            newest = self._snapshots[bisect_left(self._snapshots, record["step"]) - 1]
            if newest != self._begun:
                self._begin(newest)
            elif record["step"] > next_step:
                raise LociError(f"the ledger lacks step {next_step}, so nothing after it can be played again")
            next_step = record["step"] + 1
            yield record
        if self._snapshots[-1] != self._begun:  # after it nothing happened
            self._begin(self._snapshots[-1])

    def _before(self, first: int) -> int:
        return sum(record is not None and record["step"] < first for _, _, record in self._ledger.lines())

    def _play_step(self, record: Mapping[str, Any]) -> bool:
        """Play a step, and return whether it was a line that is carried out anew."""
        engine, line, role = self._engine, record.get("line"), ROLES.get(record.get("role", "agent"))
        engine.number = record["step"] - 1
        self._time.set(record["at"])
        for who, keeps in record.get("witnesses", {}).items():
            engine.witness(who, keeps=keeps)
        self._made.record = dict(record)
        if line is not None and role is not None:
            self._made.record = {}
            engine.step(record["who"], line, role)
            return True
        self._happen(record)
        return False

    def _happen(self, record: Mapping[str, Any]) -> None:
        """Play a step without a line: what time brings about is worked out anew, the rest is as it was recorded."""
        engine, changes = self._engine, record.get("changes") or [{}]
        timer = engine.world.live.timers.get(changes[0].get("stop", ""))
        if timer is not None and timer.thing == record["who"]:
            engine.run_out(timer)
        elif (what := changes[0].get("turn")) is not None:
            engine.turn(what, changes[0]["value"])
        else:
            engine.world.apply(changes_of(dict(record)))


def _difference(recorded: Mapping[str, Any], made: Mapping[str, Any]) -> Difference | None:
    """Return the first thing in which a step is another one than was recorded."""
    again = json.loads(json.dumps(made))
    for key, what in COMPARED.items():
        if recorded.get(key) != again.get(key):
            return Difference(recorded["step"], recorded["line"], what, recorded.get(key), again.get(key))
    return None


def _at_the_end(step: int, recorded: World, replayed: World) -> Difference:
    """Return what of a world that was played again is another than in the vault."""
    here, there = ({one: entity(world, thing) for one, thing in world.things.items()} for world in (recorded, replayed))
    others = [one for one in {**here, **there} if here.get(one) != there.get(one)]
    what = f"after it, by no step of the ledger, {', '.join(others) or 'channels or timers'}"
    return Difference(step, None, what, {one: here.get(one) for one in others}, {one: there.get(one) for one in others})
