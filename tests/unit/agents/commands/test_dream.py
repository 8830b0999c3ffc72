"""The command `dream`: told to the dreamer alone; kept as a dream; with clear words when there is nothing."""

from __future__ import annotations

from pathlib import Path

from mud.world.roles import Role
from tests.houses import house, texts_of
from tests.settings import put
from tests.vaults import copy_vault, without_vectors


async def test_a_dream_is_told_to_the_dreamer_and_others_see_somebody_lost_in_thought(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with house(tmp_path) as home:
        ann, bob = home.enter("Ann"), home.enter("Bob")
        home.type(bob, "say The heron sleeps on one leg.")
        reply = (await home.ask(ann, "dream | I am tired", Role.GUEST)).reply
        assert reply.startswith("You dream: I was in ")
        kept = ann.memory.read(ann.memory.total, ann.memory.total)[0]
        assert (kept.kind, kept.text) == ("dream", reply.replace("You dream: ", "I dreamed: "))
        assert kept.reason == "I am tired"
        assert texts_of(bob)[-1] == "Ann is lost in thought."
        assert not any("dream" in text.casefold() for text in texts_of(bob))
        note = ann.notes.read("Dreams")
        assert note is not None
        assert reply.removeprefix("You dream: ") in note.text


async def test_who_lived_through_nothing_has_nothing_to_dream_of(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        step = await home.ask(home.enter("Ann"), "dream")
        assert step.failed
        assert step.reply.startswith("There is nothing to dream of yet")
        again = await home.ask(home.enter("Bob"), "dream")
        assert again.failed, "and no dream is made of dreams"


async def test_a_model_tells_it_where_there_is_one(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "llm/dream", backend="scripted", model="the heron had my face and asked for bread. / no")
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say Herons are odd.")
        assert (await home.ask(ann, "dream")).reply == "You dream: the heron had my face and asked for bread."
        assert (await home.ask(ann, "dream")).reply.startswith("You dream: I was in "), "a word is no dream"
        assert [row.task for row in home.parts.queue.budget.spending.rows()] == ["dreams"]


async def test_the_note_that_cannot_be_written_costs_nobody_the_dream(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say Herons are odd.")
        (ann.folder / "notes").write_text("no folder")
        assert (await home.ask(ann, "dream")).reply.startswith("You dream: ")
