"""A chroma server that is shared, is not there, goes away and comes back."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from agents.recall.documents import StoreFailed
from agents.recall.indexes import Index, Place
from agents.recall.indexes.chroma import CHROMA
from tests.chroma_server import ChromaServer, counts, free_port

ROWS: NDArray[np.float32] = np.eye(4, dtype=np.float32)
MEMORY = [{"agent": "#1", "type": "memory"}]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    """Give a running server, which a test may kill when it starts it again."""
    with ChromaServer(tmp_path_factory.mktemp("server") / "kept") as started:
        yield started


def opened(folder: Path, address: str, model: str = "one") -> Index:
    return CHROMA.open(Place(folder, address), model, 4)


def collections(server: ChromaServer) -> int:
    path = "/api/v2/tenants/default_tenant/databases/default_database/collections_count"
    with httpx.Client(trust_env=False) as client:
        return int(client.get(server.address + path).text)


def test_vaults_that_share_a_server_never_see_each_other(server: ChromaServer, tmp_path: Path) -> None:
    one, other = opened(tmp_path / "one", server.address), opened(tmp_path / "other", server.address)
    one.put(["a"], ROWS[:1], MEMORY)
    other.put(["b"], ROWS[:1], MEMORY)
    assert (list(one.nearest(ROWS[0], "#1", ["memory"], 9)), counts(one)) == (["a"], {"#1": 1})
    other.close()
    other = opened(tmp_path / "other", server.address, "another model")
    assert (counts(other), counts(one)) == ({}, {"#1": 1})
    one.close()
    other.close()


def test_a_copy_of_a_vault_has_vectors_of_its_own(server: ChromaServer, tmp_path: Path) -> None:
    one = opened(tmp_path / "one", server.address)
    one.put(["a"], ROWS[:1], MEMORY)
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    copy = opened(tmp_path / "copy", server.address)
    assert counts(copy) == {}
    copy.put(["b"], ROWS[1:2], MEMORY)
    assert list(one.nearest(ROWS[1], "#1", ["memory"], 9)) == ["a"]
    one.close()
    copy.close()


def test_what_a_vault_left_before_its_folder_was_deleted_does_not_stay_on_the_server(
    server: ChromaServer, tmp_path: Path
) -> None:
    index = opened(tmp_path / "one", server.address)
    index.put(["a"], ROWS[:1], MEMORY)
    index.close()
    before = collections(server)
    shutil.rmtree(tmp_path / "one")
    opened(tmp_path / "one", server.address).close()
    assert collections(server) == before - 1


def test_nothing_that_answers_is_said_with_the_address(tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(StoreFailed, match=f"no chroma server answers at {address}"):
        opened(tmp_path, address)


@pytest.mark.parametrize("address", ["http://", "127.0.0.1:1", "nonsense", "http://[", "http://host:port"])
def test_an_address_that_is_none_is_said(tmp_path: Path, address: str) -> None:
    with pytest.raises(StoreFailed, match="no chroma server answers at"):
        opened(tmp_path, address)


def test_another_kind_of_server_is_not_taken_for_one(tmp_path: Path) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"Welcome!")

        def log_message(self, *told: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Page) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{other.server_port}"
        with pytest.raises(StoreFailed, match=f"what answers at {address} is no chroma server"):
            opened(tmp_path, address)
        other.shutdown()
        thread.join()


def test_proxies_are_not_asked(server: ChromaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    index = opened(tmp_path / "one", server.address)
    index.put(["a"], ROWS[:1], MEMORY)
    assert counts(index) == {"#1": 1}
    index.close()


def test_a_server_that_goes_away_is_said_and_one_that_comes_back_is_used_again(
    server: ChromaServer, tmp_path: Path
) -> None:
    index = opened(tmp_path / "one", server.address)
    index.put(["a"], ROWS[:1], MEMORY)
    server.kill()
    with pytest.raises(StoreFailed, match=f"no chroma server answers at {server.address}"):
        index.put(["b"], ROWS[1:2], MEMORY)
    with pytest.raises(StoreFailed, match="no chroma server answers at"):
        index.nearest(ROWS[0], "#1", ["memory"], 9)
    server.start()
    index.put(["b"], ROWS[1:2], MEMORY)
    assert set(index.nearest(ROWS[0], "#1", ["memory"], 9)) == {"a", "b"}
    assert counts(index) == {"#1": 2}
    index.close()
