"""The journal's file: its form, its hundred entries, what people do with it, and a kill at any write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.journal import (
    FILE,
    HISTORY,
    LIVE,
    SHOWN,
    SYNTHESIS,
    TYPES,
    Journal,
    JournalEntry,
    entry_lines,
    parse_entry,
    render_entry,
    superseded,
    united_references,
)
from tests.examples import examples
from tests.lives import Disk, PowerCut

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12)
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
NAMES = st.sampled_from(["", "Moss", "Moss the Slow", "Mrs Abel", "The Library"])
ENTRIES = st.builds(
    JournalEntry,
    text=TEXTS,
    at=st.sampled_from(["", "2026-11-20T07:21:37.123Z"]),
    type=st.sampled_from(TYPES),
    trust=st.sampled_from([0.3, 0.6, 0.8, 0.9]),
    importance=st.integers(1, 10),
    source=NAMES,
    about=NAMES,
    references=st.lists(st.sampled_from(["eliza#3", "eliza#66-129"]), max_size=2, unique=True).map(tuple),
    consolidated=st.booleans(),
)


def entry(number: int, importance: int = 5, text: str = "") -> JournalEntry:
    said = text or f"The lamp number {number} is out"
    return JournalEntry(said, "2026-11-20T07:21:37.123Z", importance=importance, references=(f"wren#{number}",))


@given(ENTRIES)
def test_an_entry_reads_back_from_its_line(one: JournalEntry) -> None:
    assert parse_entry(render_entry(one)) == one


@pytest.mark.parametrize("trust", [0.0, 0.00001, 0.5, 1.0])
@pytest.mark.parametrize("text", ["The key is here (under a bench)", "(so)", "Moss (old) (grey)"])
def test_an_entry_with_parentheses_and_hardly_any_trust_reads_back(text: str, trust: float) -> None:
    one = JournalEntry(text, trust=trust)
    assert parse_entry(render_entry(one)) == one


@given(st.text(max_size=80))
def test_no_line_is_refused(line: str) -> None:
    parse_entry(line)
    list(entry_lines(line))


def test_the_line_of_an_entry_is_made_for_people() -> None:
    told = JournalEntry(
        "The key is under the third bench", "2026-11-20T07:21:37.123Z", "direct", 0.9, 6, "Moss", "Moss", ("wren#120",)
    )
    assert render_entry(told) == (
        "- The key is under the third bench "
        "(2026-11-20T07:21:37.123Z; direct; trust 0.9; importance 6; from Moss; about Moss; wren#120)"
    )


def test_a_line_that_somebody_wrote_is_an_entry_of_which_no_more_is_known() -> None:
    assert parse_entry("- Moss owes me a boat (a small one)") == JournalEntry("Moss owes me a boat (a small one)")
    assert parse_entry("Moss owes me a boat") is None


def test_entries_are_added_and_read_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    assert (journal.lines(), journal.through("wren", 20)) == ([], 0)
    journal.settle({}, [entry(1), entry(2)], through=9)
    journal.settle({}, [entry(11)], through=12)
    again = Journal(tmp_path)
    assert [line.entry for line in again.lines()] == [entry(1), entry(2), entry(11)]
    assert again.through("wren", 20) == 12
    assert (tmp_path / FILE).read_text("utf-8").startswith("---\ntype: journal\nthrough: 12\n---\n# Journal\n")


def test_what_people_write_stays(tmp_path: Path) -> None:
    journal, path = Journal(tmp_path), tmp_path / FILE
    journal.settle({}, [entry(1), entry(2)], through=2)
    mine = "\n## My own heading\n\n- Moss owes me a boat\n\n```\n- no entry\n```\nSome prose.\n"
    path.write_text(path.read_text("utf-8").replace("number 1 is out", "number 1 is lit") + mine, "utf-8")
    read = journal.lines()
    path.write_text(path.read_text("utf-8").replace("number 2 is out", "number 2 is lit"), "utf-8")
    changed = {line.raw: replace(line.entry, consolidated=True) for line in read}
    journal.settle(changed, [entry(3)], through=3)
    text = path.read_text("utf-8")
    assert mine.strip() in text.replace(
        "owes me a boat (direct; trust 0.9; importance 5; consolidated)", "owes me a boat"
    )
    assert [line.entry.text for line in journal.lines()] == [
        "The lamp number 1 is lit",
        "The lamp number 2 is lit",
        "Moss owes me a boat",
        "The lamp number 3 is out",
    ]
    assert [line.entry.consolidated for line in journal.lines()] == [True, False, True, False]


def test_front_matter_that_is_not_in_order_keeps_nothing_from_being_kept(tmp_path: Path) -> None:
    journal, path = Journal(tmp_path), tmp_path / FILE
    path.write_text("---\nthrough: [1\n---\n- Old\n", "utf-8")
    journal.settle({}, [entry(7)], through=8)
    assert [line.entry.text for line in journal.lines()] == ["Old", "The lamp number 7 is out"]
    assert journal.through("wren", 20) == 7
    assert "through: [1" in path.read_text("utf-8")


@pytest.mark.parametrize(
    "front", ["", "---\nthrough: 5\n---\n", "---\nthrough: 70000\n---\n", "---\nthrough: -1\n---\n"]
)
def test_what_people_refer_to_does_not_say_how_far_was_looked(tmp_path: Path, front: str) -> None:
    journal = Journal(tmp_path)
    lines = "- Moss told me of the well (moss#90000)\n- Of it too (wren#21; trust 0.9)\n- Old (moss#2, wren#5)\n"
    (tmp_path / FILE).write_text(front + lines, "utf-8")
    assert journal.through("wren", 20) == 5


MANY = st.lists(st.tuples(st.sampled_from(["wren", "moss"]), st.integers(1, 60), st.integers(0, 3)), max_size=60)


def told(references: tuple[str, ...]) -> tuple[set[str], int]:
    """Return which memories references name one by one, and how many more there are."""
    named, more = set(), 0
    for one in references:
        owner, _, numbers = one.partition("#")
        if not numbers:
            more += int(one.split()[0])
            continue
        first, _, last = numbers.partition("-")
        named |= {f"{owner}#{number}" for number in range(int(first), int(last or first) + 1)}
    return named, more


@given(MANY)
def test_many_references_are_told_in_short_and_none_is_uncounted(many: list[tuple[str, int, int]]) -> None:
    references = [f"{owner}#{first}-{first + more}" if more else f"{owner}#{first}" for owner, first, more in many]
    every, _ = told(tuple(references))
    short = united_references(references)
    named, more = told(short)
    assert named <= every
    assert len(named) + more == len(every)
    assert len(short) <= 2 * SHOWN + 1
    assert united_references(short) == short
    one = JournalEntry("The lamp is out", references=short)
    assert parse_entry(render_entry(one)) == one


def test_what_matters_least_makes_room_and_is_kept_in_the_history(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.settle({}, [entry(number, importance=9 if number % 2 else 2) for number in range(1, LIVE + 1)])
    journal.settle({}, [entry(number, importance=5) for number in range(LIVE + 1, LIVE + 21)])
    live = [line.entry for line in journal.lines()]
    assert len(live) == LIVE
    history = [line.entry for line in entry_lines((tmp_path / HISTORY).read_text("utf-8"))]
    assert [one.references[0] for one in history] == [f"wren#{number}" for number in range(2, 42, 2)]


def test_a_summary_is_marked_when_a_newer_one_takes_it_up(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for number in (1, 2, 3):
        made = JournalEntry(f"Summary {number}", type=SYNTHESIS, references=(f"wren#1-{number}",))
        journal.settle(superseded(journal.lines()), [made])
    assert [line.entry.consolidated for line in journal.lines()] == [True, True, False]
    assert journal.through("wren", 20) == 0, "a summary is no fact that was looked for"


@given(batches=st.lists(st.integers(1, 60), min_size=1, max_size=5), cut=st.integers(1, 12), half=st.booleans())
@settings(max_examples=examples(150), deadline=None)
def test_a_kill_at_any_write_loses_no_entry(
    tmp_path_factory: pytest.TempPathFactory, batches: list[int], cut: int, half: bool
) -> None:
    folder, disk = tmp_path_factory.mktemp("journal"), Disk(cut, half)
    journal, number, acknowledged = Journal(folder, disk.write, disk.open), 0, 0
    try:
        for size in batches:
            journal.settle({}, [entry(number + one, one % 10 + 1) for one in range(1, size + 1)], number + size)
            number += size
            acknowledged = number
    except PowerCut:
        pass
    journal = Journal(folder)
    assert len(journal.lines()) <= LIVE
    history = folder / HISTORY
    moved = [line.entry for line in entry_lines(history.read_text("utf-8"))] if history.exists() else []
    kept = {one.references for one in (*moved, *(line.entry for line in journal.lines())) if one.references}
    assert {(f"wren#{one}",) for one in range(1, acknowledged + 1)} <= kept
    assert journal.through("wren", number) >= acknowledged


def test_a_full_disk_says_so_and_nothing_is_lost(tmp_path: Path) -> None:
    disk = Disk()
    journal = Journal(tmp_path, disk.write, disk.open)
    journal.settle({}, [entry(1)], 1)
    before = (tmp_path / FILE).read_text("utf-8")
    disk.full = True
    with pytest.raises(OSError, match="No space"):
        journal.settle({}, [entry(number) for number in range(2, 200)], 199)
    assert (tmp_path / FILE).read_text("utf-8") == before
