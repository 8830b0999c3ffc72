"""Thirty facts, up to two thousand lines of other talk, and each fact asked for in other words than it was told in."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

TALK = 2000
"""Lines of other talk, if not told otherwise."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact.

    Args:
        told: the line that tells it.
        asked: a question for it in other words.
    """

    told: str
    asked: str


FACTS = tuple(
    Fact(*parts)
    for parts in (
        ("The spare key hangs behind the clock in the scullery.", "Where can I find a second key?"),
        ("My sister Ottilie breeds white ferrets.", "Which animals does Ottilie raise?"),
        ("I paid forty crowns for this coat.", "How much did the jacket cost?"),
        ("Never feed the grey goat clover, it swells up.", "What makes the goat ill?"),
        ("The mayor cannot swim a single stroke.", "Who would drown in the lake?"),
        ("On moonless nights a dark boat lands at the old pier.", "When do the smugglers come?"),
        ("Corvin lost his left thumb in the sawmill.", "How was Corvin's hand injured?"),
        ("Our well ran dry in the summer of the locusts.", "When was there no water?"),
        ("Grandmother's recipe needs three spoons of poppy seed.", "What goes into the old family dish?"),
        ("The password of the guild is cold porridge.", "Which secret words let one into the guild?"),
        ("I am terrified of bees since I was a child.", "What frightens Ann?"),
        ("Halvard married a woman from the islands.", "Where does Halvard's wife come from?"),
        ("The bridge was built by prisoners.", "Who constructed the crossing over the river?"),
        ("My dog answers only to whistling.", "How do you call the hound?"),
        ("The tax collector comes on the ninth of every month.", "On what day must we pay?"),
        ("Ysolde writes with her left hand.", "Who is left-handed?"),
        ("There is a crack in the great bell, so nobody rings it.", "Why is the bell silent?"),
        ("I buried my savings beneath the pear tree.", "Where is the money hidden?"),
        ("The baker adds chalk to his flour.", "Who cheats with bread?"),
        ("Doctor Emmeran only takes patients before breakfast.", "When can a sick person see the physician?"),
        ("A wolf with one eye lives above the quarry.", "What dangerous beast is near the stone pit?"),
        ("I sold my violin to pay the rent.", "Which instrument did Ann give up?"),
        ("Theda is the only witness of the fire.", "Who saw the house burn?"),
        ("The library cat is called Professor.", "What is the name of the kitten among the books?"),
        ("Wine makes me sleepy, so I drink cider.", "Which beverage does Ann prefer?"),
        ("The north road is closed until the snow melts.", "Why can nobody travel north?"),
        ("Ruprecht owes me two sacks of barley.", "What debt does Ruprecht have?"),
        ("The portrait in the hall shows my great uncle.", "Who is in the painting?"),
        ("I learned to juggle in a travelling circus.", "Where did Ann pick up the art of juggling?"),
        ("The lighthouse keeper paints ships inside bottles.", "What hobby has the man at the lighthouse?"),
    )
)

_NAMES = ("Ottilie", "Corvin", "Halvard", "Ysolde", "Emmeran", "Theda", "Ruprecht", "the baker", "the miller")
_PLACES = ("the pier", "the quarry", "the guild", "the library", "the bridge", "the sawmill", "the market", "the lake")
_FORMS = (
    "{name} was at {place} again, as always.",
    "I saw {name} near {place} this morning.",
    "It is a long way to {place} in this weather.",
    "They say {name} will come to {place} tomorrow.",
    "{name} looked tired, I thought.",
    "My knees ache whenever it rains at {place}.",
    "What a fine day for a walk to {place}.",
    "Somebody should sweep the floor of {place}.",
    "I wonder what {name} had for supper.",
    "{name} told that story about {place} once more.",
    "The dogs were loud near {place} last night.",
    "Have you ever met {name}?",
    "The soup was too salty for {name}.",
    "Nothing much happens at {place} these days.",
)


def lines(chance: random.Random, talk: int = TALK) -> Iterator[str]:
    """Yield what is said: the facts in their order, spread evenly among the talk."""
    every = talk // len(FACTS)
    facts = iter(FACTS)
    for number in range(talk):
        if number % every == every // 2 and (fact := next(facts, None)) is not None:
            yield fact.told
        form = chance.choice(_FORMS)
        yield form.format(name=chance.choice(_NAMES), place=chance.choice(_PLACES))
