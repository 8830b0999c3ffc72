"""A Ray cluster on this machine, of several nodes that can be killed one by one; it runs in a process of its own."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

import pytest

PROGRAM = """
import json, logging, sys
import ray
from ray.cluster_utils import Cluster

quick = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 500, "health_check_timeout_ms": 1000,
         "health_check_failure_threshold": 3, "worker_niceness": 0}
small = {"object_store_memory": 80_000_000}
head = {"num_cpus": 0, "include_dashboard": False, "_system_config": quick, **small}
cluster = Cluster(initialize_head=True, head_node_args=head)
print(json.dumps(cluster.address), flush=True)
for line in sys.stdin:
    node = cluster.add_node(num_cpus=1, **small)
    found = [one.process.pid for one in node.all_processes["raylet"]]
    print(json.dumps([node.node_id, *found]), flush=True)
cluster.shutdown()
"""


class RayCluster:
    """A cluster whose head has no minds, and which has no other node at first. Nothing of it is left at the end.

    Args:
        folder: for its files; a short path, as sockets are among them.
    """

    def __init__(self, folder: Path) -> None:
        self.environment = {"RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
        """What those who use it need in theirs."""
        self._said = folder / "said.txt"
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                # Else they would write where no folder is, or leave files of minds that were killed.
                env=os.environ | self.environment | dict.fromkeys(("RAY_TMPDIR", "TMPDIR"), str(folder)),
                text=True,
            )
        self.nodes: dict[str, int] = {}
        """By id, the process of each node's raylet, whose children are all others on the node."""
        self.address: str = self._read()

    def add_node(self) -> str:
        """Have a node join; return its id."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        node, pid = self._read()
        self.nodes[node] = pid
        return str(node)

    def _read(self) -> Any:
        assert self._process.stdout is not None
        while not (line := self._process.stdout.readline()).startswith(('"', "[")):
            assert line, f"the cluster has ended: {self._said.read_text(errors='replace')[-2000:]}"
        return json.loads(line)

    def kill_node(self, node: str) -> None:
        """Kill all that runs on a node, without a word."""
        raylet = self.nodes.pop(node)
        for process in (*_children(raylet), raylet):
            os.kill(process, signal.SIGKILL)

    def hosts(self) -> dict[int, str]:
        """Return the processes of minds that run, by their number, with the id of their node."""
        found = {}
        for raylet_node, raylet in self.nodes.items():
            for child in _children(raylet):
                if _title(child).startswith("ray::MindHost"):
                    found[child] = raylet_node
        return found

    def __enter__(self) -> RayCluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()


@contextmanager
def cluster_of(nodes: int) -> Iterator[RayCluster]:
    """Start a cluster with some nodes; this process, and those it starts, may use it."""
    with (
        TemporaryDirectory(prefix="ray-") as folder,
        RayCluster(Path(folder)) as cluster,
        pytest.MonkeyPatch.context() as environment,
    ):
        for name, value in cluster.environment.items():
            environment.setenv(name, value)
        for _ in range(nodes):
            cluster.add_node()
        yield cluster


def _children(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:  # it has ended
        return []


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""
