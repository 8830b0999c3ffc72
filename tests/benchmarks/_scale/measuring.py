"""One town of a size: an hour of it on virtual time, and a visit to it while it runs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mud.errors import LociError
from tests.benchmarks._bench import Say
from tests.benchmarks._doors.clients import log_in
from tests.benchmarks._doors.measuring import milliseconds
from tests.benchmarks._doors.world import RunningWorld, furnish, running
from tests.vaults import ROOT

VISITOR = "Visitor"
LINES_A_MINUTE = 8
"""Lines that an agent submits in a minute, at most: the run is to end by its minutes."""
PAUSE = 0.25
"""Seconds between two looks of the visitor."""
REST = 5.0
"""Seconds before the start in which the disk comes to rest, as the files of the town were written just now."""
MEGABYTE = 1 << 20
Record = dict[str, Any]


def simulated(vault: Path, agents: int, minutes: float, seed: int, *, exact: bool) -> Record:
    """Let the town live on virtual time in a process of its own; return what that took, after it was opened."""
    steps = str(max(1, round(agents * minutes * LINES_A_MINUTE)))
    words = ["simulate", "--vault", str(vault), "--steps", steps, "--minutes", str(minutes), "--seed", str(seed)]
    ran = subprocess.run(
        [sys.executable, "-m", "mud", *words, "--json", *["--exact"] * exact],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ran.returncode:
        raise LociError(f"the simulation of {agents} agents failed: {ran.stderr.strip()[-500:]}")
    told = json.loads(ran.stdout)
    seconds = told["world_seconds"]
    return {
        "commands_per_second": round(told["commands"] / told["cpu_seconds"], 1) if told["cpu_seconds"] else 0.0,
        "cpu_seconds_a_minute": round(60 * told["cpu_seconds"] / seconds, 3),
        "lines_an_agent_hour": round(3600 * told["steps"] / agents / seconds, 1),
        "memories_an_agent_hour": round(3600 * told["memories"] / agents / seconds, 1),
        "rss_mb": told["rss_mb"],
    }  # fmt: skip


async def visited(vault: Path, after: float, seconds: float, seed: int, say: Say, *, exact: bool) -> Record:
    """Run the town, and look about in it over telnet for a while; return what the visitor saw and the town took.

    Args:
        after: seconds that the visitor waits before.
        seconds: how long they look about.
    """
    furnish(vault, [VISITOR], vectors=True)
    os.sync()
    await asyncio.sleep(REST)
    started, stolen_before = time.perf_counter(), stolen()
    how = ["--brain", "instinct", "--seed", str(seed), *["--exact"] * exact]
    async with running(vault, *how) as world:
        client = await log_in(world.telnet, VISITOR)
        start = time.perf_counter() - started
        start_lost = _share(stolen() - stolen_before, start)
        say(f"a visitor is there after {start:.1f} s, waits {after:g} s, and looks about for {seconds:g} s")
        await asyncio.sleep(after)
        before, since, lasted, undisturbed = cpu_of(world), time.perf_counter(), list[float](), list[float]()
        began = known = stolen()
        while time.perf_counter() - since < seconds:
            asked = time.perf_counter()
            await client.ask("look", b"Exits:")
            lasted.append(time.perf_counter() - asked)
            if stolen() == known:
                undisturbed.append(lasted[-1])
            await asyncio.sleep(PAUSE)
            known = stolen()
        took, used = time.perf_counter() - since, cpu_of(world)
        pids = list(family(world.pid))
        taken = {
            "rss_mb": list(map(resident, pids)),
            "files": [len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in pids],
            "threads": [len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in pids],
        }
        client.close()
    lost = _share(known - began, took)
    shares = [round((after - first) / took, 3) for first, after in zip(before, used, strict=False)]
    looked = {"look_ms": milliseconds(lasted), "looks": len(lasted), "stolen_share": round(lost, 4)}
    calm = milliseconds(undisturbed) if undisturbed else None
    looked |= {"undisturbed_look_ms": calm, "undisturbed_looks": len(undisturbed)}
    started_with = {"start_s": round(start, 2), "start_stolen_share": round(start_lost, 4)}
    return {**started_with, "cpu_share": shares, **looked, **taken}


def family(pid: int) -> Iterator[int]:
    """Yield the process and its children: the one that holds the index."""
    yield pid
    children = Path(f"/proc/{pid}/task").glob("*/children")
    yield from (int(child) for path in children for child in path.read_text("ascii").split())


def cpu_of(world: RunningWorld) -> list[float]:
    """Return the seconds that the town and its children worked so far, user and system."""
    return [_cpu(pid) for pid in family(world.pid)]


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stolen() -> int:
    """Return for how many ticks this virtual machine had work and its host ran others instead; see proc(5)."""
    return int(Path("/proc/stat").read_text("ascii").split()[8])


def _share(ticks: int, seconds: float) -> float:
    return ticks / os.sysconf("SC_CLK_TCK") / seconds / (os.cpu_count() or 1)


def resident(pid: int) -> float:
    """Return a process's resident memory in megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE, 1)
