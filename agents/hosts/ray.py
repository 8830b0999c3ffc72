"""Minds on the machines of a Ray cluster (https://ray.io), one process a machine, never one a mind.

`ray` alone starts a cluster of this machine only, which ends with the world; `ray://HOST:PORT` is the address of one
that runs, of which this machine is a node (not that of its client server). All its machines need this program and the
vault under the same paths as here: a folder that they share. A machine whose node has no CPU (`ray start --head
--num-cpus=0`) gets no minds.

Each mind has its place among the machines that answer by a hash of its name and theirs, so that it stays where it is
when others come and go. The minds of a machine that does not answer are refused, as the interface says, and go to the
others when they are opened again, under a higher epoch; it may come back then and write nothing more. When it is back,
or another joins, minds that are idle are closed and refused, some at a time, so that they are opened there.

Ray runs in a process of its own on this machine too, as it ends the process that uses it when its head is gone.
"""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import NamedTuple, TypeVar

from agents.hosts import Answer, HostKind, HostOfMinds, HostPlace, Kept, Lease, MindTurn, Status
from agents.hosts._machines import Machine, Machines
from agents.hosts.process import ProcessHost
from agents.memory.entries import Hit
from mud.errors import LociError, Refusal

T = TypeVar("T")

CALM = 10.0
"""Seconds after minds were opened until others move to machines that came back or joined."""
AHEAD = 3
"""Ticks that a machine is given at a time, so that it need not wait for the others, nor for the way of its answers."""
MOVED = 100
"""Minds that move at once at most."""


class _Home(NamedTuple):
    machine: Machine
    lease: Lease


class RayHost:
    """The minds on all machines of a cluster, as one host."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._homes: dict[str, _Home] = {}
        """By id, the minds that are open."""
        self._ticks = defaultdict[Machine, list[asyncio.Task[Answer]]](list)
        """By machine, the ticks that it was given and whose answers were not passed on, oldest first."""
        self._asked: set[str] = set()
        """Those whose line has not come yet."""
        self._moves_at = 0.0

    async def open(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        machines = await self._machines.present()
        shares = defaultdict[Machine, list[Lease]](list)
        for lease in minds:
            shares[_place(lease, machines)].append(lease)
        self._asked.difference_update(lease.who for lease in minds)
        self._moves_at = monotonic() + CALM
        opened = await asyncio.gather(*(self._open(machine, share) for machine, share in shares.items()))
        kept = {one.who: one for share in opened for one in share}
        return [kept[lease.who] for lease in minds]

    async def _open(self, machine: Machine, minds: Sequence[Lease]) -> Sequence[Kept]:
        try:
            kept: Sequence[Kept] = await machine.ask("open", minds)
        except LociError as error:
            return [Kept(lease.who, lease.epoch, 0, 0, str(error)) for lease in minds]
        self._homes |= {lease.who: _Home(machine, lease) for lease in minds}
        return kept

    async def tick(self, turns: Sequence[MindTurn], patience: float = math.inf) -> Answer:
        shares: dict[Machine, list[MindTurn]] = {home.machine: [] for home in self._homes.values()}
        refused = []
        for turn in turns:
            if (home := self._homes.get(turn.who)) is not None and home.lease.epoch == turn.epoch:
                shares[home.machine].append(turn)
            else:
                refused.append((turn.who, turn.epoch))
        self._asked.update(turn.who for turn in turns if turn.scene is not None)
        refused += await self._move({turn.who for turn in turns})
        for machine, share in shares.items():
            if share or not self._ticks[machine]:
                self._ticks[machine].append(asyncio.create_task(self._tick(machine, share, patience)))
        answers = [Answer(refused=tuple(refused)), *await self._answers(patience)]
        lines, kept, wishes, refusals = zip(*answers, strict=True)
        self._asked.difference_update(line.who for line in _joined(lines))
        return Answer(_joined(lines), _joined(kept), _joined(wishes), _joined(refusals))

    async def _answers(self, patience: float) -> list[Answer]:
        """Return the answers that come in time; wait longer while a machine has as many ticks as it may have."""
        if under_way := [one for ticks in self._ticks.values() for one in ticks]:
            await asyncio.wait(under_way, timeout=None if patience == math.inf else patience)
        answers: list[Answer] = []
        while True:
            for machine, ticks in [*self._ticks.items()]:
                answers += [one.result() for one in ticks if one.done()]
                ticks[:] = [one for one in ticks if not one.done()]
                if not ticks:
                    del self._ticks[machine]  # it may be gone for good
            full = [one for ticks in self._ticks.values() if len(ticks) >= AHEAD for one in ticks]
            if not full:
                return answers
            await asyncio.wait(full, return_when=asyncio.FIRST_COMPLETED)

    async def _tick(self, machine: Machine, turns: Sequence[MindTurn], patience: float) -> Answer:
        born = machine.born
        try:
            answer: Answer = await machine.ask("tick", turns, patience)
        except LociError:  # where it is back already, its minds were forgotten and opened again meanwhile
            answer = Answer(refused=self._forget(machine) if machine.born in ("", born) else ())
        return answer

    async def _move(self, busy: Collection[str]) -> list[tuple[str, int]]:
        """Close idle minds whose place is at another machine by now; return them, with their epochs."""
        if monotonic() < self._moves_at:
            return []
        self._moves_at = monotonic() + CALM
        try:
            machines = self._machines.look()
        except LociError:
            return []
        idle = (home for who, home in self._homes.items() if who not in busy and who not in self._asked)
        away = (home.lease for home in idle if machines and _place(home.lease, machines) is not home.machine)
        moving = list(islice(away, MOVED))
        await self.close(moving)
        return [(lease.who, lease.epoch) for lease in moving]

    def _forget(self, machine: Machine) -> tuple[tuple[str, int], ...]:
        """Forget the minds of a machine; return them, with their epochs."""
        gone = [who for who, home in self._homes.items() if home.machine is machine]
        return tuple((who, self._homes.pop(who).lease.epoch) for who in gone)

    async def recall(self, who: str, epoch: int, query: str, k: int = 5) -> Sequence[Hit]:
        home = self._homes.get(who)
        if home is None:
            raise Refusal("This mind lives elsewhere now.")
        hits: Sequence[Hit] = await home.machine.ask("recall", who, epoch, query, k)
        return hits

    async def status(self) -> Status:
        machines = {home.machine for home in self._homes.values()}
        found = await asyncio.gather(*(self._status(machine) for machine in machines))
        troubles = [one.trouble for one in found if one.trouble]
        kept = _joined(one.kept for one in found)
        return Status(f"ray, {len(machines)} machines", kept, sum(one.thinking for one in found), "; ".join(troubles))

    async def _status(self, machine: Machine) -> Status:
        try:
            status: Status = await machine.ask("status")
        except LociError as error:
            return Status(machine.name, (), 0, str(error))
        return status

    async def close(self, minds: Sequence[Lease]) -> Sequence[Kept]:
        shares = defaultdict[Machine, list[Lease]](list)
        for lease in minds:
            if (home := self._homes.get(lease.who)) is not None and home.lease.epoch == lease.epoch:
                shares[home.machine].append(lease)
                del self._homes[lease.who]
        closed = await asyncio.gather(*(self._close(machine, share) for machine, share in shares.items()))
        return _joined(closed)

    async def _close(self, machine: Machine, minds: Sequence[Lease]) -> Sequence[Kept]:
        kept: Sequence[Kept] = ()
        with suppress(LociError):  # what it had not confirmed is in the ledger
            kept = await machine.ask("close", minds)
        return kept

    async def end(self) -> None:
        self._homes = {}
        for task in [one for ticks in self._ticks.values() for one in ticks]:
            task.cancel()
        await self._machines.end()


def _place(lease: Lease, machines: Sequence[Machine]) -> Machine:
    """Return the machine that has the place of a mind."""
    return max(machines, key=lambda one: one.bid(lease.slug))


def _joined(parts: Iterable[Iterable[T]]) -> tuple[T, ...]:
    return tuple(one for part in parts for one in part)


@asynccontextmanager
async def driver(vault: Path, maker: str, address: str, name: str) -> AsyncIterator[HostOfMinds]:
    """Use a cluster from this process, as `ProcessHost` does in its child. `maker`: see `agents.hosts.HostPlace`."""
    host = RayHost(Machines(vault, maker, address))
    try:
        yield host
    finally:
        await host.end()


def _start(place: HostPlace) -> HostOfMinds:
    if find_spec("ray") is None:
        raise LociError("minds on Ray need the package ray; make ray installs it")
    return ProcessHost(place, partial(driver, place.vault, place.maker, place.address))


RAY = HostKind(
    "ray", "On the machines of a Ray cluster, one process a machine; needs make ray.", _start, True, "ray://HOST:PORT"
)
