"""`think`: think something to oneself."""

from __future__ import annotations

from mud.commands import Context, Outcome, command
from mud.world.narration import phrase

THOUGHT = phrase("minds.think.thought", "words")


@command("think", "<words>", category="memory", for_models=True)
def think(ctx: Context, words: str) -> Outcome:
    """Think something to yourself. Nobody perceives it; you remember it.

    Example: think the lamps were lit early today
    """
    return Outcome(ctx.say(THOUGHT, words=words), kind="thought")
