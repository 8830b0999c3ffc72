"""A vault with a long life in its index, and worlds on it that are killed while they index; everything is seen from
outside: by what a visitor reads, by the log, and by how far the index says it is.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from agents.recall.lexical import read_progress
from agents.recall.tables import IndexProgress
from tests.live.thirty_facts import FACTS
from tests.processes import Running, loci, loci_json, memories
from tests.vaults import copy_vault

READY = 15.0
"""Seconds in which a visitor has an answer to `look` and to `recall` after the start. It takes 1 to 2; the rest is for
a machine that is busy with other tests. Embedding the life anew would take longer on a busy machine."""
COMPLETE = 120.0
"""Seconds after which a test gives up on vectors that should be back; it takes some for thousands."""
EMBEDDED = 1200.0
"""Seconds after which a test gives up on a life being embedded; ten thousand memories take 40 on an idle machine."""
STEP = 0.1
"""Seconds between two looks at how far the index is, spent waiting for the world's end."""

MOST = 0.8
"""Share of the facts that must be among the first five: `test_thirty_facts` asks for as many."""
LAST_WORDS = ("resource_tracker", "warnings.warn(")
"""What Python's own tracker of a killed process says after its death, on that process's terminal."""

_WHO = ("Ottilie", "Corvin", "Halvard", "Ysolde", "Emmeran", "Theda", "Ruprecht", "Mathilde")
_DID = ("carried a ladder", "counted the geese", "argued about a fence", "mended a net", "sang", "sold turnips")
_WHERE = ("by the pier", "behind the quarry", "at the market", "near the sawmill", "on the bridge", "in the orchard")
_HOW = ("in the rain", "before dawn", "with a cousin", "for an hour", "and laughed", "without a word")


def talk(count: int, chance: random.Random) -> Iterator[str]:
    """Yield so many lines, no two alike: each has a word of its own to be found by."""
    for number in range(count):
        chosen = (chance.choice(words) for words in (_WHO, _DID, _WHERE, _HOW))
        yield f"{' '.join(chosen)}, said {name_of(number)}."


def name_of(number: int) -> str:
    """Return the word by which one line of the talk is found."""
    letters = "".join("bdfgklmn"[int(digit, 8)] + "aeiou"[int(digit, 8) % 5] for digit in f"{number:05o}")
    return letters.capitalize()


class Indexed:
    """The vault; its life is Ann's, who plays in it.

    Args:
        folder: where it is put.
        count: memories beside the facts.
        embedder: what makes its vectors.
    """

    def __init__(self, folder: Path, count: int, embedder: str = "minilm") -> None:
        self.vault = copy_vault(folder)
        self.index = self.vault / ".index"
        self.errors = folder / "errors.txt"
        self.count, self._embedder = count, embedder
        self._asked = 0
        self._log_read = 0
        _set(self.vault, "embedder", "minilm", embedder)
        done = loci("run", "--vault", self.vault, "--no-agents", "--as", "Ann", stdin="quit\n")
        assert done.returncode == 0, done.stderr
        told = re.search(r'^id: "?(#\d+)', (self.vault / "agents/ann/agent.md").read_text(), re.MULTILINE)
        assert told is not None
        self.id = told.group(1)
        lines = list(talk(count, random.Random(count)))
        for place, fact in enumerate(FACTS):
            lines.insert(place * count // len(FACTS), fact.told)
        life = folder / "life.jsonl"
        life.write_text("".join(json.dumps({"text": line, "kind": "heard"}) + "\n" for line in lines))
        done = loci("remember", "Ann", life, "--vault", self.vault, timeout=EMBEDDED)
        assert done.returncode == 0, done.stderr

    # -- worlds -----------------------------------------------------------------------------------------------------

    def start(self) -> Running:
        """Start a world and return at once."""
        return Running(self.vault, "--no-agents", "--as", "Ann", errors=self.errors)

    def ready(self, *, moments: list[float] | None = None) -> Running:
        """Start a world, and return it when a visitor has seen where she is and found a memory by its words.

        Args:
            moments: gets the seconds this took.
        """
        began = time.monotonic()
        world = self.start()
        world.read_until("Exits:")
        world.say("look", "Exits:")
        self.finds_by_words(world)
        took = time.monotonic() - began
        assert took < READY
        if moments is not None:
            moments.append(took)
        return world

    def finds_by_words(self, world: Running) -> None:
        """See that a memory that was never asked for is found by its word, at once."""
        self._asked += 1
        name = name_of(self._asked * 37 % self.count)
        shown = world.say(f"recall {name}", f"said {name}.")
        assert shown

    def progress(self) -> IndexProgress:
        """Return how far the index is; nothing when it is gone."""
        return read_progress(self.index / "lexical.sqlite3", self.id)

    def total(self) -> int:
        """Return how many memories there are, by what their files hold."""
        return len(memories(self.vault, "ann"))

    def complete(self, world: Running) -> float:
        """Wait until every memory and document is found by words and has its vector; return the seconds."""
        began = time.monotonic()
        while not self.is_complete():
            assert not world.ends_within(STEP), "the world ended"
            assert time.monotonic() < began + COMPLETE, (self.progress(), self.total())
        return time.monotonic() - began

    def is_complete(self) -> bool:
        """Tell whether the index holds all there is."""
        progress = self.progress()
        whole = progress.lexical_through == progress.vector_through and progress.waiting_documents == 0
        return whole and progress.lexical_through == self.total()

    def quit(self, world: Running) -> None:
        """End a world as a person does, and see that it leaves the index whole and sealed."""
        world.type("quit")
        assert world.wait() == 0
        assert (self.index / "chroma.closed").exists()

    # -- what must hold ---------------------------------------------------------------------------------------------

    def logged(self, *, fine: Sequence[str] = ()) -> list[str]:
        """Return what was logged since the last look; see that none of it is a warning, an error or a traceback.

        Args:
            fine: parts of lines that a test expects.
        """
        log = (self.vault / "log/loci.log").read_text(encoding="utf-8")
        lines, self._log_read = log[self._log_read :].splitlines(), len(log)
        wrong = [line for line in lines if not re.match(r"\S+ \S+ INFO ", line)]
        wrong += self.errors.read_text().splitlines() if self.errors.exists() else []
        self.errors.unlink(missing_ok=True)
        fine = (*fine, *LAST_WORDS)
        unexpected = [line for line in wrong if not any(part in line for part in fine)]
        assert not unexpected, "\n".join(unexpected)
        return lines

    def finds_by_meaning(self) -> None:
        """See that most facts are found when asked for in other words, and that vectors had their part in it.

        Hashed vectors know no other words; they are asked in those that were told.
        """
        _set(self.vault, "patience", "1.0", "60")  # for a busy machine
        asked = [fact.asked if self._embedder == "minilm" else fact.told for fact in FACTS]
        answers = loci_json("recall", "Ann", "--k", "5", "--vault", self.vault, stdin="\n".join(asked))
        found = near = 0
        for fact, answer in zip(FACTS, answers, strict=True):
            near += any(hit["vector"] for hit in answer["hits"])
            found += any(fact.told in hit["text"] for hit in answer["hits"])
        assert min(found, near) >= MOST * len(FACTS)


def _set(vault: Path, key: str, before: str, value: str) -> None:
    config = vault / "config/recall.md"
    text = config.read_text(encoding="utf-8")
    assert f"**{key}**: {before}\n" in text
    config.write_text(text.replace(f"**{key}**: {before}\n", f"**{key}**: {value}\n"), encoding="utf-8")


def child_of(world: Running) -> int | None:
    """Return the process id of the world's child that keeps the vectors; None when there is none now."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_bytes()
        except (OSError, IndexError):
            continue  # it ended meanwhile
        if parent == world.pid and b"agents.recall.child" in command:
            return int(folder.name)
    return None


def kill_child(world: Running) -> None:
    """Kill the child alone, as soon as there is one."""
    while (child := child_of(world)) is None:
        assert not world.ends_within(STEP), "the world ended"
    os.kill(child, signal.SIGKILL)
