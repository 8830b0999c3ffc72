"""Of a sentence that is too long a part is told: whole clauses, whole names and numbers, and nothing left open."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.judge import SummaryEvidence, made_up, misquoted, taken_for_true
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
