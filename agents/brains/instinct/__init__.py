"""The brain that needs no language model: a small engine over the intents, words and texts of the vault."""

from __future__ import annotations

from random import Random

from agents.brains import Brain, BrainRun, InterpreterSource, Voice


def start(name: str, rng: Random, voice: Voice, interpreter: InterpreterSource) -> BrainRun:
    """Make one agent's instinct, loading it for the first: a world opens, and reads the vault's words, without it."""
    from agents.brains.instinct.brain import Instinct

    return Instinct(name, rng, voice, interpreter)


INSTINCT = Brain("instinct", "Lives without a language model: reads by intents, remembers, talks, has habits.", start)
