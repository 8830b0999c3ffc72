from __future__ import annotations

import re
import socket
from pathlib import Path

import httpx

from tests.processes import Headless
from tests.vaults import copy_vault, without_vectors


def test_a_program_of_this_machine_and_an_owner_read_the_figures_and_nobody_else_does(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Headless(without_vectors(copy_vault(tmp_path)), options=("--no-agents", "--web", str(port))) as world:
        assert world.says(r"web: http://\S+")
        here = re.search(r"web: (http://\S+/)\?token=(\S+)", world.said)
        assert here is not None
        with httpx.Client(base_url=here[1], trust_env=False) as client:
            health = client.get("/healthz")
            assert (health.status_code, health.json()) == (200, {"status": "ok", "reasons": []})
            figures = client.get("/metrics")
            assert figures.headers["content-type"].startswith("text/plain; version=0.0.4")
            assert "\nloci_steps_total 0.0\n" in figures.text
            assert 'loci_event_loop_longest_seconds{clock="wall"}' in figures.text
            proxied = {"x-forwarded-for": "192.0.2.7"}
            assert client.get("/metrics", headers=proxied).status_code == 403
            assert client.get("/healthz", headers=proxied).status_code == 200
            client.get("/", params={"token": here[2]})
            assert client.get("/metrics", headers=proxied).status_code == 200
