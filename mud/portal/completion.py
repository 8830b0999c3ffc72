"""What the end of a typed line may become, for every door: commands, and the names that their arguments take. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from mud.commands import SHORTHANDS, Command
from mud.portal.scene import Scene, scene_of
from mud.registry import Registry
from mud.world.matching import plain
from mud.world.roles import Role
from mud.world.world import World

FREE = ("words", "text", "query", "what", "full", "profile", "rule", "value", "wrong", "right")
"""Slots that take any words, in which the last name is completed once it is begun."""
UNNAMED = ("key", "kind", "names", "page", "range", "seconds", "step", "verb", "ways", "which")
"""Slots that take no name that could be completed."""

_WORD = re.compile(r"(?<![^\s(\"'])(?=\S)")
_LONGEST = 5  # words that a name in the middle of free words may have


class Known(NamedTuple):
    """What a person can name: what is around, everybody in the world, where they have been, and their notes."""

    scene: Scene | None = None
    people: Sequence[str] = ()
    places: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def around(self) -> list[str]:
        """The names of people, items and carried things."""
        return [*self.bystanders, *self.scene.items, *self.scene.carrying] if self.scene else []

    @property
    def bystanders(self) -> list[str]:
        return [one.name for one in self.scene.people] if self.scene else []

    @property
    def exits(self) -> list[str]:
        return [way.name for way in self.scene.ways] if self.scene else []


class Completions(NamedTuple):
    """What may stand in place of `line[start:]`."""

    start: int
    choices: tuple[str, ...]


def known_to(world: World, who: str, notes: Sequence[str] = ()) -> Known:
    """Return what the person with this character can name; `notes` are the titles of their notes."""
    been = [place for id in world.visited(who) if (place := world.location(id)) is not None]
    people = [one.name for one in world.present()]
    return Known(scene_of(world, who), people, sorted(one.name for one in been), notes)


def complete(line: str, commands: Registry[Command], role: Role, known: Known) -> Completions:
    """Return the choices for the end of a line, nearest first; none for an empty line."""
    body = line.lstrip()
    start = len(line) - len(body)
    if not body:
        return Completions(len(line), ())
    if "|" in body:  # the private reason
        return _in_words(line, line.index("|") + 1, known)
    if body[0] in SHORTHANDS:
        return _in_words(line, start + 1, known)
    verb, space, rest = body.partition(" ")
    found = commands.find(verb)
    if space and found is not None and found.role <= role:
        return _in_arguments(line, len(line) - len(rest), found, commands, role, known)
    words = [] if space else _commands_begun(verb.casefold(), commands, role)
    ways = [name for name in known.exits if name.casefold().startswith(body.casefold())]
    return Completions(start, tuple(dict.fromkeys([*words, *ways])))


def filled(line: str, found: Completions) -> str:
    """Return the line with what all choices begin with put in, and a space behind a single one."""
    if len(found.choices) == 1:
        return f"{line[: found.start]}{found.choices[0]} "
    letters = zip(*found.choices, strict=False)
    same = len(list(takewhile(lambda column: len({one.casefold() for one in column}) == 1, letters)))
    typed = line[found.start :]
    longer = same > len(typed) and found.choices[0][: len(typed)].casefold() == typed.casefold()
    return line[: found.start] + found.choices[0][:same] if longer else line


def _commands_begun(begun: str, commands: Registry[Command], role: Role) -> list[str]:
    """Return the names of commands that begin so; an alias only where the name of its command does not."""
    fitting = [
        next((word for word in (one.name, *one.aliases) if word.startswith(begun)), "")
        for one in commands
        if one.role <= role
    ]
    return sorted(filter(None, fitting))


def _in_arguments(
    line: str, start: int, command: Command, commands: Registry[Command], role: Role, known: Known
) -> Completions:
    """Complete the slot of a command's form in which the line ends."""
    form = command.form
    sides, mark = form.text.split(f" {form.mark} ") if form.mark else [form.text], form.divide(line, start)
    if mark is not None:
        start = mark[1]
    slots = re.findall(r"\w+", sides[1] if mark is not None else sides[0])
    while slots:
        start += len(line[start:]) - len(line[start:].lstrip())
        slot, *later = slots
        if slot in FREE:
            return _in_words(line, start, known)
        names = _names_for(slot, command, commands, role, known)
        fitting = _fitting(line[start:], names)
        end = _end_of_name(line[start:], names, fitting) if later else 0
        if not end:
            return Completions(start, tuple(fitting))
        slots, start = later, start + end
    return Completions(len(line), ())


def _names_for(slot: str, command: Command, commands: Registry[Command], role: Role, known: Known) -> list[str]:
    """Return the names that a slot of a command takes; an unknown slot takes all that is around."""
    match slot:
        case "way":
            return [*known.exits, *known.places]
        case "place":
            return list(known.places)
        case "thing" if command.category == "building":
            return [*known.around, *known.places]
        case "person":
            return known.bystanders
        case "title":
            return list(known.notes)
        case "topic":
            return [one.name for one in commands if one.role <= role]
        case "thing":
            here, carried = (known.scene.items, known.scene.carrying) if known.scene else ((), ())
            return list({"take": here, "drop": carried}.get(command.name, (*here, *carried)))
        case "role":
            return [one.name.lower() for one in Role if one > Role.GUEST]
        case "name" | "who" if command.name.startswith("@") and command.category != "building":
            return list(known.people)
        case _:
            return [] if slot in UNNAMED else known.around


def _fitting(typed: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin as typed, or else those of which a word does."""
    wanted, whole = plain(typed), typed.casefold()
    unique = dict.fromkeys(names)
    begun = [one for one in unique if one.casefold().startswith(whole) or plain(one).startswith(wanted)]
    return begun or [one for one in unique if any(word.startswith(wanted) for word in plain(one).split())]


def _end_of_name(typed: str, names: Iterable[str], fitting: Sequence[str]) -> int:
    """Return where a name ends that another slot follows; 0 while it is still being typed."""
    ended = [len(one) for one in names if typed.casefold().startswith(f"{one.casefold()} ")]
    if ended:
        return max(ended)
    return 0 if fitting or " " not in typed else typed.index(" ")


def _in_words(line: str, start: int, known: Known) -> Completions:
    """Complete the name that ends free words; of several beginnings the longest counts."""
    names = dict.fromkeys([*known.around, *known.people, *known.places])
    for one in list(names):  # "the Garden" is typed with its article or without
        bare = one[len(one) - len(plain(one)) :]
        names.setdefault(bare if plain(bare) == plain(one) else one)
    begins = [found.start() for found in _WORD.finditer(line, start)][-_LONGEST:]
    for at in begins:
        begun = line[at:].casefold()
        if fitting := [one for one in names if one.casefold().startswith(begun)]:
            return Completions(at, tuple(fitting))
    return Completions(len(line), ())
