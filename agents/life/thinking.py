"""How an agent thinks: its brains, and what these ask for while a thought runs: memories, meanings, a model's reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from agents.agent import Agent
from agents.brains import Brain, BrainRun, InterpreterSource, Recall, Voice
from agents.definition import AgentDefinition
from agents.life.animals import Items
from agents.life.prompting import Prompting
from agents.llm.queue import ModelQueue, Urgency
from agents.memory.entries import Hit
from agents.mind.interpreter import shipped_interpreter
from agents.mind.settings import ThinkingSettings
from agents.mind.thinker import FALLBACK, Thinker
from agents.mind.traces import ModelCall, ModelCallTimer
from agents.population import Population
from mud.clock import Clock
from mud.errors import LociError
from mud.registry import Registry


class SchedulerConfig(NamedTuple):
    """What the scheduler needs.

    Args:
        override: name of the brain of all agents, whatever their files say.
        exact: agents live turn by turn also where nobody can perceive them.
    """

    brains: Callable[[], Registry[Brain]]
    voice: Voice
    queue: ModelQueue
    prompting: Prompting
    chance: Random
    clock: Clock
    override: str | None = None
    traced: bool = True
    interpreter: InterpreterSource = shipped_interpreter
    habits: Callable[[], Mapping[str, Items]] = dict  # of the world's own characters, by id
    exact: bool = False


class Thinking:
    """Makes the thinkers of agents. `calls` are those who wait for them."""

    def __init__(self, minds: Population, drives: SchedulerConfig, calls: PendingCalls) -> None:
        self._minds, self._drives, self._calls = minds, drives, calls
        self.answers: dict[str, bool] = {}
        """Whether the model of each LLM profile in use answers, as far as known."""

    def prepare(self) -> None:
        """Load all that brains need before the first one thinks. Takes some tenths of a second; may run in a thread."""
        for brain in self._drives.brains():
            brain.start("", Random(0), self._drives.voice, self._drives.interpreter)
        self._drives.interpreter().prepare()

    def thinker(self, agent: Agent, chance: Random) -> Thinker:
        """Return a thinker with new brains for an agent; `chance` is its own."""
        drives = self._drives
        needed = (drives.override, FALLBACK)
        brains = [one for one in drives.brains() if drives.override is None or one.name in needed]
        runs: dict[str, BrainRun] = {
            b.name: b.start(agent.name, chance, drives.voice, drives.interpreter) for b in brains
        }
        return Thinker(
            agent.name,
            runs,
            lambda: self._brain_of(agent),
            lambda wanted: self._recall(agent, wanted),
            lambda hint, waiting: self._ask(agent, hint, waiting),
            drives.clock.monotonic,
            self._compare,
        )

    def begin(self, agent: Agent) -> Thinker:
        """Return a thinker for an agent with chance of its own."""
        return self.thinker(agent, Random(self._drives.chance.random()))

    async def _compare(self, sentence: str) -> tuple[tuple[str, float], ...]:
        """Return the intents nearest to a masked sentence by vectors; () without."""
        interpreter = self._drives.interpreter()
        return interpreter.nearest(await self._minds.means.recall.similarities(sentence, interpreter.masked_examples))

    def _brain_of(self, agent: Agent) -> str:
        """Return the name of the brain that decides next; the instinct replaces one whose model may not be asked."""
        brain = self.wanted(agent.definition)
        return FALLBACK if brain is None or self.gave_way(agent.definition, agent.thinking(), brain) else brain.name

    def wanted(self, agent: AgentDefinition) -> Brain | None:
        """Return the brain that an agent is to have; None for one that does not exist."""
        wanted = self._drives.override or agent.brain
        return self._drives.brains().find("language" if wanted == "auto" else wanted)

    def gave_way(self, agent: AgentDefinition, thinking: ThinkingSettings, brain: Brain) -> str:
        """Return why the instinct decides instead of a brain; empty when it does not."""
        if brain.needs_model and not self.answers.get(thinking.think_profile):
            return "no model answers"
        used_up = brain.needs_model and self._drives.queue.budget.used_up(agent.name) is not None
        return "the budget for models is used up" if used_up else ""

    async def _recall(self, agent: Agent, wanted: Recall) -> tuple[Hit, ...]:
        without = () if wanted.own else ("said",)
        search = self._minds.means.recall.search
        return tuple((await search(agent.id, *wanted[:2], before=agent.sees_from, without=without))[0])

    async def _ask(self, agent: Agent, hint: str, waiting: bool) -> ModelCall:
        drives = self._drives
        kind = drives.brains().find(self._brain_of(agent))
        enough = kind.enough(agent.name) if kind is not None and kind.enough is not None else None
        profile = agent.thinking().think_profile
        asking = ModelCallTimer(hint, profile, drives.queue.overview([profile])[0].servers, drives.clock.monotonic)
        related = await drives.prompting.related(agent)
        asking.related(related.cue, (*related.notes, *related.summaries))
        urgency = Urgency.PERSON if waiting or self._calls.person_waits(agent.slug) else Urgency.THINK

        def build() -> str:
            self._calls.see(agent.slug)
            return asking.built(drives.prompting.build(agent, related, hint, thinks=True))

        try:
            completion = await drives.queue.ask(build, profile, urgency, agent.name, enough)
        except LociError as error:
            return asking.failed(error)
        return asking.answered(completion)


@dataclass(slots=True)
class _Call:
    """A call for an agent's attention: the latest time at which it wants to think, and whether a person waits."""

    at: float
    person: bool

    def joined(self, other: _Call | None) -> _Call:
        return self if other is None else _Call(min(self.at, other.at), self.person or other.person)


class PendingCalls:
    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}
        self._seen: dict[str, _Call] = {}
        """Calls that the running thought covers."""

    def call(self, slug: str, at: float, *, person: bool) -> None:
        """Record that somebody addressed an agent, which wants to think at `at` by the monotonic clock."""
        self._calls[slug] = _Call(at, person).joined(self._calls.get(slug))

    def begin(self, slug: str) -> bool:
        """Begin a turn that covers all calls so far; return whether a person waits for it."""
        waiting = self.person_waits(slug)
        self.drop(slug)
        return waiting

    def see(self, slug: str) -> None:
        if (call := self._calls.pop(slug, None)) is not None:
            self._seen[slug] = call.joined(self._seen.get(slug))

    def answer(self, slug: str) -> bool:
        """Record that the thought succeeded; return whether a person called while it was queued."""
        seen = self._seen.pop(slug, None)
        return seen is not None and seen.person

    def end(self, slug: str) -> float | None:
        """End a turn; return when the next is due, None for no wish. The calls of a failed thought count again."""
        if (seen := self._seen.pop(slug, None)) is not None:
            self._calls[slug] = seen.joined(self._calls.get(slug))
        call = self._calls.get(slug)
        return call.at if call is not None else None

    def person_waits(self, slug: str) -> bool:
        """Return whether a person waits for an agent, including for the running thought."""
        call, seen = self._calls.get(slug), self._seen.get(slug)
        return (call is not None and call.person) or (seen is not None and seen.person)

    def drop(self, slug: str) -> None:
        self._calls.pop(slug, None)
        self._seen.pop(slug, None)
