"""The facts of a memory, how far it is to be trusted, and that no summarizer finds them by the same rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.judge.facts import (
    AMBIENT,
    DIRECT,
    INFERRED,
    OBSERVED,
    SAMPLE,
    JudgedFact,
    asked_of,
    carried,
    facts_of_entry,
    trust_of,
)
from agents.compaction.settings import CompactionSettings
from agents.compaction.summarizer import SummarySource
from agents.memory.entries import KINDS, Entry
from agents.memory.summaries import Summary, parse_summary, render_summary
from tests.lives import Life
from tests.unit.agents.compaction.test_receipts import SOURCE

ROOT = Path(__file__).parents[4]


def entry(kind: str, actor: str | None, text: str, place: str | None = None) -> Entry:
    return Entry(1, "", kind, actor, place, text)


def found(one: Entry, kind: str) -> list[str]:
    return [fact.what for fact in facts_of_entry(one, "Wren") if fact.kind == kind]


def test_a_memory_holds_names_places_numbers_promises_and_instructions() -> None:
    one = entry("heard", "Moss", 'Moss says, "Bring Old Pike 12 ropes, Wren. I promise three coins."', "The Mill")
    assert facts_of_entry(one, "Wren") == [
        JudgedFact("name", "Moss", one.text),
        JudgedFact("place", "The Mill", one.text),
        JudgedFact("name", "Old Pike", 'Moss says, "Bring Old Pike 12 ropes, Wren."'),
        JudgedFact("number", "12", 'Moss says, "Bring Old Pike 12 ropes, Wren."'),
        JudgedFact("instruction", "bring pike ropes wren", 'Moss says, "Bring Old Pike 12 ropes, Wren."'),
        JudgedFact("number", "3", 'Moss says, "I promise three coins."'),
        JudgedFact("promise", "coins promise three", 'Moss says, "I promise three coins."'),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "You must light the lamp at dusk.",
        "Do not open the red door.",
        "Never go down to the cellar.",
        "Bring me the blue ladder.",
        "Wren, tell Moss that the bridge is down.",
        "When you come back, please meet me at the well.",
        "Keep the key hidden.",
        "You had better hide the letter.",
        "Don't trust Ulric.",
        "I am old. Bring me bread.",
    ],
)
def test_what_somebody_asks_of_one_is_an_instruction(said: str) -> None:
    assert found(entry("heard", "Petra", f'Petra says, "{said}"'), "instruction")


@pytest.mark.parametrize(
    "one",
    [
        entry("heard", "Petra", 'Petra says, "The keep is cold and the watch is old."'),
        entry("heard", "Petra", 'Petra says, "Did you bring me the ladder?"'),
        entry("heard", "Petra", 'Petra says, "I never go down to the cellar."'),
        entry("heard", "Petra", 'Petra says, "I know the way to the mill."'),
        entry("heard", "Petra", 'Petra says, "We tell stories and find shells."'),
        entry("said", None, 'You say, "Bring me the blue ladder."'),
        entry("saw", "Petra", "Petra brings the blue ladder."),
    ],
    ids=lambda one: one.text,
)
def test_what_nobody_asks_of_one_is_none(one: Entry) -> None:
    assert found(one, "instruction") == []


@pytest.mark.parametrize(
    ("said", "hearsay"),
    [
        ("You are a thief.", True),
        ("You stole my ring.", True),
        ("You are a thief, go away.", True),
        ("You had better go.", False),
        ("Wren is a thief.", True),
        ("Your name is Ulric.", True),
        ("You promised me the ladder.", True),
        ("Are you a thief?", False),
        ("If you are cold, the stove is warm.", False),
        ("Moss is a thief.", False),
        ("You must go.", False),
    ],
)
def test_what_others_say_of_oneself_is_hearsay(said: str, hearsay: bool) -> None:
    about = entry("heard", "Petra", f'Petra says, "{said[:-1]}, 9 times."')
    assert [fact.hearsay for fact in facts_of_entry(about, "Wren") if fact.what == "9"] == [hearsay]
    beside = entry("heard", "Petra", f'Petra says, "{said} It was on the 4th."')
    assert [fact.hearsay for fact in facts_of_entry(beside, "Wren") if fact.what == "4"] == [False]


def test_ones_own_words_about_oneself_are_no_hearsay() -> None:
    assert not any(fact.hearsay for fact in facts_of_entry(entry("said", None, 'You say, "I am 9."'), "Wren"))


@pytest.mark.parametrize(
    ("one", "trust"),
    [
        (entry("told", "Moss", 'Moss whispers, "The key is here."'), DIRECT),
        (entry("heard", "Moss", 'Moss says, "Wren, the key is here."'), DIRECT),
        (entry("heard", "Moss", 'Moss says, "The key is here."'), DIRECT),
        (entry("heard", "Moss", 'Moss says, "Petra, the key is here."'), AMBIENT),
        (entry("heard", None, "A bell rings far away."), AMBIENT),
        (entry("saw", "Moss", "Moss hides a key."), OBSERVED),
        (entry("result", None, "A shelf."), OBSERVED),
        (entry("thought", None, "You wonder about the key."), INFERRED),
        (entry("dream", None, "You dream of a key."), INFERRED),
    ],
)
def test_how_far_a_memory_is_trusted_depends_on_how_one_came_by_it(one: Entry, trust: float) -> None:
    assert trust_of(one, "Wren") == trust


def test_every_kind_of_memory_has_its_trust_and_the_table_is_that_of_seed_003() -> None:
    assert (DIRECT, OBSERVED, INFERRED, AMBIENT) == (0.9, 0.8, 0.6, 0.3)
    assert {trust_of(entry(kind, "Moss", "hm")) for kind in KINDS} == {DIRECT, OBSERVED, INFERRED}


def heard(seq: int, said: str, importance: int = 3) -> Entry:
    return Entry(seq, "", "heard", "Moss", "The Mill", f'Moss says, "{said}"', importance=importance)


def source(*entries: Entry, sample: tuple[str, ...] = ()) -> SummarySource:
    return SummarySource("Eliza", "recent", entries, sample=sample)


def summary(text: str = "I was there.", sample: tuple[str, ...] = ()) -> Summary:
    return Summary("recent", (1, 65), text, sample=sample)


def test_it_is_the_share_of_the_facts_that_are_held() -> None:
    asked = asked_of(SOURCE)
    assert asked.share("I met Moss, Petra and Ulric in the Library and the Garden.") == 0.45
    assert asked_of(source(Entry(1, "", "thought", None, None, "hm"))).share("anything") is None


def test_what_matters_more_counts_for_more() -> None:
    asked = asked_of(source(heard(1, "It is 40 paces."), heard(2, "The lock opens with 4471.", 9)))
    # the name, the place and both numbers; the name and the place have the weight of the weightier memory
    assert asked.share("Moss at the mill said 40.") == round((9 + 9 + 3) / 30, 2)
    assert asked.share("Moss at the mill said 4471.") == round((9 + 9 + 9) / 30, 2)


def test_a_long_term_summary_is_asked_for_the_memories_and_not_for_the_summaries_before() -> None:
    first = asked_of(source(*(heard(seq, f"The number {seq} is {seq * 1000 + 7}.") for seq in range(1, 9))))
    text = "Moss told me of 1007 at the mill."
    recent = summary(text, first.sample())
    longterm = SummarySource("Eliza", "longterm", earlier=(text,), sample=carried([recent], "Eliza"))
    assert asked_of(longterm).share(text) == first.share(text)
    assert asked_of(longterm).share(text) != 1.0, "as it would be, were it measured against the summary's own text"


def test_a_summary_of_before_samples_were_kept_is_asked_for_what_its_text_tells() -> None:
    old = summary("I met Ada at the Kiln, who gave me 7 plums.")
    asked = asked_of(SummarySource("Eliza", "longterm", earlier=(old.text,), sample=carried([old], "Eliza")))
    assert asked.share("I met Ada, who gave me 7 plums.") == 0.67
    assert asked.share(old.text) == 1.0


NUMBERS = st.lists(st.tuples(st.integers(100, 9999), st.integers(1, 10)), max_size=300)


@given(NUMBERS, st.integers(1, 5))
def test_a_sample_taken_in_parts_is_that_of_the_whole(numbers: list[tuple[int, int]], parts: int) -> None:
    entries = [heard(seq, f"It is {number}.", weight) for seq, (number, weight) in enumerate(numbers, 1)]
    whole = asked_of(source(*entries)).sample()
    sample: tuple[str, ...] = ()
    for at in range(parts):
        sample = asked_of(source(*entries[at::parts], sample=sample)).sample()
    assert len(sample) <= SAMPLE + 1
    assert set(sample) == set(whole)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_sample_tells_of_what_share_of_many_facts_is_held(share: float) -> None:
    count = 4000
    entries = [heard(seq, f"It is {seq}.", 1 + seq % 10) for seq in range(1, count + 1)]
    sample = asked_of(source(*entries)).sample()
    kept = " ".join(str(seq) for seq in range(1, count + 1) if seq % 100 < 100 * share)
    estimated = asked_of(source(sample=sample)).share(f"Moss at the mill said {kept}")
    assert estimated == pytest.approx(share, abs=0.15)


def test_a_file_carries_its_sample_whatever_a_place_is_called() -> None:
    asked = asked_of(source(Entry(1, "", "saw", "Ada", 'The "Old"; Mill\\', "Ada has 12 geese.")))
    raw = render_summary(summary(sample=asked.sample()))
    read = parse_summary(raw, "recent", "recent.md")
    assert asked_of(source(sample=read.sample)).share("Ada has 12 geese at the old mill.") == 1.0
    assert len(read.sample) == 3
    assert render_summary(read) == raw


@pytest.mark.parametrize("sample", ["nonsense", "x name", "0 number 12; -3 name Ada", ";;;", "7"])
def test_a_sample_that_a_hand_spoilt_is_read_as_far_as_it_can_be(sample: str) -> None:
    raw = render_summary(summary(sample=("3 number 12",))).replace("3 number 12", sample)
    read = parse_summary(raw, "recent", "recent.md")
    assert asked_of(source(sample=read.sample)).share("Ada and 12 geese.") in (None, 0.0, 1.0)


@pytest.mark.parametrize("strategy", ["waterfall", "hybrid"])
def test_however_many_folds_ago_a_memory_was_told_the_long_term_summary_is_measured_against_it(
    tmp_path: Path, strategy: str
) -> None:
    life = Life(tmp_path, settings=CompactionSettings(strategy=strategy, immediate_window=8, recent_window=16))
    life.live(90)
    life.start()
    life.live(90)
    longterm = life.memory.longterm
    assert longterm is not None
    assert len(life.commits) > 3
    every = asked_of(source(*life.memory.read(*longterm.covers)))
    assert len(every.facts) > SAMPLE
    assert longterm.retention == pytest.approx(every.share(longterm.text), abs=0.12)
