"""What the vault says of language, read once: intents and words; and a sentence read by it, in three layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.brains.natural.intents import Intent, parse_intent, parse_words
from agents.brains.natural.meaning import Meaning, Names
from agents.brains.natural.words import Words
from agents.text.addressing import asks, without_address
from mud.errors import Problem


class Lore:
    """Intents and words, immutable."""

    def __init__(self, intents: Mapping[str, Intent], words: Words) -> None:
        self.intents, self.words = intents, words

    def read(self, sentence: str, names: Names, near: Sequence[tuple[str, float]] = ()) -> Meaning:
        """Return the meaning of a sentence.

        Args:
            sentence: one sentence, as said.
            names: the names known.
            near: intents by similarity from vectors, best first; without them the stems in common decide.
        """
        if found := self.pattern(sentence, names):
            return found
        words = without_address(sentence, (names.me,))
        if asks(sentence):
            return Meaning("question", "memory", "what", (), {"topic": words}, words, "open")
        return Meaning("statement", "nothing", "", (), {"topic": words}, words, "open")

    def pattern(self, sentence: str, names: Names) -> Meaning | None:
        """Return the meaning by the first layer alone, the patterns; None where none fits."""
        return None

    def masked(self, sentence: str, names: Names) -> str:
        """Return a sentence with its names and things masked, so that what it is about does not decide."""
        return sentence


def parse_lore(files: Mapping[str, str]) -> tuple[Lore, list[Problem]]:
    """Read the files of `vault/instinct` by their paths in it, such as `intents/greeting.md`.

    Returns the lore without what is wrong, and what is wrong, by file and line.
    """
    intents: dict[str, Intent] = {}
    lists: dict[str, list[str]] = {}
    problems: list[Problem] = []
    for path in sorted(files):
        if path.startswith("words/"):
            for name, items in parse_words(files[path]).items():
                lists.setdefault(name, []).extend(items)
        elif path.startswith("intents/"):
            intent, wrong = parse_intent(files[path], path)
            problems += wrong
            if intent:
                intents[intent.name] = intent
    return Lore(intents, Words(lists)), problems
