"""The brain that needs no model: it answers from memory, greets, explores, looks, notes, talks of what it perceived.

It never invents. All it says stands in the texts of its voice, around words it really heard or saw; all it decides
comes from what it noticed and from the chance it was given. It never speaks where nobody is, and never repeats itself.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from random import Random

from agents.brains import Brain, Decision, Person, Situation, Thought, Voice
from agents.brains.instinct.errands import Errands
from agents.brains.instinct.goals import Goals
from agents.brains.instinct.impulses import Impulses
from agents.brains.instinct.loops import Loop, LoopWatch, Stage
from agents.brains.instinct.responder import Responder
from agents.brains.instinct.rhythm import Rhythm
from agents.brains.instinct.self import Self
from agents.memory.perception import heard_in, own_words, remembered, seen_of, spoken
from mud.world.events import Perception

PROMPT = (0.5, 2.5)
"""After how many seconds it answers, at least and at most."""


class Instinct:
    """One agent's instinct.

    Args:
        name: the agent's name.
        rng: its chance.
        voice: the texts it may speak with.
    """

    def __init__(self, name: str, rng: Random, voice: Voice) -> None:
        self._me = Self(name, rng, voice)
        self._goals = Goals(self._me)
        self._errands = Errands(self._me)
        self._rhythm = Rhythm(self._me)
        self._responder = Responder(self._me, self._goals)
        self._impulses = Impulses(self._me, self._goals, self._rhythm)
        self._voice = voice
        self._watch = LoopWatch()
        self._begun = False
        self._through = 0
        self._moved_on = 0
        """Newest memory of the loop that it walked away from last."""

    def notice(self, perceived: Perception, seconds: float) -> float | None:
        """Take note of something perceived; see `BrainRun.notice`."""
        me = self._me
        if perceived.event is None or perceived.actor is None:
            self._notice_own(perceived)
            return None
        if perceived.event.kind == "departure" and perceived.actor == me.following:
            seen = perceived.event.destination or ""
            me.follow_to, me.seen_off, me.bound_for = me.bound_for or seen, seen, ""
        new = me.company.notice(perceived.actor, perceived.text, perceived.event.kind, seconds)
        said = spoken(perceived)
        if (said and me.attention.hear(said, seconds)) or new:
            me.ignored = 0
            return me.rng.uniform(*PROMPT)
        return me.rng.uniform(*PROMPT) if me.follow_to else None

    def _notice_own(self, perceived: Perception) -> None:
        """Take note of what came of the agent's own line."""
        me = self._me
        if perceived.kind == "moved":
            me.company.here = ()  # who is here now it sees when it thinks; those it left are not
        me.explorer.outcome(perceived.text, perceived.failed, me.location)
        me.follow_to, me.seen_off = (me.seen_off if perceived.failed else me.follow_to), ""
        if perceived.kind == "said" and not (me.last_line and me.last_line in perceived.text):
            me.attention.forget()  # another brain, or a person, spoke for this one
            me.speaker.spoken(own_words(perceived))

    def decide(self, situation: Situation) -> Thought:
        """Begin a thought; see `BrainRun.decide`."""
        new = self._take_in(situation)
        if self._me.follow_to:
            return self._follow(situation)
        loop = self._watch.find(situation)
        moved = self._end(loop, situation) if loop is not None else None
        if moved is not None:
            return moved
        here = [person.name for person in situation.people]
        said = self._me.attention.newest(here, situation.seconds)
        decision: Decision | None = None
        if said:
            decision = self._errands.accept(said, situation) or self._errands.report(said, situation)
            decision = decision or (yield from self._responder.respond(said, situation, new))
            decision = decision and replace(decision, answers=heard_in(situation.recent, said))
            if self._me.looking is said:
                self._me.looking = None  # it stays, and is answered after the look
            else:
                self._me.attention.answered(said)
        decision = decision or self._rhythm.morning(situation)
        # To be answered was to be met.
        new = tuple(one for one in new if self._me.company.is_new(one.name, situation.seconds))
        if decision is None and new:
            decision = yield from self._responder.greet(new, situation)
            decision = decision and replace(decision, answers=seen_of(situation.recent, new[0].name))
        if decision is None:
            yield from self._goals.remember(situation)
            decision = self._errands.tell(situation) or self._goals.tell(situation)
        return decision or self._impulses.follow(situation)

    def _end(self, loop: Loop, situation: Situation) -> Decision | None:
        """Lose patience with a mind with which it goes round in circles, and move on when nothing else has helped."""
        me = self._me
        if loop.stage > Stage.HINT:
            me.company.tire_of(loop.partner, situation.seconds)
        if loop.stage < Stage.MOVE or loop.seq <= self._moved_on or me.following:
            return None
        self._moved_on = loop.seq
        decision = self._impulses.move_on(situation)
        return decision and replace(decision, why=f"moves on: {loop.told(self._voice)}")

    def _follow(self, situation: Situation) -> Decision:
        """Go where somebody went who asked for company."""
        me = self._me
        place, me.follow_to = me.follow_to, ""
        why = f"follows {me.following}"
        seen = seen_of(situation.recent, me.following)
        return Decision(f"go {place}{me.reason('reason.asked', name=me.following)}", why, answers=seen)

    def _take_in(self, situation: Situation) -> tuple[Person, ...]:
        """Bring what the agent knows up to this situation; return who is yet to be greeted."""
        me = self._me
        me.speaker.name = situation.voice
        me.location = situation.location
        if not self._begun:
            self._begun = True
            me.explorer.begin(situation.recent)
            self._errands.begin(situation.recent)
            me.company.begin(situation.recent, situation.people, situation.seconds)
            if situation.recent:
                me.spoke_at = situation.seconds  # a life goes on; it does not burst into talk
        last = situation.recent[-1].seq if situation.recent else 0
        since, self._through = min(self._through, last), last
        lived = takewhile(lambda entry: entry.seq > since, reversed(situation.recent))
        own = [said.words for entry in lived if entry.kind == "said" and (said := remembered(entry))]
        me.speaker.remember(reversed(own))
        new = me.company.settle(situation.people, situation.seconds)
        me.attention.catch_up(situation.recent, situation.seconds)
        if me.explorer.settle(situation):
            me.arrived = situation.seconds
        me.bonds.live(situation.recent, lambda: me.company.names)
        self._rhythm.settle(situation)
        self._goals.settle(situation)
        if not me.follow_to and me.following not in {person.name for person in situation.people}:
            me.following = ""  # lost on the way
        return new


INSTINCT = Brain(
    "instinct",
    "Lives without a language model: memory, manners and curiosity.",
    lambda name, rng, voice, lore: Instinct(name, rng, voice),
)
