from __future__ import annotations

import re
from pathlib import Path

from tests.houses import house
from tests.vaults import copy_vault


async def test_a_manual_fold_takes_all_but_the_newest_and_shows_the_summary(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(100):
            home.type(ann, f"think of pear number {number}")
        answer = await home.ask(ann, "@compact-memories")
        assert not answer.failed
        assert ann.memory.watermark == 36
        assert ann.memory.recent is not None
        assert ann.memory.recent.text in answer.reply
        assert ann.memory.total == 100


async def test_nothing_to_fold_is_said_with_the_reason(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@compact-memories Eliza")
        assert "nothing is older than the newest 64 memories" in answer.reply


async def test_it_says_what_a_fold_saves_and_what_it_kept(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(100):
            home.type(ann, f"think of the {number}. pear that Moss promised to bring to the old mill")
        reply = (await home.ask(ann, "@compact-memories")).reply
        assert reply.startswith("Memories 1 to 36 are folded into a summary (extractive, ")
        assert re.search(r"It takes \d+% less room: every later prompt is [\d,]+ tokens shorter\.\n", reply)
        assert re.search(r"Of names, numbers, places and promises it keeps \d+%\.$", reply)


async def test_a_fold_of_one_memory_speaks_of_one(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "think " + "Rain again, and again rain, so nothing much was done all day. " * 30)
        for number in range(64 - ann.memory.total + 1):
            home.type(ann, f"think of pear number {number}")
        reply = (await home.ask(ann, "@compact-memories")).reply
    assert reply.startswith(f"Memory {ann.memory.watermark} is folded into a summary (")


async def test_a_fold_that_a_model_was_asked_for_says_when_it_pays_off(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    profile = vault / "config/llm/summarizer.md"
    profile.write_text(
        re.sub(
            r"(?m)^\*\*(backend|model)\*\*:.*$",
            lambda found: f"**{found[1]}**: {'scripted' if found[1] == 'backend' else 'nothing'}",
            profile.read_text(),
        )
    )
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(100):
            home.type(ann, f"think of the {number}. pear that Moss promised to bring to the old mill")
        reply = (await home.ask(ann, "@compact-memories")).reply
        assert re.search(r"which pays off after (1 prompt|\d+ prompts), as [\d,]+ were spent on it\.", reply)
