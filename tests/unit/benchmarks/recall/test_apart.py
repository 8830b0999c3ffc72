from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.embedders.hashing import HashingEmbedder
from agents.recall.indexes import EmbeddingCache
from agents.recall.lexical import LexicalIndex
from mud.errors import LociError
from tests.benchmarks._recall.apart import Apart, count_tokens, frequent_words
from tests.benchmarks._recall.made_up_vectors import MadeUpEmbedder, fill_cache


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    with Apart() as one:
        yield one


def test_tokens_are_those_of_a_real_tokenizer() -> None:
    assert count_tokens(["", "The kiln is cold.", "unbelievabubble"])[:2] == [0, 6]
    assert count_tokens(["word " * 1000]) == [1000]


def test_frequent_words_come_in_the_order_of_their_frequency() -> None:
    words = frequent_words(5000)
    assert len(words) == len(set(words)) == 5000
    assert words.index("water") < words.index("boat")
    assert "the" not in words


def test_chroma_finds_the_nearest_of_what_it_was_given(apart: Apart, tmp_path: Path) -> None:
    texts = ["The kiln is cold.", "A boat lies at the mill.", "Bees swarm in the orchard."]
    found = apart.plain_chroma(tmp_path, "hashing", texts, ["a boat at the mill", "bees"], 2)
    assert [one[0][0] for one in found] == [1, 2]
    assert [len(one) for one in found] == [2, 2]
    assert found[0][0][1] > found[0][1][1]


def test_chroma_is_not_asked_about_nothing(apart: Apart, tmp_path: Path) -> None:
    assert apart.plain_chroma(tmp_path, "hashing", [], ["bees"], 2) == [[]]
    assert apart.plain_chroma(tmp_path, "hashing", ["bees"], [], 2) == []


def test_what_fails_in_the_child_is_said_in_a_sentence(apart: Apart, tmp_path: Path) -> None:
    with pytest.raises(LociError, match="there is no embedder 'nobody'"):
        apart.plain_chroma(tmp_path, "nobody", ["bees"], ["bees"], 1)
    with pytest.raises(LociError, match="the bench's child process failed: ValueError"):
        apart.run(int, "seven")


def test_made_up_vectors_are_alike_when_words_are_and_the_same_every_time() -> None:
    model = MadeUpEmbedder("some", 384)
    rows = model.embed(["the cold kiln", "a cold kiln", "bees", ""])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert rows[0] @ rows[1] > 0.5 > abs(rows[0] @ rows[2])
    assert np.array_equal(rows, MadeUpEmbedder("some", 384).embed(["the cold kiln", "a cold kiln", "bees", ""]))


def test_memories_that_wait_for_a_vector_find_a_made_up_one_in_the_cache_and_still_wait(tmp_path: Path) -> None:
    index = LexicalIndex(tmp_path / "words.sqlite3")
    told = ["The kiln is cold.", "Bees swarm.", "The kiln is cold."]
    lived = [Entry(seq, "2026-01-01T00:00:00.000Z", "saw", None, None, text) for seq, text in enumerate(told, 1)]
    index.add({"#1": lived, "#2": lived[:1]})
    index.close()
    assert fill_cache(str(tmp_path), "words.sqlite3", "hashing") == 3
    [(_, _, records)] = index.do(tables.memories_waiting, 10, "", ())
    assert [one.id for one in records] == ["#1|1", "#1|2"]
    index.close()
    cache = EmbeddingCache(tmp_path / "embeddings.sqlite3", HashingEmbedder())
    kept = cache.embed([one.digest for one in records], [one.text for one in records])
    cache.close()
    made = MadeUpEmbedder(HashingEmbedder.model, HashingEmbedder.dimension)
    assert np.array_equal(kept, made.embed([one.text for one in records]))
