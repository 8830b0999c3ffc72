"""The excerpts of related notes and past summaries in a prompt: the whole sentences that fit the present best.

Notes and experiences have separate token limits. Sentences that the prompt already shows are left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from agents.memory.entries import Hit, spoken
from agents.memory.note_form import Note
from agents.prompt.prompt import Experience
from agents.recall.question import content_words, words_of
from agents.text.english import apart, quoted, sayings, sentences

GAP = "…"
_LEAST_SENTENCES = 2
"""An experience with fewer sentences is not shown: a single one says nothing of its time."""
_READ = 20_000  # characters of a text that are read; of a longer note, its newest entries
_FULL_WIDTH = re.compile(r"(?<=[。！？])(?![」』”）])")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_REFERENCE = re.compile(r"\s*\[[^\[\]\s]*#\d+(?:-\d+)?\]")
"""An archive reference in the notes of a sleeping agent; it takes as much room as the fact itself."""
_TOLD = re.compile(r"^.{0,80}?: (?=.{20})", re.S)
"""Who said it and where, at the beginning of notes that an agent writes automatically."""
_QUOTED = re.compile(r"[\"“](.{20,})[\"”]")
_LEAST_SAYING = 20
"""Shortest quotation, in characters, that may stand for a longer speech."""

Count = Callable[[str], int]
Memories = Callable[[int, int], Sequence[str]]


class Room(NamedTuple):
    """Tokens for all notes and for all experiences, and the highest number of experiences."""

    notes: int
    experiences: int
    most: int


class Excerpts(NamedTuple):
    """The choice, best first; the counts are of notes and experiences for which there was no room."""

    notes: tuple[tuple[str, str], ...] = ()
    experiences: tuple[Experience, ...] = ()
    notes_crowded_out: int = 0
    experiences_crowded_out: int = 0


@dataclass(eq=False)
class _Text:
    """A text of which sentences are chosen; `fits` says how well each fits the present, 0 not at all."""

    hit: Hit
    sentences: list[str]
    fits: list[float]
    order: list[int]
    chosen: list[int] = field(default_factory=list)
    tokens: int = 0
    crowded: bool = False

    @property
    def label(self) -> str:
        covers = self.hit.covers
        return f"- {self.hit.title}: \n" if self.hit.kind == "note" else f"- ({spoken(*covers)})\n" if covers else ""

    def fitting(self) -> list[int]:
        return [at for at in self.order if self.fits[at] > 0]

    def shown(self) -> str:
        words, before = "", -1
        for at in sorted(self.chosen):
            gap = f" {GAP} " if words and at != before + 1 else " "
            words, before = f"{words}{gap}{self.sentences[at]}", at
        return words.strip()


def excerpts(
    hits: Sequence[Hit],
    cue: str,
    told: str,
    room: Room,
    count: Count,
    memories: Memories = lambda first, last: (),
) -> Excerpts:
    """Choose what to show of related texts, given best first.

    Each note in turn gets its best sentence, then its next. Each of the best summaries, of different times where
    possible, gets two sentences; the rest of the room goes to further ones. Memories of a summary's time make up for
    missing sentences. Where two whole speeches do not fit, single sentences of them are tried, then the next summary.
    `cue` is the present, `told` what the prompt shows anyway.
    """
    split = [_sentences_of(hit) for hit in hits]
    chooser = _Chooser(_weights(cue, split), {_plain(told)}, count, cache(memories))
    texts = [chooser.text(hit, found) for hit, found in zip(hits, split, strict=True)]
    notes = [text for text in texts if text.hit.kind == "note"]
    chooser.fill(notes, room.notes)
    summaries = [text for text in texts if text.hit.covers is not None]
    wanted = len(chooser.begun(summaries, room.most, math.inf))
    past = chooser.experiences(summaries, room)
    return Excerpts(
        tuple((text.hit.title or "", text.shown()) for text in notes if text.chosen),
        tuple(Experience(text.shown(), text.hit.covers) for text in past if text.hit.covers),
        sum(text.crowded and not text.chosen for text in notes),
        wanted - len(past),
    )


def first_sentence(text: str) -> str:
    return next(_sentences(text), "")


@dataclass
class _Chooser:
    weights: Mapping[str, float]
    seen: set[str]
    count: Count
    memories: Memories

    def text(self, hit: Hit, sentences: list[str]) -> _Text:
        get = self.weights.get
        fits = [sum(get(word, 0.0) for word in set(words_of(one))) for one in sentences]
        return _Text(hit, sentences, fits, sorted(range(len(sentences)), key=lambda at: -fits[at]))

    def fill(self, texts: Sequence[_Text], room: float) -> None:
        """Choose from all texts in turn; a text whose next sentence finds no room is finished."""
        waiting = list(texts)
        while waiting:
            for text in waiting:
                self._take_next(text, room - sum(one.tokens for one in texts if one is not text))
            waiting = [text for text in waiting if text.order]

    def experiences(self, texts: Sequence[_Text], room: Room) -> list[_Text]:
        best: list[_Text] = []
        for many in range(min(room.most, len(texts)), 0, -1):
            if len(best) < many:
                best = max(best, self.begun(texts, many, room.experiences), key=len)
        for text in best:
            self.seen |= {_plain(text.sentences[at]) for at in text.chosen}
            text.order = text.fitting()
        self.fill(best, room.experiences)
        return best

    def begun(self, texts: Sequence[_Text], most: int, room: float) -> list[_Text]:
        """Return copies of the best texts with their first sentences; texts of different times go first."""
        chooser, found = replace(self, seen=set(self.seen)), dict[_Text, _Text]()
        for overlaps in (False, True):
            for text in texts:
                asked = text not in found and any(_overlap(text, one) for one in found) == overlaps
                if not asked or len(found) >= most:
                    continue
                left = room - sum(one.tokens for one in found.values())
                if (begun := chooser._begin(text, left / (most - len(found)))) is not None:
                    found[text] = begun
        return list(found.values())

    def _begin(self, text: _Text, room: float) -> _Text | None:
        """Return a copy of a text with its first sentences, or None; see `excerpts`."""
        seen = self.seen
        lines = [" ".join(line.split()) for line in self.memories(*text.hit.covers)] if text.hit.covers else []
        for parts in (list, _sayings):
            self.seen = set(seen)
            begun = self._begun_with(text.hit, parts(text.sentences), parts(lines), room)
            if len(begun.chosen) >= _LEAST_SENTENCES:
                return begun
        self.seen = seen
        return None

    def _begun_with(self, hit: Hit, own: list[str], lines: list[str], room: float) -> _Text:
        begun = self.text(hit, own)
        self._take_first(begun, room)
        if len(begun.chosen) >= _LEAST_SENTENCES or not lines:
            return begun
        completed = self.text(hit, [*own, "", *lines])
        completed.chosen, completed.tokens = begun.chosen, begun.tokens
        completed.order = [at for at in completed.order if at > len(own)]
        self._take_first(completed, room)
        completed.order.clear()
        return completed

    def _take_first(self, text: _Text, room: float) -> None:
        while text.order and len(text.chosen) < _LEAST_SENTENCES:
            self._take_next(text, room, _LEAST_SENTENCES)

    def _take_next(self, text: _Text, room: float, least: int = 1) -> None:
        """Choose the best sentence of a text that is new and fits.

        A sentence that is too long is skipped only below `least`; else a shorter, less fitting one would fill the gap.
        """
        while text.order:
            at = text.order.pop(0)
            if self._is_told(text.sentences[at]):
                continue
            text.chosen.append(at)
            tokens = self.count(text.label + text.shown())
            if tokens <= room:
                text.tokens = tokens
                self.seen.add(_plain(text.sentences[at]))
                return
            text.chosen.pop()
            text.crowded = True
            text.order = text.fitting() if len(text.chosen) < least else []

    def _is_told(self, sentence: str) -> bool:
        said = [sentence, _TOLD.sub("", sentence), *_QUOTED.findall(sentence)]
        return any(_plain(one) in shown for one in said for shown in self.seen)


def _weights(cue: str, texts: Sequence[Sequence[str]]) -> dict[str, float]:
    having = Counter(word for sentences in texts for one in sentences for word in set(words_of(one)))
    total = sum(map(len, texts))
    return {word: math.log(1 + total / max(1, having[word])) for word in content_words(cue)}


def _sentences_of(hit: Hit) -> list[str]:
    text = hit.text[:_READ]
    parts = [one.text for one in Note(hit.title or "", "", text, "").sections] if hit.kind == "note" else [text]
    return [one for part in parts for whole in _sentences(part) for one in apart(whole)]


def _sayings(statements: Sequence[str]) -> list[str]:
    found = [(one, whole) for whole in statements for one in sayings(whole)]
    return [one for one, whole in found if one == whole or len("".join(quoted(one))) >= _LEAST_SAYING]


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; a list item and a quotation each count as one."""
    for line in text.splitlines():
        plain = _REFERENCE.sub("", line).strip()
        item = _ITEM.match(plain)
        found = [plain[item.end() :]] if item else [one for part in sentences(plain) for one in _FULL_WIDTH.split(part)]
        yield from (flat for one in found if (flat := " ".join(one.split())))


def _overlap(one: _Text, other: _Text) -> bool:
    (first, last), (start, end) = one.hit.covers or (1, 0), other.hit.covers or (1, 0)
    return first <= end and start <= last


def _plain(text: str) -> str:
    return " ".join(words_of(text))
