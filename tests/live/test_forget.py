"""Somebody is forgotten in a world that runs, and comes back when a person moves the folder back."""

from __future__ import annotations

from pathlib import Path

from tests.processes import Running, loci_json, memories, texts
from tests.vaults import copy_vault, without_vectors

SECRET = "the brass key is under the third flowerpot"


def _trash(vault: Path) -> list[Path]:
    return sorted((vault / ".trash").iterdir()) if (vault / ".trash").exists() else []


def _told_and_forgotten(vault: Path, *args: str) -> tuple[Running, list[str]]:
    """Start a world, tell Eliza a secret, forget her; return the world and what she remembered."""
    world = Running(vault, "--as", "Jonas", "--seed", "3", *args)
    world.read_until("Exits:")
    world.say(f"say Eliza, {SECRET}.", "You say")
    world.say("@forget Eliza", "is back with every memory.")
    (folder,) = _trash(vault)
    assert not (vault / "agents/eliza").exists()
    records = memories(vault, f"../.trash/{folder.name}")
    assert any(SECRET in text for text in texts(records))
    return world, texts(records)


def test_somebody_forgotten_comes_back_with_every_memory_when_the_folder_is_moved_back(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    world, known = _told_and_forgotten(vault)
    assert "Eliza" not in "\n".join(world.say("look", "Exits:"))
    world.say("say Eliza, are you there?", "You say")

    (folder,) = _trash(vault)
    folder.rename(vault / "agents/eliza")
    world.read_until("Eliza arrives")
    world.type("say Eliza, where is the brass key?")
    assert world.read_until("flowerpot")[-1].startswith("Eliza says,")
    world.type("quit")
    assert world.wait() == 0

    assert _trash(vault) == []
    after = texts(memories(vault, "eliza"))
    assert after[: len(known)] == known
    (status,) = loci_json("status", "eliza", "--vault", vault)
    assert (status["total"], status["gaps"], status["overlaps"]) == (len(after), [], [])


def test_somebody_forgotten_stays_away_after_a_kill_and_comes_back_with_the_next_start(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    world, known = _told_and_forgotten(vault, "--no-agents")
    world.kill()

    world = Running(vault, "--as", "Jonas", "--no-agents")
    assert "Eliza" not in "\n".join(world.read_until("Exits:"))
    assert "eliza" not in {path.name for path in (vault / "agents").iterdir()}
    assert world.terminate() == 0

    (folder,) = _trash(vault)
    folder.rename(vault / "agents/eliza")
    world = Running(vault, "--as", "Jonas", "--no-agents")
    assert any("Eliza is here" in line for line in world.read_until("Exits:"))
    assert world.terminate() == 0
    assert texts(memories(vault, "eliza"))[: len(known)] == known
