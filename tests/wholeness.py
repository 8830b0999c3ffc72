"""What must hold of a vault whatever happened to process or disk: read from its files, and by its next start."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from collections.abc import Container, Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from agents.memory.summaries import TIERS, parse_summary
from mud.command_line import main
from mud.server.wiring import opened
from mud.simulation.figures import state_hash
from mud.world.changes import Leave
from mud.world.roles import Role
from tests.processes import memories, texts

BULK = "barrel"
"""Stands in every memory that was given in bulk: no ledger holds these."""
LOST = ("the rest is shown word for word until it is folded again", "a part of it is gone")
"""What the owner is told after a power cut: a fold, or memories that it summed up, had not reached the disk."""


def ledger(vault: Path) -> list[dict[str, Any]]:
    """Return the steps of a vault's ledger, read by nothing of ours; a last line without its end is none."""
    files = sorted((vault / "log").glob("ledger-*.jsonl"))
    return [json.loads(line) for path in files for line in path.read_bytes().split(b"\n")[:-1]]


def answered(shown: Iterable[str]) -> list[str]:
    """Return what was answered, in a player's lines, to what they said."""
    return [line for line in shown if line.startswith("You say, ")]


def check_ledger(vault: Path, said: Sequence[str]) -> None:
    """See that a ledger holds everything that was answered, in order, and no step twice."""
    steps = ledger(vault)
    numbers = [step["step"] for step in steps]
    assert numbers == sorted(set(numbers))
    kept = [left["text"] for step in steps for left in step["left"] if left["kind"] == "said"]
    assert [text for text in kept if text in set(said)] == list(said)


def go_on(vault: Path, words: str, whole: Container[str] | None = None) -> None:
    """Start a world, have Eliza say something there, and end it.

    Args:
        vault: its folder.
        words: what she says.
        whole: the texts that summaries may have at the start; any where None.
    """

    async def live() -> None:
        with opened(vault, writable=True) as parts:
            parts.engine.observe(parts.minds.observe)
            eliza = parts.minds.get("eliza")
            for slug in parts.minds.definitions if whole is not None else ():
                memory = parts.minds.open(slug).memory
                texts = [one.text for one in (memory.longterm, memory.recent) if one is not None]
                assert [text for text in texts if text not in (whole or ())] == []
            step = parts.engine.step(eliza.id, f"say {words}", Role.AGENT)
            assert step.reply.startswith(f'You say, "{words}"'), step.reply
            await parts.minds.folds.settle()
            parts.save()

    asyncio.run(live())


def check_whole(vault: Path, said: Sequence[str], player: str = "ann", *, power_lost: bool = False) -> None:
    """See that a vault is whole after a start.

    Args:
        vault: its folder.
        said: what was answered to its player's lines.
        player: who that is.
        power_lost: an archive may hold what the ledger lost.
    """
    check_ledger(vault, said)
    for path in [*vault.glob("log/ledger-*.jsonl"), *vault.glob("agents/*/archive/*.jsonl")]:
        raw = path.read_bytes()
        assert not raw or raw.endswith(b"\n")
        assert all(isinstance(json.loads(line), dict) for line in raw.splitlines())
    check_lives(vault, power_lost=power_lost)
    if said:
        kept = texts(memories(vault, player))
        assert [text for text in kept if text in set(said)] == list(said)


def check_lives(vault: Path, *, power_lost: bool = False) -> None:
    """See that every life is whole, and that the ledger comes to the saved state."""
    for folder in sorted(vault.glob("agents/*/archive")):
        check_life(vault, folder.parent.name, power_lost=power_lost)
    check_replay(vault)


def check_life(vault: Path, slug: str, *, power_lost: bool = False) -> None:
    """See that an archive has neither gap nor twin, holds what the ledger says, and that its summaries fit it."""
    records = memories(vault, slug)
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    with redirect_stdout(io.StringIO()) as shown:
        assert main(["status", slug, "--json", "--vault", str(vault)]) == 0
    status = json.loads(shown.getvalue())
    assert (status["total"], status["gaps"], status["overlaps"]) == (len(records), [], [])
    assert [one for one in status["warnings"] if not (power_lost and one.endswith(LOST))] == []
    check_summaries(vault / "agents" / slug / "summaries", len(records), power_lost=power_lost)
    lived = [(record["source"], record["text"]) for record in records if BULK not in record["text"]]
    identity = _identity(vault, slug)
    told = [(step["step"], left["text"]) for step in ledger(vault) for left in step["left"] if left["who"] == identity]
    assert [one for one in lived if one in told] == told
    assert power_lost or lived == told


def _identity(vault: Path, slug: str) -> str:
    front = (vault / "agents" / slug / "agent.md").read_text("utf-8")
    return next(line for line in front.splitlines() if line.startswith("id:")).split(":")[1].strip(" '\"")


def check_summaries(folder: Path, total: int, *, power_lost: bool = False) -> None:
    """See that every summary and every version can be read, and that none is taken for a person's.

    After a power cut that is only asked of the two in use: a version that no fold names may be torn.
    """
    for path in folder.glob("*.md"):
        tier, _, version = path.stem.partition("-")
        assert tier in TIERS
        if power_lost and version:
            continue
        assert "edited" not in version, "a text of the program was taken for a person's"
        summary = parse_summary(path.read_text("utf-8"), tier, path.name, version=bool(version))
        assert summary.text
        assert summary.method != "edited"
        assert summary.covers[1] <= total


def check_replay(vault: Path) -> None:
    """See that the whole ledger, played again from nothing, comes to the very state that was saved."""
    copy = vault.parent / "replayed"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(vault, copy, ignore=shutil.ignore_patterns("state.md", ".index", ".lock"))
    assert _hash(copy) == _hash(vault)
    shutil.rmtree(copy)


def _hash(vault: Path) -> str:
    with opened(vault, writable=False) as parts:
        everybody = [parts.minds.open(slug) for slug in sorted(parts.minds.definitions)]
        world = parts.engine.world
        for one in parts.minds.definitions.values():  # a world that begins has nobody playing; no step says that
            if one.person and world.location_of(one.id) is not None:
                world.apply((Leave(one.id),))
        return state_hash(world, everybody)
