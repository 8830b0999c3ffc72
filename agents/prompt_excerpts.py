"""What of related notes and summaries stands in a prompt: the sentences that fit the present best. Pure.

What is related stands at the end of a prompt and is read anew at every thought, and a note grows for ever: told whole,
three of them took more than half of what a model had to read. Sentences that the prompt shows anyway are left out. None
is made up, and what is left out between two sentences is shown by a mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agents.memory.entries import Hit
from agents.memory.note_form import Note
from agents.memory.ranges import spoken
from agents.prompt import Experience
from agents.recall.question import telling_words, words_of

GAP = "…"
"""Stands for what is left out between two sentences."""
LEAST = 12
"""Tokens of a text below which its beginning is not worth showing."""
_SENTENCE = re.compile(r"(?:(?<=[.!?…。！？])|(?<=[.!?…][\"”'’)*]))\s+|(?<=[。！？])")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_REFERENCE = re.compile(r"\s*\[[^\[\]\s]*#\d+(?:-\d+)?\]")
"""Where a fact stands in the archive, as a sleeper's notes say; in a prompt it takes as much room as the fact."""
_TOLD = re.compile(r"^.{0,80}?: (?=.{20})", re.S)
"""Who told it where, as notes begin that an agent writes by itself."""
_QUOTED = re.compile(r"[\"“](.{20,})[\"”]")
READ = 20_000
"""Characters of a text that are looked at: of a note that has grown longer, the newest entries."""


class Excerpts(NamedTuple):
    """What was chosen.

    Args:
        notes: title and text of each note, best first.
        experiences: what is shown of summaries, best first.
        crowded_out: related texts with something new to say for which there was no room.
    """

    notes: tuple[tuple[str, str], ...] = ()
    experiences: tuple[Experience, ...] = ()
    crowded_out: int = 0


@dataclass(eq=False)
class _Text:
    """One related text and what is chosen of it.

    Args:
        hit: where it is from.
        sentences: its sentences, in order.
        order: which of them were not looked at yet, the best first.
        chosen: which of them are shown.
        crowded: one of them was new and found no room.
    """

    hit: Hit
    sentences: list[str]
    order: list[int]
    chosen: list[int] = field(default_factory=list)
    crowded: bool = False

    def shown(self) -> str:
        """Return the chosen sentences in their order."""
        words, before = "", -1
        for at in sorted(self.chosen):
            gap = f" {GAP} " if words and at != before + 1 else " "
            words, before = f"{words}{gap}{self.sentences[at]}", at
        return words.strip()


def excerpts(hits: Sequence[Hit], cue: str, told: str, room: int, count: Callable[[str], int]) -> Excerpts:
    """Choose what of related texts is shown.

    In rounds: of every text the sentence that has most words in common with the present, then the next one of each; of
    a text whose next one finds no room there is no more. Among equals the first sentence wins, which is the newest of
    a note.

    Args:
        hits: notes and summaries, best first.
        cue: the present: where one is, who is there, what was said last.
        told: what the prompt shows anyway.
        room: tokens that all of it may take.
        count: returns how many tokens a text takes.
    """
    chooser = _Chooser({_plain(told)}, room, count)
    wanted = set(telling_words(cue))
    texts = [_text(hit, wanted) for hit in hits]
    waiting = texts
    while waiting:
        for text in waiting:
            chooser.take_next(text)
        waiting = [text for text in waiting if text.order]
    shown = [text for text in texts if text.chosen]
    return Excerpts(
        tuple((text.hit.title or "", text.shown()) for text in shown if text.hit.kind == "note"),
        tuple(Experience(text.shown(), text.hit.covers) for text in shown if text.hit.covers),
        sum(text.crowded and not text.chosen for text in texts),
    )


def first_sentence(text: str) -> str:
    """Return the first sentence of a text."""
    return next(_sentences(text), "")


@dataclass
class _Chooser:
    """Chooses sentences while there is room.

    Args:
        seen: what is shown, in plain words.
        room: tokens that are left.
        count: returns how many tokens a text takes.
    """

    seen: set[str]
    room: int
    count: Callable[[str], int]

    def take_next(self, text: _Text) -> None:
        """Choose the next sentence of a text that is new and fits; the first one may be cut."""
        label = 0 if text.chosen else self.count(_label(text.hit))
        while text.order:
            at = text.order.pop(0)
            sentence = text.sentences[at]
            if self._is_told(sentence):
                continue
            taken = label + self.count(sentence)
            if taken > self.room and not text.chosen:
                sentence = text.sentences[at] = self._cut(sentence, self.room - label)
                taken = label + self.count(sentence)
            if taken > self.room or not sentence:
                text.crowded = True
                text.order.clear()  # a shorter one that fits less would only fill the gap
                return
            text.chosen.append(at)
            self.room -= taken
            self.seen.add(_plain(sentence))
            return

    def _is_told(self, sentence: str) -> bool:
        """Whether a sentence, or what it says that somebody said, is shown already, or it has no words."""
        said = [sentence, _TOLD.sub("", sentence), *_QUOTED.findall(sentence)]
        return any(_plain(one) in shown for one in said for shown in self.seen)

    def _cut(self, sentence: str, room: int) -> str:
        """Return the beginning of a sentence that fits; empty when that is not worth it."""
        if room < LEAST:
            return ""
        words = sentence.split(" ")
        low, high = 0, len(words) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if self.count(" ".join(words[:middle]) + GAP) <= room:
                low = middle
            else:
                high = middle - 1
        return " ".join(words[:low]) + GAP if low else ""


def _text(hit: Hit, wanted: set[str]) -> _Text:
    """Return a text with its sentences, those first in order that have most of the wanted words."""
    text = hit.text[:READ]
    parts = [one.text for one in Note(hit.title or "", "", text, "").sections] if hit.kind == "note" else [text]
    sentences = [one for part in parts for one in _sentences(part)]
    common = [len(wanted & set(words_of(one))) for one in sentences]
    return _Text(hit, sentences, sorted(range(len(sentences)), key=lambda at: -common[at]))


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; an item of a list is one, whatever it is made of."""
    for line in text.splitlines():
        plain = _REFERENCE.sub("", line).strip()
        item = _ITEM.match(plain)
        found = [plain[item.end() :]] if item else _SENTENCE.split(plain)
        yield from (flat for one in found if (flat := " ".join(one.split())))


def _label(hit: Hit) -> str:
    return f"- {hit.title}: \n" if hit.kind == "note" else f"- ({spoken(*hit.covers)})\n" if hit.covers else ""


def _plain(text: str) -> str:
    return " ".join(words_of(text))
