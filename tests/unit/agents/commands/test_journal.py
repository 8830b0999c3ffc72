from __future__ import annotations

from pathlib import Path

from agents.commands.archive import SHOWN_FACTS
from agents.memory.journal_form import SYNTHESIS, JournalEntry
from mud.clock import VirtualClock
from mud.world.roles import Role
from tests.houses import house

AT = "2026-01-01T00:00:00.000Z"


async def test_the_journal_is_read_with_where_its_entries_come_from(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        ann.keeper.journal.keep(
            [
                JournalEntry("Tamsin hid 12 plums", AT, source="Moss", about="Tamsin", references=("ann#3",)),
                JournalEntry("I met Moss", AT, SYNTHESIS, 0.6, 8, references=("ann#1-40",), consolidated=True),
            ]
        )
        path = ann.folder / "journal.md"
        path.write_text(path.read_text("utf-8") + "- Moss owes me a boat\n", "utf-8")
        clock.advance(7300)
        answer = await home.ask(ann, "@journal", Role.GUEST)
        assert answer.reply.splitlines() == [
            "Your journal, the newest last:",
            "  2 hours ago: Tamsin hid 12 plums (from Moss; direct, trust 0.9, importance 5; ann#3)",
            "  2 hours ago: I met Moss (context_synthesis, trust 0.6, importance 8; ann#1-40; in a note)",
            "  Moss owes me a boat (direct, trust 0.9, importance 5)",
        ]
        assert ann.memory.total == 0, "it leaves no memory"


async def test_the_owner_may_read_anybodys_and_others_only_their_own(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        eliza.keeper.journal.keep([JournalEntry(f"Lamp {number}") for number in range(SHOWN_FACTS + 2)])
        lines = (await home.ask(ann, "@journal Eliza")).reply.splitlines()
        assert lines[:2] == ["The journal of Eliza, the newest last:", "(and 2 older ones)"]
        assert len(lines) == SHOWN_FACTS + 2
        refused = home.type(eliza, "@journal Ann", Role.GUEST)
        assert refused.reply == "Only the owner of this world may look into another's mind."


async def test_a_journal_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        (ann.folder / "journal.md").mkdir()
        answer = await home.ask(ann, "@journal")
        assert answer.failed
        assert answer.reply.startswith("journal.md: this is no ordinary file")
