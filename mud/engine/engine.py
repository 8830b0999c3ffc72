"""The engine, through which every line and event enters the world.

`step` never awaits, so each line is carried out completely before the next one, without locks. Observers are called
after each step and must not call the engine.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from mud.clock import Clock, iso
from mud.commands import (
    OWNERS,
    WHO,
    Command,
    Context,
    InputLine,
    Outcome,
    Say,
    describe_location,
    offered,
    read_line,
    understand,
    waking,
)
from mud.durations import Durations
from mud.errors import Refusal
from mud.registry import Registry
from mud.storage.settings import setting
from mud.tracing import span
from mud.world.almanac import hour_of, part_of_day, weather_at
from mud.world.changes import (
    Change,
    Define,
    FallAsleep,
    Leave,
    Put,
    Remove,
    StartTimer,
    StopTimer,
    TurnTo,
    WakeUp,
    change_from_json,
    change_to_json,
)
from mud.world.events import CHANGED, DISTANT, Event, Perception, Request, mark_of
from mud.world.narration import phrase, shortened
from mud.world.reactions import NOTHING, Action, Moment, Reaction, react, react_to_changes, run_timer
from mud.world.roles import Role
from mud.world.things import Thing
from mud.world.world import World

log = logging.getLogger(__name__)

NOT_YOURS = phrase("engine.refusals.not_yours", "who", "verb")
LEDGER_FAILED = phrase("engine.refusals.ledger_failed", "why")
BROKEN = phrase("engine.refusals.broken", "verb")
TRIED = phrase("engine.memories.tried", "line", "why")
TRIED_HINT = phrase("engine.memories.tried_hint", "line", "why", "hint")
REFUSED_HINT = phrase("engine.refusals.with_hint", "why", "hint")
GONE = phrase("engine.refusals.gone")
ASLEEP = phrase("engine.refusals.asleep")
ASLEEP_HINT = phrase("engine.refusals.asleep_hint")
WOKE = phrase("engine.memories.woke")
ENTERS = phrase("engine.events.enters", "actor")
LEAVES = phrase("engine.events.leaves", "actor")
TURNED = phrase("engine.events.turned", "value")
DOZES = phrase("engine.events.dozes", "actor")
CHANNEL = phrase("engine.memories.channel", "channel")

WAKE = "wake"
"""The only command of a sleeping agent."""
ABOUT_SLEEP = (WAKE, "sleep")
"""Commands that see their actor asleep; any other one sees it awake."""
_HEARD_AS = {"speech": "heard", "shout": "heard", "whisper": "told", "channel": "told"}
BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Seconds by which lines are counted: how long it took to carry them out."""
_LONGEST_TRIED = 160
"""Characters of a failed line in its memory."""


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """`config/world.md`."""

    start_location: str = setting("The Garden", "Name of the location where a new person arrives.", per_agent=False)
    line_limit: int = setting(
        8192, "Characters a typed line may have; a longer one is refused.", low=80, high=100_000, per_agent=False
    )
    state_interval: float = setting(
        5.0, "Seconds between two savings of who and what is where.", low=0.5, high=3600.0, per_agent=False
    )
    day_hours: float = setting(
        0.0,
        "Hours that a day of the world lasts; 24 goes by the machine's clock, 0 leaves out morning, evening and night.",
        low=0.0, high=1000.0, per_agent=False,
    )  # fmt: skip
    weather: tuple[str, ...] = setting(
        (), "Kinds of weather, each with how often it comes, such as clear 5, rainy 2; empty for none.", per_agent=False
    )
    weather_hours: float = setting(3.0, "Hours until the weather may change.", low=0.1, high=1000.0, per_agent=False)


class LedgerLike(Protocol):
    last: int

    def append(self, step: int, record: dict[str, Any]) -> None: ...


class Step(NamedTuple):
    """One completed action.

    Args:
        number: its number in the ledger, from 1; 0 when nothing was written.
        who: id of the actor.
        line: the input; None for a step without one, such as an answer.
        left: the perceptions of all witnesses and of the actor.
        answers: the request that it answers, if any.
        quit: the session is over.
    """

    number: int
    at: str
    who: str
    line: str | None
    reply: str
    failed: bool = False
    events: tuple[Event, ...] = ()
    left: tuple[Perception, ...] = ()
    requests: tuple[Request, ...] = ()
    answers: Request | None = None
    quit: bool = False


class StepTotals:
    """What the engine did since the start.

    `commands` counts lines by the name of their command, `""` for one that names none, and whether they failed.
    """

    def __init__(self) -> None:
        self.commands: Counter[tuple[str, bool]] = Counter()
        self.durations = Durations(BOUNDS)
        self.memories = 0


Observer = Callable[[Step], None]


class Engine:
    """Runs commands and applies their outcomes; from now on only the engine changes the world.

    Args:
        offers: returns the commands that an agent may type, by its character's id; by default all that do not
            alter the agent.
    """

    def __init__(
        self,
        world: World,
        commands: Registry[Command],
        say: Say,
        ledger: LedgerLike,
        clock: Clock,
        settings: Callable[[], WorldSettings],
        offers: Callable[[str], Registry[Command]] | None = None,
    ) -> None:
        self.world = world
        self.commands = commands
        self.witnesses: set[str] = set()
        """Ids of the characters whose perceptions are kept."""
        self.number = ledger.last
        self.totals = StepTotals()
        self.unwritable = ""
        """Why the ledger refused the last step; empty when it took it."""
        self._say = say
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._offers = offers or (lambda who: offered(commands, ()))
        self._observers: list[Observer] = []
        self._witnessing: dict[str, bool] = {}
        """Who became a witness or is none any more since the last step."""
        self._time: datetime | None = None
        """The time of the step that is carried out, if something asked for it: then it has no other one."""

    def observe(self, observer: Observer) -> None:
        self._observers.append(observer)

    def unobserve(self, observer: Observer) -> None:
        self._observers.remove(observer)

    def witness(self, who: str, *, keeps: bool = True) -> None:
        """Keep what a character perceives from now on, or no more; the next step says so in the ledger."""
        if (who in self.witnesses) != keeps:
            (self.witnesses.add if keeps else self.witnesses.discard)(who)
            self._witnessing[who] = keeps

    def step(self, who: str, text: str, role: Role) -> Step:
        """Carry out a typed line; a refused one gives a `failed` step with the reason in `reply`, not an exception."""
        began = self._clock.monotonic()
        self._time = None
        with span("step", who=who) as note:
            step, command = self._carry_out(who, text, role)
            note(step=step.number, command=command, failed=step.failed, memories=len(step.left))
        self.totals.commands[command, step.failed] += 1
        self.totals.durations.add(self._clock.monotonic() - began)
        return step

    def would(self, who: str, text: str, role: Role) -> bool:
        """Return whether a line would be carried out now, as far as its command tells; rules may still forbid it."""
        actor = self.world.get(who)
        if actor is None:
            return False
        try:
            line, known = read_line(text, self._settings().line_limit), self._commands_of(who, role)
            line, command = understand(line, known, self.world, who, role)
            self._run(command, actor, line, role, known)
        except Refusal:
            return False
        finally:
            self._time = None
        return True

    def _carry_out(self, who: str, text: str, role: Role) -> tuple[Step, str]:
        """Carry out a typed line; return the step and the name of its command, `""` when it names none."""
        actor = self.world.get(who)
        if actor is None:  # its file was removed during play
            return Step(0, iso(self._clock.now()), who, None, self._say(GONE), failed=True), ""
        try:
            line = read_line(text, self._settings().line_limit)
        except Refusal as refusal:
            return Step(0, iso(self._clock.now()), who, None, self._refused(refusal), failed=True), ""
        text = line.typed
        sleeps = actor.thinks and who in self.world.asleep
        try:
            known = self._commands_of(who, role)
            line, command = understand(line, known, self.world, who, role)
        except Refusal as refusal:
            return self._fail(actor, line, refusal, text, role, keep=not sleeps), ""
        if sleeps and command.name != WAKE:
            asleep = Refusal(self._say(ASLEEP), self._say(ASLEEP_HINT))
            return self._fail(actor, line, asleep, text, role, keep=False), command.name
        try:
            outcome = self._run(command, actor, line, role, known)
        except Refusal as refusal:
            # A command that an agent is offered leaves its failures in memory, even if its success leaves nothing.
            keep = command.keeps != "skip" or command.for_models
            return self._fail(actor, line, refusal, text, role, keep=keep), command.name
        outcome = self._with_reactions(actor, outcome)
        own = self._own_memory(actor, command, outcome, line)
        if who in self.world.asleep and WakeUp(who) not in outcome.changes:
            outcome, own = self._awake_again(actor, outcome, own)
        return self._happen(actor, outcome, own, text, role), command.name

    def _commands_of(self, who: str, role: Role) -> Registry[Command]:
        """Agents can only name the commands that they are offered."""
        return self.commands if isinstance(role, Role) and role > Role.AGENT else self._offers(who)

    def _awake_again(self, actor: Thing, outcome: Outcome, own: list[Perception]) -> tuple[Outcome, list[Perception]]:
        """Wake the actor first; the command itself ran as if it were awake."""
        here = self.world.location_of(actor.id)
        if here is None:
            return outcome._replace(changes=(WakeUp(actor.id), *outcome.changes)), own
        (change, event), woke = waking(self._say, actor, here), self._say(WOKE)
        awake = outcome._replace(
            reply="\n".join(text for text in (woke, outcome.reply) if text),
            changes=(change, *outcome.changes),
            events=(event, *outcome.events),
        )
        return awake, [Perception(actor.id, "did", woke, None, here.name), *own]

    def _run(self, command: Command, actor: Thing, line: InputLine, role: Role, known: Registry[Command]) -> Outcome:
        if not isinstance(role, Role) or role < command.role:
            who = self._say(WHO.get(command.role, OWNERS))
            raise Refusal(self._say(NOT_YOURS, who=who, verb=command.name))
        witnesses, step = self.witnesses, self.number + 1
        context = Context(
            self.world, actor, role, self._say, known, step, line.verb, line.reason, witnesses, self._here_and_now
        )
        slots = command.form.read(command.name, line.rest)
        try:
            if actor.id not in self.world.asleep or command.name in ABOUT_SLEEP:
                return command.run(context, *slots)
            with self.world.as_if_awake(actor.id):
                return command.run(context, *slots)
        except Refusal:
            raise
        except Exception:
            # A faulty plug-in must not stop the world; the traceback is in the log.
            log.exception("command %s failed on %r", command.name, line.rest[:200])
            raise Refusal(self._say(BROKEN, verb=command.name)) from None

    def _with_reactions(self, actor: Thing, outcome: Outcome, *, refusable: bool = True) -> Outcome:
        """Return an outcome with what rules make of it, which may be that it does not happen."""
        if not (self.world.live.listeners and (outcome.actions or outcome.changes)):
            return outcome
        reaction = react(
            self.world, outcome.actions, outcome.changes, lambda: self._moment(actor.id), refusable=refusable
        )
        if reaction is NOTHING:
            return outcome
        if reaction.refused:
            return Outcome("\n".join(reaction.told), changes=reaction.changes, events=reaction.events)
        memory = outcome.memory
        return outcome._replace(
            reply="\n".join([outcome.reply, *reaction.told]).strip(),
            memory=None if memory is None else "\n".join([memory, *reaction.told]).strip(),
            changes=(*outcome.changes, *reaction.changes),
            events=(*outcome.events, *reaction.events),
        )

    def _moment(self, actor: str) -> Moment:
        return Moment(actor, self.number + 1, self._now().timestamp())

    def elapse(self) -> list[Step]:
        """Carry out what is due by now, each in a step of its own: what rules put off, parts of the day, weather."""
        live, moment, steps = self.world.live, self._clock.now(), list[Step]()
        now = moment.timestamp()
        for timer in sorted(live.timers.values(), key=lambda timer: timer.due) if live.timers else ():
            if timer.due <= now and timer.thing in self.world.things:
                steps.append(self.run_out(timer))
        settings = self._settings()
        part = part_of_day(self.hour()) if settings.day_hours else ""
        weather = weather_at(moment, settings.weather, settings.weather_hours) if settings.weather else ""
        for what, value in (("time", part), ("weather", weather)):
            if live.now.get(what, "") != value:
                steps.append(self.turn(what, value))
        return steps

    def run_out(self, timer: StartTimer) -> Step:
        """Carry out what a rule put off. Raises KeyError when its thing is gone."""
        self._time = None
        reaction = run_timer(self.world, timer, self.number + 1, self._now().timestamp())
        return self._change(self.world.things[timer.thing], reaction, StopTimer(timer.timer))

    def hour(self) -> float:
        """Return the hour of the day, 0 to 24, in the world."""
        return hour_of(self._clock.now().astimezone(self._clock.zone), self._settings().day_hours)

    def turn(self, what: str, value: str) -> Step:
        """Let another `time` of day or `weather` begin; at first, and with none, nobody is told."""
        self._time = None
        change, places = TurnTo(what, value), self.world.locations()
        if not (value and self.world.live.now.get(what)):
            return self._change(places[0], NOTHING, change)
        reaction, told = react_to_changes(self.world, (change,), self._moment("")), self._say(TURNED, value=value)
        outside = [one for one in places if not one.traits.indoors and self.world.people(one.id)]
        events = tuple(Event("change", "", one.id, told) for one in outside)
        return self._change(places[0], reaction._replace(events=(*events, *reaction.events)), change)

    def _change(self, it: Thing, reaction: Reaction, first: Change) -> Step:
        return self.happen(it, Outcome("", changes=(first, *reaction.changes), events=reaction.events))

    def _own_memory(self, actor: Thing, command: Command, outcome: Outcome, line: InputLine) -> list[Perception]:
        text = outcome.memory if command.keeps == "short" and outcome.memory is not None else outcome.reply
        if command.keeps == "skip" or not text:
            return []
        place = self._place(actor, outcome.changes)
        return [Perception(actor.id, outcome.kind, text, None, place, line.reason, mark=outcome.mark)]

    def _fail(self, actor: Thing, line: InputLine, refusal: Refusal, text: str, role: Role, *, keep: bool) -> Step:
        tried = shortened(f"{line.verb} {line.rest}".strip(), _LONGEST_TRIED)
        hint = refusal.hint
        kept = self._say(
            TRIED_HINT if hint else TRIED, line=tried, why=refusal.text, **({"hint": hint} if hint else {})
        )
        place = self._place(actor, ())
        own = [Perception(actor.id, "did", kept, None, place, line.reason, failed=True)] if keep else []
        return self._happen(actor, Outcome(self._refused(refusal)), own, text, role, failed=True)

    def _refused(self, refusal: Refusal) -> str:
        if refusal.hint:
            return self._say(REFUSED_HINT, why=refusal.text, hint=refusal.hint)
        return refusal.text

    def answer(self, request: Request, outcome: Outcome | Refusal) -> Step:
        """Add the answer to a request to the world, as its own step.

        Observers are also called when the answer could not be written, so that nobody waits forever.
        """
        actor = self.world.get(request.who)
        if actor is None:
            return self._unheard(
                Step(0, iso(self._clock.now()), request.who, None, self._say(GONE), failed=True, answers=request)
            )
        failed = isinstance(outcome, Refusal)
        told = Outcome(self._refused(outcome)) if isinstance(outcome, Refusal) else outcome
        own: list[Perception] = []
        kept = told.memory if told.memory is not None else told.reply
        if request.keep and kept:
            reason = request.args.get("reason") or None
            own = [Perception(actor.id, request.keep, kept, None, self._place(actor, ()), reason, failed, told.mark)]
        return self._happen(actor, told, own, None, failed=failed, answers=request)

    def enter(self, character: Thing, location: str, more: Sequence[Change] = (), memory: str = "") -> Step:
        """Bring a character into a location, and define it in the same step; the reply describes the location.

        Args:
            more: further changes, which come before it is there.
            memory: what the character remembers of it, which is in the reply too; nothing when empty.
        """
        self._time = None
        arrives = Event("arrival", character.id, location, self._say(ENTERS, actor=character.name))
        reply = describe_location(self.world, self._say, self.world.things[location], character.id)
        changes = (Define(character), *more, Put(character.id, location))
        outcome = Outcome(reply, changes=changes, events=(arrives,), actions=(Action("enter", location),))
        place = self.world.things[location].name
        own = [Perception(character.id, "moved", memory, None, place)] if memory else []
        outcome = outcome._replace(reply=f"{memory}\n\n{reply}".strip())
        return self._happen(character, self._with_reactions(character, outcome, refusable=False), own, None)

    def come_back(self, character: Thing) -> Step:
        """Wake a character whose person left it asleep, where it lies; the reply describes the location."""
        here = self.world.location_of(character.id)
        if here is None:
            raise ValueError(f"{character.name} is nowhere")
        change, event = waking(self._say, character, here)
        reply = describe_location(self.world, self._say, here, character.id)
        return self.happen(character, Outcome(reply, changes=(Define(character), change), events=(event,)))

    def leave(self, character: Thing, first: Sequence[Change] = ()) -> Step:
        """Take a character out of the world, after some other changes; its location is kept for its return."""
        here = self.world.location_of(character.id)
        text = self._say(LEAVES, actor=character.name)
        events = (Event("departure", character.id, here.id, text),) if here else ()
        return self.happen(character, Outcome("", changes=(*first, Leave(character.id)), events=events))

    def leave_for_good(self, character: Thing) -> Step:
        """Take a character out of the world and forget it; what it carries stays where it was."""
        here = self.world.location_of(character.id)
        left = [Put(one.id, here.id) for one in self.world.contents(character.id)] if here else []
        step = self.leave(character, left)
        if not step.failed:  # a step of its own, so that whoever saw it leave still knows its name
            self.happen(character, Outcome("", changes=(Remove(character.id),)))
        return step

    def leave_asleep(self, character: Thing) -> Step:
        """Let a character fall asleep where it is until its person comes back; see `come_back`."""
        here = self.world.location_of(character.id)
        text = self._say(DOZES, actor=character.name)
        events = (Event("action", character.id, here.id, text),) if here else ()
        return self.happen(character, Outcome("", changes=(FallAsleep(character.id, absent=True),), events=events))

    def happen(self, actor: Thing, outcome: Outcome, files: Mapping[str, str] = MappingProxyType({})) -> Step:
        """Carry out an outcome without input; `files`: the texts of edited files of the world, for the ledger."""
        return self._happen(actor, outcome, [], None, files=files)

    def _happen(
        self,
        actor: Thing,
        outcome: Outcome,
        own: list[Perception],
        text: str | None,
        role: Role = Role.AGENT,
        *,
        failed: bool = False,
        answers: Request | None = None,
        files: Mapping[str, str] = MappingProxyType({}),
    ) -> Step:
        """Write a step to the ledger, then apply it, then call the observers."""
        woken = {change.thing for change in outcome.changes if isinstance(change, WakeUp)} - {actor.id}
        left = (
            *[one for one in own if one.who in self.witnesses],
            *self._perceptions(actor, outcome.events, woken),
            *self._woken(woken),
        )
        at, self._time = iso(self._time or self._clock.now()), None
        record: dict[str, Any] = {"at": at, "who": actor.id, "line": text, "failed": failed}
        if role is not Role.AGENT:
            record["role"] = role.name.lower() if isinstance(role, Role) else None
        if self._witnessing:
            record["witnesses"] = dict(self._witnessing)
        if files:
            record["files"] = dict(files)
        record["changes"] = [change_to_json(change) for change in outcome.changes]
        record["left"] = [perceived_to_json(perceived) for perceived in left]
        try:
            self._ledger.append(self.number + 1, record)
        except OSError as error:
            log.error("the ledger cannot be written: %s", error)
            self.unwritable = error.strerror or str(error)
            told = self._say(LEDGER_FAILED, why=self.unwritable)
            # Quitting works even when the disk fails.
            step = Step(0, at, actor.id, text, told, failed=True, answers=answers, quit=outcome.quit)
            return self._unheard(step) if answers is not None else step
        self.number, self.unwritable = self.number + 1, ""
        self._witnessing.clear()
        self.totals.memories += len(left)
        self.world.apply(outcome.changes)
        step = Step(
            self.number, at, actor.id, text, outcome.reply, failed, outcome.events, left,
            tuple([request._replace(step=self.number) for request in outcome.requests]), answers, outcome.quit,
        )  # fmt: skip
        self._tell(step)
        return step

    def _unheard(self, answer: Step) -> Step:
        self._tell(answer)
        return answer

    def _tell(self, step: Step) -> None:
        for observer in tuple(self._observers):
            try:
                observer(step)
            except Exception:
                # The step has happened; a failing observer must not keep it from the others.
                log.exception("an observer failed on step %d", step.number)

    def _woken(self, woken: Iterable[str]) -> list[Perception]:
        return [
            Perception(one, "did", self._say(WOKE), None, here.name if (here := self.world.location_of(one)) else None)
            for one in sorted(woken)
            if one in self.witnesses
        ]

    def _perceptions(self, actor: Thing, events: Iterable[Event], woken: AbstractSet[str]) -> list[Perception]:
        left: list[Perception] = []
        world, asleep, witnesses = self.world, self.world.asleep, self.witnesses
        for event in events:
            doer, mark = (None, CHANGED) if event.kind == "change" else (actor.name, None)
            place = world.get(event.location)
            name, kind = place.name if place else None, _HEARD_AS.get(event.kind, "saw")
            if event.kind == "shout" and event.origin:
                mark = DISTANT
            if event.channel:
                name = self._say(CHANNEL, channel=event.channel)
            only = (event.to or "") if event.kind == "whisper" else None
            for who in self._near(event):
                if who not in witnesses or who == actor.id or who == event.actor or (only is not None and who != only):
                    continue
                if who not in asleep or who in woken:
                    text = event.told if event.told and event.to == who else event.text
                    left.append(Perception(who, kind, text, doer, name, None, False, mark, event))
        return left

    def _near(self, event: Event) -> Iterable[str]:
        """Return the ids of the witnesses who can perceive an event when they are awake, among others."""
        if event.channel:
            members = dict.fromkeys((*self.world.channels.members(event.channel), event.to or ""))
            return [one for one in members if one in self.world.where]
        return self.world.inside(event.location)

    def _place(self, actor: Thing, changes: tuple[Change, ...]) -> str | None:
        for change in reversed(changes):
            if isinstance(change, Put) and change.thing == actor.id:
                into = self.world.get(change.into)
                return into.name if into is not None else None
        here = self.world.location_of(actor.id)
        return here.name if here else None

    def _here_and_now(self) -> datetime:
        return self._now().astimezone(self._clock.zone)

    def _now(self) -> datetime:
        """Return the time of the step that is carried out, in whole milliseconds, as the ledger has it."""
        if self._time is None:
            now = self._clock.now()
            self._time = now.replace(microsecond=now.microsecond // 1000 * 1000)
        return self._time


def perceived_to_json(perceived: Perception) -> dict[str, Any]:
    who, kind, text, actor, place, reason, failed, mark, _ = perceived
    form: dict[str, Any] = {"who": who, "kind": kind, "text": text}
    if actor:
        form["actor"] = actor
    if place:
        form["place"] = place
    if reason:
        form["reason"] = reason
    if failed:
        form["failed"] = True
    if mark:
        form["mark"] = mark
    return form


def perceived_from_json(data: dict[str, Any]) -> Perception:
    return Perception(
        data["who"], data["kind"], data["text"], data.get("actor"), data.get("place"), data.get("reason"),
        data.get("failed", False), mark_of(data.get("mark")),
    )  # fmt: skip


def changes_of(record: dict[str, Any], broken: list[object] | None = None) -> list[Change]:
    """Return the changes in a ledger record; unreadable ones are appended to `broken`."""
    changes: list[Change] = []
    held = record.get("changes", [])
    for data in held if isinstance(held, list) else [held]:
        try:
            changes.append(change_from_json(data))
        except (AttributeError, KeyError, TypeError, ValueError):
            if broken is not None:
                broken.append(data)
    return changes
