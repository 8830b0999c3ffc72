"""What the inner life goes by, and what it tells of: prompts and profiles as people edit them, and the index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agents.llm.backend import Backend
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue
from agents.memory.archive import Archive
from agents.memory.history import read_weighed
from agents.reflection.progress import standing_of
from agents.reflection.reflection import Reflection
from mud.registry import Registry
from tests.houses import House, house
from tests.unit.agents.reflection.telling import heard
from tests.unit.agents.reflection.test_inner import hear, night, prepared


def scripted(home: House, model: ScriptedModel, asked: list[str]) -> Reflection:
    """Return the inner life of a house over a model, which notes the profiles that are asked for."""

    def profile(name: str) -> LLMProfile:
        asked.append(name)
        return LLMProfile(backend="scripted", host="a", timeout=60)

    means = home.minds.means
    backend = Backend("scripted", "Scripted.", lambda one: model)
    models = ModelQueue(profile, Registry("backend", [backend]), means.clock)
    inner = Reflection(replace(means, models=models))
    assert inner.load() == []
    return inner


async def test_a_night_is_told_to_recall_at_once_and_counted_for_the_next_reflection(tmp_path: Path) -> None:
    prepared(tmp_path, nightly_dream=False, own_notes=False, reflection_threshold=1000)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await home.parts.recall.start(vectors=False)
        await home.minds.catch_up(eliza)
        before = eliza.memory.read(1, eliza.memory.total)
        await night(home, eliza)
        after = {entry.seq: entry.importance for entry in read_weighed(eliza.memory, 1, len(before))}
        changed = [entry.seq for entry in before if after[entry.seq] != entry.importance]
        assert changed
        hits, _ = await home.minds.search(eliza, "brass key plum cake", 20, "memories", by="words")
        found = {hit.seq: hit.entry.importance for hit in hits if hit.entry is not None and hit.seq in after}
        assert found.keys() & set(changed)
        assert found == {seq: after[seq] for seq in found if seq is not None}
        told = home.minds.inner.told(eliza)
        assert told is not None
        assert told["reflection_sum"] == standing_of(eliza.folder / "archive", eliza.memory.total).sum
        assert told["reflection_sum"] >= sum(after.values())


async def test_a_prompt_that_is_edited_counts_from_the_next_night_on_and_a_wrong_one_changes_nothing(
    tmp_path: Path,
) -> None:
    vault = prepared(tmp_path, own_notes=False, reflection_threshold=0)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        model = ScriptedModel(["1: 1"] * 9)
        inner = scripted(home, model, [])
        for text, seen in (("Weigh, {name}:\n{memories}\n", "Weigh, Eliza:"), ("Weigh {nobody}.\n", "Weigh, Eliza:")):
            (vault / "prompts/importance.md").write_text(text, "utf-8")
            model.prompts.clear()
            hear(home, eliza)
            await night(home, eliza, inner)
            assert model.prompts[0].startswith(seen)


async def test_the_summarizers_profile_is_asked_where_a_vault_has_none_for_dreams(tmp_path: Path) -> None:
    vault = prepared(tmp_path, nightly_dream=False, own_notes=False, reflection_threshold=0)
    async with house(tmp_path) as home:
        eliza, asked = home.agent("Eliza"), list[str]()
        model = ScriptedModel(["1: 1"] * 9)
        hear(home, eliza)
        await night(home, eliza, scripted(home, model, asked))
        assert set(asked) == {"dream"}
        (vault / "config/llm/dream.md").unlink()
        assert home.parts.configuration.load() == []
        asked.clear()
        hear(home, eliza)
        await night(home, eliza, scripted(home, model, asked))
        assert set(asked) == {"summarizer"}
        assert len(model.prompts) == 2


def test_a_life_is_known_to_its_end_though_its_last_memories_cannot_be_read(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive")
    archive.open(writable=True)
    archive.append([heard(seq, "Moss", "It rains.") for seq in range(1, 4)])
    archive.close()
    (path,) = (tmp_path / "archive").iterdir()
    path.write_bytes(path.read_bytes() + b'{"seq":4,"at":\n')
    far = standing_of(tmp_path / "archive", 4)
    assert (far.lived, far.through) == (3, 4)
