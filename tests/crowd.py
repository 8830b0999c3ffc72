"""A room full of people who all talk and all remember: `python -m tests.crowd VAULT PEOPLE FIRST`.

It runs the whole program and writes the number of each sentence that was answered to stdout, until it is killed.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from agents.agent import Agent
from mud.server.app import App, Options
from mud.server.bulk import newcomer
from mud.server.wiring import Parts, opened
from mud.world.roles import Role


def names(count: int) -> list[str]:
    """Return the names of so many people."""
    return [f"Talker {chr(65 + number // 26)}{chr(97 + number % 26)}" for number in range(count)]


def gather(parts: Parts, count: int) -> list[Agent]:
    """Return so many people, all in one room."""
    people = []
    for name in names(count):
        person = parts.minds.find(name) or newcomer(parts, name, person=True)
        parts.engine.witnesses.add(person.id)
        assert not parts.engine.enter(person.definition.thing(), parts.engine.world.locations()[0].id).failed
        people.append(person)
    return people


async def talk(parts: Parts, count: int, first: int) -> None:
    """Have everybody talk in turn for ever; sentences are numbered from `first` on."""
    app = App(parts, Options(parts.vault, headless=True, agents=False), "Nobody")
    living = asyncio.create_task(app.live())
    await asyncio.sleep(0)
    people, number = gather(parts, count), first
    while not living.done():
        speaker = people[number % count]
        step = parts.engine.step(speaker.id, f"say sentence {number} of a long evening", Role.GUEST)
        assert not step.failed
        print(number, flush=True)
        number += 1
        await asyncio.sleep(0)


def main(vault: str, count: str, first: str) -> None:
    with opened(Path(vault), writable=True) as parts:
        asyncio.run(talk(parts, int(count), int(first)))


if __name__ == "__main__":
    main(*sys.argv[1:])
