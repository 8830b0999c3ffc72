"""The brain of an agent for which a program elsewhere thinks; `agents.hosts.websocket` asks that program.

What stands here is for the turns in which it does not answer: it declines, so that the instinct takes them.
"""

from __future__ import annotations

from random import Random

from agents.brains import Brain, BrainRun, Decision, InterpreterSource, Situation, Thought, Voice
from agents.memory.perception import given, spoken
from agents.text.addressing import Address, addressed
from mud.world.events import Perception

REMOTE = "remote"
ANSWER_AFTER = 1.0
"""Seconds after which one who is spoken to would like to think: long enough for a second line to follow the first."""


class Remote:
    """One agent's."""

    def __init__(self, name: str) -> None:
        self._name = name

    def notice(self, perceived: Perception, seconds: float) -> float | None:
        """Wish to think soon when given something or spoken to."""
        said = spoken(perceived)
        for_me = said is not None and addressed(said.words, (self._name,), private=said.private) is Address.ME
        return ANSWER_AFTER if for_me or given(perceived) else None

    def decide(self, situation: Situation) -> Thought:
        return Decision(None, "no program thought for it in time")
        yield  # makes this the generator that a thought is


def start(name: str, rng: Random, voice: Voice, interpreter: InterpreterSource) -> BrainRun:
    return Remote(name)


BRAIN = Brain(REMOTE, "Has a program elsewhere think, which connects by websocket.", start)
