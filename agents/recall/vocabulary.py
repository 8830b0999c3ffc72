"""The words that all memories consist of, one for each stem, numbered as they came. Used in the index's thread only.

The stems are those of SQLite's own tokenizer, so that a word means here what it means in the index. It refuses words
that say nothing by themselves: those that every sentence has, single letters, numbers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from agents.recall.documents import clean
from agents.recall.question import is_telling, words_of

TOKENIZER = "porter unicode61 remove_diacritics 2"
MOST_KNOWN = 200_000
"""Words kept in RAM, some 20 MB; then it begins again, which costs time only."""
MOST_TEXTS = 4096
"""Texts kept in RAM: what was said lately is what the next witness heard too."""
LONGEST = 40
"""Letters of a word; a longer one is no word of any language."""

SCHEMA = """
    CREATE TABLE vocabulary (number INTEGER PRIMARY KEY, word TEXT NOT NULL, stem TEXT NOT NULL UNIQUE);
"""


class Stemmer:
    """Gives the stems of words, as the index has them."""

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}
        self._scratch: sqlite3.Connection | None = None

    def stems(self, words: Iterable[str]) -> dict[str, str]:
        """Return the stem of each word that is exactly one for the index; only such a word can be looked for."""
        words = list(words)
        new = [word for word in dict.fromkeys(words) if word not in self._known]
        if len(self._known) + len(new) > MOST_KNOWN:
            self._known.clear()
            new = list(dict.fromkeys(words))
        if new:
            self._known.update(self._tokenized(new))
        return {word: stem for word in words if (stem := self._known[word]) is not None}

    def _tokenized(self, words: Sequence[str]) -> dict[str, str | None]:
        if self._scratch is None:
            self._scratch = sqlite3.connect(":memory:", isolation_level=None)
            self._scratch.executescript(
                f'CREATE VIRTUAL TABLE scratch USING fts5(word, content="", columnsize=0, tokenize="{TOKENIZER}");'
                "CREATE VIRTUAL TABLE tokens USING fts5vocab(scratch, instance);"
            )
        # A NUL would end the expression that the word is looked for with.
        rows = [(row, word) for row, word in enumerate(words) if "\0" not in word and clean(word) == word]
        self._scratch.execute("BEGIN")
        try:
            self._scratch.executemany("INSERT INTO scratch (rowid, word) VALUES (?, ?)", rows)
            found = self._scratch.execute("SELECT doc, term FROM tokens").fetchall()
        finally:
            self._scratch.execute("ROLLBACK")
        stems: dict[str, str | None] = dict.fromkeys(words)
        several: set[int] = set()
        for row, stem in found:
            if row in several or stems[words[row]] is not None:
                several.add(row)
                stem = None
            stems[words[row]] = stem
        return stems

    def close(self) -> None:
        """Free what it holds."""
        if self._scratch is not None:
            self._scratch.close()
        self._scratch = None


class Vocabulary:
    """Takes note of new words.

    Args:
        stemmer: gives their stems.
    """

    def __init__(self, stemmer: Stemmer) -> None:
        self._stemmer = stemmer
        self._seen: set[str] = set()
        self._written: set[str] = set()
        """What stood between two blanks, marks and all, and was looked at."""
        self._texts: set[str] = set()
        """The texts that were looked at lately."""

    def forget(self) -> None:
        """Trust no longer that what was looked at is in the table: it is another one, or its transaction failed."""
        self._seen.clear()
        self._written.clear()
        self._texts.clear()

    def learn(self, db: sqlite3.Connection, texts: Iterable[str]) -> None:
        """Put the words of these texts into the table, as far as they are new."""
        if len(self._written) > MOST_KNOWN:
            self.forget()
        if len(self._texts) > MOST_TEXTS:
            self._texts.clear()
        # Words are looked for only in what was never seen: to find them everywhere takes five times as long.
        new_texts = [text for text in dict.fromkeys(texts) if text not in self._texts]
        self._texts.update(new_texts)
        unseen = [one for one in dict.fromkeys("\n".join(new_texts).split()) if one not in self._written]
        self._written.update(unseen)
        words = dict.fromkeys(words_of("\n".join(unseen)))
        new = [word for word in words if word not in self._seen and _says_something(word)]
        if not new:
            return
        self._seen.update(new)
        db.executemany("INSERT OR IGNORE INTO vocabulary (word, stem) VALUES (?, ?)", self._stemmer.stems(new).items())


def _says_something(word: str) -> bool:
    return 1 < len(word) <= LONGEST and is_telling(word) and not any(letter.isnumeric() for letter in word)


def words_after(db: sqlite3.Connection, number: int, limit: int) -> list[tuple[int, str]]:
    """Return the words that came after the one of this number, with their numbers, in order."""
    return db.execute(
        "SELECT number, word FROM vocabulary WHERE number > ? ORDER BY number LIMIT ?", (number, limit)
    ).fetchall()
