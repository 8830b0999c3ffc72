"""The service with its real child process; vectors by hashing, so that nothing but chromadb is slow."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agents.memory.entries import Entry
from agents.recall.documents import IndexedDocument
from agents.recall.recall import MAX_QUEUE, PER_SHOWN_SUMMARY, RecallService
from agents.recall.settings import RecallSettings
from mud.clock import VirtualClock
from mud.errors import Refusal
from tests.unit.agents.recall.lives import children

AT = "2026-01-01T00:00:00.000Z"
BOUND = 60.0
"""Seconds after which a test that waits for the child has failed."""


class Vault:
    """What a service is given: memories and documents by agent, and settings that may change while it runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = RecallSettings(embedder="hashing", patience=BOUND)
        self.memories: list[Entry] = []
        self.documents: list[IndexedDocument] = []
        self.services: list[RecallService] = []

    def live(self, *texts: str, kind: str = "heard") -> list[Entry]:
        first = len(self.memories) + 1
        new = [Entry(seq, AT, kind, None, None, text) for seq, text in enumerate(texts, first)]
        self.memories += new
        return new

    def read(self, first: int, last: int) -> Sequence[Entry]:
        return self.memories[first - 1 : last]

    def on_disk(self) -> dict[str, int]:
        return RecallService(self.folder, lambda: self.settings, VirtualClock()).status("#1")

    async def open(self, *, vectors: bool = False, private: bool = False) -> RecallService:
        service = RecallService(self.folder, lambda: self.settings, VirtualClock(), private=private)
        self.services.append(service)
        await service.start(vectors=vectors)
        await service.catch_up("#1", len(self.memories), self.read, lambda: self.documents)
        return service


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Vault]:
    one = Vault(tmp_path)
    yield one
    for service in one.services:
        await service.stop()


async def within(waited: Awaitable[bool]) -> bool:
    return await asyncio.wait_for(waited, BOUND)


async def texts(service: RecallService, question: str, only: str | None = None) -> list[str]:
    return [hit.text for hit in (await service.search("#1", question, 5, only))[0]]


def summary(number: int, text: str) -> IndexedDocument:
    covers = (number * 64 + 1, number * 64 + 64)
    return IndexedDocument(f"summaries/recent-{number}", "summary", text, covers=covers, timestamp=AT)


async def test_what_was_just_lived_is_found_at_once(vault: Vault) -> None:
    service = await vault.open()
    for number in range(30):
        service.remember("#1", vault.live(f"The lamp number {number} is lit."))
        assert (await texts(service, f"Which lamp is number {number}?"))[0] == f"The lamp number {number} is lit."
    assert service.status("#1") == {"lexical_through": 30, "vector_through": 0}


async def test_however_often_a_thing_was_looked_for_it_is_found_and_the_searches_are_not(vault: Vault) -> None:
    found = 'You search your memory for "brass key" and find:\nThe brass key lies under the mat. (vault#1)'
    vault.live("The brass key lies under the mat.")
    for number in range(300):
        vault.live(f"{found} {number}", kind="result")
    service = await vault.open()
    assert await texts(service, "brass key") == ["The brass key lies under the mat."]


async def test_however_often_one_said_a_thing_again_what_one_heard_of_it_is_found(vault: Vault) -> None:
    vault.live("Nina says, 'My brother Tomas broke his left arm skiing in Zermatt on Tuesday.'")
    for number in range(150):
        vault.live(
            f"You say, 'Brother? Left arm, Zermatt, skiing, broke it on Tuesday: for the {number}th time.'", kind="said"
        )
    service = await vault.open()
    query = "which arm did my brother break skiing in Zermatt"
    hits, _ = await service.search("#1", query, 5, by="words")
    assert {hit.kind for hit in hits} == {"said"}
    hits, _ = await service.search("#1", query, 5, by="words", without=("said",))
    assert [hit.seq for hit in hits] == [1]


async def test_a_life_from_before_is_caught_up_with(vault: Vault) -> None:
    vault.live(*[f"Silas talks of rain {number}." for number in range(1200)], "Petra hid the lute.")
    service = await vault.open()
    assert (await texts(service, "Where is the lute hidden?"))[0] == "Petra hid the lute."
    assert service.status("#1")["lexical_through"] == 1201


async def test_an_edited_summary_is_found_by_its_new_words_only(vault: Vault) -> None:
    vault.documents = [summary(0, "I met a heron.")]
    service = await vault.open()
    service.sync_documents("#1", lambda: [summary(0, "I met a badger.")])
    assert await texts(service, "badger", "summaries") == ["I met a badger."]
    assert await texts(service, "heron") == []
    service.sync_documents("#1", lambda: [])
    assert await texts(service, "badger") == []


async def test_vectors_find_what_no_word_does_and_every_part_is_kept(vault: Vault) -> None:
    vault.documents = [summary(0, "We mended fishing nets."), summary(1, "A storm broke the mill.")]
    service = await vault.open(vectors=True)
    steps: list[tuple[int, int]] = []
    assert await within(service.complete(lambda done, total: steps.append((done, total))))
    assert steps[-1] == (2, 2)
    hits, behind = await service.search("#1", "stormy millers", 2)
    assert (hits[0].text, hits[0].covers, hits[0].lexical, behind) == (
        "A storm broke the mill.",
        (65, 128),
        None,
        False,
    )
    assert hits[0].vector is not None
    assert hits[0].vector > 0.2
    vault.settings = replace(vault.settings, embed="summaries")
    assert service.status("#1") == {"lexical_through": 0, "vector_through": 128}
    assert (await service.search("#1", "mill", 2, by="words"))[0][0].vector is None


async def test_the_first_question_waits_for_no_vector_and_says_so(vault: Vault) -> None:
    vault.documents = [summary(0, "A storm broke the mill.")]
    service = await vault.open(vectors=True)
    hits, behind = await service.search("#1", "the mill", 2)
    assert ([hit.text for hit in hits], behind) == (["A storm broke the mill."], True)
    assert (await service.search("#1", "the mill", 2, "memories"))[1] is False
    assert (await service.search("#1", "the mill", 2, by="words"))[1] is False


async def test_vectors_follow_an_edit(vault: Vault) -> None:
    service = await vault.open(vectors=True)
    service.sync_documents("#1", lambda: [summary(0, "heron heron heron")])
    await within(service.complete())
    service.sync_documents("#1", lambda: [summary(0, "badger badger badger")])
    await within(service.complete())
    (hit,), _ = await service.search("#1", "heronry badgers", 5)
    assert hit.text == "badger badger badger"


async def test_after_a_clean_end_nothing_is_embedded_again(vault: Vault) -> None:
    vault.documents = [summary(number, f"day {number}") for number in range(20)]
    vault.live(*(f"The bell rang {number} times." for number in range(20)))
    service = await vault.open(vectors=True)
    await within(service.complete())
    await service.stop()
    assert vault.on_disk() == {"lexical_through": 20, "vector_through": 20}
    again = await vault.open(vectors=True)
    steps: list[tuple[int, int]] = []
    assert await within(again.complete(lambda done, total: steps.append((done, total))))
    assert set(steps) == {(40, 40)}


@pytest.mark.parametrize("vectors", [True, False])
async def test_the_index_may_be_deleted_while_it_runs(vault: Vault, vectors: bool) -> None:
    vault.live("The key is under the pot.", "Moss sleeps.")
    vault.documents = [summary(0, "A storm broke the mill.")]
    service = await vault.open(vectors=vectors)
    if vectors:
        await within(service.complete())
    shutil.rmtree(vault.folder / ".index")
    assert (await texts(service, "Where is the key?"))[0] == "The key is under the pot."
    assert await texts(service, "mill") == ["A storm broke the mill."]
    if vectors:
        assert await within(service.complete())
        hits, behind = await service.search("#1", "stormy millers", 1)
        assert (hits[0].text, behind) == ("A storm broke the mill.", False)


async def test_an_index_made_anew_gives_the_same_answers(vault: Vault) -> None:
    vault.live("The key is under the pot.", "Moss sleeps.", "A fox runs.")
    vault.documents = [summary(0, "A storm broke the mill.")]
    service = await vault.open(vectors=True)
    await within(service.complete())
    before = await service.search("#1", "key fox mill", 5)
    await service.stop()
    shutil.rmtree(vault.folder / ".index")
    again = await vault.open(vectors=True)
    await within(again.complete())
    assert await again.search("#1", "key fox mill", 5) == before


async def test_questions_asked_while_the_index_is_deleted_are_all_answered(vault: Vault) -> None:
    vault.live("The key is under the pot.")
    vault.documents = [summary(number, f"A storm broke the mill {number}.") for number in range(30)]
    service = await vault.open(vectors=True)
    await within(service.complete())
    asked = [asyncio.create_task(service.search("#1", f"key mill {number}", 50)) for number in range(20)]
    await asyncio.sleep(0)
    shutil.rmtree(vault.folder / ".index")
    asked += [asyncio.create_task(service.search("#1", f"key mill {number}", 50)) for number in range(20)]
    answered = await asyncio.wait_for(asyncio.gather(*asked), BOUND)
    assert all(any(hit.text == "The key is under the pot." for hit in hits) for hits, _ in answered)
    assert await within(service.complete())


async def test_another_life_under_the_same_id_is_read_anew(vault: Vault) -> None:
    vault.live("The key is under the pot.", "Moss sleeps.", "A fox runs.")
    service = await vault.open()
    await service.stop()
    vault.memories.clear()
    vault.live("A badger digs.", "It rains.")
    again = await vault.open()
    assert await texts(again, "key fox") == []
    assert (await texts(again, "badger"))[0] == "A badger digs."
    await again.stop()
    vault.memories[1:] = []
    vault.live("A heron stands.", "It snows.")
    third = await vault.open()
    assert await texts(third, "rains") == []
    assert (await texts(third, "snows"))[0] == "It snows."


async def test_the_vectors_of_another_life_under_the_same_id_are_gone(vault: Vault) -> None:
    vault.live("The heron sleeps.", "A badger digs.", "The heron wakes.")
    service = await vault.open(vectors=True)
    await within(service.complete())
    await service.stop()
    vault.memories.clear()
    vault.live("The bell rings.", "The bell rings.", "The bell rings.")
    again = await vault.open(vectors=True)
    await within(again.complete())
    hits, behind = await again.search("#1", "herons badgers bells", 5)
    assert ({hit.text for hit in hits}, behind) == ({"The bell rings."}, False)
    plain, _ = await again.search("#1", "herons badgers", 5)
    assert all(hit.vector is None or hit.vector < 0.2 for hit in plain)


async def test_what_does_not_fit_the_queue_is_read_from_the_archive(vault: Vault) -> None:
    service = await vault.open()
    service.remember("#1", vault.live(*[f"rain {number}" for number in range(MAX_QUEUE + 1)]))
    assert (await texts(service, f"rain {MAX_QUEUE // 2}"))[0] == f"rain {MAX_QUEUE // 2}"


async def test_what_cannot_be_written_now_is_found_as_soon_as_it_can(
    vault: Vault, caplog: pytest.LogCaptureFixture
) -> None:
    vault.live("The key is under the pot.")
    service = await vault.open()
    blocker = sqlite3.connect(vault.folder / ".index" / "lexical.sqlite3")
    blocker.execute("BEGIN IMMEDIATE")
    service.remember("#1", vault.live("The lock is rusty."))
    service.sync_documents("#1", lambda: [summary(0, "A storm broke the mill.")])
    assert await texts(service, "key lock mill") == ["The key is under the pot."]
    blocker.close()
    everything = ["A storm broke the mill.", "The key is under the pot.", "The lock is rusty."]
    assert sorted(await texts(service, "key lock mill")) == everything
    assert [record.levelname for record in caplog.records if "cannot keep up" in record.message] == ["WARNING"]


async def test_another_embedder_is_taken_over_while_it_runs(vault: Vault) -> None:
    vault.documents = [summary(0, "A storm broke the mill.")]
    vault.settings = replace(vault.settings, embedder="none")
    service = await vault.open(vectors=True)
    assert await within(service.complete())
    assert not children()
    assert (await service.search("#1", "mill", 1))[1] is False
    vault.settings = replace(vault.settings, embedder="hashing")
    assert await within(service.complete())
    assert (await service.search("#1", "mill", 1))[0][0].vector is not None
    vault.settings = replace(vault.settings, embedder="none")
    assert await within(service.complete())
    assert (children(), (await service.search("#1", "mill", 1))[0][0].vector) == ([], None)


async def test_an_embedder_that_cannot_be_had_is_said_and_words_go_on(vault: Vault) -> None:
    vault.documents = [summary(0, "A storm broke the mill.")]
    vault.settings = replace(vault.settings, embedder="oracle")
    service = await vault.open(vectors=True)
    assert not await within(service.complete())
    assert "there is no embedder 'oracle'" in service.trouble
    hits, behind = await service.search("#1", "mill", 1)
    assert (hits[0].text, behind) == ("A storm broke the mill.", True)
    vault.settings = replace(vault.settings, embedder="hashing")
    assert await within(service.complete())
    assert service.trouble == ""


async def test_without_patience_the_words_alone_answer(vault: Vault) -> None:
    vault.documents = [summary(0, "A storm broke the mill.")]
    service = await vault.open(vectors=True)
    await within(service.complete())
    vault.settings = replace(vault.settings, patience=0.0)
    hits, behind = await service.search("#1", "mill", 1)
    assert (hits[0].vector, behind) == (None, True)


async def test_a_process_without_the_vault_answers_all_and_writes_nothing(vault: Vault) -> None:
    vault.live("The key is under the pot.")
    vault.documents = [summary(0, "A storm broke the mill.")]
    owner = await vault.open()
    vault.live("The lock is rusty.")
    reader = await vault.open(private=True)
    assert len(await texts(reader, "key lock mill")) == 3
    assert (await reader.search("#1", "mill", 1))[1] is True
    assert owner.status("#1")["lexical_through"] == 1
    assert vault.on_disk()["lexical_through"] == 1
    shutil.rmtree(vault.folder / ".index")
    other = await vault.open(private=True)
    assert len(await texts(other, "key lock mill")) == 3
    assert not (vault.folder / ".index").exists()


async def test_related_are_notes_as_set_and_summaries_to_choose_among_and_never_what_is_shown(vault: Vault) -> None:
    vault.documents = [summary(number, f"The mill turned {number} times.") for number in range(20)]
    vault.documents += [IndexedDocument(f"notes/{n}", "note", f"mill {n}", f"Mill {n}") for n in range(5)]
    service = await vault.open()
    assert len(await service.related("#1", "at the mill", ["summary"])) == 2 * PER_SHOWN_SUMMARY
    assert len(await service.related("#1", "at the mill", ["note"])) == 3
    vault.settings = replace(vault.settings, related_summaries=0, related_notes=1)
    assert len(await service.related("#1", "at the mill", ["summary", "note"])) == 1
    vault.settings = replace(vault.settings, related_summaries=4)
    hits = await service.related("#1", "at the mill", ["summary"], lambda hit: hit.covers != (65, 128))
    assert [hit.covers for hit in hits] == [(65, 128)]


async def test_many_notes_that_fit_better_do_not_keep_the_summaries_out(vault: Vault) -> None:
    vault.documents = [summary(number, f"The mill turned {number} times in all of one year.") for number in range(3)]
    vault.documents += [IndexedDocument(f"notes/{n}", "note", f"mill {n}", f"Mill {n}") for n in range(60)]
    service = await vault.open()
    hits = await service.related("#1", "at the mill", ["summary", "note"])
    assert [hit.kind for hit in hits] == ["note"] * 3 + ["summary"] * 3


async def test_what_does_not_fit_is_never_shown_to_fill_up(vault: Vault) -> None:
    vault.documents = [summary(0, "The mill turned."), summary(1, "I slept until noon.")]
    vault.documents.append(IndexedDocument("notes/mill", "note", "It turns.", "The wheel"))
    service = await vault.open()
    situation = 'The Weir\nMoss says, "The mill has a new wheel of oak."\nAnna sings of snow and silver.'
    kinds = ["summary", "note"]
    assert [hit.text for hit in await service.related("#1", "at the mill", kinds)] == ["The mill turned."]
    assert [hit.text for hit in await service.related("#1", situation, kinds)] == ["The mill turned."]
    vault.settings = replace(vault.settings, related_least=0.0, summary_least=1.0)
    assert [hit.text for hit in await service.related("#1", situation, kinds)] == ["It turns."]


async def test_any_question_gets_an_answer(vault: Vault) -> None:
    vault.live("You are late.")
    vault.documents = [summary(0, "who are you")]
    service = await vault.open(vectors=True)
    await within(service.complete())
    for question in ("", "?!", "\x00", "who are you", "x" * 1_000_000, "\ud800", "ключ NEAR( *", "a " * 100_000):
        assert (await service.search("#1", question, 5))[1] is (not question.strip())
    assert (await service.search("#1", "who are you", 5))[0][0].text == "who are you"
    assert service.trouble == ""


async def test_a_wrong_word_for_where_to_look_is_refused(vault: Vault) -> None:
    service = await vault.open()
    with pytest.raises(Refusal, match="nothing called 'dreams'"):
        await service.search("#1", "x", 5, "dreams")


def test_the_world_loads_none_of_the_heavy_libraries() -> None:
    heavy = "numpy chromadb onnx onnxruntime tokenizers"
    code = f"import sys, agents.recall.recall; print([n for n in {heavy.split()} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
