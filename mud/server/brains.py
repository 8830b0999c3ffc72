"""The kinds of brain of a world: the plug-ins of `agents.brains`, told what can be typed.

Apart from the rest that is put together because it is a fifth of the program: a world opens without it, and whoever
thinks first loads it.
"""

from __future__ import annotations

from functools import cache

from agents.brains import Brain
from agents.brains.language import LANGUAGE, language
from mud.registry import Registry, collect
from mud.server.wiring import load_commands


@cache
def load_brains() -> Registry[Brain]:
    """Return the kinds of brain; the one that asks a model knows every verb, to tell commands from prose.

    What of them an agent may type the engine decides, so that one that it was not offered is a failure it remembers.
    """
    verbs = load_commands().words()
    found = [one for one in collect("agents.brains", Brain) if one.name != LANGUAGE.name]
    return Registry("brain", [*found, language(verbs)])
