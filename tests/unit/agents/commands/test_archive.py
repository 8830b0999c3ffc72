from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.commands.archive import SHOWN_FACTS
from agents.memory.archive import Archive
from agents.memory.journal import SYNTHESIS, JournalEntry
from mud.clock import VirtualClock
from mud.world.events import Perception
from mud.world.roles import Role
from tests.houses import House, house


async def test_a_part_of_the_archive_is_shown_whole_with_when_where_and_who(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, ben = home.enter("Ann"), home.enter("Ben")
        home.type(ben, "say The fin is gone.")
        home.type(ann, "think of the fin | it matters")
        home.type(ann, "go nowhere at all")
        answer = await home.ask(ann, "@archive 1-9")
        at = ann.memory.read(2, 2)[0].at
        lines = answer.reply.splitlines()
        assert lines[0] == "ann#1-4: what Ann remembers word for word, of 4 memories in all."
        assert f'2. {at}, The Garden, Ben (heard): Ben says, "The fin is gone."' in lines[2]
        assert '(thought): You think, "of the fin" (because: it matters)' in lines[3]
        assert "The Garden (did, failed): " in lines[4]
        assert lines[5] == "There are no more: memory 4 is the last."
        assert ann.memory.total == 4, "looking into the archive leaves no memory"


async def test_a_long_part_is_shown_in_pieces_that_say_how_to_go_on_and_join_without_a_gap(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(130):
            home.type(ann, "look" if number % 4 == 0 else f"think of pear {number}")
        ask, seen = "ann#1-130", []
        while ask:
            lines = (await home.ask(ann, f"@archive {ask}")).reply.splitlines()
            assert len(lines) <= 55
            seen += [int(line.split(".")[0]) for line in lines[1:] if line[2:3].isdigit()]
            ask = lines[-1].removeprefix("Go on with @archive ").rstrip(".") if "Go on" in lines[-1] else ""
        assert seen == list(range(1, 131))


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("0-3", "Memories are numbered from 1."),
        ("3-1", "From 3 to 1 runs backwards. (did you mean @archive 1-3?)"),
        ("eliza#9-2", "From 9 to 2 runs backwards. (did you mean @archive eliza#2-9?)"),
        ("7", "Ann has 3 memories; there is no 7."),
        ("all of it", '"all of it" names no memories.'),
        ("9" * 4000, '" names no memories.'),
        ("zeppelin#1", 'Nobody called "zeppelin" has a mind here.'),
        ("moss#1", "Moss has no memories yet."),
    ],
)
async def test_what_there_is_not_is_said_plainly(tmp_path: Path, typed: str, told: str) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(3):
            home.type(ann, f"think of pear {number}")
        home.type(home.agent("Eliza"), "think of a pear", Role.AGENT)
        answer = await home.ask(ann, f"@archive {typed}")
        assert answer.failed
        assert told in answer.reply
        assert len(answer.reply) < 300


async def test_ones_own_is_for_everybody_and_anothers_for_the_owner_alone(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        home.type(eliza, "think of the greenhouse", Role.AGENT)
        for typed in ("2", "eliza#2", f"{eliza.id}#2", "Eliza #1-2"):
            assert "greenhouse" in (await home.ask(eliza, f"@archive {typed}", Role.GUEST)).reply
        assert "greenhouse" in (await home.ask(ann, "@archive ELIZA#2")).reply
        for name in ("eliza", "nobody"):
            refused = await home.ask(ann, f"@archive {name}#1", Role.GUEST)
            assert refused.reply == "Only the owner of this world may look into another's mind."


async def test_memories_that_cannot_be_read_are_named_in_their_place(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(5):
            home.type(ann, f"think of pear {number}")
    path = tmp_path / "vault/agents/ann/archive/0000000001.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(["broken\n" if number in (1, 2, 4) else line for number, line in enumerate(lines)]))
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "think of one more")
        shown = (await home.ask(ann, "@archive 1-9")).reply
        assert "  ann#2-3 cannot be read.\n" in shown
        assert shown.index("pear 0") < shown.index("ann#2-3") < shown.index("pear 3")


async def test_summaries_carry_a_reference_that_shows_what_they_cover(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(70):
            home.type(ann, f"think of pear {number}")
        await home.ask(ann, "@compact-memories")
        text = (ann.folder / "summaries/recent.md").read_text(encoding="utf-8")
        mark = next(line.partition(": ")[2].strip("'\"") for line in text.splitlines() if line.startswith("reference:"))
        assert mark == "ann#1-6"
        assert "pear 5" in (await home.ask(ann, f"@archive {mark}")).reply.splitlines()[-1]


async def test_one_memory_and_one_second_are_not_put_in_the_plural(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "think of pears")
        for line, said in (
            ("@archive 1", "ann#1: what Ann remembers word for word, of 1 memory in all."),
            ("@archive 2", "Ann has 1 memory; there is no 2."),
            ("@memory-history", "Ann: memory 1 of 1, page 1 of 1."),
            ("@edit-interval Moss 1", "From now on Moss thinks every second (agents/moss/agent.md)."),
            ("@show-profile Moss", "Moss thinks with the brain auto every second and speaks in the voice moss"),
        ):
            assert (await home.ask(ann, line)).reply.startswith(said)


def _think(home: House, count: int) -> None:
    ann = home.enter("Ann")
    for number in range(1, count + 1):
        home.type(ann, f"think of pear {number}")


async def test_the_newest_page_is_shown_with_the_way_to_what_was_before(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 120)
        ann = home.agent("Ann")
        lines = (await home.ask(ann, "@memory-history")).reply.splitlines()
        assert lines[0] == "Ann: memories 101 to 120 of 120, page 3 of 3."
        assert len(lines) == 22
        assert lines[-1] == "What was before: @memory-history ann 2"
        assert (await home.ask(ann, "@memory-history ann 1")).reply.count("of pear") == 50


async def test_every_memory_is_on_one_page_whatever_was_folded(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 120)
        ann = home.agent("Ann")
        await home.ask(ann, "@compact-memories")
        pages = [(await home.ask(ann, f"@memory-history {page}")).reply for page in (1, 2, 3)]
        seen = [int(line.split(".")[0]) for page in pages for line in page.splitlines() if line[2:3].isdigit()]
        assert seen == list(range(1, 121))
        folds = [line for page in pages for line in page.splitlines() if "manual_compact" in line]
        assert len(folds) == 1
        assert "ann#1-56 folded; now recent ann#1-56" in folds[0]
        assert pages[2].splitlines()[-2] == folds[0], "it stands behind the memory after which it happened"


async def test_what_waits_for_the_archive_is_part_of_the_life_and_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 3)
        ann = home.agent("Ann")
        folder = ann.folder / "archive"
        folder.rename(tmp_path / "away")
        folder.write_text("a file is in the way")
        ann.memory.close()  # the next write opens the file anew
        ann.memory.append([Perception(ann.id, "thought", "You think of a full disk")], "2026-11-20T07:21:37.123Z", 9)
        assert ann.memory.waiting == 1
        folder.unlink()
        (tmp_path / "away").rename(folder)
        shown = (await home.ask(ann, "@memory-history")).reply
        assert shown.splitlines()[-1].endswith("You think of a full disk (it waits: the archive cannot be written)")
        assert "memories 1 to 4 of 4" in shown
        assert "full disk" in (await home.ask(ann, "@archive 4")).reply


async def test_lines_that_are_no_memories_are_shown_as_what_they_are(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 2)
        home.agent("Ann").memory.close()
        archive = Archive(tmp_path / "vault/agents/ann/archive")
        archive.open(writable=True)
        archive.append_event({"event": "import", "at": "2026-11-20T07:21:37.123Z", "covers": {"first": 1, "last": 2}})
        archive.append_event({"event": "odd", "covers": "nothing"})
        archive.close()
        lines = (await home.ask(home.agent("Ann"), "@memory-history")).reply.splitlines()
        then = datetime(2026, 11, 20, 7, 21, tzinfo=UTC).astimezone()
        assert lines[-2:] == [f"  -- {then:%a} {then.day} {then:%b %H:%M} import: ann#1-2", "  -- ? odd"]


async def test_times_are_those_of_peoples_clocks(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        now = home.parts.clock.now().astimezone()
        _think(home, 70)
        ann = home.agent("Ann")
        await home.minds.fold(ann)
        lines = "\n".join([(await home.ask(ann, f"@memory-history {page}")).reply for page in (1, 2)]).splitlines()
        assert lines[1].startswith(f"  1. {now:%a} {now.day} {now:%b %H:%M}, The Garden (thought): You think")
        (fold,) = [line for line in lines if "manual_compact" in line]
        assert re.match(rf"  -- {now:%a} {now.day} {now:%b} \d\d:\d\d manual_compact: ann#1-6 folded", fold)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("Ann 2", "There is no page 2; the last one of Ann is 1."),
        ("0", "There is no page 0; the last one of Ann is 1."),
        ("moss", "Moss has no memories yet."),
        ("Nobody 3", 'Nobody called "Nobody" has a mind here. (there is: Corvin, Eliza, Moss and Tamsin)'),
    ],
)
async def test_a_page_or_a_mind_that_there_is_not_is_said_plainly(tmp_path: Path, typed: str, told: str) -> None:
    async with house(tmp_path) as home:
        _think(home, 2)
        answer = await home.ask(home.agent("Ann"), f"@memory-history {typed}")
        assert answer.failed
        assert answer.reply == told


async def test_anothers_history_is_for_the_owner_alone(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 2)
        ann = home.agent("Ann")
        refused = await home.ask(ann, "@memory-history Eliza", Role.GUEST)
        assert refused.reply == "Only the owner of this world may look into another's mind."
        assert "of pear 2" in (await home.ask(ann, "@memory-history 1", Role.GUEST)).reply


AT = "2026-01-01T00:00:00.000Z"


async def test_the_journal_is_read_with_where_its_entries_come_from(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        ann.keeper.journal.settle(
            {},
            [
                JournalEntry("Tamsin hid 12 plums", AT, source="Moss", about="Tamsin", references=("ann#3",)),
                JournalEntry("I met Moss", AT, SYNTHESIS, 0.6, 8, references=("ann#1-40",), consolidated=True),
            ],
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
        eliza.keeper.journal.settle({}, [JournalEntry(f"Lamp {number}") for number in range(SHOWN_FACTS + 2)])
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
