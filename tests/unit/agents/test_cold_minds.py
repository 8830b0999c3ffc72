"""Minds whose memory is opened late, or goes cold, live as all others do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from mud.portal.session import Session
from mud.server.checks import check_vault
from mud.server.doors import terminal_view
from mud.server.mind_views import MindReader
from mud.server.wiring import opened
from mud.simulation.run import SimulationPlan, simulate
from mud.storage.lease import holder_of
from mud.world.events import Perception
from mud.world.roles import Role
from tests.houses import house, texts_of
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

AT = "2026-01-01T00:00:00.000Z"


def _archives(vault: Path) -> dict[str, bytes]:
    return {str(path.relative_to(vault)): path.read_bytes() for path in sorted(vault.glob("agents/*/archive/*"))}


def test_a_world_with_one_hot_mind_lives_as_one_with_all(tmp_path: Path) -> None:
    lived = []
    for name, minds in (("all", 1000), ("one", 1)):
        vault = without_vectors(copy_vault(tmp_path / name))
        put(vault, "thinking", hot_minds=minds)
        for key in ("immediate_window", "recent_window"):
            put(vault, "memory_compaction", **{key: 8})
        report = simulate(SimulationPlan(vault, 200, 8, 3, True), lambda text: None)
        lived.append((report["state_hash"], report["compactions"], _archives(vault)))
    assert lived[0] == lived[1]
    assert lived[0][1] > 0


def _lived_and_closed(vault: Path) -> None:
    """Let everybody remember something, and close the world with its state saved."""
    with opened(vault, writable=True) as parts:
        for number, agent in enumerate(parts.minds.opened(), 1):
            agent.memory.append([Perception(agent.id, "saw", "a pear")], AT, number)
        parts.engine.number = 9
        assert parts.save() == ""


async def test_a_memory_is_opened_when_its_character_perceives_something(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    _lived_and_closed(vault)
    async with house(tmp_path) as home:
        assert home.minds.in_use() == []
        assert home.minds.lives("eliza")
        ann = home.enter("Ann", home.engine.world.location_of("#2001").name)  # type: ignore[union-attr]
        home.type(ann, "say I counted the pears.")
        assert "Eliza" in [agent.name for agent in home.minds.in_use()]
        assert texts_of(home.agent("Eliza"))[0] == "a pear"
        assert 'Ann says, "I counted the pears."' in texts_of(home.agent("Eliza"))
        assert len(home.minds.in_use()) < len(home.minds.opened())


async def test_a_mind_that_is_asked_for_by_name_is_opened_as_one_that_perceives_something(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    _lived_and_closed(vault)
    async with house(tmp_path) as home:
        opened: list[str] = []
        home.minds.on_open = lambda agent: opened.append(agent.name)
        for _ in range(2):
            assert texts_of(home.minds.get("moss")) == ["a pear"]
            assert texts_of(home.minds.by_slug("eliza")) == ["a pear"]  # type: ignore[arg-type]
        assert opened == ["Moss", "Eliza"]


async def test_who_has_a_mind_is_shown_without_opening_any_but_the_one_that_is_chosen(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    _lived_and_closed(vault)
    async with house(tmp_path) as home:
        reader, view = MindReader(home.parts), terminal_view(home.parts, lambda name, show: session)
        session = Session("#1", lambda line: home.engine.step("#1", line, Role.OWNER), lambda message: None)
        page = reader.everybody()
        assert {"Eliza", "Moss"} <= {one["name"] for one in page}
        assert {one["memories"] for one in page} == {None}
        assert set(view.minds(session)) == {"#1", *(home.minds.definitions[one["slug"]].id for one in page)}
        assert home.minds.in_use() == []
        eliza = view.mind("#2001")
        assert eliza is not None
        assert eliza.newest == ("1. a pear",)
        await reader.life("moss")
        assert {one["name"] for one in reader.everybody() if one["memories"] == 1} == {"Eliza", "Moss"}


async def test_what_cold_minds_perceived_is_there_after_a_kill(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    put(vault, "thinking", hot_minds=1)
    _lived_and_closed(vault)
    async with house(tmp_path) as home:
        home.minds.held.of_cold_minds = True
        ann, eliza = home.enter("Ann", home.engine.world.location_of("#2001").name), home.agent("Eliza")  # type: ignore[union-attr]
        assert eliza.memory.cold or ann.memory.newest(1) is not None
        ann.memory.newest(1)
        assert eliza.memory.cold
        for number in range(5):
            home.type(ann, f"say number {number}.")
        heard = texts_of(eliza)
        assert sum("number" in text for text in heard) == 5
        assert "number 4" not in "".join(path.read_text("utf-8") for path in vault.glob("agents/eliza/archive/*"))
        shutil.copytree(vault, tmp_path / "killed")  # nothing was closed, and no state saved
        home.minds.held.write()
        assert "number 4" in "".join(path.read_text("utf-8") for path in vault.glob("agents/eliza/archive/*"))
    with opened(tmp_path / "killed", writable=True) as parts:
        assert texts_of(parts.minds.get("Eliza")) == heard
    assert [one for one in check_vault(tmp_path / "killed") if "archive" in one.file] == []


def test_an_archive_that_is_newer_than_the_saved_state_is_opened_at_the_start(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    _lived_and_closed(vault)
    path = next((vault / "agents/moss/archive").iterdir())
    line = json.loads(path.read_text("utf-8").splitlines()[-1])
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**line, "seq": line["seq"] + 1, "source": 77}) + "\n")
    with opened(vault, writable=True) as parts:
        assert [agent.name for agent in parts.minds.in_use()] == ["Moss"]
        assert parts.engine.number == 77  # no step gets a number that an archive has


def test_a_mind_that_a_host_did_not_give_back_is_opened_at_the_start(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    _lived_and_closed(vault)
    for slug, name in (("moss", "2 elsewhere:1"), ("eliza", "2")):
        (vault / "agents" / slug / "lease").write_text(f"{name}\n", "utf-8")
    with opened(vault, writable=True) as parts:
        assert [agent.name for agent in parts.minds.in_use()] == ["Moss"]
        assert holder_of(vault / "agents/moss").epoch == 3
