"""Lines that begin with an alias: what they stand for, filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mud.commands._command import Command
from mud.registry import Registry
from mud.world.exits import is_direction, names_exit
from mud.world.things import Thing

_PLACE = re.compile(r"\$(\*|[1-9])")
_BAR = re.compile(r"(?<!\\)\|")


def expand(line: str, aliases: Mapping[str, str], commands: Registry[Command], here: Thing | None) -> str:
    """Return the line that a typed line stands for; itself when it begins with no alias.

    Commands, directions and the ways out of the location go before an alias. What an alias stands for is not expanded
    again.
    """
    bar = _BAR.search(line)
    body, behind = (line[: bar.start()].strip(), line[bar.start() :]) if bar else (line.strip(), "")
    verb, *rest = body.split(maxsplit=1)[:2] or [""]
    text = aliases.get(verb.casefold())
    taken = is_direction(verb) or (here is not None and any(names_exit(body, way) for way in here.exits))
    if text is None or taken or commands.find(verb) is not None:
        return line
    return f"{_filled(text, ''.join(rest))} {behind}".strip()


def _filled(text: str, typed: str) -> str:
    """Fill in the words typed after the alias, or put them behind a text without places."""
    words = typed.split()
    if not _PLACE.search(text):
        return f"{text} {typed}".strip()

    def word(found: re.Match[str]) -> str:
        return typed if found[1] == "*" else "".join(words[int(found[1]) - 1 : int(found[1])])

    return _PLACE.sub(word, text).strip()
