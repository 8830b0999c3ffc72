"""Checks of archives against the ledger: lost entries, unusable ledger lines, archives older than the ledger.

Reads every line of both and writes nothing. It can run beside a running world: the state is read first, which is saved
after the archives, and an archive line is written after its ledger line.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from agents.definition import AgentDefinition
from agents.memory.history import Examined, Look, first_after
from agents.memory.memory import Memory
from agents.mind.actor import left_by
from mud.clock import VirtualClock
from mud.engine.engine import changes_of
from mud.engine.ledger import NO_STEP, Ledger
from mud.errors import LociError, Problem, VaultProblem
from mud.storage.paths import matching
from mud.storage.world_files import read_state
from mud.world.changes import Copy, Define, Put, StopTimer, TurnTo
from mud.world.channels import JoinChannel, LeaveChannel, Post
from mud.world.narration import shortened
from mud.world.things import Thing
from mud.world.world import FIRST_ID, number_of

NO_CHANGE = (
    'this step holds what is no change, and it is passed over: {}; expected one such as {{"put": "#1001", "into": '
    '"#1000"}}'
)
NO_MEMORY = "this step left what is no memory, and it is passed over: {}; expected texts for who, kind and text"
NO_TIME = "this step has no time, and what it left is passed over; expected one such as 2026-11-20T07:21:37.123Z as at"
NOBODY = "this step names {}, and what it says of it is passed over; expected the id of what there is or ever was"
_LONGEST_SHOWN = 80  # most characters of an unusable value that a message quotes


class _ExaminedArchive(NamedTuple):
    """The result of examining one archive whose `agent.md` can be read."""

    whose: AgentDefinition
    archive: Path
    examined: Examined


class _Ids:
    """Every id that exists or ever existed; ids are not reused. `next_id` is the next number in the saved state."""

    def __init__(self, known: Iterable[str], next_id: int) -> None:
        self._known = set[str]()
        self._next = next_id
        for one in known:
            self.add(one)

    def add(self, id: str) -> None:
        self._known.add(id)
        self._next = max(self._next, number_of(id) + 1)

    def __contains__(self, id: str) -> bool:
        return 0 < number_of(id) < self._next or id in self._known


def check_lives(
    vault: Path,
    definitions: Iterable[AgentDefinition],
    things: Iterable[Thing],
    between: Callable[[], None],
    look: Look,
) -> list[Problem]:
    """Return everything that is wrong with the archives and the ledger, by file and line.

    `definitions` and `things` are what the vault's files say, wrong ones included. `between` is called before each
    archive file and ledger line; an exception it raises ends the check. `look` examines one archive.
    """
    step, next_id = 0, FIRST_ID
    with suppress(VaultProblem):
        if (state := read_state(vault)) is not None:
            step, next_id = state.step, state.next_id
    known = {one.slug: one for one in definitions}
    problems: list[Problem] = []
    lives: list[_ExaminedArchive] = []
    for folder in (path for path in matching(vault / "agents", "[!.]*") if path.is_dir() and not path.is_symlink()):
        between()
        whose, archive = known.get(folder.name), folder / "archive"
        problems += _opened(whose, folder) if whose is not None else []
        try:
            examined = look(archive, between)
        except OSError as error:
            problems.append(Problem(f"agents/{folder.name}/archive", 0, "", f"it cannot be read: {_why(error)}"))
            continue
        file = f"agents/{folder.name}/archive"
        problems += [Problem(f"{file}/{name}", line, "", message) for name, line, message in examined.wrong]
        if whose is not None:
            lives.append(_ExaminedArchive(whose, archive, examined))
    ids = _Ids([*(one.id for one in known.values()), *(one.id for one in things)], next_id)
    return [*problems, *_held_to_ledger(vault, lives, step, ids, between)]


def stays_asleep(whose: AgentDefinition, why: str) -> Problem:
    return Problem(f"agents/{whose.slug}", 0, "", f"{whose.name} stays asleep: {why}")


def _opened(whose: AgentDefinition, folder: Path) -> list[Problem]:
    """Return why a memory cannot be opened, or what opening it reports about its summaries."""
    memory = Memory(whose.name, folder, VirtualClock())
    try:
        told = memory.open(writable=False)
    except (LociError, OSError) as error:
        return [stays_asleep(whose, str(error))]
    finally:
        memory.close()
    parts = (one.partition(": ") for one in told if "summaries" in one)  # `examine` reports its lines more precisely
    files = ((file if file.startswith("summaries/") else "summaries", why) for file, _, why in parts)
    return [Problem(f"agents/{whose.slug}/{file}", 0, "", why) for file, why in files]


def _held_to_ledger(
    vault: Path, lives: list[_ExaminedArchive], step: int, ids: _Ids, between: Callable[[], None]
) -> Iterator[Problem]:
    """Yield unusable ledger lines, and archives that lack entries the ledger has.

    Entries of steps after the saved state are restored at the next start, unless a later entry exists already.
    """
    by_id = {life.whose.id: life for life in lives if life.whose.id}
    lacking: defaultdict[str, Counter[int]] = defaultdict(Counter)
    folder = vault / "log"
    try:
        for name, number, record in Ledger(folder).lines():
            between()
            if record is None:
                yield Problem(f"log/{name}", number, "", NO_STEP)
                continue
            left: list[str] = []
            yield from (Problem(f"log/{name}", number, "", why) for why in _unusable(record, ids, left))
            for who, count in Counter(left).items():
                life = by_id.get(who)
                if life is None or not _is_due(life, record, step):
                    continue
                if (lost := count - life.examined.count_from(record["step"])) > 0:
                    lacking[who][record["step"]] = lost
    except OSError as error:
        yield Problem("log", 0, "", f"the ledger cannot be read: {_why(error)}")
    for who, steps in sorted(lacking.items()):
        yield from _older(by_id[who], steps)


def _unusable(record: dict[str, Any], ids: _Ids, left: list[str]) -> Iterator[str]:
    """Yield why parts of a step are ignored when the world is rebuilt.

    The step's new ids are added to `ids`, and the id of the agent of each entry that it left to `left`.
    """
    broken: list[object] = []
    named: list[str] = []
    for change in changes_of(record, broken):
        match change:
            case Define(thing):
                ids.add(thing.id)
            case Put(one, into):
                named += [one, into]
            case Copy(thing):
                ids.add(thing)
            case JoinChannel(_, who) | LeaveChannel(_, who):
                named.append(who)
            case StopTimer() | TurnTo() | Post():
                pass  # the speaker of a post may be forgotten
            case _:
                named.append(change.thing)
    yield from (NO_CHANGE.format(_shown(one)) for one in broken)
    broken.clear()
    left += [one.who for one in left_by(record, broken)]
    yield from (NO_MEMORY.format(_shown(one)) for one in broken)
    if left and not isinstance(record.get("at"), str):
        yield NO_TIME
    yield from (NOBODY.format(one) for one in dict.fromkeys([*named, *left]) if one not in ids)


def _shown(value: object) -> str:
    return shortened(json.dumps(value, ensure_ascii=False), _LONGEST_SHOWN)


def _is_due(life: _ExaminedArchive, record: dict[str, Any], step: int) -> bool:
    number = int(record["step"])
    return isinstance(record.get("at"), str) and (number <= step or number < life.examined.last_source)


def _older(life: _ExaminedArchive, steps: Counter[int]) -> Iterator[Problem]:
    count = steps.total() - sum(last - first + 1 for first, last in life.examined.unreadable)
    if count <= 0:
        return
    name, line = "", 0
    with suppress(OSError):  # reported already
        name, line = first_after(life.archive, min(steps))
    file = "/".join(filter(None, (f"agents/{life.whose.slug}/archive", name)))
    span = f"step {min(steps)}" if len(steps) == 1 else f"steps {min(steps)} to {max(steps)}"
    memories = "a memory that the ledger" if count == 1 else f"{count} memories that the ledger"
    told = f"{memories} left with {life.whose.name} in {span} {'is' if count == 1 else 'are'} missing"
    yield Problem(file, line, "", f"{told}: this archive is older than the ledger; expected the one saved last")


def _why(error: OSError) -> str:
    return error.strerror or str(error)
