"""Replies that a real, small model gave to real folds of made-up lives, and why none of them may become a memory."""

from __future__ import annotations

import pytest

from agents.compaction.judge.judge import validate
from agents.compaction.summarizer import SummarySource
from agents.memory.entries import Entry


def entry(seq: int, kind: str, actor: str | None, text: str, place: str = "The Candle Orchard") -> Entry:
    return Entry(seq, "2026-11-20T07:21:37.123Z", kind, actor, place, text)


SOURCE = SummarySource(
    "Wren",
    "recent",
    (
        entry(1, "moved", None, "You walk from The Juniper Mill to The Candle Orchard."),
        entry(2, "heard", "Sellis", 'Sellis says, "I am so hungry that I could eat a boot."'),
        entry(3, "heard", "Vellis", 'Vellis says, "I promise I will mend the bag of nails before Thursday."'),
        entry(4, "said", None, 'You say, "Sellis, I promise to bring you the horn comb on Sunday."'),
        entry(5, "thought", None, 'You think, "Sellis seems tired of Dringo."'),
        entry(6, "heard", "Dringo", 'Dringo says, "In the year 1847 the flood took The Barley Gate."'),
    ),
)
EARLIER = SummarySource(
    "Wren",
    "longterm",
    earlier=(
        "I was at the Barley Cellar, mostly with Thillam. "
        'Thillam said, "I promise I will mend the oil lamp before Tuesday."',
        "I was at the Juniper Mill with Kingo. I promised to bring Kingo the horn comb.",
    ),
)

GOOD = [
    'Sellis said to me, "I am so hungry that I could eat a boot." Dringo spoke of a flood.',
    "I promised Sellis the horn comb, and Vellis promised to mend the bag of nails.",
    'I said, "Sellis, I promise to bring you the horn comb on Sunday."',
    "In the Candle Orchard Sellis told me of her hunger; I thought that she was tired of Dringo.",
]

BAD = {
    "I am so hungry that I could eat a boot. Sellis seems tired of Dringo.": "words of somebody else",
    "I was with Sellis. I thought I could eat a boot.": "words of somebody else",
    'I was tired. Vellis said, "I promise I will mend the oil lamp on Saturday tomorrow."': "quotes what nobody said",
    'I was in the Candle Orchard. I said, "I promise I will mend the bag of nails before Thursday."': "another's mouth",
    'I was with Dringo. Sellis said, "In the year 1847 the flood took The Barley Gate."': "another's mouth",
    'I was with Vellis, who said, "I promise I will mend the bag of nails': "has no end",
    "I promised that I would mend the bag of nails before Thursday.": "somebody else promised",
    "I walked to the Candle Gate with Vellis and Sellis.": "no Candle Gate",
    "I was at the Barley Mill with Dringo.": "no Barley Mill",
    "I took the horn comb to Sellis. I met Dringo. I took the horn comb to Sellis.": "again and again",
    "Sellis, Vellis, Dringo, Sellis, I, I, I, I, I, I, I, I, I, I, I, I, I, I.": "again and again",
    "I am happy to share my memories of Sellis in the Candle Orchard.": "about the summary",
    "I am here to help, whether it is Sellis or Dringo.": "about the summary",
    "I am a helpful assistant, ready to assist Sellis with her hunger.": "about the summary",
    "I tell the story of Sellis, Vellis and the bag of nails.": "about the summary",
    "I have always been fascinated by history and distant countries. Sellis came along.": "other things",
}
BAD |= {
    "I am a 17-year-old girl. I am a 17-year-old girl.": "the number 17",
    "The story of the 19th century in the 1800s.": "the number 1800",
    "I am the one who has to do the work of creating a story.": "other things",
    "I am the only one who can make a difference.\n\nI am the only one who can make a difference.": "again and again",
    "I was in the town of Ravenswood, and I saw a man with a sword.": "the name Ravenswood",
    "The man with the sword was a man named Oliver. I saw him.": "the name Oliver",
    "I am a 12-year-old boy who lives in a small town in the UK.": "the name UK",
    "I'm not sure if I'm going to make it to the Juniper Mill. I'm not sure if I'm going to make it to the Candle "
    "Orchard. I'm not sure if I'm going to make it to the Barley Gate.": "again and again",
    "I was at the Tin and the Water, mostly with Sellis.": "the name Tin",
    "I saw it in the Eagle's mouth, and Sellis came along.": "the name Eagle's",
    "The story is set in a village.\n> The story is about a blacksmith and a group of people.": "template",
    "The Candle Orchard is a place of great beauty. It is a place where people can talk.": "first person",
    "Concise telling of what was learned of people and places, told by me in the first person": "about the summary",
    'Sellis says, "In the year 1878 the flood took The Pewter Stairs."\n> Dringo says, "I promise I will."': "1878",
    "What I remember of this, told by me in the first person (I/me/my, no meta-commentary)": "about the summary",
    "No, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no": "again and again",
}

BAD_LATER = {
    "I walked to the Mill, and I was tired of it.": "loses what was summed up",
    "I was with Thillam. I said I promise I will mend the oil lamp before Tuesday.": "words of somebody else",
    'I was at the Juniper Mill. I said, "I promise I will mend the oil lamp before Tuesday."': "another's mouth",
    "I was with Thillam and I promised that I would mend the oil lamp.": "somebody else promised",
    "I was at the Barley Mill with Thillam and Kingo.": "no Barley Mill",
}


@pytest.mark.parametrize("text", GOOD)
def test_a_faithful_reply_is_taken(text: str) -> None:
    assert validate(text, SOURCE) == []


@pytest.mark.parametrize(("text", "why"), BAD.items())
def test_a_false_or_empty_memory_is_refused(text: str, why: str) -> None:
    assert any(why in reason for reason in validate(text, SOURCE)), validate(text, SOURCE)


@pytest.mark.parametrize(("text", "why"), BAD_LATER.items())
def test_what_others_said_stays_theirs_when_summaries_are_combined(text: str, why: str) -> None:
    assert any(why in reason for reason in validate(text, EARLIER)), validate(text, EARLIER)


def test_ones_own_promises_may_be_combined() -> None:
    text = 'I was at the Barley Cellar, where Thillam said, "I promise I will mend the oil lamp before Tuesday."'
    assert validate(f"{text} I promised to bring Kingo the horn comb.", EARLIER) == []
