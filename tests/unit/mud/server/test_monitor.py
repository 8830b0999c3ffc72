from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

from agents.llm.spending import Amount
from mud.portal.session import Session, Sessions
from mud.server.loop_timing import LoopTiming, TimedSelector
from mud.server.monitor import Monitor
from tests.disks import file_size_limit
from tests.figures import figures
from tests.houses import House, house
from tests.vaults import ROOT


async def read(watched: Monitor) -> dict[str, float]:
    return figures((await watched.metrics()).decode())


def monitor(home: House, *sessions: Session) -> Monitor:
    known = Sessions(home.engine.world)
    for one in sessions:
        known.add(one)
    return Monitor(home.parts, known)


async def test_what_prometheus_reads_is_what_the_world_did(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, bob = home.enter("Ann"), home.enter("Bob")
        for line in ("say I counted the pears.", "say Nineteen.", "take the moon", "frobnicate"):
            home.type(ann, line)
        home.parts.queue.budget.spending.add("Eliza", "thinking", Amount(1, 900, 12))
        session = Session(bob.id, lambda line: home.type(bob, line), lambda message: None)
        session.door = "telnet"
        found = await read(monitor(home, session))
        assert found["loci_commands_total say done"] == 2
        assert found["loci_commands_total take refused"] == 1
        assert found["loci_commands_total unknown refused"] == 1
        assert found["loci_command_seconds_bucket +Inf"] == found["loci_command_seconds_count"] == 4
        assert found["loci_steps_total"] == home.engine.number
        archived = sum(one.memory.total for one in home.minds.opened())
        assert found["loci_memories"] == found["loci_perceptions_total"] == archived > 4
        assert found["loci_memories_waiting"] == found["loci_folds_total"] == found["loci_folds_due"] == 0
        assert found["loci_sessions telnet"] == 1
        assert found["loci_model_tokens_total prompt thinking"] == 900
        assert found["loci_model_calls_total thinking"] == 1
        assert found["loci_model_queue think"] == 0
        assert found["process_resident_memory_bytes"] > 1_000_000


async def test_every_figure_is_documented(tmp_path: Path) -> None:
    documented = set(re.findall(r"\bloci_\w+", (ROOT / "docs/monitoring.md").read_text("utf-8")))
    async with house(tmp_path) as home:
        page = (await Monitor(home.parts, Sessions(home.engine.world), timing=LoopTiming()).metrics()).decode()
    assert set(re.findall(r"^# TYPE (loci_\w+)", page, re.M)) == documented


async def test_what_an_index_lacks_is_told_until_it_holds_all(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        watched, ann = monitor(home), home.enter("Ann")
        home.type(ann, "say I counted the pears.")
        assert (await read(watched))["loci_index_lag words"] > 0
        await home.parts.recall.start()
        for agent in home.minds.opened():
            await home.minds.catch_up(agent)
        assert (await read(watched))["loci_index_lag words"] == 0


async def test_a_disk_that_takes_nothing_is_told_without_names_until_it_takes_all_again(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        watched, ann = monitor(home), home.enter("Ann")
        home.type(ann, "say I counted the pears.")
        assert watched.troubles() == []
        with file_size_limit(1):
            assert home.type(ann, "say Nineteen.").failed
            assert watched.troubles() == ["the ledger cannot be written (File too large)"]
        home.type(ann, "say Twenty.")
        assert watched.troubles() == []
        moved = home.parts.vault.rename(tmp_path / "elsewhere")
        assert watched.troubles() == ["the folder of the vault was moved or replaced"]
        moved.rename(home.parts.vault)
        assert watched.troubles() == []


def test_how_long_the_event_loop_stands_still_is_timed_by_its_own_work() -> None:
    timing = LoopTiming()

    async def work() -> None:
        until = time.thread_time() + 0.03
        while time.thread_time() < until:
            pass
        await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(TimedSelector(timing))) as runner:
        runner.run(work())
    assert timing.cpu.longest >= 0.03
    assert timing.wall.longest > 0.9 * timing.cpu.longest  # two clocks, read one after the other
    buckets = dict(timing.cpu.buckets())
    assert buckets["+Inf"] - buckets["0.02"] == 1
    timing.add(time.monotonic() + 40, 0.001, 0.001)
    assert timing.wall.longest > 0.9 * 0.03
    timing.add(time.monotonic() + 80, 0.001, 0.001)
    assert timing.wall.longest == timing.cpu.longest == 0.001
