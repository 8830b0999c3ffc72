"""The inner life of agents: sleeping agents weigh, reflect, note and dream; idle agents reflect.

All of it works by rules, deterministically, and better with a model, whose output is checked. It runs in bounded
background tasks, cancelled when somebody addresses the agent; the unfinished part is due again. In company that is
never silent this would go on for ever, so an overdue reflection is made at once, by rules.
Settings: `vault/config/inner_life.md`. Prompts: `vault/prompts/{importance,reflect,dream}.md`; in these only the known
places are replaced, other braces are plain text.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from agents.agent import Agent, Services
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Task, Urgency
from agents.llm.tokens import at_most
from agents.memory.entries import Entry
from agents.memory.history import read_weighed, weights_event
from agents.mind.templates import Templates
from agents.prompt.prompt import PLACE, body_of
from agents.reflection import dreams, note_taking
from agents.reflection.experiences import (
    changed_by,
    events_of,
    fitting,
    friends,
    importance_by_rules,
    line_of,
    open_to_all,
    parse_ratings,
)
from agents.reflection.insights import fresh, insights, kept, parse_insights
from agents.reflection.progress import NIGHT, NOTED, REFLECTED, ReflectionProgress, event_of, standing_of
from mud.clock import iso
from mud.commands import Outcome
from mud.engine.engine import Engine
from mud.errors import LociError, Problem, Refusal, Unavailable, VaultProblem
from mud.storage.settings import setting
from mud.world.events import INSIGHT, Request
from mud.world.narration import phrase

FILES = ("importance.md", "reflect.md", "dream.md")


@dataclass(frozen=True, slots=True)
class ReflectionSettings:
    """`config/inner_life.md`."""

    dream_profile: str = setting(
        "dream",
        "The LLM profile that weighs memories, looks back on them and dreams, a file in config/llm; where it is not "
        "there, the one that writes summaries.",
    )
    reflection_threshold: int = setting(
        150,
        "How much must have been lived, as the sum of its importance (1 to 10 a memory), until an agent looks back at "
        "its next quiet moment, or at twice as much in any company, and comes to an insight or three; 0 for never.",
        low=0,
        high=100_000,
    )
    nightly_dream: bool = setting(True, "Whether an agent dreams once whenever it sleeps.")
    own_notes: bool = setting(
        True, "Whether an agent, asleep, notes by itself what it learned about people and locations."
    )


class ReflectionPrompt(NamedTuple):
    text: str

    def render(self, name: str, profile: str, memories: str) -> str:
        values = {"name": name, "profile": profile, "memories": memories}
        return PLACE.sub(lambda found: values.get(found[1], found[0]), self.text)


def parse_prompt(text: str, file: str) -> ReflectionPrompt:
    """Parse a prompt file, which problems call `file`.

    Raises VaultProblem with every unknown place, and when `{memories}` is missing.
    """
    body, _, problems = body_of(text, file, ("name", "profile", "memories"))
    if "{memories}" not in body:
        problems.append(Problem(file, 0, "{memories}", "this place is missing; expected it once"))
    if problems:
        raise VaultProblem(problems)
    return ReflectionPrompt(body.strip("\n"))


log = logging.getLogger(__name__)

SHOWN = 48
LONGEST_REPLY = 8000
"""Maximum characters of a reply that are read, ten times the usual, so that junk cannot block the world."""
PAUSE = 1800.0  # seconds between two reflections of an agent that is awake, to limit the use of models
OVERDUE = 2  # multiple of the threshold from which on a reflection is overdue
AFTER_FAILURE = 60.0  # seconds before a failed task, for example on a full disk, is tried again
NAME = "inner_life"
NOTHING = phrase("minds.dream.nothing")


class Reflection:
    def __init__(self, means: Services) -> None:
        self._means = means
        self._prompts: Templates[ReflectionPrompt] = Templates(means.vault / "prompts", lambda: FILES, parse_prompt)
        self._standing: dict[str, ReflectionProgress] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._reflected: dict[str, float] = {}
        """Time of the last reflection while awake, by slug and the monotonic clock."""
        self._failed: dict[str, float] = {}

    def load(self) -> list[Problem]:
        """Read the prompts and return all problems; an invalid one keeps its last valid version."""
        return self._prompts.load()

    def asleep(self, agent: Agent, engine: Engine) -> None:
        """Start what is due of a sleeping agent, unless a task is running."""
        self._begin(agent, lambda: self._night(agent, engine), lambda standing: self._night_due(agent, standing))

    def idle(self, agent: Agent, engine: Engine, *, left_alone: bool = True) -> None:
        """Start a due reflection of an agent that is awake and rested; with company, only an overdue one."""
        now = self._means.clock.monotonic()
        rested = now - self._reflected.get(agent.slug, now - PAUSE) >= PAUSE
        # Also called while it rests, so that new entries are counted now and need not be read from the archive later.
        self._begin(
            agent,
            lambda: self._reflect(agent, engine, by_rules=not left_alone),
            lambda one: rested and self._reflection_due(agent, one, 1 if left_alone else OVERDUE),
        )

    def interrupt(self, slug: str) -> None:
        """Cancel the running task of an agent."""
        if slug in self._tasks:
            self._tasks[slug].cancel()

    def forget(self, agent: Agent) -> None:
        """Drop what was read of an agent's memories, which were corrected since."""
        self.interrupt(agent.slug)
        self._standing.pop(agent.slug, None)

    async def settle(self) -> None:
        while self._tasks:
            await asyncio.wait(tuple(self._tasks.values()))

    async def stop(self) -> None:
        for slug in list(self._tasks):
            self.interrupt(slug)
        await self.settle()

    def _begin(
        self, agent: Agent, work: Callable[[], Coroutine[Any, Any, None]], due: Callable[[ReflectionProgress], bool]
    ) -> None:
        memory, slug = agent.memory, agent.slug
        if slug in self._tasks or memory.waiting or memory.missing_from is not None or not self._means.writable:
            return
        if slug in self._failed and self._means.clock.monotonic() - self._failed[slug] < AFTER_FAILURE:
            return

        async def looked_first() -> None:
            await self.look(agent)
            if due(self._taken_in(agent)):
                await work()

        try:
            known = self._is_known(agent)
            if known and not due(self._taken_in(agent)):
                return
        except OSError as error:
            log.warning("%s: the archive cannot be read: %s", agent.name, error)
            return
        task = asyncio.get_running_loop().create_task(self._guarded(agent, work if known else looked_first))
        self._tasks[slug] = task
        task.add_done_callback(lambda done: self._tasks.pop(slug, None))

    async def _guarded(self, agent: Agent, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
            self._failed.pop(agent.slug, None)
        except Exception as error:  # nobody awaits this task, and it is due again
            expected = isinstance(error, (LociError, OSError))
            log.warning("%s: the inner life came to nothing: %s", agent.name, error, exc_info=not expected)
            self._failed[agent.slug] = self._means.clock.monotonic()

    def _taken_in(self, agent: Agent) -> ReflectionProgress:
        memory, total = agent.memory, agent.memory.total
        if not self._is_known(agent):
            self._standing[agent.slug] = standing_of(memory.archive, total)
        known = self._standing[agent.slug]
        if known.through < total:
            known.take_in(memory.read(known.through + 1, total))
        return known

    def _is_known(self, agent: Agent) -> bool:
        known, total = self._standing.get(agent.slug), agent.memory.total
        return known is not None and known.through <= total <= known.through + NIGHT

    async def look(self, agent: Agent) -> None:
        """Determine the progress of an agent in a thread, unless it is known; raises OSError when the archive is
        unreadable.
        """
        if not self._is_known(agent):
            found = await asyncio.to_thread(standing_of, agent.memory.archive, agent.memory.total)
            if not self._is_known(agent):  # otherwise another task was faster
                self._standing[agent.slug] = found

    def told(self, agent: Agent, *, known: bool = False) -> dict[str, Any] | None:
        """Return the inner life for an agent's status; None for people and when the archive cannot be read.

        With `known` also None when the archive would have to be read.
        """
        if agent.definition.person or (known and not self._is_known(agent)):
            return None
        try:
            standing = self._taken_in(agent)
        except OSError:
            return None
        return {
            "reflected_at": standing.reflected_at or None,
            "dreamed_at": standing.dreamed_at or None,
            "looked_from": standing.looked_from,
            "insights": standing.count,
            "counted_from": standing.counted_from,
            "reflection_sum": standing.sum,
            "reflection_threshold": self._settings(agent).reflection_threshold,
        }

    def _settings(self, agent: Agent) -> ReflectionSettings:
        return self._means.configuration.for_agent(ReflectionSettings, agent.definition.overrides)

    def _reflection_due(self, agent: Agent, standing: ReflectionProgress, times: int = 1) -> bool:
        return 0 < times * self._settings(agent).reflection_threshold <= standing.sum

    def _dream_due(self, agent: Agent, standing: ReflectionProgress) -> bool:
        return self._settings(agent).nightly_dream and standing.dreamed < standing.lived

    def _notes_due(self, agent: Agent, standing: ReflectionProgress) -> bool:
        return self._settings(agent).own_notes and standing.noted < standing.lived

    def _night_due(self, agent: Agent, standing: ReflectionProgress) -> bool:
        due = (self._notes_due, self._dream_due, self._reflection_due)
        return standing.weighed < standing.lived or any(one(agent, standing) for one in due)

    async def _night(self, agent: Agent, engine: Engine) -> None:
        standing = self._taken_in(agent)
        if standing.weighed < standing.lived:
            await self._weigh(agent, standing)
            await asyncio.sleep(0)
        if self._reflection_due(agent, standing):
            await self._reflect(agent, engine)
            await asyncio.sleep(0)
        if self._notes_due(agent, standing):
            await self._take_notes(agent, standing)
            await asyncio.sleep(0)
        if self._dream_due(agent, standing):
            last = standing.lived
            told = await self.dream(agent)
            if agent.id in engine.world.asleep and self._taken_in(agent).lived == last:
                self._keep(agent, engine, "dream", self._means.say(dreams.REMEMBERED, dream=told))
                here = engine.world.location_of(agent.id)
                self.write_down(agent, told, here.name if here else None)

    async def _weigh(self, agent: Agent, standing: ReflectionProgress) -> None:
        """Weigh the entries since the last time; write to the archive first, then to the index."""
        first, last = standing.weighed + 1, standing.through
        first = max(first, last - NIGHT + 1)
        entries = read_weighed(agent.memory, first, last)
        await asyncio.sleep(0)
        values, method = await asyncio.to_thread(importance_by_rules, entries, friends(entries)), "rules"
        asked = [entry for entry in events_of(entries) if standing.weighed < entry.seq][-SHOWN:]
        prompt, shown = self._prompt(agent, "importance", asked)
        reply = await self._ask(agent, prompt, Task.REFLECTIONS) if shown else None
        rated = parse_ratings(reply, [entry.seq for entry in shown]) if reply else None
        if rated is not None:
            told = {seq: value for seq, value in values.items() if seq not in rated}
            values, method = told | changed_by(rated, shown), "model"
        if not agent.memory.record(weights_event(self._now(), last, values, method)):
            raise Unavailable("the archive cannot be written")
        standing.reweighed({entry.seq: entry.importance for entry in entries}, values)
        standing.weighed = last  # before the next await, so that a cancelled task does not repeat it
        await self._means.recall.reweigh(agent.id, values)

    async def _reflect(self, agent: Agent, engine: Engine, *, by_rules: bool = False) -> None:
        """Reflect and store the insights; `by_rules` asks no model."""
        standing, memory = self._taken_in(agent), agent.memory
        last = standing.through
        first = max(standing.reflected + 1, last - NIGHT + 1)
        # What was not weighed yet has no other importance, which is looked for in the archive.
        lived = read_weighed(memory, first, last) if standing.weighed >= first else memory.read(first, last)
        entries = open_to_all(lived)
        await asyncio.sleep(0)
        best = sorted(events_of(entries), key=lambda entry: (-entry.importance, -entry.seq))[:SHOWN]
        best.sort(key=lambda entry: entry.seq)
        prompt, shown = self._prompt(agent, "reflect", [] if by_rules else best)
        reply = await self._ask(agent, prompt, Task.REFLECTIONS) if shown else None
        found = parse_insights(reply, shown, agent.name) if reply else []
        if not found:
            found = await asyncio.to_thread(lambda: list(insights(entries, agent.name, self._means.say)))
        for one in fresh(found, standing.insights):
            self._keep(agent, engine, "thought", kept(one, self._means.say), INSIGHT)
            await asyncio.sleep(0)
        if agent.id not in engine.world.asleep:
            self._reflected[agent.slug] = self._means.clock.monotonic()
        self._taken_in(agent)  # includes the insights and entries since
        before, now = standing.sum, self._now()
        standing.look_back(memory.read(last + 1, standing.through), last, now)
        counted = {"insights": standing.count} if standing.counted_from == 1 else {}
        memory.record(event_of(REFLECTED, now, last, sum=before - standing.sum, **counted))

    async def dream(self, agent: Agent) -> str:
        """Return a dream of an agent, from a model if there is one.

        Raises Refusal when it has no memories of events; OSError when the archive cannot be read.
        """
        memory = agent.memory
        total = memory.total
        first = max(1, total - 2 * dreams.RECENT + 1)
        chance = Random(f"{agent.slug} {total}")  # the same memory gives the same dreams
        older: list[Entry] = []
        for place in dreams.places_to_look(first, chance):
            older += memory.read(*place)
            await asyncio.sleep(0)
        memories = dreams.mixed(open_to_all(memory.read(first, total)), open_to_all(older), chance)
        told = dreams.by_rules(memories, self._means.say, chance)
        if not told:
            raise Refusal(self._means.say(NOTHING))
        prompt, shown = self._prompt(agent, "dream", memories[:SHOWN])
        reply = await self._ask(agent, prompt, Task.DREAMS) if shown else None
        return (dreams.tidied(reply, self._means.say(dreams.REMEMBERED, dream="")) if reply else "") or told

    def write_down(self, agent: Agent, told: str, place: str | None) -> None:
        """Add a dream to the note of dreams; a failure is only logged, since the dream is remembered anyway."""
        try:
            title, at = self._means.say(dreams.NOTE), self._now()
            agent.notes.amend(title, lambda raw: dreams.with_dream(raw, title, told, at, place))
        except (Refusal, OSError) as error:
            log.warning("%s: the dream cannot be noted: %s", agent.name, error)

    async def _take_notes(self, agent: Agent, standing: ReflectionProgress) -> None:
        memory, notes, last = agent.memory, agent.notes, standing.through
        entries = memory.read(max(standing.noted + 1, last - NIGHT + 1), last)
        found = await asyncio.to_thread(note_taking.lines_of, entries, agent.slug, self._means.say)
        wanted = note_taking.worth_a_note(found, notes.titles(), memory.names)
        written = 0

        def read(seq: int) -> Entry | None:
            return next(iter(memory.read(seq, seq)), None)

        for title, lines in wanted.items():

            def amended(raw: str, title: str = title, lines: list[note_taking.NoteLine] = lines) -> str:
                return note_taking.with_lines(raw, title, lines, read, agent.slug, self._means.say)

            try:
                written += notes.amend(title, amended) is not None
            except Refusal as refusal:  # an unreadable or full note must not stop the others
                log.warning("%s: %s", agent.name, refusal)
            await asyncio.sleep(0)
        memory.record(event_of(NOTED, self._now(), last, notes=written))
        standing.noted = last
        if written:
            self._means.recall.sync_documents(agent.id, agent.documents)

    def _prompt(self, agent: Agent, name: str, entries: list[Entry]) -> tuple[str, list[Entry]]:
        """Return a prompt and the entries in it; empty when there is no model or no room."""
        if self._means.ask is None or self._means.models is None or not entries:
            return "", []
        try:
            self._prompts.load()  # people may edit them; read once a night
            words = self._prompts.named(name)
            profile = self._means.configuration.get_named(LLMProfile, self._profile(agent))
        except LociError as error:
            log.warning("%s: %s", agent.name, error)
            return "", []
        definition = agent.definition
        room = profile.num_ctx - profile.max_tokens - at_most(words.render(agent.name, definition.profile, ""))
        order = {entry.seq: place for place, entry in enumerate(entries)}
        shown = fitting(entries, room, at_most)
        shown.sort(key=lambda entry: order[entry.seq])
        return words.render(agent.name, definition.profile, "\n".join(map(line_of, shown))), shown

    def _profile(self, agent: Agent) -> str:
        wanted = self._settings(agent).dream_profile
        known = {name.lower() for name in self._means.configuration.names(LLMProfile)}
        return wanted if wanted.lower() in known else agent.settings().profile

    async def _ask(self, agent: Agent, prompt: str, task: Task) -> str | None:
        """Return a model's reply; None when there is none, it fails, or the budget is used up."""
        models = self._means.models
        if models is None or not prompt:
            return None
        try:
            reply = await models.ask(lambda: prompt, self._profile(agent), Urgency.SUMMARIZE, agent.name, task=task)
        except LociError as error:
            log.info("%s: no model for the inner life: %s", agent.name, error)
            return None
        return reply.text[:LONGEST_REPLY]

    def _keep(self, agent: Agent, engine: Engine, kind: str, text: str, mark: str | None = None) -> None:
        """Store an entry through a step of the world, so that no kill can lose it."""
        if engine.answer(Request(NAME, agent.id, engine.number, keep=kind), Outcome(text, mark=mark)).number == 0:
            raise Unavailable("the ledger cannot be written")

    def _now(self) -> str:
        return iso(self._means.clock.now())
