from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agents.recall.cache import MAX_SIMILAR, MIN_SIMILARITY, Thesaurus

COINS, PENNIES, SHIP = np.eye(3, dtype=np.float32)
MONEY = np.array([0.8, 0.6, 0.0], dtype=np.float32)


def test_words_that_are_like_one_are_named_with_how_like_they_are_the_likest_first() -> None:
    words = Thesaurus(3)
    words.learn(["pennies", "coins", "ship"], np.stack([PENNIES, COINS, SHIP]))
    words.learn(["coins", "money"], np.stack([SHIP, MONEY]))  # the first vector of a word stays
    assert words.similar(["money"], {}) == {"money": {"coins": 0.8, "pennies": 0.6}}


def test_only_words_that_were_said_are_named() -> None:
    words = Thesaurus(3)
    assert words.similar(["money"], {"money": MONEY}) == {}
    words.learn(["coins"], COINS[None])
    assert words.similar(["money", "gold"], {"money": MONEY, "gold": COINS})["gold"] == {"coins": 1.0}
    assert words.unknown(["money", "coins"]) == ["money"]


@given(st.integers(1, 700), st.integers(1, 300))
def test_however_they_come_all_are_learnt(count: int, step: int) -> None:
    words, vector = Thesaurus(3), COINS[None]
    names = [f"word{number}" for number in range(count)]
    for start in range(0, count, step):
        some = names[start : start + step]
        words.learn(some, np.repeat(vector, len(some), axis=0))
    assert words.unknown(names) == []
    alike = words.similar(["x"], {"x": COINS})["x"]
    assert len(alike) == min(count, MAX_SIMILAR)
    assert all(cosine >= MIN_SIMILARITY for cosine in alike.values())
