from __future__ import annotations

from collections.abc import Callable

from agents.recall import tables
from agents.recall.documents import IndexedDocument
from agents.recall.lexical import LexicalIndex
from agents.recall.tables import IndexProgress
from tests.unit.agents.recall.lives import found, life, progress, seqs, sync

Open = Callable[..., LexicalIndex]


# -- vectors of memories ----------------------------------------------------------------------------------------------


def test_memories_wait_for_their_vectors_once_for_each_text(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Petra yawns.", "A fox.", "Petra yawns.", "An owl.")})
    waiting = index.do(tables.memories_waiting, 3, "", ())
    assert waiting is not None
    agent, through, records = waiting
    assert (agent, through, [record.id for record in records]) == ("#1", 3, ["#1|1", "#1|2"])
    assert (progress(index, "#1").vector_through, progress(index, "#1").waiting) == (0, 4)
    index.do(tables.memories_embedded, "#1", 3)
    assert (progress(index, "#1").vector_through, index.do(tables.vectors_expected, "#1")) == (3, 2)
    assert index.do(tables.all_waiting, True) == (1, 4)
    assert index.do(tables.all_waiting, False) == (0, 0)
    waiting = index.do(tables.memories_waiting, 3, "", ())
    assert [record.id for record in (waiting or ("", 0, []))[2]] == ["#1|4"]
    index.do(tables.memories_embedded, "#1", 99)
    assert progress(index, "#1").vector_through == 4
    assert index.do(tables.memories_waiting, 3, "", ()) is None


def test_a_stretch_of_repetitions_is_passed_without_a_record(opened: Open) -> None:
    index = opened()
    index.add({"#1": life(*["Petra yawns."] * 5)})
    index.do(tables.memories_embedded, "#1", 2)
    assert index.do(tables.memories_waiting, 2, "", ()) == ("#1", 4, [])


def test_agents_take_turns_for_their_vectors(opened: Open) -> None:
    index = opened()
    index.add({agent: life("one", "two", "three", "four") for agent in ("#1", "#2", "#3")})
    served: list[str] = []
    while (waiting := index.do(tables.memories_waiting, 2, served[-1] if served else "", ())) is not None:
        served.append(waiting[0])
        index.do(tables.memories_embedded, waiting[0], waiting[1])
    assert served == ["#1", "#2", "#3"] * 2


def test_lost_vectors_wait_again(opened: Open) -> None:
    index = opened()
    note = IndexedDocument("notes/owl", "note", "It hoots.", "An owl")
    index.add({"#1": life("one"), "#2": life("one")})
    sync(index, "#1", [note])
    index.do(tables.documents_embedded, [note.vector_id("#1")])
    index.do(tables.memories_embedded, "#1", 1)
    index.do(tables.memories_embedded, "#2", 1)
    index.do(tables.forget_vectors, "#1")
    assert (
        progress(index, "#1").waiting,
        progress(index, "#2").waiting,
        index.do(tables.vectors_expected, "#1"),
    ) == (2, 0, 0)
    index.do(tables.forget_vectors)
    assert (progress(index, "#1").waiting, progress(index, "#2").waiting) == (2, 1)
    assert index.do(tables.agents_of) == ["#1", "#2"]


def test_a_forgotten_life_leaves_nothing_behind(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Petra yawns.", "Petra yawns.")})
    assert seqs(index, "#1", "yawns") == [2, 1]
    index.do(tables.memories_embedded, "#1", 2)
    index.forget("#1")
    assert seqs(index, "#1", "yawns") == []
    assert (
        progress(index, "#1"),
        index.do(tables.vectors_expected, "#1"),
        index.do(tables.memories_waiting, 9, "", ()),
    ) == (IndexProgress(), 0, None)
    index.add({"#1": life("A fox.", "Petra yawns.")})
    assert seqs(index, "#1", "yawns") == [2]
    assert found(index, "#1", "yawns").times == {}
