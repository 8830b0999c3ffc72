"""Real folds of made-up lives by a real, small language model: `make folds`, or `python -m tests.live.folds`.

Prints one line per reply, accepted or rejected and why, then the totals. Ends with 1 when a committed summary names
somebody, some place or some number that is not in its source; a judge of its own says so.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from agents.compaction.engine import Compactor
from agents.compaction.folds import Commit, CompactionServices
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Summarizer, parse_style
from agents.llm.backend import Backend, Completion
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue, Urgency
from agents.memory.memory import Memory
from agents.memory.summaries import Summary
from agents.mind.templates import Templates
from mud.registry import load
from mud.server.checks import FAMILIES, SCHEMAS
from mud.server.wiring import RealClock
from mud.storage.configuration import Configuration
from tests.live.judge import strangers
from tests.live.tellers import Teller, cast
from tests.live_server import started
from tests.vaults import SHIPPED

NAME = "Wren"
WINDOWS = (8, 12, 24, 40)
"""How many memories one fold takes; lives take turns."""
KEPT = 4
CHANGEABLE = ("temperature", "api", "max_tokens")
SHOWN = 600
"""Characters of a line of a reply that are printed."""
HEADINGS = (
    "User Goal", "Confirmed Facts", "Decisions Made", "Open Issues", "Pending Actions", "Important References",
)  # fmt: skip
"""Lines that a summary in sections has besides what it tells."""
FOLDS = 4
"""Folds of one life, so that summaries are combined too."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of the model.

    Args:
        tier: what it should have become.
        text: as it came.
        why: why it was rejected; empty when it was accepted.
    """

    tier: str
    text: str
    why: str


@dataclass(slots=True)
class Fold:
    """One fold that was committed.

    Args:
        style: how the model was asked.
        commit: what was committed.
        replies: what the model replied, in order.
        wrong: what the judge found in summaries that the model wrote.
        wrong_by_rules: what the judge found in summaries written by rules.
    """

    style: str
    commit: Commit
    replies: list[Reply]
    wrong: list[str]
    wrong_by_rules: list[str]


@dataclass(slots=True)
class Folding:
    """A life that is folded by a model.

    Args:
        folder: where it is kept.
        address: of the model server.
        seed: of the life.
        window: memories that one fold takes.
        changes: what else the profile says.
        style: how the model is asked.
    """

    folder: Path
    address: str
    seed: int
    window: int
    changes: dict[str, object] = field(default_factory=dict)
    style: str = "base_v2"
    _replies: list[str] = field(default_factory=list)
    _commits: list[Commit] = field(default_factory=list)

    async def folds(self, count: int, told: Callable[[Fold], None]) -> None:
        """Live on and fold, so many times; tell of every fold."""
        clock = RealClock()
        queue = ModelQueue(
            {"summarizer": self._profile()}.__getitem__, load("agents.llm.backends", Backend, "b"), clock
        )
        memory = Memory(NAME, self.folder, clock)
        memory.open(writable=True)
        compactor = self._compactor(memory, queue, clock)
        teller = Teller(cast(), Random(self.seed), NAME)
        try:
            for number in range(count):
                memory.append_raw(list(teller.tell(self.window + (KEPT + 1 if number == 0 else 0))), number + 1)
                earlier = [one.text for one in (memory.longterm, memory.recent) if one is not None]
                (commit,) = await compactor.fold_due()
                told(self._fold(memory, commit, earlier))
        finally:
            await queue.close(grace=0)
            memory.close()

    def _profile(self) -> LLMProfile:
        configuration = Configuration(SHIPPED, SCHEMAS, FAMILIES)
        assert configuration.load() == []
        shipped = configuration.get_named(LLMProfile, "summarizer")
        return replace(shipped, host=self.address, **self.changes)  # type: ignore[arg-type]

    def _compactor(self, memory: Memory, queue: ModelQueue, clock: RealClock) -> Compactor:
        async def ask(prompt: str, profile: str) -> Completion:
            completion = await queue.ask(lambda: prompt, profile, Urgency.SUMMARIZE, NAME)
            self._replies.append(completion.text)
            return completion

        prompts = Templates(SHIPPED / "prompts/summaries", None, parse_style)
        assert prompts.load() == []
        settings = CompactionSettings(immediate_window=KEPT, recent_window=self.window, prompt_style=self.style)
        services = CompactionServices(
            load("agents.compaction.strategies", Strategy, "strategy"),
            load("agents.compaction.summarizers", Summarizer, "summarizer"),
            clock,
            lambda line: None,
            ask,
            prompts.named,
        )
        return Compactor(memory, lambda: settings, services, self._commits.append)

    def _fold(self, memory: Memory, commit: Commit, earlier: list[str]) -> Fold:
        replies, self._replies = self._replies, []
        first, last = commit.newest.covers
        source = [
            part for one in memory.read(first, last) for part in (one.text, one.actor, one.place, one.reason) if part
        ]
        wrong: dict[bool, list[str]] = {True: [], False: []}
        for summary, told in ((commit.recent, source), (commit.longterm, earlier)):
            if summary is not None:
                wrong[summary.method == "model"] += _judged(summary, told)
        return Fold(self.style, commit, _paired(replies, commit, len(earlier) > 1), wrong[True], wrong[False])


def _judged(summary: Summary, source: list[str]) -> list[str]:
    everybody = cast()
    told = "\n".join(line for line in summary.text.splitlines() if line.strip("# *:") not in HEADINGS)
    return strangers(told, source, NAME, (*everybody.people, *everybody.places))


def _paired(asked: list[str], commit: Commit, both: bool) -> list[Reply]:
    """Put replies and the reasons against them together; both come in order, the long-term summary's first.

    Args:
        asked: the replies.
        commit: what came of them.
        both: two summaries were to become one, for which the model was asked too.
    """
    against = {tier: [why for why in commit.rejected if f"the {tier} " in why] for tier in ("longterm", "recent")}
    written = commit.longterm is not None and commit.longterm.method == "model"
    first = len(against["longterm"]) + written if both else 0
    replies = []
    for at, text in enumerate(asked):
        tier = "longterm" if at < first else "recent"
        why = against[tier].pop(0) if against[tier] else ""
        replies.append(Reply(tier, text, why.partition("rejected: ")[2]))
    return replies


def lives(folder: Path, address: str, seed: int, styles: Sequence[str], windows: Sequence[int]) -> Iterator[Folding]:
    """Yield one life after another, for ever; they take turns with the styles and the windows."""
    for style in itertools.cycle(styles):
        yield Folding(folder / str(seed), address, seed, windows[seed % len(windows)], style=style)
        seed += 1


def main(argv: list[str]) -> int:
    """Fold until the model has replied often enough; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.live.folds", description=__doc__)
    parser.add_argument("--replies", type=int, default=20, help="replies to ask for at least")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first life")
    parser.add_argument("--style", action="append", help="how the model is asked; may be given more than once")
    parser.add_argument("--window", type=int, action="append", help="memories that one fold takes")
    parser.add_argument("--texts", action="store_true", help="print what the model replied, too")
    parser.add_argument("--temperature", type=float, help="instead of the shipped profile's")
    parser.add_argument("--max-tokens", type=int, help="instead of the shipped profile's")
    parser.add_argument("--api", choices=("completions", "chat"), help="instead of the shipped profile's")
    options = parser.parse_args(argv)
    changes = {key: value for key in CHANGEABLE if (value := getattr(options, key)) is not None}
    folds: list[Fold] = []

    def told(fold: Fold) -> None:
        folds.append(fold)
        _print(fold, options.texts)

    with tempfile.TemporaryDirectory() as folder:
        for life in lives(
            Path(folder), started().address, options.seed, options.style or ["base_v2"], options.window or WINDOWS
        ):
            life.changes.update(changes)
            asyncio.run(life.folds(FOLDS, told))
            if sum(len(fold.replies) for fold in folds) >= options.replies:
                break
    return _totals(folds)


def _print(fold: Fold, texts: bool) -> None:
    first, last = fold.commit.newest.covers
    for reply in fold.replies:
        print(f"{fold.style} {first}-{last} {reply.tier}: {'rejected: ' + reply.why if reply.why else 'ACCEPTED'}")
        if texts:
            print("".join(f"    | {line[:SHOWN]}\n" for line in reply.text.splitlines()[:9]), end="")
    for words in fold.wrong + fold.wrong_by_rules:
        print(f"{first}-{last} COMMITTED, BUT NOT IN THE SOURCE: {words}")
    sys.stdout.flush()


def _totals(folds: list[Fold]) -> int:
    for style in sorted({fold.style for fold in folds}):
        _total(style, [fold for fold in folds if fold.style == style])
    return 1 if _total("all", folds) else 0


def _total(style: str, folds: list[Fold]) -> int:
    """Print the counts of a style; return how many of its folds committed what they must not."""
    replies = [reply for fold in folds for reply in fold.replies]
    accepted = sum(not reply.why for reply in replies)
    wrong = sum(bool(fold.wrong or fold.wrong_by_rules) for fold in folds)
    print(
        f"{style}: {len(folds)} folds, {len(replies)} replies, {accepted} accepted, "
        f"{len(replies) - accepted} rejected; {wrong} folds committed a name or a number that is not in the source"
    )
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
