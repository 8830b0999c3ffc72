"""What memories weigh by hindsight is seen by recall at once, and by an index that is made anew."""

from __future__ import annotations

from pathlib import Path

from agents.memory.entries import Entry
from agents.memory.note_form import Note
from agents.recall.documents import documents_of
from agents.recall.recall import RecallService, discard_index
from agents.recall.settings import RecallSettings
from mud.clock import VirtualClock

AT = "2026-01-01T00:00:00.000Z"
LIFE = [
    Entry(1, AT, "heard", "Moss", None, 'Moss says, "The key is old."', importance=3),
    Entry(2, AT, "heard", "Moss", None, 'Moss says, "The key is new."', importance=3),
]


async def opened(vault: Path, life: list[Entry]) -> RecallService:
    service = RecallService(vault, RecallSettings, VirtualClock(), at_once=True)
    await service.start(vectors=False)
    await service.catch_up("#1", len(life), lambda first, last: life[first - 1 : last])
    return service


async def weights(service: RecallService) -> dict[int | None, int]:
    hits, _ = await service.search("#1", "key", only="memories", by="words")
    return {hit.seq: hit.entry.importance for hit in hits if hit.entry is not None}


async def test_a_new_weight_is_found_at_once_and_every_word_still(tmp_path: Path) -> None:
    service = await opened(tmp_path, LIFE)
    await service.reweigh("#1", {1: 9, 7: 5})
    await service.reweigh("#2", {1: 1})
    await service.reweigh("#1", {})
    assert await weights(service) == {1: 9, 2: 3}
    hits, _ = await service.search("#1", "key", only="memories", by="words")
    assert hits[0].seq == 1, "what matters more comes first"
    hits, _ = await service.search("#1", "old", only="memories", by="words")
    assert hits[0].seq == 1
    await service.stop()
    again = await opened(tmp_path, LIFE)
    assert await weights(again) == {1: 9, 2: 3}
    await again.stop()


async def test_one_that_only_just_came_in_is_weighed_too(tmp_path: Path) -> None:
    service = await opened(tmp_path, LIFE[:1])
    service.remember("#1", LIFE[1:])
    await service.reweigh("#1", {2: 10})
    assert await weights(service) == {1: 3, 2: 10}
    await service.stop()
    discard_index(tmp_path)


async def test_a_dream_is_found_behind_what_was_lived(tmp_path: Path) -> None:
    dream = Entry(3, AT, "dream", None, None, "I dreamed: the key", importance=9)
    service = await opened(tmp_path, [*LIFE, dream])
    hits, _ = await service.search("#1", "the key", only="memories", by="words")
    assert [hit.seq for hit in hits][-1] == 3
    assert hits[-1].kind == "dream"
    await service.stop()


def test_the_note_of_dreams_is_none_of_what_is_known() -> None:
    notes = [Note("Dreams", "dreams", "The key sang.", AT), Note("Moss", "moss", "Kind.", AT)]
    assert [one.title for one in documents_of([], notes)] == ["Moss"]
