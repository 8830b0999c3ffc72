"""The extractive summarizer: a summary by rules alone, at once, from sentences that were really there.

It says where I was and with whom, then retells what mattered most: promises, numbers, names, what was decided, what was
never heard before. A long-term summary carries the facts of the earlier ones on; what came up again is said so and
stays, the first things of a life stay, small talk goes first. It never contains a name or a number of its own.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agents.compaction.receipts import evidence, made_up
from agents.compaction.summarizers._prose import closed, ended, read_scene, retell, scene
from agents.compaction.summarizers._summarizer import Prompts, Source, Summarizer, Writing
from agents.compaction.voices import PROMISE
from agents.compaction.wording import alike, flat, key, names, numbers, quoted, sentences, telling, word_set, words
from agents.llm.tokens import estimate
from agents.memory.entries import Entry

MOST_PLACES = 4
MOST_PEOPLE = 4
"""Places and people that the scene of a recent summary names."""
KNOWN_PLACES = 12
KNOWN_PEOPLE = 16
"""Places and people that the scene of a long-term summary names."""

_SAME = 0.65
"""Jaccard index of telling words from which two sentences say the same."""
_TALE = 11.0
"""Weight below which a memory is small talk; one such sentence is told when there is nothing else."""
_AGAIN = ("More than once ", "Again and again ")
_WEIGHTY = word_set(
    """secret hidden hide hides buried key danger dangerous dead died death born love loved hate friend friends
    enemy brother sister mother father daughter son wife husband child teacher taught learned lost missing stolen
    thief owe owes paid married marries wedding flood fire war sick ill healed remember warning beware treasure
    code password called named invited decided learned found new gift"""
)
_HEDGED = re.compile(r"\b(?:I think|I guess|or so they say|they say|perhaps|maybe)\b")
_KIND = {
    "result": -9.0,
    "saw": -1.5,
    "moved": -1.5,
    "did": 0.5,
    "said": -1.0,
    "thought": -1.0,
    "note": -3.0,
    "told": 2.0,
}
_TOLD_FACT = 6.0
"""What a statement of somebody else weighs more when it holds a promise, a name, a number or a place."""
_CHATTER = 12.0
"""What an own line weighs less when it holds no fact, or only says that I heard."""
_WHERE = re.compile(
    r"\b(?:lies?|lives?|is|are|was|were|kept|hidden|buried|stands?|waits?|hangs?) "
    r"(?:in|at|under|behind|beneath|near|by|on|inside|beside|below|above)\b",
    re.IGNORECASE,
)
_PLEDGE = re.compile(r"\b(?:promis\w+|swear|swore|vow\w*|my word)\b", re.IGNORECASE)
_HEARD_YOU = re.compile(
    r"\bI(?: will|['’]ll| shall) (?:remember|note|think|keep (?:that|it|this) in mind|bear)\b"
    r"|\b(?:thank you|thanks|I see|I understand|I hear you|good to know|noted)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence that may become part of a summary."""

    place: int
    text: str
    words: frozenset[str]
    weight: float
    own: bool = False


def write(source: Source, prompts: Prompts) -> Writing:
    """Write a summary without asking anybody."""
    return extract(source)
    yield  # a generator like every summarizer, though it asks nothing


def extract(source: Source) -> str:
    """Return the summary of a source by rules alone.

    Args:
        source: memories or earlier summaries; its limits hold for the result.
    """
    if source.entries and source.earlier:
        text = _rolling(source)
    else:
        text = _recent(source) if source.entries else _longterm(source)
    return text or "I remember nothing of it."


def _recent(source: Source) -> str:
    limit = source.max_sentences or 4
    opening = _scene_of(source) if limit > 1 else ""
    chosen = _chosen(source, _weighed(source), max(1, limit - bool(opening)))
    return _fitted(source, opening, chosen)


def _rolling(source: Source) -> str:
    """Return the earlier summary with what the memories add: a sentence for every sixteen of them, four at least."""
    count = source.max_sentences or max(4, len(source.entries) // 16)
    new = _recent(replace(source, earlier=(), max_sentences=count))
    return _longterm(replace(source, entries=(), earlier=(*source.earlier, new)))


def _scene_of(source: Source) -> str:
    places = list(dict.fromkeys(entry.place for entry in source.entries if entry.place))
    actors = Counter(entry.actor for entry in source.entries if entry.actor and entry.actor != source.name)
    if len(places) > MOST_PLACES:
        stays = Counter(entry.place for entry in source.entries if entry.place)
        longest = {place for place, _ in stays.most_common(MOST_PLACES)}
        places = [place for place in places if place in longest]
    return scene(places, [name for name, _ in actors.most_common(MOST_PEOPLE)], source.begins)


def _weighed(source: Source) -> list[_Told]:
    """Return every memory with its weight; what few others tell weighs more."""
    texts = [telling(entry.text) for entry in source.entries]
    spread = Counter(word for found in texts for word in found)
    own = set(words(source.name))
    return [
        _Told(at, entry.text, found, _weight(entry, found, spread, len(texts), own), entry.actor is None)
        for at, (entry, found) in enumerate(zip(source.entries, texts, strict=True))
        if entry.text.strip()
    ]


def _weight(entry: Entry, found: frozenset[str], spread: Counter[str], count: int, own: set[str]) -> float:
    most = len(found) * math.log(count) if count > 1 else 0.0
    rare = sum(math.log(count / spread[word]) for word in found) / most if most else 0.0
    spoken = len(found)
    weight = entry.importance + 4 * rare + min(spoken, 9) * 0.45 + _KIND.get(entry.kind, 0.0)
    if entry.kind != "result":  # a look holds many names and numbers, and stays there to be looked at again
        weight += 3 if PROMISE.search(entry.text) else 0
        weight += 2.5 if numbers(entry.text) else 0
        weight += min(2.0, 1.0 * len(found & _WEIGHTY))
    if entry.kind in ("heard", "told") and holds_fact(entry.text):
        weight += _TOLD_FACT
    elif entry.kind in ("said", "thought") and not _is_told(entry):
        weight -= _CHATTER
    weight += 2 if entry.actor and own & set(words(entry.text)) else 0
    weight += 1 if entry.reason else 0
    weight -= 1 if _HEDGED.search(entry.text) else 0
    return weight - (2 if entry.failed else 0) - (3 if spoken < 2 else 0)


def holds_fact(text: str) -> bool:
    """Return whether a memory states a promise, a name, a number or a place; a question states nothing."""
    said = " ".join(quoted(text)) or text
    if said.rstrip().endswith("?"):
        return False
    return bool(PROMISE.search(said) or _WHERE.search(said) or numbers(said) or names(said))


def _chosen(source: Source, told: Sequence[_Told], count: int) -> list[_Told]:
    """Return the weightiest sentences that do not repeat each other, in order and put into words.

    One of my own doing is among them when it is worth it. What cannot be told in whole sentences is passed over.
    """
    chosen: list[_Told] = []
    ranked = sorted(told, key=lambda one: (-one.weight, one.place))
    for one in ranked:
        if len(chosen) == count or (chosen and one.weight < _TALE):
            break
        if not any(_repeats(one, other) for other in chosen) and (text := retell(source.entries[one.place])):
            chosen.append(replace(one, text=text))
    mine = (one for one in ranked if one.own and _is_told(source.entries[one.place]))
    own = next((replace(one, text=text) for one in mine if (text := retell(source.entries[one.place]))), None)
    if own is not None and count > 1 and not any(one.own for one in chosen):
        if len(chosen) < count:
            chosen.append(own)
        elif count > 2 and own.weight > 0.6 * chosen[-1].weight:
            chosen[-1] = own
    elif len(chosen) == 1 < count:
        others = (one for one in ranked if not one.own and not _repeats(one, chosen[0]))
        texts = (replace(one, text=text) for one in others if (text := retell(source.entries[one.place])))
        chosen += list(itertools.islice(texts, 1))
    return sorted(chosen, key=lambda one: one.place)


def _is_told(entry: Entry) -> bool:
    """Return whether an own memory may take a place in a summary: something done, or words with a fact in them."""
    if entry.kind in ("said", "thought"):
        said = sentences(" ".join(quoted(entry.text)) or flat_lines(entry.text))
        return any(holds_fact(one) and (not _HEARD_YOU.search(one) or _PLEDGE.search(one)) for one in said)
    return entry.kind not in ("result", "note")


def _repeats(one: _Told, other: _Told) -> bool:
    return alike(one.words, other.words) >= _SAME


def _fitted(source: Source, opening: str, chosen: list[_Told]) -> str:
    """Join what fits: within the tokens, and shorter than what is replaced."""
    replaced = sum(map(len, source.texts())) + len(source.texts()) - 1

    def fits(parts: list[str]) -> bool:
        text = " ".join(parts)
        return len(text) < replaced and estimate(text) <= source.max_tokens

    parts = [part for part in (opening, *(one.text for one in chosen)) if part]
    if fits(parts):
        return " ".join(parts)
    dropped = sorted(chosen, key=lambda one: (one.weight, -one.place))
    left = list(chosen)
    for one in dropped:
        left.remove(one)
        for start in ([opening], []):
            parts = [part for part in (*start, *(other.text for other in left)) if part]
            if parts and fits(parts):
                return " ".join(parts)
    texts = [one.text for one in sorted(chosen, key=lambda one: -one.weight)]
    return _shortest([*texts, opening], source, replaced)


def _shortest(texts: Sequence[str], source: Source, replaced: int) -> str:
    """Return the first whole sentence that fits, for a source that is shorter than most sentences about it."""
    proof = evidence(source)
    spoken = [one for one in source.entries if one.kind in (("heard", "told") if one.actor else ("said", "thought"))]
    short = [f'{one.actor or "I"}: "{said}"' for one in spoken for said in quoted(flat(one.text))]
    plain = [one for text in source.texts() for one in sentences(flat_lines(text))]
    longest = replaced - 1 if source.entries else replaced
    for text in (*texts, *(ended(one) for one in (*short, *plain) if closed(one)), "I remember nothing of it."):
        fits = len(text) <= longest and estimate(text) <= source.max_tokens
        if fits and any(map(str.isalnum, text)) and not made_up(text, proof):
            return text
    return "..."[: max(1, longest)]


def _longterm(source: Source) -> str:
    earlier = [flat_lines(text) for text in source.earlier if text.strip()]
    if len(earlier) == 1 and estimate(earlier[0]) <= source.max_tokens:
        return earlier[0]
    split = [sentences(text) for text in earlier]
    openings = [read for part in split for sentence in part if (read := read_scene(sentence))]
    rest = [ended(one) for part in split for one in part if closed(one) and read_scene(one) is None]
    told = _merged(rest)
    opening = _scenes(openings)
    return _fitted_long(source, opening, told)


def flat_lines(text: str) -> str:
    """Return a text with every line flattened and blank lines left out."""
    return "\n".join(line for line in map(flat, text.split("\n")) if line)


def _scenes(found: Sequence[tuple[list[str], list[str], bool]]) -> list[str]:
    """Return the scene of the beginning as it was, and one scene of all the others."""
    began = next((one for one in found if one[2]), None)
    later = [one for one in found if one is not began]
    places = _bounded(dict.fromkeys(place for one in later for place in one[0]), KNOWN_PLACES)
    people = _bounded(dict.fromkeys(name for one in later for name in one[1]), KNOWN_PEOPLE)
    first = scene(began[0], began[1], True) if began else ""
    return [text for text in (first, scene(places, people, False)) if text]


def _bounded(found: dict[str, None], most: int) -> list[str]:
    """Return the first third and the latest two thirds of what is too much."""
    every = list(found)
    return every if len(every) <= most else [*every[: most // 3], *every[-(most - most // 3) :]]


def _merged(rest: Sequence[str]) -> list[_Told]:
    """Return the sentences, each said once; one that came up again in the very same words says so.

    What is only much alike is another memory: `the ferry at 7` and `the ferry at 8` are two.
    """
    told: list[_Told] = []
    seen: dict[str, int] = {}
    for text in rest:
        plain, level = _without_again(text)
        same = seen.setdefault(flat(plain).casefold(), len(told))
        if same == len(told):
            told.append(_Told(same, text, telling(plain), _worth(text)))
        else:
            before, earlier = _without_again(told[same].text)
            again = _AGAIN[min(earlier + level, 1)] + _inside(before)
            told[same] = replace(told[same], text=again, weight=_worth(again))
    return told


def _without_again(text: str) -> tuple[str, int]:
    """Return a sentence without its "more than once", and how often it came up: 0, 1, or 2 for often."""
    for level, again in enumerate(_AGAIN, 1):
        if text.startswith(again):
            return text[len(again) :], level
    return text, 0


def _inside(text: str) -> str:
    """Return a sentence as it stands after other words: a plain first word loses its capital."""
    first, gap, rest = text.partition(" ")
    return text if key(first) in ("i", "") or not _is_plain(first) else f"{first.lower()}{gap}{rest}"


def _is_plain(word: str) -> bool:
    return key(word) in {"my", "the", "a", "an", "we", "he", "she", "they", "it", "there", "somebody", "when", "then"}


def _worth(text: str) -> float:
    """Return how much a sentence of an earlier summary is worth keeping."""
    found = telling(text)
    worth = 3.0 if PROMISE.search(text) else 0.0
    worth += 2.5 if numbers(text) else 0.0
    worth += min(3.0, 1.5 * len(found & _WEIGHTY))
    worth += min(1.5, 0.4 * max(0, len(names(text)) - 1))
    worth += 0.15 * min(len(found), 10)
    worth -= 1.0 if _HEDGED.search(text) else 0.0
    return worth * (1.0 + 0.5 * _without_again(text)[1])  # small talk that comes again is still small talk


def _fitted_long(source: Source, opening: list[str], told: list[_Told]) -> str:
    replaced = sum(map(len, source.texts())) + len(source.texts()) - 1
    join = _joiner(opening)
    order = _by_worth(told)
    while True:
        text = join(sorted(order, key=lambda one: one.place))
        if text and len(text) <= replaced and estimate(text) <= source.max_tokens:
            return text
        if not order:
            return _shortest(opening, source, replaced)
        order.pop()


def _by_worth(told: Sequence[_Told]) -> list[_Told]:
    """Return the sentences, the most worth keeping first.

    The oldest two are kept with the weightiest, so that a life knows its beginning. What is much like something better
    counts less. Of equals the newer comes first.
    """
    left = {one.place: one.weight + (3.0 if one.place < 2 else 0.0) for one in told}
    order: list[_Told] = []
    while left:
        best = max(left, key=lambda place: (left[place], place))
        del left[best]
        order.append(told[best])
        for place in left:
            likeness = alike(told[place].words, told[best].words)
            left[place] -= 3.0 * likeness if likeness > 0.2 else 0.0
    return order


def _joiner(opening: list[str]) -> Callable[[list[_Told]], str]:
    def join(told: list[_Told]) -> str:
        texts = [*opening, *(one.text for one in told)]
        return " ".join(map(ended, texts))  # fragments side by side would read as one name or one number

    return join


EXTRACTIVE = Summarizer(
    "extractive", "By rules, at once and without a model: what was said, promised and decided, in its own words.", write
)
