"""What others did to an agent, read from its own memories: who was kind or rude, gave something, promised and kept it.

Every deed is one memory, in its own words, with where and when. Nobody is judged by hearsay, by what was said to
somebody else, or by a dream; what was whispered counts, but is told to nobody else. Pure rules over English words.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile

from agents.brains._words import is_secret_words, is_weak, stem, telling
from agents.brains.instinct.statements import Sort, feeling_of
from agents.memory.entries import Entry
from agents.memory.perception import Utterance, remembered
from agents.text.addressing import Address, addressed, asks, without_address
from mud.world.sentences import sentences

MOST = 24
"""Deeds of one person that are borne in mind; the oldest go first, but for promises."""
PEOPLE = 64
"""People whose deeds are borne in mind at once; whoever did nothing for longest is looked up again when they come."""
WARM, COOL = 2.0, -2.0
"""From which sum of what was done on somebody is dear to an agent, and from which down it keeps its distance."""
ALIKE = 0.5
"""Share of what a promise names that has to be in what keeps it."""


class Deed(StrEnum):
    """What somebody did."""

    KIND = "kind"
    RUDE = "rude"
    SORRY = "sorry"
    GIFT = "gift"
    PROMISE = "promise"


WEIGHTS = {Deed.KIND: 1.0, Deed.RUDE: -2.0, Deed.SORRY: 1.0, Deed.GIFT: 2.0, Deed.PROMISE: 0.0}
KEPT = 2.0
"""What a promise weighs once it was kept; one that was not yet kept weighs nothing."""

FELT = {Sort.PRAISE: Deed.KIND, Sort.THANKS: Deed.KIND, Sort.BLAME: Deed.RUDE, Sort.SORRY: Deed.SORRY}
"""Which deed it is to say a thing of a sort."""
_VOWS = re.compile(
    r"\b(?:i (?:\w+ )?(?:promise|promised|swear|vow)\b|(?:you have|i give you) my word\b|my promise\b)", re.I
)
_WILL = re.compile(
    r"\bi(?:['’]ll| will| shall)(?: \w+)? (?:bring|give|show|tell|find|fetch|make|mend|fix|repair|build|help|come|"
    r"return|meet|pay|write|send|wait|take|lend|teach|carry|get)\b(?=.*\b(?:you|your|yours|back|again|tomorrow|tonight)\b)",
    re.I,
)
_GIVEN = re.compile(
    r"\b(?:this|these|it|that)(?: \w+){0,5}(?:['’]s| is| are) (?:\w+ )?for you\b|\bi(?:['’]ve| have)? "
    r"(?:brought|gave|made|got|baked|bought|picked) (?:(?:\w+ ){1,6}for )?you\b|"
    r"\bhere(?:['’]s| is| are)\b.*\bfor you\b|\ba (?:gift|present) for you\b|\bi give you (?!my\b)",
    re.I,
)
_DONE = re.compile(
    r"\bhere(?:['’]s| is| are|, )|\bi(?:['’]ve| have)?(?: \w+)? (?:brought|mended|fixed|repaired|done|did|made|found|"
    r"got|finished|came|returned|gave|showed|told|paid|sent|wrote|built|fetched|kept|helped)\b|"
    r"\b(?:is|are|it['’]s) (?:mended|done|finished|fixed|repaired|ready|yours)\b|\bas (?:i )?promised\b",
    re.I,
)
_QUOTES = re.compile(r"(?<!\w)['‘\"“]\w")
_KEPT_IT = re.compile(r"\b(?:kept|keep|keeping) my (?:promise|word)\b|\bas (?:i )?promised\b", re.I)
_BROKE_IT = re.compile(
    r"\b(?:broke|broken|break|breaking|forgot|forgotten|(?:cannot|can['’]?t|could(?: not|n['’]t)|did(?: not|n['’]t)|"
    r"won['’]t|will not) keep|take back|took back) (?:\w+ )?(?:my|the|this|that) (?:promise|word)\b",
    re.I,
)
_VOWED = frozenset(map(stem, ("promise", "promised", "swear", "vow", "word", "bring", "give", "make", "take", "back",
                              "tomorrow", "tonight", "again", "honour", "solemnly")))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Act:
    """One deed.

    Args:
        deed: what it was.
        words: the sentence that did it, or what was seen.
        seq: number of the memory.
        at: when, ISO-8601.
        place: where; empty when unknown.
        secret: it was told in confidence.
        kept: the memory by which a promise was kept; 0 while it was not.
    """

    deed: Deed
    words: str
    seq: int
    at: str
    place: str = ""
    secret: bool = False
    kept: int = 0

    @property
    def weight(self) -> float:
        """What it counts for or against somebody."""
        return KEPT if self.kept else WEIGHTS[self.deed]


class Bonds:
    """What one agent bears in mind of others.

    Args:
        name: the agent's own name.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._acts: OrderedDict[str, dict[int, Act]] = OrderedDict()
        self._through = 0

    def live(self, recent: Sequence[Entry], others: Callable[[], Iterable[str]]) -> None:
        """Take in what was lived through since the last time.

        Args:
            recent: the verbatim tail.
            others: gives the names of everybody known, who may be meant by a line instead.
        """
        since, self._through = self._through, max(self._through, recent[-1].seq if recent else 0)
        new = [entry for entry in takewhile(lambda entry: entry.seq > since, reversed(recent)) if entry.actor]
        if new:
            self.learn(new, others())

    def learn(self, entries: Iterable[Entry], others: Iterable[str] = ()) -> None:
        """Take in memories, in any order and as often as one likes; each counts once."""
        names = tuple(others)
        for entry in sorted(entries, key=lambda one: one.seq):
            if not entry.actor or entry.failed or entry.kind not in ("heard", "told"):
                continue
            said = remembered(entry)
            if said is None:
                continue
            self._keep(entry, said.words)
            act = self._act(said, names)
            if act:
                self._add(entry, *act)

    def _act(self, said: Utterance, names: tuple[str, ...]) -> tuple[Deed, str] | None:
        """Return what a line does to the agent, and the sentence that does it; None for nothing."""
        if not said.private and self._name.casefold() not in said.words.casefold():
            vow = vow_in(said.words)
            return (Deed.PROMISE, vow) if vow and _for_all(said.words, names) else None
        if not said.private and addressed(said.words, (self._name,), names) is not Address.ME:
            return None
        bare = without_address(said.words, (self._name,))
        # Thanks go with the name they are said to, and are lost with it.
        return _act_in(bare) or _act_in(said.words)

    def did(self, person: str, sort: Sort, entry: Entry) -> None:
        """Take in that somebody said a thing of this sort to the agent, by the memory of it."""
        deed = FELT.get(sort)
        said = remembered(entry)
        if deed and said and entry.actor == person:
            self._add(entry, deed, without_address(said.words, (self._name,)))

    def warmth(self, person: str) -> float:
        """Return how somebody stands with the agent: above 0 for well, below for ill."""
        return sum(act.weight for act in self.counting(person))

    def counting(self, person: str) -> list[Act]:
        """Return what still counts of what somebody did: an apology takes what was rude before it off, and itself."""
        acts = self._acts.get(person, {})
        sorry = max((seq for seq, act in acts.items() if act.deed is Deed.SORRY), default=0)
        settled = [seq for seq, act in acts.items() if act.deed is Deed.RUDE and seq < sorry]
        return [act for seq, act in acts.items() if seq not in settled and not (settled and act.deed is Deed.SORRY)]

    def is_warm(self, person: str) -> bool:
        """Return whether somebody is dear to the agent."""
        return self.warmth(person) >= WARM

    def is_cool(self, person: str) -> bool:
        """Return whether the agent keeps its distance from somebody."""
        return self.warmth(person) <= COOL

    def acts(self, person: str, *deeds: Deed) -> list[Act]:
        """Return what somebody did of these kinds, the newest first."""
        return [act for _, act in sorted(self._acts.get(person, {}).items(), reverse=True) if act.deed in deeds]

    def done_by(self, person: str, seq: int) -> tuple[Deed, bool] | None:
        """Return what a line of somebody did, and whether it kept a promise by that; None when it did nothing.

        Args:
            person: who said it.
            seq: the memory of the line.
        """
        acts = self._acts.get(person, {})
        kept = next((act for act in acts.values() if act.kept == seq), None) if seq else None
        act = kept or acts.get(seq)
        return (act.deed, act is kept) if act else None

    def telling(self, person: str, asker: str) -> Act | None:
        """Return the deed that says most of how somebody stands with the agent; None when nothing may be said.

        Args:
            person: who did it.
            asker: who would hear of it; confidences are for nobody else.
        """
        warmth = self.warmth(person)
        of_weight = [
            act for act in self.counting(person) if act.weight * warmth > 0 and (not act.secret or asker == person)
        ]
        return max(of_weight, key=lambda act: (abs(act.weight), act.seq), default=None)

    @property
    def known(self) -> tuple[str, ...]:
        """Names of all of whom something is borne in mind."""
        return tuple(self._acts)

    def _add(self, entry: Entry, deed: Deed, words: str) -> None:
        person = entry.actor or ""
        acts = self._acts.setdefault(person, {})
        self._acts.move_to_end(person)
        if entry.seq not in acts:
            secret = entry.kind == "told" or is_secret_words(entry.text)
            acts[entry.seq] = Act(deed, words, entry.seq, entry.at, entry.place or "", secret)
        if len(acts) > MOST:
            least = min(acts, key=lambda seq: (acts[seq].deed is Deed.PROMISE, seq))
            del acts[least]
        if len(self._acts) > PEOPLE:
            self._acts.popitem(last=False)

    def _keep(self, entry: Entry, words: str) -> None:
        """Count the oldest open promise that a line keeps as kept."""
        acts = self._acts.get(entry.actor or "")
        if not acts or not _DONE.search(words):
            return
        for seq in sorted(acts):
            act = acts[seq]
            if act.deed is Deed.PROMISE and not act.kept and seq < entry.seq and _keeps(act.words, words):
                acts[seq] = Act(act.deed, act.words, act.seq, act.at, act.place, act.secret, entry.seq)
                return


@lru_cache(maxsize=1 << 12)
def _act_in(words: str) -> tuple[Deed, str] | None:
    """Return what a line that is meant for the agent does, and the sentence that does it; None for nothing."""
    if _QUOTES.search(words):
        return None  # whose words these are is another question
    if vow := vow_in(words):
        return Deed.PROMISE, vow
    for part in sentences(words):
        if asks(part):
            continue
        if _GIVEN.search(part):
            return Deed.GIFT, part
        feeling = feeling_of(part)
        if feeling in FELT:
            return FELT[feeling], part
    return None


@lru_cache(maxsize=1 << 12)
def vow_in(words: str) -> str:
    """Return the sentence of a line that promises something; empty when none does."""
    for part in sentences(words):
        if (
            not asks(part)
            and not _QUOTES.search(words)
            and not _KEPT_IT.search(part)
            and not _BROKE_IT.search(part)
            and (_VOWS.search(part) or (_WILL.search(part) and _named(part)))
        ):
            return part
    return ""


def _named(words: str) -> frozenset[str]:
    """Return the stems of what a promise, or what keeps it, is about."""
    return frozenset(stem(word) for word in telling(words) if not is_weak(word)) - _VOWED


def _keeps(promise: str, words: str) -> bool:
    if _KEPT_IT.search(words):
        return True
    wanted = _named(promise)
    return bool(wanted) and len(wanted & _named(words)) >= ALIKE * len(wanted)


def _for_all(words: str, names: tuple[str, ...]) -> bool:
    """Whether a line that calls nobody may be meant for everybody who hears it."""
    return addressed(words, (), names) is Address.ANYBODY
