from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from agents.brains._brain import Brain, BrainRun, Complete, Decision, Person, Situation
from agents.brains.language import ANSWER_AFTER, LANGUAGE, language
from agents.memory.entries import Entry
from mud.registry import load
from mud.world.events import Event, Perceived


def silent(voice: str, key: str) -> tuple[str, ...]:
    return ()


def fresh(brain: Brain = LANGUAGE) -> BrainRun:
    return brain.start("Eliza", Random(1), silent)


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


def heard(words: str, kind: str = "speech") -> Perceived:
    event = Event(kind, "#2", "#1", f'Visitor says, "{words}"', words)
    return Perceived("#1", "heard" if kind == "speech" else "told", event.text, "Visitor", "The Garden", event=event)


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
    assert run.notice(Perceived("#1", "saw", "Moss leaves.", "Moss", "The Garden"), 0.0) is None
