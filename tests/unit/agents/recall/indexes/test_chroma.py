"""What the embedded chromadb does to the process it lives in."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings

from agents.recall.documents import StoreFailed
from agents.recall.indexes import Metadata, Place
from agents.recall.indexes.chroma import CHROMA, Collections
from tests.chroma_server import counts

ROW = np.eye(4, dtype=np.float32)[:1]


@pytest.fixture
def limits() -> Iterator[tuple[int, int]]:
    """Give the limits of open files, and set them back at the end."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield before
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def memory(agent: str) -> list[Metadata]:
    return [{"agent": agent, "type": "memory"}]


def test_a_low_limit_of_open_files_is_raised_so_that_no_agent_is_let_go(
    limits: tuple[int, int], tmp_path: Path
) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
    index = CHROMA.open(Place(tmp_path), "one", 4)
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 256
    agents = [f"#{number}" for number in range(80)]
    for agent in agents:
        index.put([f"{agent}|1"], ROW, memory(agent))
    assert all(index.nearest(ROW[0], agent, ["memory"], 1) == {f"{agent}|1": 1.0} for agent in agents)
    index.close()


def test_more_agents_than_files_allow_are_refused_and_the_others_kept(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path), settings=Settings(anonymized_telemetry=False))
    index = Collections(client, "loci-", "one", 4, most=2)
    for agent in ("#1", "#2"):
        index.put([f"{agent}|1"], ROW, memory(agent))
    with pytest.raises(StoreFailed, match="files for only 2 agents may be open"):
        index.put(["#3|1"], ROW, memory("#3"))
    index.put(["#2|2"], ROW, memory("#2"))
    assert counts(index) == {"#1": 1, "#2": 2}
    index.close()
