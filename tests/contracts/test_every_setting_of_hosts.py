"""Every setting of the hosts of minds does what it says."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

from tests.processes import Running
from tests.settings import proves, put, put_own
from tests.vaults import copy_vault, without_vectors


def _told(address: str, token: str) -> dict[str, Any]:
    """Connect as a brain for everybody and return the world's first message."""
    with connect(address) as world:
        world.send(json.dumps({"type": "hello", "version": 1, "token": token, "agents": ["*"]}))
        message: dict[str, Any] = json.loads(world.recv(timeout=60))
        return message


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


@proves("hosts.minds", "hosts.brains_host", "hosts.brains_port", "hosts.brains_token")
def test_brains_connect_where_and_with_what_the_settings_say(tmp_path: Path) -> None:
    vault, host = without_vectors(copy_vault(tmp_path)), "127.0.0.2"
    port = _free_port(host)
    put(vault, "hosts", minds="websocket", brains_host=host, brains_port=port, brains_token="sesame")
    put_own(vault, "eliza", brain="remote")
    world = Running(vault, "--as", "Ann")
    try:
        world.read_until(f"ws://{host}:{port}")
        assert _told(f"ws://{host}:{port}", "open")["code"] == "token"
        assert [one["name"] for one in _told(f"ws://{host}:{port}", "sesame")["agents"]] == ["Eliza"]
    finally:
        world.kill()


@proves("hosts.brains_patience")
def test_after_the_patience_of_the_settings_a_line_is_late(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "hosts", brains_port=0, brains_token="sesame", brains_patience=0.2)
    put_own(vault, "eliza", brain="remote", think_interval=1)
    world = Running(vault, "--as", "Ann", "--minds", "websocket")
    try:
        address = world.read_until("ws://")[-1].rpartition(" ")[2]
        with connect(address) as brain:
            brain.send(json.dumps({"type": "hello", "version": 1, "token": "sesame", "agents": ["Eliza"]}))
            assert json.loads(brain.recv(timeout=60))["type"] == "welcome"
            first, second = (json.loads(brain.recv(timeout=60))["turns"][0] for _ in range(2))
            assert (first["seconds"], second["turn"] > first["turn"]) == (0.2, True)
            same = {key: first[key] for key in ("id", "epoch", "turn")}
            brain.send(json.dumps({"type": "lines", "lines": [{**same, "line": "say hello"}]}))
            assert json.loads(brain.recv(timeout=60))["type"] == "late"
    finally:
        world.kill()
