from __future__ import annotations

import asyncio
import logging
import socket
from pathlib import Path

import pytest

from agents.compaction.report import report
from mud.server.wiring import RealClock
from mud.world.roles import Role
from tests.houses import PATIENCE, house
from tests.vaults import copy_vault


async def test_without_a_name_it_is_ones_own_memory_and_it_leaves_none(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "think hello")
        answer = await home.ask(ann, "@memory-status")
        assert answer.reply.splitlines() == [
            "Memory of Ann: 1 memory, 0 of them in summaries.",
            "Word for word: 1, 1 memory.",
            "In summaries: none yet.",
            "Next: at 129 memories, in 128.",
            "No warnings.",
        ]
        assert ann.memory.total == 1


async def test_the_owner_may_name_anybody(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert (await home.ask(ann, "@memory-status moss")).reply.startswith("Memory of Moss: ")
        assert (await home.ask(ann, "@memory-status moss full")).reply.startswith("Memory of Moss\n")


async def test_all_there_is_to_be_told_is_what_full_shows(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "think hello")
        for role in (Role.GUEST, Role.OWNER):
            assert (await home.ask(ann, "@memory-status FULL", role)).reply == report(home.minds.status(ann))
        assert home.type(ann, "@memory-status Eliza full", Role.GUEST).failed


async def test_what_is_in_summaries_is_told_with_who_wrote_them_and_when(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(66):
            home.type(ann, f"think of pear {number}")
        await home.minds.fold(ann, "manual")
        lines = (await home.ask(ann, "@memory-status")).reply.splitlines()
        assert lines[:3] == [
            "Memory of Ann: 66 memories, 2 of them in summaries.",
            "Word for word: 3-66, 64 memories.",
            "In summaries: 1-2 in the recent one, extractive, just now.",
        ]
        assert len(lines) == 5


async def test_each_warning_stands_once(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "think hello")
        for what in ("archive", "summaries"):
            ann.memory.note_trouble(what, "the disk is\n full")
        ann.memory.note_trouble("more", "the disk is\n full, says the kernel")
        replies = [(await home.ask(ann, line)).reply for line in ("@memory-status", "@memory-status full")]
        assert [reply.count("the disk is") for reply in replies] == [1, 1]
        assert replies[0].splitlines()[4:] == ["Warnings: the disk is full, says the kernel."]


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


async def test_it_says_where_settings_come_from_and_who_does_not_answer(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "@compaction strategy hybrid")
        reply = (await home.ask(ann, "@memory-status full")).reply
        line = next(
            number
            for number, text in enumerate((ann.folder / "agent.md").read_text().splitlines(), 1)
            if text.startswith("strategy:")
        )
        assert f"hybrid (agents/ann/agent.md:{line}); it never folds the newest 10 memories" in reply
        assert "hybrid_entries 43 (" in reply
        assert "(counted by the tokenizer of all-MiniLM-L6-v2, on the high side)" in reply


class Told(logging.Handler):
    """Waits for a word in the log."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self._word = word
        self.heard = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if self._word in record.getMessage():
            self.heard.set()


async def test_a_chroma_server_that_does_not_answer_is_told_at_the_first_try(tmp_path: Path) -> None:
    config = copy_vault(tmp_path) / "config/recall.md"
    with socket.create_server(("127.0.0.1", 0)) as held:
        address = f"127.0.0.1:{held.getsockname()[1]}"
    config.write_text(config.read_text().replace("**chroma**: embedded\n", f"**chroma**: http://{address}\n"))
    log, told = logging.getLogger("agents.recall.vectors"), Told(address)
    level = log.level
    log.addHandler(told)
    log.setLevel(logging.INFO)
    try:
        async with house(tmp_path, RealClock()) as home:
            ann = home.enter("Ann")
            home.type(ann, "think of the pear that Moss promised")
            await home.parts.recall.start()
            await asyncio.wait_for(told.heard.wait(), PATIENCE)
            assert f"no chroma server answers at http://{address}" in (await home.ask(ann, "@memory-status")).reply
            assert address in home.minds.status(ann)["errors"][-1]
    finally:
        log.removeHandler(told)
        log.setLevel(level)
