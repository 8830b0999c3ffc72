"""What must always hold of the judge: nothing made up gets by it, wherever it stands; what was there is no offence."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from agents.compaction.judge import SummaryEvidence, kept, made_up, validate
from agents.compaction.judge.facts import asked_of, facts_of_entry
from agents.compaction.judge.reading import PLAIN, normalize
from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import HEADINGS, SummarySource
from agents.memory.entries import KINDS, Entry
from tests.unit.agents.compaction.judge.test_reading import in_words
from tests.unit.agents.compaction.test_receipts import GOOD, MEMORIES, SOURCE

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
