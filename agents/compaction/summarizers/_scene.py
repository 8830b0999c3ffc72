"""Where I was and with whom: the sentence that opens a summary, and the reading of such a sentence.

Pure text. What it wrote it reads back without loss, so that places and people are carried on from summary to summary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.compaction.wording import flat
from agents.memory.entries import Entry
from mud.world.narration import listed

MOST_PLACES = 4
MOST_PEOPLE = 4
"""Places and people that the scene of a recent summary names."""
KNOWN = (16, 8, 4, 2)
"""People that the scene of a long-term summary names, and three quarters as many places: the first that is short
enough."""

_BEGAN = re.compile(r"^My first memories are (?:of (?P<places>.+?))?(?:,? ?\bwith (?P<people>.+?))?\.$")
_WAS = re.compile(r"^I was (?:at (?P<places>.+?))?(?:(?:, mostly |\b)with (?P<people>.+?))?\.$")


def scene(places: Sequence[str], people: Sequence[str], begins: bool) -> str:
    """Return the sentence that says where I was and with whom; empty when nothing is known of either."""
    where = listed([placed(place) for place in places])
    who = listed([flat(name) for name in people])
    if not where and not who:
        return ""
    if begins:
        return f"My first memories are {f'of {where}' if where else ''}{', ' if where and who else ''}" + (
            f"with {who}." if who else "."
        )
    if not where:
        return f"I was with {who}."
    return f"I was at {where}{f', mostly with {who}' if who else ''}."


@lru_cache(maxsize=1024)
def placed(name: str) -> str:
    """Return the name of a location as it stands in a sentence."""
    place = flat(name)
    return f"the {place[4:]}" if place.startswith("The ") else place


def read_scene(sentence: str) -> Scene | None:
    """Return the scene that a sentence tells; None for another sentence than `scene` makes."""
    if not sentence.startswith(("My first", "I was ")):
        return None
    for pattern, begins in ((_BEGAN, True), (_WAS, False)):
        match = pattern.match(sentence)
        if match and (match["places"] or match["people"]) and '"' not in sentence:
            return Scene(_listed(match["places"]), _listed(match["people"]), begins)
    return None


def _listed(text: str | None) -> tuple[str, ...]:
    """Undo `listed`."""
    if not text:
        return ()
    head, _, last = text.rpartition(" and ")
    return (*(part for part in head.split(", ") if part), last) if head else tuple(text.split(", "))


@dataclass(frozen=True, slots=True)
class Scene:
    """Where and with whom.

    Args:
        places, people: in the order they were met.
        begins: it is where the life began.
    """

    places: tuple[str, ...]
    people: tuple[str, ...]
    begins: bool = False

    def __str__(self) -> str:
        return scene(self.places, self.people, self.begins)


def scene_of(entries: Sequence[Entry], name: str, begins: bool) -> Scene:
    """Return where memories happened, and with whom mostly; of the beginning of a life, where and with whom first.

    Args:
        entries: the memories.
        name: whose they are.
        begins: the first memory of the life is among them.
    """
    stays = Counter(placed(entry.place) for entry in entries if entry.place)
    ranked = list(stays) if begins else [place for place, _ in stays.most_common()]
    known = ranked[:MOST_PLACES]
    people = Counter(entry.actor for entry in entries if entry.actor and entry.actor != name)
    met = list(people) if begins else [who for who, _ in people.most_common()]
    return Scene(tuple(place for place in stays if place in known), tuple(met[:MOST_PEOPLE]), begins)


def joined(scenes: Iterable[Scene], most: int) -> list[str]:
    """Return the scene of the beginning as it was, and one scene of all the others; empty ones are left out.

    Args:
        scenes: oldest first.
        most: people named at most; three quarters as many places.
    """
    every = list(scenes)
    began = next((one for one in every if one.begins), None)
    later = [one for one in every if one is not began]
    places = _bounded(dict.fromkeys(place for one in later for place in one.places), max(1, most * 3 // 4))
    people = _bounded(dict.fromkeys(name for one in later for name in one.people), most)
    if began and set(places) <= set(began.places) and set(people) <= set(began.people):
        return [str(began)]
    texts = (str(began) if began else "", scene(places, people, False))
    return [text for text in texts if text]


def _bounded(found: dict[str, None], most: int) -> list[str]:
    """Return the first third and the latest two thirds of what is too much."""
    every = list(found)
    return every if len(every) <= most else [*every[: most // 3], *every[-(most - most // 3) :]]
