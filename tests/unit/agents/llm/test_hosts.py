"""The health of a host, several hosts for one profile, and hosts that no profile names any more."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from agents.llm.backend import Refused
from agents.llm.backends.embedded import EMBEDDED
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.hosts import FIRST_PAUSE, PROBE_SECONDS, SUGGESTION, Host, HostState
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Urgency
from mud.clock import VirtualClock
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import A, Gate, Stage, running, settle, waiting

BOTH, B = replace(A, host="a, b"), replace(A, host="b")


# ---- health ----


async def test_a_host_that_does_not_answer_is_left_alone_longer_each_time_up_to_a_minute() -> None:
    stage = Stage({"a": ScriptedModel([Gate(), *[Unavailable("nobody there.")] * 5, gate := Gate(), "well"])})
    slow = stage.ask("x")
    await settle()
    stage.clock.advance(60)
    with pytest.raises(Unavailable, match="did not answer within 60 s"):
        await slow
    with pytest.raises(Unavailable, match=r"a is down .*; asked again in 5 s"):
        await stage.ask("y")
    pauses = [stage.host.wait]
    for _ in range(5):
        stage.clock.advance(pauses[-1])
        with pytest.raises(Unavailable, match="nobody there"):
            await stage.ask("x")
        pauses.append(stage.host.wait)
    assert pauses == [5, 10, 20, 40, 60, 60]
    (told,) = stage.queue.silent(["think", "nobody"])
    assert told == (f"a: down since 2026-01-01T00:01:00.000Z: nobody there. It is asked again in 60 s. {SUGGESTION}")
    stage.clock.advance(60)
    trial = stage.ask("trial")
    await settle()
    with pytest.raises(Unavailable, match="is being tried again"):
        await stage.ask("other", Urgency.PERSON)
    gate.open()
    assert [(await trial).text, (await stage.ask("later")).text] == ["look", "well"]
    assert stage.queue.silent(["think"]) == []
    assert stage.host.words() == ("a: answers since 2026-01-01T00:04:15.000Z. The last trouble was: nobody there.")


async def test_a_refused_prompt_does_not_make_the_host_down() -> None:
    stage = Stage({"a": ScriptedModel([Refused("the prompt is too long"), "look"])})
    with pytest.raises(Refused):
        await stage.ask("x")
    assert (await stage.ask("y")).text == "look"
    assert (stage.host.state, stage.host.last_error) == (HostState.UP, "the prompt is too long")


async def test_a_backend_that_breaks_when_it_is_asked_whether_a_host_is_back_is_left_alone_for_a_while() -> None:
    class Breaking(ScriptedModel):
        async def check(self, profile: LLMProfile) -> str:
            raise Unavailable("gone") if running(stage.queue) else ZeroDivisionError("oops")

    stage = Stage({"a": Breaking()})
    with pytest.raises(Unavailable, match="gone"):
        await stage.ask("x")
    stage.clock.advance(FIRST_PAUSE)
    assert not await stage.queue.alive("think")
    assert stage.host.wait == 2 * FIRST_PAUSE


def test_failures_that_may_pass_make_it_shaky_and_three_in_a_row_take_it_down() -> None:
    host = Host("a", clock := VirtualClock())
    for _ in range(9):
        host.failed("busy", clock.monotonic(), transient=True)
        host.failed("busy", clock.monotonic(), transient=True)
        assert (host.state, host.wait) == (HostState.SHAKY, 0)
        assert host.words() == "a: shaky since 2026-01-01T00:00:00.000Z: busy. It is still asked."
        host.answered()
    for wait in (0, 0, 5, 10):
        host.failed("busy", clock.monotonic(), transient=True)
        assert host.wait == wait


def test_its_state_is_told_in_a_few_words_with_times_of_day() -> None:
    host = Host("a", clock := VirtualClock())
    assert host.state_words() == "never asked"
    clock.advance(61)
    host.answered()
    assert host.state_words() == "answers since 00:01:01"
    host.failed("busy", 61, transient=True)
    assert host.state_words() == "shaky since 00:01:01"
    host.failed("gone", 61, transient=False)
    assert host.state_words() == "down since 00:01:01 until 00:01:06"
    clock.advance(5)
    assert host.state_words() == "down since 00:01:01 until the next thought"
    clock.advance(86_400)
    assert host.state_words() == "down since 2026-01-01 00:01:01 until the next thought"


def test_calls_side_by_side_that_fail_together_count_once() -> None:
    host, shaky = (Host(name, clock) for clock in [VirtualClock()] for name in "ab")
    host.clock.advance(60)  # type: ignore[attr-defined]
    host.failed("silence", 0.0, transient=False)
    host.failed("silence again", 1.0, transient=False)
    assert (host.failures, host.retry_at, host.last_error) == (1, 65.0, "silence again")
    for began in (60.0, *[1.0] * 9):
        shaky.failed("busy", began, transient=True)
    assert shaky.state is HostState.SHAKY
    shaky.failed("gone", 1.0, transient=False)
    assert shaky.is_down


# ---- several hosts ----


async def test_the_least_busy_host_goes_first() -> None:
    gates = [Gate("a1"), Gate("b1"), Gate("a2"), Gate("b2")]
    profile = replace(BOTH, concurrency=2)
    stage = Stage({"a": ScriptedModel(gates[::2]), "b": ScriptedModel(gates[1::2])}, {"think": profile})
    jobs = [stage.ask(str(number)) for number in range(5)]
    await settle()
    assert [model.prompts for model in stage.models.values()] == [["0", "2"], ["1", "3"]]
    assert (running(stage.queue), waiting(stage.queue)) == (4, 1)
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
    assert stage.states == {"a": HostState.DOWN, "b": HostState.UP}
    assert (stage.totals.answered, stage.totals.asked) == (3, 3)


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
    assert stage.states == {"a": HostState.UP, "b": HostState.UP}
    assert (await stage.ask("three")).text == "a again"


async def test_alive_asks_every_host_and_one_is_enough() -> None:
    stage = Stage({"a": ScriptedModel(), "b": ScriptedModel()}, {"think": BOTH})
    await stage.models["a"].close()
    assert await stage.queue.alive("think")
    assert stage.states == {"a": HostState.DOWN, "b": HostState.UP}
    await stage.models["b"].close()
    assert not await stage.queue.alive("think")


async def test_a_host_that_a_call_is_under_way_to_is_alive_and_is_not_asked() -> None:
    class OneAtATime(ScriptedModel):
        async def check(self, profile: LLMProfile) -> str:
            if running(stage.queue) and self.prompts:
                raise Unavailable("a did not answer within 3 s")
            return "a"

    stage = Stage({"a": OneAtATime([gate := Gate("well")])})
    thought = stage.ask("one")
    await settle()
    assert await stage.queue.alive("think")
    gate.open()
    assert (await thought).text == "well"
    assert stage.states == {"a": HostState.UP}


async def test_a_host_that_is_silent_while_a_call_to_it_began_is_not_down() -> None:
    class Silent(ScriptedModel):
        async def check(self, profile: LLMProfile) -> str:
            if not self.prompts and not running(stage.queue):
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


async def closed(model: ScriptedModel) -> bool:
    await settle()
    try:
        await model.check(A)
    except Unavailable:
        return True
    return False


async def test_a_model_that_no_profile_names_any_more_is_closed_after_its_last_call() -> None:
    models = {"a": ScriptedModel(["one", gate := Gate("well")]), "b": ScriptedModel(["two"])}
    stage = Stage(models, {"think": A, "summarizer": A})
    await stage.ask("x")
    stage.profiles["think"] = B
    stage.queue.hosts.keep_only(["think", "summarizer"])
    assert not await closed(stage.models["a"]), "another profile names it"
    under_way = stage.ask("x", profile="summarizer")
    await settle()
    stage.queue.hosts.keep_only(["think"])
    assert not await closed(stage.models["a"])
    gate.open()
    assert (await under_way).text == "well"
    assert await closed(stage.models["a"])
    assert stage.states == {}
    assert (await stage.ask("x")).text == "two"
    assert list(stage.states) == ["b"]


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
