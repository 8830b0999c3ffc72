from __future__ import annotations

from pathlib import Path

import pytest

from agents.definition import write_definition
from agents.life.prompting import Related
from agents.prompt.prompt import Prompt
from mud.errors import Refusal
from mud.server.wiring import RealClock
from mud.storage.files import write_atomic
from mud.world.roles import Role
from tests.houses import House, house
from tests.pasts import speeches
from tests.settings import put, put_own
from tests.vaults import copy_vault, without_vectors


async def _prompt(home: House, name: str) -> Prompt:
    return await home.parts.prompting.next_prompt(home.agent(name))


async def test_a_prompt_holds_who_one_is_what_was_lived_and_where_one_stands(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say the pears are ripe")
        prompt = await _prompt(home, "Eliza")
        assert prompt.text.endswith("~Eliza>")
        assert "You keep the garden" in prompt.text
        assert 'Ann says, "the pears are ripe"' in prompt.text
        assert "The Garden" in prompt.text
        assert prompt.tokens <= prompt.window - prompt.reserve


async def test_what_one_did_is_told_with_you_in_a_prompt_and_stays_as_it_was_in_the_archive(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        home.type(ann, "emote smiles at Eliza")
        home.type(eliza, "emote smiles at Ann | to be kind", Role.AGENT)
        seen, shown = (await _prompt(home, "Eliza")).text, "You smile at Ann. (your reason: to be kind)"
        assert f"Ann smiles at Eliza.\n{shown}" in seen
        assert eliza.memory.newest(1)[0].text == "Eliza smiles at Ann."
        home.type(eliza, "emote waves", Role.AGENT)
        assert f"{shown}\nYou wave." in (await _prompt(home, "Eliza")).text


async def test_a_prompt_that_is_looked_at_is_the_one_of_a_thought_folds_and_all(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        put(home.parts.vault, "memory_compaction", strategy="sleep", emergency_threshold=0.1, preserve_entries=2)
        home.parts.configuration.load()
        eliza = home.agent("Eliza")
        eliza.memory.append_raw([{"text": f"The {number}. pear fell into the long grass."} for number in range(300)])
        assert eliza.compactor.emergency()
        looked_at = await _prompt(home, "Eliza")
        assert eliza.memory.compactions > 0
        assert looked_at.text == home.parts.prompting.build(eliza, Related(), thinks=True).text


async def test_only_what_an_agent_may_do_is_offered(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        prompt = await _prompt(home, "Eliza")
        assert "say <words>" in prompt.text
        for name in ("@save", "@impersonate", "quit"):
            assert f"{name} " not in prompt.text


async def test_what_is_not_shown_of_a_life_is_marked_where_the_transcript_begins(tmp_path: Path) -> None:
    prompt = await _of_300_thoughts(tmp_path, "sliding_window")
    assert prompt.shown == (297, 301)
    assert "[memories 1-296 are in your archive: @archive 1-296]\n" in prompt.text
    assert prompt.shed == ()


async def test_a_prompt_shows_what_it_has_room_for_however_little_is_held_in_ram(tmp_path: Path) -> None:
    prompt = await _of_300_thoughts(tmp_path, "none")
    assert (prompt.shown, prompt.shed) == ((1, 301), ())


async def _of_300_thoughts(folder: Path, strategy: str) -> Prompt:
    """Return the prompt of somebody who thought that often and holds 64 memories in RAM."""
    async with house(folder, RealClock()) as home:
        eliza = home.agent("Eliza")
        put_own(home.parts.vault, "eliza", strategy=strategy, runtime_cap=64)
        assert home.minds.load_definition("eliza") == []
        home.enter("Ann")
        for number in range(301 - eliza.memory.total):
            home.type(eliza, f"think of pear {number}", Role.AGENT)
        return await _prompt(home, "Eliza")


async def test_ones_own_reason_is_told_to_oneself_alone(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        home.enter("Ann")
        home.type(home.agent("Eliza"), "say good day | she looks cold", Role.AGENT)
        assert "(your reason: she looks cold)" in (await _prompt(home, "Eliza")).text
        assert "she looks cold" not in (await _prompt(home, "Ann")).text


async def test_the_next_prompt_has_an_edited_template_and_a_broken_one_changes_nothing(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        path = home.parts.vault / "prompts/think.md"
        text = path.read_text(encoding="utf-8")
        write_atomic(path, "Be brief, always.\n" + text)
        assert home.parts.templates.load() == []
        assert "Be brief, always." in (await _prompt(home, "Eliza")).text
        write_atomic(path, text.replace("{transcript}", "{transkript}"))
        assert {problem.file for problem in home.parts.templates.load()} == {"prompts/think.md"}
        assert "Be brief, always." in (await _prompt(home, "Eliza")).text


async def test_the_order_of_a_prompt_is_a_setting_of_each_agent(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        classic = home.parts.vault / "prompts/think_classic.md"
        write_atomic(classic, "The classic order.\n" + classic.read_text(encoding="utf-8"))
        assert home.parts.templates.load() == []
        path = home.parts.vault / "agents/eliza/agent.md"
        text = path.read_text(encoding="utf-8")
        assert "The classic order." not in (await _prompt(home, "Eliza")).text
        write_atomic(path, text.replace("type: agent", "type: agent\nprompt_order: classic"))
        assert home.minds.load_definition("eliza") == []
        assert "The classic order." in (await _prompt(home, "Eliza")).text
        assert "The classic order." not in (await _prompt(home, "Moss")).text


async def test_a_note_that_fits_the_present_is_in_the_prompt(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        home.minds.add_note(eliza, "Ulric", "Ulric hides the oak cradle in the mill loft.", None)
        await home.minds.catch_up(eliza)
        ann = home.enter("Ann")
        home.type(ann, "say have you heard of Ulric and the oak cradle?")
        assert "mill loft" in (await _prompt(home, "Eliza")).text
        assert "mill loft" not in (await _prompt(home, "Ann")).text


async def test_one_who_is_nowhere_has_no_prompt_but_a_sentence(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        slug = write_definition(home.parts.vault / "agents", "Ann", home.engine.world.new_id(), person=True)
        assert home.minds.load_definition(slug) == []
        with pytest.raises(Refusal, match="Ann is nowhere just now"):
            await _prompt(home, "Ann")


async def test_one_who_is_away_is_asked_as_from_where_they_left(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        there = await _prompt(home, "Ann")
        home.engine.leave(ann.definition.thing())
        away = await _prompt(home, "Ann")
        for section in ("The Garden", "Eliza"):
            assert section in there.text
            assert section in away.text


async def test_what_one_wants_is_in_the_prompt(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        path = home.parts.vault / "agents/eliza/agent.md"
        write_atomic(path, path.read_text(encoding="utf-8").replace("type: agent", "type: agent\ngoal: find the fin"))
        assert home.minds.load_definition("eliza") == []
        assert "What you want: find the fin" in (await _prompt(home, "Eliza")).text


async def test_a_note_that_was_just_written_is_not_shown_again_as_related(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        await home.ask(eliza, "note Sundial -> The fin of the sundial is missing.")
        assert (await home.parts.prompting.related(eliza)).notes == ()
        path = eliza.folder / "notes" / "sundial.md"
        path.write_text(
            path.read_text(encoding="utf-8") + "\n## 2025-01-01\n\nIt was made in 1790.\n", encoding="utf-8"
        )
        home.minds.index_documents(eliza)
        assert [note.title for note in (await home.parts.prompting.related(eliza)).notes] == ["Sundial"]


@pytest.mark.parametrize("window", [2048, 4096, 8192])
async def test_a_life_of_long_lines_shows_two_past_times_that_tell_of_the_past_in_whole_sentences(
    tmp_path: Path, window: int
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "memory_compaction", immediate_window=2, recent_window=8)
    put(vault, "llm/think", num_ctx=window)
    async with house(tmp_path) as home:
        tamsin, found = home.agent("Tamsin"), []
        for number, memory in enumerate(speeches(48)):
            tamsin.memory.append_raw([memory])
            tamsin.compactor.fold_due_now()
            if number >= 30 and number % 3 == 0:
                await home.minds.catch_up(tamsin)
                found.append(await _prompt(home, "Tamsin"))
    assert found
    for prompt in found:
        shown = [
            one
            for section in prompt.sections
            if section.name == "experiences"
            for one in section.text.split("\n- ")[1:]
        ]
        full = [words for words in prompt.shed if "related experience" in words]
        assert all(one.count('"') >= 4 or one.count(". ") >= 1 for one in shown)
        assert not any("beyond" in words for words in full)
        assert len(shown) == 2 or (full and window == 2048), "only a prompt that is full of memories shows fewer"
        assert ' says, "' not in " ".join(shown)
    assert any(prompt.text.count(" (memories ") == 2 for prompt in found)
