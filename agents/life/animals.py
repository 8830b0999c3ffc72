"""Characters of the world's own that no brain plays, such as a cat: they live by the habits in their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from agents.text.habits import Habit, read_habits
from mud.clock import Clock
from mud.engine.engine import Engine
from mud.world.exits import find_path
from mud.world.roles import Role

REST = (150.0, 600.0)
"""Seconds between two doings of an animal, at least and at most."""
STEP = 5.0
"""Seconds between two looks at who is due."""
Items = Sequence[tuple[str, int]]
"""The items of a list, each with the number of its line."""


class Animals:
    """The animals of a running world.

    Args:
        engine: the world's engine.
        habits: returns the lists of habits by the id of the character, as their files say now.
        chance: their chance.
        clock: the world's clock.
    """

    def __init__(self, engine: Engine, habits: Callable[[], Mapping[str, Items]], chance: Random, clock: Clock) -> None:
        self._engine, self._habits, self._chance, self._clock = engine, habits, chance, clock
        self._due: dict[str, float] = {}
        self._next = 0.0

    def act(self) -> None:
        """Let every animal that is due do something by habit."""
        now = self._clock.monotonic()
        if now < self._next:
            return
        self._next = now + STEP
        for who, items in self._habits().items():
            due = self._due.setdefault(who, now + self._chance.uniform(5.0, REST[0]))
            if now < due:
                continue
            self._due[who] = now + self._chance.uniform(*REST)
            habits, hour = read_habits(items, reflex=False)[0], self._engine.hour()
            timely = [one for one in habits if one.timed and one.is_time(hour)]
            if timely and (line := self._line(who, self._chance.choice(timely))):
                self._engine.step(who, line, Role.AGENT)

    def _line(self, who: str, habit: Habit) -> str:
        """Return the line that keeps a habit: the next step to its place, or what is done there; "" for nothing."""
        world = self._engine.world
        here = world.location_of(who)
        if here is None or who in world.asleep:
            return ""
        place = world.called(habit.place) if habit.place else None
        if place is not None and place.id != here.id:
            path = find_path(world, here.id, place.id)
            return f"go {path[0].name}" if path else ""
        return f"emote {habit.done_in(here.name)}."
