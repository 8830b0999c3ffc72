"""The deciding part of an agent: runs one thought of one brain at a time and answers the brain's requests.

When the model fails or its reply is unusable, the instinct takes that turn. `busy` is reset in `finally`, so that no
failure blocks an agent.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from agents.brains import BrainRun, Complete, Decision, Recall, Situation, Understand
from agents.memory.entries import Hit
from agents.mind.traces import Lookup, ModelCall, Trace, briefly, lookup_of
from mud.engine.engine import Step
from mud.errors import LociError, Unavailable
from mud.tracing import span
from mud.world.events import Perception

log = logging.getLogger(__name__)

FALLBACK = "instinct"

Look = Callable[[Recall], Awaitable[tuple[Hit, ...]]]

Ask = Callable[[str, bool], Awaitable[ModelCall]]
"""Asks the model; takes a hint and whether a person waits. May raise, or return a call with an error."""


Compare = Callable[[str], Awaitable[tuple[tuple[str, float], ...]]]
"""Returns the intents nearest to a masked sentence, best first; () without vectors."""


async def no_vectors(sentence: str) -> tuple[tuple[str, float], ...]:
    return ()


class Thought(NamedTuple):
    """The result of a thought.

    Args:
        waiting: a person waited for it.
        instead: why the chosen brain did not decide; empty when it did.
        asked: calls to a language model, all attempts.
    """

    brain: str
    decision: Decision
    seconds: float
    waiting: bool = False
    instead: str = ""
    recalled: tuple[tuple[str, tuple[Hit, ...]], ...] = ()
    asked: tuple[ModelCall, ...] = ()

    @property
    def lookups(self) -> tuple[Lookup, ...]:
        """The recall queries in trace form; computed on demand because most thoughts never need it."""
        return tuple(lookup_of(query, hits) for query, hits in self.recalled)


def trace_of(thought: Thought, situation: Situation, who: str, at: str, number: int, step: Step | None) -> Trace:
    """Return the trace of a thought, shortened without a step; `at` and `number` are used only then."""
    decision = thought.decision
    trace = Trace(
        step=step.number if step else number,
        at=step.at if step else at,
        who=who,
        line=decision.line if step else None,
        name=situation.name,
        place=situation.location,
        brain=thought.brain,
        why=decision.why,
        text=decision.text,
        answers=decision.answers,
        cites=decision.cites,
        waiting=thought.waiting,
        instead=thought.instead,
        refused=step.reply if step and step.failed else "",
        seconds=round(thought.seconds, 3),
        lookups=thought.lookups if step else (),
        asked=thought.asked,
    )
    return trace if step else briefly(trace)


@dataclass(slots=True)
class _Notes:
    recalled: list[tuple[str, tuple[Hit, ...]]] = field(default_factory=list)
    asked: list[ModelCall] = field(default_factory=list)
    instead: str = ""

    def reject(self, why: str) -> None:
        if self.asked and not self.asked[-1].error:
            self.asked[-1] = replace(self.asked[-1], rejected=why)


class Thinker:
    """One agent's thinker. `runs` must have `FALLBACK`; `choose` returns the name of the brain that decides next."""

    def __init__(
        self,
        name: str,
        runs: Mapping[str, BrainRun],
        choose: Callable[[], str],
        recall: Look,
        ask: Ask,
        seconds: Callable[[], float],
        compare: Compare = no_vectors,
    ) -> None:
        self.name, self._compare = name, compare
        self.busy = False
        self.last: Thought | None = None
        self.last_error: str | None = None
        self._runs, self._choose, self._recall, self._ask, self._seconds = runs, choose, recall, ask, seconds

    @property
    def chosen(self) -> str:
        """The name of the brain that decides next."""
        return self._choose()

    def seconds(self) -> float:
        """Return the time of its clock."""
        return self._seconds()

    def notice(self, perceived: Perception) -> float | None:
        """Pass a perception to every brain; return the seconds until the chosen one wants to think, None for any."""
        wishes = {name: run.notice(perceived, self._seconds()) for name, run in self._runs.items()}
        wished = any(wish is not None for wish in wishes.values())
        return wishes.get(self._choose()) if wished else None

    async def think(self, situation: Situation, *, waiting: bool) -> Thought | None:
        """Have one thought; return None when one is already running."""
        if self.busy:
            return None
        self.busy = True
        started = self._seconds()
        try:
            notes = _Notes()
            with span("thought", agent=self.name, waiting=waiting) as note:
                brain, decision = await self._decide(situation, waiting, notes)
                note(brain=brain, recalls=len(notes.recalled), calls=len(notes.asked))
            seconds, asked = self._seconds() - started, tuple(notes.asked)
            self.last = Thought(brain, decision, seconds, waiting, notes.instead, tuple(notes.recalled), asked)
            return self.last
        finally:
            self.busy = False

    async def _decide(self, situation: Situation, waiting: bool, notes: _Notes) -> tuple[str, Decision]:
        brain = self._choose()
        if brain != FALLBACK:
            try:
                decision = await self._run(self._runs[brain], situation, waiting, notes)
                if decision.line is not None:
                    self.last_error = None
                    return brain, decision
                notes.instead = decision.why
                asked = bool(notes.asked)  # otherwise the brain declined by itself, which is no error
                self.last_error = f"the model gave nothing that could be done: {decision.why}" if asked else None
                notes.reject(decision.why)
            except LociError as error:
                self.last_error = str(error)
            except Exception as error:  # a faulty brain must cost only its turn
                log.exception("%s: the brain %s failed", self.name, brain)
                self.last_error = f"the brain {brain} failed ({type(error).__name__})"
            notes.instead = self.last_error or notes.instead
            log.info("%s: %s; instinct takes this turn", self.name, notes.instead)
        else:
            self.last_error = None  # no model was asked; the health of its host is checked elsewhere
        return FALLBACK, await self._run(self._runs[FALLBACK], situation, waiting, notes)

    async def _run(self, run: BrainRun, situation: Situation, waiting: bool, notes: _Notes) -> Decision:
        thought = run.decide(situation)
        try:
            need = next(thought)
            while True:
                match need:
                    case Recall():
                        hits = await self._recall(need)
                        notes.recalled.append((need.query, hits))
                        need = thought.send(hits)
                    case Understand(sentence):
                        need = thought.send(await self._compare(sentence))
                    case Complete(hint):
                        notes.reject(hint)  # a repeated request rejects the reply before it; the hint is the reason
                        asked = await self._ask(hint, waiting)
                        notes.asked.append(asked)
                        if asked.error:
                            raise Unavailable(asked.error)
                        need = thought.send(asked.reply)
        except StopIteration as end:
            decision: Decision = end.value
            return decision
        finally:
            thought.close()
