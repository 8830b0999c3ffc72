"""Real processes that are really killed. Every wait is for a condition and has an end."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.memory.entries import Entry
from agents.recall.documents import IndexedDocument
from agents.recall.lexical import LexicalIndex, read_progress
from agents.recall.recall import ENDING, FLUSHING, RecallService
from agents.recall.settings import RecallSettings
from agents.recall.vectors import VectorService
from mud.clock import VirtualClock
from tests.unit.agents.recall.lives import children

BOUND = 60.0
SETTINGS = RecallSettings(embedder="hashing", patience=BOUND)

# Starts a service, embeds, says so with the child's process id, and waits for the end of its input.
SCRIPT = """
import asyncio, signal, sys
from pathlib import Path
from agents.recall.documents import IndexedDocument
from agents.recall.recall import RecallService
from agents.recall.settings import RecallSettings
from agents.recall.vectors import VectorService
from mud.clock import VirtualClock
from tests.unit.agents.recall.lives import children

async def main():
    settings = RecallSettings(embedder="hashing")
    service = RecallService(Path(sys.argv[1]), lambda: settings, VirtualClock())
    await service.start()
    notes = [IndexedDocument(f"notes/{n}", "note", f"note {n}") for n in range(int(sys.argv[2]))]
    service.sync_documents("#1", lambda: notes)
    def tell(done, total):
        print(done, *children(), flush=True)
    complete = asyncio.create_task(service.complete(tell))
    try:
        await asyncio.to_thread(sys.stdin.read)
        await complete
    finally:
        await service.stop()

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in what a shell runs in the background
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""

World = subprocess.Popen[str]


def lived(seq: int) -> Entry:
    """Return one memory, like no other."""
    return Entry(seq, "2026-01-01T00:00:00.000Z", "heard", None, None, f"sentence {seq}")


def child_of_this_process() -> int:
    """Return the process id of the one child that recall has here."""
    (child,) = children()
    return child


def begin(tmp_path: Path, documents: int, megabytes: int | None = None) -> World:
    """Start a world, with an address space of so many megabytes."""
    script = tmp_path / "world.py"
    script.write_text(SCRIPT)
    limit = f"ulimit -v {1000 * megabytes}; " if megabytes else ""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    return subprocess.Popen(
        ["sh", "-c", limit + 'exec "$@"', "sh", sys.executable, str(script), str(tmp_path), str(documents)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


@pytest.fixture
def worlds() -> Iterator[list[World]]:
    begun: list[World] = []
    yield begun
    for world in begun:
        world.kill()
        world.communicate(timeout=BOUND)


def told(world: World) -> tuple[int, int]:
    """Return how many vectors a world says there are, and its child's process id; waits for its next line."""
    assert world.stdout is not None
    done, child = world.stdout.readline().split()
    return int(done), int(child)


async def wait_until_free(lock: Path) -> None:
    """Return when nobody holds the child's lock."""

    def take() -> None:
        with lock.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)

    await asyncio.wait_for(asyncio.to_thread(take), BOUND)


async def answers(folder: Path, documents: int) -> None:
    """Open the vault in this process and see that every vector is there and found."""
    service = RecallService(folder, lambda: SETTINGS, VirtualClock())
    await service.start()
    try:
        notes = [IndexedDocument(f"notes/{n}", "note", f"note {n}") for n in range(documents)]
        service.sync_documents("#1", lambda: notes)
        assert await asyncio.wait_for(service.complete(), BOUND)
        assert service.trouble == ""
        hits, behind = await service.search("#1", "note 17", 1)
        assert (hits[0].text, hits[0].vector is not None, behind) == ("note 17", True, False)
    finally:
        await service.stop()


async def test_the_child_ends_when_its_parent_is_killed(tmp_path: Path, worlds: list[World]) -> None:
    worlds.append(begin(tmp_path, 20))
    while told(worlds[0])[0] < 20:
        pass
    worlds[0].kill()
    await wait_until_free(tmp_path / ".index" / "worker.lock")
    assert not (tmp_path / ".index" / "chroma.closed").exists()
    await answers(tmp_path, 20)


async def test_a_world_killed_while_it_writes_begins_again_clean_and_complete(
    tmp_path: Path, worlds: list[World]
) -> None:
    worlds.append(begin(tmp_path, 400))
    while told(worlds[0])[0] < 40:
        pass
    worlds[0].kill()
    await answers(tmp_path, 400)


async def test_a_child_killed_while_it_writes_is_replaced_and_nothing_is_missing(tmp_path: Path) -> None:
    service = RecallService(tmp_path, lambda: SETTINGS, VirtualClock())
    killed: list[int] = []

    def kill_midway(done: int, total: int) -> None:
        if done >= 40 * (len(killed) + 1) and len(killed) < 2:
            killed.append(child_of_this_process())
            os.kill(killed[-1], signal.SIGKILL)

    await service.start()
    try:
        service.sync_documents("#1", lambda: [IndexedDocument(f"notes/{n}", "note", f"note {n}") for n in range(200)])
        assert await asyncio.wait_for(service.complete(kill_midway), BOUND)
        assert len(set(killed)) == 2
        hits, behind = await service.search("#1", "note 17", 1)
        assert (hits[0].text, hits[0].vector is not None, behind) == ("note 17", True, False)
        assert service.trouble == ""
    finally:
        await service.stop()


async def test_a_child_killed_at_rest_costs_one_answer_its_vectors(tmp_path: Path) -> None:
    service = RecallService(tmp_path, lambda: SETTINGS, VirtualClock())
    await service.start()
    try:
        service.sync_documents("#1", lambda: [IndexedDocument("notes/a", "note", "The storm broke the mill.")])
        assert await asyncio.wait_for(service.complete(), BOUND)
        os.kill(child_of_this_process(), signal.SIGKILL)
        hits, behind = await service.search("#1", "mill", 1)
        assert (hits[0].text, behind) == ("The storm broke the mill.", True)
        assert await asyncio.wait_for(service.complete(), BOUND)
        hits, behind = await service.search("#1", "mill", 1)
        assert (hits[0].vector is not None, behind) == (True, False)
    finally:
        await service.stop()


async def test_what_is_to_be_forgotten_while_the_child_dies_the_next_one_forgets(tmp_path: Path) -> None:
    told: list[int] = []
    killed: list[int] = []
    clock = VirtualClock()

    def settings() -> RecallSettings:
        clock.advance(1.0)  # each batch takes so long that what waits is told after it
        return SETTINGS

    async def noted(waiting: int, total: int, changed: Collection[str] | None) -> None:
        told.append(waiting)
        if 0 < waiting < total and not killed:
            keeper.forget("#1")
            os.kill(child_of_this_process(), signal.SIGKILL)
            killed.append(len(told))

    lexical = LexicalIndex(tmp_path / ".index" / "lexical.sqlite3")
    await lexical.in_thread(lexical.add, {"#1": [lived(seq) for seq in range(1, 601)]}, {})
    keeper = VectorService(tmp_path / ".index", lexical, settings, clock, noted)
    running = asyncio.create_task(keeper.run())
    async with asyncio.timeout(BOUND):
        await keeper.settled.wait()
        keeper.stop()
        await running
    await lexical.end(BOUND)
    assert (max(told[killed[0] :]), told[-1]) == (600, 0)


async def test_what_one_of_many_has_new_vectors_for_is_told_of_that_one_alone(tmp_path: Path) -> None:
    told: list[set[str] | None] = []

    async def noted(waiting: int, total: int, changed: Collection[str] | None) -> None:
        told.append(None if changed is None else set(changed))

    lexical = LexicalIndex(tmp_path / ".index" / "lexical.sqlite3")
    await lexical.in_thread(lexical.add, {f"#{number}": [lived(1)] for number in range(1, 4)}, {})
    keeper = VectorService(tmp_path / ".index", lexical, lambda: SETTINGS, VirtualClock(), noted)
    running = asyncio.create_task(keeper.run())
    async with asyncio.timeout(BOUND):
        await keeper.settled.wait()
        assert told[0] is None  # what the child has was compared for all
        assert set().union(*(changed for changed in told if changed)) == {"#1", "#2", "#3"}
        told.clear()
        await lexical.in_thread(lexical.add, {"#2": [lived(2)]}, {})
        keeper.wake()
        await keeper.settled.wait()
        assert [changed for changed in told if changed != set()] == [{"#2"}]
        keeper.stop()
        await running
    await lexical.end(BOUND)


async def test_a_file_of_vectors_that_became_a_link_costs_an_answer_its_vectors(tmp_path: Path) -> None:
    service = RecallService(tmp_path, lambda: SETTINGS, VirtualClock())
    await service.start()
    try:
        service.remember("#1", [lived(1)])
        assert await asyncio.wait_for(service.complete(), BOUND)
        (file,) = (tmp_path / ".index" / "matrix").rglob("*.f32")
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
        hits, behind = await service.search("#1", "sentence 1", 1)
        assert (hits[0].text, hits[0].vector, behind) == ("sentence 1", None, True)
        assert not await asyncio.wait_for(service.complete(), BOUND)
        assert "link" in service.trouble
    finally:
        await service.stop()


async def test_what_is_lived_gets_its_vector_by_itself(tmp_path: Path) -> None:
    service = RecallService(tmp_path, lambda: SETTINGS, VirtualClock())
    await service.start()
    try:
        assert await asyncio.wait_for(service.complete(), BOUND)
        for seq in (1, 2):
            service.remember("#1", [lived(seq)])
            async with asyncio.timeout(BOUND):
                while read_progress(tmp_path / ".index/lexical.sqlite3", "#1").vector_through < seq:
                    await asyncio.sleep(0)
    finally:
        await service.stop()


async def test_what_a_kill_leaves_of_short_lives_is_used_and_what_it_takes_of_long_ones_is_told_and_made_anew(
    tmp_path: Path,
) -> None:
    settings = replace(SETTINGS, exact_up_to=20)
    service = RecallService(tmp_path, lambda: settings, VirtualClock())
    seen: list[list[int]] = []
    await service.start()
    try:
        for agent, memories in (("#1", 40), ("#2", 20)):
            service.remember(agent, [lived(seq) for seq in range(1, memories + 1)])
        assert await asyncio.wait_for(service.complete(), BOUND)
        os.kill(child_of_this_process(), signal.SIGKILL)
        service.look_again()

        def watch(done: int, total: int) -> None:
            seen.append([service.status(agent)["vector_through"] for agent in ("#1", "#2")])

        assert await asyncio.wait_for(service.complete(watch), BOUND)
        assert (seen[0], seen[-1]) == ([0, 20], [40, 20])
        for agent, last in (("#1", 40), ("#2", 20)):
            hits, behind = await service.search(agent, f"sentence {last}", 1, by="vectors")
            assert ([hit.seq for hit in hits], behind) == ([last], False)
    finally:
        await service.stop()


@pytest.mark.parametrize("left", [0, 1, 700, 3100])
async def test_of_a_file_of_vectors_that_was_cut_off_anywhere_all_is_there_again(tmp_path: Path, left: int) -> None:
    for _ in range(2):
        service = RecallService(tmp_path, lambda: SETTINGS, VirtualClock())
        await service.start()
        try:
            service.remember("#1", [lived(seq) for seq in range(1, 6)])
            assert await asyncio.wait_for(service.complete(), BOUND)
            for seq in range(1, 6):
                hits, behind = await service.search("#1", f"sentence {seq}", 1, by="vectors")
                assert ([hit.seq for hit in hits], behind) == ([seq], False)
        finally:
            await service.stop()
        (file,) = (tmp_path / ".index" / "matrix").rglob("*.f32")
        os.truncate(file, left)


async def test_stopping_while_the_child_is_still_opening_is_quick_and_harmless(tmp_path: Path) -> None:
    for _ in range(2):
        service = RecallService(tmp_path, lambda: SETTINGS, VirtualClock())
        await service.start()
        service.sync_documents("#1", lambda: [IndexedDocument("notes/17", "note", "note 17")])
        await service.search("#1", "note", 1)
        await asyncio.wait_for(service.stop(), BOUND)
    await answers(tmp_path, 18)


@pytest.mark.parametrize("opened", [True, False])
async def test_stopping_has_an_end_when_the_child_hangs(tmp_path: Path, opened: bool) -> None:
    service = RecallService(tmp_path, lambda: SETTINGS, VirtualClock())
    await service.start()
    service.sync_documents("#1", lambda: [IndexedDocument("notes/17", "note", "note 17")])
    if opened:
        assert await asyncio.wait_for(service.complete(), BOUND)
    else:
        async with asyncio.timeout(BOUND):
            while not children():
                await asyncio.sleep(0)
    child = child_of_this_process()
    os.kill(child, signal.SIGSTOP)
    async with asyncio.timeout(ENDING + 2 * FLUSHING):
        await service.stop()
    assert not Path(f"/proc/{child}").exists()
    await answers(tmp_path, 18)


async def test_stopping_has_an_end_when_the_words_hang(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    service = RecallService(tmp_path, lambda: SETTINGS, VirtualClock())
    await service.start()
    begun, free = threading.Event(), threading.Event()

    def hang() -> list[IndexedDocument]:
        begun.set()
        free.wait(BOUND)
        return []

    service.sync_documents("#1", hang)
    try:
        async with asyncio.timeout(ENDING + 2 * FLUSHING):
            asked = asyncio.create_task(service.search("#1", "note", 1))
            while not begun.is_set():
                await asyncio.sleep(0)
            service.sync_documents("#2", list)
            await service.stop()
    finally:
        free.set()
    assert "what it misses is indexed at the next start" in caplog.text
    await asyncio.wait([asked], timeout=BOUND)
    asked.exception()


@pytest.mark.parametrize("opened", [True, False])
def test_an_interrupt_of_the_whole_group_leaves_no_trace_of_the_child(
    tmp_path: Path, worlds: list[World], opened: bool
) -> None:
    world = begin(tmp_path, 8)
    worlds.append(world)
    if opened:
        told(world)
    else:
        # The index file is there a moment before the child is: it is being spawned or still loading.
        while not (tmp_path / ".index" / "lexical.sqlite3").exists():
            assert world.poll() is None
    os.killpg(world.pid, signal.SIGINT)
    out, err = world.communicate("", timeout=BOUND)
    assert out.splitlines()[-1] == "interrupted"
    assert err == ""
    if opened:
        assert (tmp_path / ".index" / "chroma.closed").exists()


async def test_a_child_leaves_the_pipes_of_the_world_alone(tmp_path: Path, worlds: list[World]) -> None:
    world = begin(tmp_path, 8)
    worlds.append(world)
    _, child = told(world)
    for standard in (0, 1, 2):
        assert Path(f"/proc/{child}/fd/{standard}").readlink() == Path(os.devnull)
    out, err = world.communicate("the input of the world\n", timeout=BOUND)
    assert (world.returncode, err) == (0, "")
    assert all(line.split()[1] == str(child) for line in out.splitlines())


@pytest.mark.parametrize(
    "megabytes", [250, *(pytest.param(some, marks=pytest.mark.torture) for some in (160, 200, 275))]
)
def test_too_little_memory_for_the_child_is_one_plain_sentence(
    tmp_path: Path, worlds: list[World], megabytes: int
) -> None:
    world = begin(tmp_path, 8, megabytes)
    worlds.append(world)
    out, err = world.communicate("", timeout=BOUND)
    assert (world.returncode, out) == (0, "")
    assert err.startswith("Recall goes by words alone for now: ")
    assert err.endswith(" (memory is limited: ulimit -v).\n")
    assert err.count("\n") == 1


@pytest.mark.parametrize("embedder", ["none", "hashing", "oracle"])
@pytest.mark.parametrize("settled", [True, False])
async def test_the_keeper_of_vectors_leaves_when_told(tmp_path: Path, embedder: str, settled: bool) -> None:
    async def noted(waiting: int, total: int, changed: Collection[str] | None) -> None:
        assert waiting == total == 0

    settings, lexical = RecallSettings(embedder=embedder), LexicalIndex(tmp_path / ".index" / "lexical.sqlite3")
    keeper = VectorService(tmp_path / ".index", lexical, lambda: settings, VirtualClock(), noted)
    running = asyncio.create_task(keeper.run())
    async with asyncio.timeout(BOUND):
        if settled:
            await keeper.settled.wait()
        keeper.stop()
        await running
    assert not keeper.ready
    await lexical.end(BOUND)
