"""An agent's evening and morning: it looks for a place to rest, says good night, and greets when it has woken.

When anybody sleeps and wakes is no matter of this: the clock and the settings say so, see `agents.mind.settings`.
Where agents do not sleep by the clock there is no evening.
"""

from __future__ import annotations

from agents.brains import Decision, Situation
from agents.brains.instinct.self import Self
from agents.memory.perception import Utterance
from mud.world.narration import listed

EVENING = 1200.0
"""Seconds before its bedtime from which on an agent is drawn to where it can rest."""
LATE = 300.0
"""Seconds before its bedtime from which on it says good night."""
MORNING = 180.0
"""Seconds after waking within which it greets for the morning."""
YAWN_REST = 240.0
"""Seconds between two yawns."""


class Rhythm:
    """One agent's day.

    Args:
        me: the agent's own.
    """

    def __init__(self, me: Self) -> None:
        self._me = me
        self._wished: set[str] = set()
        """To whom it said good night this evening."""
        self._woke_at = float("-inf")
        self._greeted = True
        self._yawned_at = float("-inf")

    def settle(self, situation: Situation) -> None:
        """Take in the time of day."""
        if situation.woke:
            self._woke_at, self._greeted = situation.seconds, False
            self._wished.clear()
            self._me.explorer.rested = situation.location
        if situation.bedtime is None or situation.bedtime > EVENING:
            self._wished.clear()

    @staticmethod
    def is_evening(situation: Situation) -> bool:
        """Return whether its bedtime is near."""
        return situation.bedtime is not None and situation.bedtime <= EVENING

    def rests_here(self, situation: Situation) -> bool:
        """Return whether it is evening and this is where it would lie down."""
        return self.is_evening(situation) and situation.location in self._me.explorer.resting_places

    def morning(self, situation: Situation) -> Decision | None:
        """Greet whoever is here after waking, once; None at every other time."""
        me = self._me
        if self._greeted or self.is_evening(situation) or situation.seconds - self._woke_at > MORNING:
            return None
        self._greeted = True
        names = [person.name for person in situation.people]
        places = {"name": listed(names), "place": situation.location}
        if not names:
            text = me.speaker.line("think.morning", **places)
            return Decision(f"think {text}", "has woken", "think.morning") if text else None
        me.company.greeted(names, situation.seconds)
        return me.say(situation, Utterance(names[0], ""), ("greet.morning",), places, "has woken")

    def evening(self, situation: Situation) -> Decision | None:
        """Say good night, go to where it can rest, or yawn; None when it is not evening or nothing is left to do."""
        if not self.is_evening(situation):
            return None
        return self._good_night(situation) or self._to_rest(situation) or self._yawn(situation)

    def _good_night(self, situation: Situation) -> Decision | None:
        me = self._me
        if situation.bedtime is None or situation.bedtime > LATE:
            return None
        names = [person.name for person in situation.people if person.name not in self._wished]
        if not names:
            return None
        self._wished.update(names)
        places = {"name": listed(names), "place": situation.location}
        return me.say(situation, Utterance(names[0], ""), ("night.good",), places, "its bedtime is near")

    def _to_rest(self, situation: Situation) -> Decision | None:
        """Take the next step towards where it can rest; None when it is there or knows of nowhere."""
        me = self._me
        way = "" if me.following else me.explorer.route(situation, me.explorer.resting_places)
        if not way:
            return None
        me.explorer.goes(situation, way)
        return Decision(f"go {way}{me.reason('reason.rest')}", "goes where it can rest")

    def _yawn(self, situation: Situation) -> Decision | None:
        me = self._me
        if situation.seconds - self._yawned_at < YAWN_REST:
            return None
        self._yawned_at = situation.seconds
        return me.emote(situation, "emote.yawn", place=situation.location)
