"""How an agent goes after its goal: it walks to what it knows of, asks who is here, looks where it never was, rests.

Where something may be it has from its own memory, or from who said so in its hearing. What it came to it notes down,
so that a new start does not begin the search again.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from agents.brains import Decision, Recall, Situation
from agents.brains.instinct.attention import Attention
from agents.brains.instinct.conversation import Conversations
from agents.brains.instinct.explorer import Explorer
from agents.brains.instinct.facts import SURE, Fact, Question, find, is_private
from agents.brains.instinct.mind import Mind
from agents.brains.instinct.words import Words, tokens
from agents.memory.entries import Entry, Hit
from agents.text.addressing import mentions
from mud.world.sentences import sentences

HITS, ASK_REST, WAIT, REST = 12, 40.0, 25.0, 1800.0
"""Memories looked through for where something may be; seconds between two questions after it, for which an answer is
waited for, and for which a search rests that has come to a standstill.
"""
TITLE = "Goal"
"""How the title of a note on what was reached begins."""
PLACE, PERSON, THING, ANSWER = "place", "person", "thing", "answer"


class Aim(NamedTuple):
    """One thing aimed at: its kind, how the goal puts it, and whether it is to be had, not only seen."""

    kind: str
    words: str
    takes: bool = False


def aims_of(goal: str, words: Words) -> tuple[Aim, ...]:
    """Return what a goal aims at, in the order it names it; none when it aims at nothing one could come to."""
    verbs = {kind: words.of(f"aim_{kind}") for kind in (PLACE, PERSON, THING, "take", ANSWER)}
    every = frozenset().union(*verbs.values())
    parts: list[list[str]] = []
    for sentence in sentences(goal):
        parts.append([])
        for word in sentence.rstrip(".!?").replace(",", " ,").replace(";", " ,").split():
            if parts[-1] and word.casefold() in every and parts[-1][-1].casefold() in (",", "and", "then", "to"):
                parts.append([])
            parts[-1].append(word)
    found = (_aim_of([word for word in part if word != ","], verbs, words) for part in parts)
    return tuple(dict.fromkeys(aim for aim in found if aim))


def _aim_of(part: list[str], verbs: dict[str, frozenset[str]], words: Words) -> Aim | None:
    while part and part[0].casefold() in words.of("aim_lead"):
        part = part[1:]
    low = [word.casefold() for word in part]
    if not low:
        return None
    asks = next((at for at, word in enumerate(low[1:3], 1) if word in words.of("wh")), 0)
    if asks and low[0] in verbs[ANSWER] and (asks == 1 or low[1] in verbs[ANSWER] or low[0] == "ask"):
        return Aim(ANSWER, " ".join(part[asks:]).rstrip("?!. "))
    takes = low[0] in verbs["take"]
    kind = next((one for one in (PLACE, PERSON, THING) if low[0] in verbs[one]), THING if takes else "")
    named = next((at for at, word in enumerate(low[1:], 1) if word not in words.of("aim_to")), 0)
    end = next((at for at, word in enumerate(low) if at > named and word in words.of("aim_end")), len(part))
    aimed = " ".join(part[named:end])
    if low[0] == "see" and part[named][:1].isupper() and low[named] != "the":
        kind = PERSON
    return Aim(kind, aimed, takes) if kind and named and words.content(aimed) else None


@lru_cache(maxsize=1 << 12)
def is_meant(aim: Aim, name: str, words: Words) -> bool:
    """Return whether a name is what is aimed at: "the fin of the sundial" means the bronze fin, not the sundial."""
    wanted = _head(aim, words)
    names = {words.stem(word) for word in tokens(name)}
    if not wanted or wanted[-1] not in names:
        return False
    named = [word for word in wanted[:-1] if word in names]
    return len(named) >= len(wanted[:-1]) / 2 and not (wanted[1:] and len(names) > 1 and not named)


def _head(aim: Aim, words: Words) -> list[str]:
    """Return the stems that name what is aimed at, its own name last."""
    low = aim.words.casefold().split()
    end = next((at for at, word in enumerate(low) if at and (word == "of" or word in words.of("place_head"))), len(low))
    told = words.content(" ".join(low[:end])) or words.content(aim.words)
    return [words.stem(word) for word in told]


@dataclass(slots=True)
class Search:
    """What was done for one aim: where it may be, who was asked, whether it has come to a standstill."""

    aim: Aim
    looked_up: bool = False
    leads: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    stuck_at: float = float("-inf")
    told_stuck: bool = False
    reached: Fact | None = None


class Goals:
    """One agent's goal and what it does for it.

    Args:
        mind: its mind.
        explorer: what it knows of the world.
        talk: its conversations.
        attention: whom it spoke with lately.
    """

    def __init__(self, mind: Mind, explorer: Explorer, talk: Conversations, attention: Attention) -> None:
        self._mind, self._explorer, self._talk, self._attention = mind, explorer, talk, attention
        self._goal: str | None = None
        self._open: list[Search] = []
        self._told: Search | None = None
        """What was reached and not yet spoken of."""
        self._asked_at = float("-inf")
        self._taking = ""

    def settle(self, situation: Situation, lived: Sequence[Entry]) -> None:
        """Take in a goal that was set, and what of it is in sight or was heard since the last time."""
        if situation.goal != (self._goal or ""):
            notes = {title.casefold() for title in situation.notes} if self._goal is None else set()
            aims = aims_of(situation.goal, self._mind.lore().words)
            self._open = [Search(aim) for aim in aims if _title(aim).casefold() not in notes]
            self._told = None
        self._goal = situation.goal
        if not self._open:
            return
        search = self._open[0]
        found = self._in_sight(search, situation)
        heard = [entry for entry in lived if entry.kind in ("heard", "told") and entry.actor]
        if search.aim.kind == ANSWER and heard:
            found = self._answer(search, (), heard)
        elif not found:
            search.leads = [place for place in search.leads if place != situation.location]
            for entry in heard:
                self._lead(search, entry, situation)
        if found:
            self._reach(search, found, situation)

    def _in_sight(self, search: Search, situation: Situation) -> Fact | None:
        aim, words = search.aim, self._mind.lore().words
        names: list[str] = [situation.location] if aim.kind in (PLACE, THING) else []
        if aim.kind == THING:
            names += [*situation.carrying, *(() if self._wanted(search, situation) else situation.items)]
        if aim.kind in (PERSON, THING):
            names += [person.name for person in situation.people]
        seen = next((name for name in names if is_meant(aim, name, words)), "")
        return Fact(seen, 1.0, "saw", place=situation.location) if seen else None

    def _wanted(self, search: Search, situation: Situation) -> str:
        """Return the thing here that it wants to have and has not tried to take; empty when there is none."""
        words = self._mind.lore().words
        here = [one for one in situation.items if search.aim.takes and is_meant(search.aim, one, words)]
        return next((one for one in here if one != self._taking), "")

    def _answer(self, search: Search, hits: Sequence[Hit], recent: Sequence[Entry]) -> Fact | None:
        mind, words = self._mind, self._mind.lore().words
        text = f"{search.aim.words}?"
        asked = Question(text, "", mind.name, mind.name, words.content(text), "", mind.minds, tuple(mind.known))
        found = [one for one in find(asked, hits, recent, mind.lore()) if one.score >= SURE and one.kind != "result"]
        return found[0] if found and not found[0].private else None

    def _lead(self, search: Search, entry: Entry, situation: Situation) -> None:
        """Take the places named with what is aimed at as places where it may be."""
        words = self._mind.lore().words
        if not words.coverage(_head(search.aim, words)[-1:], entry.text):
            return
        for place in self._explorer.visited:
            named = mentions(entry.text, place) or mentions(entry.text, place.removeprefix("The "))
            if named and place != situation.location and place not in search.leads:
                search.leads.append(place)

    def remember(self, situation: Situation) -> Generator[Recall, tuple[Hit, ...], None]:
        """Look up, once for each aim, what is remembered of it."""
        search = self._open[0] if self._open else None
        if search is None or search.looked_up:
            return
        search.looked_up = True
        hits = yield Recall(search.aim.words, HITS)
        if search.aim.kind == ANSWER:
            if found := self._answer(search, hits, situation.recent):
                self._reach(search, found, situation)
            return
        words = self._mind.lore().words
        for entry in [hit.entry for hit in hits if hit.entry and not hit.entry.failed]:
            title = entry.text.partition(": ")[0]
            if entry.kind in ("saw", "result") and entry.place and is_meant(search.aim, title[:40], words):
                search.leads += [] if entry.place in search.leads else [entry.place]
            elif entry.kind == "heard" and not is_private(entry, words):
                self._lead(search, entry, situation)

    def _reach(self, search: Search, found: Fact, situation: Situation) -> None:
        """Count an aim as reached: it is yet to be told, and to be noted."""
        search.reached = found._replace(place=found.place or situation.location)
        self._open.remove(search)
        self._told = search
        words = search.aim.words if found.kind == "saw" else found.words
        self._explorer.keep(_title(search.aim), "note.goal", words, situation.location)

    def tell(self, situation: Situation) -> Decision | None:
        """Say, once, what was reached: to whoever is here, else to oneself."""
        search, self._told = self._told, None
        if search is None or search.reached is None:
            return None
        found, end = search.reached, "goal.answer" if search.aim.kind == ANSWER else "goal.reached"
        here, words = [one.name for one in situation.people], self._mind.lore().words
        met = end == "goal.reached" and any(is_meant(search.aim, name, words) for name in here)
        places = {"thing": search.aim.words, "place": situation.location, "words": found.words, "person": found.actor}
        keys, cites = ("goal.met", end) if met else (end,), (found.cited,) if found.cited else ()
        return self._say(situation, keys, "think.goal", places, f"reached what it wanted: {search.aim.words}", cites)

    def _say(
        self,
        situation: Situation,
        keys: tuple[str, ...],
        thought: str,
        places: dict[str, str],
        why: str,
        cites: tuple[str, ...] = (),
    ) -> Decision | None:
        """Say something to somebody here, before all to whom it is about, else think it."""
        willing = [one.name for one in situation.people if self._talk.is_willing(one, situation.seconds)]
        for name in sorted(willing, key=lambda name: name not in places["thing"]):
            return self._mind.say(situation, name, keys, places, why, cites=cites)
        decision = self._mind.thinks(thought, why, **places)
        return decision._replace(cites=cites) if decision else None

    def pursue(self, situation: Situation) -> Decision | None:
        """Do the next thing for the goal; None when there is nothing to do."""
        search = self._open[0] if self._open else None
        if search is None or self._mind.following or situation.seconds - search.stuck_at < REST:
            return None
        if thing := self._wanted(search, situation):
            self._taking = thing
            return Decision(f"take {thing}{self._reason(search)}", f"wants {search.aim.words}")
        return self._ask(search, situation) or self._walk(search, situation)

    def _ask(self, search: Search, situation: Situation) -> Decision | None:
        """Ask somebody here whom it has not asked."""
        if situation.seconds - self._asked_at < ASK_REST:
            return None
        for person in situation.people:
            if person.name not in search.asked and self._talk.is_willing(person, situation.seconds):
                search.asked.add(person.name)
                self._asked_at = situation.seconds
                self._talk.spoke(person.name, situation.seconds)
                key = {ANSWER: "goal.ask_answer", PLACE: "goal.ask_place"}.get(search.aim.kind, "goal.ask")
                why = f"asks after its goal, {search.aim.words}"
                return self._mind.say(situation, person.name, (key,), {"thing": search.aim.words}, why)
        return None

    def _walk(self, search: Search, situation: Situation) -> Decision | None:
        """Walk to where it may be, else where it never was; give up, and say so once, when there is neither."""
        asked = situation.people and situation.seconds - self._asked_at < WAIT
        if asked or self._attention.lately(situation.seconds, 45.0):
            return None
        explorer, exits = self._explorer, situation.exits
        way = explorer.way_to(search.leads, exits) if search.leads else ""
        why = "where it may be" if way else "where it never was"
        if way := way or explorer.towards_new(exits):
            explorer.goes(way)
            return Decision(f"go {way}{self._reason(search)}", f"looks for {search.aim.words} {why}", pause=1.5)
        if situation.seconds - self._asked_at < ASK_REST:
            return None  # an answer may still come
        search.stuck_at, search.looked_up = situation.seconds, False
        if search.told_stuck:
            search.asked.clear()
            return None
        search.told_stuck = True
        key, places = "stuck_answer" if search.aim.kind == ANSWER else "stuck", {"thing": search.aim.words}
        why = f"cannot find {search.aim.words}"
        return self._say(situation, (f"goal.{key}",), f"think.{key}", {"place": situation.location, **places}, why)

    def _reason(self, search: Search) -> str:
        return self._mind.behind(
            "reason.goal_answer" if search.aim.kind == ANSWER else "reason.goal", thing=search.aim.words
        )


def _title(aim: Aim) -> str:
    return f"{TITLE}, {aim.words}".replace("->", " ")
