from __future__ import annotations

from pathlib import Path

from agents.commands.note import LONGEST_TITLE
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


async def test_a_title_that_is_too_long_is_refused(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        step = home.type(ann, f"note {'x' * (LONGEST_TITLE + 1)} -> text")
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
