"""What an agent does of its own accord: habits, looking, noting, talking, strolling to where somebody may be, thinking.

An activity takes its time: each decision says how long the agent is content with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from agents.brains import Decision, Situation
from agents.brains.instinct.attention import Attention
from agents.brains.instinct.conversation import Conversations
from agents.brains.instinct.explorer import Explorer, named_in, with_article
from agents.brains.instinct.mind import Mind
from agents.brains.instinct.reflexes import CALM, called_for, deed
from agents.text.habits import Habit
from mud.world.narration import listed

RESTS = {"habit": 150.0, "night.good": 600.0, "emote.pet": 240.0, "emote.yawn": 240.0}
REST = 45.0
"""Seconds between two habits, two good nights, two caresses of an animal, and two yawns; and between any other two."""
SAME_HABIT = 450.0
"""Seconds between two times that it keeps the same habit."""
DWELL = (70.0, 170.0)
"""Seconds for which it stays where it came to, at least and at most, unless somebody keeps it longer."""
EVENING, LATE = 1200.0, 300.0
"""Seconds before its bedtime from which on it looks for a place to rest, and says good night."""
Act = Callable[[Situation], Decision | None]


class Activities:
    """One agent's own doings.

    Args:
        mind: its mind.
        explorer: what it knows of the world.
        talk: its conversations.
        attention: who is busy with another.
    """

    def __init__(self, mind: Mind, explorer: Explorer, talk: Conversations, attention: Attention) -> None:
        self._mind, self._explorer, self._talk, self._attention = mind, explorer, talk, attention
        self.bound_for = ""
        """The place it is on its way to; empty for none."""
        self.events: deque[str] = deque(maxlen=4)
        """What was perceived since the last turn, for reflexes and habits that follow on something."""
        self._stays_until = 0.0
        self._restful: dict[str, None] = {}
        """Where one can rest."""
        self._bed = ""
        """Where it slept last."""
        self._at: dict[str, float] = {}
        """When it did something last."""

    def arrived(self, situation: Situation) -> None:
        """Take note that the agent has come somewhere, and of whether one can rest there."""
        words = self._mind.interpreter().words
        if not words.of("restful").isdisjoint(words.said(" ".join((situation.description, *situation.items)))):
            self._restful.setdefault(situation.location)
        slow = 1.6 - self._mind.speaker.share("manner.explore")
        self._stays_until = situation.seconds + slow * self._mind.rng.uniform(*DWELL)

    def reflex(self, situation: Situation) -> Decision | None:
        """Do at once what something that just happened calls for."""
        happened = [*self.events]
        self.events.clear()
        for habit in situation.habits:
            follows = called_for(habit, happened, self._mind.interpreter)
            if follows and (habit.reflex or self._rested(habit.does, situation, REST)):
                return self._keep(habit, situation)
        return None

    def next(self, situation: Situation) -> Decision:
        """Do the thing that it feels most like doing."""
        share, rng, company = self._mind.speaker.share, self._mind.rng, bool(situation.people)
        evening = situation.bedtime is not None and situation.bedtime <= EVENING
        others = sum(self._attention.is_busy(one.name, situation.seconds) for one in situation.people) > 1
        stays = evening or self._mind.following or (situation.seconds < self._stays_until and not others)
        acts: tuple[tuple[float, Act], ...] = (
            (3.0, self._note),
            (2.5, self._examine),
            (3.0 * (self._explorer.change is not None), self._wonder),
            (6.0 * evening, self._evening),
            (2.0 * bool(situation.habits), self._habit),
            (5.0 * share("manner.talk") * company, self._talk.open),
            (0.0 if stays else 6.0 if others else 2.0 if company else 3.0, self.elsewhere),
            (1.2 + share("manner.gesture"), self._small_thing),
        )
        keyed = [(-(rng.random() ** (1 / weight)), at) for at, (weight, _) in enumerate(acts) if weight > 0]
        for _, at in sorted(keyed):
            if decision := acts[at][1](situation):
                slow = CALM if decision.pause == 1.0 else decision.pause
                return decision._replace(why=f"of its own accord: {decision.why}", pause=slow)
        return Decision(None, "has nothing to do", pause=2.0)

    def _rested(self, key: str, situation: Situation, rest: float = 0.0) -> bool:
        """Return whether something was not done for a while; then it counts as done now."""
        if situation.seconds - self._at.get(key, float("-inf")) < (rest or RESTS.get(key, REST)):
            return False
        self._at[key] = situation.seconds
        return True

    # ---- going ----

    def travel(self, situation: Situation) -> Decision | None:
        """Take the next step of a walk that is under way; None when there is none."""
        if self.bound_for in ("", situation.location):
            self.bound_for = ""
            return None
        bound = self.bound_for
        way = self._explorer.way_to((bound,))
        if self._mind.following and not way:
            way, self.bound_for = bound, ""
        return self._go(situation, way, f"is on its way to {bound}")

    def _go(self, situation: Situation, way: str, why: str, reason: str = "reason.go") -> Decision | None:
        """Take an exit, if there is one."""
        behind = self._mind.behind(reason, thing=way, place=situation.location) if way else ""
        return Decision(f"go {way}{behind}", why, pause=1.0 if self.bound_for else CALM) if way else None

    def elsewhere(self, situation: Situation) -> Decision | None:
        """Set out: to where somebody was seen, where a habit is kept, where it never was, or was longest ago."""
        explorer, rng = self._explorer, self._mind.rng
        if not self._mind.speaker.share("manner.explore"):
            return None  # it stays where it is
        chance, self._stays_until, self.bound_for = rng.random(), situation.seconds, ""
        goals: list[str] = []
        if chance < 0.5:  # company: who was seen elsewhere, the latest first
            seen = sorted(explorer.seen.items(), key=lambda pair: -pair[1].seconds)
            goals = [one.place for name, one in seen if self._talk.has_patience(name, situation.seconds)]
        elif chance < 0.75:
            goals = [self._place_of(habit) for habit in situation.habits]
        for place in goals:
            if place != situation.location and (way := explorer.way_to((place,))):
                self.bound_for = place
                return self._go(situation, way, f"sets out for {place}")
        way = (explorer.towards_new() if rng.random() < 0.9 else "") or explorer.any_way()
        return self._go(situation, way, "walks on")

    # ---- habits ----

    def _place_of(self, habit: Habit) -> str:
        return habit.place or named_in(habit.does, self._explorer.visited)

    def _habit(self, situation: Situation) -> Decision | None:
        """Keep a habit of this time of day that is kept here."""
        due = [one for one in situation.habits if one.timed and one.is_time(situation.hour)]
        here = [one for one in due if self._place_of(one) in ("", situation.location)]
        if not here or not self._rested("habit", situation):
            return None
        habit = self._mind.rng.choice(here)
        return self._keep(habit, situation) if self._rested(habit.does, situation, SAME_HABIT) else None

    def _keep(self, habit: Habit, situation: Situation) -> Decision | None:
        """Do what is done by habit or reflex, where it is done."""
        place = self._place_of(habit)
        if place not in ("", situation.location):
            self.bound_for = place
            return self.travel(situation)
        return deed(habit, situation.location)

    # ---- evening and morning ----

    def _evening(self, situation: Situation) -> Decision | None:
        """Say good night, go where it slept last, or yawn."""
        names = [one.name for one in situation.people if one.speaks]
        if (situation.bedtime or 0.0) <= LATE and names and self._rested("night.good", situation):
            return self._mind.say(situation, names[0], ("night.good",), {"name": listed(names)}, "its bedtime is near")
        restful = [self._bed] if self._bed else [*self._restful]
        way = "" if situation.location in restful else self._explorer.way_to(restful)
        if way or not self._rested("emote.yawn", situation):
            return self._go(situation, way, "goes where it can rest", "reason.rest")
        return self._mind.shows("emote.yawn", "is tired", place=situation.location)

    def morning(self, situation: Situation) -> Decision | None:
        """Greet whoever is here after waking."""
        self._bed = situation.location
        names = [person.name for person in situation.people if person.speaks]
        if names:
            return self._mind.say(situation, names[0], ("greet.morning",), {"name": listed(names)}, "has woken")
        return self._mind.shows("think.morning", "has woken", place=situation.location)

    # ---- small things ----

    def _note(self, situation: Situation) -> Decision | None:
        one = self._explorer.noteworthy(situation.notes) if situation.takes_notes else None
        if one is None:
            return None
        text, words = self._mind.speaker.plain(one.key, **one.places), one.places["words"][:40]
        entry = next((each for each in reversed(situation.recent) if each.kind != "said" and words in each.text), None)
        cites = (str(entry.seq),) if entry else ()
        return Decision(f"note {one.title} -> {text}", f"notes {one.title}", one.key, cites=cites) if text else None

    def _examine(self, situation: Situation) -> Decision | None:
        name = self._explorer.to_examine(situation, 0.35)
        behind = self._mind.behind("reason.look", thing=with_article(name)) if name else ""
        return Decision(f"examine {name}{behind}", "has not looked at it yet", pause=1.5) if name else None

    def _wonder(self, situation: Situation) -> Decision | None:
        """Turn to what is not as it was: tell of it, or think of it."""
        change, self._explorer.change = self._explorer.change, None
        if change is None:
            return None
        willing = [one.name for one in situation.people if self._talk.is_willing(one, situation.seconds)]
        if willing and self._mind.rng.random() < self._mind.speaker.share("manner.talk"):
            return self._mind.say(situation, willing[0], (f"talk.{change.key}",), {**change.places}, "finds it changed")
        return self._mind.shows(f"think.{change.key}", "finds it changed", place=change.title, **change.places)

    def _small_thing(self, situation: Situation) -> Decision | None:
        """Make a gesture, pet an animal, or think of something or somebody here: nothing that wants an answer."""
        rng, keys, places = self._mind.rng, ["emote.idle", "think.place"], {"place": situation.location}
        speaking, animals = ([one.name for one in situation.people if one.speaks is speaks] for speaks in (True, False))
        if situation.items:
            keys += ["emote.thing", "think.thing"]
            places["thing"] = with_article(rng.choice(situation.items))
        if speaking:
            keys.append("think.person")
            places["person"] = rng.choice(speaking)
        if animals:
            keys.append("emote.pet")
            places["name"] = rng.choice(animals)
        key = rng.choice(keys)
        return self._mind.shows(key, "has time for it", **places) if self._rested(key, situation) else None
