from __future__ import annotations

from collections import Counter

from mud.clock import parse_iso
from tests.benchmarks._recall.made_up import MadeUp, end_of

WORDS = [f"word{number:c}" for number in range(ord("a"), ord("z"))]


def test_the_same_seed_makes_the_same_life_and_another_makes_another() -> None:
    one, same, other = MadeUp(1, WORDS), MadeUp(1, WORDS), MadeUp(2, WORDS)
    assert [one.entry(3, seq) for seq in range(1, 50)] == [same.entry(3, seq) for seq in range(1, 50)]
    assert [one.entry(3, seq) for seq in range(1, 50)] != [other.entry(3, seq) for seq in range(1, 50)]
    assert [one.entry(3, seq).text for seq in range(1, 50)] != [one.entry(4, seq).text for seq in range(1, 50)]
    assert one.question(5) == same.question(5) != one.question(6)


def test_memories_are_numbered_and_follow_each_other_in_time() -> None:
    made = MadeUp(1, WORDS)
    life = [made.entry(1, seq) for seq in range(1, 20)]
    assert [entry.seq for entry in life] == list(range(1, 20))
    times = [entry.at for entry in life]
    assert times == sorted(set(times))
    assert parse_iso(times[-1]) == end_of(19)


def test_what_is_said_has_few_words_often_and_many_seldom_and_some_lines_repeat() -> None:
    made = MadeUp(1, WORDS)
    texts = [made.entry(1, seq).text for seq in range(1, 2001)]
    counts = Counter(word for text in texts for word in WORDS if word in text.lower())
    assert counts[WORDS[0]] > 3 * counts[WORDS[-1]] > 0
    assert 0.7 < sum(" says, " in text for text in texts) / len(texts) < 0.9
    assert 1 < len(texts) - len(set(texts)) < 400


def test_a_question_has_four_to_eight_words_or_so_and_tells_some_of_them() -> None:
    made = MadeUp(1, WORDS)
    for number in range(1, 30):
        words = made.question(number).strip("?").split()
        assert 4 <= len(words) <= 9
        assert set(words) & set(WORDS)
