"""What the map and the panels let somebody know: nothing that the character does not perceive or has not seen."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

from mud.portal.web.play_session import to_json
from mud.portal.web.views import PageViews
from mud.world.roles import Role
from tests.unit.mud.portal.web.stage import served, visiting


async def test_a_player_sees_on_the_map_where_they_have_been_and_an_owner_everything(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as player, visiting(world) as owner:
        await world.account("Ben")
        await player.come_in("Ben")
        await owner.come_as_owner()
        everywhere = {one.name for one in world.home.engine.world.locations()}
        async with player.desk(view="map") as ben, owner.desk(view="map") as ann:
            await ben.until(lambda: "chart" in ben.parts)
            await ann.until(lambda: "chart" in ann.parts)
            assert {name for _, name, *_ in ben.parts["chart"][0]} == {"The Garden"}
            assert {name for _, name, *_ in ann.parts["chart"][0]} == everywhere
            await ben.until(lambda: {name for name, *_ in ben.people.values()} == {"Ann", "Ben", "Eliza"})
            assert {"Moss", "Corvin", "Tamsin"} <= {name for name, *_ in ann.people.values()}
            eliza, lobby = world.home.agent("Eliza"), world.home.place("The Lobby")
            world.home.type(eliza, "go north", Role.AGENT)
            await ann.until(lambda: ann.people[eliza.id][1] == lobby)
            await ben.until(lambda: eliza.id not in ben.people)
            assert "went" not in ben.parts  # nobody is followed to where one has never been
            await ben.type("north")
            await ben.until(lambda: len(ben.parts["chart"][0]) == 2)
            world.home.type(eliza, "say Here is the lobby.", Role.AGENT)
            heard = [eliza.id, lobby, "Here is the lobby.", True]
            await ben.until(lambda: heard in ben.said)
            await ann.until(lambda: heard in ann.said)
            world.home.type(eliza, "go south", Role.AGENT)
            await ben.until(lambda: [eliza.id, world.home.place("The Garden")] in ben.parts.get("went", []))
            world.home.type(eliza, "say Nobody hears me but an owner.", Role.AGENT)
            await ann.until(lambda: any("Nobody hears me" in text for _, _, text, _ in ann.said))
            await ben.type("say And me?")
            await ben.until(lambda: any("And me?" in text for _, _, text, _ in ben.said))
            assert not any("Nobody hears me" in text for _, _, text, _ in ben.said)


async def test_no_page_of_another_shows_whispers_private_reasons_or_far_places(tmp_path: Path) -> None:
    """People and an agent walk, speak, whisper and think in one house; each page holds only what its own may know."""
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(served(tmp_path))
        people = ("Ben", "Cleo", "Dan")
        desks = {}
        for name in people:
            await world.account(name)
            browser = await stack.enter_async_context(visiting(world))
            await browser.come_in(name)
            desks[name] = [await stack.enter_async_context(browser.desk(view=view)) for view in ("play", "map")]
            await desks[name][0].hears("The Garden")
        chance, there, agent = Random(7), world.home.engine.world, world.home.agent("Eliza")
        ids = {name: world.character(name) for name in people}
        secrets: dict[str, set[str]] = {name: set() for name in people}
        unseen: dict[str, set[str]] = {name: set() for name in people}
        for number in range(120):
            actor = chance.choice([*people, "Eliza"])
            who = agent.id if actor == "Eliza" else ids[actor]
            here = there.location_of(who)
            assert here is not None
            word = f"word{number:03d}"
            others = [one.name for one in there.people(here.id) if one.id != who and one.name in people]
            line = chance.choice(
                [f"go {chance.choice(here.exits).name}", f"say {word}", f"emote {word}", f"say hello | {word}"]
                + [f"whisper {other} = {word}" for other in others]
            )
            if actor == "Eliza":
                world.home.type(agent, line, Role.AGENT)
            else:
                (session,) = world.people.sessions.of(ids[actor])
                session.type(line)
            for name in people:
                near = there.location_of(ids[name])
                if name == actor:
                    continue
                private = line.startswith("whisper") and f"whisper {name} =" not in line
                if private or "|" in line or near is None or near.id != here.id:
                    secrets[name].add(word)
            for name in people:
                been = there.visited(ids[name])
                unseen[name] = {one.name for one in there.locations() if one.id not in been}
            await asyncio.sleep(0)
        for name, (play, chart) in desks.items():
            for desk in (play, chart):
                await desk.type(f"say {name} is done")
                await desk.hears(f"{name} is done")
            shown = json.dumps([play.story, chart.story, chart.said])
            assert [word for word in secrets[name] if word in shown] == []
            assert any(f"word{number:03d}" in shown for number in range(120))
            drawn = json.dumps([play.parts["chart"][0], chart.parts["chart"][0], play.parts["place"]["ways"]])
            assert [place for place in unseen[name] if f'"{place}"' in drawn] == []


async def test_who_is_an_owner_no_more_sees_no_more_than_a_player(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser, visiting(world) as owner:
        await world.account("Olive", Role.OWNER)
        await browser.come_in("Olive")
        await owner.come_as_owner()
        async with browser.desk(view="map") as olive, owner.desk() as ann:
            await olive.until(lambda: "Moss" in [name for name, *_ in olive.people.values()])
            await ann.type("@role Olive player")
            await ann.hears("Olive")
            await olive.until(lambda: "Moss" not in [name for name, *_ in olive.people.values()])
            assert {name for _, name, *_ in olive.parts["chart"][0]} == {"The Garden"}


async def test_who_sleeps_is_shown_nobody(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Ben")
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            await desk.type("sleep")
            await desk.until(lambda: desk.parts["place"]["asleep"])
            assert desk.parts["place"]["people"] == []
            (session,) = world.people.sessions.of(world.character("Ben"))
            views = PageViews(world.portal)
            assert '"Eliza"' not in to_json(views.map(session)["each_person"])
