"""Made-up agents for a simulation, drawn at random from the lists in the vault's text/newcomers.md."""

from __future__ import annotations

from itertools import product
from random import Random

from agents.agent import Agent
from mud.commands import Outcome
from mud.errors import LociError
from mud.server.bulk import newcomer
from mud.server.phrases import VOICES
from mud.server.wiring import Parts
from mud.storage.texts import TextStore
from mud.world.changes import Define, Put
from mud.world.matching import plain
from mud.world.narration import counted

LISTS = "newcomers."
"""Prefix of the keys of these lists in the vault's texts."""
INTERVALS = (6, 14)
"""Least and most seconds between two thoughts."""


def make_up(parts: Parts, count: int, chance: Random) -> list[Agent]:
    """Make up `count` agents and bring each into the world."""
    names = _names(parts, chance)
    if len(names) < count:
        raise LociError(f"text/newcomers.md has names for {counted(len(names), 'newcomer')}; expected {count} at least")
    voices = _voices(parts.texts)
    return [_come_in(parts, name, chance.choice(voices), chance) for name in names[:count]]


def _names(parts: Parts, chance: Random) -> list[str]:
    """Return unused names in random order: plain ones first, then those with a second name."""
    first, second = (list(_list(parts.texts, f"names.{key}")) for key in ("first", "second"))
    chance.shuffle(first)
    chance.shuffle(second)
    taken = {plain(name) for thing in parts.engine.world.things.values() for name in thing.names}
    taken |= {plain(name) for definition in parts.minds.drafts.values() for name in definition.names}
    both = [f"{one} {other}" for other, one in product(second, first)]
    return [name for name in dict.fromkeys([*first, *both]) if plain(name) not in taken]


def _voices(texts: TextStore) -> list[str]:
    return sorted({key.removeprefix(VOICES).partition(".")[0] for key in texts.keys(VOICES)})


def _list(texts: TextStore, key: str) -> tuple[str, ...]:
    found = texts.variants(LISTS + key)
    if not found:
        raise LociError(f"the vault's text/newcomers.md has no list {key}; newcomers are made up from it")
    return found


def _come_in(parts: Parts, name: str, voice: str, chance: Random) -> Agent:
    engine = parts.engine
    home = chance.choice(engine.world.locations())
    profile = [chance.choice(_list(parts.texts, f"person.{key}")) for key in ("trade", "manner", "wish")]
    agent = newcomer(
        parts,
        name,
        home.name,
        description=chance.choice(_list(parts.texts, "person.look")),
        profile=" ".join(profile),
        more={"voice": voice, "think_interval": chance.randint(*INTERVALS)},
    )
    character = agent.definition.thing()
    # Not `enter`: others would perceive an arrival, and newcomers are to have lived here all along.
    step = engine.happen(character, Outcome("", changes=(Define(character), Put(character.id, home.id))))
    if step.failed:
        raise LociError(step.reply)
    engine.witnesses.add(agent.id)
    return agent
