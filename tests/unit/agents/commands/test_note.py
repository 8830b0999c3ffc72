from __future__ import annotations

from pathlib import Path

import pytest

from agents.commands.notes import LONGEST_TITLE
from mud.world.roles import Role
from tests.houses import house


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
            hits, _ = await home.minds.search(ann, word, 5, "notes")
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
        hits, _ = await home.minds.search(ann, "back", 5, "notes")
        assert len(hits) == 1
        assert (await home.ask(ann, "@restore-note Nothing")).failed
        assert home.type(ann, "@restore-note Sundial", Role.AGENT).failed
