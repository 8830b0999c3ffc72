"""The brain that needs no language model: a small engine over the intents, words and texts of the vault."""

from agents.brains.instinct.brain import INSTINCT as INSTINCT
