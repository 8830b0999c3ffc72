"""What the instinct does of its own accord: conversations, leave-taking, habits and reflexes, animals."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from random import Random

import pytest

from agents.brains import Decision, Person, Recall, Situation, Understand
from agents.brains.instinct.brain import Instinct
from agents.memory.entries import Entry
from agents.text.habits import Habit, read_habits
from mud.clock import iso, parse_iso
from mud.world.events import Event, Perception
from tests.unit.agents.brains.instinct.evening import START, voice_of
from tests.unit.agents.brains.instinct.shipped import INTERPRETER

TEXTS = voice_of("default")
MOSS, ANN = Person("Moss", True), Person("Ann", False)


class Life:
    """One instinct, and a place that it lives in.

    Args:
        people: who is here.
        seed: of its chance.
        name: its name.
        habits: its habits and reflexes.
        items: what is here.
    """

    def __init__(
        self,
        *people: Person,
        seed: int = 1,
        name: str = "Eliza",
        habits: tuple[Habit, ...] = (),
        items: tuple[str, ...] = ("sundial",),
    ) -> None:
        self.brain = Instinct(name, Random(seed), lambda _, key: TEXTS.get(key, ()), lambda: INTERPRETER)
        self.name, self.people, self.habits, self.items = name, people, habits, items
        self.entries: list[Entry] = []
        self.seconds, self.hour = 0.0, 12.0
        self.goal = ""

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds

    def live(self, kind: str, text: str, actor: str | None = None, event: Event | None = None) -> float | None:
        """Perceive something; return when the brain would like to think because of it."""
        at = iso(parse_iso(START) + timedelta(seconds=self.seconds))
        self.entries.append(Entry(len(self.entries) + 1, at, kind, actor, "The Garden", text))
        perceived = Perception("#1", kind, text, actor, "The Garden", event=event)
        return self.brain.notice(perceived, self.seconds)

    def hear(self, words: str, speaker: str, *, whisper: bool = False) -> float | None:
        """Hear somebody speak."""
        event = Event("whisper" if whisper else "speech", "#2", "#3", "", words)
        return self.live("told" if whisper else "heard", f'{speaker} says, "{words}"', speaker, event)

    def see(self, text: str, actor: str) -> None:
        """See somebody do something."""
        self.live("saw", text, actor, Event("emote", "#2", "#3", text))

    def turn(self) -> Decision:
        """Take a turn, and perceive what came of it."""
        situation = Situation(
            name=self.name,
            profile="You keep the garden. You love the smell of rain.",
            voice="default",
            location="The Garden",
            description="Low walls keep the wind out.",
            exits=("north", "gate"),
            people=self.people,
            items=self.items,
            carrying=(),
            recent=tuple(self.entries[-64:]),
            notes=(),
            goal=self.goal,
            seconds=self.seconds,
            hour=self.hour,
            habits=self.habits,
        )
        thought, answer = self.brain.decide(situation), None
        while True:
            try:
                need = thought.send(answer)
            except StopIteration as end:
                decision: Decision = end.value
                break
            assert isinstance(need, Recall | Understand)
            answer = ()
        line = (decision.line or "").partition(" | ")[0]
        if line.startswith("say "):
            self.live("said", f'You say, "{line[4:]}"')
        return decision

    def lines(self, turns: int, apart: float = 10.0) -> list[str]:
        """Take turns; return the lines."""
        found = []
        for _ in range(turns):
            self.wait(apart)
            found.append(self.turn().line or "")
        return found


def evening_of_two(seed: int, turns: int = 60) -> list[tuple[str, str]]:
    """Let two minds live together; return who said what to the other."""
    lives = {name: Life(Person(other, True), seed=seed + at, name=name, items=("sundial", "brass lamp"))
             for at, (name, other) in enumerate((("Eliza", "Moss"), ("Moss", "Eliza")))}  # fmt: skip
    told = []
    for _ in range(turns):
        for name, life in lives.items():
            life.wait(4.0)
            line = (life.turn().line or "").partition(" | ")[0]
            if line.startswith("say "):
                other = lives["Moss" if name == "Eliza" else "Eliza"]
                other.hear(line[4:], name)
                told.append((name, line[4:]))
    return told


def test_nobody_who_was_spoken_to_leaves_without_taking_leave() -> None:
    for seed in range(12):
        life = Life(ANN, seed=seed)
        life.hear("Eliza, my dog is called Biscuit.", "Ann")
        lines = [life.turn().line or "", *life.lines(4)]
        went = [at for at, line in enumerate(lines) if line.startswith("go ")]
        assert all(lines[at - 1].startswith("say ") for at in went), lines


def test_two_minds_talk_in_turns_and_then_part() -> None:
    for seed in range(5):
        told = evening_of_two(seed)
        speakers = [name for name, _ in told]
        assert sum(one != other for one, other in pairwise(speakers)) >= 5
        assert any("goodbye" in line.casefold() or "farewell" in line.casefold() or "see you" in line.casefold()
                   for _, line in told)  # fmt: skip
        assert len(told) < 60, "they never part"


def test_an_animal_is_never_spoken_to() -> None:
    cat = Person("Simonides the cat", False, speaks=False)
    for seed in range(6):
        lines = Life(cat, seed=seed).lines(40)
        assert not [line for line in lines if line.startswith(("say ", "whisper "))]
        assert any("Simonides the cat" in line for line in lines)


def test_a_habit_is_kept_at_its_time() -> None:
    habit = Habit("mornings", "waters the beds in The Garden", place="The Garden")
    life = Life(habits=(habit,))
    life.hour = 8.0
    assert "emote waters the beds." in life.lines(30)
    life = Life(habits=(habit,))
    life.hour = 15.0
    assert "emote waters the beds." not in life.lines(60)


def test_a_reflex_follows_at_once_with_its_reason() -> None:
    reflex = Habit("somebody leaves the gate open", "closes it", "the bees", reflex=True)
    life = Life(ANN, habits=(reflex,))
    life.turn()
    life.see("Ann leaves the gate open.", "Ann")
    assert life.turn().line == "emote closes it. | the bees"
    life.see("Ann hums.", "Ann")
    assert life.turn().line != "emote closes it. | the bees"


def test_what_one_person_told_in_the_open_is_told_to_another_with_its_source_and_never_back() -> None:
    news = "The ferry to Oban sinks every winter."
    told_to_bob, told_to_ann = [], []
    for seed in range(8):
        life = Life(ANN, seed=seed)
        life.hear(f"Eliza, {news[0].lower()}{news[1:]}", "Ann")
        told_to_ann += life.lines(20, 25.0)
        life.people = (Person("Bob", False),)
        told_to_bob += life.lines(20, 25.0)
    assert any("ferry" in line and "Ann" in line for line in told_to_bob if line.startswith("say "))
    assert not any("ferry" in line and "from Ann" in line for line in told_to_ann if line.startswith("say "))


def test_what_was_confided_is_told_to_nobody() -> None:
    for seed in range(8):
        life = Life(ANN, seed=seed)
        life.hear("The ferry to Oban sinks every winter.", "Ann", whisper=True)
        life.hear("Eliza, between us, I stole the bronze lamp of the abbot.", "Ann")
        life.lines(6)
        life.people = (Person("Bob", False),)
        assert not [line for line in life.lines(40, 25.0) if "ferry" in line or "abbot" in line]


@pytest.mark.parametrize(
    ("item", "reflex", "wrong"),
    [
        ("mornings: sweeps", False, ""),
        ("when it rains: goes to The Loft | it is dry", False, ""),
        ("when somebody sneezes: bows", True, ""),
        ("mornigns: sweeps", False, "mornings"),
        ("sweeps the floor", False, "no colon"),
        ("mornings: bows", True, "when"),
    ],
)
def test_a_wrong_habit_is_told_with_its_line(item: str, reflex: bool, wrong: str) -> None:
    found, problems = read_habits([(item, 7)], reflex=reflex)
    assert bool(found) is not bool(wrong)
    assert [line for line, _ in problems] == [7] * bool(wrong)
    assert wrong in "".join(why for _, why in problems)


def test_whoever_looks_before_answering_wants_a_turn_as_soon_as_it_has_looked() -> None:
    life = Life(ANN)
    life.turn()
    life.hear("Eliza, what does the sundial look like?", "Ann")
    looks = life.turn()
    assert (looks.line or "").startswith("examine sundial")
    soon = life.live("result", "sundial: A slate disc, with hours cut into it by a patient hand.")
    assert soon is not None
    assert soon < 3.0
    assert (life.turn().line or "").startswith("say ")


def test_a_person_who_has_taken_leave_is_not_spoken_to_before_they_speak() -> None:
    for seed in range(6):
        life = Life(ANN, seed=seed)
        life.turn()
        life.hear("Goodbye, Eliza.", "Ann")
        life.turn()
        assert not [line for line in life.lines(20, 20.0) if line.startswith("say ")]
        life.hear("Eliza, hello again.", "Ann")
        assert (life.turn().line or "").startswith("say ")


def test_nobody_says_back_what_the_other_has_just_said() -> None:
    look = "A wren is carved on the back rail, tail up."
    for seed in range(8):
        life = Life(MOSS, seed=seed)
        life.live("result", f"sundial: {look}")
        life.lines(2)
        life.hear(f"Of the sundial, Eliza, I know this much. {look}", "Moss")
        assert look not in (life.turn().line or "")
