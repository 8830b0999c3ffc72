"""Gathers what an agent knows now and passes it to the pure prompt builder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypedDict

from agents.agent import Agent
from agents.compaction.due import fold_under_pressure
from agents.compaction.status import Shed
from agents.compaction.view import UNLIMITED
from agents.definition import AgentDefinition
from agents.memory.entries import Hit, in_prompt
from agents.memory.memory import View
from agents.memory.note_form import Note
from agents.mind.settings import offers
from agents.mind.templates import Templates
from agents.population import Population
from agents.prompt.excerpts import Room, excerpts, first_sentence
from agents.prompt.prompt import TEMPLATES, Prompt, PromptParts, Template, build_prompt, room_for_memories
from agents.recall.settings import RecallSettings
from agents.text.daytime import labels, now_in_words
from mud.commands import Command, shown_name
from mud.errors import Refusal, Unavailable, VaultProblem
from mud.registry import Registry
from mud.world.narration import phrase
from mud.world.sight import is_dark, items_seen, looks
from mud.world.things import Thing

FULL_HINT = phrase("minds.sleep.full_hint")
CUE_LINES = 6
"""Number of newest entries in the query for related notes and experiences."""
LEAST_LINE = 2
"""Least tokens of a line, including its end."""
SETTLED = 6
"""Number of newest entries after which an unchanged place is described by its first sentence only.

It was in the earlier prompts, and `look` shows it again. Full descriptions of the shipped vault take 68 tokens at every
thought, first sentences 24.
"""

SMALL_WINDOWS = 8
"""Past experiences take at most one of so many parts of the window, when `experience_share` is less."""
QUOTED = ("said", "heard", "told", "thought")
"""Kinds of entries that may be quoted from a time whose summary adds nothing."""
MOST_QUOTED = 256


class _Measures(TypedDict):
    window: int
    reserve: int
    count: Callable[[str], int]


class Related(NamedTuple):
    """Search results related to the present, best first, and the query."""

    notes: tuple[Hit, ...] = ()
    summaries: tuple[Hit, ...] = ()
    cue: str = ""


class Prompting:
    def __init__(self, minds: Population, templates: Templates[Template], commands: Registry[Command]) -> None:
        self._minds, self._templates, self._offers = minds, templates, offers(commands)
        self._rooms: dict[str, tuple[object, int]] = {}

    async def related(self, agent: Agent) -> Related:
        cue = self._cue(agent)
        if not cue:
            return Related()
        recall, kinds = self._minds.means.recall, ("note", "summary")
        hits = await recall.related(agent.id, cue, kinds, shown=_shown(_view(agent)))
        notes, summaries = (tuple(hit for hit in hits if hit.kind == kind) for kind in kinds)
        return Related(notes, summaries, cue)

    def _cue(self, agent: Agent) -> str:
        here = self._here(agent)
        if here is None:
            return ""
        people = self._people(agent, here)
        lines = [entry.text for entry in agent.memory.newest(CUE_LINES)]
        return "\n".join([here.name, *people, agent.definition.goal, agent.definition.own_goal, *lines]).strip()

    def _here(self, agent: Agent) -> Thing | None:
        """Return an agent's location; while it is away, the one that it left and will return to."""
        world = self._minds.world
        return (world.location_of(agent.id) or world.location(world.away.get(agent.id, ""))) if world else None

    def _people(self, agent: Agent, here: Thing) -> list[str]:
        world = self._minds.world
        if world is None:
            return []
        return [shown_name(world, self._minds.say, one) for one in world.people(here.id) if one.id != agent.id]

    def build(self, agent: Agent, related: Related, hint: str = "", *, thinks: bool = False) -> Prompt:
        """Return an agent's prompt; for a thought (`thinks`) entries without room are folded first.

        Raises Refusal when the character has no location, and Unavailable when the window is too small for any prompt.
        """
        folds = thinks and self._minds.means.writable
        if folds:
            agent.relieve()
        prompt = self._built(agent, self._parts(agent, related, hint))
        while folds and prompt.unheld is not None and agent.make_room(prompt.unheld[1]):
            prompt = self._built(agent, self._parts(agent, related, hint))
        return prompt

    def _built(self, agent: Agent, parts: PromptParts) -> Prompt:
        return build_prompt(parts, self._template(agent), **self._measures(agent))

    def _template(self, agent: Agent) -> Template:
        settings = agent.thinking()
        own, usual = settings.own_template, TEMPLATES[settings.prompt_order]
        return self._templates.get(own if self._templates.has(own) else usual)

    def _measures(self, agent: Agent) -> _Measures:
        profile = agent.profile()
        return {"window": profile.num_ctx, "reserve": profile.max_tokens, "count": agent.counter.prompts()}

    async def next_prompt(self, agent: Agent) -> Prompt:
        return self.build(agent, await self.related(agent), thinks=True)

    def room(self, agent: Agent) -> int:
        """Return the tokens for summaries and entries in an agent's next prompt, wherever it is. Cached."""
        means, definition = self._minds.means, agent.definition
        try:
            template = self._template(agent)
        except VaultProblem:  # no template is usable, as `check` reports: no prompt is ever built
            return UNLIMITED
        by = (definition, means.configuration.version, agent.counter.ratio, template)
        if self._rooms.get(agent.slug, (None,))[0] != by:
            self._rooms[agent.slug] = by, self._room(agent)
        return self._rooms[agent.slug][1]

    def _room(self, agent: Agent) -> int:
        parts = PromptParts(agent.name, _profile_of(agent), self._listed(agent))
        try:
            return room_for_memories(parts, self._template(agent), **self._measures(agent))
        except Unavailable:  # no prompt is ever built, as `check` reports
            return UNLIMITED

    def shed(self, agent: Agent) -> Shed | None:
        """Return what an agent's next prompt leaves out, apart from related texts; None when there is no prompt."""
        try:
            parts = self._parts(agent, Related(), "")
            prompt = self._built(agent, parts)
            plan = fold_under_pressure(agent.compactor.view, prompt.unheld[1]) if prompt.unheld is not None else None
            if plan is not None and parts.transcript_range is not None:
                first, last = max(parts.transcript_range[0], plan.last + 1), parts.transcript_range[1]
                kept = parts.transcript[len(parts.transcript) - (last - first + 1) :]
                passed = parts.passed[len(parts.passed) - len(kept) :]
                rest = replace(parts, transcript=kept, passed=passed, transcript_range=(first, last), left_out=None)
                prompt = self._built(agent, rest)
        except (Refusal, Unavailable, VaultProblem):
            return None
        return Shed(prompt.shed, prompt.unheld)

    def _room_for_related(self, agent: Agent) -> Room:
        settings, most = agent.thinking(), self._minds.means.configuration.get(RecallSettings).related_summaries
        window, share = agent.profile().num_ctx, settings.experience_share
        least = min(settings.experience_least, window // SMALL_WINDOWS) if share else 0
        return Room(settings.related_tokens, max(int(share * window), least), most)

    def _listed(self, agent: Agent) -> tuple[tuple[str, str], ...]:
        return tuple((one.usage, one.summary) for one in self._offers[agent.thinking().self_changes])

    def _parts(self, agent: Agent, related: Related, hint: str) -> PromptParts:
        world, here = self._minds.world, self._here(agent)
        if world is None or here is None:
            raise Refusal(f"{agent.name} is nowhere just now, so there is no prompt.")
        view, clock = _view(agent), self._minds.means.clock
        tail = view.tail
        longterm, recent = (one.text if one else "" for one in (view.longterm, view.recent))
        told = "\n".join([longterm, recent, *(entry.text for entry in tail)])
        found, memories = (*related.notes, *related.summaries), partial(_worth_quoting, agent)
        cue = related.cue or self._cue(agent)
        chosen = excerpts(found, cue, told, self._room_for_related(agent), agent.counter.prompts(), memories)
        return PromptParts(
            name=agent.name,
            profile=_profile_of(agent),
            commands=self._listed(agent),
            longterm=longterm,
            recent=recent,
            transcript=tuple(in_prompt(entry, agent.name) for entry in tail),
            passed=labels(self._minds.say, [entry.at for entry in tail], clock.zone),
            notes=chosen.notes,
            experiences=chosen.experiences,
            notes_crowded_out=chosen.notes_crowded_out,
            experiences_crowded_out=chosen.experiences_crowded_out,
            hints=(hint,) if hint else (),
            location=here.name,
            description=self._described(agent, here),
            exits=tuple(way.name for way in here.exits),
            people=tuple(self._people(agent, here)),
            items=tuple(item.name for item in items_seen(world, here)),
            carried=tuple(item.name for item in world.items(agent.id)),
            now=now_in_words(self._minds.say, clock.now().astimezone(clock.zone)),
            recent_range=view.recent.covers if view.recent else None,
            transcript_range=(tail[0].seq, tail[-1].seq) if tail else None,
            hidden=view.hidden,
            left_out=view.left_out,
        )

    def _described(self, agent: Agent, here: Thing) -> str:
        """Return an agent's place in words, and that its head is full: a hint would be the first to be left out of a
        full prompt.
        """
        newest = agent.memory.newest(SETTLED)
        settled = len(newest) == SETTLED and all(entry.place == here.name for entry in newest)
        world = self._minds.world
        seen = "" if world is None or is_dark(world, here) else looks(world, here, agent.id)
        parts = (first_sentence(seen) if settled else seen, self._minds.say(FULL_HINT) if agent.head_is_full else "")
        return "\n".join(part for part in parts if part)


def _shown(view: View) -> Callable[[Hit], bool]:
    """Return a predicate for hits that the prompt shows anyway: summaries in use and notes just written."""
    told = [summary for summary in (view.longterm, view.recent) if summary is not None]
    lines = "\n".join(entry.text for entry in view.tail if entry.kind == "note")

    def shown(hit: Hit) -> bool:
        if hit.kind == "note":
            return all(part.text in lines for part in Note(hit.title or "", "", hit.text, "").sections)
        return any(hit.covers == one.covers or hit.text == one.text for one in told)

    return shown


def _worth_quoting(agent: Agent, first: int, last: int) -> list[str]:
    try:
        entries = agent.memory.read(max(first, last - MOST_QUOTED + 1), last)
    except OSError:
        return []
    return [_as_past(entry.text) for entry in entries if entry.kind in QUOTED and not entry.failed]


def _as_past(line: str) -> str:
    """Put a line of speech into past tense: `You say, "Tea?"` becomes `I said, "Tea?"`."""
    lead, mark, said = line.partition(', "')
    if lead == "You say":
        return f"I said{mark}{said}"
    return f"{lead.removesuffix(' says')} said{mark}{said}" if lead.endswith(" says") else line


def _profile_of(agent: Agent) -> str:
    one = agent.definition
    said = (
        ("What you say of yourself", one.own_profile),
        ("What you say you look like", one.own_description),
        ("Your habits", _habits_of(one, reflex=False)),
        ("What you do at once", _habits_of(one, reflex=True)),
        ("What you want", one.goal),
        ("What you have come to want", one.own_goal),
    )
    return "\n".join([one.profile or one.description, *(f"{what}: {words}" for what, words in said if words)])


def _habits_of(definition: AgentDefinition, *, reflex: bool) -> str:
    told = [
        f"{habit.when if habit.timed else f'when {habit.when}'}: {habit.does}"
        for habit in definition.habits
        if habit.reflex is reflex
    ]
    return "; ".join(told)


def _view(agent: Agent) -> View:
    most = agent.compactor.view.state().window // LEAST_LINE
    return agent.compactor.view.shown(max(most, agent.settings().runtime_cap))
