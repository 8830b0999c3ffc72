"""Ways to decide what to do next, one file each.

To add one, write a module here with a class that follows `_brain.BrainRun` and, at module level,
`MINE = Brain("mine", "one sentence about it", MineBrain)`. It can then be named in `brain:` of an agent.md. It may
look things up by yielding `Recall` and ask the model by yielding `Complete`; it never does either itself.
"""

from __future__ import annotations

from agents.brains._brain import Brain, BrainRun, Complete, Decision, Person, Recall, Situation, Voice
from agents.brains._disclosure import is_secret
from agents.brains._texts import says_name, wrong_in
from agents.brains._words import stem

__all__ = [
    "Brain",
    "BrainRun",
    "Complete",
    "Decision",
    "Person",
    "Recall",
    "Situation",
    "Voice",
    "is_secret",
    "says_name",
    "stem",
    "wrong_in",
]
