"""Parsing a typed line: verb, rest and the private reason after the bar."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from mud.commands._command import Command
from mud.commands._things import handles
from mud.errors import Refusal
from mud.registry import Registry, suggest
from mud.sanitize import sanitize
from mud.world.exits import SHORT, names_exit
from mud.world.matching import plain
from mud.world.narration import listed, shortened
from mud.world.roles import Role
from mud.world.sight import reach
from mud.world.things import Thing
from mud.world.world import World

USE = "use"
"""The command for verbs that only some things know."""

SHORTHANDS = {"'": "say", '"': "say", ":": "emote"}
"""First characters of a line that stand for a command."""

SHORTEST = 3
"""Letters of a command's name that stand for it; with fewer, words such as `he` and `in` would be commands."""

_DIRECTIONS = frozenset(SHORT) | frozenset(SHORT.values())
_BAR = re.compile(r"(?<!\\)\|")

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but not the tab; line separators; direction marks; surrogates, which no file can hold."""


class InputLine(NamedTuple):
    """A typed line; `typed` is all of it, without what is invisible or harmful."""

    verb: str
    rest: str
    reason: str | None
    typed: str = ""


def read_line(text: str, limit: int) -> InputLine:
    r"""Split a line into verb, rest and private reason. Raises Refusal for an empty, unreadable or too long line.

    The reason begins at the first bar, even without spaces, so that private words are never spoken; a bar in the words
    is typed `\|`. A direction alone, `n` or `north`, means `go north`.
    """
    if len(text) > limit:
        raise Refusal(f"That line is too long; the most is {limit:,} characters. Nothing was done.")
    if not text.isprintable() and _CONTROL.search(text):
        raise Refusal("That line holds control characters, which nobody can read. Nothing was done.")
    text = sanitize(text)
    halves = _BAR.split(text, maxsplit=1) if "|" in text else [text]
    body = halves[0].replace("\\|", "|").strip()
    if not body:
        raise Refusal("There is no command in that line.", "type help to see what one can do")
    private = halves[1].replace("\\|", "|").strip() or None if len(halves) == 2 else None
    if body[0] in SHORTHANDS:
        rest = body[1:].strip()
        if body[0] == '"' and rest.endswith('"') and rest.count('"') == 1:
            rest = rest[:-1].rstrip()
        return InputLine(SHORTHANDS[body[0]], rest, private, text)
    if body.lower() in _DIRECTIONS:
        return InputLine("go", body, private, text)
    verb, *rest = body.split(maxsplit=1)
    return InputLine(verb, "".join(rest), private, text)


def understand(
    line: InputLine, commands: Registry[Command], world: World, who: str, role: Role = Role.AGENT
) -> tuple[InputLine, Command]:
    """Return the line and its command. Raises Refusal as `find_command` does, and for an exit of another location.

    The name of an exit alone means `go`, unless it is a command. People may abbreviate; see `begun_by`.
    """
    known = commands.find(line.verb)
    if known is not None:
        return line, known
    here = world.location_of(who)
    if here is not None:
        body = f"{line.verb} {line.rest}".strip()
        if any(names_exit(body, way) for way in here.exits):
            line = line._replace(verb="go", rest=body)
        elif any(names_exit(body, way) for location in world.locations() for way in location.exits):
            exits = ", ".join(way.name for way in here.exits)
            raise Refusal(f'There is no way called "{body}" here.', f"the exits are {exits}" if exits else "")
        elif (use := commands.find(USE)) is not None and _has_verb(world, who, line.verb.casefold()):
            return line, use
    known = commands.find(line.verb) or begun_by(line, commands, role)
    return line, find_command(line, commands, world.locations()) if known is None else known


def begun_by(line: InputLine, commands: Registry[Command], role: Role) -> Command | None:
    """Return the command of which a person typed the beginning of the name; raises Refusal for several.

    Agents type whole names, and so does everybody what begins with @ or concerns the program, such as `quit`.
    """
    begun = line.verb.casefold()
    if role <= Role.AGENT or len(begun) < SHORTEST:
        return None
    known = [one for one in commands if one.role <= min(role, Role.PLAYER)]
    short = [one for one in known if one.category != "admin" and not one.name.startswith("@")]
    fitting = [one for one in short if one.name.startswith(begun) and (one.form.names or not line.rest)]
    if len(fitting) > 1:
        hint = "type more of it; to speak, begin with say" if line.rest else "type more of it"
        raise Refusal(f'"{begun}" could be {listed([one.name for one in fitting])}.', hint)
    return fitting[0] if fitting else None


def _has_verb(world: World, who: str, verb: str) -> bool:
    """Return whether something within reach says what comes of a verb of its own."""
    here = world.location_of(who)
    return any(handles(one, verb) for one in (*reach(world, who), *([here] if here is not None else [])))


def find_command(line: InputLine, commands: Registry[Command], locations: Iterable[Thing] = ()) -> Command:
    """Return the command of a line; raises Refusal with hints for an unknown one."""
    found = commands.find(line.verb)
    if found is not None:
        return found
    body = f"{line.verb} {line.rest}".strip()
    speak = "to speak, begin with say"
    near = suggest(line.verb, commands.words()) or _begun(line.verb, commands.words())
    if any(plain(body) in map(plain, one.names) for one in locations):
        hint = f"did you mean go {plain(body)}? help all lists every command"
    elif near is None:
        hint = f"help all lists every command; {speak}"
    else:
        hint = f"did you mean {near}? help all lists every command"
        hint = f"{speak}; {hint}" if line.rest and near != "say" else hint
    raise Refusal(f'There is no command "{shortened(line.verb, 40)}".', hint)


def _begun(verb: str, words: Iterable[str]) -> str | None:
    """Return the shortest command that a word begins, ignoring its @; None without one."""
    begun = verb.casefold().lstrip("@")
    longer = [word for word in words if len(begun) > 2 and word.lstrip("@").startswith(f"{begun}-")]
    return min(longer, key=len, default=None)
