"""A summary under six headings: what stands where, that it is carried on, and that it makes nothing up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.compaction.judge import SummaryEvidence, made_up
from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import HEADINGS, SummarySource, body_of, sections_of, wrong_sections
from agents.compaction.summarizers.extractive import extract
from agents.llm.tokens import estimate
from agents.memory.entries import Entry, importance_of
from tests.examples import examples
from tests.unit.agents.compaction.summarizers.test_extractive import ENTRIES


class Notes:
    """Memories that get their numbers by themselves."""

    def __init__(self, start: int = 1) -> None:
        self.entries: list[Entry] = []
        self.start = start

    def add(self, kind: str, text: str, actor: str | None = None, **more: object) -> Notes:
        seq = self.start + len(self.entries)
        entry = Entry(seq, "", kind, actor, "The Mill", text, importance=importance_of(kind, text))
        self.entries.append(entry._replace(**more))  # type: ignore[arg-type]
        return self

    def talk(self, count: int = 12) -> Notes:
        for at in range(count):
            self.add("heard", f'Moss says, "{("The wind has turned.", "My knees ache.")[at % 2]}"', "Moss")
        return self

    def source(self, *earlier: str, **more: object) -> SummarySource:
        covers = (1, self.start + len(self.entries) - 1)
        source = SummarySource("Eliza", "longterm", tuple(self.entries), earlier, shape=SECTIONS, covers=covers)
        return replace(source, **more)  # type: ignore[arg-type]


def under(text: str) -> dict[str, str]:
    """Return what stands under each heading."""
    return {heading: "\n".join(lines) for heading, lines in sections_of(text)}


def some() -> Notes:
    notes = Notes().talk(6)
    notes.add("thought", 'You think, "I want to find the brass key of the mill."')
    notes.add("heard", 'Petra says, "Please bring me the sealed jar from the kiln."', "Petra").talk(6)
    notes.add("heard", 'Ada says, "The gate of the Kiln opens to the number 7533."', "Ada").talk(6)
    notes.add("did", "You take the northern road.", reason="the bridge is down")
    notes.add("said", 'You say, "I decided to stay with Ada until the flood is over."').talk(6)
    notes.add("said", 'You say, "Who keeps the lighthouse at Greywater?"').talk(6)
    notes.add("said", 'You say, "I promise to carry the ladder to Wendell."').talk(6)
    return notes


@pytest.mark.parametrize(
    ("heading", "fact"),
    [
        ("User Goal", 'I thought, "I want to find the brass key of the mill."'),
        ("User Goal", 'Petra said, "Please bring me the sealed jar from the kiln."'),
        ("Confirmed Facts", 'Ada said, "The gate of the Kiln opens to the number 7533."'),
        ("Decisions Made", 'I took the northern road, because "the bridge is down".'),
        ("Decisions Made", 'I said, "I decided to stay with Ada until the flood is over."'),
        ("Open Issues", 'I asked, "Who keeps the lighthouse at Greywater?"'),
        ("Pending Actions", 'I said, "I promise to carry the ladder to Wendell."'),
        ("Important References", "people: Moss; Petra; Ada"),
        ("Important References", "places: the Mill"),
        ("Important References", "memories 1-43: @archive 1-43"),
    ],
)
def test_every_kind_of_fact_stands_under_its_heading(heading: str, fact: str) -> None:
    assert fact in under(extract(some().source())).get(heading, "").split("\n")


def test_all_six_headings_are_there_in_their_order_and_small_talk_is_not() -> None:
    text = extract(some().source())
    assert wrong_sections(text) == []
    assert "knees" not in text
    only_talk = extract(Notes().talk(40).source())
    assert [heading for heading, _ in sections_of(only_talk)] == list(HEADINGS)
    assert under(only_talk)["Decisions Made"] == "none"


def test_the_facts_of_the_first_fold_are_there_after_ten_and_the_range_grows() -> None:
    text, first = "", 1
    for fold in range(10):
        notes = some() if fold == 0 else Notes(first).talk(40)
        notes.start = first
        text = extract(notes.source(*([text] if text else [])))
        first += len(notes.entries)
        assert estimate(text) <= 600
    for fact in ("brass key", "sealed jar", "7533", "the bridge is down", "lighthouse", "ladder to Wendell"):
        assert fact in text
    assert f"memories 1-{first - 1}: @archive 1-{first - 1}" in text
    assert text.count("@archive") == 1


def test_a_promise_that_was_kept_is_no_longer_pending() -> None:
    before = extract(some().source())
    notes = Notes(44).talk(6).add("did", "You carry the ladder to Wendell.").talk(6)
    after = under(extract(notes.source(before)))
    assert "ladder" not in after["Pending Actions"]
    assert "I promise to carry the ladder to Wendell." in after["Decisions Made"]


def test_a_question_that_was_answered_is_no_longer_open() -> None:
    before = extract(some().source())
    answer = Notes(44).talk(6).add("heard", 'Ada says, "Orla keeps the lighthouse at Greywater."', "Ada").talk(6)
    after = under(extract(answer.source(before)))
    assert after["Open Issues"] == "none"
    assert "Orla keeps the lighthouse" in after["Confirmed Facts"]
    at_once = Notes().talk(4).add("said", 'You say, "Who keeps the lighthouse at Greywater?"')
    at_once.add("heard", 'Ada says, "Greywater? Orla does."', "Ada").talk(6)
    assert under(extract(at_once.source()))["Open Issues"] == "none"


def test_what_failed_is_open() -> None:
    notes = Notes().talk(12).add("result", "You cannot go north: the gate is locked.", failed=True).talk(12)
    assert "the gate is locked" in under(extract(notes.source()))["Open Issues"]


def test_prose_is_taken_up_line_by_line() -> None:
    prose = (
        "My first memories are of the Garden, with Ulric. I took the oath of the guild, because it was right. "
        'Ada said, "The code of the kiln is 7533." I said, "I promise to bring Petra the jar."'
    )
    text = under(extract(Notes(66).talk(20).source(prose)))
    assert "oath of the guild" in text["Decisions Made"]
    assert "7533" in text["Confirmed Facts"]
    assert "bring Petra the jar" in text["Pending Actions"]
    assert "Ulric" in text["Important References"]
    assert "the Garden" in text["Important References"]


def test_where_the_headings_do_not_fit_it_is_prose() -> None:
    text = extract(some().source(max_tokens=40))
    assert wrong_sections(text)
    assert estimate(text) <= 40


@settings(max_examples=examples(150), deadline=None)
@given(ENTRIES, ENTRIES, st.sampled_from([40, 80, 120, 600]), st.sampled_from([SECTIONS, "prose"]))
def test_nothing_is_made_up_and_the_limits_hold_whatever_the_shape_before(
    one: tuple[Entry, ...], two: tuple[Entry, ...], tokens: int, shape: str
) -> None:
    text = ""
    for number, entries in enumerate((one, two, one)):
        wanted = SECTIONS if number % 2 == 0 else shape
        earlier = (text,) if text else ()
        source = SummarySource(
            "Eliza", "longterm", entries, earlier, shape=wanted, max_tokens=tokens, covers=(237, 300)
        )
        text = extract(source)
        assert text.strip()
        assert estimate(text) <= tokens
        if any(f"\n{heading}:" in text for heading in HEADINGS[1:]):  # a memory may be `User Goal:` and no more
            assert [heading for heading, _ in sections_of(text)] == list(HEADINGS)
        body = body_of(text) if wanted == SECTIONS else text
        assert not made_up(body, SummaryEvidence(source)), "its reference to the archive is no number that it made up"
