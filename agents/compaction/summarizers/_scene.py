"""Where I was and with whom: the sentence that opens a summary, and the reading of such a sentence.

Pure text. What it wrote it reads back without loss, so that places and people are carried on from summary to summary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from agents.compaction.wording import flat
from agents.memory.entries import Entry
from mud.world.narration import listed

MOST_PLACES = 2
"""Places that the scene of some memories names."""
KNOWN = (16, 12, 8, 4, 2)
"""People that a scene names, and half as many places, three at least: the first that is short enough."""

_DAY = r"[^\W\d_a-z]\w+ \w+(?: to [^\W\d_a-z]\w+ \w+)?"
_BEGAN = re.compile(
    rf"^My first memories(?:, (?P<when>(?:on|from) {_DAY}),)? are "
    r"(?:of (?P<places>.+?))?(?:,? ?\bwith (?P<people>.+?))?\.$"
)
_WAS = re.compile(
    rf"^(?:(?P<when>(?:On|From) {_DAY}) )?I was (?:at (?P<places>.+?))?"
    r"(?:(?:, (?:mostly )?|\b)with (?P<people>.+?))?\.$"
)
_OPENS = re.compile(r"My first memories|(?:(?:On|From) [\w ]{3,60} )?I was ")


def scene(places: Sequence[str], people: Sequence[str], begins: bool, when: str = "") -> str:
    """Return the sentence that says when and where I was and with whom; empty when nothing is known of the latter."""
    where = listed([placed(place) for place in places])
    who = listed([flat(name) for name in people])
    if not where and not who:
        return ""
    if begins:
        then = f", from {when.partition(' ')[2]}," if when else ""
        there = ", ".join(filter(None, (where and f"of {where}", who and f"with {who}")))
        return f"My first memories{then} are {there}."
    there = f"at {where}{f', with {who}' if who else ''}" if where else f"with {who}"
    return f"{when} I was {there}." if when else f"I was {there}."


@lru_cache(maxsize=1024)
def placed(name: str) -> str:
    """Return the name of a location as it stands in a sentence."""
    place = flat(name)
    return f"the {place[4:]}" if place.startswith("The ") else place


def read_scene(sentence: str) -> Scene | None:
    """Return the scene that a sentence tells; None for another sentence than `scene` makes."""
    if _OPENS.match(sentence) is None:
        return None
    for pattern, begins in ((_BEGAN, True), (_WAS, False)):
        match = pattern.match(sentence)
        if match and (match["places"] or match["people"]) and '"' not in sentence:
            return Scene(_listed(match["places"]), _listed(match["people"]), begins, match["when"] or "")
    return None


def _listed(text: str | None) -> tuple[str, ...]:
    """Undo `listed`."""
    if not text:
        return ()
    head, _, last = text.rpartition(" and ")
    return (*(part for part in head.split(", ") if part), last) if head else tuple(text.split(", "))


class Scene(NamedTuple):
    """Where and with whom.

    Args:
        places, people: in the order they were met.
        begins: it is where the life began.
        when: when it was, as a sentence begins with it: `On Tuesday morning`.
    """

    places: tuple[str, ...]
    people: tuple[str, ...]
    begins: bool = False
    when: str = ""

    def undated(self) -> Scene:
        """Return it without when it was: that costs no fact its place."""
        return self._replace(when="")

    def __str__(self) -> str:
        return scene(self.places, self.people, self.begins, self.when)

    def without(self, told: str) -> Scene:
        """Return it without the people that are named anyway; the beginning of a life keeps all.

        Args:
            told: what is told besides.
        """
        if self.begins:
            return self
        return self._replace(people=tuple(one for one in self.people if not named(one, told)))

    def bounded(self, people: int) -> Scene:
        """Return it with so many people at most, and half as many places, three at least."""
        return self._replace(places=_bounded(self.places, max(3, people // 2)), people=_bounded(self.people, people))


def scene_of(entries: Sequence[Entry], name: str, begins: bool, when: str = "") -> Scene:
    """Return where memories happened, and everybody who was met; of the beginning of a life, in the order of it.

    Args:
        entries: the memories.
        name: whose they are.
        begins: the first memory of the life is among them.
        when: when it was, in words.
    """
    stays = Counter(entry.place for entry in entries if entry.place)
    known = list(stays) if begins else [place for place, _ in stays.most_common()]
    people = Counter(entry.actor for entry in entries if entry.actor and entry.actor != name)
    met = list(people) if begins else [who for who, _ in people.most_common()]
    there = set(known[:MOST_PLACES])
    return Scene(tuple(dict.fromkeys(placed(place) for place in stays if place in there)), tuple(met), begins, when)


def joined(scenes: Iterable[Scene], people: Iterable[str] = ()) -> list[Scene]:
    """Return the scene of the beginning as it was, and one scene of all the others; empty ones are left out.

    Args:
        scenes: oldest first.
        people: who was met besides.
    """
    every = list(scenes)
    began = next((one for one in every if one.begins), Scene((), (), begins=True))
    later = [one for one in every if not one.begins]
    places = dict.fromkeys(place for one in later for place in one.places if place not in began.places)
    known = dict.fromkeys([*(name for one in later for name in one.people), *people])
    rest = Scene(tuple(places), tuple(name for name in known if name not in began.people))
    return [one for one in (began, rest) if one.places or one.people]


def one_of(scenes: Sequence[Scene]) -> Scene:
    """Return one scene for several."""
    places = dict.fromkeys(name for one in scenes for name in one.places)
    people = dict.fromkeys(name for one in scenes for name in one.people)
    return Scene(tuple(places), tuple(people), any(one.begins for one in scenes))


def named(who: str, text: str) -> bool:
    """Return whether a text names somebody."""
    return who in text and (f" {who} " in text or re.search(rf"(?<!\w){re.escape(who)}(?!\w)", text) is not None)


def _bounded(found: tuple[str, ...], most: int) -> tuple[str, ...]:
    """Return the first third and the latest two thirds of what is too much."""
    return found if len(found) <= most else (*found[: most // 3], *found[-(most - most // 3) :])
