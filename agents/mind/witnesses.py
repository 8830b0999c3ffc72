"""Perceptions of one step by character, also from a ledger record.

A record edited by hand may hold anything; other values are skipped, as `mud.server.archive_checks` reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agents.memory.entries import KINDS
from mud.engine.engine import perceived_from_json
from mud.world.events import Perception


def by_witness(left: Iterable[Perception]) -> dict[str, list[Perception]]:
    grouped: dict[str, list[Perception]] = {}
    for perceived in left:
        grouped.setdefault(perceived.who, []).append(perceived)
    return grouped


def left_by(record: Mapping[str, Any], broken: list[object] | None = None) -> list[Perception]:
    """Return the readable perceptions of a ledger record; append the unreadable values to `broken`."""
    left: list[Perception] = []
    held = record.get("left", [])
    for data in held if isinstance(held, list) else [held]:
        if isinstance(data, dict) and _is_memory(data):
            left.append(perceived_from_json(data))
        elif broken is not None:
            broken.append(data)
    return left


def _is_memory(data: Mapping[str, Any]) -> bool:
    return (
        all(isinstance(data.get(key), str) for key in ("who", "kind", "text"))
        and data["kind"] in KINDS
        and all(isinstance(data.get(key), str | None) for key in ("actor", "place", "reason"))
        and isinstance(data.get("failed", False), bool)
    )
