"""The machines of a Ray cluster: what is told of those that fail, and what those that are gone leave behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.hosts import HostPlace, HostSettings, Lease
from agents.hosts._machines import Machines
from agents.hosts.ray import RAY, RayHost
from mud.errors import Unavailable
from mud.server.hosting import MAKER, hosted
from tests.ray_cluster import cluster_of
from tests.vaults import copy_vault, without_vectors

pytestmark = pytest.mark.program("ray")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Give the address of a Ray cluster with one machine, which this process leaves before it ends."""
    import ray

    with cluster_of(1) as running:
        yield running.address
        ray.shutdown()


@asynccontextmanager
async def _machines(vault: Path, cluster: str) -> AsyncIterator[Machines]:
    machines = Machines(vault, MAKER, cluster)
    try:
        yield machines
    finally:
        await machines.end()


async def test_a_vault_that_is_there_later_is_told_once_and_opened(
    tmp_path: Path, cluster: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with _machines(tmp_path / "vault", cluster) as machines:
        opening = asyncio.create_task(machines.present())
        async with asyncio.timeout(60):
            while "there is no vault" not in caplog.text:
                await asyncio.wait([opening], timeout=0.05)
        without_vectors(copy_vault(tmp_path))
        (machine,) = await opening
        assert (bool(machine.born), machine.trouble) == (True, "")
        assert caplog.text.count("cannot open minds") == 1


async def test_a_machine_that_was_let_go_is_not_waited_for_and_forgotten(tmp_path: Path, cluster: str) -> None:
    async with _machines(without_vectors(copy_vault(tmp_path)), cluster) as machines:
        host = RayHost(machines)
        await host.open([Lease("#2001", "eliza", 1)])
        (machine,) = await machines.present()
        asking = asyncio.create_task(machine.ask("status"))
        await asyncio.sleep(0)  # it is asked, and cannot have answered yet
        machine.let_go()
        with pytest.raises(Unavailable):
            await asking
        assert (machine.born, machine.coming.done()) == ("", True)
        assert (await host.tick([])).refused == (("#2001", 1),)
        assert host._ticks == {}


async def test_an_own_cluster_that_does_not_start_has_one_folder_and_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    temporary = tmp_path / ("long" * 25)  # too long for the address of a socket
    temporary.mkdir()
    async with hosted(vault, "here") as here:
        monkeypatch.setenv("TMPDIR", str(temporary))  # for the process that is started
        host = RAY.start(HostPlace(vault, "", MAKER, here, HostSettings))
        for _ in range(2):
            with pytest.raises(Unavailable, match=r"cannot be reached: .*AF_UNIX"):
                await host.open([])
        assert [folder.name[:9] for folder in temporary.iterdir()] == ["loci-ray-"]
        await host.end()
    assert [*temporary.iterdir()] == []
