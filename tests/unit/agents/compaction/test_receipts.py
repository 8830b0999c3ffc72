"""What a summary may not be: replies as small models really give them, each judged against its source."""

from __future__ import annotations

import pytest

from agents.compaction.judge.judge import SummaryEvidence, validate
from agents.compaction.summarizer import SummarySource
from agents.memory.entries import Entry


def entry(seq: int, kind: str, actor: str | None, text: str, place: str = "The Library") -> Entry:
    return Entry(seq, "2026-11-20T07:21:37.123Z", kind, actor, place, text)


MEMORIES = (
    entry(1, "heard", "Moss", 'Moss says, "The moss grows slowly."'),
    entry(2, "saw", "Petra", "Petra arrives from the Mill."),
    entry(3, "heard", "Petra", 'Petra says, "I lost my silver ring at the old well, help me find it."'),
    entry(4, "said", None, 'You say, "I will look for your ring, I promise."'),
    entry(5, "moved", None, "You go north to The Garden.", "The Garden"),
    entry(6, "saw", "Ulric", "Ulric counts 12 coins and buries them under a rose bush.", "The Garden"),
    entry(7, "thought", None, "You wonder about Ulric and the coins.", "The Garden"),
    entry(8, "heard", "Ulric", 'Ulric says, "Meet me at the Mill in two days, tell nobody."', "The Garden"),
    entry(9, "saw", "Moss", "Moss looks at the sky for a long while.", "The Garden"),
)
SOURCE = SummarySource("Eliza", "recent", MEMORIES)

GOOD = [
    "I met Moss and Petra in the Library. Petra had lost a silver ring and I promised to look for it.",
    "In the Garden I saw Ulric bury twelve coins. He asked me to come to the Mill in 2 days.",
    'Petra told me, "I lost my silver ring at the old well." I promised her that I would find it.',
    "Later I wondered about Ulric, who had buried 12 coins under a rose bush.",
    "I was in the Library with Moss. Coins were on my mind, and Ulric's secret too.",
    "When Petra arrived from the Mill, I listened to her; then I went north to the Garden.",
    "Eliza is my name, and I promised Petra that I would look for her ring.",
]

BAD = {
    "": "empty",
    "...": "empty",
    "I was there.": "empty",
    "I met Moss and Brother Cadfael in the Library.": "the name Cadfael",
    "Cadfael told me that the moss grows slowly, and I believed him.": "the name Cadfael",
    "I was in the Library. Moss told me of the well, and Coins showed me a ring.": "the name Coins",
    "I met Petra in the Library, and then the Rose came to us with the ring.": "the name Rose",
    "I walked to Paris with Petra to look for the ring.": "the name Paris",
    "Sarah and I talked for hours in the Library about Petra's ring.": "the name Sarah",
    "Rose told me that Petra had lost a silver ring, and I went to look for it.": "the name Rose",
    "I met Petra Holloway in the Library and promised to look for her ring.": "the name Holloway",
    "I saw that Ulric buried 40 coins under a rose bush.": "the number 40",
    "I saw that Ulric buried forty coins under a rose bush.": "the number 40",
    "I shall meet Ulric at the Mill in three days and tell nobody.": "the number 3",
    "I saw Ulric bury twenty-one coins and wondered about him.": "the number 21",
    "On Monday I met Petra in the Library and promised to look for her ring.": "the name Monday",
    "Here is a summary of my memories: I met Petra and Moss in the Library.": "speaks about the summary",
    "In this summary, I met Petra and promised to look for her silver ring.": "speaks about the summary",
    "As an AI language model I cannot remember Petra, but I can help.": "speaks about the summary",
    "Sure! Here's a first-person version: I met Petra in the Library.": "speaks about the summary",
    "These memories show how I met Petra and how Ulric buried his coins.": "speaks about the summary",
    "The narrator meets Petra, and I promise to look for the ring.": "speaks about the summary",
    "- I met Petra\n- I met Moss\n- I went to the Garden": "template",
    "# Memories:\nI met Petra in the Library.": "template",
    "1. I met Petra in the Library.\n2. I went to the Garden.": "template",
    "I met [name] in the Library and promised to look for the ring.": "template",
    "I met {name} in the Library and promised to look for the ring.": "template",
    "Petra: I met Moss in the Library and we talked.": "template",
    "Moss lives in the Library. Petra lost a silver ring. Ulric buried coins.": "not told in the first person",
    "Eliza met Petra in the Library and promised to look for the ring.": "not told in the first person",
    "I am Petra and I lost a silver ring at the old well.": "says I for Petra",
    "My name is Ulric. I buried coins under a rose bush.": "says I for Ulric",
    "I'm Moss, and the moss grows slowly in the Library.": "says I for Moss",
    "I, Petra, promised Ulric to come to the Mill.": "says I for Petra",
    "I lost my silver ring at the old well and Moss looked at the sky.": "words of somebody else",
    "In the Library I lost my silver ring, and Ulric counted coins.": "words of somebody else",
    "You go north to the Garden and I see how Ulric counts coins.": "speaks to somebody",
    "I met Petra. I met Petra. I met Petra. I met Petra.": "again and again",
    "I had a very nice day and many things happened to me there.": "keeps nothing",
    "私は図書館でモスに会いました。 I met Petra in the Library.": "script",
    "I met Petra in the Library. " * 40: "longer than what it replaces",
    'Moss says, "The moss grows slowly."\nPetra arrives from the Mill.\nMoss looks at the sky for a long while.\n'
    "I listen.": "copies",
}


@pytest.mark.parametrize("text", GOOD)
def test_a_good_reply_is_not_refused(text: str) -> None:
    assert validate(text, SOURCE) == []


@pytest.mark.parametrize(("text", "why"), BAD.items())
def test_a_bad_reply_is_refused_and_the_reason_named(text: str, why: str) -> None:
    assert any(why in reason for reason in validate(text, SOURCE)), validate(text, SOURCE)


def test_names_of_the_earlier_summaries_may_be_spoken_of() -> None:
    earlier = ("I met Ada at the Kiln, who gave me 7 plums.", "I was with Moss, who taught me to whistle at dusk.")
    source = SummarySource("Eliza", "longterm", earlier=earlier)
    assert validate("I met Ada at the Kiln, and Moss taught me to whistle.", source) == []
    assert "the name Petra is not in the source" in validate("I met Petra at the Kiln, and Moss was there.", source)


def test_words_in_small_letters_do_not_speak_for_a_name() -> None:
    source = SummarySource(
        "Eliza", "recent", (*MEMORIES, entry(10, "heard", "Moss", 'Moss says, "the sun rose over the mark"'))
    )
    assert "the name Mark is not in the source" in validate("I met Mark in the Library, and Moss was there.", source)
    assert validate("The sun rose while I sat in the Library with Moss.", source) == []


def test_a_place_with_its_article_may_be_written_with_a_capital() -> None:
    assert validate("I think that Petra lost her ring at the Old Well.", SOURCE) == []


def test_meta_words_that_were_really_said_are_no_meta_talk() -> None:
    said = entry(10, "heard", "Moss", 'Moss says, "Read the instructions on the wall."')
    source = SummarySource("Eliza", "recent", (*MEMORIES, said))
    assert validate("I was told by Moss to read the instructions on the wall.", source) == []


def facts_by_kind(source: SummarySource) -> dict[str, set[str]]:
    facts = SummaryEvidence(source).facts
    return {kind: {fact.what for fact in facts if fact.kind == kind} for kind, *_ in facts}


def test_the_facts_are_names_places_numbers_promises_and_instructions() -> None:
    assert facts_by_kind(SOURCE) == {
        "name": {"Moss", "Petra", "Ulric", "Mill"},
        "place": {"The Library", "The Garden"},
        "number": {"12", "2"},
        "promise": {"promise ring"},
        "instruction": {"find help lost ring silver", "meet mill two"},
    }


def test_facts_of_an_earlier_summary_count_beside_those_of_new_memories() -> None:
    rolling = SummarySource(
        "Eliza", "longterm", MEMORIES[:3], earlier=("I met Ada at the Kiln. I promised Ada 7 plums.",)
    )
    found = facts_by_kind(rolling)
    assert found["number"] == {"7"}
    assert found["promise"] == {"ada plums promised"}
    assert {"Ada", "Kiln", "Moss", "Petra"} <= found["name"]
