"""What a correction makes of memories and of texts made from them, and that the archive alone keeps it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.archive import PER_FILE, Archive
from agents.memory.corrections import (
    FORGOTTEN,
    NOTHING,
    Correction,
    Corrections,
    forgetting,
    holding,
    holds,
    parse_correction,
    replaced,
)
from agents.memory.entries import Entry
from agents.memory.history import events, examine
from agents.memory.summaries import Summary

AT = "2026-01-01T00:00:00.000Z"


def entry(seq: int, text: str, kind: str = "heard", reason: str | None = None) -> Entry:
    return Entry(seq, AT, kind, "Moss" if kind == "heard" else None, "The Garden", text, reason)


def words(number: int, wrong: str, right: str, *memories: int) -> Correction:
    return Correction(number, AT, "Ann", wrong, right, memories)


def forgets(number: int, seq: int, lived: list[Entry]) -> Correction:
    one = next(entry for entry in lived if entry.seq == seq)
    return forgetting(lambda: lived, one, AT, "Ann")._replace(number=number)


@pytest.mark.parametrize(
    ("text", "wrong", "right", "becomes"),
    [
        ("On Monday, on monday, MONDAY!", "Monday", "Tuesday", "On Tuesday, on Tuesday, Tuesday!"),
        ("Mondays and BlueMonday stay.", "Monday", "Tuesday", "Mondays and BlueMonday stay."),
        ("The key is here. So the  key\nis.", "the key", "the lamp", "The lamp is here. So the lamp\nis."),
        ("A cat and a black cat.", "cat", "black cat", "A black cat and a black cat."),
        ("It’s Moss' cup.", "it's moss'", "It's Petra's", "It's Petra's cup."),
        ("moss grows", "moss", "Moss", "Moss grows"),
        ("3 coins, 13 coins", "3 coins", "5 coins", "5 coins, 13 coins"),
        ("Ключ под камнем", "ключ", "Фонарь", "Фонарь под камнем"),
    ],
)
def test_whole_words_are_put_right_in_any_case_and_with_any_blanks(
    text: str, wrong: str, right: str, becomes: str
) -> None:
    assert replaced(text, wrong, right) == becomes


@given(
    text=st.text("ab c.", max_size=20), wrong=st.text("abc", min_size=1, max_size=3), right=st.text("abc ", min_size=1)
)
def test_put_right_twice_is_put_right_once(text: str, wrong: str, right: str) -> None:
    right = " ".join(right.split()) or "x"
    once = replaced(text, wrong, right)
    assert not holds(once, wrong, right)
    assert replaced(once, wrong, right) == once


def test_a_sentence_that_says_it_in_a_new_form_is_put_right_by_what_differs() -> None:
    known = Corrections([words(1, "the market is on Monday at nine", "the market is on Tuesday at nine", 1)])
    told = "Moss told me that the market was on Monday at nine. Petra sang on Monday."
    assert known.text(told) == "Moss told me that the market was on Tuesday at nine. Petra sang on Monday."


def test_only_the_memories_named_are_changed_with_their_reasons() -> None:
    known = Corrections([words(1, "Monday", "Tuesday", 1)])
    lived = [entry(1, "On Monday.", "did", reason="it is Monday"), entry(2, "On Monday.")]
    first, second = known.entries(lived)
    assert (first.text, first.reason) == ("On Tuesday.", "it is Tuesday")
    assert second is lived[1]


def test_corrections_hold_one_after_another_and_for_texts_made_in_between_only_the_later_ones() -> None:
    known = Corrections([words(1, "red", "blue", 1), words(2, "green", "red", 1)])
    assert known.entries([entry(1, "A red and a green door.")])[0].text == "A blue and a red door."
    assert known.text("A red and a green door.") == "A blue and a red door."
    assert known.text("A blue and a green door.", known=1) == "A blue and a red door."
    assert known.text("A blue and a red door.", known=2) == "A blue and a red door."


def test_what_is_taken_back_no_longer_holds_and_what_takes_it_back_can_be_taken_back() -> None:
    first, second, third = (
        words(1, "red", "blue", 1),
        Correction(2, AT, "Ann", undoes=1),
        Correction(3, AT, "Ann", undoes=2),
    )
    assert Corrections([first, second]).entries([entry(1, "red")])[0].text == "red"
    assert Corrections([first, second]).text("blue", known=1) == "red"
    assert Corrections([first, second]).text("red") == "red"
    assert Corrections([first, second, third]).entries([entry(1, "red")])[0].text == "blue"
    assert Corrections([first, second, third]).since(1) == [1]


def test_a_forgotten_memory_keeps_its_number_and_time_alone() -> None:
    lived = [entry(1, 'Moss says, "My ring is of zorbanium."'), entry(2, "The bees are out.")]
    gone, other = Corrections([forgets(1, 1, lived)]).entries(lived)
    assert gone == Entry(1, AT, FORGOTTEN, None, None, "", importance=1)
    assert other is lived[1]


def test_what_quotes_a_forgotten_memory_loses_these_lines() -> None:
    lived = [
        entry(1, 'Moss says, "My ring is of zorbanium."'),
        entry(2, 'You find:\n  Moss says, "My ring is of zorbanium." [1]\n  The bees are out. [7]', "result"),
        entry(3, "The bees are out."),
    ]
    known = Corrections([forgets(1, 1, lived)])
    assert known.all[0].memories == (2,)
    assert known.entries(lived)[1].text == "You find:\n  The bees are out. [7]"


def test_sentences_of_a_summary_that_tell_of_it_go_and_what_others_tell_too_stays() -> None:
    lived = [
        entry(1, 'Moss says, "Petra hid the brass key."'),
        entry(2, 'Moss says, "Petra hid the brass key."'),
        entry(3, 'Moss says, "The well is dry."'),
    ]
    told = "Petra hid the brass key. The well was dry."
    assert Corrections([forgets(1, 1, lived)]).text(told) == told
    assert Corrections([forgets(1, 3, lived)]).text(told) == "Petra hid the brass key."
    alone = Summary("recent", (1, 3), "The well was dry.", sample=("well",))
    made = Corrections([forgets(1, 3, lived)]).summary(alone)
    assert (made.text, made.sample, made.corrections) == (NOTHING, (), 1)


def test_items_of_a_list_go_whole_and_headings_stay() -> None:
    known = Corrections([forgets(1, 1, [entry(1, "The zorbanium is mine.")])])
    assert known.text("# Zorbanium\n- Mine it is. Of zorbanium.\n- Bees.") == "# Zorbanium\n- Bees."


def test_at_most_one_more_than_allowed_is_looked_for() -> None:
    assert len(holding((entry(seq, "pear") for seq in range(1, 9999)), "pear", "plum")) == 65


texts = st.text("abc dé\n\"'→", min_size=1, max_size=8)


@given(number=st.integers(1, 500), by=texts, wrong=texts, right=texts, memories=st.lists(st.integers(1, 10**6)))
def test_a_correction_is_the_same_after_its_way_through_the_archive(
    number: int, by: str, wrong: str, right: str, memories: list[int]
) -> None:
    for one in (
        Correction(number, AT, by, wrong, right, tuple(memories)),
        Correction(number, AT, by, forgets=7, only=(wrong,), told=((wrong, right),), memories=tuple(memories)),
        Correction(number, AT, by, undoes=number),
    ):
        assert parse_correction(json.loads(json.dumps(one.event()))) == one


@pytest.mark.parametrize(
    "wrong",
    [
        *({"number": number} for number in (0, "1")),
        *({"memories": memories} for memories in ("1", [0])),
        *({"wrong": wrong} for wrong in (3, "")),
        {"forgets": 1},
        {"undoes": True},
        {"told": ["a"]},
        {"only": [1]},
        {"seq": 3},
    ],
)
def test_a_line_that_people_broke_is_no_correction(wrong: dict[str, object]) -> None:
    line = {"event": "correction", "number": 1, "at": AT, "by": "Ann", "wrong": "a", "right": "b"}
    assert parse_correction(line) is not None
    assert parse_correction({**line, **wrong}) is None


def test_the_last_file_of_an_archive_tells_all_corrections_and_they_are_listed_once(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", per_file=3)
    archive.open(writable=True)
    archive.append([entry(seq, f"pear {seq}") for seq in (1, 2)])
    archive.append_event(words(1, "pear", "plum", 1).event())
    archive.append([entry(seq, f"pear {seq}") for seq in range(3, 8)])
    archive.append_event(words(2, "pear", "fig", 5).event())
    archive.append([entry(seq, f"pear {seq}") for seq in range(8, 12)])
    archive.close()
    again = Archive(tmp_path / "archive")
    assert again.open(writable=False) == []
    assert [again.corrections[number].right for number in (1, 2)] == ["plum", "fig"]
    for path in sorted((tmp_path / "archive").iterdir())[:-1]:
        path.rename(tmp_path / path.name)  # none of them is needed
    again.open(writable=False)
    assert sorted(again.corrections) == [1, 2]
    for path in tmp_path.glob("*.jsonl"):
        path.rename(tmp_path / "archive" / path.name)
    assert [(seq, event["number"]) for seq, event in events(tmp_path / "archive", 1, 11)] == [(2, 1), (7, 2)]
    assert examine(tmp_path / "archive").wrong == []
    assert PER_FILE > 3


def test_a_file_that_was_begun_when_the_power_failed_repeats_the_corrections(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", per_file=3)
    archive.open(writable=True)
    archive.append([entry(seq, f"pear {seq}") for seq in (1, 2, 3)])
    archive.append_event(words(1, "pear", "plum", 1).event())
    archive.close()
    (tmp_path / "archive/0000000004.jsonl").write_text('{"event":"corr', "utf-8")
    for seq in (4, 5):
        archive.open(writable=True)
        archive.append([entry(seq, f"pear {seq}")])
        archive.close()
        assert sorted(archive.corrections) == [1]
    archive.open(writable=False)
    assert sorted(archive.corrections) == [1]


def test_a_broken_correction_is_named_by_the_check(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive")
    archive.open(writable=True)
    archive.append([entry(1, "pear")])
    archive.append_event({"event": "correction", "number": "one"})
    archive.close()
    ((_, line, why),) = examine(tmp_path / "archive").wrong
    assert (line, why.startswith("is a correction that cannot be used")) == (2, True)
