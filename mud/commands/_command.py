"""Commands: functions from a context to an outcome, made plug-ins by a decorator, and the form of their arguments.

A command changes nothing itself. The engine writes its outcome to the ledger and then applies it.

A form is `<words>`, `[name]`, `<title> -> <text>` or `<thing> = <text>`: `<slot>` is required, `[slot]` optional; `->`
splits at its first occurrence, and where the form has `=` at that of either. Adjacent slots, `<person> <words>`, arrive
as one text under the first name, as only the command knows where a name ends. Texts are kept as typed, but stripped.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from mud.errors import Refusal
from mud.registry import Registry
from mud.world.changes import Change
from mud.world.events import Event, Request
from mud.world.narration import Phrase, phrase, shortened
from mud.world.reactions import Action
from mud.world.roles import Role
from mud.world.things import Thing
from mud.world.world import World

GUESTS = phrase("commands.roles.guests")
PLAYERS = phrase("commands.roles.players")
BUILDERS = phrase("commands.roles.builders")
OWNERS = phrase("commands.roles.owners")
WHO = {Role.GUEST: GUESTS, Role.PLAYER: PLAYERS, Role.BUILDER: BUILDERS, Role.OWNER: OWNERS}
"""Who may use a command, by its lowest role; everybody may use one of the lowest."""

CATEGORIES = ("social", "movement", "things", "memory", "query", "building", "admin")

KEEPS = ("store", "short", "skip")
"""What a command leaves in its actor's memory: the reply, a short form of it, or nothing."""

ALTERS = ("", "notes", "self")  # what a command changes in its own agent: nothing, its notes, or its profile

LONGEST_SHOWN = 60  # characters of what was typed that a refusal repeats
SENTENCE = 2  # words after a verb from which a line is taken for speech: "where is Eliza"

_SLOT = r"(?:<\w+>|\[\w+\])"
_FORM = re.compile(rf"(?:(?P<a>{_SLOT})(?: {_SLOT})*(?: (?P<mark>->|=) (?P<b>{_SLOT})(?: {_SLOT})*)?)?")
_EXAMPLE = re.compile(r"^Example: (.+)$", re.M)
_BROKEN = re.compile(r"(?<=\S)\n(?=[^\s-])")
"""A line break within a paragraph of the source; the display wraps lines itself."""


class Say(Protocol):
    def __call__(self, phrase: Phrase, /, **places: object) -> str: ...


class Context(NamedTuple):
    """What a command is given; the world is read-only.

    Args:
        role: the rank of the line's source.
        witnesses: ids of the characters whose perceptions are kept, as those of people and agents are.
        now: returns the time where the people of the world are.
    """

    world: World
    actor: Thing
    role: Role
    say: Say
    commands: Registry[Command]
    step: int
    verb: str
    reason: str | None
    witnesses: Collection[str]
    now: Callable[[], datetime]

    @property
    def here(self) -> Thing | None:
        return self.world.location_of(self.actor.id)


class Outcome(NamedTuple):
    """The result of a command; texts, events and changes are in order."""

    reply: str
    kind: str = "did"  # kind of the actor's memory
    memory: str | None = None  # short form of the reply, for commands that keep `short`
    changes: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()
    requests: tuple[Request, ...] = ()
    quit: bool = False
    mark: str | None = None  # mark of the actor's memory, one of `mud.world.events.MARKS`; None for most
    actions: tuple[Action, ...] = ()  # what the rules of things see


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a command's arguments, as shown in help. Raises ValueError for an invalid form."""

    text: str
    names: tuple[str, ...] = field(init=False, default=())
    needed: tuple[bool, ...] = field(init=False, default=())
    mark: str = field(init=False, default="")
    """What separates its two sides, `->` or `=`; empty with one side."""

    def __post_init__(self) -> None:
        found = _FORM.fullmatch(self.text)
        if not found:
            raise ValueError(f"no such form: {self.text!r}")
        slots = [slot for slot in (found["a"], found["b"]) if slot]
        object.__setattr__(self, "names", tuple(slot[1:-1] for slot in slots))
        object.__setattr__(self, "needed", tuple(slot.startswith("<") for slot in slots))
        object.__setattr__(self, "mark", found["mark"] or "")

    def divide(self, line: str, start: int = 0) -> tuple[int, int] | None:
        """Return where the mark between the two sides begins and ends in a line; None without one."""
        marks = {"->": ("->",), "=": ("=", "->")}.get(self.mark, ())
        return min(((at, at + len(mark)) for mark in marks if (at := line.find(mark, start)) >= 0), default=None)

    def read(self, verb: str, rest: str) -> list[str]:
        """Return one text for each slot; raises Refusal for a missing or an extra argument."""
        rest = rest.strip()
        if not self.names:
            if rest:
                speech = not verb.startswith("@") and len(rest.split()) >= SENTENCE
                said = shortened(" ".join([verb, *rest.split()]), LONGEST_SHOWN)
                how = f"; to ask or tell those here: say {said}" if speech else ""
                raise Refusal(f"{verb} takes nothing after it.", f"type just: {verb}{how}")
            return []
        found = self.divide(rest)
        if self.mark and found is None and all(self.needed):
            raise Refusal(f"There is no {self.mark} in that.", f"the form is: {verb} {self.text}")
        begin, end = found or (len(rest), len(rest))
        parts = [rest[:begin].strip(), rest[end:].strip()][: len(self.names)]
        for name, needed, part in zip(self.names, self.needed, parts, strict=True):
            if needed and not part:
                raise Refusal(f"{verb} needs more: {name}.", f"the form is: {verb} {self.text}")
        return parts


class Command(NamedTuple):
    """A command, as a plug-in; see `command` for the fields.

    `summary` is the first line of the docstring, `details` the rest without the examples.
    """

    name: str
    run: Callable[..., Outcome]
    form: Form
    aliases: tuple[str, ...]
    role: Role
    category: str
    keeps: str
    for_models: bool
    alters: str
    summary: str
    details: str
    examples: tuple[str, ...]

    @property
    def usage(self) -> str:
        return f"{self.name} {self.form.text}".strip()


def command(
    name: str,
    form: str = "",
    *,
    aliases: tuple[str, ...] = (),
    role: Role = Role.AGENT,
    category: str,
    keeps: str = "store",
    for_models: bool = False,
    alters: str = "",
) -> Callable[[Callable[..., Outcome]], Command]:
    """Make a function a command. Raises ValueError when its docstring, its example or its form does not fit.

    Args:
        form: its slots, such as `<words>`, `[name]` or `<title> -> <text>`; each is one argument of the function.
        role: the lowest rank that may use it.
        for_models: list it in the prompt; agents cannot type others.
        alters: one of `ALTERS`; agents are offered it only where that is allowed.
    """

    def made(run: Callable[..., Outcome]) -> Command:
        doc = inspect.getdoc(run) or ""
        examples = tuple(_EXAMPLE.findall(doc))
        slots = Form(form)
        taken = list(inspect.signature(run).parameters)[1:]
        if not doc or not examples:
            raise ValueError(f"command {name!r}: its docstring is its help and needs a line 'Example: ...'")
        if taken != list(slots.names):
            raise ValueError(f"command {name!r}: its form has the slots {slots.names}, its function takes {taken}")
        if category not in CATEGORIES or keeps not in KEEPS or alters not in ALTERS:
            raise ValueError(f"command {name!r}: unknown category {category!r}, keeps {keeps!r} or alters {alters!r}")
        summary, _, rest = _EXAMPLE.sub("", doc).strip().partition("\n")
        told = (summary.strip(), _BROKEN.sub(" ", rest.strip()), examples)
        return Command(name, run, slots, aliases, role, category, keeps, for_models, alters, *told)

    return made


def offered(commands: Registry[Command], alters: Collection[str]) -> Registry[Command]:
    """Return the commands that an agent can type and its prompt lists, given what it may alter besides ""."""
    allowed = {"", *alters}
    listed = [one for one in commands if one.for_models and one.role <= Role.AGENT and one.alters in allowed]
    return Registry(commands.kind, listed)
