"""Dreams: made only of what was lived, never of dreams, and marked as dreams."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.judging.reading import telling_of
from agents.inner.dreams import CHUNK, CHUNKS, LONGEST, by_rules, mixed, places_to_look, tidied
from agents.memory.entries import Entry
from tests.unit.agents.inner.telling import SAY, TEXTS, heard, made

SCENERY = " ".join(text for key in TEXTS.keys("minds.dream.") for text in TEXTS.variants(key))

KINDS = st.sampled_from(["heard", "saw", "said", "dream", "thought", "note", "did"])
LIVES = st.lists(
    st.tuples(KINDS, st.sampled_from(["The heron sleeps", "Rain again", "A key hangs there"])), max_size=40
)


def life(told: list[tuple[str, str]]) -> list[Entry]:
    places = ("The Garden", "The Loft")
    return [
        heard(seq, "Moss", words, places[seq % 2])
        if kind == "heard"
        else made(seq, kind, f"{words} {kind}", places[seq % 2])
        for seq, (kind, words) in enumerate(told, 1)
    ]


@given(LIVES, st.integers(0, 99))
def test_a_dream_is_made_only_of_what_was_lived_and_the_same_by_the_same_chance(
    told: list[tuple[str, str]], seed: int
) -> None:
    entries = life(told)
    memories = mixed(entries[20:], entries[:20], Random(seed))
    assert all(entry.kind not in ("dream", "thought", "note") for entry in memories)
    dream = by_rules(memories, SAY, Random(seed))
    assert dream == by_rules(mixed(entries[20:], entries[:20], Random(seed)), SAY, Random(seed))
    lived = " ".join(f"{entry.text} {entry.actor} {entry.place}" for entry in memories)
    assert telling_of(dream) <= telling_of(f"{lived} {SCENERY}")
    assert bool(dream) == bool(memories)


def test_a_whisper_is_nothing_to_dream_aloud_of_and_neither_is_a_question() -> None:
    whisper = Entry(1, "", "told", "Moss", "The Garden", 'Moss whispers to you, "The chest is mine."')
    dream = by_rules([whisper, heard(2, "Moss", "Where is the chest?")], SAY, Random(1))
    assert "chest" not in dream


@given(st.integers(0, 100_000), st.integers(0, 99))
def test_the_older_life_is_looked_at_in_a_few_places_only(first: int, seed: int) -> None:
    places = places_to_look(first, Random(seed))
    assert len(places) <= CHUNKS
    assert all(1 <= start <= end < max(first, 2) and end - start < CHUNK[1] for start, end in places)


def test_a_models_dream_is_tidied_to_one_paragraph() -> None:
    assert tidied("<think>hm</think>\n**I dreamed:** the heron\nspoke. It was *cold* there.") == (
        "the heron spoke. It was cold there."
    )
    assert tidied("") == tidied("Well.") == tidied("<think>for ever and ever and ever and ever") == ""
    assert tidied("The heron spoke of rain. " * 200) == "", "whoever drones is not listened to"
    letters = "abcdefghijklmnopqrstuvwxyz"
    long = " ".join(f"The {one}{other}ron spoke of {other}{one}lm." for one in letters for other in letters[:9])
    assert 5 < len(tidied(long)) <= LONGEST
