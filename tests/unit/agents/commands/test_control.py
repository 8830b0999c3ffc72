from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from agents.llm.backend import Completion
from mud.server.reloading import Reloading
from mud.storage.files import write_atomic
from mud.world.roles import Role
from tests.houses import House, house, texts_of


@asynccontextmanager
async def watched(tmp_path: Path) -> AsyncIterator[House]:
    """Open a house whose vault is watched, as that of a running world is; what is told fails the test."""
    async with house(tmp_path) as home:
        told: list[str] = []
        reloading = Reloading(home.parts, told.append)
        try:
            yield home
        finally:
            await reloading.stop()
        assert told == []


def moved(vault: Path) -> list[str]:
    return sorted(path.name for path in (vault / ".trash").iterdir()) if (vault / ".trash").exists() else []


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


async def _lived(home: House) -> None:
    """Give Eliza a life with a fold and a note."""
    eliza = home.agent("Eliza")
    for number in range(140):
        home.type(eliza, f"think of the greenhouse, {number}", Role.AGENT)
    await home.ask(eliza, "note Pears -> The pears by the kitchen ripen first.", Role.AGENT)
    eliza.compactor.fold_due_now()
    assert eliza.memory.watermark == 65


async def test_everything_of_somebody_moves_into_the_trash_as_it_is(tmp_path: Path) -> None:
    async with watched(tmp_path) as home:
        ann = home.enter("Ann")
        await _lived(home)
        eliza, vault = home.agent("Eliza"), home.parts.vault
        before = files(eliza.folder)
        answer = await home.ask(ann, "@forget eliza")
        stamp = f"{home.parts.clock.now():%Y%m%d-%H%M%S}"
        assert moved(vault) == [f"eliza-{stamp}"]
        assert files(vault / ".trash" / f"eliza-{stamp}") == before
        assert answer.reply == (
            f"Eliza is gone. Nothing was deleted: everything lies in .trash/eliza-{stamp} of the vault; "
            "move that folder to agents/eliza, and Eliza is back with every memory."
        )
        assert not eliza.folder.exists()
        assert home.engine.world.location_of(eliza.id) is None
        assert home.minds.find("Eliza") is None
        assert "Eliza" not in home.type(ann, "who").reply
        assert not home.type(ann, "say Is anybody there?").failed
        home.parts.save()
    async with house(tmp_path) as home:
        assert home.minds.find("Eliza") is None
        assert home.parts.problems == []


async def test_nothing_of_somebody_forgotten_is_found_and_moving_the_folder_back_finds_it_again(tmp_path: Path) -> None:
    async with watched(tmp_path) as home:
        ann = home.enter("Ann")
        await _lived(home)
        eliza = home.agent("Eliza")
        await home.minds.catch_up(eliza)
        hits, _ = await home.parts.recall.search(eliza.id, "greenhouse pears", 500)
        assert {hit.kind for hit in hits} >= {"thought", "note", "summary"}
        total = eliza.memory.total
        await home.ask(ann, "@forget Eliza")
        assert (await home.parts.recall.search(eliza.id, "greenhouse pears", 500))[0] == []
        assert home.parts.recall.status(eliza.id)["lexical_through"] == 0
        (home.parts.vault / ".trash" / moved(home.parts.vault)[0]).rename(eliza.folder)
    async with house(tmp_path) as home:
        again = home.agent("Eliza")
        assert (again.id, again.memory.total, again.memory.watermark) == (eliza.id, total, 65)
        await home.minds.catch_up(again)
        back, _ = await home.parts.recall.search(again.id, "greenhouse pears", 500)
        assert {(hit.kind, hit.text) for hit in back} == {(hit.kind, hit.text) for hit in hits}


class Never:
    """A model that is asked and never answers."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def __call__(self, owner: str, prompt: str, profile: str) -> Completion:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_somebody_forgotten_while_a_model_is_asked_for_a_fold_is_gone_and_the_fold_with_them(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path) as home:
        home.minds.means = replace(home.minds.means, ask=Never())
        ann, ben = home.enter("Ann"), home.enter("Ben")
        assert isinstance(home.minds.means.ask, Never)
        for number in range(129):
            home.type(ben, f"think of the greenhouse, {number}")
        await asyncio.wait_for(home.minds.means.ask.asked.wait(), 60)
        assert ben.compactor.busy
        home.engine.leave(ben.definition.thing())
        answer = await home.ask(ann, "@forget Ben")
        assert not answer.failed, answer.reply
        assert not ben.compactor.busy
        assert not ben.folder.exists()
        (home.parts.vault / ".trash" / moved(home.parts.vault)[0]).rename(ben.folder)
    async with house(tmp_path) as home:
        again = home.agent("Ben")
        assert (again.memory.total, again.memory.watermark) == (129, 0)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Ann", "You cannot forget yourself."),
        ("Ben", "Ben is here and plays; nobody who is on line can be forgotten."),
        ("Zeppelin", 'Nobody called "Zeppelin" has a mind here. (there is: Corvin, Eliza, Moss and Tamsin)'),
    ],
)
async def test_oneself_and_whoever_plays_cannot_be_forgotten(tmp_path: Path, name: str, told: str) -> None:
    async with watched(tmp_path) as home:
        ann, _ = home.enter("Ann"), home.enter("Ben")
        answer = await home.ask(ann, f"@forget {name}")
        assert answer.failed
        assert answer.reply == told
        assert moved(home.parts.vault) == []


async def test_a_person_who_has_left_can_be_forgotten(tmp_path: Path) -> None:
    async with watched(tmp_path) as home:
        ann, ben = home.enter("Ann"), home.enter("Ben")
        home.type(ben, "say I was here.")
        home.engine.leave(ben.definition.thing())
        assert not (await home.ask(ann, "@forget Ben")).failed
        assert not ben.folder.exists()
        assert 'Ben says, "I was here."' in texts_of(ann), "what others remember of somebody is theirs"


async def test_only_the_owner_may_forget_somebody(tmp_path: Path) -> None:
    async with watched(tmp_path) as home:
        for role in (Role.GUEST, Role.AGENT):
            step = home.type(home.agent("Moss"), "@forget Eliza", role)
            assert step.failed
            assert step.requests == ()


async def test_somebody_stays_as_they_are_when_the_folder_cannot_be_moved_or_something_would_be_lost(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path) as home:
        ann, moss = home.enter("Ann"), home.agent("Moss")
        trash = home.parts.vault / ".trash"
        trash.write_text("a file is in the way")
        answer = await home.ask(ann, "@forget Moss")
        assert answer.failed
        assert answer.reply.startswith("Moss was not forgotten, nothing has changed: ")
        assert home.agent("Moss") is moss
        assert home.engine.world.location_of(moss.id) is not None
        trash.unlink()

        archive = moss.folder / "archive"
        archive.write_text("a file is in the way")
        home.type(moss, "think of a full disk", Role.AGENT)
        assert moss.memory.waiting == 1
        answer = await home.ask(ann, "@forget Moss")
        assert "cannot be written, so something would be lost" in answer.reply
        archive.unlink()
        assert not (await home.ask(ann, "@forget Moss")).failed
        kept = trash / moved(home.parts.vault)[0] / "archive/0000000001.jsonl"
        assert "of a full disk" in kept.read_text(encoding="utf-8")


async def test_without_a_world_that_runs_nobody_is_forgotten(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@forget Eliza")
        assert answer.reply == "Somebody can be forgotten only while the world runs."


async def test_it_shows_exactly_the_prompt(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@impersonate eliza")
        assert answer.reply == (await home.parts.prompting.next_prompt(home.agent("Eliza"))).text


async def test_it_shows_a_summary_edited_by_hand(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(100):
            home.type(ann, f"think of pear number {number}")
        await home.ask(ann, "@compact-memories")
        path = ann.folder / "summaries/recent.md"
        front = path.read_text(encoding="utf-8").rsplit("---\n", 1)[0]
        write_atomic(path, f"{front}---\n# Recent\n\nI met a pilot called Ottoline.\n")
        ann.memory.reload_summary(path)
        assert "Ottoline" in (await home.ask(ann, "@impersonate Ann")).reply


async def test_one_who_is_nobody_gets_a_sentence(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@impersonate Nobody")
        assert answer.failed
        assert "Nobody" in answer.reply
