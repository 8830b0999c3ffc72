from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Entry, Hit
from agents.recall.documents import IndexedDocument
from agents.recall.question import read_question
from agents.recall.ranking import BOOSTING, Candidates, FoundDocument, neighbour_boost, neighbours_of, rank, relevances
from agents.recall.settings import RecallSettings
from mud.clock import iso
from mud.world.events import OWN_NOTES

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
FLAT = RecallSettings(recency=0.0, importance=0.0, neighbours=0.0, vector_weight=0.5)


def entry(seq: int, text: str = "", at: datetime = NOW, importance: int = 3, actor: str | None = "Moss") -> Entry:
    return Entry(seq, iso(at), "heard", actor, "The Library", text or f"line {seq}", importance=importance)


def found(
    entries: list[Entry],
    shares: dict[int, float] | None = None,
    cosines: dict[int, float] | None = None,
    documents: tuple[FoundDocument, ...] = (),
    times: dict[int, int] | None = None,
) -> Candidates:
    return Candidates(shares or {}, cosines or {}, {one.seq: one for one in entries}, times or {}, documents)


def best(what: Candidates, question: str = "", k: int = 9, weights: RecallSettings = FLAT) -> list[Hit]:
    return rank(what, read_question(question, NOW), k, NOW, weights)


def note(title: str, share: float | None, cosine: float | None, kind: str = "note") -> FoundDocument:
    return FoundDocument(IndexedDocument(f"notes/{title}", kind, "The key.", title), share, cosine)


def test_words_and_vectors_are_weighed() -> None:
    assert relevances({1: 0.4, 2: 0.2}, {1: 0.8, 2: 0.1}, 0.75) == {
        1: 0.75 * 0.8 + 0.25 * 0.4,
        2: 0.75 * 0.1 + 0.25 * 0.2,
    }


def test_what_the_vectors_passed_over_counts_as_the_least_they_found() -> None:
    assert relevances({1: 0.5}, {2: 0.5, 3: 0.25}, 0.5) == {1: 0.375, 2: 0.25, 3: 0.125}


def test_without_any_vector_the_words_alone_count() -> None:
    assert relevances({1: 0.4}, {}, 0.75) == {1: 0.4}


def test_neighbours_of_the_first_memory_begin_with_it() -> None:
    assert neighbours_of([1, 9]) == {1, 2, 3, 7, 8, 9, 10, 11}


def test_a_memory_lends_to_the_two_on_either_side_and_less_to_those_before() -> None:
    entries = {seq: entry(seq) for seq in range(6, 15)}
    assert neighbour_boost({10: 1.0}, entries, 0.5) == {11: 0.5, 12: 0.25, 9: 0.4, 8: 0.4**2}


def test_a_question_lends_more_to_its_answer() -> None:
    entries = {1: entry(1, "Where is the key?"), 2: entry(2, "Under the pot.")}
    assert neighbour_boost({1: 1.0}, entries, 0.5) == {2: 0.75}


def test_nothing_is_lent_over_a_pause() -> None:
    entries = {1: entry(1), 2: entry(2, at=NOW + timedelta(hours=1))}
    assert neighbour_boost({1: 1.0}, entries, 0.5) == {}


def test_only_what_stands_out_is_lent() -> None:
    relevance = dict.fromkeys(range(1, BOOSTING + 5), 1.0)
    entries = {seq: entry(seq) for seq in relevance}
    assert set(neighbour_boost(relevance, entries, 0.5).values()) == {0.0}


def test_the_answer_in_the_next_line_is_found_and_what_was_lent_is_shown() -> None:
    entries = [entry(1), entry(2, "Where is the key?"), entry(3, "Under the pot."), entry(4), entry(5)]
    hits = best(found(entries, {2: 1.0}), k=2, weights=replace(FLAT, neighbours=0.5))
    assert [(hit.text, hit.neighbours) for hit in hits] == [("Where is the key?", 0.0), ("Under the pot.", 0.75)]
    assert best(found(entries, {2: 1.0})) == hits[:1]


def test_the_younger_memory_is_raised_gently() -> None:
    old, young = entry(1, at=NOW - timedelta(days=7)), entry(2)
    weights = replace(FLAT, recency=0.2, recency_half_life=7.0)
    first, second = best(found([old, young], {1: 1.0, 2: 1.0}), weights=weights)
    assert (first.seq, first.recency, second.recency) == (2, 1.0, 0.5)
    assert (round(first.score, 9), round(second.score, 9)) == (1.2, 1.1)
    longer = best(found([old], {1: 1.0}), weights=replace(weights, recency_half_life=14.0))
    assert longer[0].score > second.score
    assert best(found([old, young], {1: 1.3, 2: 1.0}), weights=weights)[0].seq == 1


def test_the_more_important_memory_is_raised_gently() -> None:
    entries = [entry(1, importance=10), entry(2, importance=1)]
    first, second = best(found(entries, {1: 1.0, 2: 1.0}), weights=replace(FLAT, importance=0.2))
    assert (first.seq, first.importance, second.importance) == (1, 1.0, 0.0)
    assert (round(first.score, 9), second.score) == (1.2, 1.0)


def test_a_time_that_cannot_be_read_raises_nothing() -> None:
    (hit,) = best(found([entry(1)._replace(at="long ago")], {1: 1.0}), "yesterday", weights=replace(FLAT, recency=0.2))
    assert (hit.recency, hit.when, hit.score) == (None, 0.0, 1.0)


@pytest.mark.parametrize(
    ("question", "part", "first"),
    [
        ("What did anna hide?", "who", entry(1, actor="Anna")),
        ("What did I promise?", "who", entry(1, actor=None)._replace(kind="said")),
        ("What was stolen yesterday?", "when", entry(1, at=NOW - timedelta(days=1))),
        ("How many steps?", "answer", entry(1, "There are 92 steps.")),
    ],
)
def test_being_of_whom_of_when_or_of_the_kind_that_is_asked_for_counts(question: str, part: str, first: Entry) -> None:
    weights = replace(FLAT, who=0.04, when=0.1, answer=0.05)
    hits = best(found([first, entry(2, "Steps.")], {1: 0.5, 2: 0.5}), question, weights=weights)
    assert [(hit.seq, getattr(hit, part)) for hit in hits] == [(1, getattr(weights, part)), (2, 0.0)]


def test_what_came_first_and_what_came_last_can_be_asked_for() -> None:
    entries, shares = [entry(1), entry(2), entry(3)], {1: 0.5, 2: 0.5, 3: 0.5}
    assert [hit.seq for hit in best(found(entries, shares), "Who came first?")] == [1, 2, 3]
    assert [hit.seq for hit in best(found(entries, shares), "Who was the latest to come?")] == [3, 2, 1]


def test_of_memories_with_the_same_text_only_the_best_is_shown_with_how_often_it_was() -> None:
    entries = [entry(1, "Silas yawns."), entry(2, "Silas yawns."), entry(3, "The bell rings.")]
    hits = best(found(entries, {1: 0.5, 2: 0.9, 3: 0.7}, times={1: 2, 2: 2}))
    assert [(hit.seq, hit.times) for hit in hits] == [(2, 2), (3, 1)]


def test_what_was_found_before_does_not_hide_where_it_was_found() -> None:
    entries = [
        entry(1, "The key is under the pot."),
        entry(2, "The key: a note.")._replace(kind="result", mark=OWN_NOTES),
    ]
    assert [hit.seq for hit in best(found(entries, {1: 0.6, 2: 0.9}))] == [1, 2]


def test_asking_again_and_again_hides_nothing() -> None:
    fact = entry(1, "The ferry leaves at the ninth bell.")
    echoes = [entry(seq, f"Ferry: note {seq}")._replace(kind="result", mark=OWN_NOTES) for seq in range(2, 9)]
    hits = best(found([fact, *echoes], dict.fromkeys(range(1, 9), 0.9)), weights=replace(FLAT, neighbours=0.6))
    assert hits[0].seq == 1
    assert len([hit for hit in hits if hit.kind == "result"]) == 1


def test_all_that_was_looked_at_is_found_and_counts_as_much_as_what_was_seen() -> None:
    looks = [entry(seq, f"{thing}: it has screw holes", actor=None) for seq, thing in enumerate(("lamp", "door"), 1)]
    entries = [one._replace(kind="result") for one in looks] + [entry(3, "Moss drills holes.")._replace(kind="saw")]
    hits = best(found(entries, {1: 0.9, 2: 0.8, 3: 0.5}), "screw holes")
    assert [hit.seq for hit in hits] == [1, 2, 3]


def test_a_failed_try_does_not_hide_what_it_was_about() -> None:
    tried = entry(2, 'You tried "take sundial", but it did not work.', actor=None)._replace(kind="did", failed=True)
    assert [hit.seq for hit in best(found([entry(1, "The sundial has no fin."), tried], {1: 0.6, 2: 0.9}))] == [1, 2]


def test_what_the_time_brings_is_a_hit_without_any_word() -> None:
    entries = [entry(1, at=NOW - timedelta(days=1)), entry(2)]
    what = Candidates({2: 0.1}, {}, {one.seq: one for one in entries}, {}, (), [1])
    assert [hit.seq for hit in best(what, "What happened yesterday?", weights=replace(FLAT, when=0.2))] == [1, 2]


def test_the_same_words_of_two_people_are_two_hits() -> None:
    entries = [entry(1, "Yes.", actor="Moss"), entry(2, "Yes.", actor="Eliza"), entry(3, "Yes.", actor="Moss")]
    assert len(best(found(entries, dict.fromkeys((1, 2, 3), 0.5)))) == 2


def test_what_one_told_somebody_is_told_to_them() -> None:
    entries = [
        entry(1, 'You say, "Moss, the key is here."', actor=None)._replace(kind="said"),
        entry(2, 'You say, "The key is here."', actor=None)._replace(kind="said"),
        entry(3, 'Moss says, "The key?"'),
    ]
    hits = best(found(entries, dict.fromkeys((1, 2, 3), 0.5)), "What did I tell Moss?", weights=replace(FLAT, who=0.04))
    assert [(hit.seq, hit.who) for hit in hits] == [(1, 0.04), (2, 0.02), (3, 0.0)]


def test_every_part_of_a_documents_score_is_kept() -> None:
    (hit,) = best(found([], documents=(note("Key", 0.4, 0.8),)), weights=replace(FLAT, vector_weight=0.75))
    assert (round(hit.score, 9), hit.lexical, hit.vector, hit.title, hit.seq) == (0.7, 0.4, 0.8, "Key", None)


def test_the_words_of_a_summary_count_for_less() -> None:
    (hit,) = best(found([], documents=(note("", 0.4, None, kind="summary"),)))
    assert round(hit.score, 9) == 0.3


def test_two_notes_that_say_the_same_are_two() -> None:
    notes = tuple(note(name, 1.0, None) for name in "ab")
    assert [hit.title for hit in best(found([], documents=notes))] == ["a", "b"]


def test_a_note_that_is_called_by_its_title_is_the_first_of_all() -> None:
    entries = [entry(seq, f"The train {seq}.", importance=10) for seq in range(1, 30)]
    notes = (note("Moss", 1.0, 0.9), note("Train", 1.0, 0.3), note("Training", None, 0.95))
    what = found(entries, dict.fromkeys(range(1, 30), 1.0), dict.fromkeys(range(1, 30), 0.8), notes)
    assert best(what, "train", weights=RecallSettings())[0].title == "Train"
    assert best(what, " TRAIN? ", weights=RecallSettings())[0].title == "Train"


def test_a_note_whose_whole_title_stands_in_the_question_is_the_first_of_notes() -> None:
    notes = (note("Moss", 0.9, 0.9), note("The Key", 0.1, 0.1), note("The Key of Moss", 0.9, 0.9))
    hits = best(found([], documents=notes), "Who has had the  key, and what did he open?")
    assert [hit.title for hit in hits] == ["The Key", "Moss", "The Key of Moss"]
    assert hits[0].score == hits[0].called + 0.1


def test_a_further_name_calls_a_note_as_its_title_does() -> None:
    other = FoundDocument(IndexedDocument("notes/x", "note", "A.", "Engine", None, "", ("Train",)), 0.2, None)
    hits = best(found([], documents=(note("Moss", 0.9, None), other)), "Where is the train?")
    assert [hit.title for hit in hits] == ["Engine", "Moss"]


def test_a_title_that_tells_nothing_is_called_only_alone() -> None:
    what = found([], documents=(note("Moss", 0.9, None), note("Who", 0.2, None)))
    assert best(what, "Who has the key?")[0].title == "Moss"
    assert best(what, "Who?")[0].title == "Who"


@given(
    st.dictionaries(st.integers(1, 300), st.floats(0.001, 2.0), max_size=60),
    st.dictionaries(st.integers(1, 300), st.floats(-1.0, 1.0), max_size=60),
    st.sampled_from(["", "How many did Moss count yesterday?", "What was the latest?", "When did Anna come first?"]),
    st.integers(1, 12),
)
def test_the_best_few_are_the_same_whatever_number_is_asked_for(
    shares: dict[int, float], cosines: dict[int, float], question: str, k: int
) -> None:
    entries = [
        entry(seq, f"line {seq % 70}{' twice' * (seq % 3)}", NOW - timedelta(hours=seq), 1 + seq % 10, "MA"[seq % 2])
        for seq in sorted(neighbours_of([*shares, *cosines]))
    ]
    what = found(entries, shares, cosines)
    assert best(what, question, k, RecallSettings()) == best(what, question, 1000, RecallSettings())[:k]


@given(
    st.dictionaries(st.integers(1, 40), st.floats(0.001, 2.0), max_size=12),
    st.dictionaries(st.integers(1, 40), st.floats(-1.0, 1.0), max_size=12),
    st.integers(-1, 30),
)
def test_hits_are_sorted_cut_and_do_not_hang_on_the_order_found(
    shares: dict[int, float], cosines: dict[int, float], k: int
) -> None:
    entries = [entry(seq) for seq in sorted(neighbours_of([*shares, *cosines]))]
    hits = best(found(entries, shares, cosines), "How many?", k, RecallSettings())
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(hits) <= max(0, k)
    turned = found(entries[::-1], dict(reversed(shares.items())), dict(reversed(cosines.items())))
    assert best(turned, "How many?", k, RecallSettings()) == hits
