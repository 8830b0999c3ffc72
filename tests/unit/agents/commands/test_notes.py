from __future__ import annotations

from pathlib import Path

import pytest

from agents.agent import Agent
from agents.commands.notes import LONGEST_TITLE, SHOWN, SHOWN_KEPT
from mud.clock import VirtualClock
from mud.world.roles import Role
from tests.houses import House, house

DAY = 86_400.0


async def _written(home: House, clock: VirtualClock) -> Agent:
    """Let Ann write two notes on two days."""
    ann = home.enter("Ann")
    await home.ask(ann, "note Sundial -> The fin is missing; ask in the [[Boathouse]] for [[Tamsin]]. | odd")
    clock.advance(2 * DAY)
    await home.ask(ann, "note The Boathouse -> The fin of the [[sundial]] hangs here.")
    await home.ask(ann, "note Sundial -> Four screw holes.")
    clock.advance(3600)
    return ann


async def test_the_list_shows_title_time_and_entries_the_newest_first(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = await _written(home, clock)
        (ann.folder / "notes/old.md").write_text("Mine.\n", encoding="utf-8")
        answer = await home.ask(ann, "notes", Role.AGENT)
        head, *rows = answer.reply.split("\n")
        assert head == "Your notes, the newest first:"
        assert sorted(rows[:2]) == [
            "  Sundial        an hour ago  2 entries",
            "  The Boathouse  an hour ago  1 entry",
        ]
        assert rows[2] == "  old            undated      1 entry"
        kept = ann.memory.tail[-1]
        assert kept.kind == "result"
        assert kept.text.startswith("Your notes: ")
        assert "\n" not in kept.text


async def test_a_note_is_read_with_its_entries_and_links(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = await _written(home, clock)
        boathouse = ann.folder / "notes/the-boathouse.md"
        boathouse.write_text(f"---\naliases: [Boathouse]\n---\n{boathouse.read_text('utf-8')}", encoding="utf-8")
        answer = await home.ask(ann, "notes SUNDIAL", Role.AGENT)
        assert answer.reply.split("\n") == [
            "Sundial",
            "  an hour ago, The Garden: Four screw holes.",
            "  2 days ago, The Garden: The fin is missing; ask in the [[Boathouse]] for [[Tamsin]]. (because: odd)",
            "Links to: The Boathouse.",
            "Not written yet: Tamsin.",
            "Linked from: The Boathouse.",
        ]
        kept = ann.memory.tail[-1]
        assert kept.kind == "result"
        assert kept.text.startswith('Your note "Sundial": Four screw holes. (on 3 January 2026) The fin is missing;')


async def test_what_people_wrote_around_the_entries_is_shown_as_it_stands(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        (ann.folder / "notes").mkdir()
        (ann.folder / "notes/pier.md").write_text(
            "# Pier\n\nMine,\n  and yours.\n\n## Tides\n\nHigh at noon.\n\n## 2025-12-31\n\nOne.\nTwo.\n",
            encoding="utf-8",
        )
        (ann.folder / "notes/shed.md").write_text("# Shed\n", encoding="utf-8")
        shown = (await home.ask(ann, "notes pier")).reply
        assert shown == ("Pier\n  Mine,\n    and yours.\n  Tides\n    High at noon.\n  yesterday:\n    One.\n    Two.")
        assert (await home.ask(ann, "notes shed")).reply == "Shed\n  Nothing stands in it yet."


@pytest.mark.parametrize("command", ["notes", "@note-history"])
@pytest.mark.parametrize(
    ("typed", "failed", "said"),
    [
        ("boat", False, "hangs here"),
        ("sundail", True, "did you mean Sundial?"),
        ("zeppelin", True, 'You have no note "zeppelin".'),
        ("key", True, "Brass Key and Iron Key"),
    ],
)
async def test_a_title_is_found_by_a_part_of_it_and_a_near_one_is_named(
    tmp_path: Path, command: str, typed: str, failed: bool, said: str
) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = await _written(home, clock)
        for title in ("Iron Key", "Brass Key"):
            clock.advance(1)
            await home.ask(ann, f"note {title} -> x")
        answer = await home.ask(ann, f"{command} {typed}", Role.GUEST)
        assert answer.failed is failed
        assert said in answer.reply


async def test_without_notes_it_is_said_how_to_write_one(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        assert "note <title> -> <text>" in (await home.ask(home.enter("Ann"), "notes")).reply


async def test_a_long_list_is_cut_and_so_is_what_is_remembered(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(SHOWN + 3):
            ann.notes.add(f"Note {number}", "word " * 400, "2026-01-01T00:00:00.000Z")
        reply = (await home.ask(ann, "notes")).reply
        assert len(reply.split("\n")) == SHOWN + 2
        assert reply.endswith("  3 more")
        assert f"and {SHOWN + 3 - SHOWN_KEPT} more." in ann.memory.tail[-1].text
        await home.ask(ann, "notes Note 7")
        assert len(ann.memory.tail[-1].text) < 700


async def test_the_history_shows_every_text_with_its_times_and_leaves_no_memory(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = await _written(home, clock)
        assert "never overwritten" in (await home.ask(ann, "@note-history boathouse")).reply
        await home.ask(ann, "@overwrite-note Sundial -> The fin is back.")
        clock.advance(DAY)
        await home.ask(ann, "@overwrite-note Sundial -> The fin is gone again.")
        total = ann.memory.total
        reply = (await home.ask(ann, "@note-history sundial", Role.GUEST)).reply
        assert reply.split("\n") == [
            "Sundial says now:",
            "  just now, The Garden: The fin is gone again.",
            "Overwritten just now (history/sundial-20260104-010000.md); before that it said:",
            "  yesterday, The Garden: The fin is back.",
            "Overwritten yesterday (history/sundial-20260103-010000.md); before that it said:",
            "  yesterday, The Garden: Four screw holes.",
            "  3 days ago, The Garden: The fin is missing; ask in the [[Boathouse]] for [[Tamsin]]. (because: odd)",
        ]
        assert ann.memory.total == total


async def test_the_history_of_a_note_outlives_its_file(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "note Sundial -> one")
        await home.ask(ann, "@overwrite-note Sundial -> two")
        (ann.folder / "notes/sundial.md").unlink()
        reply = (await home.ask(ann, "@note-history Sundial")).reply
        assert reply.startswith("Overwritten just now")
        assert "one" in reply


async def test_another_ones_notes_are_never_shown(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        await home.ask(eliza, "note Secret -> under the pot", Role.AGENT)
        for line in ("notes", "notes Secret", "@note-history Secret"):
            assert "pot" not in (await home.ask(ann, line)).reply


async def test_a_note_is_written_said_and_remembered_once(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        answer = await home.ask(ann, "note Sundial -> The fin is missing. | odd")
        assert "Sundial" in answer.reply
        assert not answer.failed
        (note,) = ann.notes.all()
        assert "The fin is missing." in note.text
        (entry,) = ann.memory.tail
        assert (entry.kind, entry.reason) == ("note", "odd")


async def test_an_overwritten_note_says_the_new_text_alone_and_where_the_old_one_is(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "note Sundial -> The fin is missing.")
        answer = await home.ask(ann, "@overwrite-note sundial -> The fin is back. | found it", Role.GUEST)
        assert "Sundial" in answer.reply
        assert "@note-history Sundial" in answer.reply
        (note,) = ann.notes.all()
        assert "missing" not in note.text
        entry = ann.memory.tail[-1]
        assert (entry.kind, entry.reason) == ("note", "found it")
        assert "@note-history" not in entry.text


async def test_overwriting_what_is_not_there_is_said_as_a_first_note(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        answer = await home.ask(ann, "@overwrite-note Sundial -> The fin is back.")
        assert answer.reply == 'You note under "Sundial": The fin is back.'


@pytest.mark.parametrize("command", ["note", "@overwrite-note"])
async def test_a_new_text_is_found_and_an_overwritten_one_is_not(tmp_path: Path, command: str) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        (ann.folder / "notes").mkdir()
        (ann.folder / "notes/pier.md").write_text("# Pier\n\nA zeppelin lands here.\n", encoding="utf-8")
        await home.minds.catch_up(ann)
        await home.ask(ann, f"{command} Pier -> The ferry goes at noon.")
        for word, found in (("ferry", True), ("zeppelin", command == "note")):
            hits, _ = await home.parts.recall.search(ann.id, word, 5, "notes")
            assert bool(hits) is found


@pytest.mark.parametrize("command", ["note", "@overwrite-note"])
async def test_a_title_that_is_too_long_is_refused(tmp_path: Path, command: str) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        step = home.type(ann, f"{command} {'x' * (LONGEST_TITLE + 1)} -> text")
        assert step.failed
        assert str(LONGEST_TITLE) in step.reply
        assert ann.notes.all() == []


async def test_a_note_that_cannot_be_written_is_refused_in_a_sentence(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        (ann.folder / "notes").write_text("in the way")
        answer = await home.ask(ann, "note Sundial -> The fin is missing.")
        assert answer.failed
        assert "cannot be" in answer.reply


@pytest.mark.parametrize("title", ["[[Anna]]", "[[anna]]", "[[Anna\\|my friend]]", "[[Anna#Today]]"])
async def test_a_title_typed_as_a_link_means_the_note(tmp_path: Path, title: str) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "note Anna -> She sells honey.")
        answer = await home.ask(ann, f"note {title} -> She moved to [[Harrow]].")
        assert answer.reply == 'You note under "Anna": She moved to [[Harrow]].'
        (note,) = ann.notes.all()
        assert note.title == "Anna"
        assert "She sells honey." in (await home.ask(ann, f"notes {title}")).reply
        await home.ask(ann, f"@overwrite-note {title} -> Gone.")
        assert "She sells honey." in (await home.ask(ann, f"@note-history {title}")).reply
        (note,) = ann.notes.all()
        assert "[[" not in note.title


async def test_a_mind_replaces_nothing_in_a_note_and_its_text_stands_on_top(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        (eliza.folder / "notes").mkdir()
        written = "# Sundial\n\nHer maker wrote this.\n\n## 2025-12-24\n\nAnd this.\n"
        (eliza.folder / "notes/sundial.md").write_text(written, encoding="utf-8")
        answer = await home.ask(eliza, "@overwrite-note Sundial -> ha", Role.AGENT)
        assert answer.reply == 'You note under "Sundial": ha'
        (note,) = eliza.notes.all()
        assert [one.text for one in note.sections] == ["Her maker wrote this.", "ha", "And this."]
        assert eliza.notes.versions("Sundial") == []


async def test_what_was_overwritten_is_taken_back_byte_for_byte_and_nothing_is_lost(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "note Sundial -> The fin is missing.")
        path = ann.folder / "notes/sundial.md"
        first = path.read_text("utf-8")
        await home.ask(ann, "@overwrite-note Sundial -> The fin is back.")
        second = path.read_text("utf-8")
        for text, other in ((first, second), (second, first)):
            answer = await home.ask(ann, "@restore-note [[sundial]]", Role.GUEST)
            assert not answer.failed
            assert path.read_text("utf-8") == text
            assert [one.read_text("utf-8") for one in (path.parent / "history").iterdir()] == [other]
        hits, _ = await home.parts.recall.search(ann.id, "back", 5, "notes")
        assert len(hits) == 1
        assert (await home.ask(ann, "@restore-note Nothing")).failed
        assert home.type(ann, "@restore-note Sundial", Role.AGENT).failed
