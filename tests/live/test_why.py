"""`@why` explains every line of an evening: of a real model its prompt, price and reply, of instinct its reason."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from agents.agent import Agent
from agents.commands.why import told_trace
from agents.life.scheduler import Scheduler, SchedulerConfig
from agents.mind.traces import Trace
from agents.reply.reply import clean_reply
from mud.server.wiring import RealClock, load_brains, load_commands
from mud.world.roles import Role
from tests.houses import House, house
from tests.live_server import LiveServer
from tests.settings import put, put_own
from tests.vaults import copy_vault, without_vectors

LEAD = """\
~{name}> say The roses are late this year.
~{name}> emote waters the beans.
~{name}> say What a quiet morning this is.
~{name}>"""
"""Ends the prompt template; from examples even a model as small as this one learns the form of a command."""
SAID = ("Good morning.", "Where is the brass key?", "The pears are ripe.", "What do you like here?", "Tell me more.")
VERBS = {word for one in load_commands() if one.role <= Role.AGENT for word in (one.name, *one.aliases)}


@asynccontextmanager
async def world(folder: Path, server: LiveServer) -> AsyncIterator[tuple[House, Scheduler]]:
    """Open a vault whose agents ask the real server."""
    vault = without_vectors(copy_vault(folder))
    put(vault, "llm/think", host=server.address, max_tokens=24, num_ctx=1536, commands_only=True)
    put(vault, "memory_compaction", summarizer="extractive")
    put_own(vault, "moss", brain="instinct")
    template = vault / "prompts/think.md"
    head, _, rest = template.read_text("utf-8").rpartition("~{name}>")
    template.write_text(head + LEAD + rest, "utf-8")
    async with house(folder, RealClock()) as home:
        parts = home.parts
        drives = SchedulerConfig(load_brains, home.voice, parts.queue, parts.prompting, Random(1), parts.clock)
        living = Scheduler(parts.minds, parts.engine, drives, home.submitted.append)
        parts.engine.observe(living.observe)
        living.answers["think"] = await parts.queue.alive("think")
        assert living.answers["think"]
        yield home, living


async def lines_of(home: House, living: Scheduler, ann: Agent, agent: Agent, count: int) -> list[tuple[int, str]]:
    """Have an agent think until it has submitted so many lines; return steps and lines."""
    found: list[tuple[int, str]] = []
    for number in range(20 * count):
        home.type(ann, f"say {SAID[number % len(SAID)]}")
        step = await living.act(agent, waiting=number % 2 == 0)
        if step is not None and step.line is not None:
            found.append((step.number, step.line))
        if len(found) == count:
            return found
    raise AssertionError(f"only {len(found)} lines came")


@pytest.mark.parametrize(("thought", "felt"), [(2, 2), pytest.param(70, 30, marks=pytest.mark.torture)])
async def test_every_line_of_a_real_model_and_of_instinct_is_explained(
    tmp_path: Path, live_server: LiveServer, thought: int, felt: int
) -> None:
    async with world(tmp_path, live_server) as (home, living):
        ann, eliza, moss = home.enter("Ann"), home.agent("Eliza"), home.agent("Moss")
        living.begin(eliza)
        living.begin(moss)
        lines = await lines_of(home, living, ann, eliza, thought)
        brains = [await _explained(home, ann, eliza, n, lines, live_server) for n in range(1, thought + 1)]
        assert brains.count("language") >= thought * 5 // 7, brains
        lines = await lines_of(home, living, ann, moss, felt)
        for number in range(1, felt + 1):
            await _felt(home, ann, moss, number, lines)


async def _explained(
    home: House, ann: Agent, eliza: Agent, number: int, lines: Sequence[tuple[int, str]], server: LiveServer
) -> str:
    """Hold the explanation of the line that was so-and-so-manyth last to what was said; return the brain."""
    step, line = lines[-number]
    head = eliza.traces.find(eliza.id, step)
    assert head is not None
    trace = head.trace()
    assert (trace.step, trace.line) == (step, line)
    answer = await home.ask(ann, f"@why Eliza {number} full")
    assert answer.reply.splitlines()[1] == f"  {line.partition(' | ')[0]}"
    assert f"{trace.brain}: {trace.why}" in answer.reply
    assert trace.why
    assert trace.asked, "the model was asked for every line"
    short = "\n".join(told_trace(home.minds, eliza, trace, full=False))
    for words in (f"at {server.address}, profile think", " of 1512 tokens (a window of 1536, 24 kept", "identity"):
        assert words in short
    assert ("a person waited" in short) == trace.waiting
    _hold(trace, answer.reply)
    return trace.brain


async def _felt(home: House, ann: Agent, moss: Agent, number: int, lines: Sequence[tuple[int, str]]) -> None:
    """Hold the explanation of an instinct's line to what it did: why, by which words, and what it had looked up."""
    step, line = lines[-number]
    head = moss.traces.find(moss.id, step)
    assert head is not None
    trace = head.trace()
    told = (await home.ask(ann, f"@why Moss {number} full")).reply
    assert (trace.line, trace.brain, trace.asked, trace.instead) == (line, "instinct", (), "")
    assert told.splitlines()[1] == f"  {line.partition(' | ')[0]}"
    assert trace.why
    assert f"instinct: {trace.why}" in told
    assert trace.text in told
    assert ("a person waited" in told) == trace.waiting
    assert all(f"[{found.ref.strip('[]')}] " in told for one in trace.lookups for found in one.found)
    held = [trace.answers] if trace.answers else []
    for entry in (next(iter(moss.memory.read(seq, seq))) for seq in held):
        assert entry.text[:60] in told


def _hold(trace: Trace, told: str) -> None:
    """Hold what was asked and replied to the line that came of it."""
    for one in trace.asked:
        assert not one.error
        assert one.model
        assert one.prompt_tokens is not None
        assert 0 < one.prompt_tokens <= one.tokens <= one.window - one.reserve
        assert one.completion_tokens is not None
        assert re.search(rf"(?m)^  Tokens +{one.prompt_tokens} read, ", told)
        assert one.sections[-1].text.endswith("~Eliza>")
        assert one.seconds > 0
        assert all(line.rstrip() in told for line in one.reply.splitlines())
    *earlier, last = trace.asked
    assert all(one.rejected for one in earlier)
    if trace.brain == "language":
        assert clean_reply(last.reply, "Eliza", VERBS) == trace.line
        assert not last.rejected
        assert not trace.instead
    else:
        assert last.rejected
        assert last.rejected in trace.instead
