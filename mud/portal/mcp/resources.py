"""What a program can read of its character: each resource is a line that is typed, so that roles and isolation hold.

No line names anybody, so that even an owner's program reads only what its own character remembers.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from mud.portal.mcp.tools import one_line

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
    title: str
    line: str
    pattern: str = ""

    @property
    def uri(self) -> str:
        return SCHEME + self.path


RESOURCES = (
    LifeResource("me", "Who your character is", "@my-profile"),
    LifeResource("memory", "How your memory stands: how much there is, and what of it is summarized", "@memory-status"),
    LifeResource("memory/summaries", "What your summaries say, and how your memory is kept", "@memory-status full"),
    LifeResource("memory/newest", "Your newest memories, and what became of older ones", "@memory-history"),
    LifeResource("memory/{range}", "Your memories by number, word for word: 7 or 1-20", "@archive {range}", NUMBERS),
    LifeResource("journal", "The facts that you kept before memories were summarized", "@journal"),
    LifeResource("notes", "Which notes you have", "notes"),
    LifeResource("notes/{title}", "One of your notes", "notes {title}", r".+"),
    LifeResource("commands", "Every command that you may type", "help all"),
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
