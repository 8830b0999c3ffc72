from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from agents.brains import Brain, BrainRun, Complete, Decision, Person, Situation
from agents.brains.instinct.loops import SILENCE
from agents.brains.language import ANSWER_AFTER, HOPELESS, LANGUAGE, language
from agents.memory.entries import Entry
from agents.mind.interpreter import shipped_interpreter
from mud.registry import load
from mud.world.events import Event, Perception
from tests.unit.agents.brains.stage import voice


def fresh(brain: Brain = LANGUAGE) -> BrainRun:
    return brain.start("Eliza", Random(1), voice, shipped_interpreter)


def situation(*recent: Entry) -> Situation:
    return Situation(
        name="Eliza",
        profile="Curious and warm.",
        voice="eliza",
        location="The Garden",
        description="Roses.",
        exits=("north",),
        people=(Person("Visitor", False),),
        items=(),
        carrying=(),
        recent=recent,
        notes=(),
        goal="",
        seconds=0.0,
    )


def said(words: str, seq: int = 1) -> Entry:
    return Entry(seq, "2026-01-01T00:00:00.000Z", "said", None, "The Garden", f'You say, "{words}"')


def thought(run: BrainRun, replies: Iterable[str], now: Situation | None = None) -> tuple[Decision, list[str]]:
    """Have one thought, answering each question to the model; return the decision and the hints."""
    answers = iter(replies)
    hints = []
    thinking = run.decide(now or situation())
    need = next(thinking)
    while True:
        assert isinstance(need, Complete)
        hints.append(need.hint)
        try:
            need = thinking.send(next(answers))
        except StopIteration as end:
            decision: Decision = end.value
            return decision, hints


def heard(words: str, kind: str = "speech") -> Perception:
    event = Event(kind, "#2", "#1", f'Visitor says, "{words}"', words)
    return Perception("#1", "heard" if kind == "speech" else "told", event.text, "Visitor", "The Garden", event=event)


def test_it_is_found_by_its_name_and_needs_a_model() -> None:
    brain = load("agents.brains", Brain, "brain").get("language")
    assert brain.needs_model
    assert brain is LANGUAGE


def test_a_reply_is_cleaned_and_becomes_the_line() -> None:
    decision, hints = thought(fresh(), ["Command: say Hello, Visitor. | to greet\nlook"])
    assert decision.line == "say Hello, Visitor. | to greet"
    assert hints == [""]


def test_a_reply_without_a_command_is_no_action_and_says_why() -> None:
    decision, hints = thought(fresh(), ["The garden is\x07 lovely."])
    assert decision == Decision(None, "the reply holds no command: 'The garden is lovely.'")
    assert len(hints) == 1


def test_an_empty_reply_is_no_action() -> None:
    assert thought(fresh(), [""])[0] == Decision(None, "the reply holds no command: nothing")


def test_a_line_that_its_memory_holds_is_asked_for_again_with_a_hint() -> None:
    now = situation(said("The roses open at dawn."))
    decision, hints = thought(fresh(), ["say the roses open at dawn", "say Did you sleep well?"], now)
    assert decision.line == "say Did you sleep well?"
    assert hints[1].startswith("You did this a moment ago: 'The roses open at dawn.'")


def test_a_line_repeated_twice_lets_the_turn_pass() -> None:
    now = situation(said("The roses open at dawn."))
    decision, hints = thought(fresh(), ["say The roses open at dawn.", "emote the roses open at dawn"], now)
    assert decision.line is None
    assert "repeat" in decision.why
    assert len(hints) == 2


def test_what_somebody_else_said_may_be_said_once_more() -> None:
    other = Entry(1, "2026-01-01T00:00:00.000Z", "heard", "Moss", "The Garden", 'Moss says, "Good morning."')
    assert thought(fresh(), ["say Good morning."], situation(other))[0].line == "say Good morning."


def test_a_private_reason_makes_no_line_new() -> None:
    run = fresh()
    thought(run, ["say Good morning. | the first of the day"])
    assert thought(run, ["say Good morning. | again", "say Good morning."])[0].line is None


def test_a_deed_may_be_done_again_but_not_twice_in_a_row() -> None:
    run = fresh()
    lines = [thought(run, [line, "look"])[0].line for line in ("go north", "look", "go north", "go north")]
    assert lines == ["go north", "look", "go north", "look"]


def test_a_parrot_does_not_capture_its_agent() -> None:
    run = fresh()
    lines = [thought(run, ["say Thank you!", "say Thank you!"])[0].line for _ in range(20)]
    assert lines == ["say Thank you!"] + [None] * 19


def test_it_knows_the_verbs_it_is_told() -> None:
    run = fresh(language(["Dance", "say"]))
    assert thought(run, ["dance slowly"])[0].line == "dance slowly"
    assert thought(run, ["look"])[0].line is None


@pytest.mark.parametrize("words", ["Eliza, where is the key?", "Good morning, Eliza!"])
def test_being_spoken_to_makes_it_think_soon(words: str) -> None:
    assert fresh().notice(heard(words), 0.0) == ANSWER_AFTER


def test_a_whisper_makes_it_think_soon() -> None:
    assert fresh().notice(heard("psst", "whisper"), 0.0) == ANSWER_AFTER


def test_what_is_for_somebody_else_or_no_speech_at_all_can_wait() -> None:
    run = fresh()
    assert run.notice(heard("Moss, come here!"), 0.0) is None
    assert run.notice(Perception("#1", "saw", "Moss leaves.", "Moss", "The Garden"), 0.0) is None


def spoken(*lines: tuple[str, str]) -> tuple[Entry, ...]:
    """Return memories of who said what, ten seconds apart; the agent's own have no speaker."""
    return tuple(
        Entry(
            seq,
            f"2026-01-01T00:{seq // 6:02}:{seq % 6}0.000Z",
            "heard" if who else "said",
            who or None,
            "The Garden",
            f'{who} says, "{words}"' if who else f'You say, "{words}"',
        )
        for seq, (who, words) in enumerate(lines, 1)
    )


def among(people: tuple[Person, ...], *recent: Entry, seconds: float = 0.0) -> Situation:
    return situation(*recent)._replace(people=people, seconds=seconds)


MOSS, ANN = Person("Moss", True), Person("Ann", False)


def goodbyes(count: int) -> tuple[Entry, ...]:
    ways = ("Goodbye, Moss.", "Farewell, Eliza!", "Take care, Moss.", "See you, Eliza.", "Good night, dear Moss.")
    return spoken(*(("Moss" if at % 2 else "", ways[at % len(ways)]) for at in range(count)))


def test_what_another_has_just_said_is_not_said_after_them() -> None:
    now = among((MOSS,), *spoken(("Moss", "The roses open at dawn, I think.")))
    decision, hints = thought(fresh(), ["say The roses open at dawn, I think.", "say Do they?"], now)
    assert decision.line == "say Do they?"
    assert hints[1].startswith("Moss has just said that: 'The roses open at dawn, I think.'")
    twice = thought(fresh(), ["say the roses open at dawn I think", "emote the roses open at dawn I think"], now)[0]
    assert (twice.line, twice.why) == (None, "no reply is of use: the last one says after Moss what was just said")


def test_endless_goodbyes_are_hinted_at_then_not_answered_then_left() -> None:
    run = fresh()
    decision, hints = thought(run, ["say The pears are ripe."], among((MOSS,), *goodbyes(4)))
    assert hints == ["You and Moss have said goodbye 4 times. Say or do something else."]
    assert decision.line == "say The pears are ripe."

    decision, hints = thought(run, ["say Farewell, Moss!", "look"], among((MOSS,), *goodbyes(6)))
    assert hints[0].startswith("You and Moss have said goodbye 6 times. Do not answer Moss now")
    assert (len(hints), decision.line) == (2, "look")

    left, asked = thought_of(run, among((MOSS,), *goodbyes(8)))
    assert (left.line, left.why, asked) == (None, "moves on: You and Moss have said goodbye 8 times.", 0)
    assert thought(run, ["go north"], among((MOSS,), *goodbyes(8)))[0].line == "go north"


def thought_of(run: BrainRun, now: Situation) -> tuple[Decision, int]:
    """Have a thought that asks no model; return the decision and how often it asked."""
    try:
        next(run.decide(now))
    except StopIteration as end:
        decision: Decision = end.value
        return decision, 0
    return Decision(None, "it asked a model"), 1


def test_the_partner_of_a_loop_calls_in_vain_until_the_silence_is_over() -> None:
    run = fresh()
    call = Perception("#1", "heard", "", "Moss", "The Garden", event=Event("speech", "#2", "#1", "", "Eliza, goodbye!"))
    assert run.notice(call, 0.0) == ANSWER_AFTER
    thought(run, ["look"], among((MOSS,), *goodbyes(6), seconds=10.0))
    assert run.notice(call, 11.0) is None
    assert run.notice(heard("Eliza, goodbye!"), 11.0) == ANSWER_AFTER
    assert run.notice(call, 11.0 + SILENCE) == ANSWER_AFTER


def test_a_person_is_answered_in_the_midst_of_a_loop() -> None:
    asked = (
        *goodbyes(8),
        Entry(9, "2026-01-01T00:01:30.000Z", "heard", "Ann", "The Garden", 'Ann says, "Who is that?"'),
    )
    decision, hints = thought(fresh(), ["say That is Moss, Ann."], among((MOSS, ANN), *asked))
    assert (decision.line, hints) == ("say That is Moss, Ann.", [""])


def test_somebody_else_may_be_spoken_to_while_the_partner_of_a_loop_is_not_answered() -> None:
    now = among((MOSS, Person("Corvin", True)), *goodbyes(6))
    assert thought(fresh(), ["say Corvin, have you seen the heron?"], now)[0].line is not None
    assert thought(fresh(), ["whisper Moss goodbye then", "look"], now)[0].line == "look"


def test_a_model_of_no_use_is_asked_once_a_turn_until_it_is() -> None:
    run = fresh()
    lines = [thought(run, ["say Thank you!"] * 2)[1] for _ in range(HOPELESS + 1)]
    assert [len(hints) for hints in lines] == [1, 2, 2, 2]
    assert len(thought(run, ["say Thank you!"])[1]) == 1
    assert thought(run, ["look"])[0].line == "look"
    assert len(thought(run, ["say Thank you!"] * 2)[1]) == 2


def test_it_tells_when_enough_of_a_reply_has_come() -> None:
    assert LANGUAGE.enough is not None
    told = LANGUAGE.enough("Eliza")
    assert not told("~Eliza> say Hello")
    assert told("~Eliza> say Hello\nThis is ")
