"""Of a sentence that is too long a part is told: whole clauses, whole names and numbers, and nothing left open."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.judge import SummaryEvidence, made_up, misquoted, taken_for_true
from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import SummarySource
from agents.compaction.summarizers.extractive import extract
from agents.memory.entries import Entry, importance_of

TAIL = (
    "and the whole of the valley spoke of nothing else for weeks on end while the carts stood idle in the lanes;"
    " nobody ever came to ask us how we did, and we were too proud to say so - which is how it often goes in winter,"
    " when all the roads are shut."
)
FACTS = (
    ("I lost my brother Aldric in the winter that the mill froze", ("Aldric",)),
    ("I promised her that I would carry 13,500 pennies to Conan at St. Ives", ("promised", "13,500", "St. Ives")),
    ("My daughter Livia keeps eleven goats behind the kiln", ("Livia", "eleven goats")),
    ("Gudrun stole the ledger of the ferry and hid it under the third stair", ("Gudrun", "ledger", "third stair")),
    ("I was born in Antwerp and learned to mend clocks there", ("Antwerp", "clocks")),
    ("I swear that I will marry Jutta at the chapel of Ribe", ("swear", "Jutta", "Ribe")),
)


def heard(words: str, seq: int = 1, kind: str = "heard", actor: str | None = "Moss") -> Entry:
    text = f'{actor} says, "{words}"' if actor else f'You say, "{words}"'
    return Entry(seq, "", kind, actor, "The Library", text, importance=importance_of(kind, text, ("Eliza",)))


def told_of(entry: Entry) -> str:
    """Return what is told of a memory; a note, which is not told, makes room for all of it."""
    source = (entry._replace(place=None), entry._replace(kind="note", place=None, text="." * 999))
    return extract(SummarySource("Eliza", "recent", source))


def judged(text: str, source: SummarySource) -> list[str]:
    return made_up(text, SummaryEvidence(source)) + misquoted(text, source) + taken_for_true(text, source)


def test_a_life_of_long_sentences_keeps_what_was_told_and_promised_while_there_is_room() -> None:
    people = ("Moss", "Tamsin", None, "Corvin", "Maud", "Pike")
    entries: list[Entry] = []
    for at, (fact, _) in enumerate(FACTS):
        actor = people[at]
        entries.append(heard(f"{fact}, {TAIL}", len(entries) + 1, "heard" if actor else "said", actor))
        entries += [heard(f"It was so and so it is, as we all say, {TAIL}", len(entries) + 1 + more) for more in (0, 1)]
    summary = ""
    for at in range(0, len(entries), 6):
        fold = extract(SummarySource("Eliza", "recent", tuple(entries[at : at + 6]), max_sentences=4))
        summary = extract(SummarySource("Eliza", "longterm", earlier=tuple(filter(None, (summary, fold)))))
    for _, kept in FACTS:
        assert all(word in summary for word in kept), summary
    assert summary.count("carts stood idle") <= 1
    assert judged(summary, SummarySource("Eliza", "longterm", tuple(entries))) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (f"{FACTS[0][0]}, {TAIL}", f"{FACTS[0][0]}…"),
        (f"{FACTS[1][0]}, {TAIL}", f"{FACTS[1][0]}…"),
        (f"{FACTS[2][0]}; {TAIL}", f"{FACTS[2][0]}…"),
        (f"{FACTS[2][0]} — {TAIL}", f"{FACTS[2][0]}…"),
        (f"It was as late as it ever is with all of us, I dare say; {FACTS[1][0]}, {TAIL}", f"…{FACTS[1][0]}…"),
        (f"You said: '{FACTS[0][0]}, {TAIL} It is so.'", f"You said: '{FACTS[0][0]}…'"),
    ],
)
def test_the_clause_that_tells_is_told_and_dots_say_that_there_was_more(words: str, told: str) -> None:
    assert told_of(heard(words)) == f'Moss said, "{told}".'


def test_what_was_done_is_told_up_to_a_clause_and_ends_as_a_sentence() -> None:
    text = f"Corvin gives Dietlind the brass key of the cellar, {TAIL}"
    entry = Entry(1, "", "saw", "Corvin", "The Library", text)
    assert told_of(entry) == "Corvin gave Dietlind the brass key of the cellar."


@pytest.mark.parametrize("name", ["13,500", "two hundred and five", "St. Ives", "Joan of Arc", "Mrs Ada Adeyemi"])
def test_no_name_and_no_number_is_cut_in_two_wherever_the_end_falls(name: str) -> None:
    for length in range(150, 181):
        lead = f"we carried {'sacks ' * 40}"[:length].rstrip()
        words = f"{lead} {name} {'onward ' * 20}home."
        told = told_of(heard(words))
        assert told.endswith('…".')
        assert name in told or not any(re.search(rf"\b{re.escape(one)}\b", told) for one in name.split())
        assert judged(told, SummarySource("Eliza", "recent", (heard(words),))) == []


PIECES = st.sampled_from(
    ["Aldric", "St. Ives", "13,500", "two hundred and five", "the mill", "lost,", "and", "; so", " - ", "(then", "now)",
     "“well", "said”", "'twas", "'Come,'", "which is:", "—", "I promised", "that she", "goats", "林，", "slowly"]
)  # fmt: skip


@given(st.lists(PIECES, min_size=30, max_size=90).map(" ".join))
def test_a_part_stands_in_what_was_said_is_closed_and_is_faithful(words: str) -> None:
    entry = heard(words)
    told = told_of(entry)
    assert judged(told, SummarySource("Eliza", "recent", (entry,))) == []
    assert told.count('"') % 2 == 0
    assert told.count("“") == told.count("”")
    assert len(told) <= 260


def test_very_long_sentences_are_told_at_once() -> None:
    entry = heard(f"{FACTS[0][0]}, " + "and so; we went (on - and on), " * 20_000)
    started = time.process_time()
    assert "Aldric" in told_of(entry)
    assert time.process_time() - started < 3


def told(text: str) -> str:
    """Return how Oriel tells a memory beside a note, which is not told."""
    who = text.partition(" says, ")[0]
    entry = Entry(1, "", "said" if who == text else "heard", None if who == text else who, None, text)
    return extract(SummarySource("Oriel", "recent", (entry, entry._replace(kind="note", text="." * 200))))


@pytest.mark.parametrize(
    ("said", "promised"),
    [
        ("I'll mend the oar by dusk, my word on it.", "I'll mend the oar by dusk."),
        ("I will not sell the mare. I promise.", "I will not sell the mare."),
        ("If the thaw comes I shall sail with you, I swear it!", "If the thaw comes I shall sail with you."),
        ("I will wait unless it snows – you can count on me.", "I will wait unless it snows."),
        ("I’ll pay on Friday and not before. That's a promise.", "I’ll pay on Friday and not before."),
        ("I will be at the lock, and you have my word.", "I will be at the lock."),
    ],
)
def test_a_promise_is_told_by_what_is_promised(said: str, promised: str) -> None:
    assert told(f'Mrs Ogden says, "{said}"') == f'Mrs Ogden promised, "{promised}"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Ada says, "I am Ada, and I keep bees."', 'Ada said, "I keep bees."'),
        ('Ada says, "My name is Ada. My father drowned."', 'Ada said, "My father drowned."'),
        ('You say, "I\'m Oriel, I bake."', 'I said, "I bake."'),
        ('Ada says, "To tell you the truth, I moved the peg."', 'Ada said, "I moved the peg."'),
        ('Ada says, "Well, the flood took it."', 'Ada said, "The flood took it."'),
        ('Ada says, "Then I shall write."', 'Ada said, "I shall write."'),
        ('You say, "I will keep the kettle hot for you, Yusuf. I promise."',
         'I promised, "I will keep the kettle hot for you, Yusuf."'),
        *(
            (f'{who} says, "{words}"', f'{who} said, "{words}"')
            for who, words in (
                ("Ada", "I am Ada, the miller."),
                ("Ada", "I am Ada Thorne, and I keep bees."),
                ("Ada", "I am not Ada, and I keep bees."),
                ("Ada", "Then the bell rang."),
                ("Bo", "I am Ada, and I keep bees."),
                ("Bo", "I will come, but I promise nothing."),
                ("Bo", "The mare is lame, I swear."),
                ("Bo", "I will not say that I promise."),
                ("Bo", "You have my word that I will come."),
                ("Bo", "There are bridges I will not cross, I swear."),
            )
        ),
    ],
)  # fmt: skip
def test_what_the_sentence_tells_anyway_is_not_told_and_all_else_is(text: str, expected: str) -> None:
    assert told(text) == expected


WORDS = ("I will", "not", "if", "unless", "promise", "swear", "Well,", "it.", "Ada,", "am", "and", "my word", "on")


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join))
def test_no_condition_is_lost_and_no_word_is_made_up(said: str) -> None:
    text = told(f'Ada says, "The mill burned in 1764; {said}."')
    for word in ("not", "if", "unless"):
        assert re.findall(rf"\b{word}\b", text) == re.findall(rf"\b{word}\b", said)
    known = {*re.findall(r"\w+", said.lower()), *["ada", "said", "promised", "the", "mill", "burned", "in", "1764"]}
    assert set(re.findall(r"\w+", text.lower())) <= known


MIA = "In The Roofless Hall, Jonas, you said: 'I have a daughter called Mia, she is six. She loves frogs.'"
LONG = "I have carried stones and jars up to the mill in Greywater for Petra, Ulric and Wendell since the flood."


def loud(words: str) -> Entry:
    return Entry(1, "", "heard", "Moss", "The Mill", f'Moss says, "{words}"', importance=9)


DULL = "And so it was and so it always is with all of us, as we all say to one another now and then, or not at all."


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (MIA, "In The Roofless Hall, Jonas, you said: 'I have a daughter called Mia, she is six.'"),
        (MIA.replace("'", "’").replace(": ’", ": ‘"), "In The Roofless Hall, Jonas, you said: ‘I have a daughter"
         " called Mia, she is six.’"),
        (f"You said: '{DULL} {LONG} {DULL}'", f"'{LONG}'"),
        (f"You said: '{DULL} {LONG}' {DULL}", f"'{LONG}'"),
        (f"It's the dogs' bone. {LONG} {LONG}", f"It's the dogs' bone. {LONG}"),
        (f"'Tis the dogs' bone. {LONG} {LONG}", f"'Tis the dogs' bone. {LONG}"),
        (f"You said: 'The dogs' bone is Orla's. {LONG} {LONG}'", f"You said: 'The dogs' bone is Orla's. {LONG}'"),
    ],
)  # fmt: skip
def test_what_is_cut_of_a_quotation_within_a_quotation_is_closed(words: str, told: str) -> None:
    source = SummarySource("Eliza", "recent", (loud(words)._replace(place=None),))
    assert extract(source) == f'Moss said, "{told}"'


def test_a_question_out_of_a_quotation_keeps_its_marks() -> None:
    asks = "You asked: 'Does Wendell keep the sealed jar? Where does Orla keep the brass key of the mill?'"
    text = extract(SummarySource("Eliza", "longterm", (loud(asks), *([loud(LONG)] * 9)), shape=SECTIONS))
    assert "Moss asked, \"You asked: 'Does Wendell keep the sealed jar?'\"" in text


@pytest.mark.parametrize("words", ["“hello. ", "‘hello. ", "'hello. ", "'Hello. You.' "])
@pytest.mark.parametrize("head", ["", "You "])
def test_very_many_marks_are_retold_at_once(head: str, words: str) -> None:
    source = SummarySource("Eliza", "recent", (loud("")._replace(text=head + words * 8000),))
    started = time.process_time()
    extract(source)
    assert time.process_time() - started < 4.0
