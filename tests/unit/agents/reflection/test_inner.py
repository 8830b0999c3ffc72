"""The inner life in a world: what a night brings, by rules and with a model; nothing twice, nothing believed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agents.agent import Agent
from agents.llm.backend import Backend
from agents.llm.backends.scripted import ScriptedModel, Turn
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue
from agents.memory.archive import Archive
from agents.memory.entries import Entry
from agents.memory.history import IMPORTANCE, events, read_weighed
from agents.mind.settings import fell_asleep
from agents.recall.recall import discard_index
from agents.reflection import AFTER_FAILURE, LONGEST_REPLY, PAUSE, Reflection
from agents.reflection.dreams import NOTED
from agents.reflection.progress import standing_of
from mud.clock import VirtualClock, iso
from mud.registry import Registry
from mud.world.events import Perception
from mud.world.roles import Role
from tests.disks import file_size_limit
from tests.houses import House, house, texts_of
from tests.settings import put
from tests.unit.agents.reflection.telling import heard, reword
from tests.vaults import copy_vault, without_vectors

AT = "2026-01-01T00:00:00.000Z"
DREAM = "I dreamed: "
TALK = (
    ("Moss", "I mend clocks, and I live in the old mill."),
    ("Moss", "My brass key is under the bench."),
    ("Tamsin", "Where is the brass key, does anybody know?"),
    ("Tamsin", "I will bake a plum cake for you."),
    ("Corvin", "The brass key is now in the loft."),
    ("Tamsin", "I have baked the plum cake, here it is."),
    ("Moss", "I am afraid of herons."),
    ("Corvin", "It rains."),
)


def hear(home: House, who: Agent, times: int = 1) -> None:
    """Have somebody hear the talk, as steps of the world leave it."""
    for _ in range(times):
        for actor, words in TALK:
            text = f'{actor} says, "{words}"'
            written = who.memory.append(
                [Perception(who.id, "heard", text, actor, "The Garden")], AT, home.engine.number
            )
            home.minds.remembered(who, written)


async def night(home: House, who: Agent, inner: Reflection | None = None) -> None:
    """Have somebody fall asleep and lie till all is done."""
    inner = inner or home.minds.inner
    if not home.minds.sleeps(who.id):
        home.type(who, "sleep", Role.AGENT)
    inner.asleep(who, home.engine)
    await inner.settle()


def of_kind(who: Agent, kind: str) -> list[Entry]:
    return [entry for entry in who.memory.read(1, who.memory.total) if entry.kind == kind]


def happened(who: Agent, name: str) -> list[dict[str, object]]:
    return [one for _, one in events(who.folder / "archive", 1, who.memory.total) if one["event"] == name]


def asking(home: House, script: Sequence[Turn], max_tokens: int = 400, num_ctx: int = 8192) -> Reflection:
    """Return the inner life of a house over a model that does as a test says, each call by the next of a script."""
    model = ScriptedModel(script)
    backend = Backend("scripted", "Scripted.", lambda profile: model)
    profile = LLMProfile(
        backend="scripted", host="a", timeout=60, stop=("\n\n", "\n#"), max_tokens=max_tokens, num_ctx=num_ctx
    )
    means = home.minds.means
    models = ModelQueue(lambda name: profile, Registry("backend", [backend]), means.clock)
    inner = Reflection(replace(means, models=models))
    assert inner.load() == []
    return inner


def prepared(folder: Path, reply: str | None = None, **settings: int | bool) -> Path:
    """Return a vault without vectors, with settings of the inner life and, for a reply, a model that says it."""
    vault = without_vectors(copy_vault(folder))
    put(vault, "inner_life", **settings)
    put(vault, "llm/dream", backend="scripted", model=reply or "")
    return vault


async def test_a_night_weighs_reflects_notes_and_dreams_by_rules_and_only_once(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=20)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await night(home, eliza)
        weights = {entry.seq: entry.importance for entry in read_weighed(eliza.memory, 1, 8)}
        assert weights[2] > eliza.memory.read(2, 2)[0].importance, "it was asked about"
        thoughts = [entry.text for entry in of_kind(eliza, "thought")]
        assert "I have come to think: Tamsin keeps promises. (memories 4, 6)" in thoughts
        assert any("Things changed" in text and text.endswith("(memories 2, 5)") for text in thoughts)
        (dream,) = of_kind(eliza, "dream")
        assert dream.text.startswith(DREAM)
        note = eliza.notes.read("Moss")
        assert note is not None
        assert "Moss said: I am afraid of herons. [eliza#7]" in note.text
        dreams = eliza.notes.read("Dreams")
        assert dreams is not None
        assert dream.text.removeprefix(DREAM) in dreams.text
        before = texts_of(eliza), (eliza.folder / "notes/moss.md").read_text()
        await night(home, eliza)
        assert (texts_of(eliza), (eliza.folder / "notes/moss.md").read_text()) == before
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        await night(home, eliza)
        assert texts_of(eliza) == before[0], "and a new start repeats nothing"


async def test_everything_by_rules_is_the_same_for_the_same_life(tmp_path: Path) -> None:
    lives = []
    for name in ("one", "two"):
        prepared(tmp_path / name, reflection_threshold=20)
        async with house(tmp_path / name) as home:
            hear(home, home.agent("Eliza"), 3)
            await night(home, home.agent("Eliza"))
            lives.append(texts_of(home.agent("Eliza")))
    assert lives[0] == lives[1]


async def test_an_index_made_anew_weighs_as_the_old_one_did(tmp_path: Path) -> None:
    vault = prepared(tmp_path)

    async def found(home: House) -> dict[int | None, int]:
        await home.minds.catch_up(home.agent("Eliza"))
        hits, _ = await home.parts.recall.search(home.agent("Eliza").id, "brass key", 9, "memories")
        return {hit.seq: hit.entry.importance for hit in hits if hit.entry is not None}

    async with house(tmp_path) as home:
        hear(home, home.agent("Eliza"))
        before = await found(home)
        await night(home, home.agent("Eliza"))
        after = await found(home)
        assert any(after[seq] > value for seq, value in before.items())
    discard_index(vault)
    async with house(tmp_path) as home:
        assert await found(home) == after


async def test_of_a_model_only_numbers_for_shown_memories_are_taken(tmp_path: Path) -> None:
    prepared(tmp_path, "\n".join(f"{seq}: {10 if seq == 8 else 2}" for seq in range(1, 99)), nightly_dream=False)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await night(home, eliza)
        assert [entry.importance for entry in read_weighed(eliza.memory, 1, 8)] == [2, 2, 2, 2, 2, 2, 2, 10]
        (event,) = happened(eliza, IMPORTANCE)
        assert event["method"] == "model"
        spent = [row.task for row in home.parts.queue.budget.spending.rows()]
        assert spent == ["reflections"]


@pytest.mark.parametrize("reply", ["I do not know.", "1: 5\n2: 5", "x" * 4000, ""])
async def test_a_model_that_says_nothing_of_use_leaves_it_to_the_rules(tmp_path: Path, reply: str) -> None:
    prepared(tmp_path, reply, reflection_threshold=20)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await night(home, eliza)
        (event,) = happened(eliza, IMPORTANCE)
        assert event["method"] == "rules"
        assert any("Tamsin keeps promises" in entry.text for entry in of_kind(eliza, "thought"))
        assert len(of_kind(eliza, "dream")) == 1


async def test_an_insight_of_a_model_is_kept_when_its_memories_bear_it_out(tmp_path: Path) -> None:
    reply = "I can rely on Tamsin for plum cake. (memories 4, 6)\nOtto is a thief. (memories 1)"
    prepared(tmp_path, reply, reflection_threshold=20, nightly_dream=False)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await night(home, eliza)
        kept = [entry.text for entry in of_kind(eliza, "thought")]
        assert kept == ["I have come to think: I can rely on Tamsin for plum cake. (memories 4, 6)"]
        home.type(eliza, "wake", Role.AGENT)
        shown = (await home.ask(eliza, "@archive 4")).reply
        assert "plum cake" in shown


async def test_awake_it_reflects_when_enough_was_lived_and_not_again_for_a_while(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=30)
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        eliza, inner = home.agent("Eliza"), home.minds.inner
        inner.idle(eliza, home.engine)
        await inner.settle()
        assert of_kind(eliza, "thought") == []
        for expected in (True, False):
            before = len(happened(eliza, "reflection"))
            hear(home, eliza, 2)
            inner.idle(eliza, home.engine)
            await inner.settle()
            assert (len(happened(eliza, "reflection")) > before) is expected
        clock.advance(PAUSE)
        inner.idle(eliza, home.engine)
        await inner.settle()
        assert len(happened(eliza, "reflection")) == 2
        texts = [entry.text.partition(" (")[0] for entry in of_kind(eliza, "thought")]
        assert len(texts) == len(set(texts)), "nobody comes to the same insight twice"


async def test_what_came_in_sleep_does_not_put_off_the_waking(tmp_path: Path) -> None:
    prepared(tmp_path)
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        home.type(eliza, "sleep", Role.AGENT)
        slept = iso(clock.now())
        clock.advance(900)
        await night(home, eliza)
        assert of_kind(eliza, "dream")
        assert fell_asleep(eliza.memory) == slept


async def test_a_dream_that_was_dreamed_is_no_answer_and_no_part_of_a_summary(tmp_path: Path) -> None:
    prepared(tmp_path, "The silver whistle lies in the boathouse, said Moss, and nobody blew it.")
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await night(home, eliza)
        assert "whistle" in of_kind(eliza, "dream")[0].text
        home.type(eliza, "wake", Role.AGENT)
        living = home.living(override="instinct")
        ann = home.enter("Ann")
        living.begin(eliza)
        answers = []
        for question in ("where is the silver whistle?", "what did Moss say about the silver whistle?"):
            home.type(ann, f"say Eliza, {question}")
            for _ in range(3):
                step = await living.act(eliza, waiting=True)
                answers.append(f"{step.line}" if step is not None else "")
        assert any(answer.startswith(("say", "whisper", "tell")) for answer in answers), answers
        assert not any("boathouse" in answer.casefold() for answer in answers)
        for number in range(70):
            home.type(ann, f"say Today is day {number} of the plum harvest.")
        assert await home.minds.fold(eliza) is not None
        assert eliza.memory.recent is not None
        assert "whistle" not in eliza.memory.recent.text


async def test_reading_of_a_dream_makes_no_fact_of_it(tmp_path: Path) -> None:
    prepared(tmp_path, "The silver whistle hangs under the third flowerpot of the old mill.")
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await night(home, eliza)
        home.type(eliza, "wake", Role.AGENT)
        assert "flowerpot" in (await home.ask(eliza, "notes Dreams", Role.AGENT)).reply
        living, ann = home.living(override="instinct"), home.enter("Ann")
        living.begin(eliza)
        home.type(ann, "say Eliza, where is the silver whistle?")
        steps = [await living.act(eliza, waiting=True) for _ in range(3)]
        assert not any("flowerpot" in (step.line or "") for step in steps if step is not None)
        await night(home, eliza)
        assert not any("flowerpot" in note.text for note in eliza.notes.all() if note.title != "Dreams")


async def test_what_was_whispered_is_neither_reflected_on_nor_dreamed_of(tmp_path: Path) -> None:
    secret = 'Anna whispers to you, "I keep the pearl necklace under the bath tub."'
    prepared(tmp_path, "Anna keeps the pearl necklace under the bath tub. (memory 9)", reflection_threshold=20)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        told = eliza.memory.append([Perception(eliza.id, "told", secret, "Anna", "The Garden")], AT, 0)
        home.minds.remembered(eliza, told)
        assert told[0].seq == 9
        await night(home, eliza)
        assert happened(eliza, "reflection")
        assert not any("necklace" in entry.text for entry in of_kind(eliza, "thought"))


async def test_rewording_what_a_whisper_and_a_note_say_tells_nobody_what_is_private(tmp_path: Path) -> None:
    vault = prepared(tmp_path, reflection_threshold=20)
    reword(vault, "commands", "whisper", whispered='Du raunst {name} zu: "{words}"')
    reword(vault, "minds", "notes", kept="Deine Notiz: {text}")
    reword(vault, "minds", "recall", found="Du suchst: {query} und findest:")
    async with house(tmp_path) as home:
        eliza, ann = home.agent("Eliza"), home.enter("Ann")
        prompts: list[str] = []

        async def ask(prompt: str) -> str:
            prompts.append(prompt)
            return "Well."

        inner = asking(home, [ask] * 9)
        hear(home, eliza)
        home.type(eliza, "whisper Ann The pearl necklace hangs in the loft.", Role.AGENT)
        await home.ask(eliza, "note Moss -> The pearl necklace is what Moss wants.", Role.AGENT)
        await home.ask(eliza, "notes Moss", Role.AGENT)
        home.type(ann, "whisper Eliza The silver whistle is buried here.")
        await home.ask(eliza, "recall silver whistle", Role.AGENT)
        assert any("Du raunst" in text for text in texts_of(eliza))
        assert any("Deine Notiz" in text for text in texts_of(eliza))
        assert any("Du suchst:" in text and "buried" in text for text in texts_of(eliza))
        await night(home, eliza, inner)
        weighing, *told_on = prompts
        assert "necklace" in weighing, "what it weighs is its own"
        assert len(told_on) == 2, "reflection and dream"
        assert not any(word in prompt for prompt in told_on for word in ("necklace", "whistle"))
        garden = eliza.notes.read("The Garden")
        assert not any(word in (garden.text if garden else "") for word in ("necklace", "whistle", "Du suchst"))


async def test_what_a_search_showed_is_noted_nowhere(tmp_path: Path) -> None:
    prepared(tmp_path)
    async with house(tmp_path) as home:
        eliza, ann = home.agent("Eliza"), home.enter("Ann")
        hear(home, eliza)
        home.type(ann, "whisper Eliza The silver whistle is buried here.")
        await home.ask(eliza, "recall Ann: silver whistle", Role.AGENT)
        assert "buried" in texts_of(eliza)[-1]
        await night(home, eliza)
        notes = [path.read_text() for path in eliza.folder.glob("notes/*.md")]
        assert notes
        assert not any("whistle" in text for text in notes)


async def test_the_note_of_dreams_keeps_the_newest_and_what_people_wrote(tmp_path: Path) -> None:
    prepared(tmp_path)
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        eliza = home.agent("Eliza")
        path = eliza.folder / "notes/dreams.md"
        for number in range(2 * NOTED):
            clock.advance(86400)
            home.minds.inner.write_down(eliza, f"Dream {number} of many.", "The Garden")
            if number == 1:
                path.write_text(path.read_text().replace("1 of many.", "1 of many.\n\nThis one came true!"))
                path.write_text(f"{path.read_text()}\n## About dreams\n\nThey come and go.\n")
        text = path.read_text()
        kept = [int(number) for number in re.findall(r"Dream (\d+) of many", text)]
        assert kept == [*range(2 * NOTED - 1, NOTED - 1, -1), 1]
        assert "This one came true!" in text
        assert text.endswith("\n## About dreams\n\nThey come and go.\n")


async def test_nothing_begins_while_memories_wait_to_be_written_or_a_setting_says_never(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=0, nightly_dream=False, own_notes=False)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza, 4)
        await night(home, eliza)
        assert of_kind(eliza, "dream") == of_kind(eliza, "thought") == []
        assert eliza.notes.titles() == ()
        assert len(happened(eliza, IMPORTANCE)) == 1


async def test_no_note_tells_what_its_owner_did_not_perceive(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=20)
    async with house(tmp_path) as home:
        eliza, moss = home.agent("Eliza"), home.agent("Moss")
        hear(home, moss, 2)
        for who in (eliza, moss):
            await night(home, who)
        assert eliza.notes.titles() == ("Dreams",)
        assert "herons" not in " ".join(texts_of(eliza))
        assert {"Tamsin", "Moss"} & set(moss.notes.titles()) == {"Tamsin"}, "nobody keeps a note on themselves"


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
        hits, _ = await home.parts.recall.search(eliza.id, "brass key plum cake", 20, "memories", by="words")
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


async def test_given_up_anywhere_and_begun_again_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    for turns in range(12):
        folder = tmp_path / str(turns)
        prepared(folder, "It rains in my sleep, and it rains for ever and ever.", reflection_threshold=20)
        async with house(folder) as home:
            eliza = home.agent("Eliza")
            hear(home, eliza)
            home.type(eliza, "sleep", Role.AGENT)
            home.minds.inner.asleep(eliza, home.engine)
            for _ in range(turns):
                await asyncio.sleep(0)
            home.minds.inner.interrupt("eliza")
            await home.minds.inner.settle()
        async with house(folder) as home:
            eliza = home.agent("Eliza")
            await night(home, eliza)
            assert len(of_kind(eliza, "dream")) == 1
            thoughts = [entry.text for entry in of_kind(eliza, "thought")]
            assert thoughts
            assert len(thoughts) == len(set(thoughts))
            note = (eliza.folder / "notes/moss.md").read_text()
            assert note.count("[eliza#7]") == 1


async def test_weighing_given_up_anywhere_is_done_once_and_leaves_archive_and_index_as_if_it_had_not_been(
    tmp_path: Path,
) -> None:
    ratings = "\n".join(f"{seq}: {9 if seq == 8 else 2}" for seq in range(1, 9))
    found = []
    for turns in (None, *range(24)):
        folder = tmp_path / str(turns)
        prepared(folder, nightly_dream=False, own_notes=False, reflection_threshold=0)
        async with house(folder) as home:
            eliza = home.agent("Eliza")
            hear(home, eliza)
            await home.minds.catch_up(eliza)
            inner = asking(home, [ratings] * 9)
            home.type(eliza, "sleep", Role.AGENT)
            inner.asleep(eliza, home.engine)
            for _ in range(turns or 0):
                await asyncio.sleep(0)
            if turns is not None:
                inner.interrupt("eliza")
            await inner.settle()
            again = len(happened(eliza, IMPORTANCE))
            await night(home, eliza, inner)
        async with house(folder) as home:  # as after a kill: what is known is what was written
            eliza = home.agent("Eliza")
            await night(home, eliza, asking(home, [ratings.replace("9", "1")] * 9))
            events_kept = happened(eliza, IMPORTANCE)
            assert len(events_kept) == 1, (turns, again)
            await home.minds.catch_up(eliza)
            hits, _ = await home.parts.recall.search(eliza.id, "brass key rains herons cake", 9, "memories")
            indexed = {hit.seq: hit.entry.importance for hit in hits if hit.entry is not None}
            found.append((events_kept[0]["values"], texts_of(eliza), sorted(indexed.items())))
            weights = {entry.seq: entry.importance for entry in read_weighed(eliza.memory, 1, 8)}
            assert {seq: weights[seq] for seq in indexed if seq in weights} == {
                seq: value for seq, value in indexed.items() if seq in weights
            }
    assert all(one == found[0] for one in found), "given up or not, it comes to the same"


@pytest.mark.parametrize(("junk", "method"), [(LONGEST_REPLY - 100, "model"), (LONGEST_REPLY, "rules")])
async def test_of_an_endless_reply_only_the_beginning_is_looked_at(tmp_path: Path, junk: int, method: str) -> None:
    prepared(tmp_path, nightly_dream=False, own_notes=False, reflection_threshold=0)
    reply = "x" * (junk - 1) + "\n" + "\n".join(f"{seq}: 9" for seq in range(1, 9)) + "\n" + "y" * 100_000
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await night(home, eliza, asking(home, [reply], max_tokens=60_000, num_ctx=200_000))
        (event,) = happened(eliza, IMPORTANCE)
        assert event["method"] == method


async def test_nothing_begins_while_memories_wait_for_room_on_the_disk(tmp_path: Path) -> None:
    prepared(tmp_path)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        home.type(eliza, "sleep", Role.AGENT)
        (file,) = (eliza.folder / "archive").glob("*.jsonl")
        with file_size_limit(file.stat().st_size):
            eliza.memory.append([Perception(eliza.id, "heard", "x", "Moss", None)], AT, home.engine.number)
        assert eliza.memory.waiting
        home.minds.inner.asleep(eliza, home.engine)
        await home.minds.inner.settle()
        assert happened(eliza, IMPORTANCE) == []
        eliza.memory.retry()
        await night(home, eliza)
        assert len(happened(eliza, IMPORTANCE)) == 1


async def test_what_came_to_nothing_on_a_full_disk_is_tried_again_after_a_while(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    prepared(tmp_path)
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        home.type(eliza, "sleep", Role.AGENT)
        (file,) = (eliza.folder / "archive").glob("*.jsonl")
        with file_size_limit(file.stat().st_size):
            await night(home, eliza)
        await night(home, eliza)
        assert happened(eliza, IMPORTANCE) == [], "not at once"
        clock.advance(AFTER_FAILURE)
        await night(home, eliza)
        assert len(happened(eliza, IMPORTANCE)) == 1
        assert caplog.text.count("the inner life came to nothing") == 1


async def test_who_is_woken_out_of_a_dream_does_not_remember_it(tmp_path: Path) -> None:
    prepared(tmp_path, own_notes=False, reflection_threshold=0)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)

        async def woken(prompt: str) -> str:
            home.type(eliza, "wake", Role.AGENT)
            return "I flew over the mill with Moss, and the key sang to us."

        await night(home, eliza, asking(home, ["1: 1", woken]))
        assert of_kind(eliza, "dream") == []
        await night(home, eliza)
        assert len(of_kind(eliza, "dream")) == 1
