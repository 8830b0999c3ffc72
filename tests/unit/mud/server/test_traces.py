from __future__ import annotations

import queue
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from mud.server.traces import ENDPOINT
from tests.model_server import Server
from tests.processes import PATIENCE, Headless, Running, loci
from tests.settings import put
from tests.vaults import ROOT, copy_vault, without_vectors


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """A collector of OpenTelemetry's protocol over a real socket."""

    def __init__(self) -> None:
        self.taken: queue.Queue[Any] = queue.Queue()
        self._server = grpc.server(ThreadPoolExecutor(2))
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(self, self._server)  # type: ignore[no-untyped-call]
        self.address = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def Export(self, request: Any, context: object) -> Any:
        self.taken.put(request)
        return trace_service_pb2.ExportTraceServiceResponse()

    def close(self) -> None:
        self._server.stop(None).wait(PATIENCE)


@pytest.fixture
def collector() -> Iterator[Collector]:
    one = Collector()
    yield one
    one.close()


@pytest.fixture
def model() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


def test_steps_thoughts_calls_recalls_and_folds_come_to_a_collector_without_a_private_word(
    tmp_path: Path, collector: Collector, model: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "memory_compaction", immediate_window=6, recent_window=5)
    put(vault, "llm/think", host=model.address("behaves"))
    for path in vault.glob("agents/*/agent.md"):
        path.write_text(re.sub(r"(think_interval): .*", r"\1: 1", path.read_text("utf-8")), "utf-8")
    monkeypatch.setenv(ENDPOINT, collector.address)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
    world = Running(vault, "--as", "Ann", "--seed", "1")
    world.read_until("Exits:")
    for number in range(20):
        world.say(f"say I counted {number} pears. | the plum is my secret", f"{number} pears")
    world.say("recall pears", "pears")
    spans: dict[str, list[Any]] = {}
    while not (set(spans) >= {"step", "recall", "fold"} and _traces(spans, "thought") & _traces(spans, "model call")):
        request = collector.taken.get(timeout=PATIENCE)
        assert b"pears" not in (sent := request.SerializeToString())
        assert b"plum" not in sent
        for resource in request.resource_spans:
            assert "loci" in str(resource.resource)
            for one in resource.scope_spans[0].spans:
                spans.setdefault(one.name, []).append(one)
    world.type("quit")
    assert world.wait() == 0
    said = [one for one in spans["step"] if "say" in {a.value.string_value for a in one.attributes}]
    assert said
    assert all(one.end_time_unix_nano > one.start_time_unix_nano for one in said)


def _traces(spans: dict[str, list[Any]], name: str) -> set[bytes]:
    return {one.trace_id for one in spans.get(name, [])}


def test_a_collector_that_is_away_is_told_of_once_and_the_world_ends_as_ever(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    quickly = {"OTEL_BSP_SCHEDULE_DELAY": "50", "OTEL_EXPORTER_OTLP_TIMEOUT": "0.2"}
    with Headless(without_vectors(copy_vault(tmp_path)), {ENDPOINT: address, **quickly}) as world:
        assert world.says("traces are not taken by")
    assert world.said.count("traces") == 1
    assert "Traceback" not in world.said


def test_an_address_that_is_none_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINT, "http://[::")
    done = loci("run", "--vault", copy_vault(tmp_path), "--headless")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"loci: {ENDPOINT} is wrong: 'http://[::'")


def test_a_world_that_nobody_measures_loads_nothing_for_it() -> None:
    code = (
        "import sys, mud.server.app, mud.server.doors; print({'prometheus_client', 'opentelemetry'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "set()\n"
