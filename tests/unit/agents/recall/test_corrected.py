"""An index with corrections is the same as one made anew from the corrected memories."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.corrections import FORGOTTEN
from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.corrected import corrected_through
from agents.recall.lexical import LexicalIndex
from agents.recall.recall import RecallService
from agents.recall.settings import RecallSettings
from mud.clock import VirtualClock
from tests.examples import examples
from tests.unit.agents.recall.lives import life, seqs

BOUND = 60.0
LONG = "The river is wide and slow here, and nobody has ever crossed it on foot in the dark. " * 9
TEXTS = st.sampled_from(["a red pear", "a blue plum", "the old gate", LONG + "red", LONG + "blue", ""])


def corrected(entry: Entry, text: str) -> Entry:
    if text:
        return entry._replace(text=text)
    return Entry(entry.seq, entry.at, FORGOTTEN, None, None, "", importance=1, source=entry.source)


def dumped(index: LexicalIndex) -> list[Any]:
    """Return everything that an index knows of memories."""

    def read(db: sqlite3.Connection) -> list[Any]:
        number = tables.number_of(db, "#1")
        queries = [
            f"SELECT * FROM {tables.table_of(number)}_content ORDER BY id",
            f"SELECT * FROM {tables.passages_of(number)}_content ORDER BY id",
            *(f"SELECT * FROM {table} ORDER BY 1, 2" for table in ("wholes", "texts", "times")),
            "SELECT number, through, more FROM agents",
        ]
        return [db.execute(query).fetchall() for query in queries]

    return index.do(read)


@settings(max_examples=examples(60), deadline=None)
@given(texts=st.lists(TEXTS.filter(bool), min_size=1, max_size=12), data=st.data())
def test_however_it_is_corrected_an_index_is_as_if_it_were_made_anew(texts: list[str], data: st.DataObject) -> None:
    changed = data.draw(st.dictionaries(st.integers(1, len(texts)), TEXTS))
    lived = life(*texts)
    fixed = [corrected(one, changed[one.seq]) if one.seq in changed else one for one in lived]
    one, other = (LexicalIndex(Path("none"), private=True, at_once=True) for _ in range(2))
    one.add({"#1": lived})
    for word in ("red", "blue", "gate", "river"):
        seqs(one, "#1", word)  # so that posting lists are cached
    one.correct("#1", [fixed[seq - 1] for seq in changed], 1)
    other.add({"#1": fixed})
    assert dumped(one) == dumped(other)
    for word in ("red", "blue", "gate", "river"):
        assert seqs(one, "#1", word) == seqs(other, "#1", word)
    assert one.do(corrected_through, "#1") == 1
    one.close()
    other.close()


def test_memories_that_are_not_indexed_yet_are_left_to_come_corrected() -> None:
    index = LexicalIndex(Path("none"), private=True, at_once=True)
    index.add({"#1": life("a red pear")})
    index.correct("#1", life("a blue plum", "a blue gate"), 3)
    assert seqs(index, "#1", "blue") == [1]
    index.add({"#1": life("a blue plum", "a blue gate")})
    assert seqs(index, "#1", "blue") == [2, 1]


def test_the_importance_by_hindsight_stays() -> None:
    index = LexicalIndex(Path("none"), private=True, at_once=True)
    index.add({"#1": life("a red pear")})
    index.do(tables.set_importance, "#1", {1: 9})
    index.correct("#1", life("a blue plum"), 1)
    assert index.do(tables.entries_of, 1, [1])[1].importance == 9


async def vectors_of(service: RecallService, query: str) -> dict[int | None, float | None]:
    hits, behind = await service.search("#1", query, 20, by="vectors")
    assert not behind
    return {hit.seq: hit.vector for hit in hits}


async def test_corrected_memories_get_new_vectors_and_forgotten_ones_none(tmp_path: Path) -> None:
    texts = ["the ferry leaves at nine", "the ferry leaves at nine", LONG, "bees are out"]
    known: tuple[int, Sequence[Entry]] = (0, ())
    service = RecallService(tmp_path, lambda: RecallSettings(embedder="hashing", patience=30), VirtualClock())
    await service.start()
    try:
        lived = life(*texts)
        await service.catch_up("#1", 4, lambda first, last: lived[first - 1 : last], None, lambda number: known)
        assert await asyncio.wait_for(service.complete(), BOUND)
        lived = [corrected(lived[0], ""), lived[1], corrected(lived[2], "the harbour is closed"), lived[3]]
        known = 1, [lived[0], lived[2]]
        await service.correct("#1", lambda number: known, list)
        assert await asyncio.wait_for(service.complete(), BOUND)
        found = await vectors_of(service, "the ferry leaves at nine")
        assert 1 not in found
        assert found[2] == pytest.approx(1.0, abs=1e-3), "what another memory says too is found there"
        assert (await vectors_of(service, "the harbour is closed"))[3] == pytest.approx(1.0, abs=1e-3)
        lexical = service._lexical
        assert await lexical.run(tables.vectors_expected, "#1") == 4
    finally:
        await service.stop()


async def test_an_index_that_knows_more_corrections_than_there_are_is_of_another_life(tmp_path: Path) -> None:
    service = RecallService(tmp_path, lambda: RecallSettings(embedder="none"), VirtualClock(), at_once=True)
    lived = life("a red pear")
    await service.catch_up(
        "#1", 1, lambda first, last: lived[first - 1 : last], None, lambda number: (2, life("a fig"))
    )
    await service.catch_up("#1", 1, lambda first, last: lived[first - 1 : last], None, lambda number: (1, ()))
    hits, _ = await service.search("#1", "pear")
    assert [hit.text for hit in hits] == ["a red pear"]
    await service.stop()


async def test_corrections_that_come_while_others_are_indexed_are_indexed_after_them(tmp_path: Path) -> None:
    service = RecallService(tmp_path, lambda: RecallSettings(embedder="none"), VirtualClock())
    lived = life("a red pear", "a red plum")
    fixed = life("a blue pear", "a blue plum")
    await service.start()
    try:
        await service.catch_up("#1", 2, lambda first, last: lived[first - 1 : last])
        # Both wait for the index's thread, and the second has what the first lacks.
        await asyncio.gather(
            service.correct("#1", lambda number: (1, fixed[:1]) if number < 1 else (1, ()), list),
            service.correct("#1", lambda number: (2, fixed if number < 1 else fixed[1:]), list),
        )
        hits, _ = await service.search("#1", "blue")
        assert sorted(hit.text for hit in hits) == ["a blue pear", "a blue plum"]
    finally:
        await service.stop()
