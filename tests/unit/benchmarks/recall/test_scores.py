from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks._recall.lives import BenchmarkLife, LifeQuestion
from tests.benchmarks._recall.scores import BUDGETS, answered, mean, percentile, pooled, score_of, within

TURNS = [f"D{session}:{turn}" for session in range(1, 13) for turn in range(1, 3)]
LIFE = BenchmarkLife([], [], TURNS, [session for session in range(1, 13) for _ in range(2)])
TOKENS = [100] * len(TURNS)


def _ranked(*names: str) -> list[tuple[int, float]]:
    return [(TURNS.index(name), 1.0 - place / 100) for place, name in enumerate(names)]


def _asked(*evidence: str) -> LifeQuestion:
    return LifeQuestion("where?", "1", evidence)


def test_a_question_scores_the_fraction_of_its_evidence() -> None:
    ranked = _ranked("D1:1", "D2:1", "D3:1", "D4:1", "D5:1", "D6:2")
    score = score_of(LIFE, _asked("D1:1", "D6:2", "D9:9"), ranked, TOKENS)
    assert score.turns == {5: pytest.approx(1 / 3), 10: pytest.approx(2 / 3), 40: pytest.approx(2 / 3)}


def test_within_a_budget_only_what_fits_is_found() -> None:
    ranked = _ranked("D1:1", "D2:1", "D3:1")
    score = score_of(LIFE, _asked("D3:1"), ranked, TOKENS)
    assert score.tokens == {256: 0.0, 721: 1.0, 2000: 1.0, 7000: 1.0}


def test_a_turn_that_does_not_fit_ends_the_walk() -> None:
    assert within([0, 1, 2, 3], [10, 50, 5, 5], 20) == [0]
    assert within([0, 2, 3], [10, 50, 5, 5], 20) == [0, 2, 3]
    assert within([], [], 20) == []


@given(st.lists(st.integers(1, 400), max_size=30), st.sampled_from(BUDGETS))
def test_what_is_chosen_never_exceeds_the_budget_and_is_the_best(tokens: list[int], budget: int) -> None:
    chosen = within(range(len(tokens)), tokens, budget)
    assert chosen == list(range(len(chosen)))
    assert sum(tokens[turn] for turn in chosen) <= budget


def test_malformed_evidence_is_not_mended_and_never_found() -> None:
    ranked = _ranked(*TURNS)
    score = score_of(LIFE, _asked("D1:1", "D1:1; D2:1", "D:3:1", "D"), ranked, TOKENS)
    assert score.turns[10] == score.sessions[10] == score.tokens[7000] == 0.25


def test_a_session_counts_once_and_is_found_by_any_of_its_turns() -> None:
    score = score_of(LIFE, _asked("D1:1", "D1:2", "D2:1"), _ranked("D1:2"), TOKENS)
    assert score.sessions == {10: 0.5}


def test_only_the_first_ten_sessions_count() -> None:
    ranked = _ranked(*(f"D{session}:1" for session in range(1, 13)))
    assert score_of(LIFE, _asked("D10:2"), ranked, TOKENS).sessions == {10: 1.0}
    assert score_of(LIFE, _asked("D11:1"), ranked, TOKENS).sessions == {10: 0.0}


def test_one_telling_turn_beats_many_vague_ones_but_two_telling_ones_beat_one() -> None:
    assert pooled([(1, 1.0), (2, 0.45), (2, 0.45), (2, 0.45), (2, 0.45)]) == [1, 2]
    assert pooled([(1, 1.0), (2, 0.9), (2, 0.9)]) == [2, 1]
    assert pooled([(3, 0.5), (1, 0.5)]) == [3, 1]
    assert pooled([]) == []


def test_means_are_taken_part_by_part_and_of_nothing_there_is_none() -> None:
    ranked = _ranked("D1:1")
    scores = [score_of(LIFE, _asked(name), ranked, TOKENS) for name in ("D1:1", "D2:1")]
    found = mean(scores)
    assert found is not None
    assert found.turns == {5: 0.5, 10: 0.5, 40: 0.5}
    assert mean([]) is None


def test_an_answer_is_found_when_all_of_it_stands_in_the_texts_in_any_case() -> None:
    assert answered(["Pear", "mill"], ["The PEAR tree", "by the Mill."])
    assert not answered(["Pear", "mill"], ["The pear tree"])
    assert not answered(["Pear"], [])


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(number) for number in range(100, 0, -1)]
    assert (percentile(values, 0.5), percentile(values, 0.95), percentile([3.0], 0.95)) == (51.0, 96.0, 3.0)
    assert percentile([], 0.5) is None
