"""What things do by their rules when something is done in the world. Pure: it returns changes and events.

Rules see the world as it is after what set them off; those with `refuse` see it before, and what was tried does not
happen. In one step each rule of a thing acts at most once, so that no circle of rules is endless.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from mud.world.changes import Alter, Change, Copy, Define, Put, Remove, SetState, StartTimer, TurnTo, Vanish
from mud.world.events import Event
from mud.world.live_state import DESCRIPTION, EXITS, said
from mud.world.matching import plain
from mud.world.narration import called, sentence
from mud.world.rules import (
    ACTOR,
    ANYTHING,
    HERE,
    IT,
    SPECIAL,
    After,
    Almanac,
    Becomes,
    Begins,
    Chance,
    Condition,
    Describe,
    Does,
    Effect,
    Every,
    Is,
    Make,
    MoveThing,
    Not,
    Ref,
    Refuse,
    RemoveThing,
    Rule,
    SetExit,
    Some,
    Tell,
    Within,
    bind,
    parse_effects,
)
from mud.world.things import Kind, Thing
from mud.world.traits import WORN, Numbered
from mud.world.world import World

ANY = Ref(ANYTHING)
MOST_FIRED = 200
"""Rules that act in one step."""
DEEPEST = 1_000
"""Things within each other; deeper ones count as nowhere, which ends a circle of them."""
MOST_MADE = 2_000
"""Copies in a world; more are not made."""
MOST_TIMERS = 1_000
"""Timers in a world; more are not started."""


class Action(NamedTuple):
    """What a character does, as rules see it: `put` the fin `on` the sundial, `say` some `words`, `enter` a place.

    `thing` and `other` are ids, empty for none.
    """

    verb: str
    place: str
    thing: str = ""
    relation: str = ""
    other: str = ""
    words: str = ""


class Reaction(NamedTuple):
    """What follows from an action.

    Args:
        told: what the actor is told besides.
        refused: the action does not happen.
    """

    changes: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()
    told: tuple[str, ...] = ()
    refused: bool = False


NOTHING = Reaction()
NO_RULES: tuple[Numbered, Numbered] = ([], [])


class Moment(NamedTuple):
    """When and by whom rules are set off; `number` is the number of the step, `now` seconds since 1970."""

    actor: str
    number: int
    now: float


class _Cause(NamedTuple):
    """What may set off rules: an action, a state that began or ended, a time that began; `key` finds the rules."""

    key: str
    action: Action | None = None
    changed: SetState | None = None


@dataclass(slots=True)
class _View:
    """The world as it will be when some changes are applied."""

    world: World
    _defined: dict[str, Thing] = field(default_factory=dict)
    _where: dict[str, str] = field(default_factory=dict)
    _states: dict[tuple[str, str], bool] = field(default_factory=dict)
    _now: dict[str, str] = field(default_factory=dict)

    def apply(self, change: Change) -> None:
        match change:
            case Define(thing):
                self._defined[thing.id] = thing
            case Put(thing, into):
                self._where[thing] = into
            case Vanish(thing) | Remove(thing):
                self._where[thing] = ""
            case SetState(thing, state, on):
                self._states[thing, state] = on
            case TurnTo(what, value):
                self._now[what] = value

    def get(self, thing: str) -> Thing | None:
        return self._defined.get(thing) or self.world.get(thing)

    def holds(self, thing: str, state: str) -> bool:
        known = self._states.get((thing, state)) if self._states else None
        return state in self.world.live.of(thing) if known is None else known

    def holder(self, thing: str) -> str:
        known = self._where.get(thing) if self._where else None
        return self.world.holder(thing) if known is None else known

    def holders(self, thing: str) -> Iterator[str]:
        """Yield what holds a thing, from the inside out."""
        holder, seen = self.holder(thing), set[str]()
        while holder and holder not in seen:
            yield holder
            seen.add(holder)
            holder = self.holder(holder)

    def place(self, thing: str) -> str:
        """Return the id of the location of a thing, or of itself when it is one; empty when it is nowhere."""
        is_location, at = self.world.is_location, thing
        for _ in range(DEEPEST):
            if not at or is_location(at):
                return at
            at = self.holder(at)
        return ""

    def now(self, what: str) -> str:
        return self._now.get(what) or self.world.live.now.get(what, "")


def react(
    world: World,
    actions: Sequence[Action],
    changes: Sequence[Change],
    moment: Callable[[], Moment],
    *,
    refusable: bool = True,
) -> Reaction:
    """Return what rules make of actions and their changes; `NOTHING` when none waits for either.

    What is not `refusable` happens whatever rules say, such as that somebody comes into the world.
    """
    causes = [_Cause(action.verb, action) for action in actions]
    begins = any(type(one) is SetState for one in changes)
    if not begins and not any(_may_act(world, cause) for cause in causes):
        return NOTHING
    chain = _Chain(world, "", moment())
    for cause in causes if refusable else ():
        chain.start(cause, refusing=True)
        if chain.refused:
            return chain.reaction()
    for change in changes:
        chain.change(change, own=False)
    for cause in causes:
        chain.start(cause, refusing=False)
    chain.run()
    return chain.reaction()


def _may_act(world: World, cause: _Cause) -> bool:
    """Return whether a rule may be about an action, by what is cheap to see: the words, and states of its own thing."""
    said = plain(cause.action.words) if cause.action is not None and cause.action.words else ""
    key, things, states = cause.key, world.things, world.live.states
    for one in _listeners(world, cause):
        if one not in things:
            continue
        for state, words in things[one].traits.hurdles.get(key, ()):
            if (not state or state in states.get(one, ())) and (not words or plain(words) in said):
                return True
    return False


def _listeners(world: World, cause: _Cause) -> list[str]:
    """Return the ids of the things with rules that may be about a cause."""
    if cause.changed is not None:
        meant = [cause.changed.thing, ANYTHING]
    elif cause.action is None:
        meant = [""]
    elif cause.action.thing or cause.action.other:
        meant = [one for one in (cause.action.thing, cause.action.other, ANYTHING) if one]
    else:
        meant = [cause.action.place, ""]
    live = world.live
    meant += [live.made[one] for one in meant if one in live.made] if live.made else []
    found = [some for one in meant if (some := live.listeners.get((cause.key, one)))]
    return list(dict.fromkeys(chain.from_iterable(found)))


def react_to_changes(world: World, changes: Iterable[Change], moment: Moment, place: str = "") -> Reaction:
    """Return what rules make of changes that nobody's action made, such as a time of day that begins."""
    chain = _Chain(world, place, moment)
    for change in changes:
        chain.change(change, own=False)
        if isinstance(change, TurnTo):
            chain.start(_Cause(f"{change.value} begins"), refusing=False)
    chain.run()
    return chain.reaction()


def run_timer(world: World, timer: StartTimer, number: int, now: float) -> Reaction:
    """Return what the effects of a timer that is due bring about.

    Waits within them begin now: what was due while the world did not run is not made up for many times over.
    """
    it = world.get(timer.thing)
    if it is None:
        return NOTHING
    chain = _Chain(world, "", Moment(timer.actor, number, now), acts=False)
    effects = bind(parse_effects(timer.effects), dict(it.traits.names))
    chain.place = chain.view.place(it.id)
    chain.carry_out(it, effects, timer.timer)
    chain.run()
    return chain.reaction()


def holds(world: World, thing: str, condition: Condition, actor: str = "") -> bool:
    """Return whether a condition in the file of a thing holds now; `chance` never does."""
    view = _View(world)
    return _holds(view, condition, {IT: thing, ACTOR: actor, HERE: view.place(thing)}, ())


def texts_now(world: World, thing: Thing, viewer: str) -> list[str]:
    """Return the texts of a thing, in their order, whose conditions hold."""
    return [one.text for one in thing.traits.texts if holds(world, thing.id, one.condition, viewer)]


class _Chain:
    """Rules that set off each other within one step.

    Args:
        acts: the actor does something in this step, and is told in its reply what comes of it.
    """

    def __init__(self, world: World, place: str, moment: Moment, *, acts: bool = True) -> None:
        self.world, self.place, self.moment, self.acts = world, place, moment, acts
        self.view = _View(world)
        self.changes: list[Change] = []
        self.events: list[Event] = []
        self.told: list[str] = []
        self.refused = False
        self.causes: deque[_Cause] = deque()
        self.fired: set[tuple[str, int]] = set()
        self.next, self.made = world.next_id, 0
        self._known: dict[str, Mapping[str, str]] = {}
        """What `it`, `actor` and `here` are for each thing with rules, as long as nothing moves."""

    def reaction(self) -> Reaction:
        if not (self.changes or self.events or self.told or self.refused):
            return NOTHING
        return Reaction(tuple(self.changes), tuple(self.events), tuple(self.told), self.refused)

    def start(self, cause: _Cause, *, refusing: bool) -> None:
        """Carry out the rules for a cause that do refuse, or those that do not, and what follows."""
        self._set_off(cause, refusing=refusing)
        self.run()

    def run(self) -> None:
        while self.causes:
            self._set_off(self.causes.popleft(), refusing=False)

    def _set_off(self, cause: _Cause, *, refusing: bool) -> None:
        things = self.world.things
        if cause.action is not None:
            self.place = cause.action.place
        for one in _listeners(self.world, cause):
            it = things[one]
            for number, rule in it.traits.waiting.get(cause.key, NO_RULES)[refusing]:
                if self.refused or len(self.fired) >= MOST_FIRED:
                    return
                if (one, number) not in self.fired and self._fits(it, rule, cause):
                    self._fire(it, rule, number)

    def _fits(self, it: Thing, rule: Rule, cause: _Cause) -> bool:
        match rule.trigger:
            case Does():
                return cause.action is not None and self._does(it, rule.trigger, cause.action)
            case Becomes(thing, _, on):
                return cause.changed is not None and cause.changed.on == on and self._is(it, thing, cause.changed.thing)
            case Begins():
                return True

    def _does(self, it: Thing, wanted: Does, action: Action) -> bool:
        if wanted.words and plain(wanted.words) not in plain(action.words):
            return False
        if wanted.thing is None and wanted.other is None:
            # To this thing; where it is, when it is done to no thing at all, such as `enter` or `say`.
            if done_to := action.thing or action.other:
                return done_to == it.id
            return action.place == self._names(it.id)[HERE]
        if wanted.relation and wanted.relation != action.relation:
            return False
        if wanted.thing is not None and not self._is(it, wanted.thing, action.thing):
            return False
        if wanted.other is not None and not self._is(it, wanted.other, action.other):
            return False
        anywhere = ANY not in (wanted.thing, wanted.other)
        return anywhere or it.id in (action.thing, action.other) or action.place == self._names(it.id)[HERE]

    def _is(self, it: Thing, wanted: Ref, thing: str) -> bool:
        """Return whether a thing, or the original of a copy, is the one that a rule names."""
        if wanted.name == ANYTHING:
            return bool(thing)
        if not thing:
            return False
        named = wanted.name
        if named in SPECIAL:
            named = {IT: it.id, ACTOR: self.moment.actor, HERE: self.place}[named]
        return named in (thing, self.world.live.made.get(thing))

    def _fire(self, it: Thing, rule: Rule, number: int) -> None:
        lot = (self.moment.number, it.id, number)
        if rule.condition is None or _holds(self.view, rule.condition, self._names(it.id), lot):
            self.fired.add((it.id, number))
            self.carry_out(it, rule.effects, " ".join(map(str, lot)))

    def _names(self, it: str) -> Mapping[str, str]:
        known = self._known.get(it)
        if known is None:
            known = {IT: it, ACTOR: self.moment.actor, HERE: self.view.place(it) or self.place}
            self._known[it] = known
        return known

    def carry_out(self, it: Thing, effects: Iterable[Effect], lot: str) -> None:
        names = self._names(it.id)
        for at, effect in enumerate(effects):
            match effect:
                case Tell(text, place, actor_only):
                    self._tell(it, text, "" if actor_only else _id(place or Ref(HERE), names))
                case Refuse(text):
                    self.refused = True
                    self.told.append(self._worded(it, text))
                case After(seconds, _, source):
                    self._start_timer(it, seconds, source, f"{lot} {at}")
                case _:
                    for change in self._changes(effect, names):
                        self.change(change)

    def _changes(self, effect: Effect, names: Mapping[str, str]) -> Iterator[Change]:
        match effect:
            case Becomes(thing, state, on):
                yield SetState(_id(thing, names), state, on)
            case MoveThing(thing, to):
                what, into = _id(thing, names), _id(to, names)
                if self._may_be_in(what, into):
                    yield SetState(what, WORN, on=False)
                    yield Put(what, into)
            case RemoveThing(thing):
                what = _id(thing, names)
                if (known := self.world.get(what)) is not None and known.kind is Kind.ITEM:
                    yield Remove(what) if what in self.world.live.made else Vanish(what)
            case Make(thing, into):
                what, into = _id(thing, names), _id(into, names)
                room = len(self.world.live.made) + self.made < MOST_MADE
                if room and self._is_item(what) and self.view.get(into) is not None:
                    made = self._new_id()
                    yield Copy(made, what)
                    yield Put(made, into)
            case Describe(thing, text):
                yield from self._alter(_id(thing, names), DESCRIPTION, text)
            case SetExit(place, name, to):
                yield from self._alter(_id(place, names), f"{EXITS}{name}", _id(to, names) if to is not None else "")

    def _alter(self, thing: str, key: str, value: str) -> Iterator[Change]:
        if self.world.get(thing) is not None:
            yield Alter(thing, key, value, said(self.world.as_filed(thing), key))

    def _may_be_in(self, thing: str, into: str) -> bool:
        """Return whether a thing can be moved: into no part of itself, and characters only from place to place."""
        moved, view = self.view.get(thing), self.view
        if moved is None or view.get(into) is None or thing in (into, *view.holders(into)):
            return False
        if moved.kind is Kind.CHARACTER:
            return self.world.location(into) is not None and view.place(thing) != ""
        return moved.kind is Kind.ITEM

    def _is_item(self, thing: str) -> bool:
        known = self.world.get(thing)
        return known is not None and known.kind is Kind.ITEM

    def _new_id(self) -> str:
        while self.view.get(f"#{self.next}") is not None:
            self.next += 1
        self.next, self.made = self.next + 1, self.made + 1
        return f"#{self.next - 1}"

    def change(self, change: Change, *, own: bool = True) -> None:
        """Take in a change; one of a state is a cause for other rules. One that is not `own` is in the outcome."""
        if isinstance(change, SetState):
            if self.view.get(change.thing) is None or self.view.holds(change.thing, change.state) == change.on:
                return
            self.causes.append(_Cause(f"becomes {change.state}", changed=change))
        self.view.apply(change)
        self._known.clear()
        if own:
            self.changes.append(change)

    def _start_timer(self, it: Thing, seconds: float, effects: str, lot: str) -> None:
        timers = self.world.live.timers
        if len(timers) < MOST_TIMERS:
            name = hashlib.sha256(f"{lot} {len(self.changes)}".encode()).hexdigest()[:12]
            actor, due = self.moment.actor, self.moment.now + seconds
            self.change(StartTimer(f"{self.moment.number}.{name}", due, it.id, actor, effects))

    def _tell(self, it: Thing, text: str, place: str) -> None:
        """Tell a text to all in a place, or to the actor alone when it is empty."""
        worded, actor = self._worded(it, text), self.moment.actor
        own = self.view.place(actor)
        if self.acts and place in ("", own):
            self.told.append(worded)
        if not self.acts and not place and own:
            self.events.append(Event("whisper", it.id, own, worded, to=actor, thing=it.name))
        if place and self.world.location(place) is not None:
            by = actor if self.acts and actor else it.id
            self.events.append(Event("change", by, place, worded, thing=it.name))

    def _worded(self, it: Thing, text: str) -> str:
        actor = self.view.get(self.moment.actor)
        named = text.replace("{it}", called(it)).replace("{actor}", actor.name if actor is not None else "somebody")
        return sentence(named)


def _id(ref: Ref, names: Mapping[str, str]) -> str:
    return names.get(ref.name, ref.name)


def _holds(view: _View, condition: Condition, names: Mapping[str, str], lot: Sequence[object]) -> bool:
    match condition:
        case Is(thing, state):
            return view.holds(_id(thing, names), state)
        case Within(thing, relation, other):
            return _within(view, _id(thing, names), relation, _id(other, names))
        case Almanac(what, value):
            return view.now(what) == value
        case Chance(times, of):
            drawn = hashlib.sha256(" ".join(map(str, lot)).encode()).hexdigest()[:12]
            return bool(lot) and int(drawn, 16) % of < times
        case Not(inner):
            return not _holds(view, inner, names, lot)
        case Every(several):
            return all(_holds(view, one, names, lot) for one in several)
        case Some(several):
            return any(_holds(view, one, names, lot) for one in several)


def _within(view: _View, thing: str, relation: str, other: str) -> bool:
    """Return whether a thing is in or on another, or anywhere in a location; copies count as their original."""
    made = view.world.live.made
    alike = (thing, *(one for one, of in made.items() if of == thing)) if made else (thing,)
    deep = relation == "at" or view.world.location(other) is not None
    return any(other in view.holders(one) if deep else view.holder(one) == other for one in alike)
