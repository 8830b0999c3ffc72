from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace

import pytest

from agents.llm.backend import Completion, Refused
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.hosts import FIRST_PAUSE, HostState
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Urgency
from mud.clock import VirtualClock
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import Gate, Stage, settle

NUMBERS = itertools.count(1)
A = LLMProfile(backend="scripted", host="a", timeout=60)


def asked(
    stage: Stage, prompt: str, urgency: Urgency = Urgency.THINK, profile: str = "think"
) -> asyncio.Task[Completion]:
    owner = f"Eliza {next(NUMBERS)}"  # one agent has only one thought waiting
    return asyncio.create_task(stage.queue.ask(lambda: prompt, profile, urgency, owner))


async def test_a_waiting_person_goes_first_then_thoughts_then_embeddings_then_summaries() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "b", "c", "d", "e"])})
    jobs = [asked(stage, "first")]
    await settle()
    jobs += [asked(stage, urgency.name, urgency) for urgency in reversed(Urgency)]
    await settle()
    gate.open()
    await asyncio.gather(*jobs)
    assert stage.models["a"].prompts == ["first", "PERSON", "THINK", "EMBED", "SUMMARIZE"]


async def test_the_prompt_is_built_when_its_turn_comes() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "b"])})
    first = asked(stage, "first")
    await settle()
    known = ["old"]
    second = asyncio.create_task(stage.queue.ask(lambda: " ".join(known), "think", Urgency.THINK, "Moss"))
    await settle()
    known.append("new")
    gate.open()
    await asyncio.gather(first, second)
    assert stage.models["a"].prompts[1] == "old new"


async def test_a_prompt_that_cannot_be_built_fails_its_own_job_only() -> None:
    stage = Stage({"a": ScriptedModel(["look"])})

    def broken() -> str:
        raise KeyError("place")

    with pytest.raises(KeyError):
        await stage.queue.ask(broken, "think", Urgency.THINK, "Eliza")
    assert (await asked(stage, "x")).text == "look"
    assert stage.queue.health()[0].state is HostState.UP


async def test_a_host_gets_as_many_calls_at_once_as_its_profile_allows() -> None:
    gates = [Gate() for _ in range(5)]
    stage = Stage({"a": ScriptedModel(gates)}, {"think": replace(A, concurrency=2)})
    jobs = [asked(stage, str(n)) for n in range(5)]
    await settle()
    assert (stage.queue.running, stage.queue.waiting) == (2, 3)
    gates[0].open()
    await settle()
    assert stage.models["a"].prompts == ["0", "1", "2"]
    for gate in gates:
        gate.open()
    await asyncio.gather(*jobs)


async def test_two_hosts_do_not_wait_for_each_other() -> None:
    gate = Gate()
    stage = Stage(
        {"a": ScriptedModel([gate]), "b": ScriptedModel(["fine"])},
        {"think": A, "summarizer": replace(A, host="b")},
    )
    slow = asked(stage, "x")
    await settle()
    assert (await asked(stage, "y", Urgency.SUMMARIZE, "summarizer")).text == "fine"
    gate.open()
    await slow


async def test_a_call_that_takes_too_long_fails_and_the_next_one_is_not_asked_at_once() -> None:
    stage = Stage({"a": ScriptedModel([Gate(), "look"])})
    slow = asked(stage, "x")
    await settle()
    stage.clock.advance(60)
    with pytest.raises(Unavailable, match="did not answer within 60 s"):
        await slow
    with pytest.raises(Unavailable, match=r"a is down .*; asked again in 5 s"):
        await asked(stage, "y")
    stage.clock.advance(5)
    assert (await asked(stage, "z")).text == "look"
    assert stage.queue.health()[0].state is HostState.UP


async def test_jobs_that_wait_for_a_host_that_goes_down_fail_with_it() -> None:
    stage = Stage({"a": ScriptedModel([Gate()])})
    jobs = [asked(stage, str(n)) for n in range(4)]
    await settle()
    stage.clock.advance(60)
    ends = await asyncio.gather(*jobs, return_exceptions=True)
    assert all(isinstance(end, Unavailable) for end in ends)
    assert stage.queue.totals.failed == 4


async def test_the_pause_doubles_at_each_failure_up_to_a_minute() -> None:
    stage = Stage({"a": ScriptedModel([Unavailable("nobody there")] * 9)})
    pauses = []
    for _ in range(6):
        with pytest.raises(Unavailable, match="nobody there"):
            await asked(stage, "x")
        pauses.append(stage.queue.health()[0].wait(stage.clock))
        stage.clock.advance(pauses[-1])
    assert pauses == [5, 10, 20, 40, 60, 60]


async def test_a_refused_prompt_does_not_make_the_host_down() -> None:
    stage = Stage({"a": ScriptedModel([Refused("the prompt is too long"), "look"])})
    with pytest.raises(Refused):
        await asked(stage, "x")
    assert (await asked(stage, "y")).text == "look"
    health = stage.queue.health()[0]
    assert (health.state, health.last_error) == (HostState.UP, "the prompt is too long")


async def test_a_text_that_breaks_a_backend_is_refused_and_everybody_else_is_answered() -> None:
    stage = Stage({"a": ScriptedModel([UnicodeEncodeError("utf-8", "x", 0, 1, "no"), "look"])})
    broken, sound = asked(stage, "x"), asked(stage, "y")
    with pytest.raises(Refused):
        await broken
    assert (await sound).text == "look"


async def test_a_backend_that_breaks_when_it_is_asked_whether_a_host_is_back_is_left_alone_for_a_while() -> None:
    class Breaking(ScriptedModel):
        async def check(self, profile: LLMProfile) -> str:
            raise Unavailable("gone") if stage.queue.running else ZeroDivisionError("oops")

    stage = Stage({"a": Breaking()})
    with pytest.raises(Unavailable, match="gone"):
        await asked(stage, "x")
    stage.clock.advance(FIRST_PAUSE)
    assert not await stage.queue.alive("think")
    assert stage.queue.health()[0].wait(stage.clock) == 2 * FIRST_PAUSE


async def test_a_cancelled_asker_frees_the_place_for_the_next() -> None:
    stage = Stage({"a": ScriptedModel([Gate(), "look"])})
    first, second = asked(stage, "x"), asked(stage, "y")
    await settle()
    first.cancel()
    assert (await second).text == "look"
    assert first.cancelled()
    assert (stage.queue.totals.answered, stage.queue.totals.cancelled) == (1, 1)


async def test_a_cancelled_asker_that_still_waits_never_reaches_the_model() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "look"])})
    first, second = asked(stage, "x"), asked(stage, "y")
    await settle()
    second.cancel()
    await settle()
    assert stage.queue.waiting == 0
    gate.open()
    await first
    assert stage.models["a"].prompts == ["x"]


async def test_a_full_queue_refuses_the_least_urgent_at_once() -> None:
    stage = Stage({"a": ScriptedModel([gate := Gate(), "b", "c"])}, room=2)
    running = asked(stage, "running")
    await settle()
    thought, summary = asked(stage, "thought"), asked(stage, "summary", Urgency.SUMMARIZE)
    await settle()
    with pytest.raises(Unavailable, match="2 jobs wait"):
        await asked(stage, "another summary", Urgency.SUMMARIZE)
    person = asked(stage, "person", Urgency.PERSON)
    with pytest.raises(Unavailable, match="2 jobs wait"):
        await summary
    gate.open()
    await asyncio.gather(running, thought, person)
    assert stage.models["a"].prompts == ["running", "person", "thought"]


async def test_whoever_was_cancelled_a_moment_ago_is_refused_for_another_without_harm() -> None:
    stage = Stage({"a": ScriptedModel([gate := Gate(), "b"])}, room=1)
    running = asked(stage, "running")
    await settle()
    gone = asked(stage, "gone")
    await settle()
    waits = asked(stage, "person", Urgency.PERSON)
    gone.cancel()  # its job still waits: the person asks before the one who was cancelled comes round to it
    gate.open()
    assert (await waits).text == "b"
    assert (await running).text == "look"
    assert gone.cancelled()


async def test_a_host_changed_while_jobs_wait_gets_them() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate]), "b": ScriptedModel(["from b", "from b"])})
    first, second, third = (asked(stage, str(n)) for n in range(3))
    await settle()
    stage.profiles["think"] = replace(A, host="b")
    gate.open()
    assert [(await job).text for job in (first, second, third)] == ["look", "from b", "from b"]


async def test_an_unknown_profile_and_an_unknown_backend_are_told_in_words() -> None:
    stage = Stage({"a": ScriptedModel([])}, {"think": A, "odd": replace(A, backend="telepathy")})
    with pytest.raises(Unavailable, match=r"there is no LLM profile 'dream'; a file config/llm/dream\.md makes one"):
        await asked(stage, "x", profile="dream")
    with pytest.raises(Unavailable, match="there is no backend 'telepathy'; there is: scripted"):
        await asked(stage, "x", profile="odd")


async def test_a_profile_that_vanishes_while_its_job_waits_fails_that_job() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate])}, {"think": A, "summarizer": A})
    first, second = asked(stage, "x"), asked(stage, "y", profile="summarizer")
    await settle()
    del stage.profiles["summarizer"]
    gate.open()
    await first
    with pytest.raises(Unavailable, match="no LLM profile 'summarizer'"):
        await second


async def test_closing_gives_running_calls_their_grace_and_ends_the_others() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, Gate()])}, {"think": replace(A, concurrency=2)})
    quick, slow, waiting = (asked(stage, str(n)) for n in range(3))
    await settle()
    closing = asyncio.create_task(stage.queue.close(grace=5))
    await settle()
    with pytest.raises(Unavailable, match="the world closed"):
        await waiting
    gate.open()
    assert (await quick).text == "look"
    assert not slow.done()
    stage.clock.advance(5)
    await closing
    with pytest.raises(Unavailable, match="the world closed"):
        await slow
    assert (stage.queue.running, stage.queue.waiting) == (0, 0)
    assert stage.queue.totals.cancelled == 2


async def test_a_closed_queue_asks_nobody() -> None:
    stage = Stage({"a": ScriptedModel(["look"])})
    await asked(stage, "x")
    await stage.queue.close(grace=5)
    with pytest.raises(Unavailable, match="closing"):
        await asked(stage, "y")
    assert not await stage.queue.alive("think")
    with pytest.raises(Unavailable):
        await stage.models["a"].check(A)


async def test_an_answer_that_comes_at_once_does_not_move_a_virtual_clock() -> None:
    clock = VirtualClock()
    stage = Stage({"a": ScriptedModel(["look"])}, clock=clock)
    await asked(stage, "x")
    assert clock.monotonic() == 0


async def test_the_state_of_hosts_is_told_in_plain_words() -> None:
    stage = Stage({"a": ScriptedModel([Unavailable("nothing answers at a"), gate := Gate()])})
    with pytest.raises(Unavailable):
        await asked(stage, "x")
    assert [one.words(stage.clock) for one in stage.queue.health()] == [
        "a: down since 2026-01-01T00:00:00.000Z: nothing answers at a. It is asked again in 5 s. "
        "Start that server, or set another host in config/llm; until then the agents live by instinct."
    ]
    stage.clock.advance(7)
    job = asked(stage, "y")
    await settle()
    gate.open()
    await job
    assert [one.words(stage.clock) for one in stage.queue.health()] == [
        "a: answers since 2026-01-01T00:00:07.000Z. The last trouble was: nothing answers at a."
    ]


async def test_neither_prompts_nor_replies_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    stage = Stage({"a": ScriptedModel(["say the secret word", Unavailable("gone")])})
    await asked(stage, "a private prompt")
    with pytest.raises(Unavailable):
        await asked(stage, "a private prompt")
    assert "Eliza" in caplog.text
    assert "private" not in caplog.text
    assert "secret" not in caplog.text
