"""A scripted hour of a small world on virtual time: `python -m tests.hour VAULT CALL` prints what was answered.

Eliza walks, talks, notes and recalls, minute by minute; her memories are folded by a model that fails at its n-th call,
0 for never; the state is saved every five minutes. Nothing of it hangs on the machine's clock or on luck, so the n-th
system call of two hours is the same. Where vectors are wanted, each minute waits until the child process has them.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from agents.llm.backend import Backend
from agents.llm.backends.scripted import ScriptedModel, Turn
from agents.recall.settings import RecallSettings
from mud.clock import VirtualClock
from mud.engine.engine import Step
from mud.errors import LociError, Unavailable
from mud.registry import Registry
from mud.server.requests import carry_out
from mud.server.wiring import ModelSource, Parts, opened
from mud.world.roles import Role

LINES = (
    "say lantern {} hangs here",
    "take lamp glass",
    "go north",
    "note Lantern -> The {}. lantern burns.",
    "say lantern {} is for Moss",
    "recall lantern",
    "drop lamp glass",
    "go south",
    "@compact-memories Eliza",
    "think of lantern {}",
)
MINUTES = 60
SAVED_EVERY = 5
"""Minutes between two savings."""


class FailingModel(ScriptedModel):
    """A model that always says the same and fails at one call; `calls` counts them."""

    def __init__(self, fails_at: int) -> None:
        super().__init__(self._turns_until(fails_at))
        self.calls = 0

    def _turns_until(self, fails_at: int) -> Iterator[Turn]:
        while True:
            self.calls += 1
            yield Unavailable("the model is away") if self.calls == fails_at else "I was in the Garden with lanterns."


async def live(parts: Parts, clock: VirtualClock) -> None:
    """Let the hour pass, and print each reply to what Eliza says; she sleeps when her memory cannot be opened."""
    engine, eliza = parts.engine, parts.minds.by_slug("eliza")
    if eliza is None:
        return
    engine.observe(parts.minds.observe)
    embeds = parts.configuration.get(RecallSettings).embedder != "none"
    if embeds:
        await parts.recall.start()
        await parts.minds.catch_up(eliza)
    for minute in range(MINUTES):
        clock.advance(60)
        engine.elapse()
        step = engine.step(eliza.id, LINES[minute % len(LINES)].format(minute), Role.OWNER)
        if not step.failed and step.reply.startswith("You say"):
            print(step.reply, flush=True)
        await _settle(parts, step)
        if embeds:
            await parts.recall.complete()
        if minute % SAVED_EVERY == SAVED_EVERY - 1:
            _save(parts)
    vectors = parts.recall.status(eliza.id)["vector_through"]
    print(f"memories: {eliza.memory.total}, with vectors: {vectors}", file=sys.stderr)


async def _settle(parts: Parts, step: Step) -> None:
    for request in step.requests:
        parts.engine.answer(request, await carry_out(parts, request, list))
    await parts.minds.folds.settle()


def _save(parts: Parts) -> None:
    try:
        parts.save()
    except OSError as error:
        print(f"loci: not saved: {error}", file=sys.stderr)


async def _all(parts: Parts, clock: VirtualClock) -> None:
    try:
        await live(parts, clock)
    finally:
        await parts.minds.finish_folds(0)
        await parts.queue.close(0)
        _save(parts)
        await parts.recall.stop()


def main(vault: Path, fails_at: int) -> int:
    clock, model = VirtualClock(), FailingModel(fails_at)
    backends = Registry("backend", [Backend("scripted", "Fails once.", lambda profile: model)])
    try:
        with opened(vault, writable=True, clock=clock, alone=True, asked=ModelSource(backends, Random(1))) as parts:
            asyncio.run(_all(parts, clock))
    except (LociError, OSError) as error:
        print(f"loci: {error}", file=sys.stderr)
        return 1
    finally:
        print(f"calls of the model: {model.calls}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
