"""Says whom or what a line that begins with a pronoun is about: what the same speaker spoke of just before.

Only a pronoun that is the subject at the very beginning leans on another line, and only on the very last one of the
same speaker. It never joins two lines: what was said in two breaths is not quoted as one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from agents.brains._words import is_small, names_in, telling
from agents.brains.instinct.company import seconds_between
from agents.brains.instinct.marks import EXPLETIVE, FOLLOWS, LEANING_ON
from agents.brains.instinct.statements import clear_thing_in
from agents.memory.entries import Entry
from agents.memory.perception import remembered

_NAME_FIRST = re.compile(
    r"^([A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\w-]+(?: [A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\w-]+)?)\s+"
    r"(?:is|was|has|had|will|can|does|did|may|\w+s|\w+ed|\w+t|ran|came|gave|got)\b"
)


@dataclass(frozen=True, slots=True)
class _Spoken:
    """The last line of a speaker: which memory, what it was about, and the pronouns that may mean it."""

    seq: int
    at: str
    about: str
    pronouns: Collection[str]


class Antecedents:
    """What pronouns mean, line after line.

    Args:
        seqs: numbers of the memories at hand; over a gap nothing leans, for who knows what was said in it.
        asker: name of who is answered, to whom "my boat" is "your boat" when it was their own word.
    """

    def __init__(self, seqs: Collection[int], asker: str) -> None:
        self._seqs = frozenset(seqs)
        self._asker = asker
        self._last: dict[str, _Spoken] = {}

    def about(self, entry: Entry, told: Sequence[str], *, open_to_all: bool) -> str:
        """Return whom or what the first statement of a line is about, when it leans on the line before; else "".

        Args:
            entry: the memory of the line; they come in order.
            told: what it states.
            open_to_all: the line was no confidence, so that another may lean on it.
        """
        speaker = entry.actor or ""
        before = self._last.pop(speaker, None)
        said = remembered(entry)
        if not told or said is None:
            return ""
        pronoun = _pronoun(told[0]) if not telling(said.words.partition(told[0])[0], (speaker,)) else ""
        about = before.about if before and pronoun in before.pronouns and self._is_next(before, entry) else ""
        # Who ends on a question, or on something else that states nothing, has moved on.
        if open_to_all and said.words.rstrip().endswith(told[-1]):
            if len(told) == 1 and about and before:
                self._last[speaker] = _Spoken(entry.seq, entry.at, about, (pronoun,))
            elif not _pronoun(told[-1]):
                self._last[speaker] = _Spoken(entry.seq, entry.at, *self._topic(told[-1], speaker))
        return about

    def _is_next(self, before: _Spoken, entry: Entry) -> bool:
        known = all(seq in self._seqs for seq in range(before.seq + 1, entry.seq))
        return known and seconds_between(before.at, entry.at) < LEANING_ON

    def _topic(self, words: str, speaker: str) -> tuple[str, Collection[str]]:
        """Return what a statement is about, as the asker would call it, and the pronouns that may mean it."""
        first = _NAME_FIRST.match(words)
        names = names_in(words)
        if first and not is_small(first[1].split()[0]):
            return first[1], ("he", "she", "it", "they")
        if len(names) == 1 and not re.search(rf"\b(?:in|at|to|from|near|of) {re.escape(names[0])}\b", words):
            return names[0], ("he", "she")
        thing = clear_thing_in(words)
        article, _, noun = thing.partition(" ")
        if not thing or article in ("his", "her", "their"):
            return "", ()
        if article == "your" and speaker != self._asker:
            thing = f"{speaker}'s {noun}"
        return thing, ("he", "she", "it", "they")


def _pronoun(words: str) -> str:
    found = FOLLOWS.match(words)
    return found[1].casefold() if found and not EXPLETIVE.match(words) else ""
