"""Who is asked when: the order of jobs, thoughts that take the place of older ones, and how calls end."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from agents.llm.backend import Completion, Refused, TransientError
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.hosts import FIRST_PAUSE, HostState
from agents.llm.jobs import AGES_AFTER
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Superseded, Urgency
from mud.clock import VirtualClock
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import Gate, Stage, settle

A = LLMProfile(backend="scripted", host="a", timeout=60)


async def test_a_waiting_person_goes_first_then_thoughts_then_embeddings_then_summaries() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "b", "c", "d", "e"])})
    jobs = [stage.ask("first")]
    await settle()
    jobs += [stage.ask(urgency.name, urgency) for urgency in reversed(Urgency)]
    await settle()
    gate.open()
    await asyncio.gather(*jobs)
    assert stage.models["a"].prompts == ["first", "PERSON", "THINK", "EMBED", "SUMMARIZE"]


async def test_the_prompt_is_built_when_its_turn_comes() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "b"])})
    first = stage.ask("first")
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
    assert (await stage.ask("x")).text == "look"
    assert stage.queue.health()[0].state is HostState.UP


async def test_a_call_that_takes_too_long_fails_and_the_next_one_is_not_asked_at_once() -> None:
    stage = Stage({"a": ScriptedModel([Gate(), "look"])})
    slow = stage.ask("x")
    await settle()
    stage.clock.advance(60)
    with pytest.raises(Unavailable, match="did not answer within 60 s"):
        await slow
    with pytest.raises(Unavailable, match=r"a is down .*; asked again in 5 s"):
        await stage.ask("y")
    stage.clock.advance(5)
    assert (await stage.ask("z")).text == "look"
    assert stage.queue.health()[0].state is HostState.UP


async def test_the_pause_doubles_at_each_failure_up_to_a_minute() -> None:
    stage = Stage({"a": ScriptedModel([Unavailable("nobody there")] * 9)})
    pauses = []
    for _ in range(6):
        with pytest.raises(Unavailable, match="nobody there"):
            await stage.ask("x")
        pauses.append(stage.queue.health()[0].wait(stage.clock))
        stage.clock.advance(pauses[-1])
    assert pauses == [5, 10, 20, 40, 60, 60]


async def test_a_refused_prompt_does_not_make_the_host_down() -> None:
    stage = Stage({"a": ScriptedModel([Refused("the prompt is too long"), "look"])})
    with pytest.raises(Refused):
        await stage.ask("x")
    assert (await stage.ask("y")).text == "look"
    health = stage.queue.health()[0]
    assert (health.state, health.last_error) == (HostState.UP, "the prompt is too long")


async def test_a_text_that_breaks_a_backend_is_refused_and_everybody_else_is_answered() -> None:
    stage = Stage({"a": ScriptedModel([UnicodeEncodeError("utf-8", "x", 0, 1, "no"), "look"])})
    broken, sound = stage.ask("x"), stage.ask("y")
    with pytest.raises(Refused):
        await broken
    assert (await sound).text == "look"


async def test_a_backend_that_breaks_when_it_is_asked_whether_a_host_is_back_is_left_alone_for_a_while() -> None:
    class Breaking(ScriptedModel):
        async def check(self, profile: LLMProfile) -> str:
            raise Unavailable("gone") if stage.queue.running else ZeroDivisionError("oops")

    stage = Stage({"a": Breaking()})
    with pytest.raises(Unavailable, match="gone"):
        await stage.ask("x")
    stage.clock.advance(FIRST_PAUSE)
    assert not await stage.queue.alive("think")
    assert stage.queue.health()[0].wait(stage.clock) == 2 * FIRST_PAUSE


async def test_a_cancelled_asker_that_still_waits_never_reaches_the_model() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "look"])})
    first, second = stage.ask("x"), stage.ask("y")
    await settle()
    second.cancel()
    await settle()
    assert stage.queue.waiting == 0
    gate.open()
    await first
    assert stage.models["a"].prompts == ["x"]


async def test_a_full_queue_refuses_the_least_urgent_at_once() -> None:
    stage = Stage({"a": ScriptedModel([gate := Gate(), "b", "c"])}, room=2)
    running = stage.ask("running")
    await settle()
    thought, summary = stage.ask("thought"), stage.ask("summary", Urgency.SUMMARIZE)
    await settle()
    with pytest.raises(Unavailable, match="2 jobs wait"):
        await stage.ask("another summary", Urgency.SUMMARIZE)
    person = stage.ask("person", Urgency.PERSON)
    with pytest.raises(Unavailable, match="2 jobs wait"):
        await summary
    gate.open()
    await asyncio.gather(running, thought, person)
    assert stage.models["a"].prompts == ["running", "person", "thought"]


async def test_whoever_was_cancelled_a_moment_ago_is_refused_for_another_without_harm() -> None:
    stage = Stage({"a": ScriptedModel([gate := Gate(), "b"])}, room=1)
    running = stage.ask("running")
    await settle()
    gone = stage.ask("gone")
    await settle()
    waits = stage.ask("person", Urgency.PERSON)
    gone.cancel()  # its job still waits: the person asks before the one who was cancelled comes round to it
    gate.open()
    assert (await waits).text == "b"
    assert (await running).text == "look"
    assert gone.cancelled()


async def test_an_unknown_profile_and_an_unknown_backend_are_told_in_words() -> None:
    stage = Stage({"a": ScriptedModel([])}, {"think": A, "odd": replace(A, backend="telepathy")})
    with pytest.raises(Unavailable, match=r"there is no LLM profile 'dream'; a file config/llm/dream\.md makes one"):
        await stage.ask("x", profile="dream")
    with pytest.raises(Unavailable, match="there is no backend 'telepathy'; there is: scripted"):
        await stage.ask("x", profile="odd")


async def test_a_profile_that_vanishes_while_its_job_waits_fails_that_job() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate])}, {"think": A, "summarizer": A})
    first, second = stage.ask("x"), stage.ask("y", profile="summarizer")
    await settle()
    del stage.profiles["summarizer"]
    gate.open()
    await first
    with pytest.raises(Unavailable, match="no LLM profile 'summarizer'"):
        await second


async def test_closing_gives_running_calls_their_grace_and_ends_the_others() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, Gate()])}, {"think": replace(A, concurrency=2)})
    quick, slow, waiting = (stage.ask(str(n)) for n in range(3))
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
    await stage.ask("x")
    await stage.queue.close(grace=5)
    with pytest.raises(Unavailable, match="closing"):
        await stage.ask("y")
    assert not await stage.queue.alive("think")
    with pytest.raises(Unavailable):
        await stage.models["a"].check(A)


async def test_an_answer_that_comes_at_once_does_not_move_a_virtual_clock() -> None:
    clock = VirtualClock()
    stage = Stage({"a": ScriptedModel(["look"])}, clock=clock)
    await stage.ask("x")
    assert clock.monotonic() == 0


async def test_the_state_of_hosts_is_told_in_plain_words() -> None:
    stage = Stage({"a": ScriptedModel([Unavailable("nothing answers at a"), gate := Gate()])})
    with pytest.raises(Unavailable):
        await stage.ask("x")
    assert [one.words(stage.clock) for one in stage.queue.health()] == [
        "a: down since 2026-01-01T00:00:00.000Z: nothing answers at a. It is asked again in 5 s. "
        "Start that server, or set another host in config/llm; until then the agents live by instinct."
    ]
    stage.clock.advance(7)
    job = stage.ask("y")
    await settle()
    gate.open()
    await job
    assert [one.words(stage.clock) for one in stage.queue.health()] == [
        "a: answers since 2026-01-01T00:00:07.000Z. The last trouble was: nothing answers at a."
    ]


async def test_neither_prompts_nor_replies_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    stage = Stage({"a": ScriptedModel(["say the secret word", Unavailable("gone")])})
    await stage.ask("a private prompt", owner="Eliza")
    with pytest.raises(Unavailable):
        await stage.ask("a private prompt", owner="Eliza")
    assert "Eliza" in caplog.text
    assert "private" not in caplog.text
    assert "secret" not in caplog.text


# ---- one thought of an agent waits ----


async def busy(room: int = 64) -> tuple[Stage, Gate, asyncio.Task[Completion]]:
    """Return a stage whose host is busy with Moss."""
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, *["x"] * 9])}, room=room)
    moss = stage.ask("moss", owner="Moss")
    await settle()
    return stage, gate, moss


async def test_a_newer_thought_takes_the_place_of_the_one_that_waits() -> None:
    stage, gate, moss = await busy()
    old, other = stage.ask("old", owner="Eliza"), stage.ask("other", owner="Fenwick")
    await settle()
    new = stage.ask("new", owner="Eliza")
    with pytest.raises(Superseded, match="a newer thought of Eliza took the place of this one"):
        await old
    assert stage.queue.waiting == 2
    gate.open()
    await asyncio.gather(moss, other, new)
    assert stage.models["a"].prompts == ["moss", "new", "other"]
    totals = stage.queue.totals
    assert (totals.asked, totals.answered, totals.cancelled) == (4, 3, 1)


async def test_it_is_as_urgent_as_the_more_urgent_of_the_two() -> None:
    stage, gate, moss = await busy()
    old, other = stage.ask("old", Urgency.PERSON, owner="Eliza"), stage.ask("other", owner="Fenwick")
    await settle()
    new = stage.ask("new", owner="Eliza")
    gate.open()
    await asyncio.gather(moss, other, new, old, return_exceptions=True)
    assert stage.models["a"].prompts == ["moss", "new", "other"]


async def test_it_needs_no_room_of_its_own() -> None:
    stage, gate, moss = await busy(room=1)
    old = stage.ask("old", owner="Eliza")
    await settle()
    new = stage.ask("new", owner="Eliza")
    gate.open()
    assert (await new).text == "x"
    with pytest.raises(Superseded):
        await old
    await moss


async def test_summaries_of_one_agent_wait_side_by_side() -> None:
    stage, gate, moss = await busy()
    jobs = [stage.ask(str(number), Urgency.SUMMARIZE, owner="Eliza") for number in range(3)]
    await settle()
    assert stage.queue.waiting == 3
    gate.open()
    await asyncio.gather(moss, *jobs)
    assert stage.models["a"].prompts == ["moss", "0", "1", "2"]


# ---- fairness ----


async def test_a_summary_that_has_waited_long_goes_before_newer_thoughts_but_not_before_a_person() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "b", "c", "d"])})
    jobs = [stage.ask("first", Urgency.THINK)]
    await settle()
    jobs.append(stage.ask("summary", Urgency.SUMMARIZE))
    await settle()
    stage.clock.advance(2 * AGES_AFTER)
    jobs += [stage.ask("thought", Urgency.THINK), stage.ask("person", Urgency.PERSON)]
    await settle()
    gate.open()
    await asyncio.gather(*jobs)
    assert stage.models["a"].prompts == ["first", "person", "summary", "thought"]


async def test_a_host_that_was_down_is_tried_by_one_call_and_nobody_else_waits_for_it() -> None:
    gate = Gate("again")
    stage = Stage({"a": ScriptedModel([Unavailable("it is gone"), gate, "well"])})
    with pytest.raises(Unavailable, match="gone"):
        await stage.ask("first", Urgency.THINK)
    stage.clock.advance(FIRST_PAUSE + 1)
    trial = stage.ask("trial", Urgency.THINK)
    await settle()
    with pytest.raises(Unavailable, match="is being tried again"):
        await stage.ask("other", Urgency.PERSON)
    gate.open()
    assert (await trial).text == "again"
    assert (await stage.ask("later", Urgency.THINK)).text == "well"


async def test_hosts_that_do_not_answer_are_named_until_they_do() -> None:
    profiles = {name: LLMProfile(backend="scripted", host=name, timeout=60) for name in ("think", "summarizer")}
    models = {"think": ScriptedModel([Unavailable("it is gone"), "well"]), "summarizer": ScriptedModel()}
    stage = Stage(models, profiles)
    names = ("think", "summarizer", "nobody")
    assert stage.queue.silent(names) == []
    with pytest.raises(Unavailable):
        await stage.ask("first", Urgency.THINK)
    (told,) = stage.queue.silent(names)
    assert "it is gone" in told
    assert stage.queue.silent(("summarizer",)) == []
    stage.clock.advance(FIRST_PAUSE + 1)
    await stage.ask("again", Urgency.THINK)
    assert stage.queue.silent(names) == []


async def test_a_thought_that_waits_becomes_as_urgent_as_the_person_who_waits_for_it() -> None:
    gate = Gate()
    stage = Stage({"a": ScriptedModel([gate, "b", "c", "d"])})
    jobs = [stage.ask("first", Urgency.THINK)]
    await settle()
    jobs += [stage.ask(name, Urgency.THINK) for name in ("Moss", "Eliza")]
    jobs.append(stage.ask("Eliza", Urgency.SUMMARIZE))
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
    jobs = [stage.ask("Eliza", Urgency.THINK)]
    await settle()
    jobs += [stage.ask(name, Urgency.PERSON) for name in ("Tamsin", "Moss")]
    await settle()
    stage.queue.hasten("Eliza")
    gate.open()
    await settle()
    stage.clock.advance(1)
    await settle()
    other.open()
    await asyncio.gather(*jobs)
    assert stage.models["a"].prompts == ["Eliza", "Tamsin", "Eliza", "Moss"]
