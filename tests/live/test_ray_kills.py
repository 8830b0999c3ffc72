"""Minds on two machines of a Ray cluster that are killed and frozen: nothing is lost, nothing is there twice."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from agents.hosts import HostPlace, HostSettings
from agents.hosts.ray import RAY
from mud.server.hosting import MAKER, hosted
from tests.ray_cluster import RayCluster, cluster_of
from tests.town import Town, town_vault

LONGEST = 30.0
"""Seconds within which everybody's mind acts again, whatever was killed."""
SOON = 120.0
"""Seconds within which a machine that joins has minds."""


@asynccontextmanager
async def _lived(folder: Path, cluster: RayCluster, count: int, chance: Random, interval: float) -> AsyncIterator[Town]:
    """Let so many people live on the machines of a cluster within the block, and check their memories after it."""
    vault = town_vault(folder, count)
    async with hosted(vault, "here") as here:
        host = RAY.start(HostPlace(vault, cluster.address, MAKER, here, HostSettings))
        town = Town(vault, host, count, chance, interval)
        async with town.living():
            await town.until_all_acted()
            yield town
    town.check()


async def _life_of_kills(folder: Path, count: int, kills: int, seed: int, interval: float) -> None:
    """Let so many people live, and kill the processes of both machines at random moments."""
    chance, took = Random(seed), list[float]()
    with cluster_of(2) as cluster:
        async with _lived(folder, cluster, count, chance, interval) as town:
            for _ in range(kills):
                await town.until_lines(chance.randint(1, count))
                for process in cluster.hosts():
                    os.kill(process, signal.SIGKILL)
                took.append(await town.until_all_acted())
                print(f"everybody acted again within {took[-1]:.1f} s", flush=True)
    assert town.reflexes
    assert all(mind.epoch > kills for mind in town.lending.minds.values())
    assert max(took) < LONGEST


@pytest.mark.program("ray")
async def test_minds_whose_hosts_are_killed_lose_nothing_and_act_again(tmp_path: Path) -> None:
    await _life_of_kills(tmp_path, count=100, kills=2, seed=1, interval=2.0)


@pytest.mark.program("ray")
async def test_a_frozen_host_writes_nothing_more_once_its_minds_are_at_the_other(tmp_path: Path) -> None:
    with cluster_of(2) as cluster:
        async with _lived(tmp_path, cluster, 60, Random(3), 2.0) as town:
            frozen = next(iter(cluster.hosts()))
            os.kill(frozen, signal.SIGSTOP)
            await town.until_all_acted()
            os.kill(frozen, signal.SIGCONT)
            await town.until_all_acted()
            (other,) = cluster.hosts().keys() - {frozen}
            os.kill(other, signal.SIGKILL)  # so that minds return to the one that was frozen
            await town.until_all_acted()


@pytest.mark.program("ray")
async def test_idle_minds_move_to_a_machine_that_joins(tmp_path: Path) -> None:
    with cluster_of(1) as cluster:
        async with _lived(tmp_path, cluster, 60, Random(4), 2.0) as town:
            cluster.add_node()
            async with asyncio.timeout(SOON):
                while len(town.holders()) < 2:
                    await town.until_lines(1)
            await town.until_all_acted()


@pytest.mark.torture
@pytest.mark.program("ray")
async def test_two_thousand_minds_whose_hosts_are_killed_twenty_times_lose_nothing(tmp_path: Path) -> None:
    await _life_of_kills(tmp_path, count=2_000, kills=20, seed=2, interval=10.0)
