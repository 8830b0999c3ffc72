"""`bench ray`: what minds on the machines of a Ray cluster cost, and how soon they are back after one was killed.

The cluster has two nodes on this machine; the world is reduced to what hosts of minds see of it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter
from typing import Any

from agents.hosts import HostOfMinds, HostPlace, HostSettings, Lease, MindTurn
from mud.errors import LociError
from mud.process import temporary_folder
from mud.server.hosting import HOSTS, MAKER, hosted
from tests.benchmarks._bench import Report, Say, Table, bench, require_block, whole_number, whole_numbers
from tests.programs import program
from tests.ray_cluster import RayCluster, cluster_of
from tests.town import Town, lived, people, scene, town_vault

KINDS = ("local", "process", "ray")
"""Hosts that are compared: in this process, in a child, and on two machines."""
AT = "2026-11-20T07:21:37.123Z"
OPENED = 200
Record = dict[str, Any]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--batches", type=whole_numbers, default=[1, 50, 500, 2000], metavar="1,50,500,2000", help="minds of a tick"
    )
    parser.add_argument("--ticks", type=whole_number, default=20, metavar="20", help="ticks of each size")
    parser.add_argument("--minds", type=whole_number, default=2000, metavar="2000", help="minds through kills")
    parser.add_argument("--kills", type=whole_number, default=3, metavar="3", help="kills of a host, and of a node")
    parser.add_argument("--seed", type=int, default=1, metavar="1", help="seed of what happens")


@bench("ray", "what do minds on two machines cost, and how soon are they back after a kill", _arguments)
def ray(args: argparse.Namespace, say: Say) -> Report:
    require_block(args.table, "ray")
    if not program("ray"):
        raise LociError("bench ray needs the package ray; make ray installs it")
    with temporary_folder("loci-bench-") as folder, cluster_of(2) as cluster:
        measured, lived_in = town_vault(folder / "1", max(args.batches)), town_vault(folder / "2", args.minds)
        ticks = [asyncio.run(_ticks(measured, kind, cluster.address, args, say)) for kind in KINDS]
        back = asyncio.run(_recovery(lived_in, cluster, args, say))
    return _report({"ticks": [one for found in ticks for one in found], "back": back})


def _started(vault: Path, kind: str, address: str, here: Any) -> HostOfMinds:
    return HOSTS.get(kind).start(HostPlace(vault, address if kind == "ray" else "", MAKER, here, HostSettings))


async def _ticks(vault: Path, kind: str, address: str, args: argparse.Namespace, say: Say) -> list[Record]:
    """Measure ticks of each size: with one step that every mind perceives, and with a thought of each besides."""
    found = []
    async with hosted(vault, "here") as here:
        host = _started(vault, kind, address, here)
        for number, size in enumerate(args.batches, 1):
            epoch, minds = 100 * (KINDS.index(kind) + 1) + number, dict(list(people(size).items()))
            opening = await _open(host, minds, epoch)
            perceiving = await _timed(host, minds, epoch, args.ticks, thinks=False)
            thinking = await _timed(host, minds, epoch, args.ticks, thinks=True)
            record = {"host": kind, "minds": size, "open_ms": opening, "perceive_ms": perceiving, "think_ms": thinking}
            found.append(record | {"thoughts_a_second": round(1000 * size / thinking["mean"])})
            say(f"{kind}: a tick of {size} minds takes {thinking['p50']} ms")
        await host.end()
    return found


async def _open(host: HostOfMinds, minds: dict[str, str], epoch: int) -> float:
    """Open minds; return how many milliseconds each took."""
    leases = [Lease(who, slug, epoch) for who, slug in minds.items()]
    begun = perf_counter()
    for at in range(0, len(leases), OPENED):
        kept = await host.open(leases[at : at + OPENED])
        assert not any(one.trouble for one in kept), kept[0].trouble
    return round(1000 * (perf_counter() - begun) / len(minds), 2)


async def _timed(host: HostOfMinds, minds: dict[str, str], epoch: int, ticks: int, *, thinks: bool) -> Record:
    """Return how many milliseconds ticks take; the first, in which all is made ready, is left out."""
    took = []
    for tick in range(ticks + 1):
        step = 1000 * epoch + 500 * thinks + tick
        turns = [
            MindTurn(who, epoch, (lived(who, step, AT),), scene(slug, float(step)) if thinks else None)
            for who, slug in minds.items()
        ]
        begun = perf_counter()
        answer = await host.tick(turns)
        took.append(1000 * (perf_counter() - begun))
        assert len(answer.kept) == len(minds)
        assert sum(bool(line.thought.brain) for line in answer.lines) == len(minds) * thinks
        assert not answer.refused
    return _cuts(took[1:])


def _cuts(took: Sequence[float]) -> Record:
    cuts = quantiles(took, n=100, method="inclusive")
    return {"mean": sum(took) / len(took), "p50": round(cuts[49], 1), "p99": round(cuts[98], 1)}


async def _recovery(vault: Path, cluster: RayCluster, args: argparse.Namespace, say: Say) -> list[Record]:
    """Kill processes of minds, and nodes; measure how long it takes until all minds are lent again and act again."""
    found = []
    async with hosted(vault, "here") as here:
        town = Town(vault, _started(vault, "ray", cluster.address, here), args.minds, Random(args.seed))
        async with town.living():
            await town.until_all_acted()
            for what in ("a host", "a node") * args.kills:
                process, node = next(iter(cluster.hosts().items()))
                lost = town.held_by(node)
                if what == "a host":
                    os.kill(process, signal.SIGKILL)
                else:
                    cluster.kill_node(node)
                lent, acted = await asyncio.gather(town.until_lent_anew(lost), town.until_all_acted())
                say(f"killed {what}: all minds are lent again after {lent:.1f} s, and have acted after {acted:.1f} s")
                found.append({"killed": what, "lent_s": round(lent, 1), "acted_s": round(acted, 1)})
                while len(cluster.nodes) < 2:
                    cluster.add_node()
    town.check()
    return found


def _report(record: Record) -> Report:
    ticks = [
        (
            f"{one['minds']:,}, {one['host']}", str(one["open_ms"]),
            f"{one['perceive_ms']['p50']} / {one['perceive_ms']['p99']}",
            f"{one['think_ms']['p50']} / {one['think_ms']['p99']}", f"{one['thoughts_a_second']:,}",
        )
        for one in record["ticks"]
    ]  # fmt: skip
    kinds = dict.fromkeys(one["killed"] for one in record["back"])
    back = [
        (f"kill -9 of {kind}", *(_seconds(record["back"], kind, what) for what in ("lent_s", "acted_s")))
        for kind in kinds
    ]
    told = (
        "All on one machine: local is the process of the world, process a child, ray two nodes of a cluster with one "
        "process of minds each and one that drives it. In a tick each mind perceives one step, two memories, which "
        "are in its archive when the tick ends; the fourth column has a thought of the instinct for each besides. "
        "Opening is done 200 minds a call. After a kill people go on, each acting every five seconds; nothing was lost "
        "or remembered twice."
    )
    head = ("minds a tick, host", "open, ms a mind", "perceive: p50 / p99, ms", "think: p50 / p99, ms", "thoughts a s")
    tables = [
        Table(head, ticks),
        Table(("killed", "all lent again, s", "all acted again, s"), back),
    ]  # fmt: skip
    return Report("ray", record, tables, told)


def _seconds(back: Sequence[Record], kind: str, what: str) -> str:
    return ", ".join(str(one[what]) for one in back if one["killed"] == kind)
