from __future__ import annotations

from pathlib import Path

import pytest

from mud.world.roles import Role
from tests.houses import house


async def test_without_a_name_it_is_ones_own_memory_and_it_leaves_none(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "think hello")
        answer = await home.ask(ann, "@memory-status")
        assert answer.reply.startswith("Memory of Ann\n")
        assert "at 129 memories, in 128" in answer.reply
        assert ann.memory.total == 1


async def test_the_owner_may_name_anybody(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        assert (await home.ask(home.enter("Ann"), "@memory-status moss")).reply.startswith("Memory of Moss\n")


async def test_an_unknown_name_gets_a_sentence(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@memory-status Nobody")
        assert answer.failed
        assert "Nobody" in answer.reply


@pytest.mark.parametrize("role", [Role.GUEST, Role.AGENT])
@pytest.mark.parametrize("line", ["@memory-status Moss", "@compact-memories Moss", "@impersonate Moss"])
async def test_nobody_else_looks_into_another_mind(tmp_path: Path, line: str, role: Role) -> None:
    async with house(tmp_path) as home:
        step = home.type(home.enter("Ann"), line, role)
        assert step.failed
        assert step.requests == ()
