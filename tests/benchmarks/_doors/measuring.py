"""What each part of `bench doors` does, and the figures that come of it."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from tests.benchmarks._bench import Say
from tests.benchmarks._doors.clients import TelnetClient, WebClient, log_in, web_owner
from tests.benchmarks._doors.remembered import count, sentence
from tests.benchmarks._doors.world import RunningWorld, command, free_port, furnish, populate, running
from tests.benchmarks._samples import FOLDER
from tests.vaults import ROOT

WINDOW = 20.0  # seconds between two looks at the longest pass of the event loop, which is known for half a minute
LATEST = 60.0  # seconds that it is known at most: what was before is no more seen then
MEGABYTE = 1_000_000
RSS = "process_resident_memory_bytes"
CPU = "process_cpu_seconds_total"
LONGEST = "loci_event_loop_longest_seconds"
GAP = 0.03
"""Seconds above which a pass of the event loop is called a gap."""

Record = dict[str, Any]


def sayings() -> list[str]:
    return (FOLDER / "sayings.txt").read_text("utf-8").splitlines()


def percentile(sorted_values: Sequence[float], share: float) -> float:
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


def milliseconds(lasted: list[float]) -> Record:
    ordered = sorted(lasted)
    return {f"p{share}": round(1000 * percentile(ordered, share / 100), 2) for share in (50, 95, 99)}


def cpu_here() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class LoopWatch:
    """Looks at the event loop of a world until it is told to stop."""

    def __init__(self, world: RunningWorld) -> None:
        self._world = world
        self.wall = self.cpu = 0.0
        self._before: Mapping[str, float] = {}

    async def run(self) -> None:
        self._before = await self._world.figures()
        await asyncio.sleep(LATEST)
        while True:
            await self._look()
            await asyncio.sleep(WINDOW)

    async def _look(self) -> Mapping[str, float]:
        found = await self._world.figures()
        self.wall = max(self.wall, found[f"{LONGEST} wall"])
        self.cpu = max(self.cpu, found[f"{LONGEST} cpu"])
        return found

    async def result(self) -> Record:
        """Return what there was since the start: the longest pass, and how many were gaps."""
        after = await self._look()
        gaps, passes = zip(*(self._counts(after, clock) for clock in ("wall", "cpu")), strict=True)
        longest = [round(1000 * self.wall, 1), round(1000 * self.cpu, 1)]
        return {"longest_ms": longest, "gaps_over_30_ms": gaps, "passes": passes[0]}

    def _counts(self, after: Mapping[str, float], clock: str) -> tuple[int, int]:
        """Return how many passes were gaps, and how many there were."""
        buckets = [f"loci_event_loop_seconds_bucket {clock} {le}" for le in (GAP, "+Inf")]
        within, all = (round(after[one] - self._before[one]) for one in buckets)
        return all - within, all


async def _chat(
    client: TelnetClient, number: int, until: float, words: list[str], chance: Random, pause: float
) -> list[float]:
    """Talk until it is time: as soon as one's echo came or, with a pause, every so many seconds if it has come."""
    lasted: list[float] = []
    due = time.perf_counter()
    while time.perf_counter() < until:
        if pause:
            due += chance.uniform(0, 2 * pause)
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
        began = time.perf_counter()
        await client.ask(f"say {sentence(number, len(lasted), chance.choice(words))}")
        lasted.append(time.perf_counter() - began)
    return lasted


async def _crowd(port: int, names: Sequence[str]) -> list[TelnetClient]:
    return [await log_in(port, name) for name in names]  # one after another, as people come in


async def talk(vault: Path, clients: int, seconds: float, pace: float, seed: int, say: Say) -> Record:
    """Let a crowd talk in one room: as fast as echoes come, or with `pace` at so many lines a second together."""
    names = [f"Talker {number}" for number in range(clients)]
    furnish(vault, names)
    async with running(vault, "--no-agents") as world:
        crowd = await _crowd(world.telnet, names)
        await world.caught_up()
        before, own = await world.figures(), cpu_here()
        watch = LoopWatch(world)
        watching = asyncio.create_task(watch.run())
        say(f"{clients} clients talk for {seconds:.0f} s{f', {pace:g} lines a second' if pace else ''}")
        for one in crowd:
            one.heard = 0
        words, chances = sayings(), [Random(f"{seed} {number}") for number in range(clients)]
        began = time.perf_counter()
        pause = clients / pace if pace else 0.0
        chats = (_chat(one, number, began + seconds, words, chances[number], pause) for number, one in enumerate(crowd))
        lasted = await asyncio.gather(*chats)
        took, own = time.perf_counter() - began, cpu_here() - own
        after = await world.figures()
        say("waiting for folds and words")
        behind = await world.caught_up()
        watching.cancel()
        loop, end = await watch.result(), await world.figures()
        heard = sum(one.heard for one in crowd)
        closing = await world.end()
    said = [(number, one) for number, some in enumerate(lasted) for one in range(len(some))]
    say("counting what is remembered")
    kept = count(vault, said, clients)
    return {
        "clients": clients, "seconds": round(took, 1), "says": len(said), "says_a_second": round(len(said) / took, 1),
        "says_a_cpu_second": round(len(said) / (after[CPU] - before[CPU]), 1),
        "echo_ms": milliseconds([one for some in lasted for one in some]),
        "heard_missing": len(said) * (clients - 1) - heard,
        "memories": kept.memories, "missing": kept.missing, "twice": kept.twice,
        "folds": round(end["loci_folds_total"] - before["loci_folds_total"]),
        "caught_up_s": round(behind, 1), "closing_s": round(closing, 1),
        "rss_mb": [round(one[RSS] / MEGABYTE) for one in (before, after, end)],
        "world_cpu": round((after[CPU] - before[CPU]) / took, 2), "clients_cpu": round(own / took, 2), **loop,
    }  # fmt: skip


async def alone(vault: Path, lines: int, say: Say) -> Record:
    """Time lines of one client in an empty world, over telnet and over the websocket."""
    furnish(vault, ["Lonely"])
    async with running(vault, "--no-agents") as world:
        say(f"one client types {lines} lines over telnet, and one over the websocket")
        client = await log_in(world.telnet, "Lonely")
        over_telnet = await _timed(client, lines)
        client.close()
        async with web_owner(world.web, world.token) as browser:
            over_web = await _timed(browser, lines)
    return {"lines": lines, "telnet_ms": milliseconds(over_telnet), "websocket_ms": milliseconds(over_web)}


async def _timed(client: TelnetClient | WebClient, lines: int) -> list[float]:
    lasted, words = [], sayings()
    for number in range(lines + 20):
        began = time.perf_counter()
        await client.ask(f"say {words[number % len(words)]}")
        lasted.append(time.perf_counter() - began)
    return lasted[20:]  # the first are slower


async def idle(vault: Path, connections: int, say: Say) -> Record:
    """Let many come in who do nothing: ten places of each account."""
    names = [f"Idler {number}" for number in range(max(1, connections // 10))]
    furnish(vault, names)
    async with running(vault, "--no-agents") as world:
        crowd = await _crowd(world.telnet, names)
        for one in crowd:
            one.close()
        await world.caught_up()
        before = await world.figures()  # with all characters known, so that connections alone are counted
        say(f"{connections} connections come in")
        crowd = await _crowd(world.telnet, [names[number % len(names)] for number in range(connections)])
        await world.caught_up()
        after = await world.figures()
    rss = [round(one[RSS] / MEGABYTE, 1) for one in (before, after)]
    return {"connections": len(crowd), "rss_mb": rss, "more_mb": round(rss[1] - rss[0], 1)}


def start(vault: Path, pairs: int, say: Say) -> Record:
    """Time starts up to the first screen with and without doors, in turns."""
    furnish(vault, [])
    found: dict[bool, list[float]] = {True: [], False: []}
    for number in range(pairs + 1):
        say(f"start {number} of {pairs}")
        for doors in (True, False) if number % 2 else (False, True):
            ports = ("--telnet", str(free_port()), "--web", str(free_port())) if doors else ()
            found[doors].append(_first_screen(command(vault, "--as", "Ann", "--no-agents", *ports)))
    pairs_of = [one - other for one, other in zip(found[True][1:], found[False][1:], strict=True)]  # the first warms up
    seconds = {name: round(median(found[doors][1:]), 3) for name, doors in (("with", True), ("without", False))}
    return {"pairs": pairs, **seconds, "more": round(median(pairs_of), 3)}


def _first_screen(words: Sequence[str]) -> float:
    began = time.perf_counter()
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        while "Exits:" not in process.stdout.readline():
            pass
        seconds = time.perf_counter() - began
        process.stdin.write("quit\n")
        process.stdin.close()
        process.stdout.read()
    return seconds


async def together(vault: Path, each: int, minutes: float, seed: int, say: Say) -> Record:
    """Let agents live by instinct among people who talk and walk, with all the vault's own settings of recall."""
    names = [f"Walker {number}" for number in range(each)]
    furnish(vault, names, vectors=True)
    populate(vault, [f"Dweller {number}" for number in range(each)])
    async with running(vault, "--brain", "instinct", "--seed", str(seed)) as world:
        crowd = await _crowd(world.telnet, names)
        watch = LoopWatch(world)
        watching = asyncio.create_task(watch.run())
        say(f"{each} agents and {each} people for {minutes:g} minutes")
        before, until = await world.figures(), time.perf_counter() + 60 * minutes
        walks = (_walk(one, until, Random(f"{seed} {number}")) for number, one in enumerate(crowd))
        lasted = [one for some in await asyncio.gather(*walks) for one in some]
        watching.cancel()
        loop, after = await watch.result(), await world.figures()
    return {
        "agents": each, "people": each, "minutes": minutes, "lines": len(lasted), "answer_ms": milliseconds(lasted),
        "memories": round(after["loci_memories"] - before["loci_memories"]),
        "folds": round(after["loci_folds_total"] - before["loci_folds_total"]), **loop,
    }  # fmt: skip


async def _walk(client: TelnetClient, until: float, chance: Random) -> list[float]:
    lasted: list[float] = []
    words = sayings()
    while time.perf_counter() < until:
        await asyncio.sleep(chance.uniform(1.0, 5.0))
        began = time.perf_counter()
        if chance.random() < 0.3:
            await client.ask(f"go {chance.choice(('north', 'south', 'east', 'west'))}\r\nlook", b"Exits:")
        else:
            await client.ask(f"say {chance.choice(words)}")
        lasted.append(time.perf_counter() - began)
    return lasted
