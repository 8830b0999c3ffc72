"""The twenty-question evening, held to its figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evening.facts import FACTS, MORE_FACTS, UNSEEN, Fact
from tests.evening.twenty import evening, judge


async def test_of_twenty_questions_at_least_fourteen_are_answered_rightly_and_at_most_two_wrongly(
    tmp_path: Path,
) -> None:
    outcome = await evening(tmp_path, 11, FACTS + MORE_FACTS)
    assert outcome.counts["right"] >= 14, outcome.said
    assert outcome.counts["wrong"] <= 2, outcome.said


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(8))
async def test_it_holds_for_what_was_not_at_hand_when_the_rules_were_written(tmp_path: Path, seed: int) -> None:
    outcome = await evening(tmp_path, seed, UNSEEN)
    assert outcome.counts["right"] >= 14, outcome.said
    assert outcome.counts["wrong"] <= 2, outcome.said


def test_an_answer_counts_only_with_its_source_and_a_guess_counts_as_wrong() -> None:
    fact = Fact("The key is in the well.", "Where is the key?", ("well",))
    assert judge(fact, "Jonas", ["Eliza: Jonas told me: the key is in the well."]) == "right"
    assert judge(fact, "Jonas", ["Eliza: The key is in the well."]) == "wrong"
    assert judge(fact, "Jonas", ["Eliza: Jonas told me: the cat is grey."]) == "wrong"
    assert judge(fact, "Jonas", ["Eliza: I do not know, Jonas."]) == "unknown"
    assert judge(fact, "Jonas", []) == "unknown"
