from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from agents.llm.profiles import LLMProfile
from agents.llm.spending import Amount
from mud.errors import Problem
from mud.server.reloading import MISSING_FOR, Reloading
from mud.server.wiring import opened
from mud.storage.files import write_atomic
from tests.houses import house, soon, texts_of
from tests.unit.agents.llm.stage import settle
from tests.unit.mud.server.stage import edited
from tests.vaults import copy_vault

NEW = """---
location: "[[The Library]]"
brain: instinct
voice: moss
---
# Wren

## Description
Quick.

## Profile
You are quick.
"""


async def test_settings_texts_prompts_and_places_act_on_their_next_use(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        on.replace("config/memory_compaction.md", "**immediate_window**: 64", "**immediate_window**: 8")
        assert ann.settings().immediate_window == 8
        on.replace("text/commands.md", '**said**: You say, "{words}"', '**said**: You speak: "{words}"')
        assert on.home.type(ann, "say hm").reply == 'You speak: "hm"'
        on.replace("world/locations/the-garden.md", "Four gravel paths", "Seven gravel paths")
        assert "Seven gravel paths" in on.home.type(ann, "look").reply
        on.write("prompts/think.md", "Be brief.\n" + (on.vault / "prompts/think.md").read_text(encoding="utf-8"))
        assert "Be brief." in (await on.home.ask(ann, "@impersonate Ann")).reply
        on.write("prompts/summaries/mine.md", "Short.\n\n{earlier}\n\n{memories}{again}\n>")
        assert on.home.parts.summary_prompts.named("mine").fill(name="Ann", memories="I sat.") == "Short.\n\nI sat.\n>"
        on.replace("config/memory_compaction.md", "**prompt_style**: base_v2", "**prompt_style**: mine")
        assert on.told == []


async def test_a_model_that_no_profile_names_any_more_is_forgotten(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        queue = on.home.parts.queue
        for name in on.home.parts.configuration.names(LLMProfile):
            queue.prepare(name)
        before = {one.name for one in queue.hosts}
        assert "http://127.0.0.1:8080" in before
        for file in (on.vault / "config/llm").glob("*.md"):
            on.replace(f"config/llm/{file.name}", "http://127.0.0.1:8080", "http://127.0.0.1:1")
        assert {one.name for one in queue.hosts} == before - {"http://127.0.0.1:8080"}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("config/memory_compaction.md", "**immediate_window**: 64", "**immediate_window**: many"),
        ("text/commands.md", '**said**: You say, "{words}"', "**said**: You say, {wrods}"),
        ("prompts/think.md", "{transcript}", "{transkript}"),
        ("prompts/summaries/base_v2.md", "# Memories:\n{memories}", "# Memories:\n{memmories}"),
        ("config/memory_compaction.md", "**prompt_style**: base_v2", "**prompt_style**: base_v3"),
        ("world/locations/the-garden.md", "[[The Lobby]]", "[[The Loby]]"),
        ("agents/eliza/agent.md", "think_interval: 8", "think_interval: soon"),
        ("agents/eliza/agent.md", 'id: "#2001"', 'id: "#2002"'),
        ("agents/eliza/agent.md", "[[The Garden]]", "[[The Gaden]]"),
    ],
)
async def test_a_broken_edit_changes_nothing_and_is_told(tmp_path: Path, file: str, old: str, new: str) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        before = on.home.type(ann, "look").reply, (await on.home.ask(ann, "@impersonate Eliza")).reply
        number = on.home.engine.number
        on.replace(file, old, new)
        assert on.told
        assert all(file in line for line in on.told)
        assert on.home.engine.number == number
        after = on.home.type(ann, "look").reply, (await on.home.ask(ann, "@impersonate Eliza")).reply
        assert after == before


@pytest.mark.parametrize(
    "file", ["config/memory_compaction.md", "text/commands.md", "prompts/think.md", "agents/eliza/agent.md"]
)
async def test_an_empty_file_is_an_edit_in_progress(tmp_path: Path, file: str) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        on.write(file, "")
        assert on.told == []
        assert on.home.type(ann, "say hm").reply == 'You say, "hm"'


async def test_a_new_agent_comes_to_life_with_an_id_that_stays(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        moss = on.home.agent("Moss")
        on.write("agents/wren/agent.md", NEW)
        assert on.told == []
        wren = on.home.agent("Wren")
        assert wren.thinker is not None
        here = on.home.engine.world.location_of(wren.id)
        assert here is not None
        assert here.name == "The Library"
        assert f'id: "{wren.id}"' in (wren.folder / "agent.md").read_text(encoding="utf-8")
        assert any("Wren" in text for text in texts_of(moss))

        run = asyncio.ensure_future(on.living.run())
        await settle()
        on.clock.advance(5)
        await settle()
        assert wren.id in {step.who for step in on.home.submitted}
        assert any("hums" in text for text in texts_of(wren))
        on.noticed("agents/wren/agent.md")
        assert on.home.agent("Wren") is wren
        await on.living.stop()
        await run
        kept = wren.id
    async with house(tmp_path) as home:
        assert home.agent("Wren").id == kept
        assert home.engine.world.location_of(kept) is not None


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("[[The Library]]", "[[The Libary]]", "location"),
        ("# Wren", "# Eliza", "name"),
        ("brain: instinct", 'id: "#2001"', "id"),
        ("brain: instinct", 'id: "#1001"', "id"),
    ],
)
async def test_a_new_agent_with_a_mistake_stays_out_until_it_is_mended(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    async with edited(tmp_path) as on:
        on.write("agents/wren/agent.md", NEW.replace(old, new))
        assert f"{key}: " in on.told[0]
        assert "wren" not in on.home.minds.definitions
        on.write("agents/wren/agent.md", NEW)
        assert on.told[1:] == ["(the vault) nothing is wrong in agents/wren/agent.md any more"]
        assert on.home.agent("Wren").thinker is not None


async def test_of_a_mended_file_no_hidden_sign_of_its_name_is_shown(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        for text in (NEW.replace("brain: instinct", "brain: nonsense"), NEW):
            on.write("agents/wr\x1b[31men\u202e/agent.md", text)
        assert on.told[-1] == r"(the vault) nothing is wrong in agents/wr\x1b[31men\u202e/agent.md any more"


async def test_two_new_agents_saved_at_once_get_two_ids(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        for name in ("Wren", "Finch"):
            write_atomic(on.vault / f"agents/{name.lower()}/agent.md", NEW.replace("Wren", name))
        on.noticed("agents/wren/agent.md", "agents/finch/agent.md")
        assert on.told == []
        assert on.home.agent("Wren").id != on.home.agent("Finch").id


async def test_an_agent_whose_folder_is_removed_leaves_after_a_while_and_the_world_goes_on(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        moss = on.home.agent("Moss")
        shutil.rmtree(moss.folder)
        on.noticed("agents/moss/agent.md", "agents/moss/summaries/recent.md")
        await settle()
        assert on.home.engine.world.location_of(moss.id) is not None
        on.clock.advance(MISSING_FOR)
        await settle()
        assert on.home.engine.world.location_of(moss.id) is None
        assert on.home.minds.by_slug("moss") is None
        assert on.told == ["(the vault) Moss has left the world: agents/moss/agent.md is gone"]
        assert not moss.folder.exists()
        ann = on.home.enter("Ann", "The Library")
        assert not on.home.type(ann, "say Moss, are you there?").failed
        on.home.parts.save()
    async with house(tmp_path) as home:
        assert home.minds.find("Moss") is None


async def test_an_agent_whose_folder_is_renamed_comes_back_with_all_it_lived_meanwhile(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        moss = on.home.agent("Moss")
        ann = on.home.enter("Ann", "The Library")
        assert on.home.engine.world.location_of(moss.id) == on.home.engine.world.location_of(ann.id)
        on.home.type(ann, "say The kettle is on.")
        old, new = moss.folder, moss.folder.with_name("mossy")
        old.rename(new)
        on.noticed("agents/moss/agent.md", "agents/mossy/agent.md")
        on.home.type(ann, "say My cat is called Muzzle.")
        assert not old.exists()
        await settle()
        on.clock.advance(MISSING_FOR)
        await settle()
        again = on.home.agent("Moss")
        assert (again.slug, again.id) == ("mossy", moss.id)
        assert on.home.engine.world.location_of(again.id) == on.home.engine.world.location_of(ann.id)
        on.home.type(ann, "say Are you there?")
        assert [text for text in texts_of(again) if text.startswith("Ann says")] == [
            'Ann says, "The kettle is on."',
            'Ann says, "My cat is called Muzzle."',
            'Ann says, "Are you there?"',
        ]
        assert again.memory.waiting == 0
        assert not old.exists()


async def test_an_agent_whose_file_comes_back_is_where_it_was_and_remembers(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        moss = on.home.agent("Moss")
        text = (moss.folder / "agent.md").read_text(encoding="utf-8")
        on.home.engine.step(moss.id, "think of the gate", on.home.engine.commands.get("think").role)
        lived = moss.memory.total
        here = on.home.engine.world.location_of(moss.id)
        (moss.folder / "agent.md").unlink()
        on.noticed("agents/moss/agent.md")
        await settle()
        on.clock.advance(MISSING_FOR)
        await settle()
        on.write("agents/moss/agent.md", text)
        again = on.home.agent("Moss")
        assert again is not moss
        assert again.memory.total >= lived
        assert on.home.engine.world.location_of(again.id) == here
        assert again.thinker is not None


async def test_a_file_that_is_back_in_time_costs_nothing(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        moss = on.home.agent("Moss")
        text = (moss.folder / "agent.md").read_text(encoding="utf-8")
        (moss.folder / "agent.md").unlink()
        on.noticed("agents/moss/agent.md")
        await settle()
        on.write("agents/moss/agent.md", text)
        on.clock.advance(MISSING_FOR)
        await settle()
        assert on.home.agent("Moss") is moss
        assert on.told == []


async def test_an_edited_agent_is_what_others_see(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        on.replace("agents/eliza/agent.md", "A small woman", "A tall woman")
        assert "A tall woman" in on.home.type(ann, "examine Eliza").reply
        spending = on.home.parts.queue.budget.spending
        spending.add("Eliza", "thinking", Amount(1, 12))
        on.replace("agents/eliza/agent.md", "# Eliza", "# Elisabeth")
        assert [row.owner for row in spending.rows()] == ["Elisabeth"]
        assert "Elisabeth is here." in on.home.type(ann, "look").reply
        thinker = on.home.agent("Elisabeth").thinker
        assert thinker is not None
        assert thinker.name == "Elisabeth"


async def test_a_new_place_gets_its_id_and_an_exit_leads_to_it(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        garden = (on.vault / "world/locations/the-garden.md").read_text(encoding="utf-8")
        write_atomic(
            on.vault / "world/locations/the-well.md",
            '---\ntype: location\nexits:\n  up: "[[The Garden]]"\n---\n# The Well\n\nCold.\n',
        )
        assert "exits:\n" in garden
        write_atomic(
            on.vault / "world/locations/the-garden.md",
            garden.replace("exits:\n", 'exits:\n  well: "[[The Well]]"\n', 1),
        )
        on.noticed("world/locations/the-well.md", "world/locations/the-garden.md")
        assert on.told == []
        assert "The Well" in on.home.type(ann, "go well").reply
        text = (on.vault / "world/locations/the-well.md").read_text(encoding="utf-8")
        on.noticed("world/locations/the-well.md")
        assert (on.vault / "world/locations/the-well.md").read_text(encoding="utf-8") == text


async def test_a_place_that_an_open_editor_saves_without_its_id_keeps_it(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        typed = '---\ntype: location\nexits:\n  up: "[[The Garden]]"\n---\n# The Well\n\nCold.\n'
        on.write("world/locations/the-well.md", typed)
        file = on.vault / "world/locations/the-well.md"
        given = file.read_text(encoding="utf-8")
        on.write("world/locations/the-well.md", typed.replace("Cold", "Deep"))
        assert file.read_text(encoding="utf-8") == given.replace("Cold", "Deep")
        wells = [one for one in on.home.engine.world.locations() if one.name == "The Well"]
        assert [one.description for one in wells] == ["Deep."]
        assert on.told == []


async def test_a_hand_edit_of_the_world_is_a_step_that_a_kill_survives(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        number = on.home.engine.number
        on.replace("world/items/sundial.md", "# ", "# Old ")
        assert on.home.engine.number == number + 1
        on.noticed("world/items/sundial.md")
        assert on.home.engine.number == number + 1


async def test_an_edited_summary_is_taken_up_and_a_vanished_one_comes_back(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        for number in range(100):
            on.home.type(ann, f"think of pear number {number}")
        await on.home.minds.fold(ann)
        path = ann.folder / "summaries/recent.md"
        front = path.read_text(encoding="utf-8").rsplit("---\n", 1)[0]
        on.write("agents/ann/summaries/recent.md", f"{front}---\n# Recent\n\nI met Ottoline.\n")
        assert ann.memory.recent is not None
        assert "Ottoline" in ann.memory.recent.text
        path.unlink()
        on.noticed("agents/ann/summaries/recent.md")
        await settle()
        assert not path.exists()
        on.clock.advance(MISSING_FOR)
        await settle()
        assert "Ottoline" in path.read_text(encoding="utf-8")
        assert "recent.md was gone" in on.told[-1]


async def test_a_changed_window_makes_a_fold_due_at_once(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        on.replace("config/memory_compaction.md", "**summarizer**: model", "**summarizer**: extractive")
        for number in range(20):
            on.home.type(ann, f"think of pear number {number}")
        on.replace("config/memory_compaction.md", "**immediate_window**: 64", "**immediate_window**: 8")
        on.replace("config/memory_compaction.md", "**recent_window**: 64", "**recent_window**: 8")
        await soon(lambda: ann.memory.watermark == 9, settle)


async def test_a_window_that_changed_unseen_makes_a_fold_due_when_everything_is_read_again(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann, config = on.home.enter("Ann"), on.vault / "config/memory_compaction.md"
        on.replace("config/memory_compaction.md", "**summarizer**: model", "**summarizer**: extractive")
        for number in range(20):
            on.home.type(ann, f"think of pear number {number}")
        write_atomic(config, config.read_text(encoding="utf-8").replace("_window**: 64", "_window**: 8"))
        assert on.reloading.everything() == []
        await soon(lambda: ann.memory.watermark == 9, settle)


async def test_reading_everything_again_finds_what_no_watcher_said(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        assert on.reloading.everything() == []
        write_atomic(on.vault / "agents/wren/agent.md", NEW)
        eliza = (on.vault / "agents/eliza/agent.md").read_text(encoding="utf-8")
        write_atomic(on.vault / "agents/eliza/agent.md", eliza.replace("A small woman", "A tall woman"))
        (on.vault / "config/world.md").write_text("**start_location**: The Gaden\n", encoding="utf-8")
        (problem,) = on.reloading.everything()
        assert isinstance(problem, Problem)
        assert (problem.file, problem.key) == ("config/world.md", "start_location")
        assert on.home.agent("Wren").thinker is not None
        assert "A tall woman" in on.home.engine.world.things["#2001"].description


async def test_without_agents_a_new_one_is_there_and_does_not_think(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        reloading = Reloading(home.parts, lambda text: None)
        write_atomic(home.parts.vault / "agents/wren/agent.md", NEW)
        reloading.changed(frozenset({home.parts.vault / "agents/wren/agent.md"}))
        assert home.agent("Wren").thinker is None
        assert home.engine.world.location_of(home.agent("Wren").id) is not None
        await reloading.stop()


async def test_an_edited_agent_whose_mind_lives_elsewhere_stays_where_it_is(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    with opened(vault, writable=True, lends=lambda configuration: True) as parts:
        reloading = Reloading(parts, print, None)
        path, number = vault / "agents/eliza/agent.md", parts.engine.number
        write_atomic(path, path.read_text("utf-8").replace("brain: auto", "brain: instinct"))
        reloading.everything()
        assert parts.minds.definitions["eliza"].brain == "instinct"
        assert parts.engine.number == number
        await reloading.stop()
