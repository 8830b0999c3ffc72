"""The common part of the commands by which characters see and change what they say about themselves.

A person's text replaces the one in agent.md. An agent's text goes into a section of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from agents.agent import Agent
from agents.commands._edit import LONGEST_OWN, seen, set_section, words_of
from agents.population.population import Population
from mud.commands import Context, Outcome
from mud.world.events import OWN_SELF, Request
from mud.world.narration import Phrase, phrase
from mud.world.roles import Role

OWN_WORDS = phrase("minds.edit.own_words", "text")


class Own(NamedTuple):
    """One field that characters may change about themselves.

    Args:
        write: writes it into the agent.md.
        mine, mine_none: show it; say that it is empty.
        set, was: report a change; name the text before it.
        cleared: reports an empty text; None when it may not be empty.
    """

    field: str
    write: Callable[[Population, Agent, str], object]
    mine: Phrase
    mine_none: Phrase
    set: Phrase
    was: Phrase
    seen: Phrase
    cleared: Phrase | None = None

    def see(self, ctx: Context) -> Outcome:
        return Outcome("", requests=(Request(f"my_{self.field}", ctx.actor.id, ctx.step, keep="result"),))

    def change(self, ctx: Context, text: str) -> Outcome:
        args = {"text": text, "reason": ctx.reason or "", "person": "yes" if ctx.role > Role.AGENT else ""}
        return Outcome("", requests=(Request(f"set_{self.field}", ctx.actor.id, ctx.step, args, keep="did"),))

    def told(self, minds: Population, request: Request) -> Outcome:
        agent = minds.of(request)
        text, own = self._of(agent), getattr(agent.definition, f"own_{self.field}")
        lines = [minds.say(self.mine, text=text) if text else minds.say(self.mine_none)]
        return Outcome("\n".join([*lines, *([minds.say(OWN_WORDS, text=own)] if own else [])]), mark=OWN_SELF)

    def changed(self, minds: Population, request: Request) -> Outcome:
        """Write the new text and report it with the one before; refuses when it cannot be written."""
        agent = minds.of(request)
        if not request.args.get("person"):  # without the mark of a person it counts as an agent
            return self._said_of_oneself(minds, agent, request.args["text"])
        before = self._of(agent)
        words = words_of(request.args["text"], minds, may_be_empty=self.cleared is not None)
        self.write(minds, agent, words)
        told = minds.say(self.cleared) if self.cleared and not words else minds.say(self.set, text=words)
        return seen(minds, agent, f"{told}\n{minds.say(self.was, text=before)}" if before else told, told, self.seen)

    def _said_of_oneself(self, minds: Population, agent: Agent, text: str) -> Outcome:
        words = words_of(text, minds, may_be_empty=self.cleared is not None, most=LONGEST_OWN)
        set_section(minds, agent, f"Own {self.field}", words, own=True)
        told = minds.say(self.cleared) if self.cleared and not words else minds.say(self.set, text=words)
        return seen(minds, agent, told, told, self.seen)

    def _of(self, agent: Agent) -> str:
        return str(getattr(agent.definition, self.field))
