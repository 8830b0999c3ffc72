"""Ranks."""

from __future__ import annotations

from mud.world.roles import Role


def test_an_owner_ranks_above_a_guest_and_a_guest_above_a_mind_of_the_program() -> None:
    assert sorted(Role) == [Role.AGENT, Role.GUEST, Role.OWNER]
