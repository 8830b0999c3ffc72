from __future__ import annotations

from pathlib import Path

import pytest

from mud.world.roles import Role
from tests.houses import house


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
