"""People come in, leave their characters asleep, and come back; nobody gets another's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from mud.clock import VirtualClock
from mud.commands import Outcome
from mud.errors import LociError, Refusal
from mud.server.mind_views import MindReader
from mud.world.changes import Put
from mud.world.roles import Role
from tests.houses import texts_of
from tests.unit.mud.server.lobby import HOME, Lobby, lobby
from tests.vaults import copy_vault


def place_of(hall: Lobby, who: str) -> str | None:
    here = hall.home.engine.world.location_of(who)
    return here.name if here else None


async def test_a_character_sleeps_where_its_person_left_it_and_is_taken_up_there(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann = hall.enter("Ann")
        await hall.type(ann, "north", "quit")
        own = ann.session.own
        assert ann.ended == 1
        assert own in hall.home.engine.world.absent
        again = hall.enter("ann")
        assert again.session.own == own
        assert again.shown[0].startswith("The Lobby")
        assert own not in hall.home.engine.world.asleep


async def test_who_quits_at_one_of_two_doors_stays_at_the_other(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        first, second = hall.enter("Ann"), hall.enter("Ann", door="web")
        await hall.type(first, "say one")
        assert second.last == 'You say, "one"'
        await hall.type(first, "quit")
        assert not second.session.over
        assert "close your eyes" not in second.last
        assert second.session.own not in hall.home.engine.world.asleep
        await hall.type(second, "say two")
        assert first.last != 'You say, "two"'
        await hall.type(second, "quit")
        assert second.session.own in hall.home.engine.world.absent


async def test_an_account_has_so_many_places_and_no_more(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        seats = [hall.enter("Ann") for _ in range(hall.people.settings().sessions_per_account)]
        with pytest.raises(Refusal, match="too many places"):
            hall.enter("Ann")
        await hall.type(seats[0], "quit")
        hall.enter("Ann")


@pytest.mark.parametrize(
    "name",
    ["Bob", "bob", "The Bob", "B\u00f3b", "Воb", "Eliza", "E1iza", "The Garden", "sundial", "Guest 9", "guest", "me"],
)
async def test_no_account_gets_a_name_that_is_anybodys_or_looks_like_it(tmp_path: Path, name: str) -> None:
    async with lobby(tmp_path) as hall:
        local = hall.owner("Bob")
        hall.people.leave(local.session)
        with pytest.raises(LociError):
            hall.people.free_name(name)


async def test_two_new_accounts_cannot_look_alike_before_either_came_in(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        hall.account("Ann Lee")
        for name in ("ann lee", "Ann-Lee", "Аnn Lee"):
            with pytest.raises(LociError):
                hall.people.free_name(name)


async def test_a_character_that_lived_before_its_name_was_registered_is_not_given_away(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        hall.account("Bob")  # registered, and has not come in yet
        local = hall.owner("Bob")
        await hall.type(local, "think my secret")
        hall.people.leave(local.session)
        with pytest.raises(LociError):
            hall.enter("Bob")
        assert hall.accounts.find("Bob").character == ""  # type: ignore[union-attr]


async def test_what_was_made_just_before_a_kill_is_taken_up(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        account = hall.account("Ann")
        own = hall.enter("Ann").session.own
        hall.people.leave_all()
    shutil.rmtree(tmp_path / "vault/log")
    (tmp_path / "vault/world/state.md").unlink(missing_ok=True)
    async with lobby(tmp_path) as hall:  # the character's folder is there, and nothing more
        hall.accounts.write(account)
        assert hall.enter("Ann").session.own == own
        assert hall.accounts.find("Ann").character == own  # type: ignore[union-attr]


@pytest.mark.parametrize("killed", [True, False])
async def test_who_was_in_the_world_when_it_ended_sleeps_there_and_is_taken_up(tmp_path: Path, killed: bool) -> None:
    async with lobby(tmp_path) as hall:
        ann, guest, local = hall.enter("Ann"), hall.enter("Guest"), hall.owner()
        await hall.type(ann, "north", "think one")
        before = texts_of(hall.home.agent("Ann"))
        if not killed:
            hall.people.leave_all()
            assert hall.parts.save() == ""
    async with lobby(tmp_path) as hall:
        world = hall.home.engine.world
        assert place_of(hall, ann.session.own) == "The Lobby"
        assert world.absent == [ann.session.own]
        assert guest.session.own not in world.where
        assert local.session.own not in world.where
        again = hall.enter("Ann")
        assert again.shown[0].startswith("The Lobby")
        assert texts_of(hall.home.agent("Ann")) == before


async def test_each_guest_is_somebody_new_and_goes_away(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        first = hall.enter("Guest")
        await hall.type(first, "say hello", "quit")
        assert first.session.own not in hall.home.engine.world.where
        second = hall.enter("Guest")
        assert second.session.own != first.session.own
        assert [hall.home.agent(f"Guest {n}").id for n in (1, 2)] == [first.session.own, second.session.own]


async def test_the_folder_of_somebody_on_line_may_vanish(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann = hall.enter("Ann")
        await hall.type(ann, "say before")
        shutil.rmtree(hall.home.agent("Ann").folder)
        hall.reloading.changed(frozenset({hall.parts.vault / "agents/ann/agent.md"}))
        await hall.type(ann, "say after")
        await hall.type(ann, "quit")
        hall.reloading.bring_back(hall.home.agent("Ann"))
        again = hall.enter("Ann")
        assert again.session.own == ann.session.own
        await hall.type(again, "say again")
        said = [text for text in texts_of(hall.home.agent("Ann")) if text.startswith("You say")]
        assert said == ['You say, "before"', 'You say, "after"', 'You say, "again"']


async def test_who_was_banned_or_got_another_password_meanwhile_cannot_come_in_with_what_they_have(
    tmp_path: Path,
) -> None:
    async with lobby(tmp_path) as hall:
        had = hall.account("Ann", password="first password")
        hall.account("Ann", password="second password")
        with pytest.raises(Refusal, match="anew"):
            hall.people.enter(had, print)
        hall.accounts.ban_addresses(frozenset({"192.0.2.0/24"}))
        with pytest.raises(Refusal, match="cannot come in"):
            hall.people.enter(hall.accounts.find("Ann"), print, "telnet", HOME)
        with pytest.raises(Refusal, match="cannot come in"):
            hall.people.enter(None, print, "telnet", f"::ffff:{HOME}")


async def test_the_role_is_that_of_today(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        had = hall.account("Ann", Role.OWNER)
        hall.account("Ann", Role.PLAYER)
        assert hall.people.enter(had, lambda message: None).role is Role.PLAYER


async def test_what_the_owner_sees_as_a_character_is_shown_at_no_other_door_of_it(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann, bob = hall.enter("Ann", door="web"), hall.enter("Bob")
        owner = hall.owner("Ann")
        await hall.type(owner, "@memory-status Eliza", "@possess Eliza", "think secret of Eliza")
        await hall.type(bob, "whisper Eliza another secret")
        assert "another secret" in owner.last
        assert not [
            text for text in ann.shown if "secret" in text or text.startswith("Memory of") or "Eliza now" in text
        ]


async def test_a_possession_is_the_owners_and_no_other_door_of_their_character_is_led_by_it(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann, owner = hall.enter("Ann", door="web"), hall.owner("Ann")
        await hall.type(owner, "@possess Eliza", "north")
        assert (await hall.type(ann, "where"))[0].startswith("The Garden")
        for line in ("@save", "@release", "@possess Moss"):
            assert "Only the owner" in (await hall.type(ann, line))[-1]
        assert (await hall.type(owner, "where"))[0].startswith("The Lobby")
        hall.people.leave(owner.session)
        assert hall.parts.minds.resting.possession is None


async def test_who_comes_back_is_told_who_talked_and_who_came_by_but_no_words(tmp_path: Path) -> None:
    async with lobby(tmp_path, clock := VirtualClock()) as hall:
        ann, bob, cid = hall.enter("Ann"), hall.enter("Bob"), hall.enter("Cid")
        await hall.type(ann, "north", "south", "quit")
        clock.advance(60)
        assert not [text for text in ann.shown if "While you were away" in text]
        await hall.type(bob, "say the key is under the mat")
        await hall.type(bob, "whisper Cid and the door is blue")
        await hall.type(cid, "north")
        clock.advance(60)
        again = hall.enter("Ann")
        news = again.last
        assert news == "While you were away: In The Garden, Bob talked, and Cid came by."
        assert hall.people.news.lines(ann.session.own) == [news]
        await hall.type(again, "quit")
        clock.advance(1)
        assert "While you were away" not in hall.enter("Ann").last


async def test_who_comes_back_is_told_what_a_rule_did_where_nobody_came_by(tmp_path: Path) -> None:
    rule = '\n## Rules\n- when examine: after 5 seconds: say "The shadow moves." in The Garden\n'
    item = copy_vault(tmp_path) / "world/items/reading-chair.md"
    item.write_text(item.read_text().partition("## Rules")[0] + rule)
    async with lobby(tmp_path, clock := VirtualClock()) as hall:
        ann, _, cid = hall.enter("Ann"), hall.enter("Bob"), hall.enter("Cid")
        await hall.type(cid, "north", "go library")
        await hall.type(ann, "quit")
        clock.advance(60)
        await hall.type(cid, "examine reading chair")
        clock.advance(60)
        hall.home.engine.elapse()
        assert hall.enter("Ann").last == "While you were away: In The Garden: The shadow moves."


async def test_who_left_before_a_restart_is_told_from_the_ledger(tmp_path: Path) -> None:
    async with lobby(tmp_path, clock := VirtualClock()) as hall:
        ann, bob, _ = hall.enter("Ann"), hall.enter("Bob"), hall.enter("Cid")
        await hall.type(ann, "say hello", "quit")
        clock.advance(60)
        await hall.type(bob, "say a secret")
    async with lobby(tmp_path, clock) as hall:
        clock.advance(60)
        told = hall.enter("Ann").last
        assert told.startswith("While you were away: In The Garden, Bob")
        assert "secret" not in told


def kept_open(hall: Lobby) -> dict[str, int]:
    """Return how many of each thing are there that must not grow with everybody who was ever here."""
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),  # noqa: PTH208  (of this process)
        "minds": len(hall.home.minds.opened()),
        "witnesses": len(hall.home.engine.witnesses),
        "things": len(hall.home.engine.world.things),
        "indexed": len(hall.parts.recall.lives),
    }


async def closed(hall: Lobby) -> None:
    """Let the index have what waits, as it does by itself in a running world, and close what was left."""
    await hall.parts.recall.flush()
    hall.people.close_left()


async def test_guests_who_left_cost_nothing_any_more(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        await hall.type(hall.enter("Guest"), "say hello", "quit")
        await closed(hall)
        before = kept_open(hall)
        for _ in range(4):
            guests = [hall.enter("Guest") for _ in range(10)]
            for guest in guests:
                await hall.type(guest, "say hello", "quit")
            await closed(hall)
        assert kept_open(hall) == before
        assert texts_of(hall.home.agent("Guest 41")).count('You say, "hello"') == 1  # asked for, it is there
        assert len(hall.home.minds.opened()) == before["minds"] + 1
        await closed(hall)
        assert kept_open(hall) == before


async def test_what_a_guest_carried_stays_where_they_left(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        guest = hall.enter("Guest")
        wax = hall.home.engine.world.called("wax tablet")
        assert wax is not None
        hall.home.engine.happen(wax, Outcome("", changes=(Put(wax.id, guest.session.own),)))
        await hall.type(guest, "north", "quit")
        assert hall.home.engine.world.where[wax.id] == hall.home.place("The Lobby")


async def test_who_comes_back_remembers_everything_once(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann, bob = hall.enter("Ann"), hall.enter("Bob")
        await hall.type(bob, "say hello")
        await hall.type(ann, "think first")
        await closed(hall)
        before = kept_open(hall)
        said = list[str]()
        for turn in range(3):
            await hall.type(bob, f"say to you {turn}")
            await hall.type(ann, f"say from me {turn}", f"think of {turn}", "quit")
            said += [f"to you {turn}", f"from me {turn}", f"of {turn}"]
            await closed(hall)
            assert hall.home.minds.by_id(ann.session.own) is None
            await hall.type(bob, "say behind your back", "whisper Ann in your sleep")
            ann = hall.enter("Ann")
            assert hall.home.minds.by_id(ann.session.own) is not None
        await hall.type(ann, "think last")
        await closed(hall)
        assert kept_open(hall) == before
        lived = texts_of(hall.home.agent("Ann"))
        for one in said:
            assert len([text for text in lived if one in text]) == 1
        assert not [text for text in lived if "behind" in text or "in your sleep" in text]
        await hall.type(ann, "north")
        assert texts_of(hall.home.agent("Ann")) != lived


async def test_an_owner_sees_who_is_away_and_may_open_their_minds(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        minds, ann = MindReader(hall.parts), hall.enter("Ann")
        await hall.type(ann, "north", "think of the sea", "quit")
        await closed(hall)
        told = {one["name"]: one for one in minds.everybody()}
        assert (told["Ann"]["memories"], told["Ann"]["place"], told["Ann"]["asleep"]) == (None, "The Lobby", True)
        assert hall.home.minds.by_id(ann.session.own) is None  # nothing was opened for that
        life = await minds.life("ann")
        assert life["memories"] == sum(part["last"] - part["first"] + 1 for part in life["segments"]) > 0
        hits = (await minds.search("ann", "the sea", None))["hits"]
        assert "of the sea" in hits[0]["text"]
        await closed(hall)
        assert hall.home.minds.by_id(ann.session.own) is None


async def test_an_edit_made_while_a_person_was_away_counts_when_they_come_back(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann = hall.enter("Ann")
        file = hall.home.agent("Ann").folder / "agent.md"
        await hall.type(ann, "quit")
        await closed(hall)
        file.write_text(file.read_text("utf-8") + "\n## Description\n\nA tall woman in green.\n", "utf-8")
        again = hall.enter("Ann")
        assert hall.home.engine.world.things[again.session.own].description == "A tall woman in green."


async def test_a_memory_stays_open_until_it_is_written_and_what_was_asked_is_answered(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        hall.home.minds.held.seconds = 60.0  # what a crowd perceives waits
        people = [hall.enter("Guest") for _ in range(12)]
        await hall.type(people[0], "say all of you")
        ann = hall.enter("Ann")
        own = ann.session.own
        await hall.type(ann, "quit")
        hall.people.close_left(asking={own})
        assert hall.home.minds.by_id(own) is not None
        for guest in people:
            await hall.type(guest, "quit")
        await closed(hall)
        assert hall.home.minds.by_id(own) is None
        for guest in people[1:]:
            heard = texts_of(hall.home.minds.open(guest_folder(hall, guest.session.own)))
            assert len([text for text in heard if "all of you" in text]) == 1


def guest_folder(hall: Lobby, who: str) -> str:
    return next(slug for slug, one in hall.home.minds.definitions.items() if one.id == who)


async def test_a_fold_that_was_due_when_a_person_left_is_made_when_they_are_back(tmp_path: Path) -> None:
    async with lobby(tmp_path) as hall:
        ann = hall.enter("Ann")
        await hall.type(ann, *(f"think of {number}" for number in range(150)), "quit")
        await hall.home.minds.folds.settle()
        await closed(hall)
        assert hall.home.minds.by_id(ann.session.own) is None
        await hall.type(hall.enter("Ann"), "think again")
        await hall.home.minds.folds.settle()
        agent = hall.home.agent("Ann")
        assert agent.memory.watermark > 0
        lived = [one.text for one in agent.memory.read(1, agent.memory.total)]
        assert [lived.count(f'You think, "of {number}"') for number in range(150)] == [1] * 150
