"""Two worlds in one process and a road between them: letters get lost, doubled or late, and worlds are killed."""

from __future__ import annotations

import asyncio
import errno
import shutil
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from agents.definition import write_definition
from mud.engine.engine import Step
from mud.errors import Unavailable
from mud.portal.letters import DIGEST, SIGNATURE
from mud.server.new_vaults import fill_from_example
from mud.server.regions.neighbours import Posted
from mud.server.regions.regions import Regions
from mud.server.requests import carry_out
from mud.simulation.replay import replay
from mud.storage.paths import fence, unfence
from mud.world.roles import Role
from tests.houses import PATIENCE
from tests.processes import memories, texts
from tests.settings import put
from tests.unit.agents.llm.stage import HandClock
from tests.unit.mud.server.lobby import Lobby, lobby
from tests.vaults import without_vectors

SECRET, KEY = "what the east and the west both know", "LOCI_API_KEY_ROAD"
EAST, WEST = "east", "west"
HOSTS = {EAST: "127.0.0.1:8101", WEST: "127.0.0.1:8102"}
OTHER = {EAST: WEST, WEST: EAST}
MOSS = "Moss"


def make_vault(folder: Path, name: str) -> Path:
    """Make a vault with one place, The Shore, and a bridge from there to the shore of the other world."""
    vault = folder / name / "vault"
    vault.mkdir(parents=True)
    fill_from_example(vault, "empty", texts=False)
    without_vectors(vault)
    for path in (vault / "world/locations").glob("*.md"):
        path.unlink()
    shore = f'---\nid: "#1001"\nexits:\n  bridge: "loci://{HOSTS[OTHER[name]]}/The Shore"\n---\n# The Shore\n\nSand.\n'
    (vault / "world/locations/the-shore.md").write_text(shore, "utf-8")
    put(vault, "world", start_location="The Shore")
    put(vault, "regions", neighbours=(f"http://{HOSTS[OTHER[name]]} {KEY}",))
    return vault


class Region:
    """One of the worlds.

    Args:
        name: `east` or `west`.
        folder: of the vault's folder.
    """

    def __init__(self, name: str, folder: Path, roads: Roads) -> None:
        self.name, self.folder, self._roads = name, folder, roads
        self.dead = False
        self.clock: HandClock | None = None
        """One that a test moves; None for one that moves by itself."""
        self._stack = AsyncExitStack()

    async def open(self) -> None:
        self.hall: Lobby = await self._stack.enter_async_context(lobby(self.folder, self.clock))
        await self.hall.parts.recall.start(vectors=False)
        self.regions = Regions(self.hall.parts, self.hall.people, self.hall.reloading, None, self._post)
        self.regions.arrivals.complete()
        self.hall.home.engine.observe(self.regions.departures.observe)
        self._running = asyncio.ensure_future(self.regions.departures.run())

    async def close(self) -> None:
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        await self._stack.aclose()
        unfence(self.vault)

    @property
    def vault(self) -> Path:
        return (self.folder / "vault").resolve()

    def die_after(self, writes: int) -> None:
        """Let no more than so many writes reach the disk; from the next one on it is as if it was killed."""
        left = [writes]

        def check() -> None:
            left[0] -= 1
            if left[0] < 0:
                self.dead = True
                raise OSError(errno.EIO, "killed")

        fence(self.vault, check)

    async def _post(self, address: str, body: bytes, headers: Mapping[str, str]) -> Posted:
        return await self._roads.carry(self, address, body, headers)

    def has(self, name: str) -> bool:
        """Return whether somebody is in this world."""
        world = self.hall.home.engine.world
        return any(one.name == name and one.id in world.where for one in world.things.values())

    def waits(self) -> bool:
        """Return whether somebody is on the way from here."""
        return any(not one.settled for one in self.hall.home.engine.world.elsewhere.values())

    def id_of(self, name: str) -> str:
        return next(one.id for one in self.hall.parts.minds.definitions.values() if one.name == name)

    async def do(self, name: str, line: str) -> Step:
        """Have an agent type a line, and return the step, or that of the answer to what it asks for."""
        engine = self.hall.home.engine
        step = engine.step(self.id_of(name), line, Role.AGENT)
        for request in step.requests:
            step = engine.answer(request, await carry_out(self.hall.parts, request, list, self.hall.people))
        return step

    def lived(self, name: str) -> list[str]:
        """Return the texts in the archive of somebody, oldest first, having checked their numbers."""
        for agent in self.hall.parts.minds.in_use():
            agent.memory.write_held()
        slug = next(one.slug for one in self.hall.parts.minds.definitions.values() if one.name == name)
        records = memories(self.vault, slug)
        assert [one["seq"] for one in records] == list(range(1, len(records) + 1))
        return texts(records)


Fault = tuple[str, int]
"""What happens to a letter: `ok`, `lost`, `unanswered`, `twice`, or who is killed, with how many writes are left."""


class Roads:
    """What carries letters between the worlds. `faults` says what happens to one after the other; then nothing does."""

    def __init__(self, folder: Path, faults: Iterable[Fault] = ()) -> None:
        self._folder, self.faults = folder, iter([*faults])
        self.worlds: dict[str, Region] = {}
        self.letters: list[tuple[str, str, bytes, Mapping[str, str]]] = []
        """All that were ever sent: to whom, what, and how."""
        self._old: list[Region] = []

    async def close(self) -> None:
        for world in (*self.worlds.values(), *self._old):
            await world.close()

    async def carry(self, sender: Region, address: str, body: bytes, headers: Mapping[str, str]) -> Posted:
        """Carry one letter, as the next fault says."""
        if sender.dead or sender not in self.worlds.values():
            raise asyncio.CancelledError
        to, what = OTHER[sender.name], urlsplit(address).path.rpartition("/")[2]
        self.letters.append((to, what, body, headers))
        kind, writes = next(self.faults, ("ok", 0))
        if kind == "lost":
            raise Unavailable("the road is bad")
        if kind == "sender dies first":
            sender.die_after(0)
            sender.dead = True
            raise asyncio.CancelledError
        if kind == "receiver dies":
            self.worlds[to].die_after(writes)
        if kind == "twice":
            await asyncio.gather(*(self.deliver(to, what, body, headers) for _ in range(2)))
        answer = await self.deliver(to, what, body, headers)
        if kind == "sender dies":
            sender.die_after(writes)
        if kind == "unanswered" or self.worlds[to].dead:
            raise Unavailable("the road is bad")
        return answer

    async def deliver(self, to: str, what: str, body: bytes, headers: Mapping[str, str]) -> Posted:
        take = self.worlds[to].regions.open_letter(what, headers[DIGEST], headers[SIGNATURE])
        if take is None:
            return Posted(401, b"", "")
        return Posted(200, *await take(body))

    async def start_again(self) -> None:
        """Start those worlds again that died, from what is on their disks."""
        for name, world in list(self.worlds.items()):
            if world.dead:
                folder = self._folder / f"{name}-{len(self._old)}"
                shutil.copytree(world.folder, folder, ignore=shutil.ignore_patterns(".index"))
                self._old.append(world)
                self.worlds[name] = Region(name, folder, self)
                await self.worlds[name].open()

    def at(self, name: str = MOSS) -> list[str]:
        """Return the worlds that somebody is in: never more than one."""
        found = [world.name for world in self.worlds.values() if world.has(name)]
        assert len(found) <= 1, f"{name} is in {found}"
        return found

    async def quiet(self) -> str:
        """Wait until nobody is on the way, starting again who dies, and return the world that Moss is in."""

        async def wait() -> None:
            while any(one.dead or one.waits() for one in self.worlds.values()):
                await self.start_again()
                self.at()
                await asyncio.sleep(0)

        await asyncio.wait_for(wait(), PATIENCE)
        (found,) = self.at()
        return found

    async def cross(self, name: str = MOSS) -> Step:
        """Have an agent go over the bridge until it is let out, or refused for good; return the last step."""
        at = await self.quiet()
        for _ in range(50):
            with suppress(asyncio.CancelledError):
                step = await self.worlds[at].do(name, "go bridge")
                if not step.failed:
                    await self.quiet()
                    return step
            await self.quiet()
        return step

    async def verify(self) -> None:
        """See that the ledger of each world plays again to the world that it is."""
        for world in self.worlds.values():
            unfence(world.vault)
        await self.start_again()
        for world in self.worlds.values():
            world.hall.parts.save()
            played = replay(world.vault, verify=True)
            assert played.difference is None, str(played.difference)


@asynccontextmanager
async def roads(
    folder: Path, faults: Iterable[Fault] = (), agent: str = MOSS, clock: HandClock | None = None
) -> AsyncIterator[Roads]:
    """Open two worlds, with an agent in the east, which may go by a clock that the test moves."""
    made = Roads(folder, faults)
    vault = make_vault(folder, EAST)
    write_definition(
        vault / "agents", agent, "#2001", person=False, location="The Shore", description="Old.", profile="You wait."
    )
    make_vault(folder, WEST)
    for name in (EAST, WEST):
        made.worlds[name] = Region(name, folder / name, made)
        made.worlds[name].clock = clock if name == EAST else None
        await made.worlds[name].open()
    try:
        yield made
    finally:
        await made.close()
