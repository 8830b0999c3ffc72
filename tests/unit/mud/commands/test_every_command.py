"""What must hold for every command there is, those of minds included: a new one is tested the day it is added."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import mud.commands
from mud.commands import WHO, Command
from mud.commands._command import CATEGORIES, KEEPS
from mud.engine import engine as engine_module
from mud.registry import collect, load
from mud.storage.documents import link_name, parse_document
from mud.storage.world_files import WorldFiles
from mud.world.changes import Define, Put
from mud.world.channels import JoinChannel
from mud.world.matching import plain
from mud.world.narration import Phrase
from mud.world.roles import Role
from mud.world.things import Kind, Thing
from mud.world.world import World
from tests.prepared import AT_HAND, lines_before
from tests.vaults import SHIPPED
from tests.worlds import ANN, TEXTS, do, make_engine, refused, snapshot

EVERY = load("mud.commands", Command, "command").joined(collect("agents.commands", Command))
NAMES = EVERY.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_command_explains_itself(name: str) -> None:
    one = EVERY.get(name)
    assert one.summary.endswith(".")
    assert len(one.summary) <= 120
    assert one.category in CATEGORIES
    assert one.keeps in KEEPS
    assert isinstance(one.role, Role)
    assert one.examples
    assert name == name.lower()
    assert not re.search(r"\s|\|", name)
    verbs = {example.split()[0] for example in one.examples}
    assert name in verbs or set(one.aliases) & verbs


def test_all_commands_together_leave_no_name_in_doubt() -> None:
    words = [word for one in EVERY for word in (one.name, *one.aliases)]
    assert len(words) == len(set(words)) == len(EVERY.words())


def test_every_command_that_the_world_needs_is_there() -> None:
    needed = (
        "look go say emote whisper examine who where locations rooms take drop inventory help commands think note "
        "recall @memory-status @compact-memories @impersonate @show-config @reload @save quit"
    )
    assert [name for name in needed.split() if name not in EVERY] == []


def test_whatever_changes_the_program_is_the_owners() -> None:
    for name in ("@save", "@reload", "@show-config", "@impersonate"):
        assert EVERY.get(name).role is Role.OWNER


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("role", Role)
def test_roles_fail_closed_for_every_command_and_each_of_its_names(name: str, role: Role) -> None:
    one = EVERY.get(name)
    if role >= one.role:
        return
    for verb in (one.name, *one.aliases, one.name.upper()):
        for rest in ("", " x", " Eliza", " a -> b"):
            engine = make_engine(registry=EVERY)
            before = snapshot(engine.world)
            step = engine.step(ANN, f"{verb}{rest}", role)
            assert step.failed
            if role is Role.AGENT:
                assert step.reply.startswith(f'There is no command "{verb}".')
            else:
                assert step.reply == f"Only {TEXTS.render(WHO[one.role])} may use {one.name}."
            assert not step.requests
            assert not step.quit
            assert not step.events
            assert snapshot(engine.world) == before


@pytest.mark.parametrize("package", ["mud.commands", "agents.commands"])
def test_the_loader_finds_every_module_and_each_of_them_holds_a_plug_in(package: str) -> None:
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package}.{info.name}")
        own = [value for value in vars(module).values() if isinstance(value, Command)]
        assert own, f"{info.name} holds no command"
        assert all(EVERY.get(one.name) is one for one in own)
        assert (module.__doc__ or "").strip()


def speaking_modules() -> list[object]:
    folder = str(Path(mud.commands.__file__).parent)
    names = [f"mud.commands.{info.name}" for info in pkgutil.iter_modules([folder])]
    return [engine_module, *map(importlib.import_module, names)]


def test_every_phrase_of_engine_and_commands_has_its_text_with_the_right_places_and_no_text_is_idle() -> None:
    phrases = {value for module in speaking_modules() for value in vars(module).values() if isinstance(value, Phrase)}
    assert len({phrase.key for phrase in phrases}) == len(phrases)
    problems = [
        str(problem)
        for problem in TEXTS.check(sorted(phrases, key=lambda phrase: phrase.key))
        if problem.file in ("text/engine.md", "text/commands.md")
    ]
    assert problems == []


def starter_world() -> World:
    """The shipped world, with its agents and a visitor in The Garden, on a channel, where things lie at hand."""
    files, problems = WorldFiles(SHIPPED).load()
    assert problems == []
    world = World()
    world.apply(Define(one.thing) for one in files)
    world.apply(Put(one.thing.id, one.place) for one in files if one.place is not None)
    for path in sorted(SHIPPED.glob("agents/*/agent.md")):
        document = parse_document(path.read_text("utf-8"), path.name)
        if document.front["type"] != "agent":
            continue
        thing = Thing(str(document.front["id"]), Kind.CHARACTER, document.title or "", thinks=True)
        name = link_name(str(document.front["location"]))
        [place] = [one for one in world.locations() if plain(one.name) == plain(name or "")]
        world.apply([Define(thing), Put(thing.id, place.id)])
    visitor = Thing("#9001", Kind.CHARACTER, "Visitor")
    [garden] = [one for one in world.locations() if one.name == "The Garden"]
    things = {one.name: one.id for one in world.things.values()}
    at_hand = (Put(things[name], garden.id) for name in AT_HAND)
    world.apply([Define(visitor), Put(visitor.id, garden.id), *at_hand, JoinChannel("town", visitor.id)])
    return world


@pytest.mark.parametrize(("name", "example"), [(one.name, example) for one in EVERY for example in one.examples])
def test_every_example_of_the_help_works_in_the_starter_world(name: str, example: str) -> None:
    engine = make_engine(starter_world(), registry=EVERY)
    engine.witnesses.add("#9001")
    for line in lines_before(example):
        engine.step("#9001", line, Role.OWNER)
    number = engine.number
    step = engine.step("#9001", example, Role.OWNER)
    assert not step.failed, step.reply
    assert step.reply or step.requests or step.quit
    assert step.number == number + 1


def test_the_starter_world_is_worth_a_walk() -> None:
    world = starter_world()
    locations = world.locations()
    assert len(locations) >= 10
    engine = make_engine(world, registry=EVERY)
    for location in locations:
        assert location.exits, f"{location.name} has no exit"
        assert len(location.description) > 80
        engine.step("#9001", f"go {location.name}", Role.GUEST)
        assert world.location_of("#9001") == location, f"{location.name} cannot be reached"
    minds = {one.name: world.location_of(one.id) for one in world.present() if one.thinks}
    assert len(minds) == 4
    assert minds["Eliza"] is not None
    assert minds["Eliza"].name == "The Garden"
    assert minds["Moss"] is not None
    assert minds["Moss"].name == "The Library"


@pytest.mark.parametrize("line", ["quit", "exit", "bye", "QUIT"])
def test_quitting_ends_the_session_for_a_person_and_never_for_a_mind(line: str) -> None:
    assert do(make_engine(), line, role=Role.GUEST).quit
    assert not refused(make_engine(), line, role=Role.AGENT).quit


@pytest.mark.parametrize(
    ("line", "name", "args"),
    [
        ("@save", "save", {}),
        ("@branch what if", "branch", {"name": "what if"}),
        ("@rewind 12", "rewind", {"step": "12"}),
        ("@reload", "reload", {}),
        ("@show-config", "show_config", {"key": ""}),
        ("@show-config immediate_window", "show_config", {"key": "immediate_window"}),
    ],
)
def test_what_reaches_outside_the_world_is_a_request(line: str, name: str, args: dict[str, str]) -> None:
    step = do(make_engine(), line)
    [request] = step.requests
    assert (request.name, dict(request.args), request.keep) == (name, args, None)
    assert step.left == ()
