"""What summaries by rules hold of a life: people, what they told, promises, gifts, quarrels; no small talk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import cycle

import pytest

from agents.compaction.summarizer import SummarySource
from agents.compaction.summarizers.extractive import extract
from agents.llm.tokens import estimate
from agents.memory.entries import Entry, importance_of
from agents.text.english import apart, sentences, unquoted

NAME = "Oriel"
FOLD = 64
TALK = ("Cold hands today.", "Is the kettle on?", "Mind the step.", "It might rain, or not.", "Good morning, Oriel.")
POSES = ("{} hums to the window.", "{} looks closely at Oriel.", "{} walks once around the table.")
OWN_POSES = ("Oriel brushes flour from her sleeve.", "Oriel tilts her head and listens.")


def entry(seq: int, kind: str, text: str, actor: str | None = None, place: str = "The Bakehouse") -> Entry:
    return Entry(seq, "", kind, actor, place, text, importance=importance_of(kind, text, (NAME,)))


def lived(facts: list[tuple[str, str | None, str]], people: tuple[str, ...], count: int = FOLD) -> list[Entry]:
    """Return memories in which facts (kind, who, text) stand among small talk and gestures of everybody."""
    step = count // (len(facts) + 1)
    told = {step * (at + 1): fact for at, fact in enumerate(facts)}
    who, talk, poses, own = cycle(people), cycle(TALK), cycle(POSES), cycle(OWN_POSES)
    entries = []
    for seq in range(1, count + 1):
        if seq in told:
            kind, actor, text = told[seq]
            entries.append(entry(seq, kind, text, actor))
        elif seq % 3 == 0:
            entries.append(entry(seq, "did", next(own)))
        else:
            name = next(who)
            said = seq % 3 == 1
            text = f'{name} says, "{next(talk)}"' if said else next(poses).format(name)
            entries.append(entry(seq, "heard" if said else "saw", text, name))
    return entries


def recent(entries: list[Entry], most: int = 4, **more: str) -> str:
    return extract(SummarySource(NAME, "recent", tuple(entries), max_sentences=most, **more))  # type: ignore[arg-type]


def longterm(*earlier: str, tokens: int = 600) -> str:
    return extract(SummarySource(NAME, "longterm", earlier=earlier, max_tokens=tokens))


def heard(who: str, said: str) -> tuple[str, str | None, str]:
    return "heard", who, f'{who} says, "{said}"'


VILLAGE = ("Björn", "Καλλιόπη", "Mrs Adeyemi", "O'Rourke", "Zofia", "林")
BAKERY = ("Ewan", "Florentina", "Gudrun", "Hassan", "Ilse", "Jory")
TOLD = [
    heard("Ewan", "I mended clocks in Antwerp before the war."),
    heard("Florentina", "My daughter Livia is deaf since birth."),
    heard("Gudrun", "I cannot read, tell nobody."),
    heard("Hassan", "I own four goats and half a boat."),
    heard("Ilse", "I was left at the altar by a piper."),
    heard("Jory", "I was born on the ferry."),
]


def test_everybody_who_was_met_is_named_even_of_people_who_told_nothing() -> None:
    for people in (VILLAGE, BAKERY, VILLAGE + BAKERY):
        text = recent(lived([heard(people[0], "I keep eleven hives behind the kiln.")], people))
        assert "eleven hives" in text
        for name in people:
            assert name in text


def test_of_six_people_who_told_of_themselves_hardly_one_is_left_out() -> None:
    text = recent(lived(TOLD, BAKERY))
    kept = [fact for fact in ("Antwerp", "Livia", "cannot read", "four goats", "altar", "ferry") if fact in text]
    assert len(kept) >= 4, text
    assert len(sentences(text)) <= 4
    assert all(name in text for name in BAKERY)


def test_a_long_term_summary_has_all_that_was_told_while_there_is_room() -> None:
    folds = [recent(lived([one], BAKERY)) for one in TOLD]
    text = ""
    for fold in folds:
        text = longterm(*filter(None, (text, fold)))
    for fact in ("Antwerp", "Livia", "cannot read", "four goats", "altar", "ferry"):
        assert text.count(fact) == 1
    assert all(name in text for name in BAKERY)


def test_where_there_is_little_room_the_most_important_of_all_parts_stay_and_not_those_of_the_last() -> None:
    vow = recent(lived([heard("Ewan", "I swear I will bring 40 pennies to Ilse before Easter.")], BAKERY))
    seen = {"Gudrun": "hare", "Hassan": "brown dog", "Jory": "cart", "Ilse": "pedlar"}
    others = [recent(lived([heard(who, f"I saw a {what} by the well.")], BAKERY)) for who, what in seen.items()]
    text = ""
    for fold in (vow, *others):
        text = longterm(*filter(None, (text, fold)), tokens=110)
    assert "40 pennies to Ilse" in text
    assert estimate(text) <= 110


@pytest.mark.parametrize(
    ("kind", "who", "text", "told"),
    [
        ("said", None, 'You say, "I will carry the ladder to Zofia on Friday."', "carry the ladder to Zofia"),
        ("heard", "Björn", 'Björn says, "You have my word, I will mend your roof."', "mend your roof"),
        ("heard", "Zofia", 'Zofia says, "The cellar code is 8812."', "8812"),
        ("saw", "林", "林 gives you a brass compass.", "林 gave me a brass compass."),
        ("saw", "O'Rourke", "O'Rourke steals a coat from Zofia.", "O'Rourke stole a coat from Zofia."),
        ("saw", "Björn", "Björn shouts at Zofia and breaks her jug.", "Björn shouted at Zofia and broke her jug."),
        ("did", None, "You give Zofia the last candle.", "I gave Zofia the last candle."),
        ("did", None, "Oriel gives Zofia the last candle.", "I gave Zofia the last candle."),
        ("told", "Καλλιόπη", 'Καλλιόπη whispers to you, "My brother is buried in Piraeus."', "buried in Piraeus"),
    ],
)  # fmt: skip
def test_promises_numbers_gifts_quarrels_and_secrets_go_before_small_talk(
    kind: str, who: str | None, text: str, told: str
) -> None:
    summary = recent(lived([(kind, who, text)], VILLAGE))
    assert told in summary
    assert not any(talk in summary for talk in TALK)


def test_promises_are_told_without_their_vows_and_those_of_one_person_in_one_sentence() -> None:
    vows = [
        ("said", None, 'You say, "I will bring the sieve back on Friday, Hassan, I promise."'),
        heard("Ilse", "If the piper returns I shall not hide, my word on it."),
        ("said", None, 'You say, "I will feed your goats unless it snows, Hassan. You have my word."'),
    ]
    first = recent(lived(vows, BAKERY))
    for text in (first, longterm(first, recent(lived(TOLD[:2], BAKERY)))):
        said = '"I will bring the sieve back on Friday, Hassan" and "I will feed your goats unless it snows, Hassan'
        assert f"I promised, {said}" in text
        assert 'Ilse promised, "If the piper returns I shall not hide' in text
    assert [one for text in sentences(first) for one in apart(text) if "promised" in one] == [
        'I promised, "I will bring the sieve back on Friday, Hassan."',
        'I promised, "I will feed your goats unless it snows, Hassan."',
        'Ilse promised, "If the piper returns I shall not hide."',
    ]


def test_gestures_of_ones_own_are_told_with_i_or_not_at_all() -> None:
    only = [entry(seq, "did", next(iter(OWN_POSES[seq % 2 :]))) for seq in range(1, 30)]
    for entries in (only, lived(TOLD, BAKERY), lived([], BAKERY)):
        text = recent(entries)
        assert text
        assert not re.search(rf"\b{NAME}\b", unquoted(text)), text


def test_an_insight_is_kept_and_where_it_comes_from_is_not_what_is_quoted() -> None:
    insight = entry(9, "thought", "I have come to think: Zofia keeps her word. (memories 3, 5, 8)")._replace(
        mark="insight"
    )
    for entries in ([insight, *lived([], VILLAGE)], [insight]):
        text = recent(entries)
        assert "Zofia keeps her word" in text
        assert "memories" not in text
        assert '"' not in text or 'I thought, "' not in text


def test_what_earlier_versions_wrote_wrongly_is_not_carried_on() -> None:
    earlier = (
        'I was at the Mill, mostly with Zofia. I thought, "(memories 65, 68, 69)". Oriel brushes flour from her sleeve.'
    )
    text = longterm(earlier, recent(lived([], VILLAGE)))
    assert "memories" not in text
    assert "I brushed flour from my sleeve." in text
    assert "Oriel" not in unquoted(text)
    assert "Zofia" in text


def test_no_sentence_and_no_fact_is_told_twice() -> None:
    twice = [heard("Ewan", "The mill burned down in 1764."), heard("Ilse", "In 1764 the mill burned down.")]
    text = recent(lived(twice, BAKERY))
    assert text.count("1764") == 1
    both = longterm(text, recent(lived(twice[::-1], BAKERY)))
    assert both.count("1764") == 1
    told = [one for sentence in sentences(both) for one in apart(sentence)]
    assert len(told) == len(set(told))


def test_the_first_sentence_says_when_it_was_and_that_costs_no_fact() -> None:
    entries = lived(TOLD[:2], BAKERY)
    text = recent(entries, when="On Tuesday morning")
    assert text.startswith("On Tuesday morning I was at the Bakehouse, with ")
    assert "Antwerp" in text
    assert "Livia" in text
    begins = extract(
        SummarySource(NAME, "recent", tuple(entries), max_sentences=4, begins=True, when="On Tuesday morning")
    )
    assert begins.startswith("My first memories, from Tuesday morning, are of the Bakehouse, with ")
    whole = longterm(begins, recent(entries, when="From Tuesday night to Friday morning"))
    assert whole.startswith("My first memories, from Tuesday morning, are of the Bakehouse, with ")
    assert whole.count("Bakehouse") == 1


def test_the_same_memories_make_the_same_summary_whatever_the_hash_seed() -> None:
    module = "tests.unit.agents.compaction.summarizers.test_what_is_kept"
    code = f"from {module} import *; print(longterm(recent(lived(TOLD, BAKERY)), recent(lived(TOLD[::-1], VILLAGE))))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in "01"
    }
    assert len(texts) == 1


def test_a_passing_thought_is_told_once_whatever_place_it_was_thought_in() -> None:
    many = "With two weeks and four planks I could mend the roof of the {}."
    thoughts = [f'I thought, "{many.format(place)}"' for place in ("Loft", "Mill", "Kiln")]
    text = longterm(f'{thoughts[0]} Zofia said, "The ferry leaves at 7."', *thoughts[1:])
    assert text.count("four planks") == 1
    facts = longterm('Zofia said, "The ferry leaves at 7."', 'Zofia said, "The ferry leaves at 8."')
    assert "at 7" in facts
    assert "at 8" in facts


FACTS = (
    "I taught you to read the tide tables when you first came to the harbour.",
    "You swore to return the copper lamp to Harlan before the thaw.",
    "My sister Ines vanished in the storm; if you hear of her, tell me.",
    "Whatever happens, I am on your side, here at the Smithy as anywhere.",
    "The ferryman will not carry red cloth since his son drowned.",
    "I was a drummer in the southern army before I baked bread.",
    "The lighthouse was lit first in 1764.",
    "I decided to leave for the coast at the end of the month.",
    "The spare key is kept under the blue jug.",
    "Do not forget: the grey mare must be back with Joss by the full moon.",
)
SMALL_TALK = (
    "The fish is fresh today.",
    "Well, my back hurts again.",
    "What a long day it has been.",
    "You are late this morning.",
    "Wow, that is so cool, thank you!",
)


def told_by_joss(*words: str) -> str:
    """Return what is told of a talk of Joss, who says this and chats."""
    said = [*words, *["The kettle is on."] * 20]
    entries = [Entry(1, "", "heard", "Joss", "The Quay", f'Joss says, "{one}"', importance=4) for one in said]
    return extract(SummarySource("Eliza", "recent", tuple(entries), max_sentences=4))


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_is_told_and_small_talk_is_not(fact: str) -> None:
    text = told_by_joss(*SMALL_TALK, fact)
    assert fact.rstrip(".") in text
    assert not [talk for talk in SMALL_TALK if talk.rstrip(".!") in text]


def test_of_a_guess_and_what_was_said_for_sure_the_latter_is_told() -> None:
    text = told_by_joss("I think the ring lies under the mill, or so they say.", "The comb lies under the mill.")
    assert "comb" in text
    assert "ring" not in text
