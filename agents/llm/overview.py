"""How the models are doing, as values that `@llm-status` words: profiles, their hosts, and how their jobs ended."""

from __future__ import annotations

from typing import NamedTuple

from agents.llm.health import HostHealth
from agents.llm.jobs import JobTotals


class HostView(NamedTuple):
    """One host of a profile.

    Args:
        health: how it is doing.
        model: the model that is asked for there; empty for the first one that it lists.
        running: jobs' calls under way, other profiles' too.
    """

    health: HostHealth
    model: str
    running: int


class ProfileView(NamedTuple):
    """One LLM profile.

    Args:
        name: its name.
        hosts: its hosts; none when its backend does not exist.
        waiting: its jobs that wait.
        totals: how its jobs ended.
    """

    name: str
    hosts: tuple[HostView, ...]
    waiting: int
    totals: JobTotals

    @property
    def servers(self) -> str:
        """Its hosts' addresses in words; empty when it has none."""
        return " or ".join(one.health.host for one in self.hosts)
