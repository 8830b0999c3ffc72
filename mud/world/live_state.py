"""What is true of things beyond their files: states, altered texts and exits, copies, timers, journeys, weather."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mud.world.changes import Alter, Arrive, Copy, Depart, SetState, Settle, StartTimer, StopTimer, TurnTo, Vanish
from mud.world.elsewhere import Journey
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import targets_of, trigger_key

DESCRIPTION, EXITS = "description", "exits."
"""What can be altered of a thing: its description, and `exits.NAME` of a location."""
LiveChange = SetState | Alter | Copy | Vanish | StartTimer | StopTimer | TurnTo | Depart | Settle | Arrive


@dataclass(slots=True)
class LiveState:
    """The part of the world that no file of a thing holds; only `World` changes it.

    Args:
        states: the states of each thing that ever had one, in the order in which they began.
        altered: by thing and key, the value now and what the file said when it was altered.
        made: id of the original of each copy.
        gone: things that are nowhere although their files name a place.
        timers: by id, in the order in which they started.
        journeys: the characters that went to another world, and are in this one no more.
        arrivals: the last ticket by which each character came from another world.
        now: the `time` of day and the `weather`; nothing for worlds without.
        listeners: ids of the things whose rules wait for something, by its key and what it is done to; see
            `traits.trigger_key` and `traits.targets_of`.
    """

    states: dict[str, dict[str, None]] = field(default_factory=dict)
    altered: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    gone: dict[str, None] = field(default_factory=dict)
    timers: dict[str, StartTimer] = field(default_factory=dict)
    journeys: dict[str, Journey] = field(default_factory=dict)
    arrivals: dict[str, str] = field(default_factory=dict)
    now: dict[str, str] = field(default_factory=dict)
    listeners: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)

    def of(self, thing: str) -> Iterable[str]:
        """Return the states that hold of a thing."""
        return self.states.get(thing, ())

    def define(self, thing: Thing, before: Thing | None) -> Thing:
        """Take in a thing as its file has it, and return it as it is now."""
        if before is not None and before.traits != thing.traits:
            self._ignore(before)
        for key in _waits_for(thing):
            self.listeners.setdefault(key, {})[thing.id] = None
        if thing.traits.states:
            self.states.setdefault(thing.id, dict.fromkeys(thing.traits.states))
        return self.altered_thing(thing) if thing.id in self.altered else thing

    def forget(self, thing: Thing) -> None:
        """Forget a thing that was removed, with its timers."""
        self._ignore(thing)
        for kept in (self.states, self.altered, self.made, self.gone, self.journeys, self.arrivals):
            kept.pop(thing.id, None)
        for timer in [one.timer for one in self.timers.values() if one.thing == thing.id]:
            del self.timers[timer]

    def _ignore(self, thing: Thing) -> None:
        for key in _waits_for(thing):
            self.listeners.get(key, {}).pop(thing.id, None)

    def set_state(self, thing: str, state: str, *, on: bool) -> None:
        held = self.states.setdefault(thing, {})
        if on:
            held[state] = None
        else:
            held.pop(state, None)

    def alter(self, change: Alter) -> None:
        self.altered.setdefault(change.thing, {})[change.key] = (change.value, change.was)

    def altered_thing(self, thing: Thing) -> Thing:
        """Return a thing of a file with what was altered since; what the file says otherwise by now wins."""
        for key, (value, was) in list(self.altered.get(thing.id, {}).items()):
            if said(thing, key) != was:
                del self.altered[thing.id][key]
            elif key == DESCRIPTION:
                thing = replace(thing, description=value)
            else:
                thing = replace(thing, exits=_with_exit(thing.exits, key.removeprefix(EXITS), value))
        return thing

    def as_json(self, things: Mapping[str, Thing]) -> dict[str, Any]:
        """Return what must be saved, as JSON values; states only where they are others than at the beginning."""
        first = {one: things[one].traits.states if one in things else () for one in self.states}
        return {
            "states": {one: list(held) for one, held in self.states.items() if sorted(held) != sorted(first[one])},
            "altered": {
                one: {key: list(told) for key, told in keys.items()} for one, keys in self.altered.items() if keys
            },
            "made": dict(self.made),
            "gone": list(self.gone),
            "timers": {one.timer: [one.due, one.thing, one.actor, one.effects] for one in self.timers.values()},
            "journeys": {one: list(journey) for one, journey in self.journeys.items()},
            "arrivals": dict(self.arrivals),
            "now": dict(self.now),
        }


def _waits_for(thing: Thing) -> Iterator[tuple[str, str]]:
    """Yield under what the rules of a thing are looked up; those of a location only where it is itself meant."""
    for rule in thing.traits.rules:
        targets = targets_of(rule.trigger, thing.id)
        alone = targets == (thing.id, "") and thing.kind is Kind.LOCATION
        yield from ((trigger_key(rule.trigger), one) for one in (targets[:1] if alone else targets))


def live_changes(data: Mapping[str, Any]) -> list[LiveChange]:
    """Return the changes that bring back what `as_json` saved, but for states. Raises TypeError or ValueError."""
    changes: list[LiveChange] = [Copy(_text(one), _text(of)) for one, of in dict(data.get("made", {})).items()]
    for one, keys in dict(data.get("altered", {})).items():
        changes += [Alter(_text(one), _text(key), *map(_text, told)) for key, told in dict(keys).items()]
    changes += [Vanish(_text(one)) for one in data.get("gone", ())]
    for timer, (due, *rest) in dict(data.get("timers", {})).items():
        changes.append(StartTimer(_text(timer), float(due), *map(_text, rest)))
    changes += [Arrive(_text(one), _text(ticket)) for one, ticket in dict(data.get("arrivals", {})).items()]
    for one, (to, ticket, settled, *home) in dict(data.get("journeys", {})).items():  # after what ends the ones before
        departs = Depart(_text(one), _text(to), _text(ticket), home=home == [True])
        changes += [departs, *([Settle(one)] if settled else [])]
    return changes + [TurnTo(_text(what), _text(value)) for what, value in dict(data.get("now", {})).items()]


def live_states(data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the saved states by thing. Raises TypeError or ValueError."""
    return {_text(one): [_text(state) for state in held] for one, held in dict(data.get("states", {})).items()}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"no text: {value!r}")
    return value


def said(thing: Thing, key: str) -> str:
    """Return what a thing says under a key that can be altered; empty for an exit that it has not."""
    if key == DESCRIPTION:
        return thing.description
    name = key.removeprefix(EXITS).casefold()
    return next((way.to for way in thing.exits if way.name.casefold() == name), "")


def _with_exit(exits: tuple[Exit, ...], name: str, to: str) -> tuple[Exit, ...]:
    known = [way for way in exits if way.name.casefold() == name.casefold()]
    if not to:
        return tuple(way for way in exits if way not in known)
    if not known:
        return (*exits, Exit(name, to))
    return tuple(way._replace(to=to) if way in known else way for way in exits)
