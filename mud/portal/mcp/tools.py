"""Commands as tools: those that are possible now, what their arguments may be, and the line that a call types. Pure.

Whether a command is possible is asked of the command itself, with every name within reach: it is if one is not refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

from mud.commands import Command, Say
from mud.errors import Refusal
from mud.portal.phrases import NEEDS, NO_ARGUMENT, NO_MARK, NO_TEXT, TYPED, WHY
from mud.registry import Registry
from mud.world.narration import listed
from mud.world.roles import Role
from mud.world.sight import reach
from mud.world.things import Kind, Thing
from mud.world.world import World

REASON = "reason"
"""An argument of every tool: the private reason behind the bar of a line."""
ANY = "something"
"""Stands for free words when a command is asked whether it is possible."""
MOST_TRIED = 40  # lines with which one command is tried
MOST_SHOWN = 20  # examples of one argument

_SLOT = re.compile(r"([<\[])(\w+)")
_BREAKS = re.compile(r"\s*[\r\n\t]\s*")
_BAR = re.compile(r"(?<!\\)\|")


class Surroundings(NamedTuple):
    """What decides which commands are possible for a character: where it is, what it can touch, in which states."""

    here: Thing | None
    near: tuple[tuple[Thing, str, tuple[str, ...]], ...]
    """Each thing within reach, who or what holds it, and its states."""
    asleep: bool

    @property
    def names(self) -> dict[str, list[str]]:
        """The names that a slot may take, by the slot."""
        people = [one.name for one, _, _ in self.near if one.kind is Kind.CHARACTER]
        things = [one.name for one, _, _ in self.near if one.kind is not Kind.CHARACTER]
        ways = [way.name for way in self.here.exits] if self.here else []
        return {"way": ways, "person": people, "thing": things, "name": [*things, *people]}


def surroundings(world: World, who: str) -> Surroundings:
    """Return what is around a character."""
    near = ((one, world.where.get(one.id, ""), tuple(world.live.of(one.id))) for one in reach(world, who))
    return Surroundings(world.location_of(who), tuple(near), who in world.asleep)


class PossibleTool(NamedTuple):
    """A tool; `schema` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]


class ArgumentSlot(NamedTuple):
    name: str
    needed: bool


def tool_name(command: Command) -> str:
    return command.name.lstrip("@")


def as_tools(commands: Registry[Command], role: Role) -> dict[str, Command]:
    """Return the commands that are tools of their own, by the tool's name; all others are typed as whole lines."""
    shown = (one for one in commands if one.for_models or one.category == "things")
    return {tool_name(one): one for one in shown if one.role <= role}


def possible_tools(
    commands: Mapping[str, Command], names: Mapping[str, Sequence[str]], would: Callable[[str], bool], say: Say
) -> list[PossibleTool]:
    """Return the tools that are possible.

    Args:
        commands: as `as_tools` returns them.
        names: the names within reach, by the slot that takes them.
        would: returns whether a line would be carried out.
    """
    return [tool for one in commands.values() if (tool := _possible(one, names, would, say)) is not None]


def _possible(
    command: Command, names: Mapping[str, Sequence[str]], would: Callable[[str], bool], say: Say
) -> PossibleTool | None:
    slots = _slots(command)
    choices = [names.get(slot.name) or [ANY] for slot in slots]
    tried = list(islice(product(*choices), MOST_TRIED))
    found = [one for one in tried if would(_line(command, dict(zip((s.name for s in slots), one, strict=True))))]
    bare = not any(slot.needed for slot in slots) and would(command.name)
    if not found and not bare:
        return None
    properties = {
        slot.name: _property([one[at] for one in found] if slot.name in names else []) for at, slot in enumerate(slots)
    }
    schema = {
        "type": "object",
        "properties": properties | {REASON: {"type": "string", "description": say(WHY)}},
        "required": [] if bare else [slot.name for slot in slots if slot.needed] or [slot.name for slot in slots],
        "additionalProperties": False,
    }
    return PossibleTool(tool_name(command), _description(command, say), schema)


def _property(found: Sequence[str]) -> dict[str, Any]:
    examples = list(dict.fromkeys(found))[:MOST_SHOWN]
    return {"type": "string"} | ({"examples": examples} if examples else {})


def _description(command: Command, say: Say) -> str:
    typed = say(TYPED, examples="; ".join(command.examples))
    return "\n\n".join(part for part in (command.summary, command.details, typed) if part)


def _slots(command: Command) -> list[ArgumentSlot]:
    return [ArgumentSlot(name, bracket == "<") for bracket, name in _SLOT.findall(command.form.text)]


def line_of(command: Command, given: Mapping[str, object], say: Say) -> str:
    """Return the line that stands for a call. Raises Refusal for arguments that do not fit."""
    slots = _slots(command)
    known = [*(slot.name for slot in slots), REASON]
    for name, value in given.items():
        if name not in known:
            raise Refusal(say(NO_ARGUMENT, tool=tool_name(command), name=repr(name[:40]), known=listed(known)))
        if not isinstance(value, str):
            raise Refusal(say(NO_TEXT, name=name))
    texts = {name: one_line(str(value)) for name, value in given.items()}
    if lacking := [slot.name for slot in slots if slot.needed and not texts.get(slot.name)]:
        raise Refusal(say(NEEDS, tool=tool_name(command), name=lacking[0]))
    if command.form.divide(texts.get(slots[0].name, "") if slots else ""):
        raise Refusal(say(NO_MARK, name=slots[0].name, mark=command.form.mark))
    line = _line(command, {name: _BAR.sub(r"\\|", text) for name, text in texts.items()})
    return f"{line} | {texts[REASON]}" if texts.get(REASON) else line


def one_line(text: str) -> str:
    """Return a text on one line, as people type it."""
    return _BREAKS.sub(" ", text).strip()


def _line(command: Command, texts: Mapping[str, str]) -> str:
    mark = command.form.mark
    sides = command.form.text.split(f" {mark} ") if mark else [command.form.text]
    told = [" ".join(filter(None, (texts.get(name, "") for _, name in _SLOT.findall(side)))) for side in sides]
    return f"{command.name} {f' {mark} '.join(told)}".strip()
