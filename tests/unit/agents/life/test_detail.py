"""Level of detail: whom no person can perceive lives coarser, and all of it is true; near a person nothing changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from agents.life.detail import Detail
from agents.life.scheduler import FIRST_WITHIN, Scheduler, SchedulerConfig
from agents.llm.backends.scripted import ScriptedModel
from mud.clock import VirtualClock
from mud.engine.engine import Engine, Step
from mud.server.requests import carry_out
from mud.server.wiring import load_brains
from mud.world.changes import FallAsleep, Put
from mud.world.channels import JoinChannel
from mud.world.roles import Role
from tests.houses import House, house, soon
from tests.settings import put
from tests.vaults import copy_vault, without_vectors
from tests.worlds import ANN, CELLAR, ELIZA, GARDEN, HERON, LIBRARY, LOBBY, LOFT, MOSS, make_engine

HOUR = 3600.0
PLACES = [GARDEN, LOBBY, LIBRARY, LOFT, CELLAR]


def watching(engine: Engine, led: str = "") -> Detail:
    return Detail(engine, lambda: led)


def watched(engine: Engine, led: str = "") -> list[str]:
    return [who for who in (ELIZA, MOSS) if watching(engine, led).is_watched(who)]


def at(engine: Engine, **places: str) -> Engine:
    ids = {"ann": ANN, "eliza": ELIZA, "moss": MOSS}
    engine.world.apply([Put(ids[name], place) for name, place in places.items()])
    return engine


# ---- whom a person perceives ----


def test_who_is_in_the_place_of_a_person_or_next_door_to_it_is_watched() -> None:
    assert watched(at(make_engine(), ann=GARDEN, eliza=GARDEN, moss=LIBRARY)) == [ELIZA]
    assert watched(at(make_engine(), ann=GARDEN, eliza=LOBBY, moss=LIBRARY)) == [ELIZA]
    assert watched(at(make_engine(), ann=LOFT, eliza=LOBBY, moss=LOFT)) == [MOSS]


def test_a_person_behind_a_way_that_leads_there_alone_hears_them_and_is_not_heard() -> None:
    assert watched(at(make_engine(), ann=CELLAR, eliza=GARDEN, moss=LIBRARY)) == [ELIZA]
    assert watched(at(make_engine(), ann=GARDEN, eliza=CELLAR, moss=LIBRARY)) == []


def test_a_person_asleep_or_away_and_an_animal_watch_nobody() -> None:
    engine = at(make_engine(), ann=GARDEN, eliza=GARDEN, moss=LIBRARY)
    engine.world.apply([FallAsleep(ANN), Put(HERON, LIBRARY)])
    assert watched(engine) == []
    engine = at(make_engine(), eliza=GARDEN)
    engine.leave(engine.world.things[ANN])
    assert watched(engine) == []


def test_who_is_on_a_channel_with_a_person_is_watched_wherever_they_are() -> None:
    engine = at(make_engine(), ann=GARDEN, eliza=LOFT, moss=LOFT)
    engine.world.apply([JoinChannel("news", ANN), JoinChannel("news", MOSS), JoinChannel("gossip", ELIZA)])
    assert watched(engine) == [MOSS]


def test_a_character_that_the_owner_leads_is_a_person_to_the_others() -> None:
    engine = at(make_engine(), ann=CELLAR, eliza=LOFT, moss=LOFT)
    assert watched(engine) == []
    assert watched(engine, led=MOSS) == [ELIZA, MOSS]


@given(st.lists(st.sampled_from(PLACES), min_size=3, max_size=3), st.booleans())
def test_a_person_has_in_sight_all_those_and_only_those_who_are_watched(places: list[str], both: bool) -> None:
    engine = at(make_engine(), ann=places[0], eliza=places[1], moss=places[2])
    engine.world.apply([JoinChannel("news", one) for one in (ANN, MOSS) if both])
    assert {*watching(engine).in_sight_of(ANN)} - {ANN} == {*watched(engine)}


# ---- walks in one step ----


def test_a_walk_that_nobody_sees_goes_all_the_way() -> None:
    engine = at(make_engine(), ann=CELLAR, eliza=LOBBY)
    assert watching(engine).walk(ELIZA, "go The Loft | I like the dark") == "go The Loft | I like the dark"


def test_a_walk_ends_where_it_comes_into_sight_of_a_person() -> None:
    engine = at(make_engine(), ann=LOFT, eliza=GARDEN)
    assert watching(engine).walk(ELIZA, "go The Loft") == "go The Library"
    assert watching(at(engine, eliza=LOBBY)).walk(ELIZA, "go The Loft | dust") == "go north | dust"
    assert watching(at(engine, eliza=LIBRARY)).walk(ELIZA, "go The Loft") == "go ladder"


def test_what_is_no_walk_to_a_location_is_left_as_it_is() -> None:
    detail = watching(at(make_engine(), ann=LOFT, eliza=GARDEN))
    for line in ("go north", "go gate", "go nowhere", "say go The Loft", "go The Garden"):
        assert detail.walk(ELIZA, line) == line


@given(st.sampled_from(PLACES[:4]), st.sampled_from(PLACES), st.sampled_from(PLACES))
def test_no_walk_of_several_steps_passes_a_person(start: str, goal: str, person: str) -> None:
    engine = at(make_engine(), eliza=start, ann=person)
    seen = watching(engine).is_watched(ELIZA)
    step = engine.step(ELIZA, watching(engine).walk(ELIZA, f"go {engine.world.things[goal].name}"), Role.AGENT)
    if not step.failed:
        moves = [event for event in step.events if event.kind == "departure"]
        assert len(moves) == 1 if seen else all(move.location != person for move in moves)


# ---- agents who live by instinct ----


@asynccontextmanager
async def town(folder: Path, seed: int = 1, **own: float) -> AsyncIterator[tuple[House, Scheduler]]:
    """Open the shipped vault without anybody in it but its agents, who begin to live."""
    put(without_vectors(copy_vault(folder)), "thinking", coarse_from=0, **own)
    async with house(folder, VirtualClock()) as home:
        parts, chance = home.parts, Random(seed)
        how = (load_brains, home.voice, parts.queue, parts.prompting, chance, parts.clock, "instinct")
        living = Scheduler(home.minds, home.engine, SchedulerConfig(*how), home.submitted.append)
        home.engine.observe(living.observe)
        for agent in home.minds.opened():
            living.begin(agent)
        yield home, living


async def live(home: House, living: Scheduler, seconds: float) -> list[Step]:
    """Let so much time pass; return what agents did. What they ask for is answered, and due folds are made."""
    clock, done = home.parts.clock, len(home.submitted)
    assert isinstance(clock, VirtualClock)
    before, end = done, clock.monotonic() + seconds
    while living.due is not None and living.due <= end:
        clock.advance(max(0.0, living.due - clock.monotonic()))
        await living.take_turn()
        for request in [request for step in home.submitted[done:] for request in step.requests]:
            home.engine.answer(request, await carry_out(home.parts, request, list))
        done = len(home.submitted)
        await home.minds.folds.settle()
    clock.advance(max(0.0, end - clock.monotonic()))
    return home.submitted[before:]


async def test_who_is_asked_of_a_model_lives_on_turn_by_turn(tmp_path: Path) -> None:
    put(without_vectors(copy_vault(tmp_path)), "thinking", coarse_from=0, coarse_interval=20_000.0)
    async with house(tmp_path, VirtualClock()) as home:
        living = home.living(ScriptedModel(f"think of {number}" for number in range(999)))
        living.answers["think"] = True
        eliza = home.agent("Eliza")
        living.begin(eliza)
        lines = await live(home, living, 0.25 * HOUR)
    assert len(lines) > 50


async def test_when_a_model_begins_to_answer_nobody_waits_for_the_end_of_a_long_pause(tmp_path: Path) -> None:
    put(without_vectors(copy_vault(tmp_path)), "thinking", coarse_from=0, coarse_interval=20_000.0)
    async with house(tmp_path, VirtualClock()) as home:
        living = home.living(ScriptedModel(f"think of {number}" for number in range(999)))
        eliza = home.agent("Eliza")
        living.begin(eliza)
        assert len(await live(home, living, 300.0)) < 3
        watching_models = asyncio.ensure_future(living.watch_models(lambda profile, answers: None))
        await soon(lambda: bool(living.answers.get("think")), lambda: asyncio.sleep(0))
        watching_models.cancel()
        assert len(await live(home, living, 60.0)) > 3


async def test_a_person_who_comes_in_finds_all_in_sight_as_lively_as_ever(tmp_path: Path) -> None:
    async with town(tmp_path, coarse_interval=20_000.0) as (home, living):
        await live(home, living, HOUR)
        here = home.engine.world.location_of(home.agent("Eliza").id)
        assert here is not None
        home.enter("Ann", here.name)
        first = await live(home, living, FIRST_WITHIN)
        assert home.agent("Eliza").id in {step.who for step in first}
        rest = await live(home, living, 120.0)
        assert sum(step.who == home.agent("Eliza").id for step in rest) > 2


async def test_when_the_person_has_gone_they_live_coarser_again(tmp_path: Path) -> None:
    async with town(tmp_path, coarse_interval=20_000.0) as (home, living):
        ann = home.enter("Ann")
        watched = len(await live(home, living, 600.0))
        home.engine.leave(home.engine.world.things[ann.id])
        await live(home, living, 60.0)
        assert len(await live(home, living, 600.0)) < watched / 4


# ---- what they remember ----


async def test_an_unwatched_town_loses_no_memory_and_invents_none(tmp_path: Path) -> None:
    left: dict[str, list[str]] = {}

    def keep(step: Step) -> None:
        for one in step.left:
            left.setdefault(one.who, []).append(one.text)

    async with town(tmp_path, coarse_interval=120.0) as (home, living):
        before = {agent.id: agent.memory.total for agent in home.minds.opened()}
        home.engine.observe(keep)
        lines = await live(home, living, 4 * HOUR)
        assert any(step.line and step.line.startswith("say ") for step in lines)
        for agent in home.minds.opened():
            own = agent.memory.read(before[agent.id] + 1, agent.memory.total)
            assert [one.text for one in own if one.source] == left.get(agent.id, [])
            assert [one.at for one in own] == sorted(one.at for one in own)


async def test_everybody_is_where_their_last_walk_in_the_archive_led(tmp_path: Path) -> None:
    async with town(tmp_path, coarse_interval=120.0) as (home, living):
        lines = await live(home, living, 4 * HOUR)
        world = home.engine.world
        walked = {
            one.id: [each for each in one.memory.read(1, one.memory.total) if each.kind == "moved" and not each.failed]
            for one in home.minds.opened()
        }
        assert any(walked.values())
        for who, walks in walked.items():
            here = world.location_of(who)
            assert here is not None
            assert not walks or walks[-1].place == here.name
        far = [step for step in lines if sum(event.kind == "departure" for event in step.events) > 1]
        assert far, "nobody walked all the way in one step"


async def test_the_same_seed_makes_the_same_hours(tmp_path: Path) -> None:
    said = []
    for name in ("one", "other"):
        async with town(tmp_path / name, seed=7, coarse_interval=120.0) as (home, living):
            said.append([(step.who, step.line) for step in await live(home, living, HOUR)])
    assert said[0] == said[1]


async def test_unwatched_minds_still_talk_with_each_other_and_briefly(tmp_path: Path) -> None:
    async with town(tmp_path, coarse_interval=120.0) as (home, living):
        said = [step for step in await live(home, living, 6 * HOUR) if step.line and step.line.startswith("say ")]
        assert len({step.who for step in said}) > 1
        minutes = [step.at[:16] for step in said]
        assert max(map(minutes.count, minutes)) <= 6
