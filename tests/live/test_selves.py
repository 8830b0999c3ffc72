"""A world that dies while somebody is possessed: what was changed is there, and everybody is themselves again."""

from __future__ import annotations

from pathlib import Path

from tests.processes import Running
from tests.vaults import copy_vault, without_vectors

SEEN = "A small woman in yellow: ## and green."


def test_after_a_kill_nobody_is_possessed_and_what_was_set_is_there(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    world = Running(vault, "--as", "Ann", "--no-agents")
    world.say("@possess Eliza", "You are Eliza now")
    world.say(f"@set-description -> {SEEN}", "From now on who looks at you sees")
    world.say("@release", "you are yourself")
    world.say("examine Eliza", SEEN)
    world.say("@edit-interval Eliza 77", "every 77 seconds")
    world.say("@possess Eliza", "You are Eliza now")
    world.say("@set-goal -> Find the fin: it is bronze.", "From now on you want")
    world.kill()

    world = Running(vault, "--as", "Ann", "--no-agents")
    world.say("@release", "You have taken over nobody.")
    world.say("examine Eliza", SEEN)
    world.say("@show-profile Eliza", "every 77 seconds")
    world.read_until("Goal: Find the fin: it is bronze.")
    world.type("quit")
    assert world.wait() == 0


def test_a_possessed_agent_does_only_what_is_typed_and_thinks_again_when_it_is_given_back(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    world = Running(vault, "--as", "Ann", "--seed", "1", "--brain", "instinct")
    world.say("@pause", "All agents are paused")
    world.say("@edit-interval Eliza 1", "every second")
    world.say("@possess Eliza", "You are Eliza now")
    world.say("@resume", "All agents think again")
    world.say("think only this", "only this")
    world.say("@release", "you are yourself")
    world.read_until("Eliza ")
    world.type("quit")
    assert world.wait() == 0
