"""What needs a mind: think, note, recall, memory and its compaction, looking into an agent.

To add one, write a module here, or add to one, with a `@command` as in `mud.commands`; when it has to look into a mind,
let it return `ask(...)` and write beside it a coroutine `@answers("that name")` that takes the Population and the
Request and returns an `Outcome`. `app` hands both to the engine.
"""

from __future__ import annotations

from agents.commands._answer import Answerer, answers
from mud.commands import Command
from mud.registry import collect

__all__ = ["Answerer", "answers", "mind_commands"]

_NAMES = """
    @archive @bootstrap-summaries @brain @compact-memories @compaction @correct @corrections
    @forget-memory @undo-correction @cost @my-description @set-description dream
    @forget @my-goal @set-goal @impersonate @edit-interval @journal @llm-status @memory-history note @overwrite-note
    @restore-note notes @note-history @pause @resume @possess @release @my-profile @set-profile @show-profile
    @edit-profile @rebuild-summaries recall @memory-status think @training @undo-change @why
"""
ORDER = tuple(_NAMES.split())
"""The order in help and in prompts; other commands follow."""


def mind_commands() -> list[Command]:
    """Return the commands of this package in their order."""
    return sorted(collect(__name__, Command), key=lambda one: (*ORDER, one.name).index(one.name))
