"""The brain that needs no language model: it answers, remembers, wanders and wishes by rules."""

from __future__ import annotations

from agents.brains.instinct.brain import INSTINCT

__all__ = ["INSTINCT"]
