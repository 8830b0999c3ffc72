"""What of a note or a summary may be repeated to others: no confidence, no private reason, nothing only thought.

A summary by rules words what was lived: `I thought, "..."`, `I went north, because "..."`. The thought and the reason
were perceived by nobody else, and stay with who had them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from agents.brains._words import is_ignorant, is_secret_words
from agents.brains.instinct.marks import DATED, LEANS
from agents.memory.note_form import is_reason
from agents.memory.perception import reads_as_whisper
from agents.text.addressing import asks
from mud.world.sentences import sentences

LONGEST = 300
"""How many characters of a memory are repeated at most."""
_THOUGHT = re.compile(r"I(?: \w+){0,2}? (?:thought|dreamed|dreamt|wondered)\b")
_REASON = re.compile(r",? because\b.*", re.S | re.I)
"""Why one did what one tells of; whoever else has a reason told it."""


@lru_cache(maxsize=1 << 9)
def repeatable(text: str) -> tuple[str, ...]:
    """Return the statements of a note or a summary that are for everybody's ears.

    The same texts are found for one question after another.

    Args:
        text: what stands in it.
    """
    lines = [line.strip() for line in text.splitlines()]
    bare = [line.lstrip("#*- ") for line in lines if not is_reason(line)]
    told = [part for line in bare if not DATED.match(line) for part in _open(line)]
    return tuple(part[:LONGEST] for part in told if not asks(part) and not is_ignorant(part))


def _open(line: str) -> Iterator[str]:
    """Yield the sentences of a line that are for everybody's ears: of a confidence nothing, however many it has."""
    breath: list[str] = []
    hidden = False
    for part in sentences(line):
        breath.append(part)
        whole = " ".join(breath)
        if whole.count('"') % 2 or whole.count("“") > whole.count("”"):
            continue  # a quotation goes on
        # What leans on a confidence goes on with it.
        hidden = _is_private(whole) or (hidden and LEANS.match(whole) is not None)
        if not hidden:
            yield from _unreasoned(breath, whole)
        breath = []
    whole = " ".join(breath)
    if breath and not _is_private(whole):
        yield from _unreasoned(breath, whole)


def _is_private(words: str) -> bool:
    return is_secret_words(words) or reads_as_whisper(words) or _THOUGHT.match(words) is not None


def _unreasoned(breath: list[str], whole: str) -> list[str]:
    """Return sentences without the reason for what one did oneself."""
    return [_REASON.sub(".", whole)] if whole.startswith("I ") and _REASON.search(whole) else breath
