"""The one door: what a step writes, changes, tells and leaves, and that nothing can break it."""

from __future__ import annotations

import json
import logging

import pytest

from mud.clock import VirtualClock
from mud.commands import Context, Outcome, command
from mud.engine.engine import Engine, Step, WorldSettings, changes_of, perceived_from_json, perceived_to_json
from mud.errors import Refusal
from mud.registry import Registry
from mud.world.changes import Put, Remove
from mud.world.events import WHISPERED, Perception, Request
from mud.world.roles import Role
from mud.world.things import Kind, Thing
from tests.worlds import (
    ANN,
    ELIZA,
    GARDEN,
    HERON,
    LIBRARY,
    MOSS,
    MemoryLedger,
    commands,
    do,
    left_with,
    make_engine,
    refused,
    small_world,
    snapshot,
)


@command("ask", "<words>", category="query", keeps="skip")
def ask(ctx: Context, words: str) -> Outcome:
    """Ask something outside of the world.

    Example: ask why
    """
    args = {"words": words, "reason": ctx.reason or ""}
    return Outcome("", requests=(Request("ask", ctx.actor.id, 0, args, keep="result"),))


@command("burst", category="admin")
def burst(ctx: Context) -> Outcome:
    """Fail as a faulty plug-in does.

    Example: burst
    """
    raise ZeroDivisionError(ctx.verb)


def with_more() -> Engine:
    return make_engine(registry=commands().joined([ask, burst]))


def test_a_line_becomes_a_numbered_step_with_a_reply_and_a_ledger_line() -> None:
    ledger = MemoryLedger()
    engine = make_engine(ledger=ledger)
    step = do(engine, "say hello | to be polite")
    assert step.number == engine.number == ledger.last == 1
    assert step.reply == 'You say, "hello"'
    [record] = ledger.after(0)
    assert record["line"] == "say hello | to be polite"
    assert record["who"] == ANN
    assert {one["who"] for one in record["left"]} == {ANN, ELIZA}


def test_numbers_go_on_where_the_ledger_ended() -> None:
    ledger = MemoryLedger()
    do(make_engine(ledger=ledger), "look")
    assert do(make_engine(ledger=ledger), "look").number == 2


def test_when_the_ledger_cannot_be_written_nothing_happens_and_nobody_is_told() -> None:
    ledger = MemoryLedger()
    engine = make_engine(ledger=ledger)
    told: list[Step] = []
    engine.observe(told.append)
    ledger.full = True
    step = refused(engine, "take lamp")
    assert step.number == 0
    assert step.left == ()
    assert "No space left on device" in step.reply
    assert told == []
    assert engine.number == 0
    ledger.full = False
    assert do(engine, "take lamp").number == 1


def test_one_may_leave_even_when_the_disk_is_full() -> None:
    ledger = MemoryLedger()
    engine = make_engine(ledger=ledger)
    ledger.full = True
    assert engine.step(ANN, "quit", Role.GUEST).quit


def test_observers_are_told_in_order_after_the_world_has_changed() -> None:
    engine = make_engine()
    told: list[str] = []
    engine.observe(lambda step: told.append(f"first {step.number} {engine.world.where['#1101']}"))
    engine.observe(lambda step: told.append(f"second {step.number}"))
    do(engine, "take lamp")
    assert told == [f"first 1 {ANN}", "second 1"]


def test_an_observer_is_told_nothing_more_once_it_is_taken_off() -> None:
    engine = make_engine()
    told: list[Step] = []
    engine.observe(told.append)
    engine.unobserve(told.append)
    do(engine, "look")
    assert told == []


def test_an_observer_that_fails_keeps_nobody_else_from_taking_note(caplog: pytest.LogCaptureFixture) -> None:
    engine = make_engine()
    told: list[Step] = []

    def fail(step: Step) -> None:
        raise RuntimeError("no room for notes")

    engine.observe(fail)
    engine.observe(told.append)
    with caplog.at_level(logging.ERROR):
        step = do(engine, "say hello")
    assert told == [step]
    assert "no room for notes" in caplog.text


def test_a_faulty_command_is_a_refusal_and_its_author_finds_the_traceback(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        step = refused(with_more(), "burst")
    assert "Something is wrong with burst itself" in step.reply
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    "line", ["", "   ", "\t", "| only a reason", "say \x1b[2J", "say \x00", "say \ud83d", "say \u202ex"]
)
def test_a_line_that_cannot_be_read_is_refused_and_leaves_no_trace(line: str) -> None:
    engine = make_engine()
    step = refused(engine, line)
    assert step.number == 0
    assert step.left == ()
    assert step.line is None


def test_a_line_over_the_limit_is_refused_and_one_of_just_the_limit_is_not() -> None:
    engine = make_engine(settings=lambda: WorldSettings(line_limit=80))
    assert "the most is 80" in refused(engine, "say " + "x" * 77).reply
    do(engine, "say " + "x" * 76)


def test_settings_are_asked_at_each_line() -> None:
    now = [WorldSettings(line_limit=80)]
    engine = make_engine(settings=lambda: now[0])
    refused(engine, "say " + "x" * 100)
    now[0] = WorldSettings()
    do(engine, "say " + "x" * 100)


def test_a_failed_line_leaves_one_explained_memory_with_its_maker_only() -> None:
    step = refused(make_engine(), "take moon | I want it")
    assert [perceived.who for perceived in step.left] == [ANN]
    [own] = step.left
    assert own.failed
    assert own.kind == "did"
    assert own.reason == "I want it"
    assert own.text.startswith('You tried "take moon", but it did not work. You do not see "moon" here.')


def test_a_long_failed_line_is_remembered_shortened() -> None:
    step = refused(make_engine(), "take " + "moon " * 1500)
    assert len(step.left[0].text) < 400
    assert len(step.reply) < 400


def test_an_unknown_verb_gets_a_suggestion_and_never_another_command() -> None:
    engine = make_engine()
    step = refused(engine, "tkae lamp")
    assert "did you mean take?" in step.reply
    assert refused(engine, "xyzzy").reply.startswith('There is no command "xyzzy". (help all lists every command')


def test_what_a_command_keeps_is_what_it_declares() -> None:
    engine = make_engine()
    assert left_with(do(engine, "help"), ANN) == []
    assert left_with(do(engine, "who"), ANN) == []
    assert left_with(do(engine, "say hi"), ANN) == ['You say, "hi"']
    [moved] = left_with(do(engine, "go lobby"), ANN)
    assert moved == "You walk from The Garden to The Lobby (north)."


def test_what_one_can_do_and_did_wrong_is_remembered_even_when_its_success_is_not() -> None:
    assert refused(make_engine(), "help nonsense").left != ()
    assert refused(make_engine(), "who is there").left == ()


def test_only_those_who_have_a_memory_are_left_anything() -> None:
    engine = make_engine()
    assert {perceived.who for perceived in do(engine, "say hello").left} == {ANN, ELIZA}
    engine.witnesses.discard(ANN)
    assert {perceived.who for perceived in do(engine, "say hello").left} == {ELIZA}
    assert HERON not in engine.witnesses


def test_a_memory_names_the_place_and_the_one_who_acted() -> None:
    engine = make_engine()
    step = do(engine, "say hello")
    [heard] = [one for one in step.left if one.who == ELIZA]
    assert (heard.kind, heard.actor, heard.place, heard.reason) == ("heard", "Ann", "The Garden", None)
    moved = do(engine, "go library")
    assert [one.place for one in moved.left if one.who == ANN] == ["The Library"]


def test_a_request_carries_its_step_and_its_answer_is_a_step_of_its_own() -> None:
    engine = with_more()
    asked = do(engine, "ask why | I wonder")
    [request] = asked.requests
    assert request.step == asked.number
    assert asked.left == ()
    answer = engine.answer(request, Outcome("because", memory="it was because"))
    assert answer.number == asked.number + 1
    assert answer.answers == request
    assert answer.line is None
    assert answer.left == (Perception(ANN, "result", "it was because", None, "The Garden", "I wonder"),)


def test_an_answer_may_be_a_refusal() -> None:
    engine = with_more()
    [request] = do(engine, "ask why").requests
    answer = engine.answer(request, Refusal("Nobody knows.", "ask again"))
    assert answer.failed
    assert answer.reply == "Nobody knows. (ask again)"
    assert answer.left[0].failed


def test_whoever_waits_for_an_answer_learns_that_it_could_not_be_written() -> None:
    ledger = MemoryLedger()
    engine = make_engine(registry=commands().joined([ask]), ledger=ledger)
    [request] = do(engine, "ask why").requests
    told: list[Step] = []
    engine.observe(told.append)
    ledger.full = True
    engine.answer(request, Outcome("because"))
    assert [(step.number, step.answers, step.left) for step in told] == [(0, request, ())]


def test_an_answer_to_somebody_who_is_gone_is_no_error() -> None:
    engine = with_more()
    [request] = do(engine, "ask why").requests
    engine.world.apply([Remove(ANN)])
    told: list[Step] = []
    engine.observe(told.append)
    assert engine.answer(request, Outcome("because")).failed
    assert [step.answers for step in told] == [request]


def test_a_line_of_somebody_who_is_gone_is_refused() -> None:
    engine = make_engine()
    engine.world.apply([Remove(ANN)])
    assert refused(engine, "look").reply == "You are no longer in this world."


def test_entering_shows_the_location_with_the_exits_last_and_is_seen_by_who_is_there() -> None:
    engine = make_engine()
    newcomer = Thing(engine.world.new_id(), Kind.CHARACTER, "Bo")
    step = engine.enter(newcomer, GARDEN)
    assert step.reply.startswith("The Garden\n")
    assert step.reply.splitlines()[-1] == "Exits: north, gate"
    assert left_with(step, ELIZA) == ["Bo arrives."]
    assert engine.world.where[newcomer.id] == GARDEN
    assert engine.world.new_id() != newcomer.id


def test_who_leaves_is_away_from_where_they_were_with_what_they_carry() -> None:
    engine = make_engine()
    do(engine, "take lamp")
    ann = engine.world.things[ANN]
    step = engine.leave(ann)
    assert left_with(step, ELIZA) == ["Ann goes away."]
    assert dict(engine.world.away) == {ANN: GARDEN}
    assert engine.world.where["#1101"] == ANN
    assert engine.world.location_of("#1101") is None
    assert "Ann" not in do(engine, "look", ELIZA).reply
    engine.enter(ann, GARDEN)
    assert not engine.world.away


def test_a_character_that_is_nowhere_is_told_so() -> None:
    engine = make_engine()
    engine.leave(engine.world.things[ANN])
    for line in ("look", "say hello", "go north", "take lamp", "drop lamp", "where", "whisper Eliza hi", ":waves"):
        assert "nowhere" in refused(engine, line).reply


@pytest.mark.parametrize("role", [0, -1, 99, None, "owner"])
def test_an_unknown_role_may_do_nothing(role: object) -> None:
    step = refused(make_engine(), "look", role=role)  # type: ignore[arg-type]
    assert "Only the owner" in step.reply


def test_a_perception_reads_back_from_its_ledger_form_without_its_event() -> None:
    engine = make_engine()
    steps = [do(engine, "say hello | why not"), do(engine, "whisper Eliza hello")]
    assert [perceived.mark for perceived in steps[1].left if perceived.who == ANN] == [WHISPERED]
    for perceived in (*steps[0].left, *steps[1].left):
        assert perceived_from_json(perceived_to_json(perceived)) == perceived._replace(event=None)


@pytest.mark.parametrize(
    "broken",
    [5, "put", None, [], {}, {"put": "#1"}, {"put": [], "into": "#1"}, {"define": {}}, {"define": {"id": 5}},
     {"define": {"id": "#1", "name": "x", "kind": "cloud"}},
     {"define": {"id": "#1", "name": "x", "kind": "item", "exits": 5}},
     {"define": {"id": "#1", "name": "x", "kind": "item", "description": 5}},
     {"define": {"id": "#1", "name": "x", "kind": "item", "aliases": [["y"]]}},
     {"define": {"id": "#1", "name": "x", "kind": "location", "exits": {"north": 7}}}],
)  # fmt: skip
def test_a_change_that_cannot_be_read_is_passed_over(broken: object) -> None:
    found: list[object] = []
    assert changes_of({"step": 7, "changes": [broken, {"put": "#1", "into": "#2"}]}, found) == [Put("#1", "#2")]
    assert found == [broken]
    assert changes_of({"step": 7, "changes": broken}) == []


def test_a_whisper_reaches_two() -> None:
    engine = make_engine()
    do(engine, "go garden", MOSS)
    step = do(engine, "whisper Eliza the key is under the mat")
    assert {one.who for one in step.left} == {ANN, ELIZA}
    assert left_with(step, ELIZA) == ['Ann whispers to you, "the key is under the mat"']


def test_going_far_leaves_and_arrives_in_each_location_passed_within_one_step() -> None:
    engine = make_engine()
    do(engine, "go lobby", ELIZA)
    before = snapshot(engine.world)
    step = do(engine, "go library | tired of the sun")
    assert snapshot(engine.world) != before
    assert [(event.kind, event.location) for event in step.events] == [
        ("departure", GARDEN), ("arrival", "#1002"), ("departure", "#1002"), ("arrival", LIBRARY),
    ]  # fmt: skip
    assert [(event.origin, event.destination) for event in step.events] == [
        (None, "The Lobby"), ("The Garden", None), (None, "The Library"), ("The Lobby", None),
    ]  # fmt: skip
    assert left_with(step, ELIZA) == ["Ann arrives from The Garden.", "Ann leaves for The Library."]
    assert left_with(step, MOSS) == ["Ann arrives from The Lobby."]
    assert left_with(step, ANN) == [
        "You walk from The Garden to The Library, by way of The Lobby. Moss the Slow is here."
    ]
    assert step.reply.splitlines()[-1] == "Exits: south, ladder"


@pytest.mark.parametrize(
    ("lines", "thing"),
    [
        (["take lamp"], "brass lamp"),
        (["take lamp", "drop lamp"], "brass lamp"),
        (["examine sundial"], "sundial"),
        (["emote waves"], None),
    ],
)
def test_an_event_names_the_thing_that_it_is_about(lines: list[str], thing: str | None) -> None:
    engine = make_engine()
    (event,) = [do(engine, line) for line in lines][-1].events
    assert event.thing == thing


def test_commands_of_other_packages_are_found_through_the_registry() -> None:
    engine = make_engine(small_world(), registry=Registry("command", [ask]))
    assert refused(engine, "look").reply.startswith('There is no command "look".')


def test_the_ledger_says_with_which_role_a_line_was_typed_but_for_agents() -> None:
    ledger = MemoryLedger()
    engine = make_engine(ledger=ledger)
    engine.step(ANN, "look", Role.PLAYER)
    engine.step(ANN, "no such thing", Role.OWNER)
    engine.step(ELIZA, "look", Role.AGENT)
    assert [json.loads(line).get("role") for line in ledger.lines] == ["player", "owner", None]


def test_the_ledger_says_who_became_a_witness_or_is_none_any_more_once_it_takes_a_step() -> None:
    ledger = MemoryLedger()
    engine = make_engine(ledger=ledger)
    engine.witness(ANN, keeps=False)
    engine.witness(ANN, keeps=False)
    ledger.full = True
    engine.step(ELIZA, "say one", Role.AGENT)
    ledger.full = False
    for words in ("two", "three"):
        do(engine, f"say {words}", ELIZA, Role.AGENT)
    assert [json.loads(line).get("witnesses") for line in ledger.lines] == [{ANN: False}, None]
    assert not any(one["who"] == ANN for line in ledger.lines for one in json.loads(line)["left"])


def test_one_step_has_one_time() -> None:
    ledger, clock = MemoryLedger(), VirtualClock()
    engine = make_engine(ledger=ledger, clock=clock)
    clock.advance(0.0009)
    do(engine, "@channel-join town", ANN)
    clock.advance(61.0009)
    step = do(engine, "@channel town is anybody awake?", ANN)
    assert step.at == "2026-01-01T00:01:01.001Z"
    (post,) = [one for one in json.loads(ledger.lines[-1])["changes"] if "post" in one]
    assert post["at"] == step.at


def test_asking_whether_a_line_would_be_carried_out_fixes_no_time() -> None:
    clock = VirtualClock()
    engine = make_engine(clock=clock)
    do(engine, "@channel-join town", ANN)
    assert engine.would(ANN, "@channel town is anybody awake?", Role.PLAYER)
    clock.advance(60)
    assert engine.leave_asleep(engine.world.things[ANN]).at == "2026-01-01T00:01:00.000Z"


@pytest.mark.parametrize("role", [Role.AGENT, Role.PLAYER, Role.OWNER])
@pytest.mark.parametrize(
    "line",
    ["look", "say hello", "go east", "go nowhere", "take lamp", "whisper Moss hi", "@save", "burst", "", "x | y"],
)
def test_whether_a_line_would_be_carried_out_is_known_without_doing_it(line: str, role: Role) -> None:
    engine = make_engine()
    before, number = snapshot(engine.world), engine.number
    would = engine.would(ANN, line, role)
    assert (snapshot(engine.world), engine.number, engine.totals.commands.total()) == (before, number, 0)
    assert would is not engine.step(ANN, line, role).failed
    assert not engine.would("#999999", line, role)
