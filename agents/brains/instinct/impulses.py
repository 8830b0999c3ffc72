"""What the instinct does of its own accord: look, note, walk on, talk, make a gesture, think, or let a turn pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agents.brains import Decision, Situation
from agents.brains._words import with_article
from agents.brains.instinct import answers as answers
from agents.brains.instinct.attention import STAY
from agents.brains.instinct.goals import Goals
from agents.brains.instinct.rhythm import Rhythm
from agents.brains.instinct.self import Self
from agents.memory.entries import Entry
from agents.memory.perception import Utterance

GESTURE_REST, THOUGHT_REST, TALK_REST, MIND_TALK_REST = 45.0, 75.0, 30.0, 100.0
"""Seconds between two gestures, two thoughts, two lines it speaks unasked, and two such lines among minds alone."""

BORED = 1.5
"""How much sooner it walks on where it knows everything and nobody is."""

BUSY = 0.2
"""How much less it strolls while it has a goal to go after."""

Act = Callable[[Situation], Decision | None]
"""Something to do; None when there is no occasion."""


class Impulses:
    """What one agent feels like doing.

    Args:
        me: the agent's own.
        goals: what it wants.
        rhythm: its day.
    """

    def __init__(self, me: Self, goals: Goals, rhythm: Rhythm) -> None:
        self._me = me
        self._goals = goals
        self._rhythm = rhythm
        self._acted = False

    def follow(self, situation: Situation) -> Decision:
        """Do something of one's own accord, or let the turn pass."""
        acts: list[tuple[float, Act]] = [
            (2.5, self._note),
            (2.5, self._examine),
            (self._goals.wish(situation), self._goals.pursue),
            (2.0 if self._me.explorer.change else 0.0, self._wonder),
            (6.0 if self._rhythm.is_evening(situation) else 0.0, self._rhythm.evening),
            (self._wish_to_go(situation), self._go),
            (self._wish_to_talk(situation), self._bring_up),
            (2 * self._me.speaker.share("manner.gesture"), self._gesture),
            (0.6, self._think),
        ]
        if self._acted:
            acts.append((1.2, lambda _: Decision(None, "lets the turn pass")))
        self._acted = True
        keyed = [(self._me.rng.random() ** (1 / weight), act) for weight, act in acts if weight > 0]
        for _, act in sorted(keyed, key=lambda pair: pair[0], reverse=True):
            decision = act(situation)
            if decision:
                return replace(decision, why=f"of its own accord: {decision.why}") if decision.line else decision
        return Decision(None, "has nothing to do")

    def move_on(self, situation: Situation) -> Decision | None:
        """Go elsewhere, or where there is no way turn to something else; None when there is nothing else."""
        acts: tuple[Act, ...] = (self._go, self._note, self._examine, self._think)
        return next((decision for act in acts if (decision := act(situation))), None)

    def _wish_to_go(self, situation: Situation) -> float:
        """Return how much it would like to walk on; not at all for a minute after it was spoken to."""
        if self._me.following or self._rhythm.is_evening(situation) or self._goals.waits(situation):
            return 0.0
        if situation.seconds - self._me.attention.addressed_at < STAY:
            return 0.0
        wish = 3.0 * self._me.speaker.share("manner.explore")
        if self._goals.wish(situation):
            wish *= BUSY
        elif not situation.people:
            wish *= BORED if self._me.explorer.is_bored(situation) else 1.0
        if situation.people:
            minds_only = all(person.thinks for person in situation.people)
            wish *= (0.5 if minds_only else 0.2) if situation.seconds - self._me.arrived > 20 else 0.1
        return wish * (1.5 if self._me.explorer.is_unexplored(situation) else 1.0)

    def _wish_to_talk(self, situation: Situation) -> float:
        """Return how much it would like to bring something up; less each time nobody takes it up."""
        people = any(not person.thinks for person in situation.people)
        rest = (TALK_REST if people else MIND_TALK_REST) * 2 ** min(self._me.ignored, 4)
        quiet = situation.seconds - max(self._me.spoke_at, self._me.attention.heard_at)
        return 3.0 * self._me.speaker.share("manner.talk") if quiet >= rest else 0.0

    def _note(self, situation: Situation) -> Decision | None:
        one = self._me.explorer.noteworthy(situation.notes)
        if one is None or not situation.takes_notes:
            return None
        text = self._me.speaker.plain(one.key, words=one.words, place=one.place, person=one.person)
        told = next((str(entry.seq) for entry in reversed(situation.recent) if _tells(entry, one.words)), "")
        cites = (told,) if told else ()
        return Decision(f"note {one.title} -> {text}", f"notes {one.title}", one.key, cites=cites) if text else None

    def _examine(self, situation: Situation) -> Decision | None:
        name = self._me.explorer.to_examine(situation, self._me.company.strangers(situation.seconds))
        if name is None:
            return None
        return Decision(
            f"examine {name}{self._me.reason('reason.look', thing=with_article(name))}", "has not looked at it yet"
        )

    def _wonder(self, situation: Situation) -> Decision | None:
        """Turn to what is not as it was: tell of it, or think of it, and look at what looks otherwise."""
        me, change = self._me, self._me.explorer.change
        me.explorer.change = None
        if change is None or change.place != situation.location:
            return None
        key = "gone" if change.gone else "new" if change.thing else "changed"
        places = {"place": change.place, "thing": with_article(change.thing), "words": change.words}
        listeners = [one for one in situation.people if me.company.has_patience(one.name, situation.seconds)]
        if listeners and me.rng.random() < me.speaker.share("manner.talk"):
            places["name"] = me.rng.choice(listeners).name
            said = Utterance(places["name"], "")
            if decision := me.say(situation, said, (f"talk.{key}",), places, f"finds changed: {change.subject}"):
                return decision
        text = me.speaker.line(f"think.{key}", **places)
        return Decision(f"think {text}", f"finds changed: {change.subject}", f"think.{key}") if text else None

    def _go(self, situation: Situation) -> Decision | None:
        way = self._me.explorer.way_out(situation)
        if way is None:
            return None
        reason = self._me.reason("reason.go", thing=way, place=situation.location)
        return Decision(f"go {way}{reason}", "walks on")

    def _think(self, situation: Situation) -> Decision | None:
        if situation.seconds - self._me.thought_at < THOUGHT_REST:
            return None
        places = self._to_think_of(situation)
        key = self._me.rng.choice(sorted(places))
        text = self._me.speaker.line(key, **places[key][0])
        if text is None:
            return None
        self._me.thought_at = situation.seconds
        return Decision(f"think {text}", "thinks of what it perceived", key, cites=places[key][1])

    def _to_think_of(self, situation: Situation) -> dict[str, tuple[dict[str, str], tuple[str, ...]]]:
        """Return what there is to think of, by the text that words it: what its places hold, and what it rests on."""
        found: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {"think.place": ({"place": situation.location}, ())}
        if situation.items:
            found["think.thing"] = ({"thing": with_article(self._me.rng.choice(situation.items))}, ())
        if situation.people:
            found["think.person"] = ({"person": self._me.rng.choice(situation.people).name}, ())
        heard = list(self._me.talk.heard(situation, ""))
        if heard:
            words, entry = self._me.rng.choice(heard)
            spoken = {"person": entry.actor or "", "words": answers.inserted(words)}
            found["think.words"] = (spoken, (str(entry.seq),))
        return found

    def _bring_up(self, situation: Situation) -> Decision | None:
        """Say something unasked, to somebody who may care to hear it."""
        willing = [
            one
            for one in situation.people
            if self._me.company.has_patience(one.name, situation.seconds) and not self._me.bonds.is_cool(one.name)
        ]
        people = [person for person in willing if not person.thinks] or willing
        if not people:
            return None
        listener = self._me.rng.choice(people)
        ask = self._me.speaker.share("manner.ask")
        topics = self._me.talk.topics(situation, listener, self._me.explorer.visited, ask, self._goals.wanted)
        for topic in topics:
            said = Utterance(listener.name, "")
            why = f"brings up {topic.subject}"
            decision = self._me.say(situation, said, (topic.key,), topic.places, why, "reason.talk", cites=topic.cites)
            if decision:
                self._me.talk.brought_up(topic)
                self._me.ignored += 1
                return decision
        return None

    def _gesture(self, situation: Situation) -> Decision | None:
        if not situation.people or situation.seconds - self._me.gestured_at < GESTURE_REST:
            return None
        thing = (
            with_article(self._me.rng.choice(situation.items))
            if situation.items and self._me.rng.random() < 0.5
            else ""
        )
        key = "emote.thing" if thing else "emote.idle"
        return self._me.emote(situation, key, thing=thing, place=situation.location)


def _tells(entry: Entry, words: str) -> bool:
    """Return whether words stand in a memory of something other than one's own talk."""
    first = words.partition(" ")[0]  # which is quicker to tell, and most lack it
    return entry.kind != "said" and first in entry.text and words in " ".join(entry.text.split())
