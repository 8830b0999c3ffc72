"""Several hosts for one profile, and hosts that no profile names any more."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from agents.llm.backend import Refused
from agents.llm.backends.embedded import EMBEDDED
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.hosts import FIRST_PAUSE, PROBE_SECONDS, HostState
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Urgency
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import Gate, Stage, settle

BOTH = LLMProfile(backend="scripted", host="a, b", timeout=60)


def states(stage: Stage) -> dict[str, HostState]:
    return {one.host: one.state for one in stage.queue.health()}


def test_hosts_are_named_once_each_in_their_order() -> None:
    assert replace(BOTH, host=" http://a , http://b,,http://a").hosts == ("http://a", "http://b")
    assert replace(BOTH, host=" ").hosts == ("",)


async def test_the_least_busy_host_goes_first() -> None:
    gates = [Gate("a1"), Gate("b1"), Gate("a2"), Gate("b2")]
    profile = replace(BOTH, concurrency=2)
    stage = Stage({"a": ScriptedModel(gates[::2]), "b": ScriptedModel(gates[1::2])}, {"think": profile})
    jobs = [stage.ask(str(number)) for number in range(5)]
    await settle()
    assert [model.prompts for model in stage.models.values()] == [["0", "2"], ["1", "3"]]
    assert (stage.queue.running, stage.queue.waiting) == (4, 1)
    for gate in gates:
        gate.open()
    for job in jobs[:4]:
        await job
    jobs[4].cancel()


async def test_an_agent_stays_with_the_host_that_has_read_its_prompt_before() -> None:
    stage = Stage({"a": ScriptedModel(["x"] * 9), "b": ScriptedModel(["x"] * 9)}, {"think": BOTH})
    for name in ("Eliza", "Moss", "Moss", "Eliza", "Eliza", "Moss"):
        await stage.ask(name)
    assert set(stage.models["a"].prompts) == {"Eliza"}
    assert set(stage.models["b"].prompts) == {"Moss"}


async def test_a_host_that_fails_hands_its_job_on_and_is_left_alone() -> None:
    stage = Stage({"a": ScriptedModel([Unavailable("gone")]), "b": ScriptedModel(["well"] * 3)}, {"think": BOTH})
    for prompt in ("one", "two", "three"):
        answer = await stage.ask(prompt)
        assert (answer.text, answer.host) == ("well", "b"), "who answered is told, not who was asked first"
    assert stage.models["a"].prompts == ["one"]
    assert states(stage) == {"a": HostState.DOWN, "b": HostState.UP}
    assert (stage.queue.totals.answered, stage.queue.totals.asked) == (3, 3)


async def test_a_job_goes_to_each_host_once_and_then_fails() -> None:
    hosts = {name: ScriptedModel([Unavailable(f"{name} is gone")]) for name in "abc"}
    stage = Stage(hosts, {"think": replace(BOTH, host="a, b, c")})
    with pytest.raises(Unavailable, match="c is gone"):
        await stage.ask("one")
    assert [model.prompts for model in hosts.values()] == [["one"]] * 3
    with pytest.raises(Unavailable, match=r"a is down .*; b is down .*; c is down"):
        await stage.ask("two")


async def test_a_refusal_is_no_other_hosts_business() -> None:
    stage = Stage({"a": ScriptedModel([Refused("too long")]), "b": ScriptedModel(["well"])}, {"think": BOTH})
    with pytest.raises(Refused):
        await stage.ask("one")
    assert stage.models["b"].prompts == []


async def test_another_host_has_a_timeout_of_its_own_but_a_person_waits_for_one_in_all() -> None:
    stage = Stage({"a": ScriptedModel([Gate()]), "b": ScriptedModel(["well"])}, {"think": BOTH})
    thought = stage.ask("thought")
    await settle()
    stage.clock.advance(60)
    assert (await thought).text == "well"
    other = Stage({"a": ScriptedModel([Gate()]), "b": ScriptedModel(["well"])}, {"think": BOTH})
    person = other.ask("person", Urgency.PERSON)
    await settle()
    other.clock.advance(60)
    with pytest.raises(Unavailable, match="a did not answer within 60 s"):
        await person


async def test_a_host_that_comes_back_is_asked_whether_it_is_there_before_any_job_goes_to_it() -> None:
    stage = Stage({"a": ScriptedModel([Unavailable("gone"), "a again"]), "b": ScriptedModel(["b"] * 9)})
    stage.profiles["think"] = BOTH
    assert (await stage.ask("one")).text == "b"
    stage.clock.advance(FIRST_PAUSE + 1)
    assert (await stage.ask("two")).text == "b"
    await settle()
    assert states(stage) == {"a": HostState.UP, "b": HostState.UP}
    assert (await stage.ask("three")).text == "a again"


async def test_alive_asks_every_host_and_one_is_enough() -> None:
    stage = Stage({"a": ScriptedModel(), "b": ScriptedModel()}, {"think": BOTH})
    await stage.models["a"].close()
    assert await stage.queue.alive("think")
    assert states(stage) == {"a": HostState.DOWN, "b": HostState.UP}
    await stage.models["b"].close()
    assert not await stage.queue.alive("think")


async def test_a_host_that_a_call_is_under_way_to_is_alive_and_is_not_asked() -> None:
    class OneAtATime(ScriptedModel):
        async def check(self, profile: LLMProfile) -> str:
            if stage.queue.running and self.prompts:
                raise Unavailable("a did not answer within 3 s")
            return "a"

    stage = Stage({"a": OneAtATime([gate := Gate("well")])})
    thought = stage.ask("one")
    await settle()
    assert await stage.queue.alive("think")
    gate.open()
    assert (await thought).text == "well"
    assert states(stage) == {"a": HostState.UP}


async def test_a_host_that_is_silent_while_a_call_to_it_began_is_not_down() -> None:
    class Silent(ScriptedModel):
        async def check(self, profile: LLMProfile) -> str:
            if not self.prompts and not stage.queue.running:
                await Gate()("")
            return "a"

    stage = Stage({"a": Silent([gate := Gate("well"), "again"])})
    alive = asyncio.create_task(stage.queue.alive("think"))
    await settle()
    first = stage.ask("one")
    await settle()
    stage.clock.advance(PROBE_SECONDS)
    assert await alive
    waits = stage.ask("two")
    gate.open()
    assert [(await first).text, (await waits).text] == ["well", "again"]


async def test_a_host_is_kept_for_the_job_that_waits_for_it() -> None:
    gates = [Gate() for _ in range(3)]
    stage = Stage({"a": ScriptedModel(gates)}, {"think": replace(BOTH, host="a")})
    stage.profiles["summarizer"] = replace(stage.profiles["think"], concurrency=2)
    first, second = stage.ask("first"), stage.ask("second")
    await settle()
    low = asyncio.create_task(stage.queue.ask(lambda: "low", "summarizer", Urgency.SUMMARIZE, "Eliza"))
    await settle()
    assert stage.models["a"].prompts == ["first"]
    for gate in gates:
        gate.open()
    await asyncio.gather(first, second, low)
    assert stage.models["a"].prompts == ["first", "second", "low"]


# ---- hosts that no profile names any more ----

A = LLMProfile(backend="scripted", host="a", timeout=60)
B = replace(A, host="b")


async def closed(model: ScriptedModel) -> bool:
    await settle()
    try:
        await model.check(A)
    except Unavailable:
        return True
    return False


async def test_a_model_that_no_profile_names_any_more_is_closed_and_its_host_forgotten() -> None:
    stage = Stage({"a": ScriptedModel(["one"]), "b": ScriptedModel(["two"])}, {"think": A})
    await stage.ask("x")
    stage.profiles["think"] = B
    stage.queue.hosts.keep_only(["think"])
    assert await closed(stage.models["a"])
    assert list(states(stage)) == []
    assert (await stage.ask("x")).text == "two"
    assert list(states(stage)) == ["b"]
    assert not await closed(stage.models["b"])


async def test_a_model_that_another_profile_names_stays() -> None:
    stage = Stage({"a": ScriptedModel(["one", "two"]), "b": ScriptedModel()}, {"think": A, "summarizer": A})
    await stage.ask("x")
    stage.profiles["think"] = B
    stage.queue.hosts.keep_only(["think", "summarizer"])
    assert not await closed(stage.models["a"])
    assert (await stage.ask("x", profile="summarizer")).text == "two"


async def test_a_call_under_way_is_not_disturbed_and_its_model_closed_after_it() -> None:
    stage = Stage({"a": ScriptedModel([gate := Gate("well")]), "b": ScriptedModel(["two"])}, {"think": A})
    thought = stage.ask("x")
    await settle()
    stage.profiles["think"] = B
    stage.queue.hosts.keep_only(["think"])
    assert not await closed(stage.models["a"])
    gate.open()
    assert (await thought).text == "well"
    assert await closed(stage.models["a"])
    assert list(states(stage)) == []


async def test_closing_waits_for_a_model_that_is_being_let_go_of() -> None:
    class Slow(ScriptedModel):
        ended = False

        async def close(self) -> None:
            await asyncio.sleep(0)
            await super().close()
            self.ended = True

    model = Slow(["one"])
    stage = Stage({"a": model}, {"think": A})
    await stage.ask("x")
    stage.queue.hosts.keep_only([])
    await stage.queue.close(0)
    assert model.ended


def test_two_files_of_one_name_are_two_models_and_a_link_is_its_file(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "small.gguf").touch()
    (tmp_path / "link.gguf").symlink_to(tmp_path / "one" / "small.gguf")
    files = ("one/small.gguf", "two/small.gguf", "link.gguf")
    one, two, link = (EMBEDDED.host(LLMProfile(model=str(tmp_path / file))) for file in files)
    assert one != two
    assert one == link
