"""The inner life in a world: what a night brings, by rules and with a model; nothing twice, nothing believed."""

from __future__ import annotations

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
from agents.memory.entries import Entry
from agents.memory.history import IMPORTANCE, events, read_weighed
from agents.mind.sleep_schedule import fell_asleep
from agents.recall.recall import discard_index
from agents.reflection.dreams import NOTED
from agents.reflection.reflection import PAUSE, Reflection
from mud.clock import VirtualClock, iso
from mud.registry import Registry
from mud.world.events import Perception
from mud.world.roles import Role
from tests.houses import House, house, texts_of
from tests.settings import put
from tests.unit.agents.reflection.telling import reword
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
            home.minds.remembered(who.slug, written)


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
        hits, _ = await home.minds.search(home.agent("Eliza"), "brass key", 9, "memories")
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
        living.wake(eliza)
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
        assert await home.minds.fold(eliza, "manual") is not None
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
        living.wake(eliza)
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
        home.minds.remembered(eliza.slug, told)
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
        assert eliza.notes.titles() == []
        assert len(happened(eliza, IMPORTANCE)) == 1


async def test_no_note_tells_what_its_owner_did_not_perceive(tmp_path: Path) -> None:
    prepared(tmp_path, reflection_threshold=20)
    async with house(tmp_path) as home:
        eliza, moss = home.agent("Eliza"), home.agent("Moss")
        hear(home, moss, 2)
        for who in (eliza, moss):
            await night(home, who)
        assert eliza.notes.titles() == ["Dreams"]
        assert "herons" not in " ".join(texts_of(eliza))
        assert {"Tamsin", "Moss"} & set(moss.notes.titles()) == {"Tamsin"}, "nobody keeps a note on themselves"
