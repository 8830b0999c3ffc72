"""What a summary may not be: replies as small models really give them, each judged against its source."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agents.compaction.judge import SummaryEvidence, kept, made_up, validate
from agents.compaction.judge.facts import asked_of, facts_of_entry
from agents.compaction.judge.reading import PLAIN, normalize
from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import HEADINGS, SummarySource
from agents.memory.entries import KINDS, Entry
from tests.unit.agents.compaction.judge.test_reading import in_words


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


def orchard(seq: int, kind: str, actor: str | None, text: str, place: str = "The Candle Orchard") -> Entry:
    return Entry(seq, "2026-11-20T07:21:37.123Z", kind, actor, place, text)


REAL = SummarySource(
    "Wren",
    "recent",
    (
        orchard(1, "moved", None, "You walk from The Juniper Mill to The Candle Orchard."),
        orchard(2, "heard", "Sellis", 'Sellis says, "I am so hungry that I could eat a boot."'),
        orchard(3, "heard", "Vellis", 'Vellis says, "I promise I will mend the bag of nails before Thursday."'),
        orchard(4, "said", None, 'You say, "Sellis, I promise to bring you the horn comb on Sunday."'),
        orchard(5, "thought", None, 'You think, "Sellis seems tired of Dringo."'),
        orchard(6, "heard", "Dringo", 'Dringo says, "In the year 1847 the flood took The Barley Gate."'),
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

FAITHFUL = [
    'Sellis said to me, "I am so hungry that I could eat a boot." Dringo spoke of a flood.',
    "I promised Sellis the horn comb, and Vellis promised to mend the bag of nails.",
    'I said, "Sellis, I promise to bring you the horn comb on Sunday."',
    "In the Candle Orchard Sellis told me of her hunger; I thought that she was tired of Dringo.",
]

FALSE = {
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
FALSE |= {
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

FALSE_LATER = {
    "I walked to the Mill, and I was tired of it.": "loses what was summed up",
    "I was with Thillam. I said I promise I will mend the oil lamp before Tuesday.": "words of somebody else",
    'I was at the Juniper Mill. I said, "I promise I will mend the oil lamp before Tuesday."': "another's mouth",
    "I was with Thillam and I promised that I would mend the oil lamp.": "somebody else promised",
    "I was at the Barley Mill with Thillam and Kingo.": "no Barley Mill",
}


@pytest.mark.parametrize("text", FAITHFUL)
def test_a_faithful_reply_is_taken(text: str) -> None:
    assert validate(text, REAL) == []


@pytest.mark.parametrize(("text", "why"), FALSE.items())
def test_a_false_or_empty_memory_is_refused(text: str, why: str) -> None:
    assert any(why in reason for reason in validate(text, REAL)), validate(text, REAL)


@pytest.mark.parametrize(("text", "why"), FALSE_LATER.items())
def test_what_others_said_stays_theirs_when_summaries_are_combined(text: str, why: str) -> None:
    assert any(why in reason for reason in validate(text, EARLIER)), validate(text, EARLIER)


def test_ones_own_promises_may_be_combined() -> None:
    text = 'I was at the Barley Cellar, where Thillam said, "I promise I will mend the oil lamp before Tuesday."'
    assert validate(f"{text} I promised to bring Kingo the horn comb.", EARLIER) == []


ROLLING = SummarySource("Eliza", "longterm", MEMORIES, earlier=("I met Ada at the Kiln, who gave me 7 plums.",))
NAMES = st.from_regex(r"[BDFGKLZ][aeiou][bdfgklmz]{1,2}[aeiou]{1,2}[lnrx]", fullmatch=True)
PLACES = st.tuples(st.sampled_from(GOOD), st.integers(0, 40), st.sampled_from([SOURCE, ROLLING]))


def with_word(place: tuple[str, int, SummarySource], word: str) -> str:
    """Return a good summary with one word more somewhere outside its quotations."""
    words = place[0].replace('"', "").split()
    at = place[1] % (len(words) + 1)
    return " ".join([*words[:at], word, *words[at:]])


@given(PLACES, NAMES)
def test_a_name_from_nowhere_is_found_wherever_it_stands(place: tuple[str, int, SummarySource], name: str) -> None:
    assume(normalize(name) not in PLAIN)
    text = with_word(place, name)
    assert f"the name {name} is not in the source" in validate(text, place[2])


@given(PLACES, st.integers(13, 10**7), st.booleans())
def test_a_number_from_nowhere_is_found_wherever_it_stands(
    place: tuple[str, int, SummarySource], number: int, spelled: bool
) -> None:
    text = with_word(place, in_words(number) if spelled else str(number))
    assert any("the number" in reason for reason in made_up(text, SummaryEvidence(place[2]))), text


@given(st.sampled_from(HEADINGS), NAMES)
def test_a_name_from_nowhere_is_found_under_every_heading(heading: str, name: str) -> None:
    text = "\n".join(f"{one}:\n- {name if one == heading else 'none'}" for one in HEADINGS)
    source = SummarySource("Eliza", "longterm", MEMORIES, shape=SECTIONS)
    assert f"the name {name} is not in the source" in validate(text, source)


TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(
        st.sampled_from(
            ["Ada", "12", '"', "“", ".", "?", "you", "I promise", "never go", "Old Mill", "two", "林", "\n"]
        ),
        max_size=20,
    ).map(" ".join),
)
ENTRIES = st.lists(
    st.builds(
        lambda kind, actor, place, text: Entry(1, "", kind, actor, place, text),
        kind=st.sampled_from(KINDS),
        actor=st.sampled_from([None, "Ada", "Old Pike"]),
        place=st.sampled_from([None, "The Old Mill"]),
        text=TEXTS,
    ),
    max_size=6,
)


@given(ENTRIES, st.lists(TEXTS, max_size=2))
def test_the_source_itself_is_faithful_and_keeps_every_fact(entries: list[Entry], earlier: list[str]) -> None:
    source = SummarySource("Eliza", "longterm", tuple(entries), earlier=tuple(earlier))
    about = [part for entry in entries for part in (entry.actor, entry.place) if part]
    whole = "\n".join([*source.texts(), *about])
    assert made_up(whole, SummaryEvidence(source)) == []
    assert kept(whole, SummaryEvidence(source).facts) == SummaryEvidence(source).facts
    assert asked_of(source).share(whole) in (None, 1.0)


@given(ENTRIES, TEXTS)
def test_any_reply_can_be_judged_and_any_memory_read(entries: list[Entry], reply: str) -> None:
    for shape in ("prose", SECTIONS):
        reasons = validate(reply, SummarySource("Eliza", "recent", tuple(entries), earlier=(reply,), shape=shape))
        assert all(isinstance(reason, str) and reason for reason in reasons)
    for entry in entries:
        assert all(fact.what for fact in facts_of_entry(entry, "Eliza"))
