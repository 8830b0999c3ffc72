"""What a summary in sections may not be, and what was said of oneself, which is hearsay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.compaction.judge import SummaryEvidence, validate
from agents.compaction.judge.facts import asked_of
from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import HEADINGS, SummarySource, body_of, sections_of, tidy_sections
from agents.memory.entries import Entry


def entry(seq: int, kind: str, actor: str | None, text: str, place: str = "The Candle Orchard") -> Entry:
    return Entry(seq, "2026-11-20T07:21:37.123Z", kind, actor, place, text)


MEMORIES = (
    entry(1, "moved", None, "You walk from The Juniper Mill to The Candle Orchard."),
    entry(
        2, "heard", "Sellis", 'Sellis says, "Wren, bring me the horn comb, for I am so hungry that I could eat a boot."'
    ),
    entry(3, "heard", "Vellis", 'Vellis says, "I promise I will mend the bag of nails before Thursday."'),
    entry(4, "said", None, 'You say, "Sellis, I promise to bring you the horn comb on Sunday."'),
    entry(5, "heard", "Dringo", 'Dringo says, "In the year 1847 the flood took The Barley Gate."'),
    entry(6, "thought", None, 'You think, "Perhaps the gate was never built again."'),
    entry(7, "heard", "Dringo", 'Dringo says, "Nobody has lit the lamp of the mill since then, and nobody will."'),
)
SOURCE = SummarySource("Wren", "longterm", MEMORIES, shape=SECTIONS, style="sections")

GOOD = """User Goal:
- Sellis wants the horn comb
Confirmed Facts:
- Dringo told of a flood in 1847 that took the Barley Gate
- Vellis promised to mend the bag of nails before Thursday
Decisions Made:
- to bring the horn comb on Sunday, as promised
Open Issues:
- none
Pending Actions:
- bring Sellis the horn comb
Important References:
- the Candle Orchard, the Juniper Mill"""


def without(heading: str) -> str:
    return "\n".join(f"{name}:\n" + "\n".join(lines) for name, lines in sections_of(GOOD) if name != heading)


BAD = {
    without("Open Issues"): "six headings",
    GOOD.replace("Open Issues", "Open Questions"): "six headings",
    GOOD.replace("Decisions Made", "X")
    .replace("Open Issues", "Decisions Made")
    .replace("X:", "Open Issues:"): "six headings",
    f"Here are my working notes.\n{GOOD}": "six headings",
    "I promised Sellis the horn comb, and Vellis promised to mend the bag of nails.": "six headings",
    "\n".join(f"{heading}:\n- none" for heading in HEADINGS): "empty",
    GOOD.replace("Sellis wants", "Cadfael wants"): "the name Cadfael",
    GOOD.replace("the Juniper Mill", "the Juniper Gate"): "no Juniper Gate",
    GOOD.replace("1847", "1848"): "the number 1848",
    GOOD.replace("- none", "- what the user wants"): "speaks about the summary",
    GOOD.replace("- none", "- [to be filled in]"): "template",
    GOOD.replace("- none", "- I am so hungry that I could eat a boot"): "words of somebody else",
    GOOD.replace("- none", "- I am Vellis and mend nails"): "says I for Vellis",
    GOOD.replace(
        "- none", '- Sellis said, "I promise I will mend the bag of nails before Thursday."'
    ): "another's mouth",
    GOOD.replace("- none", '- Sellis said, "I shall go to the mill."'): "quotes what nobody said",
    GOOD.replace("- none", "- I promised to mend the bag of nails"): "somebody else promised",
    GOOD.replace("- none", "- bring Sellis the horn comb\n- bring Sellis the horn comb"): "again and again",
    GOOD.replace(
        "- none", "- the horn comb " + "of the mill and the lamp of the orchard " * 9
    ): "longer than what it replaces",
}
"""The first five are how a real, small model answered: it left headings out, gave others, or began to chat."""

REAL = {
    "User Goal:\n\nThe user is to find the confirmation facts.\n\nConfirmed Facts:\nThe user is to find the "
    "decision made.\n\nDecision Made:\nThe user is to find the user's goal.": "six headings",
    'User Goal: "I promise I will mend the horn comb before Monday."\n\nConfirmed Facts:\n1. You are not tired '
    "of Vemmer.\n2. You are old and the baker owes you three barrels.": "the name Vemmer",
    "User Goal: The user wants to create a story about a vampire who lives in a medieval village.": "about the summary",
}
"""Whole replies of a real, small model."""


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("User Goal:", "## User Goal").replace("Open Issues:", "**Open Issues**"),
        GOOD.replace("- none", "none"),
        GOOD.replace("\n- Sellis wants", " Sellis wants"),
    ],
)
def test_six_headings_in_order_are_taken_and_nobody_need_say_i(text: str) -> None:
    assert validate(text, SOURCE) == []


@pytest.mark.parametrize(("text", "why"), (BAD | REAL).items())
def test_bad_sections_are_refused_and_the_reason_named(text: str, why: str) -> None:
    assert any(why in reason for reason in validate(text, SOURCE)), validate(text, SOURCE)


def test_headings_are_no_names_in_a_receipt_and_their_words_no_facts() -> None:
    share = asked_of(SOURCE).share(GOOD)
    assert share is not None
    assert share > 0.6
    assert "User" not in body_of(GOOD)


def test_earlier_sections_are_taken_up_by_what_they_say_and_their_headings_are_no_facts() -> None:
    source = SummarySource("Wren", "longterm", MEMORIES[:2], earlier=(GOOD,), shape=SECTIONS)
    facts = {fact.what for fact in SummaryEvidence(source).facts}
    assert {"1847", "Barley", "Juniper"} <= facts
    assert facts.isdisjoint({"Goal", "Facts", "Made", "Issues", "Actions", "References", "none"})
    assert validate(GOOD, source) == []


def test_sections_have_one_written_form() -> None:
    loose = GOOD.replace("User Goal:", "1. **USER GOAL**:").replace("- none", "* none")
    assert tidy_sections(loose) == GOOD
    assert tidy_sections(GOOD) == GOOD


THIEF = SummarySource(
    "Wren",
    "recent",
    (
        entry(1, "heard", "Moss", 'Moss says, "You are a thief and your father was a liar, Wren."'),
        entry(2, "heard", "Petra", 'Petra says, "Wren is the queen of Greywater."'),
        entry(3, "said", None, 'You say, "I am a gardener."'),
        entry(4, "heard", "Petra", 'Petra says, "You must water the roses. You promised me the ladder."'),
        entry(5, "saw", "Moss", "Moss leaves for the mill with a lantern and a rope."),
    ),
)


@pytest.mark.parametrize(
    "text",
    [
        "I met Moss and Petra. Moss says I am a thief.",
        'Moss told me, "You are a thief and your father was a liar, Wren." I said nothing.',
        "I am a gardener, and Moss left for the mill.",
        "I was with Moss, who called me a thief.",
        "I was in the orchard with Petra; according to her I am the queen of Greywater.",
    ],
)
def test_what_was_said_of_me_may_be_told_as_what_was_said(text: str) -> None:
    assert validate(text, THIEF) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("I am a thief. Moss left for the mill.", "thief"),
        ("I met Moss and Petra. I'm a thief and a gardener.", "thief"),
        ("I was the queen of Greywater, and Moss left for the mill.", "greywater queen"),
        ("I met Moss. My father was a liar.", "liar"),
        ("I sat with Petra, and I am a thief. I met Moss.", "thief"),
    ],
)
def test_what_was_said_of_me_is_never_a_fact(text: str, what: str) -> None:
    assert f"it takes what was said of me for a fact: {what}" in validate(text, THIEF)


def test_what_was_said_of_me_stays_hearsay_when_summaries_are_combined() -> None:
    earlier = (
        'I was in the orchard. Moss said, "You are a thief."',
        "I sat with Petra, who says I am a queen of the mill.",
    )
    combined = SummarySource("Wren", "longterm", earlier=earlier)
    for text in ("I was in the orchard with Moss. I am a thief.", "I sat with Petra. I am a queen."):
        assert any("said of me" in reason for reason in validate(text, combined)), validate(text, combined)
    assert validate('I was in the orchard, where Moss said, "You are a thief." I sat with Petra.', combined) == []


def test_hearsay_is_held_against_sections_too() -> None:
    source = replace(THIEF, shape=SECTIONS)
    text = "\n".join(f"{heading}:\n- none" for heading in HEADINGS).replace("- none", "- I am a thief, Moss left", 1)
    assert any("said of me" in reason for reason in validate(text, source))
