from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.recall import tables
from agents.recall.documents import IndexedDocument
from agents.recall.lexical import LexicalIndex
from agents.recall.question import ParsedQuestion
from tests.examples import examples
from tests.unit.agents.recall.lives import entry, found, life, seqs, sync

Open = Callable[..., LexicalIndex]


# -- words alike ------------------------------------------------------------------------------------------------------


def test_a_word_that_is_alike_counts_less_than_the_word_itself(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Wendell was scared.", "Wendell was afraid.", "Nothing.", "Nothing at all.")})
    matches = index.do(
        index.searcher.match, "#1", {"scared": {"scared": 1.0, "afraid": 0.3}}, True, (), ParsedQuestion("")
    )
    assert list(matches.memories.shares) == [1, 2]
    assert matches.memories.shares == {1: 1.0, 2: pytest.approx(0.3)}


def test_only_the_first_five_alike_words_that_occur_in_this_life_count(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("one", "two", "three", "four", "five", "six"), "#2": life("zero")})
    alike = {"zero": 0.9, "one": 0.8, "two": 0.7, "three": 0.6, "four": 0.5, "five": 0.4, "six": 0.3}
    matches = index.do(index.searcher.match, "#1", {"digit": {"digit": 1.0, **alike}}, True, (), ParsedQuestion(""))
    assert list(matches.memories.shares) == [1, 2, 3, 4, 5]


def test_a_word_nobody_ever_said_takes_from_every_share(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("a red lute", "a drum")})
    half = found(index, "#1", "lute zeppelin").shares[1]
    assert 0 < half < found(index, "#1", "lute").shares[1] == 1.0


def test_documents_are_found_by_the_same_words(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Silas owns a lute.", *["Silas hums."] * 20)})
    sync(
        index, "#1", [IndexedDocument("n/lute", "note", "A lute."), IndexedDocument("s/1", "summary", "Silas hummed.")]
    )
    both = {one.document.key: one.share for one in found(index, "#1", "Silas lute", ("summary", "note")).documents}
    assert (both["n/lute"] or 0) > 0.5 > (both["s/1"] or 0) > 0


# -- the same said many times -----------------------------------------------------------------------------------------


def test_a_text_lived_often_is_counted_and_its_last_time_found_by_its_vector(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Petra yawns.", "A fox.", "Petra yawns.")})
    index.add({"#1": [entry(4, "An owl."), entry(5, "Petra yawns.")], "#2": life("Petra yawns.")})
    result = found(index, "#1", "sleepy", memories={1: 0.6, 4: 0.5})
    assert result.cosines == {1: 0.6, 5: 0.6, 4: 0.5}
    assert result.times == {1: 3, 5: 3}
    assert result.shares == {}
    assert set(result.entries) >= {1, 4, 5}
    assert found(index, "#2", "yawns").times == {}


def test_every_memory_with_the_same_text_gets_its_cosine(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Petra yawns.", "A fox.", "Petra yawns.", "Petra yawns.")})
    result = found(index, "#1", "yawns", memories={1: 0.6})
    assert result.cosines == {1: 0.6, 3: 0.6, 4: 0.6}
    assert result.shares == {1: 1.0, 3: 1.0, 4: 1.0}


def test_what_the_vectors_found_has_the_share_of_its_words(opened: Open) -> None:
    index = opened(budget=3)
    index.add({"#1": life("Silas has a lute.", *["Silas hums."] * 30)})
    result = found(index, "#1", "Silas lute", memories={1: 0.5, 2: 0.4, 77: 0.9})
    assert result.cosines == {1: 0.5, 2: 0.4, 31: 0.4} | {seq: 0.4 for seq in result.shares if seq > 2}
    assert 0 < result.shares[2] < result.shares[1] == 1.0


def test_the_vector_of_another_life_is_no_ones(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Petra yawns.", "Petra yawns.")})
    assert found(index, "#1", "fox", memories={2: 0.9}).cosines == {}


def test_the_same_words_of_two_people_are_two_texts(opened: Open) -> None:
    index = opened()
    index.add({"#1": [entry(1, "Yes.", actor="Moss"), entry(2, "Yes.", actor="Petra"), entry(3, "Yes.", actor="Moss")]})
    assert found(index, "#1", "yes").times == {1: 2, 3: 2}


def test_filling_a_hole_counts_no_text_twice(opened: Open) -> None:
    index, all_of_it = opened(), life("one", "two", "two", "two")
    index.add({"#1": [all_of_it[0], all_of_it[3]]})
    index.add({"#1": all_of_it[1:]})
    assert index.do(tables.through_of, "#1") == 4
    assert found(index, "#1", "two").times == {2: 3, 3: 3, 4: 3}


# -- long lives and many ----------------------------------------------------------------------------------------------


def test_a_growing_life_is_found_to_its_end(opened: Open) -> None:
    index = opened()
    for seq in range(1, 60):
        index.add({"#1": [entry(seq, f"the key {'of brass' if seq % 3 else 'of iron'}")]})
        assert seqs(index, "#1", "key")[0] == seq
        assert len(seqs(index, "#1", "iron")) == seq // 3


def test_a_budget_changes_nothing_for_whoever_has_a_rarer_word(opened: Open) -> None:
    texts = [f"Silas {'hums' if n % 2 else 'sings'} {'of rain' if n % 5 == 0 else ''}" for n in range(300)]
    texts[17] = "Silas hums of the lute"
    texts[90] = "Silas sings of rain and the lute"
    index, small = opened(), opened(Path("never written"), private=True, budget=5)
    for one in (index, small):
        one.add({"#1": life(*texts)})
    assert seqs(small, "#1", "Did Silas sing of rain on the lute?")[:2] == [91, 18]
    whole, bounded = (found(one, "#1", "Silas rain lute").shares for one in (index, small))
    assert all(bounded[seq] == pytest.approx(whole[seq]) for seq in bounded)


def test_of_words_that_all_memories_have_the_newest_are_found(opened: Open) -> None:
    index = opened(budget=7)
    index.add({"#1": life(*[f"Silas hums {number}" for number in range(100)])})
    assert seqs(index, "#1", "Silas") == list(range(100, 93, -1))


def test_seventy_agents_never_mix_though_they_share_tables(opened: Open) -> None:
    index = opened()
    names = [f"#{number}" for number in range(70)]
    for part in ("dawn", "dusk"):
        index.add({name: [entry(1 + (part == "dusk"), f"{part} key{name[1:]}")] for name in names})
    for name in names:
        assert seqs(index, name, f"key{name[1:]}") == [2, 1]
        assert seqs(index, name, "dawn") == [1]


WORDS = st.sampled_from(["bog", "cat", "dim", "elm", "fig", "gnu", "hut", "ivy", "jam", "kit", "log", "mud"])


@given(
    st.lists(st.lists(WORDS, max_size=5), min_size=1, max_size=25),
    st.dictionaries(WORDS, st.dictionaries(WORDS, st.floats(0.05, 0.4), max_size=7), min_size=1, max_size=5),
)
@settings(max_examples=examples(60), deadline=None)
def test_shares_are_what_a_plain_reckoning_says(texts: list[list[str]], alike: dict[str, dict[str, float]]) -> None:
    groups = {word: {**others, word: 1.0} for word, others in alike.items()}
    index = LexicalIndex(Path("never written"), private=True)
    try:
        index.add({"#1": life(*(" ".join(words) for words in texts)), "#2": life("bog cat dim")})
        shares = index.do(index.searcher.match, "#1", groups, True, (), ParsedQuestion("")).memories.shares
    finally:
        index.close()
    expected = _plain(texts, groups)
    assert shares == {seq: pytest.approx(share) for seq, share in expected.items()}


def _plain(texts: list[list[str]], groups: dict[str, dict[str, float]]) -> dict[int, float]:
    def idf(word: str) -> float:
        count = sum(word in text for text in texts)
        return math.log(1 + (len(texts) - count + 0.5) / (count + 0.5))

    def part(word: str, text: list[str]) -> float:
        others = sorted((one for one in groups[word] if one != word), key=lambda one: -groups[word][one])
        lived = [word, *[one for one in others if any(one in each for each in texts)][:5]]
        return max((groups[word][one] * min(idf(one), idf(word)) ** 2 for one in lived if one in text), default=0.0)

    whole = sum(idf(word) ** 2 for word in groups)
    shares = {seq: sum(part(word, text) for word in groups) / whole for seq, text in enumerate(texts, 1)}
    return {seq: share for seq, share in shares.items() if share > 0}
