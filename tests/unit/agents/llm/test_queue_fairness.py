"""Who is asked next when a host is slow, and what is said of hosts that do not answer."""

from __future__ import annotations

import asyncio

import pytest

from agents.llm.backend import Completion, TransientError
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.hosts import FIRST_PAUSE
from agents.llm.jobs import AGES_AFTER
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Urgency
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import Gate, Stage, settle


def asked(stage: Stage, prompt: str, urgency: Urgency) -> asyncio.Task[Completion]:
    return asyncio.create_task(stage.queue.ask(lambda: prompt, "think", urgency, prompt))


async def test_a_summary_that_has_waited_long_goes_before_newer_thoughts_but_not_before_a_person() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "b", "c", "d"])})
    jobs = [asked(stage, "first", Urgency.THINK)]
    await settle()
    jobs.append(asked(stage, "summary", Urgency.SUMMARIZE))
    await settle()
    stage.clock.advance(2 * AGES_AFTER)
    jobs += [asked(stage, "thought", Urgency.THINK), asked(stage, "person", Urgency.PERSON)]
    await settle()
    gate.open()
    await asyncio.gather(*jobs)
    assert stage.models["a"].prompts == ["first", "person", "summary", "thought"]


async def test_a_host_that_was_down_is_tried_by_one_call_and_nobody_else_waits_for_it() -> None:
    gate = Gate("again")
    stage = Stage({"a": ScriptedModel([Unavailable("it is gone"), gate, "well"])})
    with pytest.raises(Unavailable, match="gone"):
        await asked(stage, "first", Urgency.THINK)
    stage.clock.advance(FIRST_PAUSE + 1)
    trial = asked(stage, "trial", Urgency.THINK)
    await settle()
    with pytest.raises(Unavailable, match="is being tried again"):
        await asked(stage, "other", Urgency.PERSON)
    gate.open()
    assert (await trial).text == "again"
    assert (await asked(stage, "later", Urgency.THINK)).text == "well"


async def test_hosts_that_do_not_answer_are_named_until_they_do() -> None:
    profiles = {name: LLMProfile(backend="scripted", host=name, timeout=60) for name in ("think", "summarizer")}
    models = {"think": ScriptedModel([Unavailable("it is gone"), "well"]), "summarizer": ScriptedModel()}
    stage = Stage(models, profiles)
    names = ("think", "summarizer", "nobody")
    assert stage.queue.silent(names) == []
    with pytest.raises(Unavailable):
        await asked(stage, "first", Urgency.THINK)
    (told,) = stage.queue.silent(names)
    assert "it is gone" in told
    assert stage.queue.silent(("summarizer",)) == []
    stage.clock.advance(FIRST_PAUSE + 1)
    await asked(stage, "again", Urgency.THINK)
    assert stage.queue.silent(names) == []


async def test_a_thought_that_waits_becomes_as_urgent_as_the_person_who_waits_for_it() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "b", "c", "d"])})
    jobs = [asked(stage, "first", Urgency.THINK)]
    await settle()
    jobs += [asked(stage, name, Urgency.THINK) for name in ("Moss", "Eliza")]
    jobs.append(asked(stage, "Eliza", Urgency.SUMMARIZE))
    await settle()
    stage.queue.hasten("Eliza")
    gate.open()
    await asyncio.gather(*jobs)
    assert stage.models["a"].prompts == ["first", "Eliza", "Moss", "Eliza"]


async def test_a_thought_under_way_that_a_person_came_to_wait_for_is_urgent_when_it_is_tried_again() -> None:
    gate, other = Gate(), Gate()

    async def breaks_off(prompt: str) -> str:
        await gate(prompt)
        raise TransientError("it broke off", 1.0)

    stage = Stage({"a": ScriptedModel([breaks_off, other, "b", "c"])})
    jobs = [asked(stage, "Eliza", Urgency.THINK)]
    await settle()
    jobs += [asked(stage, name, Urgency.PERSON) for name in ("Tamsin", "Moss")]
    await settle()
    stage.queue.hasten("Eliza")
    gate.open()
    await settle()
    stage.clock.advance(1)
    await settle()
    other.open()
    await asyncio.gather(*jobs)
    assert stage.models["a"].prompts == ["Eliza", "Tamsin", "Eliza", "Moss"]
