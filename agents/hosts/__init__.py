"""Where minds live, one file each: in the world's process, on other machines, in a program written elsewhere.

To add one, write a module here with a class that follows `HostOfMinds` and, at module level, `MINE = HostKind("mine",
"one sentence about it", start)`. The name can then be given to `run --minds`. Every host keeps the same promises, which
`tests/contracts/test_hosts.py` tries:

- A mind is Memory and Thinker of one agent. The world (engine, ledger) stays where it is, whatever becomes of a host.
- Each mind is lent to one host at a time, under an epoch that only grows. What comes from an older one counts nowhere:
  a host refuses turns of another epoch than its own, the world ignores lines of another than the last one lent.
- What a tick hands over is in the archive when the tick returns, once and in order, however often it is handed over.
- A host may die at any moment. What it had not confirmed (`Kept`) the world still has, and hands to the next one.

All that crosses the interface is tuples of strings and numbers, so that it can be pickled or written as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from agents.brains import Situation
from agents.memory.entries import Hit
from agents.mind.thinker import Thought
from mud.registry import plug_in_names
from mud.storage.settings import setting
from mud.world.events import Perception

if TYPE_CHECKING:
    from agents.hosts.local import LocalHost


@dataclass(frozen=True, slots=True)
class HostSettings:
    """`config/hosts.md`."""

    minds: str = setting(
        "local", "Where minds live; `run --minds` goes before it. Read at the start.",
        choices=plug_in_names("agents.hosts"), per_agent=False,
    )  # fmt: skip
    brains_host: str = setting(
        "127.0.0.1", "Address at which brains written elsewhere may connect (`minds` is websocket); read at the start.",
        per_agent=False,
    )  # fmt: skip
    brains_port: int = setting(
        8020, "Port for these; 0 for any that is free. Read at the start.", low=0, high=65_535, per_agent=False
    )
    brains_token: str = setting(
        "", "What these must know to come in; empty for a new one at every start, which is told to the owner.",
        per_agent=False,
    )  # fmt: skip
    brains_patience: float = setting(
        10.0, "Seconds that these have for a line, after which the instinct takes the turn.", low=0.1, high=600.0,
        per_agent=False,
    )  # fmt: skip


class Lease(NamedTuple):
    """A mind as it is lent to a host.

    Args:
        who: id of the agent.
        slug: name of its folder in `agents/` of the vault.
        epoch: higher than that of anybody who had the mind before.
    """

    who: str
    slug: str
    epoch: int


class Lived(NamedTuple):
    """What one mind perceived of one step of the ledger, at an ISO time. It is remembered as one write."""

    step: int
    at: str
    perceptions: tuple[Perception, ...]


class MindTurn(NamedTuple):
    """What a tick has for one mind.

    Args:
        lived: what it perceived since what was confirmed last, oldest first.
        scene: what its character perceives now, if it is to think, without memories; None otherwise.
        waiting: a person waits for its line.
    """

    who: str
    epoch: int
    lived: tuple[Lived, ...] = ()
    scene: Situation | None = None
    waiting: bool = False


class Line(NamedTuple):
    """A thought that has ended, also one that failed; the line to submit, if any, is `thought.decision.line`."""

    who: str
    epoch: int
    thought: Thought


class Wish(NamedTuple):
    """A mind would like to think in so many seconds, because of something it has perceived; the soonest of a tick."""

    who: str
    epoch: int
    seconds: float


class Kept(NamedTuple):
    """How far a mind's life is in its archive.

    Args:
        step: the last step of which it has something.
        entries: how many memories of that step it has.
        trouble: why more is not; empty when all is that was handed over.
    """

    who: str
    epoch: int
    step: int
    entries: int
    trouble: str = ""


class Answer(NamedTuple):
    """What a tick brought about.

    Args:
        lines: thoughts that ended, of these turns and of earlier ones.
        kept: of every mind that was handed something lived.
        refused: minds that this host does not have under that epoch, as id and epoch: those of the turns, and others
            that it lost since the last tick.
    """

    lines: tuple[Line, ...] = ()
    kept: tuple[Kept, ...] = ()
    wishes: tuple[Wish, ...] = ()
    refused: tuple[tuple[str, int], ...] = ()


class Status(NamedTuple):
    """The state of a host.

    Args:
        name: for people.
        kept: of every mind that is open, as the disk has confirmed it: what stands here survives a power cut too.
        thinking: how many thoughts are under way.
        trouble: what is wrong, in a sentence; empty for nothing.
    """

    name: str
    kept: tuple[Kept, ...]
    thinking: int
    trouble: str = ""


class HostOfMinds(Protocol):
    """A place where minds live. Every method raises LociError when it cannot be reached; then nothing is known of
    what it did, and the same may be asked again.
    """

    async def open(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        """Take over minds; returns how far each one's archive goes, or why it cannot be opened.

        A mind that is open already goes on under the new epoch. An epoch lower than one seen is trouble.
        """
        ...

    async def tick(self, turns: Sequence[MindTurn], patience: float = math.inf) -> Answer:
        """Let minds remember, notice and think.

        Args:
            turns: at most one for each mind.
            patience: seconds to wait for thoughts at most; later ones are in the answers of later ticks.
        """
        ...

    async def recall(self, who: str, epoch: int, query: str, k: int = 5) -> Sequence[Hit]:
        """Search in one mind, best hits first. Raises Refusal for a mind that is not here under that epoch."""
        ...

    async def status(self) -> Status:
        """Have all that is kept confirmed by the disk, and say how things stand."""
        ...

    async def close(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        """Give up minds, cancelling their thoughts and folds; returns how far each one's archive goes.

        After that nothing is written to their folders. A mind that is not here under that epoch is left out.
        """
        ...

    async def end(self) -> None:
        """Close all minds and let go of the machine."""
        ...


class HostPlace(NamedTuple):
    """Where a host is to be.

    Args:
        vault: the folder with the archives, as the host's machine sees it.
        address: of the machine or service; empty for this one.
        maker: the name of a function, as `package.module:function`, that opens minds in another process: given vault,
            a name for the process, and a folder for its index if that is to outlive it, it returns an async context
            manager of a `HostOfMinds`.
        here: the minds of this process.
        settings: returns the current settings.
    """

    vault: Path
    address: str
    maker: str
    here: LocalHost
    settings: Callable[[], HostSettings]


class HostKind(NamedTuple):
    """A kind of host, as a plug-in.

    Args:
        start: makes a host, which the first `open` starts.
        apart: memories are not in the world's process, so that minds must be lent to it.
        form: how it is named with an address; empty where it takes none.
    """

    name: str
    help: str
    start: Callable[[HostPlace], HostOfMinds]
    apart: bool = False
    form: str = ""
