"""Corrections of memories: words that were wrong, and memories that are to be forgotten. No I/O.

A correction is an event line of the archive; the memories' own lines never change. Whoever reads a memory gets its
corrected text, and a text made from memories, such as a summary, gets the corrections that were not known when it was
made. A correction can be undone by another one, which may be undone too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from agents.memory.entries import Entry, is_number
from agents.memory.summaries import Summary
from agents.text.english import DULL, PLAIN, quoted, sentences, unquoted

EVENT = "correction"
MOST = 500
"""Corrections of one life at most: all are kept in RAM, and repeated at the start of each of its archive files."""
MOST_MEMORIES = 64
"""Memories that one correction changes at most; of more, the words say too little."""
LONGEST = 300
"""Characters of the wrong and of the right words at most."""
MOST_WORDS = 64  # words of a forgotten memory that are looked for in other texts
FORGOTTEN = "forgotten"
"""Kind of a forgotten memory as it is read: it keeps number, time and step, and has no text."""
NOTHING = "I remember nothing more of that time."
"""What is left of a summary that told of forgotten memories alone."""
DERIVED = ("result", "thought", "note", "dream")
"""Kinds of memories that may quote others."""
_SHARE = 0.75
"""Share of a sentence's content words from which on another sentence says the same."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ITEM = re.compile(r"\s*[-*] ")
_HEADING = re.compile(r"#{1,6} ")


class Correction(NamedTuple):
    """One correction: of words (`wrong`), of a whole memory (`forgets`), or of another correction (`undoes`).

    Args:
        number: counts from 1.
        by: name of who asked for it.
        memories: the memories in which the words stood, or which quote the forgotten one.
        only: words of the forgotten memory that no other memory holds.
        told: the content words of each of its sentences, as far as no other memory says the same.
    """

    number: int
    at: str
    by: str
    wrong: str = ""
    right: str = ""
    memories: tuple[int, ...] = ()
    forgets: int = 0
    only: tuple[str, ...] = ()
    told: tuple[tuple[str, ...], ...] = ()
    undoes: int = 0

    def event(self) -> dict[str, Any]:
        """Return its line in the archive."""
        given = {name: _plain(value) for name, value in self._asdict().items() if value}
        return {"event": EVENT, **given}

    def in_memory(self, text: str) -> str:
        """Return the text of one of `memories` with this correction."""
        return self._untold(text, whole_lines=True) if self.forgets else replaced(text, self.wrong, self.right)

    def in_text(self, text: str) -> str:
        """Return a text made from memories, such as a summary, with this correction."""
        if self.forgets:
            return self._untold(text)
        text = replaced(text, self.wrong, self.right)
        return _reworded(text, self.wrong, self.right)

    def reversed(self, text: str) -> str:
        """Return a text with this correction as it was before. What was left out of it does not come back."""
        return text if self.forgets else replaced(text, self.right, self.wrong)

    def tells(self, text: str) -> bool:
        """Return whether a text tells of the forgotten memory."""
        words = set(words_of(text))
        return any(word in words for word in self.only) or any(_is_said(one, words) for one in self.told)

    def _untold(self, text: str, *, whole_lines: bool = False) -> str:
        """Leave out the sentences that tell of the forgotten memory, or whole lines; items of a list always whole.

        Headings stay: notes are found by them.
        """
        kept = []
        for line in text.split("\n"):
            if _HEADING.match(line) or not self.tells(line):
                kept.append(line)
            elif not whole_lines and not _ITEM.match(line):
                rest = " ".join(one for one in sentences(line) if not self.tells(one))
                kept += [rest] if rest else []
        return "\n".join(kept)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it, with lists for tuples."""
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def parse_correction(line: Mapping[str, Any]) -> Correction | None:
    """Return the correction of an event line; None when it is none or malformed."""
    number, forgets, undoes = (line.get(key, 0) for key in ("number", "forgets", "undoes"))
    texts = [line.get(key, "") for key in ("at", "by", "wrong", "right")]
    memories, only, told = (line.get(key, []) for key in ("memories", "only", "told"))
    if line.get("event") != EVENT or "seq" in line or not _are(str, texts) or not is_number(number) or number < 1:
        return None
    if not all(is_number(one) and one >= 0 for one in (forgets, undoes)) or not isinstance(memories, list):
        return None
    if not all(is_number(one) and one > 0 for one in memories) or not _are(str, only) or not _are(list, told):
        return None
    if sum(map(bool, (texts[2], forgets, undoes))) != 1 or not all(_are(str, one) for one in told):
        return None
    at, by, wrong, right = texts
    groups = tuple(map(tuple, told))
    return Correction(number, at, by, wrong, right, tuple(memories), forgets, tuple(only), groups, undoes)


def _are(kind: type, values: object) -> bool:
    return isinstance(values, list) and all(isinstance(one, kind) for one in values)


class Corrections:
    """All corrections of one life, in order. Immutable."""

    def __init__(self, known: Iterable[Correction] = ()) -> None:
        self.all = tuple(sorted({one.number: one for one in known}.values()))
        self.in_force = _in_force(self.all)
        self._of: dict[int, list[Correction]] = {}
        for one in self.in_force:
            for seq in dict.fromkeys((*one.memories, *([one.forgets] if one.forgets else []))):
                self._of.setdefault(seq, []).append(one)

    @property
    def last(self) -> int:
        """The number of the last one; 0 without any."""
        return self.all[-1].number if self.all else 0

    def get(self, number: int) -> Correction | None:
        return next((one for one in self.all if one.number == number), None)

    def of(self, seq: int) -> Sequence[Correction]:
        """Return the corrections in force that change a memory."""
        return self._of.get(seq, ())

    def since(self, number: int) -> list[int]:
        """Return the memories that the corrections after a number change, or change back."""
        found: set[int] = set()
        for one in self.all:
            target: Correction | None = one if one.number > number else None
            while target is not None:
                found |= {*target.memories, *([target.forgets] if target.forgets else [])}
                target = self.get(target.undoes) if target.undoes < target.number else None
        return sorted(found)

    def concerns_forgetting(self, one: Correction) -> bool:
        """Return whether a correction forgets a memory, or undoes one that does."""
        target = self.get(one.undoes) if 0 < one.undoes < one.number else None
        return bool(one.forgets) or (target is not None and self.concerns_forgetting(target))

    def with_one(self, correction: Correction) -> Corrections:
        return Corrections([*self.all, correction])

    def entries(self, entries: list[Entry]) -> list[Entry]:
        """Return memories as the archive has them with their corrections."""
        return [self.entry(one) if one.seq in self._of else one for one in entries] if self._of else entries

    def entry(self, entry: Entry) -> Entry:
        for one in self.of(entry.seq):
            if one.forgets == entry.seq:
                return Entry(entry.seq, entry.at, FORGOTTEN, None, None, "", importance=1, source=entry.source)
            reason = one.in_memory(entry.reason) if entry.reason else None
            entry = entry._replace(text=one.in_memory(entry.text), reason=reason or None)
        return entry

    def text(self, text: str, known: int = 0) -> str:
        """Return a text made from memories with the corrections after the number `known`, which it has already."""
        if known >= self.last:
            return text
        before = _in_force([one for one in self.all if one.number <= known])
        for one in reversed(before):
            text = text if one in self.in_force else one.reversed(text)
        for one in self.in_force:
            text = text if one in before else one.in_text(text)
        return text

    def summary(self, summary: Summary) -> Summary:
        """Return a summary with the corrections made since; the same one when nothing in it changes.

        The facts of its sample are dropped then: the next summary is checked for those of the corrected text.
        """
        text, *sample = (self.text(one, summary.corrections) for one in (summary.text, *summary.sample))
        if text == summary.text and tuple(sample) == summary.sample:
            return summary
        return replace(summary, text=text.strip() or NOTHING, sample=(), corrections=self.last)


def _in_force(known: Sequence[Correction]) -> tuple[Correction, ...]:
    """Return the corrections that no later one in force undoes."""
    undone: set[int] = set()
    for one in reversed(known):
        if one.undoes and one.number not in undone:
            undone.add(one.undoes)
    return tuple(one for one in known if one.number not in undone)


# ---- words ----


def words_of(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def content_words(text: str) -> tuple[str, ...]:
    """Return the words that say something, each once."""
    return tuple(dict.fromkeys(word for word in words_of(text) if word not in PLAIN and word not in DULL))


def _is_said(content: Sequence[str], words: set[str]) -> bool:
    return sum(word in words for word in content) >= max(2, _SHARE * len(content))


@lru_cache(maxsize=256)
def _pattern(words: str) -> str:
    """Return a pattern of whole words in any case, with any blanks between and either apostrophe."""
    parts = (re.sub(r"['’]", "['’]", re.escape(part)) for part in words.split())
    start, end = (r"(?<!\w)" if words[:1].isalnum() else ""), (r"(?!\w)" if words[-1:].isalnum() else "")
    return start + r"\s+".join(parts) + end


@lru_cache(maxsize=256)
def _finder(wrong: str, right: str) -> re.Pattern[str]:
    """Return a pattern for the wrong words; where they stand in the right ones already, its group `right` matches."""
    found = _pattern(wrong)
    case = re.IGNORECASE if wrong.casefold() != right.casefold() else re.NOFLAG
    inside = bool(right) and re.search(found, right, case)
    return re.compile(f"(?P<right>{_pattern(right)})|{found}" if inside else f"{found}(?P<right>)?", case)


def holds(text: str, wrong: str, right: str = "") -> bool:
    """Return whether a text holds the wrong words elsewhere than in the right ones."""
    return any(not one["right"] for one in _finder(wrong, right).finditer(text))


def replaced(text: str, wrong: str, right: str) -> str:
    """Return a text with the right words in place of the wrong ones; done twice, it changes nothing more."""

    def put(found: re.Match[str]) -> str:
        if found["right"]:
            return found[0]
        begins = found[0][:1].isupper() and wrong[:1].islower()  # as at the beginning of a sentence
        return right[:1].upper() + right[1:] if begins else right

    return _finder(wrong, right).sub(put, text)


def _reworded(text: str, wrong: str, right: str) -> str:
    """Replace what differs between wrong and right words in sentences that say the wrong ones in a new form."""
    core, put = _difference(wrong, right)
    content = content_words(wrong)
    if not core or core == wrong or len(content) < 2:
        return text
    for one in sentences(text):
        if _is_said(content, set(words_of(one))):
            text = text.replace(one, replaced(one, core, put))
    return text


def _difference(wrong: str, right: str) -> tuple[str, str]:
    """Return both without the words that they begin and end with alike."""
    a, b = wrong.split(), right.split()
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    return " ".join(a), " ".join(b)


# ---- what a new correction changes ----


def holding(entries: Iterable[Entry], wrong: str, right: str) -> list[int]:
    """Return the memories that hold the wrong words, one more than `MOST_MEMORIES` at most."""
    found: list[int] = []
    for entry in entries:
        if holds(entry.text, wrong, right) or (entry.reason and holds(entry.reason, wrong, right)):
            found.append(entry.seq)
            if len(found) > MOST_MEMORIES:
                break
    return found


def forgetting(every: Callable[[], Iterable[Entry]], entry: Entry, at: str, by: str) -> Correction:
    """Return the correction that forgets a memory, without its number; `every` yields all memories of its life."""
    text = f"{entry.text}\n{entry.reason or ''}"
    only, told = set(content_words(text)[:MOST_WORDS]), _sentences_of(text)
    for other in every():
        if other.seq != entry.seq and other.kind not in DERIVED:
            words = set(words_of(f"{other.text} {other.actor or ''} {other.place or ''} {other.reason or ''}"))
            only -= words
            told = [one for one in told if not _is_said(one, words)]
    made = Correction(0, at, by, forgets=entry.seq, only=tuple(sorted(only)), told=tuple(told))
    return made._replace(memories=quotes_in(every(), made))


def quotes_in(entries: Iterable[Entry], forgotten: Correction) -> tuple[int, ...]:
    """Return the memories that quote the forgotten one."""
    others = (one for one in entries if one.kind in DERIVED and one.seq != forgotten.forgets)
    return tuple(one.seq for one in others if forgotten.tells(one.text))


def _sentences_of(text: str) -> list[tuple[str, ...]]:
    """Return the content words of each sentence, within quotations too, that has more than one."""
    parts = [*(one for said in quoted(text) for one in sentences(said)), *sentences(unquoted(text))]
    found = [content_words(one)[:MOST_WORDS] for one in parts]
    return [one for one in dict.fromkeys(found) if len(one) > 1]
