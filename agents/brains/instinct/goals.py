"""How an agent goes after its goal: it walks to what it knows of, asks who is here, looks where it never was, and rests
when it is there.

What it does not know it does not pretend to: where something may be it has from its own memory, or from who said so
in its hearing. What it came to it notes down, so that a new start does not begin the search again.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace

from agents.brains import Decision, Recall, Situation
from agents.brains._words import is_secret
from agents.brains.instinct import answers as answers
from agents.brains.instinct.aims import Aim, AimSort, aims_of, is_meant, is_spoken_of, places_in
from agents.brains.instinct.attention import STAY
from agents.brains.instinct.evidence import Evidence, EvidenceRequest, weigh
from agents.brains.instinct.questions import read_question
from agents.brains.instinct.self import Self
from agents.brains.instinct.voice import clean
from agents.memory.entries import Entry, Hit
from agents.memory.perception import Utterance

HITS = 12
"""Memories that are looked through for where something may be."""
ASK_REST = 40.0
"""Seconds between two questions after what is aimed at."""
WAIT = 25.0
"""Seconds for which it stays where it has asked."""
REST = 1800.0
"""Seconds for which a search rests that has come to a standstill."""
_ASKS = {AimSort.ANSWER: "goal.ask_answer", AimSort.PLACE: "goal.ask_place"}
TITLE = "Goal"
"""How the title of a note on what was reached begins."""


@dataclass(slots=True)
class _Search:
    """What was done for one aim."""

    aim: Aim
    looked_up: bool = False
    leads: list[str] = field(default_factory=list)
    """Locations where it may be, the likeliest first."""
    tried: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    stuck_at: float = float("-inf")
    told_stuck: bool = False
    reached: Evidence | None = None


class Goals:
    """One agent's goal and what it does for it.

    Args:
        me: the agent's own.
    """

    def __init__(self, me: Self) -> None:
        self._me = me
        self._goal: str | None = None
        self._open: list[_Search] = []
        self._told: list[_Search] = []
        """What was reached and not yet spoken of."""
        self._done = 0
        self._through = 0
        self._asked_at = float("-inf")
        self._taking = ""

    @property
    def rests(self) -> bool:
        """Whether the goal was reached."""
        return bool(self._done) and not self._open

    @property
    def search(self) -> _Search | None:
        """What it looks for now; None for nothing."""
        return self._open[0] if self._open else None

    @property
    def wanted(self) -> str:
        """The goal as it stands inside another sentence, while it is not reached; else empty."""
        return answers.inserted(self._goal) if self._goal and self._open else ""

    @property
    def tried(self) -> str:
        """Name of a location where it looked for it in vain; empty for none."""
        return sorted(self._open[0].tried)[-1] if self._open and self._open[0].tried else ""

    def settle(self, situation: Situation) -> None:
        """Take in a goal that was set, and what of it is in sight or was heard."""
        if situation.goal != self._goal:
            self._begin(situation)
        search = self.search
        new = [entry for entry in situation.recent if entry.seq > self._through] if self._open else []
        self._through = situation.recent[-1].seq if situation.recent else self._through
        if search is None:
            return
        found = self._in_sight(search, situation) or self._told_of(search, new, situation)
        if found:
            self._reach(search, found, situation)
        elif situation.location in search.leads:
            search.leads.remove(situation.location)
        if not found:
            search.tried.add(situation.location)

    def _begin(self, situation: Situation) -> None:
        """Begin a goal; what its notes say was reached before this start is not begun again."""
        notes = {title.casefold() for title in situation.notes} if self._goal is None else set()
        self._goal, self._told, self._done = situation.goal, [], 0
        self._open = []
        for aim in aims_of(situation.goal):
            if _title(aim).casefold() in notes:
                self._done += 1
            else:
                self._open.append(_Search(aim))
        self._through = situation.recent[-1].seq if situation.recent else 0

    def _in_sight(self, search: _Search, situation: Situation) -> Evidence | None:
        """Return what of it is before its eyes; None when it is not here."""
        aim, here = search.aim, situation.location
        names: list[str] = []
        if aim.sort in (AimSort.PLACE, AimSort.THING) and not (aim.sort is AimSort.THING and aim.exact):
            names.append(here)
        if aim.sort is AimSort.THING or not aim.exact:
            names.extend((*situation.carrying, *(() if self._wants(search, situation) else situation.items)))
        if aim.sort is AimSort.PERSON or (aim.sort is AimSort.THING and not aim.exact):
            names.extend(person.name for person in situation.people)
        if aim.sort is AimSort.ANSWER:
            return None
        seen = next((name for name in names if is_meant(aim, name)), "")
        return Evidence(seen, 1.0, "saw", place=here) if seen else None

    def _wants(self, search: _Search, situation: Situation) -> str:
        """Return the thing here that it wants to have and has not tried to take; empty when there is none."""
        if not search.aim.takes:
            return ""
        return next((item for item in situation.items if is_meant(search.aim, item) and item != self._taking), "")

    def _told_of(self, search: _Search, new: Sequence[Entry], situation: Situation) -> Evidence | None:
        """Take leads from what was said since the last time; return the answer, when an answer is aimed at."""
        me, aim = self._me, search.aim
        heard = [entry for entry in new if entry.kind in ("heard", "told") and entry.actor]
        if aim.sort is AimSort.ANSWER:
            return self._answer(search, (), heard)
        for entry in heard:
            if is_spoken_of(aim, entry.text):
                self._lead(search, places_in(entry.text, me.explorer.visited), situation)
        return None

    def _answer(self, search: _Search, hits: Sequence[Hit], recent: Sequence[Entry]) -> Evidence | None:
        me = self._me
        question = read_question(f"{search.aim.words}?", me.name, me.name, me.company.names)
        asked = EvidenceRequest(question, me.name, me.name, me.company.minds, me.company.names)
        found = [one for one in weigh(asked, hits, recent) if one.sure and one.kind in ("heard", "note", "saw")]
        return found[0] if found else None

    def _lead(self, search: _Search, places: Sequence[str], situation: Situation) -> None:
        for place in places:
            if place != situation.location and place not in search.leads:
                search.leads.append(place)

    def remember(self, situation: Situation) -> Generator[Recall, tuple[Hit, ...], None]:
        """Look up, once for each aim, what is remembered of it."""
        search = self.search
        if search is None or search.looked_up:
            return
        search.looked_up = True
        hits = yield Recall(search.aim.words, HITS)
        if search.aim.sort is AimSort.ANSWER:
            found = self._answer(search, hits, situation.recent)
            if found:
                self._reach(search, found, situation)
            return
        me = self._me
        for entry in reversed(answers.entries_of(hits, situation.recent)):
            if entry.kind == "dream" or entry.failed or is_secret(entry):
                continue
            seen = entry.kind in ("saw", "result") and entry.place and _tells(search.aim, entry)
            if seen:
                self._lead(search, (entry.place or "",), situation)
            elif entry.kind == "heard" and is_spoken_of(search.aim, entry.text):
                self._lead(search, places_in(entry.text, me.explorer.visited), situation)

    def _reach(self, search: _Search, found: Evidence, situation: Situation) -> None:
        """Count an aim as reached: it is yet to be told, and to be noted."""
        me = self._me
        search.reached = replace(found, place=found.place or situation.location)
        self._open.remove(search)
        self._told.append(search)
        self._done += 1
        me.explorer.keep(_title(search.aim), "note.goal", self._reached_words(search), situation.location)

    def _reached_words(self, search: _Search) -> str:
        found = search.reached
        return search.aim.words if found is None or found.kind == "saw" else found.words

    def tell(self, situation: Situation) -> Decision | None:
        """Say, once, what was reached: to whoever is here, else to oneself."""
        if not self._told:
            return None
        search = self._told.pop()
        self._told.clear()
        me, found = self._me, search.reached
        places = {"thing": search.aim.words, "place": situation.location, "words": self._goal or ""}
        if search.aim.sort is AimSort.ANSWER and found:
            places |= {"words": answers.inserted(found.words), "person": found.actor or ""}
        end = "answer" if search.aim.sort is AimSort.ANSWER else "reached"
        cites = (found.cited,) if found and found.cited else ()
        listeners = [p for p in situation.people if me.company.has_patience(p.name, situation.seconds)]
        if listeners and not (found and found.kind == "told"):
            one = next((p for p in listeners if is_meant(search.aim, p.name)), listeners[0])
            places["name"] = one.name
            key = "goal.met" if one is not listeners[0] or is_meant(search.aim, one.name) else f"goal.{end}"
            decision = me.say(situation, Utterance(one.name, ""), (key, f"goal.{end}"), places, "its goal", cites=cites)
            if decision:
                return replace(decision, why=f"reached what it wanted: {search.aim.words}")
        text = me.speaker.line("think.goal", **places)
        return (
            Decision(f"think {text}", f"reached what it wanted: {search.aim.words}", "think.goal", cites=cites)
            if text
            else None
        )

    def wish(self, situation: Situation) -> float:
        """Return how much it would like to do something for its goal now."""
        search = self.search
        if search is None or self._me.following:
            return 0.0
        return 4.0 if situation.seconds - search.stuck_at >= REST else 0.0

    def pursue(self, situation: Situation) -> Decision | None:
        """Do the next thing for the goal; None when there is nothing to do."""
        search = self.search
        if search is None:
            return None
        if thing := self._wants(search, situation):
            self._taking = thing
            return Decision(f"take {thing}{self._reason(search)}", f"wants {search.aim.words}")
        decision = self._ask(search, situation) or self._walk(search, situation)
        return decision or self._give_up(search, situation)

    def _ask(self, search: _Search, situation: Situation) -> Decision | None:
        """Ask somebody here whom it has not asked."""
        me = self._me
        if situation.seconds - self._asked_at < ASK_REST:
            return None
        for person in situation.people:
            if person.name in search.asked or not me.company.has_patience(person.name, situation.seconds):
                continue
            if me.bonds.is_cool(person.name):
                continue
            search.asked.add(person.name)
            self._asked_at = situation.seconds
            key = _ASKS.get(search.aim.sort, "goal.ask")
            places = {"name": person.name, "thing": search.aim.words, "place": situation.location}
            said = Utterance(person.name, "")
            return me.say(situation, said, (key,), places, f"asks after its goal, {search.aim.words}")
        return None

    def waits(self, situation: Situation) -> bool:
        """Return whether it has just asked somebody who is here, and stays for the answer."""
        return bool(situation.people) and situation.seconds - self._asked_at < WAIT

    def _walk(self, search: _Search, situation: Situation) -> Decision | None:
        """Walk to where it may be, else where it never was."""
        me = self._me
        if self.waits(situation) or situation.seconds - me.attention.addressed_at < STAY:
            return None
        way = next((way for place in search.leads if (way := me.explorer.route(situation, (place,)))), "")
        why = "where it may be" if way else "where it never was"
        exits = [one for one in situation.exits if is_meant(search.aim, one)]
        way = (
            way
            or (exits[0] if exits and search.aim.sort is AimSort.PLACE else "")
            or me.explorer.towards_new(situation)
        )
        if not way:
            return None
        me.explorer.goes(situation, way)
        return Decision(f"go {way}{self._reason(search)}", f"looks for {search.aim.words} {why}")

    def _give_up(self, search: _Search, situation: Situation) -> Decision | None:
        """Let a search rest that has nowhere to go on, and say so the first time."""
        me = self._me
        if situation.seconds - me.attention.addressed_at < STAY or situation.seconds - self._asked_at < ASK_REST:
            return None  # an answer may still come
        search.stuck_at, search.looked_up = situation.seconds, False
        search.tried.clear()
        if search.told_stuck:
            search.asked.clear()
            return None
        search.told_stuck = True
        stuck = "stuck_answer" if search.aim.sort is AimSort.ANSWER else "stuck"
        places = {"thing": search.aim.words, "place": situation.location}
        for person in situation.people:
            if me.company.has_patience(person.name, situation.seconds):
                places["name"] = person.name
                said = Utterance(person.name, "")
                return me.say(situation, said, (f"goal.{stuck}",), places, f"cannot find {search.aim.words}")
        text = me.speaker.line(f"think.{stuck}", **places)
        return Decision(f"think {text}", f"cannot find {search.aim.words}", f"think.{stuck}") if text else None

    def _reason(self, search: _Search) -> str:
        key = "reason.goal_answer" if search.aim.sort is AimSort.ANSWER else "reason.goal"
        return self._me.reason(key, thing=search.aim.words)


def _title(aim: Aim) -> str:
    return clean(f"{TITLE}, {aim.words}".replace("->", " "))


def _tells(aim: Aim, entry: Entry) -> bool:
    """Return whether something was seen where a memory was made: a thing or person that is aimed at, by its name."""
    if entry.actor and is_meant(aim, entry.actor):
        return True
    title, mark, _ = entry.text.strip().split("\n", 1)[0].partition(": ")
    return is_meant(aim, title) if mark and len(title) <= 40 else is_spoken_of(aim, entry.text)
