"""People made up for a simulation: who they are is drawn, by one chance, from lists in the vault's text/newcomers.md.

They come in as anybody new does: a folder with an `agent.md`, and a step of the ledger that brings their character.
"""

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
"""Where their lists stand in the vault's texts."""
INTERVALS = (6, 14)
"""Seconds between two thoughts, at least and at most."""


def make_up(parts: Parts, count: int, chance: Random) -> list[Agent]:
    """Make up so many agents and bring each into the world.

    Args:
        parts: the vault, opened to write.
        count: how many.
        chance: who they are and where they begin.

    Raises:
        LociError: there are not as many names, or one cannot come in.
    """
    names = _names(parts, chance)
    if len(names) < count:
        raise LociError(f"text/newcomers.md has names for {counted(len(names), 'newcomer')}; expected {count} at least")
    voices = _voices(parts.texts)
    return [_come_in(parts, name, chance.choice(voices), chance) for name in names[:count]]


def _names(parts: Parts, chance: Random) -> list[str]:
    """Return names that nobody and nothing has yet: plain ones by chance first, then those with a second name."""
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
    """Write one down and bring it into the world.

    Raises:
        LociError: it cannot come in.
    """
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
    # No arrival, which others would witness: they are to have lived here all along.
    step = engine.happen(character, Outcome("", changes=(Define(character), Put(character.id, home.id))))
    if step.failed:
        raise LociError(step.reply)
    engine.witnesses.add(agent.id)
    return agent
