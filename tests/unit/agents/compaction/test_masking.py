from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.compaction.settings import CompactionSettings
from agents.compaction.view import KIND, MaskLog, mask_of, masked, masked_count, placeholder
from agents.memory.entries import KINDS, Entry
from mud.world.events import OWN_NOTES, Perception
from tests.examples import examples
from tests.houses import house
from tests.lives import Disk, Life, heard

SETTINGS = CompactionSettings(mask_keep=2, mask_block=3, mask_chars=80)
LOOK = "The Garden\n" + "Four gravel paths meet at a slate sundial. " * 6 + "\nEliza is here.\nExits: north, east"


def entry(seq: int, kind: str = KIND, text: str = LOOK, **more: object) -> Entry:
    return Entry(seq, "2026-11-20T07:21:37.123Z", kind, None, "The Garden", text, **more)  # type: ignore[arg-type]


def life(kinds: str) -> list[Entry]:
    """Return a life: `r` a long result, `s` a short one, `h` something long that was heard, `a` an own act."""
    made = {
        "r": (KIND, LOOK),
        "s": (KIND, "Nothing."),
        "h": ("heard", f'Moss says, "{LOOK}"'),
        "a": ("did", "You sit."),
    }
    return [entry(seq, *made[letter]) for seq, letter in enumerate(kinds, 1)]


def seqs_of_masked(entries: list[Entry], settings: CompactionSettings = SETTINGS) -> list[int]:
    shown = masked(entries, settings, "eliza")
    return [one.seq for one, whole in zip(shown, entries, strict=True) if one != whole]


lives = st.text("rsha", max_size=60).map(life)
windows = st.builds(
    CompactionSettings,
    mask_keep=st.integers(0, 8),
    mask_block=st.integers(1, 7),
    mask_chars=st.sampled_from([0, 80, 900]),
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LOOK, "look at The Garden: Four gravel paths meet at a slate sundial. Four gravel … [ok, 4 lines, "),
        ("sundial: " + "A disc of slate, split once. " * 9, "examine sundial: A disc of slate, split once. A disc of"),
        (
            'You search your memory for "the fin" and find:\non 3 May, The Library: The fin is gone. [3]\nmore'
            + "." * 99,
            'recall "the fin": on 3 May, The Library: The fin is gone. [3] [ok, 3 lines, ',
        ),
        ('Your note "Sundial": ' + "Four holes and a stain. " * 9, "notes Sundial: Four holes and a stain. "),
        ("Your notes: " + "Boathouse, " * 20, "notes: Boathouse, Boathouse"),
        (
            "The pear tree has been trained flat. " * 9,
            "look: The pear tree has been trained flat. The pear tree has been … [",
        ),
    ],
)
def test_a_mask_tells_what_was_asked_what_it_showed_how_it_ended_and_where_it_is(text: str, told: str) -> None:
    mask = placeholder(entry(120, text=text), "eliza")
    assert mask.startswith(told)
    assert mask.endswith(", whole in eliza#120]")
    assert "\n" not in mask
    assert len(mask) < 200


def test_a_mask_tells_ones_own_notes_by_their_mark_in_whatever_words_they_are_shown() -> None:
    shown = entry(120, text="Deine Notizen: " + "Bootshaus, " * 20)
    assert placeholder(shown, "eliza").startswith("examine Deine Notizen: ")
    assert placeholder(shown._replace(mark=OWN_NOTES), "eliza").startswith("notes: Bootshaus")


def test_a_mask_says_when_it_had_failed() -> None:
    assert "[failed, " in placeholder(entry(7, failed=True), "eliza")


def test_the_newest_results_stay_whole_and_the_rest_is_masked_in_blocks() -> None:
    told = {count: seqs_of_masked(life("r" * count + "a")) for count in range(12)}
    assert [len(told[count]) for count in range(12)] == [0, 0, 0, 0, 0, 3, 3, 3, 6, 6, 6, 9]
    assert told[8] == [1, 2, 3, 4, 5, 6]


def test_who_only_looks_about_has_old_looks_masked_too_but_never_the_newest() -> None:
    assert seqs_of_masked(life("arrrrrrrrr")) == [2, 3, 4, 5, 6, 7]
    assert seqs_of_masked(life("rrrrr"), replace(SETTINGS, mask_keep=0, mask_block=1)) == [1, 2, 3, 4]


@given(entries=lives, settings=windows)
def test_only_old_results_are_masked_whatever_one_lived_through(
    entries: list[Entry], settings: CompactionSettings
) -> None:
    gone = seqs_of_masked(entries, settings)
    results = [one.seq for one in entries if one.kind == KIND]
    assert set(gone) <= set(results[: -max(1, settings.mask_keep)])
    shown = masked(entries, settings, "eliza")
    assert [one._replace(text="") for one in shown] == [one._replace(text="") for one in entries]
    assert all(len(one.text) < len(whole.text) for one, whole in zip(shown, entries, strict=True) if one != whole)


@given(entries=lives, settings=windows)
def test_masks_advance_in_blocks_and_in_between_what_is_shown_only_grows_at_its_end(
    entries: list[Entry], settings: CompactionSettings
) -> None:
    before: tuple[Entry, ...] = ()
    masks = changes = 0
    for count in range(1, len(entries) + 1):
        now = masked(entries[:count], settings, "eliza")
        results = sum(one.kind == KIND for one in entries[:count])
        advanced = masked_count(results, settings)
        assert advanced % settings.mask_block == 0
        assert advanced >= masks, "what was masked stays masked"
        if advanced == masks:
            assert now[:-1] == before
        changes += advanced != masks
        masks, before = advanced, now
    assert changes * settings.mask_block <= sum(one.kind == KIND for one in entries)


@given(
    kind=st.sampled_from(KINDS), text=st.text(max_size=400), failed=st.booleans(), place=st.none() | st.text(max_size=9)
)
def test_a_mask_is_made_of_any_text_and_is_one_short_line(
    kind: str, text: str, failed: bool, place: str | None
) -> None:
    one = Entry(3, "", kind, None, place, text, failed=failed)
    assert len(placeholder(one, "wren")) < 260
    assert "\n" not in placeholder(one, "wren")
    mask = mask_of(one, SETTINGS, "wren")
    assert mask is None or (kind == KIND and len(mask) < len(text))


def test_a_result_that_cannot_be_masked_is_shown_as_it_is_and_the_others_are_masked() -> None:
    odd = entry(2)._replace(text=5)  # type: ignore[arg-type]  # what no archive of ours gives, and a plug-in might
    entries = [entry(1), odd, *life("rrrrra")[2:]]
    shown = masked(entries, SETTINGS, "eliza")
    assert shown[1] is odd
    assert [one.seq for one in shown if str(one.text).startswith("look at")] == [1, 3]
    assert mask_of(odd, SETTINGS, "eliza") is None


async def test_real_looks_searches_and_notes_of_the_world_get_masks_that_tell_them_apart(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "note Sundial -> " + "Four screw holes and a green stain where the fin was. " * 4)
        home.type(ann, "look")
        home.type(ann, "examine Eliza")
        await home.ask(ann, "recall screw holes")
        await home.ask(ann, "notes Sundial")
        home.type(ann, "look")
        entries = ann.memory.read(1, ann.memory.total)
        shown = masked(entries, dataclasses.replace(SETTINGS, mask_keep=0, mask_block=1), ann.slug)
        masks = [one.text for one, whole in zip(shown, entries, strict=True) if one != whole]
        asked = ["look at The Garden: ", "examine Eliza: ", 'recall "screw holes": ', "notes Sundial: "]
        assert [next(mark for mark in asked if text.startswith(mark)) for text in masks] == asked
        assert all(f"whole in {ann.slug}#" in text for text in masks)


DUST = "The Library\n" + "Dust turns in a blade of light. " * 10
SMALL: dict[str, int | str] = {"strategy": "masking", "mask_keep": 2, "mask_block": 3, "mask_chars": 80}


class Turns:
    """A life that ends a turn after everything that happens."""

    def __init__(self, folder: Path, **changes: int | str) -> None:
        self.life = Life(folder, Disk())
        self.life.set(**{**SMALL, **changes})
        self.begin()

    def begin(self) -> None:
        """Begin, or begin again from the files alone."""
        life = self.life
        life.start()
        self.micro = MaskLog(life.compactor.view, life.clock)

    def happen(self, letters: str) -> list[int]:
        """Have long results (r), things heard (h) and own acts (a) happen; return the results that were masked."""
        masked = []
        for letter in letters:
            told = {
                "r": Perception("#1", KIND, DUST, None, "The Library"),
                "h": heard("The wind has turned."),
                "a": Perception("#1", "did", "You sit down.", None, "The Library"),
            }[letter]
            self.life.memory.append([told], "2026-11-20T07:21:37.123Z", self.life.memory.total + 1)
            masked += self.micro.turn()
        return masked

    def shown_masked(self) -> list[int]:
        """Return the results that are shown masked now."""
        return [one.seq for one in self.life.compactor.view.shown().tail if one.text.endswith(f"life#{one.seq}]")]

    def lines(self) -> list[dict[str, Any]]:
        """Return the archive's lines on masks."""
        paths = sorted((self.life.folder / "archive").glob("*.jsonl"))
        lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
        return [line for line in lines if line.get("event") == "micro_compact"]


def test_masks_are_written_down_when_a_block_of_them_begins(tmp_path: Path) -> None:
    turns = Turns(tmp_path)
    assert turns.happen("rararara") == []
    assert turns.happen("rah") == [1, 3, 5]
    assert turns.happen("hh") == []
    (line,) = turns.lines()
    assert (line["covers"], line["masked"]) == ({"first": 1, "last": 5}, [1, 3, 5])
    assert set(line) == {"event", "at", "covers", "masked"}


def test_after_a_start_no_mask_is_written_down_twice(tmp_path: Path) -> None:
    turns = Turns(tmp_path)
    turns.happen("ra" * 8)
    turns.begin()
    turns.happen("ra" * 3)
    masked = [seq for line in turns.lines() for seq in line["masked"]]
    assert masked == [1, 3, 5, 7, 9, 11, 13, 15, 17]


def test_a_strategy_without_masks_writes_none_down_and_another_then_catches_up(tmp_path: Path) -> None:
    turns = Turns(tmp_path, strategy="none")
    assert turns.happen("ra" * 8) == []
    turns.life.set(strategy="masking")
    assert turns.happen("h") == [1, 3, 5, 7, 9, 11]


def test_a_full_disk_costs_the_line_and_nothing_else(tmp_path: Path) -> None:
    turns = Turns(tmp_path)
    turns.happen("rararara")
    turns.life.disk.full = True
    assert turns.happen("ra") == []
    turns.life.disk.full = False
    turns.life.memory.retry()
    assert turns.happen("h") == [1, 3, 5]
    assert turns.life.memory.total == 11


def test_a_great_many_masks_are_several_lines(tmp_path: Path) -> None:
    turns = Turns(tmp_path, strategy="none")
    told = [Perception("#1", KIND, DUST, None, "The Library")] * 1205 + [
        Perception("#1", "did", "You sit.", None, None)
    ]
    turns.life.memory.append(told, "2026-11-20T07:21:37.123Z", 1)
    turns.life.set(strategy="masking")
    assert len(turns.micro.turn()) == 1203
    assert [len(line["masked"]) for line in turns.lines()] == [500, 500, 203]


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(parts=st.lists(st.text("rha", max_size=12), max_size=6), keep=st.integers(0, 4), block=st.integers(1, 4))
def test_every_mask_that_is_shown_is_written_down_exactly_once(
    tmp_path_factory: Any, parts: list[str], keep: int, block: int
) -> None:
    turns = Turns(tmp_path_factory.mktemp("life"), mask_keep=keep, mask_block=block)
    for part in parts:
        turns.happen(part)
        told = [seq for line in turns.lines() for seq in line["masked"]]
        assert told == sorted(set(told))
        assert told == turns.shown_masked()
        turns.begin()
