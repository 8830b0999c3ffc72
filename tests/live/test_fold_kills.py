"""Lives killed while they fold, under one strategy after the other: no memory lost, no gap, every summary readable."""

from __future__ import annotations

import io
import json
import os
import random
import re
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from agents.compaction.rebuild import FILE as REBUILDING
from agents.memory.summaries import TIERS, parse_summary
from mud.command_line import main
from mud.storage.files import sha256_text
from tests.fork_server import ForkedProgram
from tests.processes import Running, memories, started, texts
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

TINY: Mapping[str, int | float | str] = {
    "summarizer": "extractive",
    "token_counter": "characters",
    "immediate_window": 4,
    "recent_window": 4,
    "runtime_cap": 64,
    "max_summary_tokens": 100,
    "sleep_threshold": 0.05,
    "emergency_threshold": 0.05,
    "preserve_entries": 4,
    "preserve_fraction": 0.0,
    "threshold_tokens": 400,
    "min_saving_tokens": 0,
    "hybrid_entries": 8,
    "hybrid_keep": 3,
    "mask_keep": 2,
    "mask_block": 1,
    "mask_chars": 20,
}
"""Every strategy folds after a few memories, and masks the third result before the newest."""

STRATEGIES = ("waterfall", "entry_summary", "hybrid", "layered", "sleep")
MANY = 20_000
"""Memories that are given at once; no kill lets a process come to their end."""
GROWN = 25
"""Times that an archive is seen to grow before a kill, at most."""
STEP = 0.01
"""Seconds between two looks at whether a process has begun to fold, spent waiting for its end."""
PIECE = 90
"""Memories given at once where histories are compared; a longer arrear is not folded as it would have been on time."""
COLUMNS = "| kills | in the middle of a fold | memories | folds | lost or twice | gaps | unreadable summaries |"

_MARK = re.compile(r"barrel (\d+)\.(\d+) ")


def words(kill: int, number: int) -> str:
    """Return what is said before one kill, no two alike."""
    return f"barrel {kill}.{number} stands by the Cistern at {number % 24}, and I promised Moss to fetch it"


def heard(kill: int, number: int) -> str:
    """Return a line for `remember`: each third is a result, which masks shrink."""
    return json.dumps({"text": words(kill, number), "kind": "heard" if number % 3 else "result"}) + "\n"


class Folded:
    """A vault in which Ann plays and Eliza listens, and what they were told before each kill; seen from outside.

    Args:
        folder: where it is put.
        many: memories that Eliza is given at once.
    """

    def __init__(self, folder: Path, many: int = MANY) -> None:
        self.many = many
        self.vault = without_vectors(copy_vault(folder))
        self.errors = folder / "errors.txt"
        self.answered: dict[str, Counter[int]] = {"eliza": Counter(), "ann": Counter()}
        """How many of the lines before each kill were answered: these must be there."""
        self._seen: set[tuple[str, str]] = set()
        put(self.vault, "memory_compaction", **TINY)

    def fold_by(self, strategy: str) -> None:
        """Have everybody's memories folded in another way from now on."""
        put(self.vault, "memory_compaction", strategy=strategy)

    def start(self) -> Running:
        """Return a world that Ann has entered."""
        world = Running(self.vault, "--no-agents", "--as", "Ann", errors=self.errors)
        world.read_until("Exits:")
        return world

    def remembering(self, lines: Sequence[str]) -> ForkedProgram:
        """Start to give Eliza memories in bulk."""
        file = self.vault.parent / "life.jsonl"
        file.write_text("".join(lines), encoding="utf-8")
        with self.errors.open("ab") as errors, open(os.devnull, "r+b") as nothing:  # noqa: PTH123  (two streams)
            streams = (nothing.fileno(), nothing.fileno(), errors.fileno())
            return started(["remember", "Eliza", file, "--no-wait", "--vault", self.vault], streams)

    def summaries(self, slug: str) -> Path:
        """Return the folder of somebody's summaries."""
        return self.vault / "agents" / slug / "summaries"

    def size(self) -> int:
        """Return how many bytes Eliza's archive takes."""
        return sum(path.stat().st_size for path in (self.vault / "agents/eliza/archive").glob("*.jsonl"))

    def status(self, slug: str) -> dict[str, Any]:
        """Return what the command line says of a life, without starting a process for it."""
        with redirect_stdout(io.StringIO()) as shown:
            assert main(["status", slug, "--json", "--vault", str(self.vault)]) == 0
        status: dict[str, Any] = json.loads(shown.getvalue())
        return status

    def commits(self, slug: str) -> list[dict[str, Any]]:
        """Return the lines by which folds hold; a later file begins with the last of them once more."""
        found: list[dict[str, Any]] = []
        for path in sorted((self.vault / "agents" / slug / "archive").glob("*.jsonl")):
            lines = (raw for raw in path.read_bytes().split(b"\n")[:-1] if b'"event":' in raw)
            found += [line for raw in lines if "number" in (line := json.loads(raw)) and line not in found[-1:]]
        return found

    # -- what must hold ---------------------------------------------------------------------------------------------

    def check(self, slug: str, *, at_rest: bool = False) -> None:
        """See that a life is whole.

        Args:
            slug: whose.
            at_rest: a world has run since the last kill, and has taken up what only the ledger held.
        """
        records, status = memories(self.vault, slug), self.status(slug)
        assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
        only_in_ledger = status["total"] - len(records)
        assert only_in_ledger == 0 or (only_in_ledger > 0 and not at_rest)
        self._check_told(slug, texts(records), only_in_ledger)
        commits = self.commits(slug)
        # What a kill left to be folded is told until a world has run.
        warned = [one for one in status["warnings"] if at_rest or not one.startswith("a fold is overdue")]
        assert (status["gaps"], status["overlaps"], warned) == ([], [], [])
        assert (status["compactions"], status["covered_through"]) == (len(commits), self._check_commits(slug, commits))
        tiers = [status[tier] for tier in ("longterm", "recent", "immediate") if status[tier] is not None]
        ends = [0, *(tier["last"] for tier in tiers)]
        assert [tier["first"] for tier in tiers] == [end + 1 for end in ends[:-1]]
        assert ends[-1] == status["total"]
        self._check_files(slug)
        if self.errors.exists():
            assert "Traceback" not in self.errors.read_text(encoding="utf-8")

    def _check_told(self, slug: str, held: Sequence[str], only_in_ledger: int) -> None:
        """See that all that was answered is there, word for word, in order, nothing twice, and nothing with a hole."""
        found = [(mark, text) for text in held if (mark := _MARK.search(text))]
        told = [(int(mark[1]), int(mark[2])) for mark, _ in found]
        counts = Counter(kill for kill, _ in told)
        assert told == [(kill, number) for kill in sorted(counts) for number in range(counts[kill])]
        says = ("", "You say") if slug == "ann" else ("", "Ann says")
        for (kill, number), (_, text) in zip(told, found, strict=True):
            assert text in (words(kill, number), f'{says[1]}, "{words(kill, number)}"')
        last = max(self.answered[slug], default=0)
        for kill, answered in self.answered[slug].items():
            assert counts[kill] + (only_in_ledger if kill == last else 0) >= answered

    def _check_commits(self, slug: str, commits: Sequence[Mapping[str, Any]]) -> int:
        """See that each fold goes on from the one before and names versions that are as it says; return their end."""
        assert [line["number"] for line in commits] == list(range(1, len(commits) + 1))
        end = 0
        for line in commits:
            assert line["covers"]["first"] == (1 if line["event"] == "rebuild" else end + 1)
            end = line["covers"]["last"]
            named = [line[tier] for tier in TIERS if line[tier] is not None]
            ends = [0, *(one["covers"]["last"] for one in named)]
            assert [one["covers"]["first"] for one in named] == [before + 1 for before in ends[:-1]]
            assert ends[-1] == end
            for one in named:
                if (slug, one["sha256"]) not in self._seen:
                    raw = (self.summaries(slug) / one["file"]).read_text(encoding="utf-8")
                    assert sha256_text(raw) == one["sha256"]
                    self._seen.add((slug, one["sha256"]))
        return end

    def _check_files(self, slug: str) -> None:
        """See that every summary in use, and every version, can be read and says something."""
        for path in self.summaries(slug).glob("*.md"):
            if path.stem not in TIERS and (slug, path.name) in self._seen:
                continue
            tier, _, version = path.stem.partition("-")
            assert parse_summary(path.read_text(encoding="utf-8"), tier, path.name, version=bool(version)).text
            assert "edited" not in version, "a text of the program was taken for a person's"
            self._seen.add((slug, path.name))

    def check_all_again(self) -> None:
        """See that everything holds, from the files alone; the summaries in use are made anew from the versions."""
        self._seen.clear()
        for slug in self.answered:
            shown = self._shown(slug)
            for tier in TIERS:
                (self.summaries(slug) / f"{tier}.md").unlink(missing_ok=True)
            assert self._shown(slug) == shown
            self.check(slug, at_rest=True)

    def _shown(self, slug: str) -> list[tuple[object, ...]]:
        tiers = self.status(slug)["tiers"]
        return [(tier["tier"], tier["first"], tier["last"], tier.get("text")) for tier in tiers]


# -- deaths ------------------------------------------------------------------------------------------------------------


Death = Callable[[Folded, int, random.Random], bool]
"""Kills a process in the middle of something, by the number of the kill; returns whether that was a fold."""


def kill_while_folding(process: ForkedProgram, life: Folded, chance: random.Random, most: int) -> bool:
    """Kill a process after the archive was seen to grow so many times, at most; return whether it was still there.

    It grows with the memories that come, and then with every fold: so kills meet folds however busy the machine is.
    """
    for _ in range(chance.randint(1, most)):
        before = life.size()
        while life.size() == before:
            if _ends_within(process, STEP):
                return False
    ended = _ends_within(process, chance.uniform(0.0, 2 * STEP))
    process.kill()
    process.wait()
    return not ended


def _ends_within(process: ForkedProgram, seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def remembering(life: Folded, kill: int, chance: random.Random) -> bool:
    """Killed while it is given tens of thousands of memories and folds them as it goes."""
    folds = len(life.commits("eliza"))
    process = life.remembering([heard(kill, number) for number in range(life.many)])
    assert kill_while_folding(process, life, chance, GROWN), "it was given too little"
    return len(life.commits("eliza")) > folds


def _kill_within(world: Running, seconds: float, chance: random.Random, meanwhile: Callable[[], None]) -> None:
    """Kill a world from another thread at a moment nobody knows, while it does something."""
    killer = threading.Timer(chance.uniform(0.0, seconds), world.kill)
    killer.start()
    try:
        meanwhile()
    except AssertionError:  # the world is gone: that is what this is about
        pass
    finally:
        killer.join()


def talking(life: Folded, kill: int, chance: random.Random) -> bool:
    """Killed while Ann talks as fast as answers come, looks about, and now and then has Eliza's memories folded."""
    folds, world = len(life.commits("eliza")), life.start()

    def talk() -> None:
        for number in range(life.many):
            world.say(f"say {words(kill, number)}", f'You say, "barrel {kill}.{number} ')
            for answered in life.answered.values():
                answered[kill] = number + 1
            world.type("@compact-memories Eliza" if number % 7 == 6 else "look")

    _kill_within(world, 0.6, chance, talk)
    return len(life.commits("eliza")) > folds


def rebuilding(life: Folded, kill: int, chance: random.Random) -> bool:
    """Killed while all summaries of Eliza are made anew."""
    world = life.start()
    _kill_within(world, 0.4, chance, lambda: world.type("@rebuild-summaries Eliza"))
    return (life.summaries("eliza") / REBUILDING).exists()


DEATHS: tuple[Death, ...] = (remembering, talking, rebuilding)


def _rebuild(life: Folded, world: Running) -> None:
    """Have a rebuild come to its end; it is declined while what is due by another strategy is still being folded."""
    before = len(life.commits("eliza"))
    while not any(line["event"] == "rebuild" for line in life.commits("eliza")[before:]):
        world.type("@rebuild-summaries Eliza")
        world.say("look", "Exits:")


def _life_of_kills(folder: Path, kills: int, seed: int, many: int = MANY) -> str:
    """Kill a life again and again, and return what was seen as a row of a table."""
    chance, life, middle = random.Random(seed), Folded(folder, many), Counter[str]()
    for kill in range(kills):
        life.fold_by(STRATEGIES[kill % len(STRATEGIES)])
        death = DEATHS[kill % len(DEATHS)]
        middle[death.__name__] += death(life, kill, chance)
        for slug in life.answered:
            if life.summaries(slug).exists():
                life.check(slug)
    life.fold_by("hybrid")
    world = life.start()
    _rebuild(life, world)
    world.type("quit")
    assert world.wait() == 0
    life.check_all_again()
    assert sum(middle.values()) >= kills // 3
    where = ", ".join(f"{name} {number}" for name, number in middle.items())
    total, folds = life.status("eliza")["total"], len(life.commits("eliza"))
    return f"| {kills} | {sum(middle.values())}: {where} | {total:,} | {folds:,} | 0 | 0 | 0 |"


def test_three_kills_while_memories_are_folded_lose_nothing(tmp_path: Path) -> None:
    _life_of_kills(tmp_path, kills=3, seed=3, many=3_000)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(4))
def test_two_hundred_kills_in_four_lives_while_memories_are_folded_lose_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    row = _life_of_kills(tmp_path, kills=50, seed=seed)
    with capsys.disabled():
        print(f"\n{COLUMNS}\n{row}")


# -- the same history --------------------------------------------------------------------------------------------------


def _history(life: Folded) -> Iterator[tuple[object, ...]]:
    """Yield the folds of Eliza's life: what each took, and the texts of the summaries it made."""
    for line in life.commits("eliza"):
        covers = line["covers"]["first"], line["covers"]["last"]
        files = [(tier, life.summaries("eliza") / line[tier]["file"]) for tier in TIERS if line[tier] is not None]
        made = [parse_summary(path.read_text("utf-8"), tier, path.name, version=True).text for tier, path in files]
        yield (*covers, line["reason"], *made)


@pytest.mark.torture
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_life_that_was_killed_has_the_very_history_of_one_that_was_not(strategy: str, tmp_path: Path) -> None:
    """A fold that a kill prevented is made when the life goes on, and takes what it would have taken."""
    lines, chance = [heard(0, number) for number in range(5 * PIECE)], random.Random(strategy)
    lives = []
    for name, kills in (("killed", 4), ("whole", 0)):
        (tmp_path / name).mkdir()
        life = Folded(tmp_path / name)
        life.fold_by(strategy)
        for _ in range(kills):
            held = len(memories(life.vault, "eliza"))
            kill_while_folding(life.remembering(lines[held : held + PIECE]), life, chance, 12)
            life.check("eliza")
        assert life.remembering(lines[len(memories(life.vault, "eliza")) :]).wait() == 0
        life.check("eliza", at_rest=True)
        lives.append(life)
    killed, whole = lives
    assert texts(memories(killed.vault, "eliza")) == texts(memories(whole.vault, "eliza"))
    assert list(_history(killed)) == list(_history(whole))
