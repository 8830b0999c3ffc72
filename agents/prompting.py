"""From an agent's present to its prompt: gathers what the agent knows and hands it to the pure builder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from agents.agent import Agent
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import at_most
from agents.memory.entries import Entry, Hit
from agents.memory.memory import View
from agents.memory.note_form import Note
from agents.minds import Minds
from agents.prompt import Prompt, PromptParts, build_prompt
from agents.prompt_excerpts import Room, excerpts, first_sentence
from agents.prompt_template import TEMPLATES, Template
from agents.recall.settings import RecallSettings
from agents.templates import Templates
from mud.commands._command import Command
from mud.commands._view import shown_name
from mud.errors import Refusal
from mud.registry import Registry
from mud.storage.settings import setting
from mud.world.narration import phrase
from mud.world.roles import Role
from mud.world.things import Thing

FULL_HINT = phrase("minds.sleep.full_hint")
CUE_LINES = 6
"""Newest memories that decide which notes and experiences are related to the present."""
SETTLED = 6
"""Newest memories after which a place that all of them are of is told by its first sentence alone: what it looks like
was read in the prompts of all these, and `look` tells it again. It is read anew at every thought, and the whole
descriptions of the shipped vault take 68 tokens, their first sentences 24."""

QUOTED = ("said", "heard", "told", "thought")
"""Kinds of memories that may stand for a past time whose summary has nothing new to tell."""
MOST_QUOTED = 256
"""Memories of one past time that are looked at for that, the newest."""


@dataclass(frozen=True, slots=True)
class ThinkingSettings:
    """`config/thinking.md`."""

    prompt_order: str = setting(
        "stable",
        "Order of a prompt: stable keeps what changes at the end, so that the model server can reuse what it has read; "
        "classic puts related notes before the summaries.",
        choices=("stable", "classic"),
    )
    related_tokens: int = setting(
        110,
        "How many tokens of a prompt related notes may take, as the prompt's own rough count has it; the sentences "
        "that fit the present best are chosen. They are read anew at every thought; a quick model may be given more.",
        low=0,
        high=100_000,
    )
    experience_share: float = setting(
        0.05,
        "Which share of the model's window related past experiences may take, 410 tokens of 8192; of each at least two "
        "whole sentences are shown, or nothing. They are read anew at every thought.",
        low=0.0,
        high=1.0,
    )
    sleep_at: str = setting(
        "", "When agents fall asleep, by the machine's time of day, such as 22:00; empty for not by the clock."
    )
    wake_at: str = setting("", "When a sleeping agent wakes by itself, such as 06:00; empty for not by the clock.")
    nap_hours: float = setting(
        1.0,
        "Hours after which an agent that sleeps at another time than its night wakes by itself; 0 for never.",
        low=0.0,
        high=24.0,
    )
    trace_megabytes: float = setting(
        16.0,
        "Megabytes that the traces of one agent may take, from which @why explains its lines, the oldest going first; "
        "a line of the instinct takes about 3 kB, one of a model 4 bytes for each token of its prompt; 0 keeps none.",
        low=0.0,
        high=10_000.0,
    )


class Related(NamedTuple):
    """What resembles the present.

    Args:
        notes: notes, best first.
        summaries: summaries of other times, best first; a prompt shows the first of them that have something to add.
        cue: what was looked for.
    """

    notes: tuple[Hit, ...] = ()
    summaries: tuple[Hit, ...] = ()
    cue: str = ""


class Prompting:
    """Builds prompts.

    Args:
        minds: all minds.
        templates: the prompt templates.
        profile: returns the `think` profile as it is set now.
        commands: every command; those meant for models are listed in the prompt.
    """

    def __init__(
        self,
        minds: Minds,
        templates: Templates[Template],
        profile: Callable[[], LLMProfile],
        commands: Registry[Command],
    ) -> None:
        self._minds = minds
        self._templates = templates
        self._profile = profile
        self._commands = commands

    async def related(self, agent: Agent) -> Related:
        """Look up what resembles an agent's present: where it is, who is there, what was said last."""
        means = self._minds.means
        cue = self._cue(agent)
        if not cue:
            return Related()
        hits = await means.recall.related(agent.id, cue, ("note", "summary"), shown=_shown(_view(agent)))
        return Related(
            tuple(hit for hit in hits if hit.kind == "note"),
            tuple(hit for hit in hits if hit.kind == "summary"),
            cue,
        )

    def _cue(self, agent: Agent) -> str:
        here = self._here(agent)
        if here is None:
            return ""
        people = self._people(agent, here)
        lines = [entry.text for entry in agent.memory.newest(CUE_LINES)]
        return "\n".join([here.name, *people, agent.definition.goal, *lines]).strip()

    def _here(self, agent: Agent) -> Thing | None:
        """Return where a character stands, or, while it is away, where it left from and will come back to."""
        world = self._minds.world
        return (world.location_of(agent.id) or world.location(world.away.get(agent.id, ""))) if world else None

    def _people(self, agent: Agent, here: Thing) -> list[str]:
        world = self._minds.world
        if world is None:
            return []
        return [shown_name(world, self._minds.say, one) for one in world.people(here.id) if one.id != agent.id]

    def build(self, agent: Agent, related: Related, hint: str = "", *, thinks: bool = False) -> Prompt:
        """Return the prompt an agent would get now.

        Args:
            agent: whose.
            related: what resembles its present.
            hint: advice for this turn; empty for none.
            thinks: it is for a thought, so that a view which takes too much of the window is folded first; whoever
                only looks at a prompt changes nothing.

        Raises:
            Refusal: when its character is nowhere.
            Unavailable: when the window is too small for any prompt.
        """
        if thinks and self._minds.means.writable:
            agent.relieve()
        profile = self._profile()
        settings = self._minds.means.configuration.for_agent(ThinkingSettings, agent.definition.overrides)
        template = self._templates.get(TEMPLATES[settings.prompt_order])
        most = self._minds.means.configuration.get(RecallSettings).related_summaries
        room = Room(settings.related_tokens, int(settings.experience_share * profile.num_ctx), most)
        parts = self._parts(agent, related, hint, room)
        return build_prompt(parts, template, window=profile.num_ctx, reserve=profile.max_tokens, count=at_most)

    def _parts(self, agent: Agent, related: Related, hint: str, room: Room) -> PromptParts:
        world, here = self._minds.world, self._here(agent)
        if world is None or here is None:
            raise Refusal(f"{agent.name} is nowhere just now, so there is no prompt.")
        view = _view(agent)
        tail = view.tail
        longterm = view.longterm.text if view.longterm else ""
        recent = view.recent.text if view.recent else ""
        told = "\n".join([longterm, recent, *(entry.text for entry in tail)])
        found = (*related.notes, *related.summaries)
        memories = partial(_worth_quoting, agent)
        chosen = excerpts(found, related.cue or self._cue(agent), told, room, at_most, memories)
        return PromptParts(
            name=agent.name,
            profile=_profile_of(agent),
            commands=tuple((c.usage, c.summary) for c in self._commands if c.for_models and c.role <= Role.AGENT),
            longterm=longterm,
            recent=recent,
            transcript=tuple(_line(entry) for entry in tail),
            notes=chosen.notes,
            experiences=chosen.experiences,
            notes_crowded_out=chosen.notes_crowded_out,
            experiences_crowded_out=chosen.experiences_crowded_out,
            hints=(hint,) if hint else (),
            location=here.name,
            description=self._described(agent, here),
            exits=tuple(way.name for way in here.exits),
            people=tuple(self._people(agent, here)),
            items=tuple(item.name for item in world.items(here.id)),
            longterm_range=view.longterm.covers if view.longterm else None,
            recent_range=view.recent.covers if view.recent else None,
            transcript_range=(tail[0].seq, tail[-1].seq) if tail else None,
            hidden=view.hidden,
            left_out=view.left_out,
        )

    def _described(self, agent: Agent, here: Thing) -> str:
        """Return what an agent's place looks like, in short when it has been there for a while, and that its head is
        full when it is.

        Of a prompt that is full hints are left out first, so this one stands where nothing is.
        """
        newest = agent.memory.newest(SETTLED)
        settled = len(newest) == SETTLED and all(entry.place == here.name for entry in newest)
        looks = first_sentence(here.description) if settled else here.description
        parts = (looks, self._minds.say(FULL_HINT) if agent.head_is_full else "")
        return "\n".join(part for part in parts if part)


def _shown(view: View) -> Callable[[Hit], bool]:
    """Return what tells whether the prompt shows a hit anyway: a summary in use, or a note just written."""
    told = [summary for summary in (view.longterm, view.recent) if summary is not None]
    lines = "\n".join(entry.text for entry in view.tail if entry.kind == "note")

    def shown(hit: Hit) -> bool:
        if hit.kind == "note":
            return all(part.text in lines for part in Note(hit.title or "", "", hit.text, "").sections)
        return any(hit.covers == one.covers or hit.text == one.text for one in told)

    return shown


def _worth_quoting(agent: Agent, first: int, last: int) -> list[str]:
    """Return what was said and thought in a range of memories; nothing when the archive cannot be read."""
    try:
        entries = agent.memory.read(max(first, last - MOST_QUOTED + 1), last)
    except OSError:
        return []
    return [entry.text for entry in entries if entry.kind in QUOTED and not entry.failed]


def _profile_of(agent: Agent) -> str:
    definition = agent.definition
    goal = f"\nWhat you want: {definition.goal}" if definition.goal else ""
    return (definition.profile or definition.description) + goal


def _line(entry: Entry) -> str:
    return f"{entry.text} (your reason: {entry.reason})" if entry.reason else entry.text


def _view(agent: Agent) -> View:
    """Return what is shown of a life; of a long arrear no more than is held in RAM."""
    return agent.life.context(agent.settings().runtime_cap)
