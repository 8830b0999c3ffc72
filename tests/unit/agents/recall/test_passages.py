from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.recall import tables
from agents.recall.documents import (
    LONG,
    MAX_PASSAGES,
    PASSAGE,
    clean,
    memory_of,
    memory_records,
    part_of,
    passages,
    place_beside,
    place_named,
    place_of,
)
from agents.recall.lexical import LexicalIndex
from agents.recall.question import read_question
from agents.recall.ranking import rank
from agents.recall.settings import RecallSettings
from mud.clock import parse_iso
from tests.unit.agents.recall.lives import entry, found, progress

Open = Callable[..., LexicalIndex]
LINES = st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(["A fox ran by. " * 9, "x" * 400]))
TEXTS = LINES.map("\n".join) | LINES.map(" ".join)

FILLER = "The rain went on and on over the roofs of the town. Nobody came by, and the lamps were lit early.\n"
TALE = FILLER * 9 + "Under the third step Wendell keeps a copper whistle.\n" + FILLER * 9
"""A long text of which one passage tells something."""


@given(TEXTS)
def test_passages_are_all_of_a_text_in_order_and_few(text: str) -> None:
    cut = passages(text)
    assert "".join("".join(cut).split()) == "".join(text.split())
    assert 1 <= len(cut) <= MAX_PASSAGES
    assert len(text) > LONG or cut == (text,)
    assert (
        len(cut) == 1
        or all(one in text and len(one) <= PASSAGE for one in cut)
        or len(text) > PASSAGE * MAX_PASSAGES / 3
    )


def test_lines_and_sentences_stay_whole() -> None:
    lines = [f"Line {number} tells of the mill and its wheel, which turns and turns." for number in range(20)]
    assert [line for one in passages("\n".join(lines)) for line in one.split("\n")] == lines
    assert all(one.endswith(".") for one in passages(" ".join(lines)))


@pytest.mark.parametrize("text", ["word " * 100_000, "x" * 500_000, "." * 500_000, "\n" * 500_000, '?" ' * 150_000])
def test_a_huge_text_is_cut_into_few_passages_in_no_time(text: str) -> None:
    begun = time.process_time()
    assert len(passages(text)) <= MAX_PASSAGES
    assert time.process_time() - begun < 2


@given(st.dictionaries(st.integers(1, 9), st.integers(2, 5)), st.integers(1, 9), st.integers(-2, 2))
def test_one_step_and_back_leads_to_where_one_was(parts: dict[int, int], seq: int, step: int) -> None:
    for part in range(parts.get(seq, 1)):
        place = place_of(seq, part)
        assert (memory_of(place), part_of(place)) == (seq, part)
        there = place_beside(place, step, parts)
        assert there == 0 or place_beside(there, -step, parts) == place


def test_a_short_memory_has_one_vector_and_a_long_one_one_for_each_passage() -> None:
    (short,) = memory_records("#1", entry(3, "A fox."))
    assert (short.id, place_named(short.id)) == ("#1|3", 3)
    long = memory_records("#1", entry(4, TALE, actor="Moss"))
    assert [place_named(one.id) for one in long] == [place_of(4, part) for part in range(len(passages(TALE)))]
    # Each says whose words they are.
    assert all("Moss" in one.text for one in long)
    assert (
        memory_records("#1", entry(5, "\ud800" * 900))[0].text == clean("\ud800" * 900)[: len(passages("?" * 900)[0])]
    )


def _asked(
    index: LexicalIndex, question: str, memories: dict[int, float] | None = None
) -> list[tuple[int | None, str]]:
    now = parse_iso("2026-01-01T00:00:00.000Z")
    what = found(index, "#1", question, memories=memories or {})
    return [(hit.seq, hit.text) for hit in rank(what, read_question(question, now), 9, now, RecallSettings())]


def test_a_long_memory_is_found_by_the_passage_that_tells_it_and_shows_that(opened: Open) -> None:
    index = opened()
    # Its words are all in the other one too, but nowhere together.
    scattered = "Wendell yawns.\n" + FILLER * 4 + "A copper pan.\n" + FILLER * 4 + "The kettle has a whistle."
    index.add({"#1": [entry(1, TALE), entry(2, "Nothing."), entry(3, scattered)]})
    first = _asked(index, "Where is the copper whistle of Wendell?")[0]
    assert first[0] == 1
    assert "copper whistle" in first[1]
    assert len(first[1]) <= PASSAGE


def test_a_passage_is_found_by_its_vector(opened: Open) -> None:
    index = opened()
    index.add({"#1": [entry(1, TALE), entry(2, "Nothing.")]})
    part = next(number for number, one in enumerate(passages(TALE)) if "whistle" in one)
    seq, text = _asked(index, "flute", {place_of(1, part): 0.9, place_of(2): 0.1})[0]
    assert (seq, text) == (1, passages(TALE)[part])
    # What is left of another life has no such passage.
    assert found(index, "#1", "flute", memories={place_of(2, 7): 0.9, place_of(1, 60): 0.9}).cosines == {}


def test_a_long_memory_lived_again_is_found_by_the_vectors_of_its_first_time(opened: Open) -> None:
    index = opened()
    index.add({"#1": [entry(1, TALE), entry(2, "Nothing."), entry(3, TALE)]})
    assert index.do(tables.vectors_expected, "#1") == 0
    [(_, through, records)] = index.do(tables.memories_waiting, 99, "", ())
    assert (through, len(records)) == (3, len(passages(TALE)) + 1)
    index.do(tables.lives_embedded, [("#1", 3)])
    assert index.do(tables.vectors_expected, "#1") == len(records)
    cosines = found(index, "#1", "flute", memories={place_of(1, 2): 0.9}).cosines
    assert cosines == {place_of(1, 2): 0.9, place_of(3, 2): 0.9}
    index.forget("#1")
    assert _asked(index, "copper whistle") == []


def test_long_memories_wait_for_their_vectors_a_few_at_a_time(opened: Open) -> None:
    index = opened()
    index.add({"#1": [entry(seq, f"{seq} {TALE}") for seq in range(1, 6)]})
    most = 2 * len(passages(TALE)) + 1
    taken = []
    while waiting := index.do(tables.memories_waiting, most, "", ()):
        [(_, through, records)] = waiting
        assert 0 < len(records) <= most
        taken += [place_named(one.id) for one in records]
        index.do(tables.lives_embedded, [("#1", through)])
    assert len(taken) == len(set(taken)) == index.do(tables.vectors_expected, "#1")
    assert progress(index, "#1").vector_through == 5
    # One that alone has more is taken all the same.
    index.add({"#2": [entry(1, TALE)]})
    [(_, _, records)] = index.do(tables.memories_waiting, 2, "", ())
    assert len(records) == len(passages(TALE))


def test_a_long_memory_lends_of_its_ends_alone(opened: Open) -> None:
    index = opened()
    index.add({"#1": [entry(1, "Moss hums."), entry(2, TALE), entry(3, "Petra nods.")]})
    part = next(number for number, one in enumerate(passages(TALE)) if "whistle" in one)
    cosines = {place_of(2, number): 0.9 if number == part else 0.1 for number in range(len(passages(TALE)))}
    assert _lent(index, "#1", cosines) == set()
    # A short one beside the same passage is lent to.
    index.add({"#2": [entry(1, "Moss hums."), entry(2, passages(TALE)[part]), entry(3, "Petra nods.")]})
    assert _lent(index, "#2", {2: 0.9, 1: 0.1}) == {1, 3}


def _lent(index: LexicalIndex, agent: str, cosines: dict[int, float]) -> set[int | None]:
    """Return the memories that get anything from the second one."""
    now = parse_iso("2026-01-01T00:00:00.000Z")
    hits = rank(found(index, agent, "flute", memories=cosines), read_question("flute", now), 9, now, RecallSettings())
    return {hit.seq for hit in hits if hit.neighbours > 0 and hit.seq != 2}
