from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.memory.entries import Hit
from mud.errors import LociError
from mud.server.bulk import BATCH, live_through, newcomer
from mud.server.wiring import Parts, opened
from tests.vaults import copy_vault, without_vectors


async def _lived(parts: Parts, count: int, query: str) -> list[Hit]:
    agent = newcomer(parts, "Ulric")
    await parts.recall.start(vectors=False)
    try:
        await live_through(parts, agent, ({"text": f"Pear number {one} fell."} for one in range(count)))
        hits, _ = await parts.recall.search(agent.id, query, 3, "memories")
        return hits
    finally:
        await parts.recall.stop()


def test_a_newcomer_lives_through_it_all_and_finds_it_again(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    with opened(vault, writable=True) as parts:
        hits = asyncio.run(_lived(parts, BATCH + 40, "pear number 7"))
        memory = parts.minds.get("ulric").memory
        assert (memory.total, memory.compactions > 0) == (BATCH + 40, True)
        assert hits[0].seq == 8


def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    with (
        opened(without_vectors(copy_vault(tmp_path)), writable=True) as parts,
        pytest.raises(LociError),
    ):
        newcomer(parts, "")


def test_whose_file_cannot_be_read_is_nobody_new(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    (vault / "agents/eliza/agent.md").write_bytes(b"\xff\xfe no text")
    with (
        opened(vault, writable=True) as parts,
        pytest.raises(LociError, match=r"agents/eliza/agent\.md could not be read"),
    ):
        newcomer(parts, "Eliza")
    assert not (vault / "agents/eliza-2").exists()
