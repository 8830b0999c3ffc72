from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agents.llm.spending import Amount
from mud.engine.chronicle import Chronicle
from mud.errors import LociError
from mud.server.checks import FAMILIES, SCHEMAS, check_files
from mud.server.world_views import EVENTS, WorldReader
from mud.storage.settings import describe
from tests.settings import put, put_own
from tests.unit.mud.server.stage import Edited, edited

COMPACTION = "config/memory_compaction.md"


@asynccontextmanager
async def shown(folder: Path) -> AsyncIterator[tuple[Edited, WorldReader]]:
    async with edited(folder) as on:
        yield on, WorldReader(on.home.parts, on.reloading.wrote)


def one(world: WorldReader, key: str) -> dict[str, Any]:
    return next(each for each in world.settings() if f"{each['file']}.{each['key']}" == key)


async def test_every_setting_is_shown_with_its_value_its_place_its_help_and_its_bounds(tmp_path: Path) -> None:
    async with shown(tmp_path) as (on, world):
        put_own(on.vault, "moss", immediate_window=32)
        on.noticed("agents/moss/agent.md")
        told = {f"{each['file']}.{each['key']}" for each in world.settings()}
        families = [f"llm/{name}" for name in on.home.parts.configuration.names(FAMILIES["llm"])]
        wanted = [*SCHEMAS.items(), *((name, FAMILIES["llm"]) for name in families)]
        assert told == {f"{name}.{setting.key}" for name, schema in wanted for setting in describe(schema)}
        window = one(world, "memory_compaction.immediate_window")
        assert (window["typed"], window["default"], window["low"], window["high"]) == ("64", "64", 1, 100_000)
        assert window["origin"].startswith(f"{COMPACTION}:")
        assert [(own["agent"], own["typed"]) for own in window["own"]] == [("Moss", "32")]
        assert all(each["help"] and each["expected"] for each in world.settings())
        assert json.dumps(world.settings())


async def test_a_setting_is_changed_in_its_file_with_all_prose_kept_and_acts_at_once(tmp_path: Path) -> None:
    async with shown(tmp_path) as (on, world):
        path = on.vault / COMPACTION
        path.write_text(path.read_text("utf-8") + "\nMy own remark: **bold** words stay.\n", "utf-8")
        on.noticed(COMPACTION)
        before = path.read_text("utf-8")
        told = await world.change("memory_compaction", "immediate_window", "8", was="64")
        assert told["typed"] == "8"
        assert path.read_text("utf-8") == before.replace("**immediate_window**: 64", "**immediate_window**: 8")
        assert on.home.agent("Eliza").settings().immediate_window == 8
        assert on.told == []  # the owner asked for it, and nothing is wrong


async def test_a_setting_of_a_model_and_one_without_a_file_can_be_changed_too(tmp_path: Path) -> None:
    async with shown(tmp_path) as (on, world):
        await world.change("llm/think", "stop", '"\\n", "~"', was=one(world, "llm/think.stop")["typed"])
        assert one(world, "llm/think.stop")["typed"] == '"\\n", "~"'
        (on.vault / "config/doors.md").unlink()
        on.noticed("config/doors.md")
        await world.change("doors", "guests", "true", was="false")
        assert (on.vault / "config/doors.md").read_text("utf-8") == "**guests**: true\n"
        assert one(world, "doors.guests")["origin"] == "config/doors.md:1"
        assert check_files(on.vault) == []


BAD = (
    ("memory_compaction", "immediate_window", "many"),
    ("memory_compaction", "immediate_window", "0"),
    ("memory_compaction", "strategy", "magic"),
    ("memory_compaction", "prompt_style", "base_v9"),
    ("thinking", "think_profile", "nobody"),
    ("world", "start_location", "Atlantis"),
    ("llm/think", "max_tokens", "8190"),
    ("llm/think", "api_key_env", "HOME"),
)


async def test_a_bad_value_is_refused_with_what_check_would_say_and_the_file_stays(tmp_path: Path) -> None:
    async with shown(tmp_path) as (on, world):
        for file, key, typed in BAD:
            path, was = on.vault / f"config/{file}.md", one(world, f"{file}.{key}")["typed"]
            before = path.read_text("utf-8")
            with pytest.raises(LociError) as refused:
                await world.change(file, key, typed, was)
            assert path.read_text("utf-8") == before
            assert one(world, f"{file}.{key}")["typed"] == was
            put(on.vault, file, **{key: typed})
            said = [problem.message for problem in check_files(on.vault)]
            assert any(message in str(refused.value) for message in said), (str(refused.value), said)
            path.write_text(before, "utf-8")


async def test_what_is_no_setting_or_was_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    async with shown(tmp_path) as (on, world):
        before = {path: path.read_bytes() for path in on.vault.rglob("*.md")}
        for file, key, typed, was, why in (
            ("memory_compaction", "immediate_window", "8", "32", "changed meanwhile"),
            ("memory_compaction", "windows", "8", "64", "no setting"),
            ("../agents/moss/agent", "brain", "auto", "auto", "no setting"),
            ("llm/../../agents/moss/agent", "brain", "auto", "auto", "no setting"),
            ("thinking", "think_profile", "think\n**stop**: x", "think", "one line"),
        ):
            with pytest.raises(LociError, match=why):
                await world.change(file, key, typed, was)
        assert {path: path.read_bytes() for path in on.vault.rglob("*.md")} == before


async def test_an_owner_is_not_kept_from_changing_one_thing_by_a_mistake_elsewhere(tmp_path: Path) -> None:
    async with shown(tmp_path) as (on, world):
        on.replace("world/locations/the-garden.md", "[[The Lobby]]", "[[The Loby]]")
        await world.change("memory_compaction", "immediate_window", "8", was="64")
        problems = await world.problems()
        assert [(found["file"], found["line"] > 0) for found in problems] == [("world/locations/the-garden.md", True)]
        on.replace(COMPACTION, "**recent_window**: 64", "**recent_window**: much")
        with pytest.raises(LociError, match="recent_window"):  # that file itself has to be mended first
            await world.change("memory_compaction", "immediate_window", "9", was="8")


async def test_the_chronicle_goes_on_from_what_was_written_and_tells_no_whisper(tmp_path: Path) -> None:
    async with shown(tmp_path) as (on, _):
        home = on.home
        log = Chronicle(on.vault / "log", home.engine.world)
        home.engine.observe(log.observe)
        ann, _bob = home.enter("Ann"), home.enter("Bob")
        home.type(ann, "say The lamp is lit.")
        world = WorldReader(home.parts, on.reloading.wrote)
        told = [(event["place"], event["actor"], event["kind"], event["text"]) for event in world.chronicle()]
        assert told[-1] == ("The Garden", "Ann", None, 'Ann says, "The lamp is lit."')
        seen: list[str] = []
        end = world.follow(lambda event: seen.append(f"{event['kind']} {event['actor']}"))
        home.type(ann, "whisper Bob The key is under the step.")
        home.type(ann, "say Good night.")
        end()
        home.type(ann, "emote yawns.")
        assert seen == ["speech Ann"]
        assert "key" not in str(world.chronicle())
        for number in range(EVENTS):
            home.type(ann, f"say {number}")
        assert len(world.chronicle()) == EVENTS
        log.close()


async def test_what_was_spent_is_told_by_agent_and_by_day(tmp_path: Path) -> None:
    async with shown(tmp_path) as (on, world):
        assert world.cost() == {"rows": [], "days": [], "limits": [], "used_up": []}
        spending = on.home.parts.queue.budget.spending
        spending.add("Eliza", "thinking", Amount(1, 900, 20))
        on.clock.advance(24 * 3600)
        spending.add("Eliza", "thinking", Amount(1, 100, 10))
        spending.add("Moss", "summaries", Amount(2, 50, 5))
        told = world.cost()
        assert [sorted(day["owners"]) for day in told["days"]] == [["Eliza"], ["Eliza", "Moss"]]
        assert told["days"][1]["owners"]["Eliza"] == {"calls": 1, "prompt": 100, "reply": 10}
        eliza = told["rows"][0]
        assert (eliza["owner"], eliza["day"]["prompt"], eliza["total"]["prompt"]) == ("Eliza", 100, 1000)
        await world.change("budget", "world_calls_per_day", "3", was="0")
        assert world.cost()["limits"] == [{"key": "world_calls_per_day", "most": 3, "whose": None}]


async def test_the_models_are_shown_with_their_queue_and_their_health(tmp_path: Path) -> None:
    async with shown(tmp_path) as (on, world):
        on.home.parts.queue.prepare("think")
        told = {profile["name"]: profile for profile in world.models()["profiles"]}
        assert {"think", "summarizer", "dream"} == set(told)
        assert (told["think"]["waiting"], told["think"]["asked"]) == (0, 0)
        assert told["think"]["hosts"][0]["state"] in ("unknown", "down")
