"""Choosing how memories are folded, in the world: it acts at once, and nothing else in a file changes."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from agents.agent import Agent
from agents.compaction.folds import MODEL, written_by_rules
from agents.compaction.status import report
from agents.llm.backend import Completion
from mud.server.wiring import RealClock
from mud.world.roles import Role
from tests.houses import PATIENCE, House, house
from tests.vaults import copy_vault

CONFIG = "config/memory_compaction.md"


def changed(before: str, after: str) -> list[str]:
    """Return the lines that are new."""
    old = before.splitlines()
    return [line for line in after.splitlines() if line not in old]


def _lived(home: House, count: int) -> Agent:
    ann = home.enter("Ann")
    for number in range(count):
        home.type(ann, f"think of the {number}. pear that Moss promised to bring to the old mill")
    return ann


async def test_without_more_it_says_how_ones_memories_are_folded_and_what_there_is(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        answer = await home.ask(home.enter("Ann"), "@compaction")
    assert answer.reply.startswith("Ann remembers by the strategy waterfall (")
    assert "at 129 memories" in answer.reply
    assert "entry_summary" in answer.reply
    assert "aggressive" in answer.reply


@pytest.mark.parametrize(
    ("what", "hint"),
    [
        ("sleep", "did you mean @compaction strategy sleep?"),
        ("watrfall Eliza", "did you mean @compaction strategy waterfall?"),
        ("agressive", "did you mean @compaction preset aggressive?"),
        ("Elisa", "did you mean Eliza?"),
        ("blah", ""),
    ],
)
async def test_what_is_neither_a_choice_nor_a_name_is_told_what_can_be_done(
    tmp_path: Path, what: str, hint: str
) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), f"@compaction {what}")
        assert answer.failed
        assert answer.reply.startswith(f'"{what}" is nobody\'s name, and nothing to choose: that is on, off, strategy')
        assert "Strategies: entry_summary, hierarchical, hybrid" in answer.reply
        assert answer.reply.endswith(f" ({hint})" if hint else "off.")


@pytest.mark.parametrize("role", [Role.OWNER, Role.GUEST])
async def test_anybody_chooses_for_themselves_and_it_acts_at_once(tmp_path: Path, role: Role) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann = home.enter("Ann")
        path = ann.folder / "agent.md"
        before = path.read_text()
        answer = await home.ask(ann, "@compaction strategy entry_summary", role)
        assert not answer.failed
        assert "From now on strategy is entry_summary (agents/ann/agent.md)." in answer.reply
        assert "at 10 memories" in answer.reply
        assert changed(before, path.read_text()) == ["strategy: entry_summary"]
        for number in range(12):
            home.type(ann, f"think of pear number {number}")
        await home.minds.finish_folds(60)
        assert ann.memory.longterm is not None
        assert ann.memory.longterm.strategy == "entry_summary"


async def test_what_was_chosen_can_be_taken_back(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        path = ann.folder / "agent.md"
        before = path.read_bytes()
        for what in ("strategy layered", "off"):
            assert not (await home.ask(ann, f"@compaction {what}")).failed
        for _ in range(2):
            assert path.read_bytes() != before
            assert not (await home.ask(ann, "@undo-change")).failed
        assert path.read_bytes() == before


@pytest.mark.parametrize("line", ["off", "on", "strategy none", "preset off", "strategy", "OFF"])
async def test_what_a_language_model_writes_does_not_change_how_its_memories_are_kept(
    tmp_path: Path, line: str
) -> None:
    async with house(tmp_path, RealClock()) as home:
        eliza = home.agent("Eliza")
        before = (eliza.folder / "agent.md").read_bytes()
        step = home.type(eliza, f"@compaction {line}", Role.AGENT)
        assert (step.failed, step.requests) == (True, ())
        assert step.reply.startswith('There is no command "@compaction".')
        assert (eliza.folder / "agent.md").read_bytes() == before
        assert "Eliza remembers by" in (await home.ask(eliza, "@compaction")).reply


async def test_a_fold_that_becomes_due_by_the_choice_is_made(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann = home.enter("Ann")
        for number in range(50):
            home.type(ann, f"think of pear number {number}")
        assert ann.memory.watermark == 0
        await home.ask(ann, "@compaction strategy hybrid")
        await home.minds.finish_folds(60)
        assert ann.memory.watermark > 0


async def test_off_is_off_and_on_is_on_again(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann = home.enter("Ann")
        answer = await home.ask(ann, "@compaction off")
        assert "Folds come only when asked for (agents/ann/agent.md:" in answer.reply
        for number in range(140):
            home.type(ann, f"think of pear number {number}")
        await home.minds.finish_folds(60)
        assert ann.memory.watermark == 0
        answer = await home.ask(ann, "@compaction on")
        told = r"Folds come by themselves \(agents/ann/agent\.md:\d+\); the next: due since \d+ memories\."
        assert re.search(told, answer.reply)
        await home.minds.finish_folds(60)
        assert ann.memory.watermark == 65


@pytest.mark.parametrize("strategy", ["none", "masking", "sliding_window"])
async def test_of_a_strategy_that_never_folds_no_fold_is_promised(tmp_path: Path, strategy: str) -> None:
    async with house(tmp_path, RealClock()) as home:
        answer = await home.ask(home.enter("Ann"), f"@compaction strategy {strategy}")
    assert "This strategy never folds anything." in answer.reply
    assert "by themselves" not in answer.reply


async def test_a_preset_says_what_it_waits_for(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann = home.enter("Ann")
        assert "waits for the strategy entry_summary" in (await home.ask(ann, "@compaction preset aggressive")).reply
        answer = await home.ask(ann, "@compaction strategy entry_summary")
        assert "The preset is aggressive (agents/ann/agent.md:" in answer.reply
        assert "at 6 memories or 4,000 characters" in answer.reply


async def test_the_owner_chooses_for_another_and_nothing_else_in_the_file_changes(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        path = home.agent("Moss").folder / "agent.md"
        before = path.read_text()
        answer = await home.ask(home.enter("Ann"), "@compaction strategy sleep Moss")
        assert "Moss remembers by the strategy sleep" in answer.reply
        after = path.read_text()
        assert changed(before, after) == ["strategy: sleep"]
        assert after.replace("strategy: sleep\n", "") == before
        assert home.agent("Moss").settings().strategy == "sleep"
        assert home.agent("Eliza").settings().strategy == "waterfall"
        assert (await home.ask(home.enter("Bea"), "@compaction moss")).reply.startswith("Moss remembers by the str")


async def test_the_owner_chooses_for_the_world_and_who_has_an_own_way_is_named(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        path = home.parts.vault / CONFIG
        before, ann = path.read_text(), home.enter("Ann")
        await home.ask(ann, "@compaction strategy none Moss")
        answer = await home.ask(ann, "@compaction strategy hybrid world")
        assert answer.reply == (
            f"From now on strategy is hybrid for everybody who sets nothing else ({CONFIG}).\n"
            "It is set otherwise by Moss."
        )
        assert changed(before, path.read_text()) == ["**strategy**: hybrid"]
        assert home.agent("Eliza").settings().strategy == "hybrid"
        assert home.agent("Moss").settings().strategy == "none"
        await home.ask(ann, "@compaction off world")
        assert home.agent("Eliza").settings().auto_enabled is False


async def test_what_the_config_file_said_before_a_change_for_the_world_is_kept(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        path, ann = home.parts.vault / CONFIG, home.enter("Ann")
        people = path.read_text()
        for what in ("strategy hybrid", "strategy hybrid", "off"):
            assert not (await home.ask(ann, f"@compaction {what} world")).failed
        kept = {one.name: one.read_text() for one in (home.parts.vault / "versions").glob("memory_compaction-*.md")}
        assert set(kept.values()) == {people, people.replace("**strategy**: waterfall", "**strategy**: hybrid")}
        assert [name.endswith("-command.md") for name, text in sorted(kept.items()) if text == people] == [False]


async def test_a_config_file_that_cannot_be_kept_is_not_replaced(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        path = home.parts.vault / CONFIG
        before = path.read_text()
        (home.parts.vault / "versions").write_text("in the way", "utf-8")
        answer = await home.ask(home.enter("Ann"), "@compaction strategy none world")
        assert answer.failed
        assert f"{CONFIG} cannot be written" in answer.reply
        assert path.read_text() == before


@pytest.mark.parametrize("role", [Role.GUEST, Role.AGENT])
@pytest.mark.parametrize("line", ["Moss", "off Moss", "strategy none Moss", "strategy none world", "off world"])
async def test_nobody_else_chooses_for_another_or_the_world(tmp_path: Path, line: str, role: Role) -> None:
    async with house(tmp_path, RealClock()) as home:
        step = home.type(home.enter("Ann"), f"@compaction {line}", role)
        assert step.failed
        assert step.requests == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("strategy waterfal", 'There is no strategy "waterfal"; there is: '),
        ("strategy waterfal", "did you mean waterfall?"),
        ("strategy", "Say which strategy; there is: "),
        ("preset wild", 'There is no preset "wild"; there is: own, aggressive'),
        ("preset wild world", 'There is no preset "wild"'),
        ("strategy none Nobody", "Nobody"),
        ("Nobody", "Nobody"),
    ],
)
async def test_a_name_that_there_is_not_gets_a_sentence_and_changes_nothing(
    tmp_path: Path, line: str, said: str
) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann = home.enter("Ann")
        files = [ann.folder / "agent.md", home.parts.vault / CONFIG]
        before = [path.read_text() for path in files]
        answer = await home.ask(ann, f"@compaction {line}")
        assert answer.failed
        assert said in answer.reply
        assert [path.read_text() for path in files] == before


async def test_a_file_with_a_mistake_in_it_says_so(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann = home.enter("Ann")
        path = home.agent("Moss").folder / "agent.md"
        path.write_text(path.read_text().replace("think_interval: 12", "think_interval: soon"))
        answer = await home.ask(ann, "@compaction strategy none Moss")
        assert answer.failed
        assert "agents/moss/agent.md:" in answer.reply
        assert home.agent("Moss").settings().strategy == "waterfall"
        config = home.parts.vault / CONFIG
        before = config.read_text() + "\n**strategie**: none\n"
        config.write_text(before)
        answer = await home.ask(ann, "@compaction strategy none world")
        assert answer.failed
        assert "strategie" in answer.reply
        assert config.read_text() == before


async def test_what_it_says_is_what_is_in_force(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "@compaction preset aggressive")
        await home.ask(ann, "@compaction strategy entry_summary")
        told = (await home.ask(ann, "@compaction")).reply
        assert "at 6 memories or 4,000 characters" in told
        for setting in ("max_entries_before_compaction 6", "preserve_last_n_entries 1", "summary_max_sentences 2"):
            assert setting in told.splitlines()[3]
        assert "include_key_findings true" in told.splitlines()[3]
        assert "ten entries" not in told
        assert "8,000" not in told
        plain = (await home.ask(ann, "@compaction strategy sliding_window")).reply
        assert "five" not in plain
        assert "max_entries_before_compaction" not in plain


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
        ann = _lived(home, 100)
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
        ann = _lived(home, 100)
        reply = (await home.ask(ann, "@compact-memories")).reply
        assert re.search(r"which pays off after (1 prompt|\d+ prompts), as [\d,]+ were spent on it\.", reply)


async def test_summaries_are_made_anew_and_shown_with_what_they_keep(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = _lived(home, 400)
        ann.compactor.fold_due_now()
        end, folds = ann.memory.watermark, ann.memory.compactions
        answer = await home.ask(ann, "@rebuild-summaries")
        assert not answer.failed, answer.reply
        assert answer.reply.startswith(f"The summaries of Ann are made from memories 1 to {end} (")
        assert ann.memory.longterm is not None
        assert ann.memory.recent is not None
        assert ann.memory.longterm.text in answer.reply
        assert ann.memory.recent.text in answer.reply
        assert ann.memory.compactions == folds + 1
        assert home.minds.status(ann)["depth"] == 1
        assert "manual" not in ann.memory.longterm.reason
        assert "rebuild" in (await home.ask(ann, "@memory-history")).reply


async def test_the_owner_may_name_another_and_nobody_else_may(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        answer = await home.ask(ann, "@rebuild-summaries Eliza")
        assert answer.reply == (
            "There are no summaries of Eliza to make anew; @bootstrap-summaries makes the first ones."
        )
        for line in ("@rebuild-summaries Ann", "@bootstrap-summaries Ann"):
            step = home.type(home.agent("Moss"), line, Role.AGENT)
            assert step.failed
            assert step.requests == ()


async def test_it_is_for_people_and_not_for_the_minds(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        for command in ("@rebuild-summaries", "@bootstrap-summaries"):
            step = home.type(eliza, command, Role.AGENT)
            assert (step.failed, step.requests) == (True, ())
            assert step.reply.startswith(f'There is no command "{command}".')
        ann = home.enter("Ann")
        assert "no summaries" in (await home.ask(ann, "@rebuild-summaries", Role.GUEST)).reply


async def test_a_strategy_without_summaries_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "@compaction strategy sliding_window")
        answer = await home.ask(ann, "@rebuild-summaries")
        assert answer.reply == "The strategy sliding_window makes no summaries."


class Slow:
    """A model that answers when it is told to."""

    def __init__(self) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def __call__(self, owner: str, prompt: str, profile: str) -> Completion:
        self.asked.set()
        await self.go.wait()
        return Completion("I thought of a pear that Moss promised to bring to the old mill.", 100, 20, 0.5, "slow")


async def test_a_second_request_says_how_far_it_is_and_the_end_of_the_world_cancels_it_cleanly(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        slow = Slow()
        home.minds.means = replace(home.minds.means, ask=slow)
        ann = home.enter("Ann")
        await home.ask(ann, "@compaction off")
        for number in range(200):
            home.type(ann, f"think of the {number}. pear that Moss promised to bring to the old mill")
        first = asyncio.create_task(home.ask(ann, "@bootstrap-summaries"))
        await slow.asked.wait()
        answer = await home.ask(ann, "@bootstrap-summaries")
        assert answer.reply == "The summaries of Ann are being made already: 0 of 4 parts."
        assert "under way" in (await home.ask(ann, "@compact-memories")).reply
        first.cancel()
        await home.minds.finish_folds(0.0)
        assert not ann.compactor.busy
        assert ann.memory.watermark == 0
        slow.go.set()
        answer = await home.ask(ann, "@bootstrap-summaries")
        assert "(parts: 4, model)" in answer.reply
        assert ann.memory.watermark == ann.memory.total - 64


async def test_a_life_without_summaries_gets_its_first_ones_at_once(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "@compaction off")
        for number in range(300):
            home.type(ann, f"think of the {number}. pear that Moss promised to bring to the old mill")
        assert ann.memory.watermark == 0
        total = ann.memory.total
        answer = await home.ask(ann, "@bootstrap-summaries")
        assert answer.reply.startswith(f"The summaries of Ann are made from memories 1 to {total - 64} (parts: 5")
        status = home.minds.status(ann)
        assert (status["covered_through"], status["gaps"], status["overlaps"]) == (total - 64, [], [])
        assert status["compactions"] == 1
        answer = await home.ask(ann, "@bootstrap-summaries")
        assert answer.reply == (
            f"There are summaries of Ann already, up to memory {total - 64}; @rebuild-summaries makes them anew."
        )


async def test_where_everything_fits_it_says_how_many_memories_there_are(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        answer = await home.ask(home.enter("Ann"), "@bootstrap-summaries Eliza")
        assert answer.reply == "Eliza has 1 memory, still shown word for word; nothing needs a summary yet."


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
        await home.minds.fold(ann)
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


async def test_only_the_owner_is_told_what_is_wrong_with_the_servers_of_models(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert not await home.parts.queue.alive("think")
        ann.memory.note_trouble(MODEL, written_by_rules(["http://127.0.0.1:8080 does not answer"]))
        for line in ("@memory-status", "@memory-status full"):
            assert (await home.ask(ann, line)).reply.count("127.0.0.1:8080") > 1
            told = (await home.ask(ann, line, Role.PLAYER)).reply
            assert "127.0.0.1:8080" not in told
            assert "by rules" not in told
        assert (await home.ask(ann, "@memory-status", Role.PLAYER)).reply.endswith("No warnings.")
