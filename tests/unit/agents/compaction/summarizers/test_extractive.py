"""The extractive summarizer: what it keeps, and that it makes nothing up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.compaction.judge import SummaryEvidence, made_up
from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import SummarySource
from agents.compaction.summarizers.extractive import extract
from agents.llm.tokens import estimate
from agents.memory.entries import KINDS, Entry, entry_from_record, importance_of
from agents.text.english import sentences
from tests.examples import examples


def heard(seq: int, who: str, words: str, place: str = "The Library") -> Entry:
    text = f'{who} says, "{words}"'
    return Entry(seq, "2026-11-20T07:21:37.123Z", "heard", who, place, text, importance=importance_of("heard", text))


def small_talk(count: int, start: int = 1) -> list[Entry]:
    lines = (
        "The wind has turned again.",
        "My knees ache.",
        "What a crowd this morning.",
        "It will rain before supper.",
    )
    people = ("Moss", "Petra", "Ulric")
    return [heard(start + at, people[at % 3], lines[at % 4]) for at in range(count)]


def test_it_tells_in_the_first_person_and_in_the_past() -> None:
    entries = (
        Entry(1, "", "did", None, "The Mill", "You take the brass key.", "it may open the chest", importance=9),
        Entry(2, "", "said", None, "The Mill", 'You say, "I promise to bring it back by noon."', importance=9),
        Entry(
            3,
            "",
            "heard",
            "Ada",
            "The Mill",
            'Ada whispers to you, "Hide your hidden key under the third stone."',
            importance=9,
        ),
        Entry(4, "", "saw", "Ada", "The Mill", "Ada leaves to the Kiln with your coat."),
    )
    text = extract(SummarySource("Eliza", "recent", (*entries, *small_talk(20, 5)), max_sentences=4))
    assert 'I took the brass key, because "it may open the chest"' in text
    assert 'I said, "I promise to bring it back by noon."' in text
    assert 'Ada whispered to me, "Hide your hidden key under the third stone."' in text
    assert "you" not in text.replace('"Hide your hidden key under the third stone."', "")


def test_the_beginning_of_a_life_is_told_as_such_and_stays() -> None:
    first = extract(SummarySource("Eliza", "recent", tuple(small_talk(65)), max_sentences=4, begins=True))
    assert first.startswith("My first memories are of the Library, with Moss")
    second = extract(SummarySource("Eliza", "recent", tuple(small_talk(64, 66)), max_sentences=4))
    longterm = extract(SummarySource("Eliza", "longterm", earlier=(first, second)))
    assert longterm.startswith("My first memories are of the Library, with Moss")


def test_a_life_begins_where_it_was_first_and_not_where_it_was_longest() -> None:
    first = [heard(1, "Ada", "Welcome to the Orchard, stranger.", "The Orchard")]
    rest = [heard(seq, f"Moss {seq % 5}", "The wind has turned.", f"The {seq % 5}. Mill") for seq in range(2, 60)]
    text = extract(SummarySource("Eliza", "recent", (*first, *rest), max_sentences=4, begins=True))
    assert text.startswith("My first memories are of the Orchard and ")
    assert "with Ada, " in text


def test_what_comes_up_again_is_said_once_and_marked() -> None:
    fact = 'Tamsin said, "Remember your promise: carry the sealed jar to Wendell."'
    text = extract(
        SummarySource("Eliza", "longterm", earlier=(f"I was at the Mill. {fact}", f"I was at the Kiln. {fact}"))
    )
    assert text.count("sealed jar") == 1
    assert "More than once Tamsin said" in text
    third = extract(SummarySource("Eliza", "longterm", earlier=(text, fact)))
    assert "Again and again Tamsin said" in third


def test_the_facts_of_the_first_fold_are_still_there_after_forty() -> None:
    entries = small_talk(64)
    entries[10] = heard(11, "Ada", "The blue key lies under the third step of the mill.")
    longterm, recent = "", extract(SummarySource("Eliza", "recent", tuple(entries), max_sentences=4, begins=True))
    for number in range(40):
        longterm = extract(
            SummarySource("Eliza", "longterm", earlier=tuple(text for text in (longterm, recent) if text))
        )
        entries = small_talk(64)
        entries[number] = heard(1, "Ulric", f"I paid {1000 + number} pennies to person number {number}.")
        recent = extract(SummarySource("Eliza", "recent", tuple(entries), max_sentences=4))
        assert "blue key lies under the third step" in longterm
        assert estimate(longterm) <= 600


def test_a_source_of_nothing_still_gives_a_text() -> None:
    assert extract(SummarySource("Eliza", "recent", (Entry(1, "", "told", None, None, "?"),)))
    assert extract(SummarySource("Eliza", "longterm", earlier=("  ",)))


def test_small_talk_is_not_carried_on_once_there_is_better() -> None:
    facts = [f'Moss said, "The {what} is kept under the blue jug."' for what in ("ring", "comb", "lamp", "map", "bell")]
    text = extract(
        SummarySource("Eliza", "longterm", earlier=('Petra said, "My knees ache." ' + facts[0], " ".join(facts[1:])))
    )
    assert "knees" not in text
    assert all(fact in text for fact in facts)
    alone = extract(SummarySource("Eliza", "longterm", earlier=('Petra said, "My knees ache."', facts[0])))
    assert "knees" in alone


def test_what_several_people_said_is_told_once_of_all_of_them() -> None:
    fact = "The old bridge is closed until spring."
    earlier = (f'Moss said, "{fact}"', f'Ada said, "{fact}"')
    text = extract(SummarySource("Eliza", "longterm", earlier=earlier))
    assert text == f'Moss and Ada said, "{fact}"'
    third = extract(SummarySource("Eliza", "longterm", earlier=(text, f'Petra said, "{fact}"')))
    assert third == f'Moss, Ada and Petra said, "{fact}"'
    fourth = extract(SummarySource("Eliza", "longterm", earlier=(third, f'Ulric said, "{fact}"')))
    assert fourth == f'Moss, Ada and others said, "{fact}"'
    again = extract(SummarySource("Eliza", "longterm", earlier=(fourth, f'Moss said, "{fact}"')))
    assert again == f'More than once Moss, Ada and others said, "{fact}"'


def test_my_own_words_are_not_put_into_the_mouths_of_others() -> None:
    fact = "The old bridge is closed until spring."
    text = extract(SummarySource("Eliza", "longterm", earlier=(f'I said, "{fact}"', f'Ada said, "{fact}"')))
    assert f'I said, "{fact}"' in text
    assert f'Ada said, "{fact}"' in text


def test_what_somebody_says_about_me_is_told_as_hearsay() -> None:
    entries = (
        Entry(1, "", "told", None, "The Mill", "You are the lost heir of Greywater.", importance=9),
        Entry(2, "", "told", "Ada", "The Mill", "You have always hated Moss.", importance=9),
        Entry(3, "", "heard", "Moss", "The Mill", 'Moss says, "You are a thief, Eliza."', importance=9),
    )
    text = extract(SummarySource("Eliza", "recent", (*entries, *small_talk(20, 4)), max_sentences=4))
    assert 'Somebody told me, "You are the lost heir of Greywater."' in text
    assert 'Ada told me, "You have always hated Moss."' in text
    assert 'Moss said, "You are a thief, Eliza."' in text
    for claim in ("I am", "I was the", "I have", "I had always"):
        assert claim not in text


def test_what_nobody_is_known_to_have_told_is_told_in_its_own_words() -> None:
    told = (
        "the third stone by the culvert is loose.\n12 letters to young Tom lie under it",
        "Moss and Eliza keep 7 bees.",
    )
    record = [entry_from_record({"text": text}, seq, "2026-01-01T00:00:00.000Z", 1) for seq, text in enumerate(told, 1)]
    text = extract(SummarySource("Eliza", "recent", (*record, *small_talk(20, 4)), max_sentences=4))
    assert "The third stone by the culvert is loose. 12 letters to young Tom lie under it." in text
    assert 'Somebody told me, "Moss and Eliza keep 7 bees."' in text, "as I cannot be told for sure"


def test_a_fact_that_was_said_again_and_again_is_told_once_and_says_so() -> None:
    fact = heard(1, "Ada", "The gate is kept locked after dark.")
    text = extract(SummarySource("Eliza", "recent", (fact, fact, *small_talk(20), fact), max_sentences=4))
    assert text.count("kept locked") == 1
    assert 'Again and again Ada said, "The gate is kept locked after dark."' in text


def rolling(earlier: str, entries: list[Entry], most: int | None = None) -> str:
    return extract(
        SummarySource("Eliza", "longterm", tuple(entries), (earlier,) if earlier else (), max_sentences=most)
    )


def test_a_rolling_summary_never_has_more_sentences_than_it_may_and_keeps_the_most_telling() -> None:
    text = ""
    for fold in range(40):
        entries = small_talk(7, 7 * fold + 1)
        if fold == 3:
            entries[2] = heard(1, "Ada", "I promise to hide the blue key under the third step, tell nobody.")
        if fold == 9:
            entries[4] = heard(1, "Moss", "My sister Orla died in the flood, she left me 30 pennies.")
        text = rolling(text, entries, most=2)
        assert 1 <= len(sentences(text)) <= 2
    assert "third step" in text
    assert "Orla" in text


def test_without_findings_no_number_is_told() -> None:
    entries = small_talk(20)
    entries[5] = heard(6, "Ada", "The gate opens to the number 7533, tell nobody.")
    entries[7] = heard(8, "Moss", "My sister Orla was lost in the flood.")
    source = SummarySource("Eliza", "longterm", tuple(entries), earlier=("Petra owes me 92 candles.",), max_sentences=3)
    assert "7533" in extract(source)
    without = extract(replace(source, findings=False))
    assert "Orla" in without
    assert not any(digit in without for digit in "0123456789")


def test_a_summary_in_sections_is_taken_up_as_prose_when_prose_is_wanted() -> None:
    entries = small_talk(40)
    entries[5] = heard(6, "Ada", "The gate opens to the number 7533, tell nobody.")
    notes = extract(SummarySource("Eliza", "longterm", tuple(entries), shape=SECTIONS))
    text = rolling(notes, [heard(41, "Moss", "My sister Orla was lost in the flood.")])
    assert "7533" in text
    assert "Orla" in text
    assert "I was at the Library, with Petra and Ulric." in text
    assert "Confirmed Facts" not in text
    assert "@archive" not in text
    assert "none" not in text


def test_of_a_long_speech_the_greetings_are_left_out() -> None:
    speech = "Wow, hi! So good to see you. My sister Orla moved to Greywater on Friday. That is so cool, thank you!"
    text = extract(SummarySource("Eliza", "recent", (*small_talk(20), heard(21, "Ada", speech)), max_sentences=4))
    assert 'Ada said, "My sister Orla moved to Greywater on Friday."' in text


PIECES = (
    "the Ada key is under stone 7 twelve promise Rose ROSE we Καλλιόπη 林 \" will O'Brien e.g. Dr. hm… # - I you [x] "
    "--- first hundred and Café “ ” . … ? ; You none places: \n"
)
SIGNS = "aAeEiIoOuUwWlLtTsSrR ..,;:!?'\"“”«»’()[]-–—…#*_>&/@\\\n\t0127½²ßéΣς林。　\u0301🙂"
"""Letters of `will`, `rose` and the like: what hypothesis draws from any alphabet depends on the modules loaded."""
WORDS = st.lists(
    st.sampled_from([*PIECES.split(" "), "I promise", "I want to find", "User Goal:"]), min_size=1, max_size=30
).map(" ".join)
ENTRIES = st.lists(
    st.builds(
        Entry,
        seq=st.just(7),
        at=st.just(""),
        kind=st.sampled_from(KINDS),
        actor=st.sampled_from([None, "Ada", "Dr. Who", "O'Brien", "O; Brien", "Καλλιόπη", "The Cat"]),
        place=st.sampled_from([None, "The Mill", "Salt and Pepper Inn", "Salt; and Pepper", "林"]),
        text=st.one_of(
            WORDS,
            WORDS.map(lambda words: f'Ada says, "{words}"'),
            WORDS.map(lambda words: f"You {words}"),
            st.lists(st.sampled_from(SIGNS), min_size=1, max_size=60).map("".join),
        ),
        reason=st.sampled_from([None, "I want the key"]),
        failed=st.booleans(),
        importance=st.integers(1, 10),
    ),
    min_size=1,
    max_size=12,
).map(tuple)


@pytest.mark.parametrize("text", ["will", "will help", "rose.", "will 0", "You . 0", "i will. will i"])
@pytest.mark.parametrize("most", [None, 1, 2])
def test_a_word_that_is_also_a_name_gets_no_capital_and_one_sentence_is_one(text: str, most: int | None) -> None:
    for kind in KINDS:
        for earlier in ((), ("will",), (text,)):
            entries = tuple(Entry(seq, "", kind, None, "The Mill", text) for seq in (1, 2, 3))
            source = SummarySource("Eliza", "recent", entries, earlier, most)
            told = extract(source)
            assert made_up(told, SummaryEvidence(source)) == []
            assert most is None or len(sentences(told)) <= most


@settings(max_examples=examples(150), deadline=None)
@given(ENTRIES, ENTRIES, ENTRIES)
def test_no_name_and_no_number_is_ever_made_up(
    one: tuple[Entry, ...], two: tuple[Entry, ...], three: tuple[Entry, ...]
) -> None:
    longterm = ""
    for number, entries in enumerate((one, two, three)):
        source = SummarySource("Eliza", "recent", entries, max_sentences=4, begins=number == 0)
        recent = extract(source)
        assert recent.strip() or not any(entry.text.strip() for entry in entries)
        assert made_up(recent, SummaryEvidence(source)) == []
        earlier = tuple(text for text in (longterm, recent) if text)
        both = SummarySource("Eliza", "longterm", earlier=earlier)
        longterm = extract(both)
        assert made_up(longterm, SummaryEvidence(both)) == []
        assert estimate(longterm) <= 600
        assert len(longterm) <= sum(map(len, earlier)) + 1


@settings(max_examples=examples(150), deadline=None)
@given(ENTRIES, ENTRIES, st.sampled_from([None, 1, 2, 3]), st.sampled_from([40, 80, 600]), st.booleans())
def test_a_rolling_summary_is_as_honest_and_keeps_its_limits(
    one: tuple[Entry, ...], two: tuple[Entry, ...], most: int | None, tokens: int, findings: bool
) -> None:
    text = ""
    for entries in (one, two, one):
        source = SummarySource(
            "Eliza", "longterm", entries, (text,) if text else (), most, max_tokens=tokens, findings=findings
        )
        text = extract(source)
        assert text.strip()
        assert made_up(text, SummaryEvidence(source)) == []
        assert estimate(text) <= tokens
        assert len(text) <= sum(map(len, source.texts())) + len(source.texts()) - 1 or text == "..."
        assert most is None or len(sentences(text)) <= most
