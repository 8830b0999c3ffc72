"""What a crowd and cold minds perceived, held for a moment so that it is written in groups; the ledger has it all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import islice

from agents.agent import Agent

WRITTEN_AT_ONCE = 2
"""Archives written between two looks at other tasks; each may wait for the disk."""


class HeldPerceptions:
    """The agents with held entries. `there` returns the opened agent of a folder; only such a one begins a new turn."""

    def __init__(self, there: Callable[[str], Agent | None]) -> None:
        self.seconds = 0.0
        """How long what a crowd perceived may be held; with 0 it never is."""
        self.of_cold_minds = False
        """Whether what cold minds perceive is held until they are used, or the next saved state."""
        self._there = there
        self._crowd: dict[str, Agent] = {}
        """By folder, the agents with held entries of a crowd."""
        self._cold: dict[str, Agent] = {}
        """By folder, the cold minds with held entries, which are written with the next saved state."""

    def of_crowd(self, agent: Agent) -> None:
        """Write an agent's held entries after `seconds`, and begin its turn then."""
        if not self._crowd:
            asyncio.get_running_loop().call_later(self.seconds, self._write_in_turns)
        self._crowd[agent.slug] = agent

    def of_cold(self, agent: Agent) -> None:
        """Write a cold mind's held entries with the next saved state."""
        self._cold[agent.slug] = agent

    def forget(self, agent: Agent) -> None:
        for known in (self._crowd, self._cold):
            known.pop(agent.slug, None)

    def write(self) -> None:
        """Write everything that is held."""
        while self._crowd:
            self._write_some()
        while self._cold:
            self._write_some_cold()

    async def write_out(self) -> None:
        """Write most of what is held, letting other tasks run in between, so that `write` has little left."""
        for _ in range((len(self._crowd) + len(self._cold)) // WRITTEN_AT_ONCE):
            self._write_some()
            self._write_some_cold()
            await asyncio.sleep(0)

    def _write_some_cold(self) -> None:
        for slug in list(islice(self._cold, WRITTEN_AT_ONCE)):
            self._cold.pop(slug).memory.write_held()

    def _write_some(self) -> None:
        for slug in list(islice(self._crowd, WRITTEN_AT_ONCE)):
            agent = self._crowd.pop(slug)
            agent.memory.write_held()
            if self._there(slug) is agent:
                agent.life.next_turn()

    def _write_in_turns(self) -> None:
        self._write_some()
        if self._crowd:
            asyncio.get_running_loop().call_soon(self._write_in_turns)
