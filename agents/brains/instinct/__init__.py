"""The brain that needs no language model: it answers, remembers, wanders and wishes by rules."""

from __future__ import annotations

from agents.brains.natural.brain import NATURAL

INSTINCT = NATURAL._replace(name="instinct")
"""The new brain under the name of the old one, until it takes its folder as well."""
