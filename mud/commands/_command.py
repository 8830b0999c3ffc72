"""What a command is: a function from a context to an outcome, made a plug-in value by a decorator that checks it.

A command changes nothing. It returns the changes, the events, the reply and the requests; the engine writes them to the
ledger first and carries them out then.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol

from mud.commands._slots import Form
from mud.registry import Registry
from mud.world.changes import Change
from mud.world.events import Event, Request
from mud.world.narration import Phrase
from mud.world.roles import Role
from mud.world.things import Thing
from mud.world.world import World

CATEGORIES = ("social", "movement", "things", "memory", "query", "admin")
"""The sections of help, in their order."""

KEEPS = ("store", "short", "skip")
"""What a command leaves in its actor's memory: its reply, a short form of it, or nothing."""

ALTERS = ("", "notes", "self")
"""What of its own character a command writes anew: nothing, its notes, or who it says that it is."""


class Say(Protocol):
    """Renders a phrase from the vault's texts."""

    def __call__(self, phrase: Phrase, /, **places: object) -> str:
        """Return the phrase with its places filled."""
        ...


class Context(NamedTuple):
    """All a command may know.

    Args:
        world: the world, to be read only.
        actor: the character who acts.
        role: the rank of who submitted the line.
        say: renders phrases.
        commands: every command, for help.
        step: number of this step.
        verb: the verb as typed.
        reason: the private reason, None when none was given.
    """

    world: World
    actor: Thing
    role: Role
    say: Say
    commands: Registry[Command]
    step: int
    verb: str
    reason: str | None

    @property
    def here(self) -> Thing | None:
        """The location the actor is in."""
        return self.world.location_of(self.actor.id)


class Outcome(NamedTuple):
    """What a command brings about.

    Args:
        reply: what the actor is told; may be empty when a request will answer.
        kind: kind of the memory it leaves with the actor.
        memory: the short form of the reply, for commands that keep `short`.
        changes: changes of the world, in order.
        events: what others perceive, in order.
        requests: what is asked of the outside.
        quit: the session is over.
        mark: the mark of that memory, one of `mud.world.events.MARKS`; None for most.
    """

    reply: str
    kind: str = "did"
    memory: str | None = None
    changes: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()
    requests: tuple[Request, ...] = ()
    quit: bool = False
    mark: str | None = None


class Command(NamedTuple):
    """A command, as a plug-in.

    Args:
        name: its verb.
        run: the function; takes a Context and the form's slots.
        form: how its arguments are read.
        aliases: further verbs.
        role: the least rank that may use it.
        category: its section of help.
        keeps: what it leaves in memory, one of `KEEPS`.
        for_models: it stands in the list of commands that a model reads.
        alters: what of its own character it writes, one of `ALTERS`; an agent is offered it only where that is allowed.
        summary: first line of the docstring.
        details: the rest, without the examples.
        examples: lines that work as they stand.
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
        """How it is typed."""
        return f"{self.name} {self.form.text}".strip()


_EXAMPLE = re.compile(r"^Example: (.+)$", re.M)
_BROKEN = re.compile(r"(?<=\S)\n(?=[^\s-])")
"""Where the source breaks a paragraph; whoever shows it breaks it at a width of their own."""


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
    """Make a function a command.

    Args:
        name: its verb.
        form: its slots, such as `<words>`, `[name]` or `<title> -> <text>`; the function takes one text for each.
        aliases: further verbs.
        role: the least rank that may use it.
        category: one of `CATEGORIES`.
        keeps: one of `KEEPS`.
        for_models: list it in the prompt; what is not listed there no agent can type.
        alters: one of `ALTERS`.

    Raises:
        ValueError: at import, when the docstring or an example is missing, or function and form disagree.
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
    """Return the commands that an agent is offered: all that its prompt lists, and all that it can type.

    Args:
        commands: every command.
        alters: what of itself it may write, of `ALTERS`; "" is always allowed.
    """
    allowed = {"", *alters}
    listed = [one for one in commands if one.for_models and one.role <= Role.AGENT and one.alters in allowed]
    return Registry(commands.kind, listed)
