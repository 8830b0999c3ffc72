"""One command line out of what models really send. Pure.

What is no command line becomes nothing: prose is never read as a command, and nothing is invented or corrected. The
first usable line wins; what stands after another character's cue is the model's own fancy and is not looked at. A reply
that opens with a whole command is read no further, so that one that comes bit by bit can be ended there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice, takewhile

from agents.reply.lines import begins, command_of, may_be_reason, peeled, plain, way_of, with_reason
from agents.reply.objects import TRIES, command_in
from agents.text.unwrapping import normalize_newlines, past_thoughts, thinks, unwrapped

READ = 20_000
"""Characters of a reply that are looked at."""
LINES = 300
"""Lines of it that are looked at."""
LINE = 2_000
"""Characters of one line that are looked at."""
LONGEST = 1_000
"""Characters of a command line; a longer one is cut after its last whole sentence or word."""
LEAD = 12
"""Lines that may stand before the command with which a reply opens: fences, labels, and one that ends on a colon."""
NEAR = 2
"""Empty lines at most between a command and its reason."""

_FENCES = re.compile(r"^\s*(?:```|~~~)")
_LINE_END = re.compile("[\n\r\u2028\u2029]")
_HEAD = 40
"""Characters of a line by which it shows whether it is a reason."""
_NEVER = ""
"""What a reply opens with that will not open with a command, whatever follows."""


def clean_reply(raw: str, name: str, verbs: Collection[str], exits: Collection[str] = ()) -> str | None:
    """Return the command line that a model's reply holds; None when it holds none.

    Args:
        raw: the reply as it came, of any length.
        name: the agent's name, whose cue may stand before the line.
        verbs: every verb there is, in lower case.
        exits: names of the ways out of where it is; a line that is nothing but one of them is `go` and the name.
    """
    opening = _opening(past_thoughts(normalize_newlines(raw[:READ])), name, verbs)
    if opening:
        return _short(opening)
    text = unwrapped(raw[:READ])
    told = _from_json(text, verbs)
    if told is not None:
        return _short(told)
    lines = [line.strip()[:LINE] for line in text.split("\n") if line.strip()][:LINES]
    for number, line in enumerate(lines):
        bare = peeled(line, name, verbs)
        if bare is None:
            return None
        command = command_of(bare, name, verbs) or way_of(bare, exits)
        if command:
            return _short(with_reason(command, "".join(lines[number + 1 : number + 2])))
    return None


def enough(so_far: str, name: str, verbs: Collection[str]) -> bool:
    """Return whether the beginning of a reply holds its whole command line, whatever may still come.

    `clean_reply` then gives the same line for this beginning and for every longer one. False inside a thought, a fence
    or an object that is still open, and where the next line may yet be the command's reason.

    Args:
        so_far: what has come of a reply.
        name: the agent's name.
        verbs: every verb there is, in lower case.
    """
    return bool(_opening(past_thoughts(normalize_newlines(so_far[:READ])), name, verbs))


class Listener:
    """Tells of replies that grow whether they are `enough`, and reads again only when what came can make them so.

    Args:
        name: the agent's name.
        verbs: every verb there is, in lower case.
    """

    def __init__(self, name: str, verbs: Collection[str]) -> None:
        self._name, self._verbs = name, verbs
        self._read = ""
        """What was read last."""
        self._thinks = self._never = False

    def __call__(self, so_far: str) -> bool:
        """Return whether it is enough.

        Args:
            so_far: the last text and more, or the beginning of another reply.
        """
        if not (self._read and so_far.startswith(self._read)):
            self._read, self._thinks, self._never = "", False, False
        if self._never or not self._may_matter(so_far):
            return False
        self._read = so_far
        text = past_thoughts(normalize_newlines(so_far[:READ]))
        opening = _opening(text, self._name, self._verbs)
        self._thinks = text is None
        self._never = opening == _NEVER or (not opening and len(so_far) >= READ)
        return bool(opening)

    def _may_matter(self, so_far: str) -> bool:
        """Whether a thought may have ended, a line has, or the last one shows what it is."""
        seen = len(self._read)
        if not seen or self._thinks:
            return not seen or ">" in so_far[seen:]
        return len(so_far) - seen > LINE // 4 or bool(_LINE_END.search(so_far, min(seen, len(so_far) - _HEAD)))


def _opening(text: str | None, name: str, verbs: Collection[str]) -> str | None:
    """Return the command with which a reply opens, once nothing that follows can change it.

    Args:
        text: what stands after the reply's first thoughts; None while they last.
        name, verbs: as for `clean_reply`.

    Returns:
        None while that is open; `_NEVER` when it opens with something else.
    """
    if text is None:
        return None
    lines = text.lstrip().split("\n")
    whole = len(lines) - (len(lines[-1].lstrip()) <= LINE)  # of an endless line the beginning is all that is read
    led, seen = False, 0
    for number, part in islice(_parts(lines[: min(whole, LINES)]), LEAD):
        seen += 1
        bare = peeled(part, name, verbs)
        if bare is None or thinks(part):
            return _NEVER
        if bare.startswith(("{", "[{")):
            return _from_json("\n".join(lines[number:]), verbs, 1)
        command = command_of(bare, name, verbs)
        if command:
            return _settled(command, lines, number, whole)
        if any(sign.isalnum() for sign in bare):
            if led or not bare.endswith(":"):
                return _NEVER
            led = True
    return None if seen < LEAD and whole < LINES else _NEVER


def _parts(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of an opening without signs and tags, each with its number; one that thinks as it is."""
    for number, line in enumerate(lines):
        begun = line.lstrip()[:LINE]
        if thinks(begun):
            yield number, begun
        elif begun:
            parts = map(str.strip, unwrapped(begun).split("\n"))
            yield from ((number, part) for part in parts if part)


def _settled(command: str, lines: Sequence[str], number: int, whole: int) -> str | None:
    """Return a command with its reason; None where what follows may still belong to it."""
    if sum(bool(_FENCES.match(line)) for line in lines[:number]) % 2:
        rest = lines[number + 1 : whole]
        if not any(_FENCES.match(line) for line in rest):
            return None
    if "|" in command or len(lines[number].lstrip()) > LINE:
        return command
    at = number + 1 + sum(1 for _ in takewhile(lambda line: not line.strip(), lines[number + 1 : whole]))
    if at > number + 1 + NEAR:
        return command
    if at < whole:
        return with_reason(command, lines[at].strip()[:LINE])
    return None if at >= len(lines) or may_be_reason(lines[at]) else command


def _from_json(text: str, verbs: Collection[str], tries: int = TRIES) -> str | None:
    """Read a reply that is an object with a command in it, bare, in a code fence or a list; None when it is none."""
    if begins(text, verbs):
        return None
    line = command_in(text, lambda verb: begins(verb, verbs), tries)
    return plain(normalize_newlines(line)) if line else None


def _short(line: str) -> str | None:
    """Cut an endless line after a whole sentence or word; None for one that has neither."""
    if len(line) <= LONGEST:
        return line
    head = line[:LONGEST]
    ends = [found.end() for found in re.finditer(r"[.!?…][\"”')]*(?=\s)", head)]
    cut = head[: ends[-1]] if ends and ends[-1] > LONGEST // 4 else head.rpartition(" ")[0]
    return cut if len(cut.split()) > 2 else None
