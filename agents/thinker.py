"""The part of an agent that decides: it runs one brain's thought at a time and hands over what the brain asks for.

When the model fails or answers rubbish, the instinct takes that turn. The flag that says "a thought is under way" falls
in `finally`, so no failure leaves an agent stuck.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from agents.brains._brain import BrainRun, Complete, Decision, Recall, Situation
from agents.memory.entries import Hit
from mud.errors import LociError
from mud.world.events import Perceived

log = logging.getLogger(__name__)

FALLBACK = "instinct"
"""The brain that takes over when another one cannot."""

Look = Callable[[str, int], Awaitable[tuple[Hit, ...]]]
"""Recalls: a query and a number of hits."""

Ask = Callable[[str, bool], Awaitable[str]]
"""Asks the language model: a hint for the prompt, and whether a person waits for it."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What a thought came to.

    Args:
        brain: name of the brain that had it.
        decision: what it decided.
        seconds: how long it took.
    """

    brain: str
    decision: Decision
    seconds: float


class Thinker:
    """One agent's thinker.

    Args:
        name: the agent's name, for the log.
        runs: its brains by name; `instinct` is among them.
        choose: returns the name of the brain whose turn it is.
        recall: looks things up in the agent's own memory.
        ask: asks the language model about the situation.
        seconds: a monotonic clock.
    """

    def __init__(
        self,
        name: str,
        runs: Mapping[str, BrainRun],
        choose: Callable[[], str],
        recall: Look,
        ask: Ask,
        seconds: Callable[[], float],
    ) -> None:
        self.name = name
        self.busy = False
        self.last: Thought | None = None
        self.last_error: str | None = None
        self._runs = runs
        self._choose = choose
        self._recall = recall
        self._ask = ask
        self._seconds = seconds

    def notice(self, perceived: Perceived) -> float | None:
        """Let every brain take note, so that each can take over.

        Returns:
            After how many seconds the one whose turn it is wants to think; None for in its own time.
        """
        chosen = self._choose()
        wishes = {name: run.notice(perceived, self._seconds()) for name, run in self._runs.items()}
        return wishes.get(chosen)

    async def think(self, situation: Situation, *, waiting: bool) -> Thought | None:
        """Have one thought; None when one is under way already.

        Args:
            situation: what the character perceives now.
            waiting: a person is waiting for the answer.
        """
        if self.busy:
            return None
        self.busy = True
        started = self._seconds()
        try:
            brain, decision = await self._decide(situation, waiting)
            self.last = Thought(brain, decision, self._seconds() - started)
            return self.last
        finally:
            self.busy = False

    async def _decide(self, situation: Situation, waiting: bool) -> tuple[str, Decision]:
        brain = self._choose()
        if brain != FALLBACK:
            try:
                decision = await self._run(self._runs[brain], situation, waiting)
                if decision.line is not None:
                    self.last_error = None
                    return brain, decision
                self.last_error = f"the model gave nothing that could be done: {decision.why}"
            except LociError as error:
                self.last_error = str(error)
            except Exception as error:  # a faulty brain costs its turn, not the agent's
                log.exception("%s: the brain %s failed", self.name, brain)
                self.last_error = f"the brain {brain} failed ({type(error).__name__})"
            log.info("%s: %s; instinct takes this turn", self.name, self.last_error)
        else:
            self.last_error = None  # no model was asked; whether one answers, its host's health tells
        return FALLBACK, await self._run(self._runs[FALLBACK], situation, waiting)

    async def _run(self, run: BrainRun, situation: Situation, waiting: bool) -> Decision:
        """Step through a thought, answering what it needs."""
        thought = run.decide(situation)
        try:
            need = next(thought)
            while True:
                match need:
                    case Recall(query, k):
                        need = thought.send(await self._recall(query, k))
                    case Complete(hint):
                        need = thought.send(await self._ask(hint, waiting))
        except StopIteration as end:
            decision: Decision = end.value
            return decision
        finally:
            thought.close()
