"""The figures of a running world in the form that Prometheus reads; see docs/monitoring.md.

They are read from the parts of the world when they are asked for, so that they cost nothing at other times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Metric, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from agents.agent import Agent
from agents.llm.profiles import LLMProfile
from agents.recall.settings import RecallSettings
from mud.durations import Durations
from mud.portal.session import Sessions
from mud.server.loop_timing import LoopTiming
from mud.server.wiring import Parts

Samples = Mapping[Any, float]
"""Values by the values of their labels."""


class WorldMetrics(Collector):
    """Reads the figures of a world."""

    def __init__(self, parts: Parts, sessions: Sessions, timing: LoopTiming | None) -> None:
        self._parts, self._sessions, self._timing = parts, sessions, timing
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def exposition(self) -> bytes:
        """Return all figures in Prometheus' text format. Call it where the event loop runs."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield every figure."""
        yield from self._lines()
        yield from self._memories(self._parts.minds.in_use())
        yield from self._models()
        sessions = Counter((one.door or "local",) for one in self._sessions)
        yield _gauge("sessions", "People's sessions.", ["door"], sessions)
        if self._timing is not None:
            yield from _loop(self._timing)

    def _lines(self) -> Iterator[Metric]:
        engine, totals = self._parts.engine, self._parts.engine.totals
        yield _counter("steps", "Steps in the ledger.", [], {(): engine.number})
        lines = {
            (name or "unknown", "refused" if failed else "done"): n for (name, failed), n in totals.commands.items()
        }
        yield _counter("commands", "Lines carried out since the start.", ["command", "outcome"], lines)
        yield _histogram("command_seconds", "How long it took to carry out a line.", [], {(): totals.durations})
        yield _counter("perceptions", "Memories left by steps since the start.", [], {(): totals.memories})

    def _memories(self, agents: list[Agent]) -> Iterator[Metric]:
        memories = [agent.memory for agent in agents]
        yield _gauge("agents", "Characters whose memory is open.", [], {(): len(agents)})
        yield _gauge("memories", "Memories of these.", [], {(): sum(one.total for one in memories)})
        waiting = {(): sum(one.waiting for one in memories)}
        yield _gauge("memories_waiting", "Memories that an archive could not take yet.", [], waiting)
        yield _counter("folds", "Folds since the start.", [], {(): self._parts.minds.folded})
        due = {(): sum(agent.compactor.busy or agent.compactor.due() for agent in agents)}
        yield _gauge("folds_due", "Characters with a fold that is due or under way.", [], due)
        yield _gauge("index_lag", "Memories that an index does not hold yet.", ["index"], self._lag(agents))

    def _lag(self, agents: list[Agent]) -> Samples:
        recall, vectors = self._parts.recall, self._parts.configuration.get(RecallSettings).embedder != "none"
        known = [(agent.memory.total, recall.status(agent.id)) for agent in agents if agent.id in recall.lives]
        kinds = {"words": "lexical_through", **({"vectors": "vector_through"} if vectors else {})}
        return {(kind,): sum(max(0, total - through[key]) for total, through in known) for kind, key in kinds.items()}

    def _models(self) -> Iterator[Metric]:
        queue, profiles = self._parts.queue, self._parts.configuration.names(LLMProfile)
        seen = queue.overview(profiles)
        jobs: dict[tuple[str, str], float] = {}
        for one in seen:
            totals = one.totals
            ended = {"answered": totals.answered, "failed": totals.failed, "cancelled": totals.cancelled}
            jobs |= {(one.name, outcome): number for outcome, number in ended.items()}
        yield _counter("model_jobs", "Jobs for models since the start.", ["profile", "outcome"], jobs)
        seconds = {(one.name,): one.totals.seconds for one in seen}
        yield _counter("model_seconds", "How long answered calls to models took.", ["profile"], seconds)
        waiting = {(one.name,): float(one.waiting) for one in seen}
        yield _gauge("model_queue", "Jobs that wait for a model.", ["profile"], waiting)
        hosts = {(route.host.name,): not route.host.is_down for one in seen for route in one.hosts}
        yield _gauge("model_host_up", "Whether a host of models answers, or was not asked yet.", ["host"], hosts)
        yield from self._spent()

    def _spent(self) -> Iterator[Metric]:
        calls: Counter[tuple[str, ...]] = Counter()
        tokens: Counter[tuple[str, ...]] = Counter()
        for row in self._parts.queue.budget.spending.rows():
            calls[row.task,] += row.total.calls
            tokens[row.task, "prompt"] += row.total.prompt
            tokens[row.task, "reply"] += row.total.reply
        yield _counter("model_calls", "Calls to models, ever.", ["task"], dict(calls))
        yield _counter("model_tokens", "Tokens spent on models, ever.", ["task", "part"], dict(tokens))


def _loop(timing: LoopTiming) -> Iterator[Metric]:
    clocks = {"wall": timing.wall, "cpu": timing.cpu}
    passes = "Passes of the event loop, in which it serves nobody else; cpu is what it worked itself."
    yield _histogram("event_loop_seconds", passes, ["clock"], {(name,): one for name, one in clocks.items()})
    longest = {(name,): one.longest for name, one in clocks.items()}
    yield _gauge("event_loop_longest_seconds", "The longest of the last half to one minute.", ["clock"], longest)


def _counter(name: str, text: str, labels: list[str], samples: Samples) -> Metric:
    return _filled(CounterMetricFamily(f"loci_{name}", text, labels=labels), samples)


def _gauge(name: str, text: str, labels: list[str], samples: Samples) -> Metric:
    return _filled(GaugeMetricFamily(f"loci_{name}", text, labels=labels), samples)


def _filled(family: CounterMetricFamily | GaugeMetricFamily, samples: Samples) -> Metric:
    for labels, value in samples.items():
        family.add_metric(labels, value)
    return family


def _histogram(name: str, text: str, labels: list[str], samples: Mapping[Any, Durations]) -> Metric:
    family = HistogramMetricFamily(f"loci_{name}", text, labels=labels)
    for values, durations in samples.items():
        family.add_metric(values, durations.buckets(), durations.seconds)
    return family
