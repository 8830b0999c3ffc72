"""What a character does at once when something happens, as its agent.md says; also while its mind is elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agents.brains import Decision, InterpreterSource, Situation
from agents.text.habits import Habit
from mud.world.events import Perception

CALM = 2.8
"""How many think intervals an activity takes."""
REMEMBERED = 4
"""Events that a reflex may follow on."""


class Reflexes:
    """One character's reflexes, without a mind: it perceives and acts, and remembers nothing."""

    def __init__(self, interpreter: InterpreterSource) -> None:
        self._interpreter = interpreter
        self._events: deque[str] = deque(maxlen=REMEMBERED)

    def notice(self, perceived: Perception) -> None:
        """Take note of what somebody else, or a thing, did."""
        event = perceived.event
        seen = event is not None and event.kind not in ("arrival", "departure")
        if event is not None and seen and (event.kind == "change" or perceived.actor is not None):
            self._events.append(perceived.text)

    def act(self, situation: Situation) -> Decision:
        """Return the first reflex that something calls for here; each event is answered once."""
        happened = [*self._events]
        self._events.clear()
        here = [one for one in situation.habits if one.reflex and one.place in ("", situation.location)]
        for habit in here:
            if called_for(habit, happened, self._interpreter) and (decision := deed(habit, situation.location)):
                return decision
        return Decision(None, "its mind is elsewhere, and nothing calls for a reflex")


def called_for(habit: Habit, happened: Sequence[str], interpreter: InterpreterSource) -> bool:
    """Return whether something happened that a habit or reflex follows on."""
    if habit.timed or not happened:
        return False
    words = interpreter().words
    wanted = [word for word in words.content(habit.when) if word not in words.of("anybody")]
    return any(words.coverage(wanted, event) >= 0.99 for event in happened)


def deed(habit: Habit, location: str) -> Decision | None:
    """Return what is done by habit or reflex where one is; None for going there."""
    behind = f" | {habit.reason}" if habit.reason else ""
    why = f"by reflex, when {habit.when}" if habit.reflex else f"by habit: {habit.when}"
    verb, _, rest = habit.does.partition(" ")
    if verb == "says":
        return Decision(f"say {rest.strip(chr(34))}{behind}", why)
    if verb == "goes":
        return None
    return Decision(f"emote {habit.done_in(location)}.{behind}", why, pause=2 * CALM)
