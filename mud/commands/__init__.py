"""What anybody can do in the world, one file per command or family; what needs a mind is in `agents/commands`.

To add one, write a module here with a function `@command("name", ...)` that takes a `Context` and the slots of its
form and returns an `Outcome`; its docstring is its help, with at least one line `Example: ...`. What it says to people
are `Phrase` values at module level, whose words stand in `vault/text/`. Help, dispatch, correction and the list in the
models' prompt are all derived from it. Files that begin with `_` are the machinery. Everything here is pure.
"""

from __future__ import annotations

from mud.commands._alias import expand
from mud.commands._command import LONGEST_SHOWN, OWNERS, WHO, Command, Context, Outcome, Say, command, offered
from mud.commands._here import describe_location, shown_item, shown_name, waking, what_is_seen
from mud.commands._line import SHORTHANDS, InputLine, read_line, understand

__all__ = [
    "LONGEST_SHOWN",
    "OWNERS",
    "SHORTHANDS",
    "WHO",
    "Command",
    "Context",
    "InputLine",
    "Outcome",
    "Say",
    "command",
    "describe_location",
    "expand",
    "offered",
    "read_line",
    "shown_item",
    "shown_name",
    "understand",
    "waking",
    "what_is_seen",
]
