from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from agents.population import CROWD
from mud.errors import LociError, Refusal
from mud.server.mind_views import ARCHIVED, FOLDS, LINES, SEGMENTS, SIDE_BY_SIDE, MindReader
from mud.simulation.run import SimulationPlan, simulate
from tests.houses import House, house
from tests.pasts import talks
from tests.vaults import copy_vault, without_vectors

STEPS = 900


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a vault whose agents have walked, talked, noted and folded."""
    vault = without_vectors(copy_vault(tmp_path_factory.mktemp("lived")))
    simulate(SimulationPlan(vault, STEPS, None, 7, True), lambda text: None)
    return vault


@pytest.fixture
def folder(lived: Path, tmp_path: Path) -> Path:
    shutil.copytree(lived, tmp_path / "vault")
    return tmp_path


@asynccontextmanager
async def seen(folder: Path) -> AsyncIterator[tuple[House, MindReader]]:
    async with house(folder) as home:
        for agent in home.minds.opened():
            await home.minds.catch_up(agent)
        yield home, MindReader(home.parts)


async def test_a_life_is_a_picture_that_tells_every_memory_once(folder: Path) -> None:
    async with seen(folder) as (home, minds):
        eliza = home.agent("Eliza")
        told = await minds.life("eliza")
        total = eliza.memory.total
        assert total > 129
        parts = told["segments"]
        assert [part["first"] for part in parts] == [1, *(part["last"] + 1 for part in parts[:-1])]
        assert parts[-1]["last"] == total == sum(sum(part["kinds"].values()) for part in parts)
        assert sum(told["importance"].values()) == total
        entries = eliza.memory.read(1, total)
        assert max(int(value) for value in told["importance"]) == max(entry.importance for entry in entries)
        assert told["weightiest"][0]["importance"] == max(entry.importance for entry in entries)
        assert {entry["kind"] for entry in told["inner"]} <= {"thought", "dream"}
        tiers = told["tiers"]
        assert tiers["longterm"] is None or tiers["recent"]["first"] == tiers["longterm"]["last"] + 1
        assert (tiers["verbatim"]["first"], tiers["verbatim"]["last"]) == (tiers["recent"]["last"] + 1, total)
        assert json.dumps(told)


async def test_each_fold_leads_to_the_summary_that_it_made(folder: Path) -> None:
    async with seen(folder) as (home, minds):
        told = await minds.life("Eliza")
        assert told["all_folds"] == len(told["folds"]) == home.agent("Eliza").memory.compactions
        recent = home.agent("Eliza").memory.recent
        assert recent is not None
        last = told["folds"][-1]["tiers"]["recent"]
        made = await minds.fold("Eliza", "recent", last["file"])
        assert (made["text"], made["method"]) == (recent.text, "extractive")
        assert (made["covers"]["first"], made["covers"]["last"]) == recent.covers == (last["first"], last["last"])
        for tier, file in (("recent", "../agent.md"), ("recent", "recent.md.bak"), ("agent", "agent.md")):
            with pytest.raises(Refusal):
                await minds.fold("Eliza", tier, file)


async def test_who_slept_is_told_with_when(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with seen(tmp_path) as (home, minds):
        ann, bob = home.enter("Ann"), home.enter("Bob")
        for who, line in ((ann, "sleep"), (bob, "sleep"), (ann, "wake"), (ann, "sleep")):
            home.parts.clock.advance(60)  # type: ignore[attr-defined]
            home.type(who, line)
        sleeps = (await minds.life("Ann"))["sleeps"]
        assert [(one["from"][14:16], one["to"] and one["to"][14:16]) for one in sleeps] == [("01", "03"), ("04", None)]


async def test_who_remembers_nothing_yet_has_an_empty_picture(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with seen(tmp_path) as (_, minds):
        told = await minds.life("Moss")
        assert (told["segments"], told["folds"], told["inner"], told["tiers"]["verbatim"]) == ([], [], [], None)
        assert await minds.lines("Moss", 0) == {"lines": [], "before": 0}
        assert [node["name"] for node in (await minds.graph("Moss"))["nodes"]] == ["Moss"]
        assert (await minds.archive("Moss", 1))["entries"] == []
        with pytest.raises(LociError, match="nothing yet"):
            await minds.evening("Moss", "Eliza", "", "")
        with pytest.raises(LociError, match="no agent"):
            await minds.life("Nobody")


async def test_a_line_leads_to_why_it_was_said_and_to_the_archive_as_it_stands_on_disk(folder: Path) -> None:
    async with seen(folder) as (home, minds):
        moss = home.agent("Moss")
        told = await minds.lines("Moss", 0)
        assert len(told["lines"]) == LINES
        line = next(one for one in told["lines"] if one["kind"] == "said" and one["traced"])
        why = await minds.why("Moss", line["seq"])
        assert json.loads(why["raw"])["seq"] == line["seq"]
        assert why["raw"] in (moss.folder / "archive/0000000001.jsonl").read_text("utf-8").splitlines()
        assert why["trace"]["brain"] == "instinct"
        assert why["trace"]["step"] == moss.memory.read(line["seq"], line["seq"])[0].source
        for cited in why["trace"]["rests"]:
            assert cited["entry"] is None or str(cited["entry"]["seq"]) == cited["ref"]
        earlier = await minds.lines("Moss", told["before"])
        assert earlier["lines"][0]["seq"] < told["lines"][-1]["seq"]


async def test_what_was_heard_is_explained_by_its_speaker(folder: Path) -> None:
    async with seen(folder) as (home, minds):
        heard = [one for agent in home.minds.opened() for one in agent.memory.newest(60) if one.kind == "heard"]
        other = next(one for one in heard if one.actor == "Eliza")
        hearer = next(agent for agent in home.minds.opened() if other in agent.memory.newest(60))
        why = await minds.why(hearer.slug, other.seq)
        assert (why["agent"], why["doer"], why["trace"]["name"]) == (hearer.name, "Eliza", "Eliza")
        with pytest.raises(Refusal, match="has no memory 999999"):
            await minds.why("eliza", 999_999)


async def test_what_a_person_said_is_not_explained(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with seen(tmp_path) as (home, minds):
        ann = home.enter("Ann")
        home.type(ann, "say Good evening.")
        why = await minds.why("Ann", ann.memory.total)
        assert (why["trace"], why["untraced"]) == (None, "Ann is a person: only they know why.")
        assert json.loads(why["raw"])["text"] == 'You say, "Good evening."'


async def test_what_a_crowd_has_just_heard_is_written_before_it_is_looked_at(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with seen(tmp_path) as (home, minds):
        crowd = [home.enter(f"Visitor {number}") for number in range(CROWD + 2)]
        home.minds.held.write()
        home.minds.held.seconds = 3600.0
        home.type(crowd[0], "say Good evening.")
        why = await minds.why(crowd[1].slug, crowd[1].memory.total)
        assert json.loads(why["raw"])["text"] == 'Visitor 0 says, "Good evening."'


async def test_the_search_is_recall_with_all_parts_of_the_scores(folder: Path) -> None:
    async with seen(folder) as (home, minds):
        told = await minds.search("Eliza", "the sundial in the garden", None)
        hits, _ = await home.parts.recall.search(home.agent("Eliza").id, "the sundial in the garden", 20)
        assert [hit["score"] for hit in told["hits"]] == [hit.score for hit in hits]
        assert told["hits"][0]["lexical"] > 0
        notes = await minds.search("Eliza", "sundial", "notes")
        assert {hit["kind"] for hit in notes["hits"]} == {"note"}
        with pytest.raises(Refusal, match="no words"):
            await minds.search("Eliza", "?!", None)


async def test_the_prompt_of_now_is_told_by_sections_and_says_what_was_left_out(folder: Path) -> None:
    async with seen(folder) as (home, minds):
        told = await minds.prompt("Eliza")
        assert told["tokens"] + told["reserve"] <= told["window"]
        prompt = (await home.parts.prompting.next_prompt(home.agent("Eliza"))).text
        assert all(part["text"] in prompt for part in told["sections"])
        assert {"identity", "transcript", "situation"} <= {part["name"] for part in told["sections"]}
        config = home.parts.vault / "config/llm/think.md"
        config.write_text(config.read_text("utf-8").replace("**num_ctx**: 8192", "**num_ctx**: 1200"), "utf-8")
        home.parts.configuration.load()
        assert (await minds.prompt("Eliza"))["shed"] != []


async def test_notes_and_people_are_one_graph(folder: Path) -> None:
    async with seen(folder) as (home, minds):
        told = await minds.graph("Eliza")
        nodes = {node["name"]: node for node in told["nodes"]}
        heard = [entry for entry in home.agent("Eliza").memory.read(1, 10**6) if entry.actor == "Moss"]
        assert nodes["Moss"]["times"] == len(heard)
        assert len(nodes) == len(told["nodes"])
        assert {note.title for note in home.agent("Eliza").notes.all()} <= set(nodes)
        ids = {node["id"] for node in told["nodes"]}
        assert all(edge["from"] in ids and edge["to"] in ids for edge in told["edges"])


async def test_two_who_were_there_remember_the_same_evening_and_nobody_anothers_whisper(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with seen(tmp_path) as (home, minds):
        ann, _, eve = (home.enter(name) for name in ("Ann", "Bob", "Eve"))
        home.type(ann, "say The lamp is lit.")
        home.type(ann, "whisper Bob The key is under the third step.")
        home.type(eve, "go north")
        told = await minds.evening("Ann", "Bob", "", "")
        said = next(row for row in told["rows"] if any("lamp" in one["text"] for one in row["sides"][0]))
        assert [[one["text"] for one in side] for side in said["sides"]] == [
            ['You say, "The lamp is lit."'],
            ['Ann says, "The lamp is lit."'],
        ]
        assert any("third step" in one["text"] for row in told["rows"] for one in row["sides"][1])
        other = await minds.evening("Bob", "Eve", "2026-01-01", "2026-01-02")
        assert not any("third step" in one["text"] for row in other["rows"] for one in row["sides"][1])
        assert (await minds.evening("Ann", "Bob", "2020-01-01", "2020-01-02"))["rows"] == []
        for since in ("yesterday", "2026-99-01"):
            with pytest.raises(Refusal, match="no time"):
                await minds.evening("Ann", "Bob", since, "2026-01-02")
        with pytest.raises(Refusal, match="two different"):
            await minds.evening("Ann", "ann", "", "")


async def test_a_long_life_is_told_in_as_many_values_as_a_short_one(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with seen(tmp_path) as (home, minds):
        eliza, chance = home.agent("Eliza"), Random(1)
        with eliza.in_bulk():
            for first in range(0, 6000, 500):
                eliza.memory.append_raw(talks(6000)[first : first + 500])
                eliza.compactor.fold_due_now()
        await home.minds.catch_up(eliza)
        assert eliza.memory.total == 6000
        told = await minds.life("Eliza")
        assert (len(told["segments"]), told["memories"]) == (SEGMENTS, 6000)
        assert sum(sum(part["kinds"].values()) for part in told["segments"]) == 6000
        assert len(told["folds"]) <= FOLDS
        assert told["all_folds"] == eliza.memory.compactions > 60
        assert len(json.dumps(told)) < 250_000
        first = chance.randrange(1, 5000)
        page = await minds.archive("Eliza", first)
        assert [entry["seq"] for entry in page["entries"]] == [*range(first, first + ARCHIVED)]
        evening = await minds.evening("Eliza", "Moss", "2020-01-01", "2030-01-01")
        assert sum(len(row["sides"][0]) for row in evening["rows"]) >= SIDE_BY_SIDE
