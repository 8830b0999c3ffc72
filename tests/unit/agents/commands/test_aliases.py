"""`alias` and `unalias`, as people type them at a door."""

from __future__ import annotations

from pathlib import Path

import pytest

from mud.server.checks import check_files
from mud.storage.aliases import MOST
from mud.world.roles import Role
from tests.unit.mud.server.lobby import lobby


async def test_an_alias_is_carried_out_and_the_ledger_holds_the_whole_line(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann = hall.enter("Ann")
        assert await hall.type(ann, "alias hi = say Hello, $*!") == ["hi now stands for: say Hello, $*!"]
        assert (await hall.type(ann, "hi Eliza"))[0] == 'You say, "Hello, Eliza!"'
        [record] = [one for one in hall.parts.ledger.after(0) if one["line"] and "Hello, Eliza" in one["line"]]
        assert record["line"] == "say Hello, Eliza!"
        assert await hall.type(ann, "alias") == ["hi = say Hello, $*!"]


async def test_aliases_are_everybodys_own_and_outlast_the_program(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        await hall.type(hall.enter("Ann"), "alias gn = go north")
        assert (await hall.type(hall.enter("Bob"), "gn"))[0].startswith('There is no command "gn".')
    async with lobby(tmp_path) as hall:
        assert "The Lobby" in (await hall.type(hall.enter("Ann"), "gn"))[0]


async def test_an_edited_file_counts_at_once(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann = hall.enter("Ann")
        (hall.parts.vault / "agents/ann/aliases.md").write_text("**gn**: go north\n**a b**: x\n", "utf-8")
        assert await hall.type(ann, "alias gn") == [
            "gn = go north\nagents/ann/aliases.md:2: a b: this is no name for an alias; "
            "expected one word of at most 20 letters and digits"
        ]
        assert "The Lobby" in (await hall.type(ann, "gn"))[0]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("alias look = quit", "look is a command already; an alias needs a name of its own."),
        ("alias X = quit", "X is a command already; an alias needs a name of its own."),
        ("alias n = quit", "n is a command already; an alias needs a name of its own."),
        ("alias a b = look", '"a b" is no name for an alias; it is one word of at most 20 letters and digits.'),
        ("alias = look", '"" is no name for an alias; it is one word of at most 20 letters and digits.'),
        ("alias pw = passwd hunter2", "A password is typed only when it is asked for."),
        ("alias gs =", "For what is gs to stand? (unalias gs)"),
        (f"alias gs = {'x' * 500}", "An alias stands for at most 400 characters."),
        ("alias gs", 'You have no alias "gs".'),
        ("unalias gs", 'You have no alias "gs".'),
    ],
)
async def test_what_cannot_be_an_alias_is_refused_and_writes_nothing(tmp_path: Path, line: str, why: str) -> None:
    async with lobby(tmp_path) as hall:
        [told] = await hall.type(hall.enter("Ann"), line)
        assert told.startswith(why)
        assert not (hall.parts.vault / "agents/ann/aliases.md").exists()


async def test_an_alias_is_removed_and_there_are_only_so_many(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann = hall.enter("Ann")
        await hall.type(ann, *(f"alias a{number} = look" for number in range(MOST)))
        assert await hall.type(ann, "alias more1 = look") == [f"You have {MOST} aliases; remove one first."]
        assert await hall.type(ann, "unalias A0", "alias more1 = look") == [
            "A0 stands for nothing any more.", "more1 now stands for: look",
        ]  # fmt: skip


async def test_an_alias_gives_no_rights(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann = hall.enter("Ann", Role.PLAYER)
        assert (await hall.type(ann, "alias s1 = @save", "s1"))[1] == "Only the owner of this world may use @save."
        assert (await hall.type(hall.enter("Guest"), "alias s1 = look"))[0].startswith("Only people with an account")


async def test_check_names_an_alias_that_is_called_like_a_command(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        hall.enter("Ann")
        vault = hall.parts.vault
        (vault / "agents/ann/aliases.md").write_text("**think**: look\n", "utf-8")
        assert "agents/ann/aliases.md:1: think: a command is called so; expected another name" in map(
            str, check_files(vault)
        )
