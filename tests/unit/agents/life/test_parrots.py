"""Four agents on models that only repeat or thank: the world must not be captured by them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agents.life.scheduler import Scheduler
from agents.llm.backends.scripted import ScriptedModel, Turn
from agents.memory.perception import own_words
from agents.text.english import RepetitionRate
from mud.clock import VirtualClock
from mud.engine.engine import Step
from tests.houses import House, house
from tests.vaults import copy_vault, without_vectors

TURNS = 1000
FEW = 300
"""Turns of the check; loops begin much sooner."""
MOST = 0.05
"""Share of spoken lines that may repeat one of their speaker's last twenty."""
NAMES = ("Eliza", "Moss", "Corvin", "Tamsin")
QUESTION_EVERY = 50
"""Turns after which the person asks somebody something."""
ANSWERED_WITHIN = 12
"""Turns of anybody within which who was asked has said something."""
_HEARD = re.compile(r'^(?:\[[^]]*\] )?([A-Z]\w+)(?: \[AI\])? (?:says|whispers to you), "(.*?)"$', re.M)

Model = Callable[[str], Awaitable[str]]


def _heard(prompt: str) -> tuple[str, str]:
    """Return who spoke last in a prompt's transcript, and what; nobody, and a dull remark, when nobody did."""
    found = _HEARD.findall(prompt)
    return found[-1] if found else ("everybody", "What a day.")


async def parrot(prompt: str) -> str:
    """Say what was heard last."""
    return f"say {_heard(prompt)[1]}"


async def grateful(prompt: str) -> str:
    """Thank whoever spoke last."""
    return f"say Thank you, {_heard(prompt)[0]}!"


async def leaving(prompt: str) -> str:
    """Say goodbye to whoever spoke last, in one of several ways."""
    who = _heard(prompt)[0]
    ways = ("Goodbye, {}.", "Farewell, {}, take care!", "See you, {}, good night.", "So long, dear {}.")
    return f"say {ways[len(prompt) % len(ways)].format(who)}"


@dataclass
class Evening:
    """What came of the turns.

    Args:
        rate: of what everybody said.
        acts: how often each agent did something.
        last: the turn in which each did something last.
        asked: how many questions the person asked, and how many were answered in time.
    """

    rate: RepetitionRate = field(default_factory=RepetitionRate)
    acts: Counter[str] = field(default_factory=Counter)
    last: dict[str, int] = field(default_factory=dict)
    asked: int = 0
    answered: int = 0


def _without_end(model: Model) -> Iterator[Turn]:
    while True:
        yield model


class _Guest:
    """A person who asks whoever is here something now and then.

    Args:
        home: the house.
        evening: where it counts what was asked and answered.
    """

    def __init__(self, home: House, evening: Evening) -> None:
        self._home, self._evening = home, evening
        self.who = home.enter("Ann")
        self._asked = ("", 0)

    def ask(self, turn: int) -> None:
        """Ask one of those who are here, or go where somebody may be."""
        world = self._home.engine.world
        here = world.location_of(self.who.id)
        assert here is not None
        others = [one.name for one in world.people(here.id) if one.id != self.who.id]
        if not others:
            self._home.type(self.who, f"go {here.exits[0].name}")
            return
        self._asked = (others[turn % len(others)], turn)
        self._evening.asked += 1
        self._home.type(self.who, f"say {self._asked[0]}, what did you see at stone number {turn}?")

    def hear(self, name: str, line: str | None, turn: int) -> None:
        """Count it when who was asked says or does something about it."""
        asked, since = self._asked
        if name == asked and line and line.startswith(("say", "whisper", "emote")):
            self._evening.answered += turn - since <= ANSWERED_WITHIN
            self._asked = ("", 0)


async def _spent(home: House, living: Scheduler, clock: VirtualClock, turns: int) -> Evening:
    """Have the agents take so many turns among a person who asks something now and then."""
    evening = Evening()
    guest = _Guest(home, evening)
    for name in NAMES:
        living.begin(home.agent(name))
    living.answers["think"] = True

    def heard(step: Step) -> None:
        for perceived in step.left:
            if perceived.kind == "said" and perceived.who != guest.who.id:
                evening.rate.add(perceived.who, own_words(perceived))

    home.engine.observe(heard)
    for turn in range(turns):
        clock.advance(max(0.0, (living.due or 0.0) - clock.monotonic()))
        agent = await living.take_turn()
        assert agent is not None
        for step in home.submitted:
            evening.acts[agent.name] += 1
            evening.last[agent.name] = turn
            guest.hear(agent.name, step.line, turn)
        home.submitted.clear()
        if turn % QUESTION_EVERY == 0:
            guest.ask(turn)
    return evening


def _shut_in(vault: Path) -> None:
    """Put everybody into one garden without a way out, where no loop ends by somebody's leaving."""
    garden = vault / "world/locations/the-garden.md"
    text, count = re.subn(r"(?s)\nexits:\n.*?\n---\n", "\n---\n", garden.read_text(encoding="utf-8"))
    assert count == 1
    garden.write_text(text, encoding="utf-8")
    for path in vault.glob("agents/*/agent.md"):
        text, count = re.subn(r"(?m)^location: .*$", 'location: "[[The Garden]]"', path.read_text(encoding="utf-8"))
        assert count == 1
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("model", "shut", "turns"),
    [
        pytest.param(parrot, True, FEW, id="parrots shut in"),
        pytest.param(grateful, False, FEW, id="grateful ones at large"),
        pytest.param(parrot, True, TURNS, id="parrots long shut in", marks=pytest.mark.torture),
        pytest.param(grateful, False, TURNS, id="grateful ones long at large", marks=pytest.mark.torture),
        pytest.param(grateful, True, TURNS, id="grateful ones shut in", marks=pytest.mark.torture),
        pytest.param(leaving, True, TURNS, id="leaving ones shut in", marks=pytest.mark.torture),
        pytest.param(parrot, False, TURNS, id="parrots at large", marks=pytest.mark.torture),
    ],
)
async def test_a_model_that_only_repeats_or_is_only_polite_does_not_capture_the_world(
    model: Model, shut: bool, turns: int, tmp_path: Path
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    if shut:
        _shut_in(vault)
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        living = home.living(ScriptedModel(_without_end(model)))
        evening = await _spent(home, living, clock, turns)
    assert evening.rate.lines > 20
    assert evening.rate.rate < MOST
    assert min(evening.last[name] for name in NAMES) > turns - 60
    assert min(evening.acts[name] for name in NAMES) > turns / 20
    assert evening.answered >= evening.asked * 0.8
