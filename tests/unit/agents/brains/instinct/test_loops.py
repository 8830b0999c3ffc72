"""When two minds go round in circles: each kind at its number, one line before it, and what ends it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.brains import Person, Situation
from agents.brains.instinct import loops
from agents.brains.instinct.loops import WITHIN, Loop, LoopKind, Stage, person_waits
from agents.memory.entries import Entry
from agents.mind.interpreter import shipped_interpreter
from mud.clock import VirtualClock, iso
from tests.unit.agents.brains.stage import voice

MOSS, TAMSIN, ANN = Person("Moss", True), Person("Tamsin", True), Person("Ann", False)

THANKS = [
    *(("Moss", "Thank you, Eliza."), ("", "You're welcome, Moss."), ("Moss", "No, thank you!"), ("", "Not at all.")),
    *(("Moss", "So kind of you."), ("", "My pleasure."), ("Moss", "I am grateful."), ("", "Don't mention it.")),
]
GREETINGS = [
    *(("Moss", "Hello, Eliza!"), ("", "Good morning, Moss."), ("Moss", "Hi again."), ("", "Hello, hello.")),
]
QUESTIONS = [
    *(("", "Moss, where is the key?"), ("Moss", "Where is the key, Eliza?"), ("", "Yes, but where is the key?")),
    ("Moss", "So where is the key?"),
]
NOTHING = [
    *(("", "The pond is deep."), ("Moss", "Deep, yes."), ("", "Yes, the pond."), ("Moss", "The deep pond.")),
    *(("", "Quite."), ("Moss", "Quite so.")),
]
ECHOES = [
    *(
        ("", "The moss grows."),
        ("Moss", "The moss grows."),
        ("", "A heron came at noon."),
        ("Moss", "a heron came at noon"),
    ),
    *(("", "Who mends the boat?"), ("Moss", "Who mends the boat?")),
]


def find_loop(situation: Situation) -> Loop | None:
    """Look for a loop, by the words that came with the program."""
    return loops.find_loop(situation, shipped_interpreter().words)


def among(*lines: tuple[str, str], people: tuple[Person, ...] = (MOSS,), apart: float = 10.0) -> Situation:
    """Return a situation after these lines; the agent's own have no speaker."""
    clock, recent = VirtualClock(), []
    for seq, (who, words) in enumerate(lines, 1):
        clock.advance(apart)
        text = f'{who or "You"} {"says" if who else "say"}, "{words}"'
        recent.append(Entry(seq, iso(clock.now()), "heard" if who else "said", who or None, "The Garden", text))
    return Situation("Eliza", "", "", "The Garden", "", (), people, (), (), tuple(recent), (), "", 0.0)


FAREWELLS = [
    *(("", "Goodbye, Moss."), ("Moss", "Bye, Eliza, take care."), ("", "Farewell, and sleep well!")),
    ("Moss", "See you, Eliza."),
]


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        (LoopKind.THANKS, THANKS[:4]),
        (LoopKind.GREETING, GREETINGS),
        (LoopKind.QUESTION, [("Moss", "The boat is late."), *QUESTIONS]),
        (LoopKind.NOTHING_NEW, NOTHING[:5]),
        (LoopKind.ECHO, ECHOES[:4]),
        (LoopKind.FAREWELL, FAREWELLS),
    ],
)
def test_each_kind_of_loop_is_found_at_its_number_and_not_a_line_before(
    kind: LoopKind, lines: list[tuple[str, str]]
) -> None:
    found = find_loop(among(*lines))
    assert found == Loop(kind, "Moss", Stage.HINT, len(lines))
    assert found.stage is Stage.HINT
    assert find_loop(among(*lines[:-1])) is None


def test_a_longer_loop_asks_for_more() -> None:
    stages = [found.stage for count in range(1, 9) if (found := find_loop(among(*THANKS[:count])))]
    assert stages == [Stage.HINT, Stage.HINT, Stage.SILENCE, Stage.SILENCE, Stage.MOVE]


def test_the_hint_says_what_happens_and_what_to_do() -> None:
    found = find_loop(among(*THANKS[:6]))
    assert found is not None
    assert found.hint(voice) == (
        "You and Moss have thanked each other 6 times. Do not answer Moss now; do something else, or go elsewhere."
    )


@pytest.mark.parametrize(
    "last",
    [
        ("Moss", "Thank you for telling me that the key lies under the third stone by the old mill."),
        ("", "The ferry leaves at seven."),
    ],
)
def test_who_says_something_new_has_ended_the_loop(last: tuple[str, str]) -> None:
    assert find_loop(among(*THANKS[:5], last)) is None


def test_one_who_thanks_and_is_not_thanked_back_makes_no_loop() -> None:
    lines = [("Moss", f"Thank you{mark}") for mark in (".", "!", "?!", "...")]
    assert find_loop(among(("", "The heron stood in the reeds."), *lines)) is None
    assert find_loop(among(*lines)) is None


def test_lines_for_a_third_are_no_part_of_it() -> None:
    lines = (*THANKS[:3], ("Moss", "Tamsin, thank you!"))
    assert find_loop(among(*lines, people=(MOSS, TAMSIN))) is None


def test_with_people_nobody_goes_round_in_circles() -> None:
    lines = [("Ann" if who else "", words) for who, words in THANKS]
    assert find_loop(among(*lines, people=(ANN, MOSS))) is None


def test_nobody_here_no_loop() -> None:
    assert find_loop(among(*THANKS, people=())) is None


def test_old_lines_do_not_count() -> None:
    assert find_loop(among(*THANKS[:6], apart=WITHIN / 3)) == Loop(LoopKind.THANKS, "Moss", 4, 6)
    assert find_loop(among(*THANKS[:6], apart=WITHIN)) is None


def test_a_good_talk_is_no_loop() -> None:
    talk = [
        *(
            ("Moss", "Good morning, Eliza."),
            ("", "Good morning! How did you sleep?"),
            ("Moss", "Badly. The roof leaks."),
        ),
        *(
            ("", "Where does it leak?"),
            ("Moss", "Over the bed."),
            ("", "Tamsin has tar for that."),
            ("Moss", "Thank you."),
        ),
        *(("", "You're welcome."), ("Moss", "I shall ask her tonight. Goodbye."), ("", "Goodbye, Moss.")),
    ]
    assert [find_loop(among(*talk[:count])) for count in range(len(talk) + 1)] == [None] * (len(talk) + 1)


def test_a_person_waits_until_the_agent_has_spoken() -> None:
    assert person_waits(among(("Ann", "Who are you?"), ("Moss", "Hm."), people=(ANN, MOSS)))
    assert not person_waits(among(("Ann", "Who are you?"), ("", "Eliza."), people=(ANN, MOSS)))
    assert not person_waits(among(("Ann", "Who are you?"), people=(MOSS,)))
    assert not person_waits(among(("Moss", "Who are you?"), people=(ANN, MOSS)))


@given(st.lists(st.tuples(st.sampled_from(["", "Moss", "Tamsin", "Ann"]), st.text(max_size=30)), max_size=25))
def test_whatever_is_said_a_loop_is_with_a_mind_who_is_here_and_has_its_least_number_of_lines(
    lines: list[tuple[str, str]],
) -> None:
    found = find_loop(among(*lines, people=(MOSS, ANN)))
    if found is not None:
        assert found.partner == "Moss"
        assert found.times >= Stage.HINT
        assert 1 <= found.seq <= len(lines)
