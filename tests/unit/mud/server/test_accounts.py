"""What the owner does with accounts holds at once, and a password stays with who typed it."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from mud.errors import Refusal
from mud.storage.accounts import AccountFiles
from mud.world.roles import Role
from tests.unit.mud.server.lobby import HOME, lobby

SECRET = "plum tree 77"


def kept(folder: Path) -> str:
    """Return all that a vault holds in its files."""
    return "".join(path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


async def test_the_owner_sees_who_is_here_by_which_door_and_who_was(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner = hall.owner()
        assert (await hall.type(owner, "@accounts"))[0].startswith("There are no accounts yet")
        bob = hall.enter("Bob", Role.BUILDER)
        await hall.type(bob, "quit")
        hall.account("Cid")
        hall.enter("Ann")
        hall.enter("Ann", door="web", address="2001:db8::1")
        hall.enter("Guest", door="web")
        await hall.type(owner, "@ban 203.0.113.0/24", "@password", SECRET, SECRET)
        assert (await hall.type(owner, "@accounts"))[0].splitlines() == [
            f"Ann: player, on line by telnet ({HOME}) and web (2001:db8::1)",
            "Olive: owner, on line by the terminal",
            "Bob: builder, last seen 2026-01-01 00:00 UTC",
            "Cid: player, never came in",
            f"Guest 1: guest, on line by web ({HOME})",
            "Banned addresses: 203.0.113.0/24",
        ]


async def test_an_account_is_made_with_a_password_that_is_typed_in_private(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner = hall.owner()
        asked = await hall.type(owner, "@accounts new Dora", SECRET, SECRET)
        assert asked[-1].startswith("Dora is a player now")
        assert (await hall.people.authenticator.login(HOME, "dora", SECRET)).role is Role.PLAYER
        assert "taken" in (await hall.type(owner, "@accounts new DORA"))[0]
        assert "Nothing was changed" in (await hall.type(owner, "@accounts new Finn", ""))[-1]
        assert hall.accounts.find("Finn") is None
        assert "@accounts new NAME" in (await hall.type(owner, "@accounts nonsense"))[0]


async def test_the_owner_of_the_terminal_gets_an_account_of_their_own(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner = hall.owner("Olive")
        assert "role owner" in (await hall.type(owner, "@password", SECRET, SECRET))[-1]
        account = await hall.people.authenticator.login(HOME, "olive", SECRET)
        hall.people.leave(owner.session)
        assert owner.session.own in hall.home.engine.world.absent
        again = hall.enter("Olive")
        assert again.session.own == owner.session.own == account.character
        assert again.session.role is Role.OWNER
        assert "new password" in (await hall.type(again, "@password", SECRET, SECRET * 2, SECRET * 2))[-1]
        local = hall.owner("Olive")
        assert "new password" in (await hall.type(local, "@password", SECRET, SECRET))[-1]
        assert again.session.over  # who may have come in with the old one comes in anew


async def test_who_has_a_password_changes_it_with_the_old_one_and_the_owner_without(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner, _ = hall.owner(), hall.account("Ann", password=SECRET)
        ann, other = hall.enter("Ann"), hall.enter("Ann", door="web")
        assert (await hall.type(ann, "@password", SECRET, "a new one", "a new one"))[-1] == "Ann has a new password."
        assert other.last == "Your password was changed; come in with the new one."
        assert (other.ended, ann.session.over) == (1, False)
        await hall.type(owner, "@password Ann", "by the owner", "by the owner")
        assert ann.session.over
        assert (await hall.people.authenticator.login(HOME, "Ann", "by the owner")).name == "Ann"


async def test_guessing_the_old_password_at_somebodys_keyboard_is_slowed(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        hall.account("Ann", password=SECRET)
        ann = hall.enter("Ann")
        told = await hall.type(ann, "@password", *(f"guess {n}" for n in range(6)), "")
        assert sum("do not belong" in text for text in told) == hall.people.settings().free_logins
        assert "too many tries" in told[-3]
        assert told[-1] == "Nothing was changed."


async def test_a_password_that_will_not_do_is_asked_for_again_and_never_taken_for_a_command(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner = hall.owner()
        tries = ("short", SECRET, SECRET + "!", SECRET, SECRET)
        told = "\n".join(await hall.type(owner, "@accounts new Finn", *tries))
        assert "8 to 128" in told
        assert "not the same" in told
        assert "Finn is a player now" in told
        finn = hall.enter("Finn")
        told = "\n".join(await hall.type(finn, "@password", "a wrong one", SECRET, "a new one", "a new one"))
        assert "do not belong together" in told
        assert "Finn has a new password" in told
        assert "no command" not in told


async def test_no_password_reaches_a_file_a_memory_a_log_or_another(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with lobby(tmp_path) as hall:
        owner, ann, guest = hall.owner(), hall.enter("Ann"), hall.enter("Guest")
        hall.account("Bob")
        for seat in (owner, ann, guest):
            for line in (f"@password {SECRET}", f"passwd {SECRET}", f"@PASSWORD | {SECRET}", f"@passwd Bob {SECRET}"):
                await hall.type(seat, line)
                if seat.session.private:
                    await hall.type(seat, "")
        await hall.type(owner, "@password Bob", SECRET, SECRET)
        await hall.type(owner, "@accounts new Cid", SECRET, SECRET)
        await hall.type(owner, "@password", SECRET, SECRET)
        hall.people.leave_all()
        hall.parts.save()
        assert SECRET not in "".join(owner.shown + ann.shown + guest.shown)
    assert SECRET not in kept(tmp_path) + caplog.text
    assert '"@password Bob"' in kept(tmp_path / "vault/log")


async def test_a_new_role_holds_at_once_and_what_the_old_one_had_taken_is_given_back(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner, ann = hall.owner(), hall.enter("Ann")
        assert "Only the owner" in (await hall.type(ann, "@save"))[0]
        assert (await hall.type(owner, "@role ann OWNER"))[0] == "Ann has the role owner now."
        assert ann.last == "Your role is owner now."
        assert (await hall.type(ann, "@save"))[0].startswith("Saved")
        await hall.type(ann, "@possess Eliza", "think of mine")
        assert ann.session.who == hall.home.agent("Eliza").id
        await hall.type(owner, "@role Ann player")
        assert ann.session.who == ann.session.own
        assert hall.parts.minds.resting.possession is None
        assert "Only the owner" in (await hall.type(ann, "@release"))[0]
        assert AccountFiles(hall.parts.vault).load() == []
        assert hall.accounts.find("Ann").role is Role.PLAYER  # type: ignore[union-attr]


async def test_what_was_asked_as_an_owner_is_not_done_when_one_is_none_any_more(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner, ann = hall.owner(), hall.enter("Ann", Role.OWNER)
        hall.account("Bob", password=SECRET)
        await hall.type(ann, "@password Bob", "a new one")
        assert ann.session.private
        await hall.type(owner, "@role Ann player")
        assert (await hall.type(ann, "a new one"))[-1] == "Nothing was changed."
        owner.session.type("@role Ann owner")
        owner.session.type("@role Ann player")
        ann.session.type("@role Bob owner")  # before the role is given
        await asyncio.gather(*hall.asked)
        assert (await hall.people.authenticator.login(HOME, "Bob", SECRET)).role is Role.PLAYER


async def test_a_role_is_one_that_accounts_have(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner, _ = hall.owner(), hall.account("Ann")
        for line in ("@role Ann wizard", "@role Ann agent", "@role Ann guest", "@role player", "@role Ann"):
            assert "player, builder and owner" in (await hall.type(owner, line))[0]


async def test_who_is_kicked_is_gone_and_may_come_back(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner, ann, guest = hall.owner(), hall.enter("Ann"), hall.enter("Guest")
        ann.session.type("recall anything")  # its answer comes later
        owner.session.type("@kick ann")
        await asyncio.gather(*hall.asked)
        assert ann.last == "You were sent away by the owner of this world."
        assert ann.ended == 1
        assert ann.session.own in hall.home.engine.world.absent
        assert (await hall.type(owner, "@kick Guest 1"))[-1] == "Guest 1 was sent away."
        assert guest.session.over
        assert "not here over" in (await hall.type(owner, "@kick Ann"))[0]
        assert "not here over" in (await hall.type(owner, "@kick Olive"))[0]
        assert not hall.enter("Ann").session.over


async def test_who_is_banned_is_gone_and_stays_out_until_unbanned(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner, _ = hall.owner(), hall.account("Ann", password=SECRET)
        ann, guest = hall.enter("Ann"), hall.enter("Guest", address="203.0.113.7")
        await hall.type(owner, "@ban Ann")
        assert ann.ended == 1
        with pytest.raises(Refusal, match="do not belong together"):
            await hall.people.authenticator.login(HOME, "Ann", SECRET)
        assert "@ban 203.0.113.7" in (await hall.type(owner, "@ban Guest 1"))[0]
        await hall.type(owner, "@ban 203.0.113.7")
        assert guest.ended == 1
        with pytest.raises(Refusal, match="from there"):
            await hall.people.authenticator.login("::ffff:203.0.113.7", "Ann", SECRET)
        assert AccountFiles(hall.parts.vault).load() == []
        assert await hall.type(owner, "@unban Ann", "@unban 203.0.113.7") == [
            "Ann can come in again.", "203.0.113.7 can come in again.",
        ]  # fmt: skip
        assert "not banned" in (await hall.type(owner, "@unban Ann"))[0]
        assert (await hall.people.authenticator.login("203.0.113.7", "Ann", SECRET)).name == "Ann"


async def test_an_owner_cannot_shut_themselves_out(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann = hall.enter("Ann", Role.OWNER)
        for line in (
            "@role Ann player",
            "@kick Ann",
            "@ban Ann",
            f"@ban {HOME}",
            "@ban 192.0.2.0/24",
            "@ban 0.0.0.0/0",
        ):
            assert await hall.type(ann, line) == ["That would shut yourself out."]


async def test_an_address_for_a_browser_is_for_the_owner_who_started_the_world(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner, ann = hall.owner(), hall.enter("Ann", Role.OWNER)
        assert "The web is not open here" in (await hall.type(owner, "@web"))[0]
        hall.people.doors.owner_address = lambda: "http://127.0.0.1:8000/?token=x"
        assert (await hall.type(owner, "@web"))[0].endswith("/?token=x")
        assert "with your name and your password" in (await hall.type(ann, "@web"))[0]
        assert "Only the owner" in (await hall.type(hall.enter("Bob"), "@web"))[0]


async def test_who_is_meant_and_is_not_there_is_said(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner, _ = hall.owner(), hall.account("Annabel")
        for line in ("@role Anabel player", "@ban Anabel", "@unban Anabel"):
            assert "did you mean Annabel?" in (await hall.type(owner, line))[0]


async def test_a_disk_that_takes_nothing_changes_nothing(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner, ann = hall.owner(), hall.enter("Ann")
        folder = hall.parts.vault / "accounts"
        folder.rename(folder.with_name("moved"))
        folder.write_text("in the way")
        for line in ("@role Ann owner", "@ban Ann", "@ban 203.0.113.7"):
            assert "could not be written" in (await hall.type(owner, line))[0]
        assert ann.session.role is Role.PLAYER
        await hall.type(ann, "quit")  # when one was seen last is no reason to stay
        assert ann.session.over


async def test_a_token_is_shown_once_to_who_gives_the_password_and_is_kept_nowhere(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        hall.account("Ann", password=SECRET)
        ann = hall.enter("Ann")
        shown = await hall.type(ann, "@token", "not this one", SECRET)
        token = shown[-1].rpartition(" ")[2]
        assert shown[-1] == f"A token for Ann, shown this once; a program that brings it acts as Ann: {token}"
        door = hall.people.authenticator
        assert door.by_token(token).name == "Ann"
        hall.home.parts.save()
        assert token not in kept(tmp_path)
        assert "loci-" not in kept(tmp_path)
        again = (await hall.type(ann, "@token", SECRET))[-1].rpartition(" ")[2]
        with pytest.raises(Refusal, match="not known"):
            door.by_token(token)
        assert "No program" in (await hall.type(ann, "@token off"))[-1]
        for wrong in (again, "", token, "\ud800"):
            with pytest.raises(Refusal, match="not known"):
                door.by_token(wrong)


async def test_only_an_owner_makes_a_token_for_somebody_else(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        owner = hall.owner()
        assert "no token for you" in (await hall.type(owner, "@token"))[-1]
        for name in ("Ann", "Bob"):
            hall.account(name, password=SECRET)
        door = hall.people.authenticator
        token = (await hall.type(owner, "@token ann"))[-1].rpartition(" ")[2]
        assert door.by_token(token).name == "Ann"
        bob = hall.enter("Bob")
        await hall.type(bob, "@token Ann", SECRET)
        await hall.type(bob, "@token Ann off")
        assert door.by_token(token).name == "Ann"
        assert "no account" in (await hall.type(owner, "@token Nobody"))[-1]
        await hall.type(owner, "@token Ann off")
        with pytest.raises(Refusal, match="not known"):
            door.by_token(token)


async def test_a_new_password_and_a_ban_end_a_token(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        account, door = hall.account("Ann", password=SECRET), hall.people.authenticator
        first = door.new_token(account)
        await door.set_password("Ann", SECRET)
        with pytest.raises(Refusal, match="not known"):
            door.by_token(first)
        account = hall.accounts.find("Ann") or account
        second = door.new_token(account)
        assert AccountFiles(hall.parts.vault).load() == []
        await hall.type(hall.owner(), "@ban Ann")
        with pytest.raises(Refusal, match="not known"):
            door.by_token(second)
