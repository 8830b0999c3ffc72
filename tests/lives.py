"""Lives for tests: memories in their folders, a disk that fills or a power cut at any write, a model led by hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path

from agents.agent import Agent
from agents.compaction.engine import Compactor
from agents.compaction.folds import Commit, CompactionServices
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Summarizer, parse_style
from agents.compaction.view import StrategyContext
from agents.llm.backend import Completion
from agents.memory.memory import Memory
from agents.memory.summaries import Summary
from mud.clock import VirtualClock
from mud.registry import load
from mud.storage.files import encode
from mud.storage.jsonl import JsonlWriter
from mud.world.events import Perception
from tests.vaults import SHIPPED

STRATEGIES = load("agents.compaction.strategies", Strategy, "strategy")
SUMMARIZERS = load("agents.compaction.summarizers", Summarizer, "summarizer")
PROMPTS = {
    path.stem: parse_style(path.read_text("utf-8"), f"prompts/summaries/{path.name}")
    for path in sorted((SHIPPED / "prompts/summaries").glob("*.md"))
}
"""The shipped prompt styles."""


class PowerCut(BaseException):
    """The process ends here; nothing may catch it."""


class Disk:
    """A disk that counts its writes, and fills up or loses power when told.

    Args:
        cut: the write before which the power goes, counted from 1; 0 for never.
        half: half of the bytes of a line are written before the power goes.
    """

    def __init__(self, cut: int = 0, half: bool = False) -> None:
        self.writes = 0
        self.full = False
        self.unsynced = False
        """It refuses to have put anything on the disk."""
        self.cut = cut
        self.half = half
        self.meanwhile: Callable[[int], None] | None = None
        """Is told the number of every write before it happens: what somebody else does at that moment."""

    def cut_after(self, writes: int, half: bool = False) -> None:
        """Have the power go before the write after so many more."""
        self.cut, self.half = self.writes + writes + 1, half

    def step(self) -> None:
        """Count a write; raise what the disk is told to."""
        self.writes += 1
        if self.meanwhile is not None:
            self.meanwhile(self.writes)
        if self.cut and self.writes >= self.cut:
            raise PowerCut
        if self.full:
            raise OSError(28, "No space left on device")

    def write(self, path: Path, text: str) -> None:
        """Replace a file; stands for `write_atomic`, whose own tests show that it is all or nothing."""
        self.step()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(text))

    def open(self, path: Path) -> DiskLines:
        """Open an archive file."""
        return DiskLines(path, self)


class DiskLines(JsonlWriter):
    """Lines on a `Disk`."""

    def __init__(self, path: Path, disk: Disk) -> None:
        super().__init__(path)
        self._disk = disk

    def append(self, lines: Sequence[str]) -> None:
        """Append, or fail before a byte is written, or lose power with half of it written."""
        try:
            self._disk.step()
        except PowerCut:
            if self._disk.half:
                data = "".join(f"{line}\n" for line in lines).encode()
                with self._path.open("ab") as file:
                    file.write(data[: len(data) // 2])
            raise
        super().append(lines)

    def sync(self) -> None:
        """Do nothing, or fail: no test loses what the kernel has."""
        if self._disk.unsynced:
            raise OSError(5, "Input/output error")


class Reply:
    """An answer of the model that is still to come: whoever leads the coroutine sends it."""

    def __await__(self) -> Generator[Reply, Completion, Completion]:
        return (yield self)


async def waiting_model(prompt: str, profile: str) -> Completion:
    """Ask a model that answers when the test sends its answer into the coroutine."""
    return await Reply()


def reply(text: str) -> Completion:
    """Return what a model would answer."""
    return Completion(text, 100, 20, 0.5, "test-model")


class Life:
    """One character's memory with everything that folds it.

    Args:
        folder: the character's folder.
        disk: where it writes.
        settings: its compaction settings; may be replaced while it lives.
        model: asks a model; None for none.
        context: what is outside it: a window, sleep.
    """

    def __init__(
        self,
        folder: Path,
        disk: Disk | None = None,
        settings: CompactionSettings | None = None,
        model: Callable[..., object] | None = None,
        name: str = "Wren",
        context: StrategyContext | None = None,
    ) -> None:
        self.folder = folder
        self.name = name
        self.disk = disk or Disk()
        self.settings = settings or CompactionSettings()
        self.model = model
        self.context = context or StrategyContext()
        self.clock = VirtualClock()
        self.logged: list[str] = []
        self.commits: list[Commit] = []
        self.on_commit: Callable[[Commit], None] = self.commits.append
        self.messages: list[str] = []
        self.start()

    def start(self, writable: bool = True) -> None:
        """Begin, or begin again from the files alone."""
        self.memory = Memory(
            self.name,
            self.folder,
            self.clock,
            write=self.disk.write,
            write_unsynced=self.disk.write,
            open_writer=self.disk.open,
            in_ram=64,
        )
        self.messages = self.memory.open(writable)
        model, prompts = self.model, PROMPTS.__getitem__
        services = CompactionServices(
            STRATEGIES,
            SUMMARIZERS,
            self.clock,
            self.logged.append,
            model,  # type: ignore[arg-type]
            prompts,
        )
        self.compactor = Compactor(self.memory, lambda: self.settings, services, self.on_commit, self.context)

    @property
    def recent(self) -> Summary:
        """The recent summary; there must be one."""
        assert self.memory.recent is not None
        return self.memory.recent

    @property
    def longterm(self) -> Summary:
        assert self.memory.longterm is not None
        return self.memory.longterm

    def set(self, **changes: int | float | str | bool) -> None:
        """Change settings."""
        self.settings = replace(self.settings, **changes)  # type: ignore[arg-type]

    def live(self, count: int, what: str = "The wind has turned again") -> None:
        """Remember so many things heard, one step each, and fold what becomes due at once."""
        for _ in range(count):
            number = self.memory.total + self.memory.waiting + 1
            self.clock.advance(5)
            self.memory.append([heard(f"{what}, for the {number}. time.")], "2026-11-20T07:21:37.123Z", number)
            if self.compactor.due():
                self.compactor.fold_due_now()

    def remember(self, *texts: str, kind: str = "heard") -> None:
        """Remember these texts as they are, all at once, and fold nothing."""
        self.clock.advance(5)
        self.memory.append_raw([{"text": text, "kind": kind, "place": "The Library"} for text in texts])

    def covered(self) -> list[tuple[int, int]]:
        """Return which memories each fold took, in order."""
        return [(commit.first, commit.last) for commit in self.commits]

    def summary_file(self, tier: str) -> Path:
        """Return the path of a summary in use."""
        return self.folder / "summaries" / f"{tier}.md"

    def edited_versions(self) -> list[str]:
        """Return the texts of every version that keeps a person's edit."""
        return [path.read_text() for path in sorted((self.folder / "summaries").glob("*-edited*.md"))]


def heard(words: str, who: str = "Moss", place: str = "The Library") -> Perception:
    """Return something heard."""
    return Perception("#2001", "heard", f'{who} says, "{words}"', who, place)


def begin_anew(agent: Agent) -> None:
    """Empty an agent's memory."""
    agent.memory.close()
    for part in ("archive", "summaries", "notes"):
        shutil.rmtree(agent.folder / part, ignore_errors=True)
    (agent.folder / "journal.md").unlink(missing_ok=True)
    agent.life.reopen()
