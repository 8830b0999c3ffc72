"""What needs a mind: think, note, recall, memory and its compaction, looking into an agent.

To add one, write a module here with a `@command` as in `mud.commands`, and, when it has to look into a mind, let it
return a `Request` and write beside it a coroutine `@answers("that name")` that takes the Population and the Request and
returns an `Outcome`. `app` hands both to the engine.
"""

from __future__ import annotations

from agents.commands._answer import Answerer, answers

__all__ = ["Answerer", "answers"]
