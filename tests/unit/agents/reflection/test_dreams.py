"""Dreams: made only of what was lived, never of dreams, and marked as dreams."""

from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.judge.reading import telling_of
from agents.memory.entries import Entry
from agents.reflection.dreams import CHUNK, CHUNKS, LONGEST, by_rules, mixed, places_to_look, tidied
from agents.reflection.experiences import parse_ratings
from agents.reflection.insights import parse_insights
from tests.unit.agents.reflection.telling import SAY, TEXTS, heard, made

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


DREAM = "The garden was made of paper, and Moss read it aloud to the bees. I could not find my hands."


@pytest.mark.parametrize(
    "reply",
    [
        f"Okay, the user wants a dream for Eliza. I should use the garden.\n</think>\n{DREAM}",
        f"<thinking>Okay, the user wants me to write a dream for Eliza.</thinking>{DREAM}",
        f"<think>What is <think> for?</think>\n\n{DREAM}",
        f"<|channel|>analysis<|message|>A dream.<|end|><|channel|>final<|message|>{DREAM}<|im_end|>",
        f"Sure! Here is a dream based on the memories you provided:\n\n{DREAM}",
        f"Sure! Here is a dream based on the memories you provided: {DREAM}",
        f"Here’s a dream that Eliza might have\n\n{DREAM}",
        f"Certainly! I'd be happy to help. Here is the dream.\n{DREAM}",
        f"Okay, here's a dream for Eliza, mixed from her memories:\n\n---\n\n{DREAM}\n\n---",
        f"**Eliza's Dream:**\n\n{DREAM}",
        f"Dream: I dreamed that {DREAM}",
        f"I dreamed:\nI dreamed: {DREAM}",
        f"{DREAM}\n\nI hope this dream meets your expectations! Let me know if it should be longer.",
        f"{DREAM} Would you like me to write another one?",
    ],
)
def test_of_a_models_dream_only_the_dream_is_taken(reply: str) -> None:
    assert tidied(reply, "I dreamed: ") == DREAM


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but as an AI language model I cannot dream or generate dreams for you.",
        "I'm sorry, but I can't help with that request. It asks for something that I must not do.",
        "I cannot fulfill this request. However, there are many stories of gardens that tell of bees.",
        "I’m just an AI assistant. I have no dreams of my own, but there is a garden that I know of.",
        "Okay, the user wants me to write a dream for Eliza. I should use the memories of the garden.",
        "We need to write a dream in the first person. The garden could be made of paper and bees.",
        "The garden could be made of paper. The user wants four to six sentences, so I keep it short and plain.",
        "Let me think about what this dream could be. The garden is made of paper and full of bees.",
        "Sure! Here is a dream based on the memories you provided:",
        "<think>The garden was made of paper, and Moss read it aloud to the bees.",
    ],
)
def test_whoever_speaks_as_an_assistant_or_thinks_aloud_did_not_dream(reply: str) -> None:
    assert tidied(reply, "I dreamed: ") == ""


@pytest.mark.parametrize(
    "junk", [*(" ", "“", '"', "(12 ", "[1 ", "<think>", "<", "#", "Sure! ", "I hope it helps. ", "A dream", "dream: ")]
)
def test_junk_of_any_length_is_no_dream_and_told_so_at_once(junk: str) -> None:
    reply = junk * (20_000_000 // len(junk))
    assert min(seconds_for(reply) for _ in range(3)) < 1


def seconds_for(reply: str) -> float:
    started = time.process_time()
    for text in (reply, f"{reply[:8000]}x", f"a b c d (12{reply[:400]}x"):
        tidied(text, "I dreamed: ")
        parse_insights(text, [heard(12, "Moss", "No.")], "Eliza")
        parse_ratings(text, [12])
    return time.process_time() - started


@pytest.mark.parametrize(
    "dream",
    [
        "I am sorry for the heron, and I cannot do anything. Here is the key, says Moss, and there is no door.",
        'Moss says, "I am sorry, I cannot help you with the user of the lamp." I nod and sink into the pond.',
        "Okay is written on every stone. I should go home, but the garden has no gate, and I need to sing.",
        "Here is the garden, made of paper. Somebody reads it aloud, and I let the bees know.",
    ],
)
def test_a_dream_may_be_sorry_and_know_no_way_out(dream: str) -> None:
    assert tidied(dream, "I dreamed: ") == dream
