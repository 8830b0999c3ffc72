"""How an agent goes after its goal: it walks to what it knows of, asks who is here, looks where it never was, rests.

Where something may be it has from its own memory, or from who said so in its hearing. What it came to it notes down,
so that a new start does not begin the search again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from agents.brains import Decision, Recall, Situation
from agents.brains.instinct.conversation import Conversations
from agents.brains.instinct.explorer import Explorer
from agents.brains.instinct.facts import find, is_private
from agents.brains.instinct.mind import Mind
from agents.brains.instinct.relevance import SURE, Fact, Question
from agents.brains.instinct.words import Words, tokens
from agents.memory.entries import Entry, Hit
from agents.text.addressing import mentions
from mud.world.sentences import sentences

HITS, ASK_REST = 12, 40.0
"""Memories looked through for where something may be; seconds for which an answer is waited for."""
TITLE = "Goal"
"""How the title of a note on what was reached begins."""
PLACE, PERSON, THING, TAKE, ANSWER = "place", "person", "thing", "take", "answer"
"""What is aimed at: to come somewhere, to meet somebody, to see or to have something, to know something."""
EAGER = 0.6
"""How readily it does something for its goal."""


class Aim(NamedTuple):
    """One thing aimed at: its kind, and how the goal puts it."""

    kind: str
    words: str


def aims_of(goal: str, words: Words) -> tuple[Aim, ...]:
    """Return what a goal aims at, in the order it names it; none when it aims at nothing one could come to."""
    parts = goal.replace(";", ",").replace(" and ", ",").replace(" then ", ",").split(",")
    found = [_aim_of(one.rstrip(".!? ").split(), words) for part in parts for one in sentences(part)]
    return tuple(dict.fromkeys(aim for aim in found if aim))


def _aim_of(part: list[str], words: Words) -> Aim | None:
    """Return what a part of a goal aims at: what stands behind its first verb that is one of aiming."""
    kinds = {kind: words.of(f"aim_{kind}") for kind in (PLACE, PERSON, THING, TAKE, ANSWER)}
    low = [word.casefold() for word in part]
    verb = next((at for at, word in enumerate(low) if any(word in of for of in kinds.values())), len(low))
    asks = next((at for at, word in enumerate(low[verb : verb + 3], verb) if word in words.of("wh")), 0)
    if asks and low[verb] in kinds[ANSWER]:
        return Aim(ANSWER, " ".join(part[asks:]))
    kind = next((kind for kind, of in kinds.items() if verb < len(low) and low[verb] in of), ANSWER)
    named = next((at for at, word in enumerate(low) if at > verb and word not in words.of("aim_to")), len(part))
    end = next((at for at, word in enumerate(low) if at > named and word in words.of("aim_end")), len(part))
    aimed = " ".join(part[named:end])
    return Aim(kind, aimed) if kind != ANSWER and words.content(aimed) else None


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


class Goals:
    """One agent's goal and what it does for it.

    Args:
        mind: its mind.
        explorer: what it knows of the world.
        talk: its conversations.
    """

    def __init__(self, mind: Mind, explorer: Explorer, talk: Conversations) -> None:
        self._mind, self._explorer, self._talk = mind, explorer, talk
        self._goal: str | None = None
        self._open: list[Aim] = []
        self._begin()

    def _begin(self) -> None:
        """Begin to search anew."""
        self._leads: set[str] = set()
        """Where what is aimed at may be."""
        self._been: set[str] = set()
        self._asked: set[str] = set()
        self._asked_at, self._stuck = float("-inf"), False
        self._heard = -1
        """The newest line that was heard when it looked into its memory."""
        self._taking = ""

    def settle(self, situation: Situation) -> None:
        """Take in a goal that was set; what has a note was reached before a new start."""
        if situation.goal != (self._goal or ""):
            notes = {title.casefold() for title in situation.notes} if self._goal is None else set()
            aims = aims_of(situation.goal, self._mind.interpreter().words)
            self._open = [aim for aim in aims if _title(aim).casefold() not in notes]
            self._begin()
        self._goal = situation.goal
        self._been.add(situation.location)

    def pursue(self, situation: Situation) -> Generator[Recall, tuple[Hit, ...], Decision | None]:
        """Do the next thing for the goal; None when there is nothing to do."""
        aim, seconds = next(iter(self._open), None), situation.seconds
        if aim is None or self._mind.following:
            return None
        found = self._in_sight(aim, situation)
        heard = next((one.seq for one in reversed(situation.recent) if one.kind == "heard"), 0)
        if not found and heard > self._heard:
            self._heard = heard
            hits = yield Recall(aim.words, HITS)
            if aim.kind == ANSWER:
                found = self._answer(aim, hits, situation.recent)
            else:
                known = [hit.entry for hit in hits if hit.entry]
                leads = {place for one in (*known, *situation.recent) for place in self._places_in(one, aim)}
                self._been = self._been if leads == self._leads else {situation.location}
                self._leads = leads
        if found:
            return self._reach(aim, found, situation)
        if self._mind.rng.random() > EAGER:
            return None
        if thing := self._wanted(aim, situation):
            self._taking = thing
            return Decision(f"take {thing}{self._reason(aim)}", f"wants {aim.words}")
        return None if seconds - self._asked_at < ASK_REST else self._ask(aim, situation) or self._walk(aim, situation)

    def _in_sight(self, aim: Aim, situation: Situation) -> Fact | None:
        names = [situation.location] if aim.kind in (PLACE, THING) else []
        if aim.kind in (THING, TAKE):
            names += [*situation.carrying, *(() if self._wanted(aim, situation) else situation.items)]
        if aim.kind in (PERSON, THING):
            names += [person.name for person in situation.people]
        seen = next(self._meant(aim, names), "")
        return Fact(seen, 1.0, "saw", place=situation.location) if seen else None

    def _meant(self, aim: Aim, names: Iterable[str]) -> Iterator[str]:
        return (name for name in names if is_meant(aim, name, self._mind.interpreter().words))

    def _wanted(self, aim: Aim, situation: Situation) -> str:
        """Return the thing here that it wants to have and has not tried to take; empty when there is none."""
        here = self._meant(aim, situation.items if aim.kind == TAKE else ())
        return next((one for one in here if one != self._taking), "")

    def _answer(self, aim: Aim, hits: Sequence[Hit], recent: Sequence[Entry]) -> Fact | None:
        mind, words = self._mind, self._mind.interpreter().words
        text = f"{aim.words}?"
        asked = Question(text, "", mind.name, mind.name, words.content(text), "", mind.minds, tuple(mind.known))
        found = [
            one for one in find(asked, hits, recent, mind.interpreter()) if one.score >= SURE and one.kind != "result"
        ]
        return found[0] if found and not found[0].private else None

    def _places_in(self, entry: Entry, aim: Aim) -> list[str]:
        """Return where what is aimed at may be, by a memory: where it was seen, or the places named with it."""
        words = self._mind.interpreter().words
        if entry.kind in ("saw", "result") and not entry.failed:
            return [entry.place] if entry.place and is_meant(aim, entry.text.partition(": ")[0][:40], words) else []
        named = entry.kind == "heard" and words.coverage(_head(aim, words)[-1:], entry.text)
        if not named or is_private(entry, words):
            return []
        return [one for one in self._explorer.visited if mentions(entry.text, one.removeprefix("The "))]

    def _reach(self, aim: Aim, found: Fact, situation: Situation) -> Decision | None:
        """Count an aim as reached: note it, and say so, to whoever is here, else to oneself."""
        self._open.remove(aim)
        self._begin()
        self._explorer.keep(
            _title(aim), "note.goal", aim.words if found.kind == "saw" else found.words, situation.location
        )
        met = any(self._meant(aim, [one.name for one in situation.people]))
        keys = ("goal.answer",) if aim.kind == ANSWER else ("goal.met", "goal.reached") if met else ("goal.reached",)
        places = {"place": found.place or situation.location, "words": found.words, "person": found.actor}
        decision = self._say(situation, keys, "think.goal", aim, places, f"reached what it wanted: {aim.words}")
        return decision._replace(cites=(found.cited,)) if decision and found.cited else decision

    def _say(
        self, situation: Situation, keys: tuple[str, ...], thought: str, aim: Aim, places: dict[str, str], why: str
    ) -> Decision | None:
        """Say something to somebody here, before all to whom it is about, else think it."""
        places = {"thing": aim.words, "place": situation.location, **places}
        willing = [one.name for one in situation.people if self._talk.is_willing(one, situation.seconds)]
        for name in sorted(willing, key=lambda name: name not in aim.words):
            return self._mind.say(situation, name, keys, places, why)
        return self._mind.shows(thought, why, **places)

    def _ask(self, aim: Aim, situation: Situation) -> Decision | None:
        """Ask somebody here whom it has not asked."""
        for person in situation.people:
            if person.name not in self._asked and self._talk.is_willing(person, situation.seconds):
                self._asked.add(person.name)
                self._asked_at = situation.seconds
                key = {ANSWER: "goal.ask_answer", PLACE: "goal.ask_place"}.get(aim.kind, "goal.ask")
                why = f"asks after its goal, {aim.words}"
                return self._mind.say(situation, person.name, (key,), {"thing": aim.words}, why)
        return None

    def _walk(self, aim: Aim, situation: Situation) -> Decision | None:
        """Walk to where it may be, else where it never was; give up, and say so once, when there is neither."""
        explorer = self._explorer
        way = explorer.way_to(sorted(self._leads - self._been))
        why = "where it may be" if way else "where it never was"
        if way := way or explorer.towards_new():
            return Decision(f"go {way}{self._reason(aim)}", f"looks for {aim.words} {why}", pause=1.5)
        told, self._stuck = self._stuck, True
        key, why = "stuck_answer" if aim.kind == ANSWER else "stuck", f"cannot find {aim.words}"
        return None if told else self._say(situation, (f"goal.{key}",), f"think.{key}", aim, {}, why)

    def _reason(self, aim: Aim) -> str:
        return self._mind.behind("reason.goal_answer" if aim.kind == ANSWER else "reason.goal", thing=aim.words)


def _title(aim: Aim) -> str:
    return f"{TITLE}, {aim.words}".replace("->", " ")
