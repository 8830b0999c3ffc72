"""Minds on the machines of a Ray cluster, without Ray."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from agents.hosts import Kept, Lease, Status
from agents.hosts._machines import Machine, Machines
from agents.hosts.ray import RayHost
from mud.errors import Unavailable
from mud.server.hosting import MAKER
from tests.houses import PATIENCE
from tests.town import people


class NearMachine(Machine):
    """One that answers from here, and whose disk confirms and closes archives only while those of all others do."""

    def __init__(self, name: str, together: asyncio.Barrier) -> None:
        super().__init__(name, None)
        self._together = together

    async def _come(self) -> None:
        self.born = self.name

    async def ask(self, method: str, *args: Any) -> Any:
        if method != "open":
            await self._together.wait()
        if method == "status":
            return Status(self.name, (), 0)
        return [Kept(one.who, one.epoch, 0, 0) for one in args[0]]


class NearMachines(Machines):
    """So many machines that answer from here."""

    def __init__(self, vault: Path, count: int) -> None:
        super().__init__(vault, MAKER, "")
        together = asyncio.Barrier(count)
        self._near = [NearMachine(f"machine {number}", together) for number in range(count)]

    async def present(self) -> list[Machine]:
        return [*self._near]


async def test_all_machines_are_asked_at_the_same_time_what_their_disks_have_and_to_close_minds(
    tmp_path: Path,
) -> None:
    leases = [Lease(who, slug, 1) for who, slug in people(50).items()]
    host = RayHost(NearMachines(tmp_path, 3))
    await host.open(leases)
    async with asyncio.timeout(PATIENCE):
        assert (await host.status()).name == "ray, 3 machines"
        assert {one.who for one in await host.close(leases)} == {one.who for one in leases}


@pytest.mark.parametrize(
    ("words", "told"),
    [("", "ConnectionError"), (" \n", "ConnectionError"), ("no head\nof that name", "no head")],
)
def test_an_error_of_ray_is_told_by_its_first_line_or_else_by_its_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, told: str
) -> None:
    class Failing(ModuleType):
        exceptions = SimpleNamespace(RayError=LookupError)

        def is_initialized(self) -> bool:
            raise ConnectionError(words)

    monkeypatch.setitem(sys.modules, "ray", Failing("ray"))
    with pytest.raises(Unavailable, match=rf"^the Ray cluster cannot be reached: {told}$"):
        Machines(tmp_path, MAKER, "ray://127.0.0.1:1").look()
