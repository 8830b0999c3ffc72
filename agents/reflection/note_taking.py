"""Facts about people and places as lines of notes, and their section in a note. Pure.

A line has a date and cites its entry: `- 2026-11-20: Moss said: I mend clocks. [eliza#77]`. The lines stand under a
heading of their own, newest first. Other text, and every line that differs from the one generated from its entry,
belongs to people and is not changed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from agents.memory.entries import Entry, reference
from agents.memory.perception import of_own_mind
from agents.mind.interpreter import is_secret
from agents.reflection.experiences import PROMISE, asks, words_of
from agents.text.english import sentences
from mud.commands import Say
from mud.world.narration import phrase

HEADING = phrase("minds.learned.heading")
PROMISED = phrase("minds.learned.promised", "name", "words")
SAID = phrase("minds.learned.said", "name", "words")
SEEN = phrase("minds.learned.seen", "name", "words")
LINES = 24
LONGEST = 160
KNOWN = 2  # number of lines needed to begin a note
NOTES = 64  # number of notes from which on none is begun

_OF_SELF = re.compile(
    r"\b(?:I(?:['’]m|['’]ve| am| was| have| had| live| work| come| came| grew| love| hate| like| fear| keep| make| mend"
    r"| own| lost| want| need| hope| believe| never| always| used)|my (?:\w+ ){1,3}(?:is|was|are|were)|mine)\b",
    re.IGNORECASE,
)
_CITES = re.compile(r"\[[^\[\]]+#(\d{1,12})\]$")
_OWN = re.compile(r"- \d{4}-\d\d-\d\d: \S.*" + _CITES.pattern)


class NoteLine(NamedTuple):
    """One generated line; `what` is its text without date and reference."""

    seq: int
    text: str
    what: str


def lines_of(entries: Iterable[Entry], owner: str, say: Say) -> dict[str, list[NoteLine]]:
    """Return the lines for some entries by person or place, oldest first.

    Whispers and secrets are skipped, because notes are talked about.
    """
    found: dict[str, list[NoteLine]] = defaultdict(list)
    for entry in entries:
        told = line_of(entry, owner, say)
        if told is not None and all(line.what != told[1].what for line in found[told[0]]):
            found[told[0]].append(told[1])
    return {about: lines for about, lines in found.items() if lines}


def line_of(entry: Entry, owner: str, say: Say) -> tuple[str, NoteLine] | None:
    """Return the subject and the line of an entry; None when it has no fact worth noting."""
    if entry.failed:
        return None
    if entry.kind == "heard" and entry.actor and not is_secret(entry):
        about, what = entry.actor, _of_themselves(entry, say)
    elif entry.kind == "result" and entry.place:
        about, what = entry.place, _found_there(entry, say)
    else:
        return None
    if not what:
        return None
    line = f"- {entry.at[:10]}: {what} [{reference(owner, entry.seq)}]"
    return about, NoteLine(entry.seq, line, what)


def _of_themselves(entry: Entry, say: Say) -> str:
    if asks(entry):
        return ""
    for one in sentences(words_of(entry)):
        if one.rstrip().endswith("?"):
            continue
        if PROMISE.search(one):
            return say(PROMISED, name=entry.actor, words=_cut(one))
        if _OF_SELF.search(one):
            return say(SAID, name=entry.actor, words=_cut(one))
    return ""


def _found_there(entry: Entry, say: Say) -> str:
    title, mark, rest = entry.text.strip().partition(": ")
    if not mark or "\n" in title or len(title) > 40 or title == entry.place or of_own_mind(entry):
        return ""
    first = next(iter(sentences(" ".join(rest.split()))), "")
    return say(SEEN, name=title, words=_cut(first)) if first else ""


def _cut(text: str) -> str:
    text = " ".join(text.replace("[", "(").replace("]", ")").split())
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " ..."


def with_lines(
    raw: str, title: str, lines: Sequence[NoteLine], read: Callable[[int], Entry | None], owner: str, say: Say
) -> str:
    """Return a note's file with lines added to the generated section; unchanged when none is new.

    `read` returns an entry by its number, to distinguish generated lines from those of people.
    """
    cited = set(re.findall(rf"{re.escape(owner)}#(\d+)", raw))  # even in words changed by people
    new = [line for line in lines if str(line.seq) not in cited and line.what not in raw][-LINES:]
    if not new:
        return raw
    newline = "\r\n" if "\r\n" in raw else "\n"
    if not raw.strip("\ufeff \t\r\n"):
        raw = f"# {title}{newline}"
    before, heading, own, after = _parted(raw, newline, f"## {say(HEADING)}")
    lines_now = [*(line.text for line in reversed(new)), *own]
    kept = [line for at, line in enumerate(lines_now) if at < LINES or not _is_mine(line, read, owner, say)]
    gap = "" if before.endswith(newline * 2) else newline if before.endswith(newline) else newline * 2
    tail = f"{newline}{after}" if after else ""
    return f"{before}{gap}{heading}{newline}{newline}{newline.join(kept)}{newline}{tail}"


def _parted(raw: str, newline: str, heading: str) -> tuple[str, str, list[str], str]:
    """Return the text before the generated section, its heading (or one above such lines), its lines, and the rest."""
    lines = raw.split(newline)
    start = next((at for at, line in enumerate(lines) if line.rstrip() == heading), _above_own(lines))
    if start is None:
        return raw, heading, [], ""
    end = next((at for at in range(start + 1, len(lines)) if re.match(r" {0,3}#{1,2}\s", lines[at])), len(lines))
    own = lines[start + 1 : end]
    while own and not own[0].strip():
        own.pop(0)
    while own and not own[-1].strip():
        own.pop()
    before = newline.join(lines[:start])
    return before + newline if before else "", lines[start].rstrip(), own, newline.join(lines[end:])


def _above_own(lines: Sequence[str]) -> int | None:
    first = next((at for at, line in enumerate(lines) if _OWN.fullmatch(line)), 0)
    above = next((at for at in range(first - 1, -1, -1) if lines[at].strip()), None)
    return above if above is not None and lines[above].startswith("## ") else None


def _is_mine(line: str, read: Callable[[int], Entry | None], owner: str, say: Say) -> bool:
    """Return whether a line is exactly the one generated from its entry.

    Older wordings count as a person's: better to keep a line too many than to lose one of theirs.
    """
    cites = _CITES.search(line)
    entry = read(int(cites[1])) if cites else None
    told = line_of(entry, owner, say) if entry is not None else None
    return told is not None and told[1].text == line


def worth_a_note(
    found: Mapping[str, list[NoteLine]], titles: Iterable[str], own: Iterable[str]
) -> dict[str, list[NoteLine]]:
    """Return the subjects with a note or with enough lines to begin one, without the agent itself (`own`)."""
    there = {title.casefold() for title in titles}
    mine = {name.casefold() for name in own}
    room = NOTES - len(there)
    wanted: dict[str, list[NoteLine]] = {}
    for name, lines in found.items():
        if name.casefold() in mine:
            continue
        if name.casefold() not in there:
            if len(lines) < KNOWN or room <= 0:
                continue
            room -= 1
        wanted[name] = lines
    return wanted
