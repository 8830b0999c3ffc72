"""What may stand in training data: no whispered word, and of prompts only those that were sent."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.life.prompting import Related
from agents.llm.backend import Completion
from agents.mind.traces import ModelCall, ModelCallTimer, Trace
from agents.mind.training import FORMS, OUTCOMES
from agents.prompt.prompt import PromptSection
from mud.command_line import main
from mud.world.roles import Role
from tests.examples import examples
from tests.houses import House, house
from tests.model_server import Server
from tests.processes import Running
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

PEOPLE, AGENTS = ("Ann", "Ben"), ("Eliza", "Moss")
ALL = (*PEOPLE, *AGENTS)
LINES = st.tuples(
    st.sampled_from(ALL),
    st.sampled_from(["say", "whisper", "tell", "wisper"]),
    st.sampled_from([*ALL, "Nobody"]),
    st.booleans(),  # whether the model's reply is rejected first
)
FILTERS = st.tuples(
    st.sampled_from(FORMS),
    st.sampled_from([None, *AGENTS]),
    st.sampled_from([None, "language", "instinct"]),
    st.sampled_from([None, *OUTCOMES]),
)


@settings(max_examples=examples(36))
@given(st.lists(LINES, min_size=4, max_size=14), st.lists(FILTERS, min_size=2, max_size=4))
def test_no_whispered_word_is_exported_by_any_filter_unless_the_owner_says_so(
    lines: list[tuple[str, str, str, bool]], filters: list[tuple[str, str | None, str | None, str | None]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_live_and_export(Path(folder), lines, filters))


async def _live_and_export(
    folder: Path,
    lines: list[tuple[str, str, str, bool]],
    filters: list[tuple[str, str | None, str | None, str | None]],
) -> None:
    async with house(folder) as home:
        for name in AGENTS:
            home.agent(name)
        for name in PEOPLE:
            home.enter(name)
        owner, prompts = home.enter("Olive", "The Library"), ""
        for number, (who, verb, to, rejected) in enumerate(lines):
            line = f"say pear{number}x" if verb == "say" else f"{verb} {to} plover{number}x"
            prompts += _act(home, who, line, rejected=rejected)
        found = ""
        for form, outcome in product(FORMS, ("", *OUTCOMES)):
            await home.ask(owner, f"@training export {form} {outcome}")
        for path in (home.parts.vault / "log/training").iterdir():
            found += path.read_text("utf-8")
        for one in filters:
            found += _exported(home, *one)
        assert "plover" not in found
        let_in = set(re.findall(r"(?:plover|pear)[0-9]+x", _exported(home, FORMS[0], None, None, None, "--whispers")))
        assert let_in == set(re.findall(r"(?:plover|pear)[0-9]+x", prompts))


def _act(home: House, who: str, line: str, *, rejected: bool) -> str:
    """Have somebody act, an agent by a model's thought; return what the model was told and replied."""
    one = home.agent(who)
    if one.definition.person:
        home.type(one, line, Role.PLAYER)
        return ""
    prompt = home.parts.prompting.build(one, Related())
    step = home.type(one, line, Role.AGENT)
    calls = [ModelCall(reply=line, rejected="said before", model="m", sections=prompt.sections)] * rejected
    calls += [ModelCall(reply=line, model="m", sections=prompt.sections)]
    refused = step.reply if step.failed else ""
    trace = Trace(step.number, step.at, one.id, line, one.name, brain="language", refused=refused, asked=tuple(calls))
    one.traces.keep(trace, 10_000_000)
    return prompt.text + line


def _exported(home: House, form: str, agent: str | None, brain: str | None, outcome: str | None, *more: str) -> str:
    file, given = home.parts.vault.parent / "out.jsonl", {"form": form, "agent": agent, "brain": brain}
    options = [word for key, value in {**given, "outcome": outcome}.items() if value for word in (f"--{key}", value)]
    assert main(["export", "--training", str(file), "--vault", str(home.parts.vault), *options, *more]) == 0
    return file.read_text("utf-8")


async def test_a_thought_whose_line_was_in_no_ledger_or_is_newer_than_the_count_stays_out(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza, call = home.agent("Eliza"), ModelCall(reply="look", sections=(PromptSection("cue", 1, "~Eliza>"),))
        for step in (0, home.engine.number + 1):
            eliza.traces.keep(Trace(step, "2026-11-20T07:21:37.123Z", eliza.id, "look", asked=(call,)), 1_000_000)
        assert _exported(home, "chat", None, None, None) == ""


async def test_a_prompt_that_was_cut_in_its_trace_is_not_exported(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        home.enter("Ann")
        _act(home, "Eliza", "look", rejected=False)
        eliza = home.agent("Eliza")
        (head,) = eliza.traces.heads(eliza.id)
        assert "You are Eliza" in _exported(home, "chat", None, None, None)
        for path in (home.parts.vault / "log/traces/eliza").iterdir():
            path.unlink()
        eliza.traces.keep(head.trace(), 2_000)
        assert [one.step for one in eliza.traces.heads(eliza.id)] == [head.step]
        assert _exported(home, "chat", None, None, None, "--whispers") == ""


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


@pytest.mark.parametrize("glue", ["\n", "\n\n"])
async def test_the_exported_chat_is_the_built_prompt_whatever_stands_before_the_cue(tmp_path: Path, glue: str) -> None:
    template = copy_vault(tmp_path) / "prompts/think.md"
    template.write_text(template.read_text("utf-8").replace("\n~{name}>", f"{glue}~{{name}}>"), "utf-8")
    async with house(tmp_path) as home:
        home.enter("Ann")
        prompt, asking = home.parts.prompting.build(home.agent("Eliza"), Related()), ModelCallTimer("", "", "", float)
        assert asking.built(prompt) == prompt.text
        assert prompt.text.endswith(f"{glue}~Eliza>")
        call = asking.answered(Completion("look", None, None, 0.0, "m"))
        step = home.type(home.agent("Eliza"), "look", Role.AGENT)
        home.agent("Eliza").traces.keep(Trace(step.number, step.at, step.who, "look", asked=(call,)), 1_000_000)
        assert json.loads(_exported(home, "chat", None, None, None))["messages"][0]["content"] == prompt.text


def test_the_exported_chat_is_what_the_model_server_was_sent(tmp_path: Path, server: Server) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "llm/think", host=server.address("behaves"), api="chat")
    for path in vault.glob("agents/*/agent.md"):
        path.write_text(re.sub(r"(think_interval): .*", r"\1: 1", path.read_text("utf-8")), "utf-8")
    world = Running(vault, "--as", "Ann", "--seed", "1")
    world.read_until("figure2")
    world.type("quit")
    assert world.wait() == 0
    file = tmp_path / "out.jsonl"
    assert main(["export", "--training", str(file), "--vault", str(vault)]) == 0
    exported = [json.loads(line)["messages"] for line in file.read_text("utf-8").splitlines()]
    sent = [body["messages"] for body in server.bodies if "messages" in body]
    assert exported
    assert all(messages[:1] in sent for messages in exported)
