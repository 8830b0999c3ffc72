"""Summaries made anew, and hand-written memories taken up, by real worlds: also by one that is killed in between."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

from tests.processes import PATIENCE, Running, loci, loci_json, memories, texts
from tests.vaults import copy_vault, without_vectors

COUNT = 6_000


def _lived(tmp_path: Path, count: int) -> Path:
    """Return a vault in which Wren has lived through so many things, hundreds of folds long."""
    vault = without_vectors(copy_vault(tmp_path))
    file = tmp_path / "memories.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for number in range(count):
            said = f'Moss says, "The {number}. pear is for the mill, and I promise {number % 97} more."'
            lines.write(json.dumps({"text": said, "kind": "heard", "actor": "Moss", "place": "The Garden"}) + "\n")
    (record,) = loci_json("remember", "Wren", file, "--create", "--no-wait", "--vault", vault)
    assert record["compactions"] > 10
    return vault


def test_a_rebuild_that_is_killed_goes_on_where_it_was_and_the_world_goes_on_meanwhile(tmp_path: Path) -> None:
    vault = _lived(tmp_path, COUNT)
    (before,) = loci_json("status", "Wren", "--vault", vault)
    assert before["depth"] >= 10
    assert "@rebuild-summaries" in before["depth_warning"]

    parts = vault / "agents/wren/summaries/rebuild.jsonl"
    world = Running(vault, "--as", "Jonas", "--no-agents")
    world.read_until("Exits:")
    world.type("@rebuild-summaries Wren")
    world.type("say I am still here.")
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(FileNotFoundError):
            if len(parts.read_bytes().splitlines()) > 5:
                break
    world.kill()
    assert parts.exists(), "it had come to its end before it could be killed"
    (between,) = loci_json("status", "Wren", "--vault", vault)
    assert (between["gaps"], between["overlaps"]) == ([], [])

    world = Running(vault, "--as", "Jonas", "--no-agents")
    world.read_until("Exits:")
    (said, *_) = [line for line in world.say("@rebuild-summaries Wren", "are made from memories") if "are made" in line]
    assert f"from memories 1 to {before['covered_through']} (" in said
    world.read_until("were there from an earlier time.")
    world.type("quit")
    assert world.wait() == 0
    (after,) = loci_json("status", "Wren", "--vault", vault)
    assert (after["depth"], after["depth_warning"], after["gaps"], after["overlaps"]) == (1, None, [], [])
    assert after["covered_through"] == before["covered_through"]
    assert after["compactions"] == before["compactions"] + 1
    assert not parts.exists()


def test_hand_written_memories_are_the_first_of_a_life_and_come_in_while_it_runs(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    folder = vault / "agents/eliza/memories"
    folder.mkdir(parents=True)
    (folder / "01.md").write_text("I was born by the sea.\n", encoding="utf-8")
    (folder / "02.md").write_text("---\nkind: sung\n---\nLa.\n", encoding="utf-8")
    checked = loci("check", "--vault", vault)
    assert checked.returncode == 1
    assert checked.stdout.startswith("agents/eliza/memories/02.md:2: kind")

    world = Running(vault, "--as", "Jonas", "--no-agents")
    world.read_until("Exits:")
    (folder / "02.md").write_text("I hid the 7 pears.\n", encoding="utf-8")
    for _ in range(500):
        world.say("say The tide comes in.", "You say")
        if "I hid the 7 pears." in texts(memories(vault, "eliza")):
            break
    world.kill()
    world = Running(vault, "--as", "Jonas", "--no-agents")
    world.read_until("Exits:")
    assert world.terminate() == 0

    found = texts(memories(vault, "eliza"))
    assert found[0] == "I was born by the sea."
    assert found.count("I was born by the sea.") == found.count("I hid the 7 pears.") == 1
    assert loci("check", "--vault", vault).stdout == ""
    (status,) = loci_json("status", "eliza", "--vault", vault)
    assert (status["total"], status["gaps"], status["overlaps"]) == (len(found), [], [])
