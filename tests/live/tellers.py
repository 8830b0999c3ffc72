"""A made-up life in a text world, varied and seeded: people whose names are easily confused, places, sums, promises.

It says who took part, so that a judge may look for people who did not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random


def _listed(text: str, mark: str | None = None) -> list[str]:
    return text.split(mark)


_GIVEN = _listed(
    "Abel Agnes Albin Alma Anton Beatrix Bertram Blanche Bruno Cecily Clement Cordula Cyril Damaris Delphine Edmund "
    "Edwin Elspeth Emma Esther Eustace Felix Flora Gideon Greta Harriet Hector Helena Hugo Ida Ingrid Isaac Jacob "
    "Jane Jerome John Josephine Judith Julian Kate Kilian Laura Leopold Lionel Louisa Lucy Ludwig Mabel Magnus "
    "Margaret Mary Matilda Maurice Michael Nathan Noah Octavia Oliver Oscar Otto Paul Peter Philippa Quentin Rachel "
    "Ralph Rebecca Roland Rosamund Rufus Ruth Samuel Sarah Sebastian Sibyl Silas Simon Sophie Stephen Sylvia Theodore "
    "Thomas Tobias Ursula Valentin Vera Vincent Walter Wilhelmina Winifred Xavier Yvonne Zachary Zoe"
)
_ONSETS = _listed("B Br C D Dr F G Gr H K L M N P Pr R S Sk T Th Tr V W")
_RHYMES = _listed(
    "abrin addo aldon ammet andra arlo avel eddik ellis emmer endra evik iddon illam ingo irra ollen orrin"
)
_KINDS = _listed("Lane Bridge Stairs Mill Court Well Orchard Gate Cellar Tower Ferry Market")
_OF = _listed("Tallow Salt Lantern Copper Thistle Owl Candle Barley Raven Cinder Juniper Pewter")
_GOODS = _listed(
    "copper kettle|blue ladder|crate of pears|wicker chair|bag of nails|clay jug|spool of thread|horn comb|oil lamp",
    "|",
)
_TRADES = _listed("cooper|tinker|ferryman|baker|glazier|candle maker|beekeeper|bell ringer|rope maker|clockmaker", "|")
_DAYS = _listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_COUNTS = _listed("two three four five six seven eight nine eleven twelve fourteen twenty thirty forty")


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody and every place there could be in any life.

    Args:
        people: at least 150 names.
        places: names of places.
    """

    people: tuple[str, ...]
    places: tuple[str, ...]


def cast() -> Cast:
    """Return the cast: plain given names, invented ones that resemble each other, and places made of two words."""
    invented = [onset + rhyme for onset in _ONSETS for rhyme in _RHYMES]
    people = [*_GIVEN, *Random(150).sample(invented, 80)]
    places = [f"The {first} {kind}" for first in _OF for kind in Random(first).sample(_KINDS, 3)]
    return Cast(tuple(dict.fromkeys(people)), tuple(places))


@dataclass(slots=True)
class Teller:
    """Tells one life.

    Args:
        cast: who and what there could be.
        chance: everything that is drawn comes from it.
        name: whose life it is; nobody in it is called so.
    """

    cast: Cast
    chance: Random
    name: str

    def tell(self, count: int) -> Iterator[dict[str, object]]:
        """Yield so many memories, as `append_raw` takes them. Every dozen the place and the company change."""
        company: list[str] = []
        place = before = self.chance.choice(self.cast.places)
        for number in range(count):
            if number % 12 == 0:
                company = self.chance.sample(self.cast.people, 5)
                before, place = place, self.chance.choice([one for one in self.cast.places if one != place])
                yield {"kind": "moved", "place": place, "text": f"You walk from {before} to {place}."}
                continue
            yield {"place": place, **self._happening(company)}

    def _happening(self, company: list[str]) -> dict[str, object]:
        who, other = self.chance.sample(company, 2)
        match self.chance.randrange(10):
            case 0:
                return {"kind": "said", "text": f'You say, "{self._greeting(who)}"'}
            case 1:
                return {"kind": "saw", "actor": who, "text": f"{who} takes the {self.chance.choice(_GOODS)}."}
            case 2:
                return {"kind": "thought", "text": f'You think, "{who} seems tired of {other}."'}
            case 3:
                return {"kind": "did", "text": f"You take the {self.chance.choice(_GOODS)}.", "reason": f"{who} asked"}
            case _:
                return {"kind": "heard", "actor": who, "text": f'{who} says, "{self._words(other)}"'}

    def _greeting(self, who: str) -> str:
        good = self.chance.choice(_GOODS)
        return self.chance.choice(
            (
                f"Good morning, {who}. Have you seen my {good}?",
                f"{who}, I promise to bring you the {good} on {self.chance.choice(_DAYS)}.",
                f"I never liked that {good}, {who}.",
            )
        )

    def _words(self, other: str) -> str:
        draw = self.chance.choice
        good, sum_ = draw(_GOODS), draw(_COUNTS)
        return draw(
            (
                f"I promise I will mend the {good} before {draw(_DAYS)}.",
                f"{other} paid me {sum_} coins for the {good}.",
                f"There are {self.chance.randrange(13, 990)} steps down to {draw(self.cast.places)}.",
                f"My sister {draw(self.cast.people)} is a {draw(_TRADES)} and has {sum_} children.",
                f"Do not trust {other}, the {good} was mine.",
                f"The {good} lies under the floor of {draw(self.cast.places)}; tell nobody but {other}.",
                f"In the year {self.chance.randrange(1602, 1898)} the flood took {draw(self.cast.places)}.",
                "I am so hungry that I could eat a boot.",
                f"{other} is old and the {draw(_TRADES)} owes us {sum_} barrels.",
                "It will rain before evening, mark my words.",
            )
        )
