"""What others did to an agent: who was kind or rude, who promised or gave something, and how they want to be called.

All of it stands in memory and is found there again; what is borne in mind is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from agents.brains.instinct.facts import is_private
from agents.brains.instinct.interpreter import Interpreter
from agents.brains.instinct.meaning import Meaning, Names
from agents.memory.entries import Entry
from agents.memory.perception import remembered
from agents.text.addressing import Address, addressed, asks
from mud.world.sentences import sentences

MOST = 16
"""Deeds of each person that are borne in mind; the oldest go first, but for promises."""
WARM, COOL = 2.0, -2.0
"""From which sum of deeds on somebody is dear to an agent, and from which down it keeps its distance."""
PROMISE = "ack.promise"
KINDS = {"reply.praise": "kind", "reply.thanks": "kind", "reply.insult": "rude", "reply.blame": "rude",
         "reply.sorry": "sorry", PROMISE: "promise", "ack.gift": "gift"}  # fmt: skip
"""Which deed a line is that these texts answer."""
WEIGHTS = {"kind": 1.0, "rude": -2.0, "gift": 2.0, "promise": 0.0}
KEPT = 2.0


class Deed(NamedTuple):
    """One thing that somebody did: its kind, the sentence that did it, which memory that is, when, where, whether it
    was told in confidence, and the memory by which a promise was kept, 0 while it was not.
    """

    kind: str
    words: str
    seq: int
    at: str
    place: str = ""
    private: bool = False
    kept: int = 0

    @property
    def weight(self) -> float:
        """What it counts for or against somebody."""
        return KEPT if self.kept else WEIGHTS.get(self.kind, 0.0)


class Relations:
    """What one agent bears in mind of others.

    Args:
        name: the agent's own name.
        interpreter: gives what the vault says of language.
    """

    def __init__(self, name: str, interpreter: Callable[[], Interpreter]) -> None:
        self._name, self._interpreter = name, interpreter
        self._deeds: dict[str, dict[int, Deed]] = {}
        self._called: dict[str, str] = {}

    def learn(self, entries: Iterable[Entry], people: Sequence[str] = ()) -> None:
        """Take in memories, in any order and as often as one likes; `people` may be meant by a line instead."""
        for entry in sorted(entries, key=lambda one: one.seq):
            said = remembered(entry) if entry.actor and not entry.failed and entry.kind in ("heard", "told") else None
            if said is None:
                continue
            others = [name for name in people if name not in (entry.actor, self._name)]
            whom = addressed(said.words, (self._name,), others, private=said.private)
            for sentence in sentences(said.words) if whom is not Address.OTHER else ():
                if asks(sentence):
                    continue
                meaning, reads = None, self._interpreter()
                if whom is Address.ME or reads.may_mean(PROMISE, sentence):  # most of what is said to all is no promise
                    meaning = reads.pattern(sentence, Names(self._name, tuple(others)))
                if meaning and (whom is Address.ME or meaning.texts[:1] == (PROMISE,)):
                    self.did(entry, meaning)
                else:
                    self._keep(entry, sentence)

    def did(self, entry: Entry, meaning: Meaning) -> str:
        """Take in what a sentence that was meant for the agent does; return the kind of deed, `kept`, or ""."""
        person, key = entry.actor or "", next(iter(meaning.texts), "")
        if key in ("ack.name", "ack.called") and meaning.how == "pattern":
            self._called[person] = name_in(meaning) or self.called(person)
        kept = self._keep(entry, meaning.words)
        if key not in KINDS:
            return "kept" if kept else ""
        deeds = self._deeds.setdefault(person, {})
        private = is_private(entry, self._interpreter().words)
        deeds.setdefault(entry.seq, Deed(KINDS[key], meaning.words, entry.seq, entry.at, entry.place or "", private))
        if len(deeds) > MOST:
            del deeds[min(deeds, key=lambda seq: (deeds[seq].kind == "promise", seq))]
        return "kept" if kept else KINDS[key]

    def _keep(self, entry: Entry, sentence: str) -> bool:
        """Count the oldest open promise that a sentence keeps as kept."""
        words, deeds = self._interpreter().words, self._deeds.get(entry.actor or "", {})
        if words.of("done").isdisjoint(sentence.casefold().replace(",", " ").rstrip(".!").split()):
            return False
        said = words.content(sentence)
        for seq in sorted(deeds):
            named = [word for word in words.content(deeds[seq].words) if word not in words.of("vow")]
            alike = words.coverage(named, " ".join(said)) >= 0.5 or {"promise", "word"} & set(said)
            if deeds[seq].kind == "promise" and not deeds[seq].kept and seq < entry.seq and alike:
                deeds[seq] = deeds[seq]._replace(kept=entry.seq)
                return True
        return any(deed.kept == entry.seq for deed in deeds.values())

    def called(self, person: str) -> str:
        """Return how somebody wants to be called; their name when they said nothing of it."""
        return self._called.get(person, person)

    def deeds(self, person: str, *kinds: str) -> list[Deed]:
        """Return what somebody did of these kinds, the newest first."""
        return [deed for _, deed in sorted(self._deeds.get(person, {}).items(), reverse=True) if deed.kind in kinds]

    def _counting(self, person: str) -> list[Deed]:
        """Return what still counts of what somebody did: an apology takes what was rude before it off."""
        deeds = self.deeds(person, *WEIGHTS)
        sorry = next((deed.seq for deed in self.deeds(person, "sorry")), 0)
        return [deed for deed in deeds if deed.kind != "rude" or deed.seq > sorry]

    def _warmth(self, person: str) -> float:
        """Return how somebody stands with the agent: above 0 for well, below for ill."""
        return sum(deed.weight for deed in self._counting(person))

    def is_warm(self, person: str) -> bool:
        """Return whether somebody is dear to the agent."""
        return self._warmth(person) >= WARM

    def is_cool(self, person: str) -> bool:
        """Return whether the agent keeps its distance from somebody."""
        return self._warmth(person) <= COOL

    def telling(self, person: str, listener: str, sign: int = 0) -> Deed | None:
        """Return the deed that says most of how somebody stands with the agent, of what the listener may hear.

        `sign` is 1 for a kind deed, -1 for a rude one, 0 for whichever weighs more; confidences are for nobody else.
        """
        sign = sign or (1 if self._warmth(person) >= 0 else -1)
        fitting = [one for one in self._counting(person) if one.weight * sign > 0]
        return max(
            (one for one in fitting if not one.private or listener == person),
            key=lambda one: (abs(one.weight), one.seq),
            default=None,
        )

    @property
    def known(self) -> tuple[str, ...]:
        """Names of all of whom something is borne in mind."""
        return tuple(self._deeds)


def name_in(meaning: Meaning) -> str:
    """Return the name that a sentence gives: as many words as begin with a capital, three at most; "" for none."""
    slots = (meaning.slots.get(key) for key in ("name", "person", "topic", "text", "thing"))
    words = next((one for one in slots if one), "").strip(" .,;:!?'\"").split()
    if len(words) == 1 and words[0].isalpha():
        return words[0][0].upper() + words[0][1:]
    named = all(word[0].isupper() or word in ("of", "the", "de", "von") for word in words)
    return " ".join(words) if 1 <= len(words) <= 3 and named else ""
