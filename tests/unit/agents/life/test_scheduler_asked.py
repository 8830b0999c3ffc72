"""A person turns to an agent whose own thought is on its way to a slow model: it waits for one answer, and not long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agents.agent import Agent
from agents.llm.backends.scripted import ScriptedModel
from tests.houses import House, house, soon
from tests.unit.agents.llm.stage import Gate, HandClock, running, settle, waiting

QUESTION = "Eliza, where is the brass key?"


class Evening:
    """Agents that think by one slow model, and a person who speaks to Eliza; one thought under way, the others wait.

    Args:
        home: the opened vault.
        clock: its clock.
        replies: what the model says, each when the test lets it.
    """

    def __init__(self, home: House, clock: HandClock, replies: tuple[str, ...]) -> None:
        self.home, self.clock = home, clock
        self.gates = [Gate(reply) for reply in replies]
        self.model = ScriptedModel(gate.__call__ for gate in self.gates)
        self.living = home.living(self.model)
        self.living.answers["think"] = True
        self.ann = home.enter("Ann")
        self.turns: list[asyncio.Task[Agent | None]] = []

    @property
    def open(self) -> int:
        """How many prompts the model has, or is to have."""
        return waiting(self.home.queue) + running(self.home.queue)

    @property
    def asked(self) -> list[str]:
        """Whose prompts the model has had."""
        return [prompt.rsplit("~", 1)[1].removesuffix(">") for prompt in self.model.prompts]

    def take_turn(self) -> None:
        """Begin the turn of whoever is due."""
        self.turns.append(asyncio.ensure_future(self.living.take_turn()))

    async def next_prompt(self) -> str:
        """Let the model end what it is at, and return the prompt that it has after that."""
        number = len(self.model.prompts)
        self.gates[number - 1].open()
        await soon(lambda: len(self.model.prompts) > number, settle)
        return self.model.prompts[number]

    async def end_turn(self) -> None:
        """Let the model end what it is at, and with it the turn that was begun last."""
        self.gates[len(self.model.prompts) - 1].open()
        await self.turns[-1]

    def ask(self) -> None:
        self.home.type(self.ann, f"say {QUESTION}")


@asynccontextmanager
async def evening(folder: Path, names: tuple[str, ...], replies: tuple[str, ...]) -> AsyncIterator[Evening]:
    """Yield an evening at which these agents have begun their turns, in this order; the model replies so."""
    clock = HandClock()
    async with house(folder, clock) as home:
        here = Evening(home, clock, replies)
        for name in names:
            here.living.begin(home.agent(name))
            clock.advance(5)
            here.take_turn()
            await soon(lambda: here.open == len(here.turns), settle)
        await soon(lambda: len(here.model.prompts) == 1, settle)
        try:
            yield here
        finally:
            for gate in here.gates:
                gate.open()
            await here.living.stop()
            await asyncio.gather(*here.turns)


async def test_a_thought_that_waits_goes_first_once_a_person_waits_for_it_and_answers_for_good(tmp_path: Path) -> None:
    replies = ("think of rain", "say It is under the third stone, Ann.", "think of moss", "think of bees")
    async with evening(tmp_path, ("Tamsin", "Moss", "Eliza"), replies) as here:
        here.ask()
        assert QUESTION in await here.next_prompt()
        assert here.asked == ["Tamsin", "Eliza"]
        await here.next_prompt()
        assert here.home.submitted[-1].line == replies[1]
        here.clock.advance(3)
        here.take_turn()
        await settle()
        assert here.turns[-1].done(), "nobody thinks about the same line again"
        assert await here.turns[-1] is None


async def test_a_line_that_came_after_the_prompt_is_answered_by_a_thought_of_its_own(tmp_path: Path) -> None:
    async with evening(tmp_path, ("Eliza", "Moss", "Tamsin"), ("think of rain", *["think of moss"] * 3)) as here:
        here.ask()
        await here.next_prompt()
        here.clock.advance(1)
        here.take_turn()
        await soon(lambda: waiting(here.home.queue) == 2, settle)
        assert QUESTION in await here.next_prompt()
        assert here.asked == ["Eliza", "Moss", "Eliza"]


async def test_a_line_that_a_thought_knew_of_is_still_to_be_answered_when_it_came_to_nothing(tmp_path: Path) -> None:
    replies = ("think of rain", "Certainly! Here it is.", "say It is under the third stone, Ann.")
    async with evening(tmp_path, ("Tamsin", "Eliza"), replies) as here:
        here.ask()
        await here.next_prompt()
        await here.end_turn()
        here.clock.advance(1)
        here.take_turn()
        await soon(lambda: len(here.asked) == 3, settle)
        assert here.asked == ["Tamsin", "Eliza", "Eliza"]


async def test_whose_thought_was_answering_a_person_says_so_in_its_trace(tmp_path: Path) -> None:
    replies = ("think of rain", "say It is under the third stone, Ann.")
    async with evening(tmp_path, ("Tamsin", "Eliza"), replies) as here:
        here.ask()
        await here.next_prompt()
        await here.end_turn()
        eliza = here.home.agent("Eliza")
        head = next(iter(eliza.traces.heads(eliza.id)))
        assert head.line == replies[1]
        assert head.trace().waiting
