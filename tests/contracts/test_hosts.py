"""Every host of the registry keeps the promises of `agents.hosts`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

import pytest

from agents.brains import Situation
from agents.hosts import HostKind, HostOfMinds, HostPlace, HostSettings, Kept, Lease, Lived, MindTurn
from mud.errors import LociError
from mud.registry import load
from mud.server.hosting import MAKER, hosted
from mud.world.events import Event, Perception
from tests.ray_cluster import cluster_of
from tests.vaults import copy_vault, without_vectors

KINDS = load("agents.hosts", HostKind, "host")
NEEDS = {"ray": pytest.mark.program("ray")}
ELIZA, MOSS = "eliza", "moss"
SETTINGS = HostSettings(brains_port=0)


class Site:
    """A vault, and the hosts that a test starts for it."""

    def __init__(self, vault: Path, kind: HostKind, address: str, stack: AsyncExitStack) -> None:
        self.vault, self._kind, self._address, self._stack = vault, kind, address, stack
        self.ids = {slug: _id(vault, slug) for slug in (ELIZA, MOSS)}

    async def start(self) -> HostOfMinds:
        """Start a host of the kind under test."""
        here = await self._stack.enter_async_context(hosted(self.vault, "here"))
        host = self._kind.start(HostPlace(self.vault, self._address, MAKER, here, lambda: SETTINGS))
        self._stack.push_async_callback(host.end)
        return host

    def lease(self, slug: str, epoch: int) -> Lease:
        return Lease(self.ids[slug], slug, epoch)

    def turn(self, slug: str, epoch: int, *steps: int, thinks: bool = False) -> MindTurn:
        """Return a turn in which somebody said something in each of these steps."""
        scene = SCENE._replace(name=slug.title(), voice=slug) if thinks else None
        return MindTurn(self.ids[slug], epoch, tuple(self.lived(slug, step) for step in steps), scene)

    def lived(self, slug: str, step: int) -> Lived:
        event = Event("speech", "#1", "#1001", f'Ann says, "{step}"', words=str(step))
        said = Perception(self.ids[slug], "heard", f'Ann says, "{step}"', "Ann", "The Garden", event=event)
        return Lived(step, "2026-11-20T07:21:37.123Z", (said, said._replace(text=f"Ann nods at {step}.", kind="saw")))

    def archived(self, slug: str) -> list[tuple[int, str]]:
        """Return what the archive on the disk holds, as step and text."""
        files = sorted((self.vault / "agents" / slug / "archive").glob("*.jsonl"))
        lines = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        return [(line["source"], line["text"]) for line in lines if "seq" in line]


SCENE = Situation(
    "Eliza", "", "eliza", "The Garden", "A walled garden.", ("north",), (), ("sundial",), (), (), (), "", 0.0
)  # fmt: skip


def _id(vault: Path, slug: str) -> str:
    text = (vault / "agents" / slug / "agent.md").read_text(encoding="utf-8")
    return next(line.split('"')[1] for line in text.splitlines() if line.startswith("id:"))


def _told(steps: Sequence[int]) -> list[tuple[int, str]]:
    return [(step, text) for step in steps for text in (f'Ann says, "{step}"', f"Ann nods at {step}.")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Give the address of a Ray cluster with one machine."""
    with cluster_of(1) as running:
        yield f"ray://{running.address}"


@pytest.fixture(params=[pytest.param(name, marks=NEEDS.get(name, ())) for name in KINDS.names()])
async def site(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Site]:
    """Give a vault for each kind of host."""
    address = request.getfixturevalue("cluster") if request.param == "ray" else ""
    async with AsyncExitStack() as stack:
        yield Site(without_vectors(copy_vault(tmp_path)), KINDS.get(request.param), address, stack)


async def test_what_is_perceived_is_in_the_archive_when_the_tick_returns(site: Site) -> None:
    host = await site.start()
    opened = await host.open([site.lease(ELIZA, 1), site.lease(MOSS, 1)])
    assert opened == [Kept(site.ids[ELIZA], 1, 0, 0), Kept(site.ids[MOSS], 1, 0, 0)]
    answer = await host.tick([site.turn(ELIZA, 1, 5, 7), site.turn(MOSS, 1, 7)])
    assert site.archived(ELIZA) == _told([5, 7])
    assert site.archived(MOSS) == _told([7])
    assert answer.kept == (Kept(site.ids[ELIZA], 1, 7, 2), Kept(site.ids[MOSS], 1, 7, 2))


async def test_what_is_handed_over_twice_is_remembered_once(site: Site) -> None:
    host = await site.start()
    await host.open([site.lease(ELIZA, 1)])
    await host.tick([site.turn(ELIZA, 1, 5, 7)])
    await host.tick([site.turn(ELIZA, 1, 5, 7, 8)])
    assert site.archived(ELIZA) == _told([5, 7, 8])


async def test_a_line_comes_from_the_mind_that_was_asked(site: Site) -> None:
    host = await site.start()
    await host.open([site.lease(ELIZA, 1), site.lease(MOSS, 1)])
    (line,) = (await host.tick([site.turn(ELIZA, 1, 5), site.turn(MOSS, 1, 5, thinks=True)])).lines
    assert (line.who, line.epoch) == (site.ids[MOSS], 1)
    assert line.thought.decision.why
    both = await host.tick([site.turn(ELIZA, 1, thinks=True), site.turn(MOSS, 1, thinks=True)])
    assert {line.who for line in both.lines} == {site.ids[ELIZA], site.ids[MOSS]}


async def test_a_thought_that_outlasts_the_tick_comes_with_a_later_one(site: Site) -> None:
    host = await site.start()
    await host.open([site.lease(ELIZA, 1)])
    answer = await host.tick([site.turn(ELIZA, 1, 5, thinks=True)], 0.0)
    lines = [*answer.lines]
    async with asyncio.timeout(30):
        while not lines:
            lines += (await host.tick([], 0.01)).lines
    assert [line.who for line in lines] == [site.ids[ELIZA]]
    assert (await host.tick([], 0.0)).lines == ()


async def test_a_thought_that_fails_ends_without_a_line(site: Site) -> None:
    host = await site.start()
    await host.open([site.lease(ELIZA, 1)])
    turn = site.turn(ELIZA, 1, thinks=True)
    broken = turn._replace(scene=SCENE._replace(seconds=cast("float", None)))
    async with asyncio.timeout(30):
        lines = (await host.tick([broken], 0.01)).lines
        while not lines:
            lines = (await host.tick([], 0.01)).lines
    assert [(line.who, line.epoch, line.thought.decision.line) for line in lines] == [(site.ids[ELIZA], 1, None)]
    assert [line.who for line in (await host.tick([turn])).lines] == [site.ids[ELIZA]]


async def test_who_is_spoken_to_wishes_to_think(site: Site) -> None:
    host = await site.start()
    await host.open([site.lease(ELIZA, 1)])
    wishes = (await host.tick([site.turn(ELIZA, 1, 5)])).wishes
    assert [(wish.who, wish.epoch) for wish in wishes] == [(site.ids[ELIZA], 1)]
    assert 0 <= wishes[0].seconds < 60


async def test_a_turn_of_another_epoch_is_refused_and_leaves_nothing(site: Site) -> None:
    host = await site.start()
    await host.open([site.lease(ELIZA, 3)])
    answer = await host.tick([site.turn(ELIZA, 2, 5, thinks=True), site.turn(MOSS, 3, 5)])
    assert answer.refused == ((site.ids[ELIZA], 2), (site.ids[MOSS], 3))
    assert (answer.lines, answer.kept, site.archived(ELIZA)) == ((), (), [])
    (late,) = await host.open([site.lease(ELIZA, 3)])
    assert "too old" in late.trouble


async def test_a_host_whose_mind_was_taken_over_writes_no_more(site: Site) -> None:
    old, new = await site.start(), await site.start()
    await old.open([site.lease(ELIZA, 1)])
    await old.tick([site.turn(ELIZA, 1, 5)])
    assert list(await new.open([site.lease(ELIZA, 2)])) == [Kept(site.ids[ELIZA], 2, 5, 2)]
    answer = await old.tick([site.turn(ELIZA, 1, 6, thinks=True)])
    assert (answer.refused, answer.lines, answer.kept) == (((site.ids[ELIZA], 1),), (), ())
    assert list(await old.close([site.lease(ELIZA, 1)])) == []
    await new.tick([site.turn(ELIZA, 2, 6, 7)])
    assert site.archived(ELIZA) == _told([5, 6, 7])


async def test_a_mind_is_handed_from_host_to_host_and_remembers_all(site: Site) -> None:
    one, other = await site.start(), await site.start()
    await one.open([site.lease(ELIZA, 1)])
    await one.tick([site.turn(ELIZA, 1, 5)])
    assert list(await one.close([site.lease(ELIZA, 1)])) == [Kept(site.ids[ELIZA], 1, 5, 2)]
    await other.open([site.lease(ELIZA, 2)])
    await other.tick([site.turn(ELIZA, 2, 6)])
    assert site.archived(ELIZA) == _told([5, 6])
    found = await other.recall(site.ids[ELIZA], 2, "nods at 5")
    assert found[0].text == "Ann nods at 5."


async def test_a_mind_is_searched_only_under_its_epoch(site: Site) -> None:
    host = await site.start()
    await host.open([site.lease(ELIZA, 1)])
    await host.tick([site.turn(ELIZA, 1, 5)])
    assert (await host.recall(site.ids[ELIZA], 1, "nods"))[0].text == "Ann nods at 5."
    with pytest.raises(LociError):
        await host.recall(site.ids[ELIZA], 2, "nods")


async def test_the_status_names_every_open_mind_and_how_far_the_disk_has_it(site: Site) -> None:
    host = await site.start()
    await host.open([site.lease(ELIZA, 1), site.lease(MOSS, 4)])
    await host.tick([site.turn(ELIZA, 1, 5), site.turn(MOSS, 4, 6)])
    status = await host.status()
    assert set(status.kept) == {Kept(site.ids[ELIZA], 1, 5, 2), Kept(site.ids[MOSS], 4, 6, 2)}
    assert (status.thinking, status.trouble) == (0, "")
    await host.close([site.lease(MOSS, 4)])
    assert [kept.who for kept in (await host.status()).kept] == [site.ids[ELIZA]]


async def test_a_mind_without_a_folder_cannot_be_opened_and_the_others_are(site: Site) -> None:
    host = await site.start()
    wrong, right = await host.open([Lease("#9", "nobody", 1), site.lease(ELIZA, 1)])
    assert "nobody" in wrong.trouble
    assert right.trouble == ""


async def test_a_mind_whose_file_has_another_id_cannot_be_opened_and_the_others_are(site: Site) -> None:
    file = site.vault / "agents" / ELIZA / "agent.md"
    file.write_text(file.read_text(encoding="utf-8").replace(site.ids[ELIZA], "#777777"), encoding="utf-8")
    host = await site.start()
    wrong, right = await host.open([site.lease(ELIZA, 1), site.lease(MOSS, 1)])
    assert (wrong.who, right) == (site.ids[ELIZA], Kept(site.ids[MOSS], 1, 0, 0))
    assert "#777777" in wrong.trouble
