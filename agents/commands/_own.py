"""What is alike in all that people and agents say about themselves: see it, and change it.

What a person types replaces what the agent.md says. What a mind types never does: it stands in a section of its own.
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
    """One thing that somebody says about themselves.

    Args:
        field: the definition's field that holds it.
        write: writes it into the agent.md: all minds, whose, the words.
        mine, mine_none: how it is told; what is told when there is none.
        set, was: what a change is told as, and what is added when it was something before.
        seen: what others see of a change.
        cleared: what is told of a change to nothing; None when it may not be nothing.
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
        """Ask for it."""
        return Outcome("", requests=(Request(f"my_{self.field}", ctx.actor.id, ctx.step, keep="result"),))

    def change(self, ctx: Context, text: str) -> Outcome:
        """Ask for a change."""
        args = {"text": text, "reason": ctx.reason or "", "person": "yes" if ctx.role > Role.AGENT else ""}
        return Outcome("", requests=(Request(f"set_{self.field}", ctx.actor.id, ctx.step, args, keep="did"),))

    def told(self, minds: Population, request: Request) -> Outcome:
        """Return it to whoever asks."""
        agent = minds.of(request)
        text, own = self._of(agent), getattr(agent.definition, f"own_{self.field}")
        lines = [minds.say(self.mine, text=text) if text else minds.say(self.mine_none)]
        return Outcome("\n".join([*lines, *([minds.say(OWN_WORDS, text=own)] if own else [])]), mark=OWN_SELF)

    def changed(self, minds: Population, request: Request) -> Outcome:
        """Write what is new, and say what it was before.

        Raises:
            Refusal: when it cannot be; then nothing has changed.
        """
        agent = minds.of(request)
        if not request.args.get("person"):  # whoever is not known to be one is taken for a mind
            return self._said_of_oneself(minds, agent, request.args["text"])
        before = self._of(agent)
        words = words_of(request.args["text"], minds, may_be_empty=self.cleared is not None)
        self.write(minds, agent, words)
        told = minds.say(self.cleared) if self.cleared and not words else minds.say(self.set, text=words)
        return seen(minds, agent, f"{told}\n{minds.say(self.was, text=before)}" if before else told, told, self.seen)

    def _said_of_oneself(self, minds: Population, agent: Agent, text: str) -> Outcome:
        """Write what a mind says of itself beside what people wrote, which stays."""
        words = words_of(text, minds, may_be_empty=self.cleared is not None, most=LONGEST_OWN)
        set_section(minds, agent, f"Own {self.field}", words, own=True)
        told = minds.say(self.cleared) if self.cleared and not words else minds.say(self.set, text=words)
        return seen(minds, agent, told, told, self.seen)

    def _of(self, agent: Agent) -> str:
        return str(getattr(agent.definition, self.field))
