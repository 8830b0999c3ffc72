"""What a program can read of its character: each resource is a line that is typed, so that roles and isolation hold.

No line names anybody, so that even an owner's program reads only what its own character remembers.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from mud.portal.mcp.tools import one_line
from mud.portal.phrases import COMMANDS, JOURNAL, ME, MEMORY, NEWEST, NOTE, NOTES, NUMBERED, SUMMARIES
from mud.world.narration import Phrase

SCHEME = "loci://"
NUMBERS = r"[0-9]+(?:-[0-9]+)?"


class LifeResource(NamedTuple):
    """Something to read.

    Args:
        path: of its address; what stands in braces is filled in by the program.
        line: what is typed for it, with the same in braces.
        pattern: what may be filled in.
    """

    path: str
    title: Phrase
    line: str
    pattern: str = ""

    @property
    def uri(self) -> str:
        return SCHEME + self.path


RESOURCES = (
    LifeResource("me", ME, "@my-profile"),
    LifeResource("memory", MEMORY, "@memory-status"),
    LifeResource("memory/summaries", SUMMARIES, "@memory-status full"),
    LifeResource("memory/newest", NEWEST, "@memory-history"),
    LifeResource("memory/{range}", NUMBERED, "@archive {range}", NUMBERS),
    LifeResource("journal", JOURNAL, "@journal"),
    LifeResource("notes", NOTES, "notes"),
    LifeResource("notes/{title}", NOTE, "notes {title}", r".+"),
    LifeResource("commands", COMMANDS, "help all"),
)  # fmt: skip


def line_for(uri: str) -> str | None:
    """Return the line that is typed to read what is at an address; None where nothing is."""
    path = uri.removeprefix(SCHEME).rstrip("/") if uri.startswith(SCHEME) else ""
    for one in RESOURCES:
        if one.path == path and not one.pattern:
            return one.line
    for one in (one for one in RESOURCES if one.pattern):
        before, _, slot = one.path.partition("{")
        filled = one_line(unquote(path.removeprefix(before)))
        if path.startswith(before) and re.fullmatch(one.pattern, filled):
            return one.line.replace("{" + slot, filled.replace("|", "\\|"))
    return None
