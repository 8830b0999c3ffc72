from __future__ import annotations

from pathlib import Path

import pytest

from mud.server.wiring import Parts, opened
from mud.simulation.figures import state_hash
from mud.world.changes import FallAsleep, Leave, Put, Remove
from tests.vaults import copy_vault, without_vectors


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


def _hash(parts: Parts) -> str:
    return state_hash(parts.engine.world, parts.minds.opened())


def test_the_same_state_has_the_same_hash_whoever_is_named_first_and_however_often_it_is_opened(vault: Path) -> None:
    with opened(vault, writable=True) as parts:
        parts.minds.get("Eliza").memory.append_raw([{"text": "A pear fell."}])
        first = _hash(parts)
        assert state_hash(parts.engine.world, reversed(parts.minds.opened())) == first
        assert len(first) == 64
    with opened(vault, writable=False) as parts:
        assert _hash(parts) == first


def test_every_change_of_the_world_changes_it(vault: Path) -> None:
    with opened(vault, writable=False) as parts:
        world, hashes = parts.engine.world, [_hash(parts)]
        eliza, moss = (parts.minds.get(name).id for name in ("Eliza", "Moss"))
        for change in (Put(eliza, "#1002"), FallAsleep(eliza), Put("#1102", eliza), Leave(moss), Remove("#1102")):
            world.apply([change])
            hashes.append(_hash(parts))
        assert len(set(hashes)) == len(hashes)


def test_every_memory_and_every_fold_changes_it_and_the_time_does_not(vault: Path) -> None:
    with opened(vault, writable=True) as parts:
        eliza, moss = parts.minds.get("Eliza"), parts.minds.get("Moss")
        hashes = [_hash(parts)]
        eliza.memory.append_raw([{"text": "A pear fell.", "at": "2026-01-01T00:00:00.000Z"}])
        hashes.append(_hash(parts))
        moss.memory.append_raw([{"text": "A pear fell."}] * 128)
        hashes.append(_hash(parts))
        moss.memory.append_raw([{"text": "A pear fell."}])
        moss.compactor.fold_due_now()
        assert moss.memory.compactions == 1
        hashes.append(_hash(parts))
        assert len(set(hashes)) == len(hashes)
