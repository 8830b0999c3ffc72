"""The brain plug-ins of `agents.brains`, with the list of verbs.

Separate from `wiring` because importing it is a fifth of the program: the first agent that thinks loads it.
"""

from __future__ import annotations

from functools import cache

from agents.brains import Brain
from agents.brains.language import LANGUAGE, language
from mud.registry import Registry, collect
from mud.server.wiring import load_commands


@cache
def load_brains() -> Registry[Brain]:
    """Return the brains; the language brain gets every verb, to tell commands from prose.

    The engine decides which of them an agent may use, so that a refused command is a failure the agent remembers.
    """
    verbs = load_commands().words()
    found = [one for one in collect("agents.brains", Brain) if one.name != LANGUAGE.name]
    return Registry("brain", [*found, language(verbs)])
