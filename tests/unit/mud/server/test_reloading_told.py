"""What the owner is told of edits that are wrong, or that count only later."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from mud.server.reloading import MISSING_FOR, Reloading
from mud.server.wiring import LARGE, RealClock, opened
from mud.storage.files import write_atomic
from tests.houses import house
from tests.unit.agents.llm.stage import settle
from tests.unit.mud.server.stage import edited
from tests.vaults import copy_vault

LONGEST = 20.0
"""Seconds that a loaded machine gets for what takes one."""


async def test_a_false_location_is_a_mistake_and_a_changed_one_counts_when_the_world_starts(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        eliza = on.home.agent("Eliza")
        on.replace("agents/eliza/agent.md", 'location: "[[The Garden]]', 'location: "[[The Gaden]]')
        (told,) = on.told
        assert "agents/eliza/agent.md:5: location: there is no location '[[The Gaden]]'" in told
        (problem,) = on.reloading.everything()
        assert (problem.key, problem.line) == ("location", 5)
        assert "did you mean The Garden?" in problem.message
        on.told.clear()
        on.replace("agents/eliza/agent.md", "[[The Gaden]]", "[[The Library]]")
        assert on.told.pop(0) == "(the vault) nothing is wrong in agents/eliza/agent.md any more"
        (told,) = on.told
        assert told.startswith("(the vault) agents/eliza/agent.md:5: location: ")
        assert "next start" in told
        here = on.home.engine.world.location_of(eliza.id)
        assert here is not None
        assert here.name == "The Garden"
        on.replace("agents/eliza/agent.md", "A small woman", "A tall woman")
        assert len(on.told) == 1  # once for each change
        assert on.reloading.everything() == []
        assert on.told == [told, told]  # and whenever everything is read again
        on.replace("agents/eliza/agent.md", "[[The Library]]", "the garden")
        assert on.reloading.everything() == []
        assert len(on.told) == 2  # where it was at the start


@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("config/world.md", "**line_limit**", "**line_limt**"),
        ("config/thinking.md", "**sleep_at**: ", "**sleep_at**: x"),
        ("text/app.md", "{host}", "{hots}"),
        ("prompts/summaries/narrative.md", "# Memories:\n{memories}", "# Memories:\n{memmories}"),
        ("agents/moss/agent.md", "voice: ", "voces: "),
        ("agents/moss/agent.md", "voice: ", "voice: no"),
        ("prompts/importance.md", "{memories}", "{memmories}"),
        ("prompts/reflect.md", "{memories}", "{memmories}"),
        ("prompts/dream.md", "{memories}", "{memmories}"),
        ("text/instinct/moss.md", "**talk**: ", "**talk**: un"),
        ("text/instinct/default.md", "**explore**: sometimes", "**explore**: perhaps"),
    ],
)
async def test_a_file_that_is_right_again_is_told_once(tmp_path: Path, file: str, right: str, wrong: str) -> None:
    async with edited(tmp_path) as on:
        on.replace(file, right, wrong)
        assert on.told
        on.told.clear()
        on.replace(file, wrong, right)
        assert on.told == [f"(the vault) nothing is wrong in {file} any more"]
        on.replace(file, right, right + " ")
        on.replace(file, right + " ", right)
        assert len(on.told) == 1


async def test_a_location_that_was_false_at_the_start_is_told_at_every_reload_and_holds_no_edit_up(
    tmp_path: Path,
) -> None:
    path = copy_vault(tmp_path) / "agents/eliza/agent.md"
    write_atomic(path, path.read_text(encoding="utf-8").replace('"[[The Garden]]"', '"[[The Gaden]]"'))
    async with edited(tmp_path) as on:
        (problem,) = on.reloading.everything()
        assert (problem.file, problem.key) == ("agents/eliza/agent.md", "location")
        on.replace("agents/eliza/agent.md", "A small woman", "A tall woman")
        assert "A tall woman" in on.home.engine.world.things["#2001"].description


async def test_each_key_of_a_broken_file_is_told_once_and_where_it_stands(tmp_path: Path) -> None:
    path = copy_vault(tmp_path) / "agents/eliza/agent.md"
    write_atomic(path, path.read_text(encoding="utf-8").replace('"[[The Garden]]"', '"[[The Gaden]]"'))
    async with edited(tmp_path) as on:
        on.replace("agents/eliza/agent.md", "type: agent", "type: agent\nbrian: auto")
        problems = on.reloading.everything()
        assert [(one.line, one.key) for one in problems] == [(4, "brian"), (6, "location")]
        on.replace("agents/eliza/agent.md", "[[The Gaden]]", "[[The Graden]]")
        problems = on.reloading.everything()
        assert [(one.line, one.key) for one in problems] == [(4, "brian"), (6, "location")]
        on.replace("agents/eliza/agent.md", '"#2001"', '"#1002"')
        on.replace("agents/eliza/agent.md", "brian: auto\n", "")
        problems = on.reloading.everything()
        assert [(one.line, one.key) for one in problems] == [(2, "id"), (5, "location")]
        assert "'#1002' is taken by world/locations/" in problems[0].message


async def test_a_mistake_is_told_when_its_file_is_saved_and_not_again_with_another_files(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        on.replace("world/locations/the-garden.md", "[[The Lobby]]", "[[The Loby]]")
        on.replace("text/commands.md", '**said**: You say, "{words}"', "**said**: You say, {wrods}")
        on.replace("prompts/think.md", "{transcript}", "{transkript}")
        on.replace("config/memory_compaction.md", "**prompt_style**: base_v2", "**prompt_style**: base_v3")
        assert {line.split(":")[0] for line in on.told} >= {"(the vault) prompts/think.md"}
        on.told.clear()
        on.replace("world/locations/the-library.md", "type: location", "type: lokation")
        on.replace("text/app.md", "step {step} is", "step {stepp} is")
        on.replace("config/memory_compaction.md", "**immediate_window**: 64", "**immediate_window**: 8")
        on.write("world/locations/the-well.md", "---\ntype: location\n---\n# The Well\n\nCold.\n")
        assert [line.split(":")[0] for line in on.told] == [
            "(the vault) world/locations/the-library.md",
            "(the vault) text/app.md",
            "(the vault) config/memory_compaction.md",  # it is the file that was saved
        ]
        on.told.clear()
        on.replace("world/locations/the-garden.md", "[[The Loby]]", "[[The Lobby]]")
        on.replace("world/locations/the-garden.md", "[[The Lobby]]", "[[The Loby]]")
        assert [line.split(":")[0] for line in on.told] == [
            "(the vault) nothing is wrong in world/locations/the-garden.md any more",
            "(the vault) world/locations/the-garden.md",
        ]
        files = {problem.file for problem in on.reloading.everything()}
        assert files >= {"world/locations/the-garden.md", "world/locations/the-library.md", "prompts/think.md"}


async def test_what_was_wrong_at_the_start_is_not_told_again_with_another_files_mistakes(tmp_path: Path) -> None:
    path = copy_vault(tmp_path) / "world/locations/the-garden.md"
    write_atomic(path, path.read_text(encoding="utf-8").replace("[[The Lobby]]", "[[The Loby]]"))
    async with edited(tmp_path) as on:
        on.replace("world/locations/the-library.md", "type: location", "type: lokation")
        assert [line.split(":")[0] for line in on.told] == ["(the vault) world/locations/the-library.md"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("---\ntype: [location\n---\n# The Well\n\nCold.\n", "the-well.md:"),
        ("---\ntype: location\n---\nCold.\n", "it has no name"),
        ("---\ntype: lokation\n---\n# The Well\n\nCold.\n", "lokation"),
    ],
)
async def test_a_new_file_with_a_mistake_is_told_that_mistake_alone(tmp_path: Path, text: str, wrong: str) -> None:
    async with edited(tmp_path) as on:
        on.write("world/locations/the-well.md", text)
        (told,) = on.told
        assert wrong in told
        assert "no id" not in told


async def test_a_new_file_that_gets_its_id_is_told_of_once(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        told: asyncio.Queue[str] = asyncio.Queue()
        reloading = Reloading(home.parts, told.put_nowait)
        watching = asyncio.create_task(reloading.watcher.run())
        for name in ("mill", "well"):
            text = f"---\ntype: location\nexits:\n  up: '[[Nowhere]]'\n---\n# The {name.title()}\n\nCold.\n"
            write_atomic(home.parts.vault / f"world/locations/the-{name}.md", text)
            assert f"the-{name}.md:" in await asyncio.wait_for(told.get(), LONGEST)
        watching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await watching
        await reloading.stop()


async def test_of_a_large_vault_edits_of_those_who_were_left_closed_are_told_once_it_is_watched(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    for number in range(LARGE):
        text = f'---\nid: "#{100_000 + number}"\nlocation: "[[The Garden]]"\n---\n# Pebble {number}\n'
        (vault / f"world/items/pebble-{number}.md").write_text(text, "utf-8")
    async with house(tmp_path, RealClock()) as home:
        assert home.parts.is_large
        assert not home.minds.in_use()
        told: asyncio.Queue[str] = asyncio.Queue()
        reloading = Reloading(home.parts, told.put_nowait)
        watching = asyncio.create_task(reloading.watch())
        async with asyncio.timeout(LONGEST):
            for path, was, wrong in (
                ("agents/moss/agent.md", "voice: moss", "voice: mos"),
                ("text/engine.md", "Only {who} may", "Only {whom} may"),
            ):
                text, line = (vault / path).read_text("utf-8"), ""
                while path not in line:  # the first ones may come before it is watched
                    write_atomic(vault / path, text.replace(was, wrong, 1))
                    with suppress(TimeoutError):
                        line = await asyncio.wait_for(told.get(), 1.0)
                    assert home.parts.texts.variants("engine.refusals.not_yours") == ("Only {who} may use {verb}.",)
                    write_atomic(vault / path, text)
        watching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await watching
        await reloading.stop()


async def test_a_wrong_memory_is_told_when_it_is_saved_and_at_every_reload(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        (on.vault / "agents/moss/memories").mkdir(exist_ok=True)
        on.write("agents/moss/memories/05-kind.md", "---\nkind: nonsense\n---\nThe kettle sings.\n")
        assert ["05-kind.md" in line for line in on.told] == [True]
        for _ in range(2):
            assert [problem.file for problem in on.reloading.everything()] == ["agents/moss/memories/05-kind.md"]
        on.told.clear()
        on.replace("world/locations/the-garden.md", "[[The Lobby]]", "[[The Loby]]")
        assert not any("05-kind.md" in line for line in on.told)


async def test_a_voice_that_there_is_not_is_told_as_soon_as_it_is_saved_and_the_one_in_use_stays(
    tmp_path: Path,
) -> None:
    async with edited(tmp_path) as on:
        eliza = on.home.agent("Eliza")
        on.replace("agents/eliza/agent.md", "voice: eliza", "voice: elisa")
        line = 1 + (on.vault / "agents/eliza/agent.md").read_text(encoding="utf-8").split("\n").index("voice: elisa")
        told = (
            f"(the vault) agents/eliza/agent.md:{line}: voice: there are no texts for 'elisa'; "
            "expected one of corvin, default, eliza, gentle, gruff, merry, moss, tamsin; did you mean eliza?"
        )
        assert on.told == [told]
        assert eliza.definition.voice == "eliza"
        assert [f"(the vault) {problem}" for problem in on.reloading.everything()] == [told]
        with opened(on.vault, writable=False) as parts:
            assert [f"(the vault) {problem}" for problem in parts.problems] == [told]
        on.write("text/instinct/elisa.md", "# Elisa\n\n## Reply\n\n**short**: Yes.\n")
        assert eliza.definition.voice == "elisa"
        assert on.reloading.everything() == []


async def test_a_voice_that_was_missing_at_the_start_holds_no_other_edit_up(tmp_path: Path) -> None:
    path = copy_vault(tmp_path) / "agents/eliza/agent.md"
    write_atomic(path, path.read_text(encoding="utf-8").replace("voice: eliza", "voice: elisa"))
    async with edited(tmp_path) as on:
        on.replace("agents/eliza/agent.md", "A small woman", "A tall woman")
        assert "A tall woman" in on.home.engine.world.things["#2001"].description
        assert [problem.key for problem in on.reloading.everything()] == ["voice"]


@pytest.mark.parametrize(("key", "value"), [("profile", "sumarizer"), ("sleep_at", "25:00")])
async def test_a_setting_of_ones_own_that_names_nothing_changes_nothing_and_is_told(
    tmp_path: Path, key: str, value: str
) -> None:
    async with edited(tmp_path) as on:
        before = on.home.agent("Eliza").definition
        on.replace("agents/eliza/agent.md", "voice: eliza", f'voice: eliza\n{key}: "{value}"')
        (told,) = on.told
        assert f"{key}: " in told
        assert on.home.agent("Eliza").definition == before


async def test_a_voice_that_says_a_name_of_its_own_is_told_and_speaks_all_the_same(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        file = "text/instinct/eliza.md"
        on.replace(file, "- I am {me}. I ask", "- I am Eliza. I ask")
        (told,) = on.told
        assert f"{file}:" in told
        assert "self.who: it says the name Eliza" in told
        assert [problem.file for problem in on.reloading.everything()] == [file]
        assert any("I am Eliza." in text for text in on.home.voice("eliza", "self.who"))
        on.replace(file, "- I am Eliza. I ask", "- I am {me}. I ask")
        assert on.told[1:] == [f"(the vault) nothing is wrong in {file} any more"]


async def test_a_manner_that_is_none_changes_nothing_and_the_other_files_of_texts_are_taken_up(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        before = on.home.voice("default", "manner.explore")
        on.replace("text/instinct/default.md", "**explore**: sometimes", "**explore**: perhaps")
        (told,) = on.told
        assert "explore: expected one of never, seldom, sometimes, often, always" in told
        assert on.home.voice("default", "manner.explore") == before
        ann = on.home.enter("Ann")
        on.replace("text/commands.md", '**said**: You say, "{words}"', '**said**: You speak: "{words}"')
        assert on.told == [told]
        assert on.home.type(ann, "say hm").reply == 'You speak: "hm"'
        assert [f"(the vault) {problem}" for problem in on.reloading.everything()] == [told]


async def test_a_mistake_is_told_once_and_once_that_it_is_mended_whatever_is_saved_meanwhile(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        on.replace("prompts/dream.md", "{memories}", "{memmories}")
        told = len(on.told)
        assert all("prompts/dream.md" in line for line in on.told)
        on.replace("config/world.md", "**start_location**: The Garden", "**start_location**: The Library")
        on.replace("text/app.md", "step {step} is", "step {step} was")
        on.reloading.everything()
        on.replace("world/items/sundial.md", "type: item", "type: item ")
        assert len(on.told) == told
        on.replace("prompts/dream.md", "{memmories}", "{memories}")
        on.replace("text/app.md", "step {step} was", "step {step} is")
        assert on.told[told:] == ["(the vault) nothing is wrong in prompts/dream.md any more"]


async def test_what_comes_of_a_file_that_is_gone_is_told_when_it_stays_away(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        path = on.vault / "prompts/dream.md"
        kept = path.read_text(encoding="utf-8")
        path.unlink()
        on.noticed("prompts/dream.md")
        on.replace("text/app.md", "step {step} is", "step {step} was")
        await settle()
        assert on.told == []
        on.clock.advance(MISSING_FOR)
        await settle()
        assert on.told == ["(the vault) prompts/dream.md: it is missing or empty; expected the words of the prompt"]
        on.write("prompts/dream.md", kept)
        assert on.told[1:] == ["(the vault) nothing is wrong in prompts/dream.md any more"]
        on.write("prompts/dream.md", "")
        on.write("prompts/dream.md", kept)
        on.clock.advance(MISSING_FOR)
        await settle()
        assert len(on.told) == 2


async def test_an_agent_that_something_else_kept_out_comes_in_when_that_is_there(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        (on.vault / "agents/wren").mkdir()
        on.write("agents/wren/agent.md", '---\nlocation: "[[The Mill]]"\n---\n# Wren\n')
        assert "wren" not in on.home.minds.definitions
        on.write("world/locations/the-mill.md", "---\ntype: location\n---\n# The Mill\n\nIt turns.\n")
        here = on.home.engine.world.location_of(on.home.agent("Wren").id)
        assert here is not None
        assert here.name == "The Mill"
        assert on.told[1:] == ["(the vault) nothing is wrong in agents/wren/agent.md any more"]
