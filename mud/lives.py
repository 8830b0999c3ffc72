"""What is wrong with whole lives: archives that have lost memories, and archives that are older than the ledger.

It reads every line of archives and ledger, and writes nothing. What a running world writes meanwhile is no mistake: the
state is read first, which is saved after the archives, and an archive's line comes after the ledger's.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from agents.definition import Definition
from agents.life import TRASH
from agents.memory.entries import KINDS
from agents.memory.examining import Examined, examine, first_after
from agents.memory.memory import Memory
from mud.clock import VirtualClock, iso
from mud.errors import LociError, Problem, VaultProblem
from mud.ledger import Ledger
from mud.storage.world_state import read_state

NO_STEP = "this line is no step and is passed over; expected one JSON object with the number of a step"

_SECONDS = len("2026-11-20T07:21:37")
"""Characters of a time as it is written, without its milliseconds, which a folder in the trash does not tell."""
_PUT_AWAY = re.compile(r"-(\d{8}-\d{6})(?:-\d+)?")


class _Life(NamedTuple):
    """An archive that was looked at, of somebody whose `agent.md` can be read."""

    whose: Definition
    archive: Path
    examined: Examined
    begun: str
    """When it began anew, as a time is written; empty when it never was put away."""


def check_lives(vault: Path, definitions: Iterable[Definition]) -> list[Problem]:
    """Return what is wrong with every life of a vault, by file and line.

    Args:
        vault: its folder.
        definitions: every `agent.md` as it was read.
    """
    step = _saved_step(vault)
    known = {one.slug: one for one in definitions}
    problems: list[Problem] = []
    lives: list[_Life] = []
    for folder in sorted(path for path in vault.glob("agents/[!.]*") if path.is_dir()):
        whose, archive = known.get(folder.name), folder / "archive"
        problems += _opened(whose, folder) if whose is not None else []
        try:
            examined = examine(archive)
        except OSError as error:
            problems.append(Problem(f"agents/{folder.name}/archive", 0, "", f"it cannot be read: {_why(error)}"))
            continue
        file = f"agents/{folder.name}/archive"
        problems += [Problem(f"{file}/{name}", line, "", message) for name, line, message in examined.wrong]
        if whose is not None:
            lives.append(_Life(whose, archive, examined, _begun(vault, folder.name)))
    return [*problems, *_held_to_ledger(vault, lives, step)]


def stays_asleep(whose: Definition, why: str) -> Problem:
    """Return the problem that a memory cannot be opened."""
    return Problem(f"agents/{whose.slug}", 0, "", f"{whose.name} stays asleep: {why}")


def _opened(whose: Definition, folder: Path) -> list[Problem]:
    """Return why a memory cannot be opened, or what it says of its summaries when it is."""
    memory = Memory(whose.name, folder, VirtualClock())
    try:
        told = memory.open(writable=False)
    except (LociError, OSError) as error:
        return [stays_asleep(whose, str(error))]
    finally:
        memory.close()
    told = [one.partition(": ")[2] for one in told if "summaries" in one]  # of its lines `examine` knows more
    return [Problem(f"agents/{whose.slug}/summaries", 0, "", one) for one in told]


def _saved_step(vault: Path) -> int:
    """Return the last step that stands in the saved state, and so in the archives; 0 when there is none."""
    with suppress(VaultProblem):
        if (state := read_state(vault)) is not None:
            return state.step
    return 0


def _begun(vault: Path, slug: str) -> str:
    """Return when memories of a folder were put into the trash last, as a time is written; empty when never."""
    found = (_PUT_AWAY.fullmatch(path.name.removeprefix(slug)) for path in vault.glob(f"{TRASH}/*/") if path.is_dir())
    times = [datetime.strptime(one[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC) for one in found if one]
    return iso(max(times)) if times else ""


def _held_to_ledger(vault: Path, lives: list[_Life], step: int) -> Iterator[Problem]:
    """Yield the lines of the ledger that are no steps, and the archives that lack what it left with somebody.

    What a step later than the saved state left is given back at the next start, unless something later was remembered.
    """
    by_id = {life.whose.id: life for life in lives if life.whose.id}
    lacking: defaultdict[str, Counter[int]] = defaultdict(Counter)
    folder = vault / "log"
    try:
        for name, number, record in Ledger(folder).lines():
            if record is None:
                yield Problem(f"log/{name}", number, "", NO_STEP)
                continue
            for who, count in _left(record).items():
                life = by_id.get(who)
                if life is None or not _is_due(life, record, step):
                    continue
                if (lost := count - life.examined.sources[record["step"]]) > 0:
                    lacking[who][record["step"]] = lost
    except OSError as error:
        yield Problem("log", 0, "", f"the ledger cannot be read: {_why(error)}")
    for who, steps in sorted(lacking.items()):
        yield from _older(by_id[who], steps)


def _left(record: dict[str, Any]) -> Counter[str]:
    """Return how many memories a step left with whom."""
    left = record.get("left")
    return Counter(
        one["who"]
        for one in (left if isinstance(left, list) else ())
        if isinstance(one, dict) and isinstance(one.get("who"), str) and one.get("kind") in KINDS
    )


def _is_due(life: _Life, record: dict[str, Any], step: int) -> bool:
    """Return whether what a step left has to stand in an archive by now."""
    at, number = record.get("at"), int(record["step"])
    if not isinstance(at, str) or at[:_SECONDS] <= life.begun[:_SECONDS]:
        return False
    return number <= step or number < life.examined.last_source


def _older(life: _Life, steps: Counter[int]) -> Iterator[Problem]:
    """Yield that an archive lacks memories, unless its own lines say so."""
    count = steps.total() - sum(last - first + 1 for first, last in life.examined.unreadable)
    if count <= 0:
        return
    name, line = "", 0
    with suppress(OSError):  # what cannot be read is told already
        name, line = first_after(life.archive, min(steps))
    file = "/".join(filter(None, (f"agents/{life.whose.slug}/archive", name)))
    span = f"step {min(steps)}" if len(steps) == 1 else f"steps {min(steps)} to {max(steps)}"
    memories = "a memory that the ledger" if count == 1 else f"{count} memories that the ledger"
    told = f"{memories} left with {life.whose.name} in {span} {'is' if count == 1 else 'are'} missing"
    yield Problem(file, line, "", f"{told}: this archive is older than the ledger; expected the one saved last")


def _why(error: OSError) -> str:
    return error.strerror or str(error)
