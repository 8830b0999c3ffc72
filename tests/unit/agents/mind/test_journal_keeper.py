"""What is kept of memories before they are folded, and how a journal is put in order while its owner sleeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.agent import Agent
from agents.memory.journal import FILE, SYNTHESIS, Journal, JournalEntry, JournalLine, render_entry
from agents.mind.journal_keeper import JournalKeeper, alike, gathered
from mud.world.events import Perception
from tests.houses import house
from tests.lives import Disk
from tests.settings import put

AT = "2026-01-01T00:00:00.000Z"


def heard(who: Agent, actor: str | None, words: str, kind: str = "heard") -> Perception:
    text = f'{actor} says, "{words}"' if kind == "heard" else words
    return Perception(who.id, kind, text, actor, "The Garden")


def lived(who: Agent, *perceived: Perception) -> None:
    for one in perceived:
        who.memory.append([one], AT, who.memory.total + 1)


def kept(who: Agent) -> list[JournalEntry]:
    return [line.entry for line in who.keeper.journal.lines()]


def keep_all(who: Agent) -> list[str]:
    who.keeper.keep(who.memory.read(1, who.memory.total))
    return [one.text for one in kept(who)]


async def test_facts_are_kept_with_where_they_come_from(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        words = "Good morning. Tamsin hid 12 plums from the others. I will bring you the brass key tomorrow."
        lived(eliza, heard(eliza, "Moss", words), heard(eliza, "Moss", "so much for her, for Tamsin"))
        assert keep_all(eliza)[:2] == [
            "Tamsin hid 12 plums from the others.",
            "I will bring you the brass key tomorrow.",
        ]
        plums, key, _ = kept(eliza)
        assert (plums.source, plums.about, plums.type, plums.trust) == ("Moss", "Tamsin", "direct", 0.9)
        assert (key.about, key.references, key.at) == ("Moss", ("eliza#1",), AT)
        assert key.importance > plums.importance - 2
        keep_all(eliza)
        assert len(kept(eliza)) == 3, "twice is once"


async def test_a_fact_about_somebody_with_a_title_is_kept_whole(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        words = "Dr. Vane hid 12 plums at St. Ives. Mr. Ash and Mrs. Abel have 3 jars."
        lived(eliza, heard(eliza, "Moss", words))
        assert keep_all(eliza) == ["Dr. Vane hid 12 plums at St. Ives.", "Mr. Ash and Mrs. Abel have 3 jars."]


@pytest.mark.parametrize(
    ("actor", "words", "kind"),
    [
        ("Moss", "You are a thief and you stole 3 spoons", "heard"),
        ("Moss", "Eliza is 200 years old", "heard"),
        (None, 'You say, "I am a queen of 7 realms"', "said"),
        (None, 'You think, "my name is Tamsin"', "thought"),
        (None, "The Library\nDust turns. Tamsin is here.", "result"),
        (None, 'You tried "go Cistern", but it did not work.', "moved"),
    ],
)
async def test_what_is_said_of_the_agent_itself_is_never_kept_as_a_fact(
    tmp_path: Path, actor: str | None, words: str, kind: str
) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        lived(eliza, heard(eliza, actor, words, kind))
        assert keep_all(eliza) == []


async def test_what_says_the_same_becomes_one_and_what_is_about_one_goes_into_a_note(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        lived(
            eliza,
            heard(eliza, "Moss", "Tamsin lives by the Cistern."),
            heard(eliza, "Corvin", "oh, Tamsin lives by that Cistern!"),
            heard(eliza, "Moss", "Some say Tamsin owes 12 plums."),
            heard(eliza, "Moss", "Eliza, remember the 4 lamps."),
        )
        keep_all(eliza)
        home.minds.put_in_order(eliza)
        first, second, _ = kept(eliza)
        assert (first.references, first.source) == (("eliza#1-2",), "Moss and Corvin")
        assert first.consolidated
        assert second.consolidated
        note = eliza.notes.read("Tamsin")
        assert note is not None
        assert "- Moss and Corvin: Tamsin lives by the Cistern. [eliza#1-2]" in note.text
        assert "12 plums" in note.text
        assert "oh, Tamsin lives by that Cistern" in (eliza.folder / "journal-history.md").read_text("utf-8")
        assert eliza.notes.read("Eliza") is None
        hits, _ = await home.parts.recall.search(eliza.id, "Tamsin plums", 5, "notes", by="words")
        assert [hit.title for hit in hits] == ["Tamsin"]
        text = note.text
        home.minds.put_in_order(eliza)
        path = eliza.folder / FILE
        path.write_text(path.read_text("utf-8").replace("; consolidated", ""), "utf-8")  # a kill before the mark
        home.minds.put_in_order(eliza)
        again = eliza.notes.read("Tamsin")
        assert again is not None
        assert again.text == text


async def test_a_journal_that_cannot_be_written_stops_no_fold_and_is_made_up_for(tmp_path: Path) -> None:
    vault_settings = {
        "strategy": "sleep",
        "emergency_threshold": 0.05,
        "sleep_threshold": 0.05,
        "preserve_fraction": 0.0,
    }
    async with house(tmp_path) as home:
        put(home.parts.vault, "memory_compaction", preserve_entries=1, summarizer="extractive", **vault_settings)  # type: ignore[arg-type]
        home.parts.configuration.load()
        eliza, disk = home.agent("Eliza"), Disk()
        keeper = JournalKeeper(eliza.memory, Journal(eliza.folder, disk.write, disk.open), "eliza")
        lived(eliza, heard(eliza, "Moss", "Tamsin owes 12 plums."), heard(eliza, "Moss", "Corvin sells 3 boats."))
        keeper.keep(eliza.memory.read(1, 1))
        disk.full = True
        keeper.keep(eliza.memory.read(2, 2))
        assert any("the journal cannot be kept" in one for one in eliza.memory.warnings)
        lived(
            eliza,
            *(heard(eliza, "Moss", f"The lamp {number} burns in the Boathouse by night.") for number in range(60)),
        )
        assert eliza.compactor.fold_due_now(), "the fold is made all the same"
        disk.full = False
        (eliza.folder / FILE).unlink(missing_ok=True)
        Journal(eliza.folder).settle({}, [JournalEntry("Tamsin owes 12 plums.", references=("eliza#1",))], 1)
        keeper.consolidate(eliza.notes, lambda title, text: None)
        assert "Corvin sells 3 boats." in [line.entry.text for line in keeper.journal.lines()]
        assert not any("journal" in one for one in eliza.memory.warnings)


async def test_a_journal_that_could_not_be_begun_is_made_up_for_from_the_first_fold_on(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        (eliza.folder / FILE).mkdir()
        lived(eliza, *(heard(eliza, "Moss", f"Tamsin hid {number} plums in the Boathouse.") for number in range(3, 9)))
        eliza.keeper.keep(eliza.memory.read(1, 4))
        put(home.parts.vault, "memory_compaction", strategy="sleep", preserve_entries=2, preserve_fraction=0.0,
            summarizer="extractive")  # fmt: skip
        home.parts.configuration.load()
        await home.minds.fold(eliza)
        assert eliza.memory.watermark == 4
        (eliza.folder / FILE).rmdir()
        home.minds.put_in_order(eliza)
        assert kept(eliza)[0].references == ("eliza#1",)


async def test_a_name_of_several_words_is_one_subject(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        lived(eliza, heard(eliza, "Moss", "I crossed the Ferry Steps. They say the Ferry Steps have 40 stones."))
        keep_all(eliza)
        assert {one.about for one in kept(eliza)} == {"Ferry Steps"}


async def test_a_fold_keeps_its_facts_first_and_its_summary_after(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        put(
            home.parts.vault, "memory_compaction", strategy="sleep", preserve_entries=2, preserve_fraction=0.0,
            summarizer="extractive",
        )  # fmt: skip
        home.parts.configuration.load()
        eliza = home.agent("Eliza")
        lived(eliza, *(heard(eliza, "Moss", f"Tamsin hid {number} plums in the Boathouse.") for number in range(3, 40)))
        await home.minds.fold(eliza)
        assert eliza.memory.watermark == eliza.memory.total - 2
        entries = kept(eliza)
        assert entries[-1].type == SYNTHESIS
        assert entries[-1].references == (f"eliza#1-{eliza.memory.watermark}",)
        assert eliza.memory.longterm is not None
        assert entries[-1].text == " ".join(eliza.memory.longterm.text.split())
        assert len(entries) == eliza.memory.watermark + 1
        assert eliza.keeper.journal.through("eliza", eliza.memory.total) == eliza.memory.watermark


async def test_other_strategies_keep_no_journal(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        lived(eliza, *(heard(eliza, "Moss", f"Tamsin hid {number} plums.") for number in range(200)))
        await home.minds.fold(eliza)
        assert eliza.memory.watermark
        assert not (eliza.folder / FILE).exists()


SAID = st.sampled_from(
    ["Tamsin has 3 plums", "the Tamsin has 3 plums!", "Tamsin has 4 plums", "I saw Tamsin", "Moss is out"]
)
ENTRIES = st.lists(
    st.builds(
        JournalEntry, text=SAID, source=st.sampled_from(["Moss", "Ann"]), about=st.sampled_from(["Tamsin", "Moss"]),
        references=st.integers(1, 99).map(lambda seq: (f"eliza#{seq}",)),
    ),
    max_size=15,
    unique_by=lambda one: one.references,
)  # fmt: skip


def count(entry: JournalEntry) -> int:
    """Return how many memories an entry refers to."""
    known = [one.replace("eliza#", "").split("-") for one in entry.references if "#" in one]
    more = sum(int(one.split()[0]) for one in entry.references if "#" not in one)
    return more + sum(int(numbers[-1]) - int(numbers[0]) + 1 for numbers in known)


@given(ENTRIES)
@settings(deadline=None)
def test_folding_alike_entries_keeps_every_reference_and_every_different_thing(entries: list[JournalEntry]) -> None:
    lines = [JournalLine(render_entry(one), one) for one in entries]
    changed = alike(lines)
    left = [changed.get(line.raw, line.entry) for line in lines]
    after = [one for one in left if one is not None]
    assert sum(map(count, after)) == len(entries)
    assert {"3" in one.text for one in after if "plums" in one.text} == {
        "3" in one.text for one in entries if "plums" in one.text
    }
    again = [JournalLine(render_entry(one), one) for one in after]
    assert alike(again) == {}
    for found in gathered(again).values():
        assert len(found) > 1


async def test_a_line_that_somebody_wrote_does_not_switch_the_journal_off(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        lived(eliza, heard(eliza, "Moss", "Tamsin owes 12 plums."))
        assert len(keep_all(eliza)) == 1
        path = eliza.folder / FILE
        path.write_text(path.read_text("utf-8") + "- Moss told me of the well (moss#90000)\n", "utf-8")
        lived(eliza, heard(eliza, "Moss", "Corvin sells 3 boats."))
        assert keep_all(eliza)[2:] == ["Corvin sells 3 boats."]


async def test_a_fact_that_comes_again_and_again_stays_one_short_line(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        for number in range(60):
            who = ("Moss", "Tamsin", "Ann", "Bo", "Cy", "Di")[number % 6]
            lived(
                eliza,
                heard(eliza, who, "The mill opens at 7 for Corvin."),
                heard(eliza, "Moss", f"So it goes on for {number} days, says Ulric."),
            )
            eliza.keeper.keep(eliza.memory.read(2 * number + 1, 2 * number + 2))
            home.minds.put_in_order(eliza)
        (mill,) = [one for one in kept(eliza) if "mill" in one.text]
        assert mill.source == "Moss and Tamsin and Ann and Bo and others"
        assert "52 more" in mill.references
        assert len(render_entry(mill)) < 300


def test_what_two_say_of_themselves_is_not_the_same() -> None:
    one = JournalEntry("I will come at 7", source="Moss", references=("eliza#1",))
    lines = [
        JournalLine(render_entry(each), each) for each in (one, replace(one, source="Ann", references=("eliza#2",)))
    ]
    assert alike(lines) == {}
