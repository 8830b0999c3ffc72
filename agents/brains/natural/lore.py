"""What the vault says of language, read once: intents and words; and a sentence read by it, in three layers.

First the patterns, then the nearest example, then the patterns of open questions. Names and things are masked before
examples are compared, so that what a sentence is about does not decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from agents.brains.natural.examples import Example, Examples, best_intents
from agents.brains.natural.intents import KEYS, PERSON, STRANGER, Intent, Pattern, parse_intent, parse_words
from agents.brains.natural.meaning import Meaning, Names
from agents.brains.natural.words import SAYS, Misspellings, Token, Words, tokens
from agents.text.addressing import asks, without_address
from mud.errors import Problem

QUESTION, STATEMENT, FOREIGN = "question", "statement", "foreign"
"""Intents that every world needs: an open question, what tells something, and another language."""
NEAR, NEAR_BY_WORDS = 0.58, 0.35
"""Least similarity to an example, by vectors and by the words in common; measured."""
OF_LISTENER, THE_SAME = 0.75, 0.95
"""Share of examples with a "you" from which on an intent's questions are about who hears them, and the
least similarity to one that holds without."""
FOREIGN_SHARE = 0.25
"""Share of known words up to which a sentence of at least three words is in another language."""
SOMEBODY, SOMEWHERE, SOMETHING = "Anna", "garden", "lamp"
"""What the names of people, places and things are masked by: any would do, but vectors read these best."""


NOBODY = Names("")


class _Match(NamedTuple):
    """A pattern that fits; the greatest counts: most words of the pattern's own, fewest in slots, most names, first."""

    own: int
    spare: int
    names: int
    order: int
    intent: Intent
    slots: Mapping[str, str]


class Lore:
    """Intents and words, immutable.

    Args:
        intents: the intents by name; of two patterns that fit alike that of the first counts.
        words: the word lists.
    """

    def __init__(self, intents: Mapping[str, Intent], words: Words) -> None:
        self.intents, self.words = intents, words
        patterns = [(intent, one) for intent in intents.values() for one in intent.patterns]
        examples = [(intent.name, text) for intent in intents.values() for text, _ in intent.examples]
        counts: dict[str, int] = {}
        for word in (word for _, one in patterns for word in one.literals):
            counts[word] = counts.get(word, 0) + 1
        for _, text in examples:
            for word in {one.word for one in words.tokens(text) if text[one.start].islower()}:  # no names
                counts[word] = counts.get(word, 0) + 1
        literals = frozenset(word for _, one in patterns for word in one.literals)
        self._known = words.vocabulary | frozenset(counts)
        self._stems = frozenset(map(words.stem, self._known))
        self._misspellings = Misspellings(literals)
        self._index: dict[str, list[tuple[int, Intent, Pattern]]] = {}
        for order, (intent, one) in enumerate(patterns):
            for word in sorted(min(one.needed, key=lambda some: sum(counts.get(each, 0) for each in some))):
                self._index.setdefault(word, []).append((-order, intent, one))
        self._courtesies = _by_first(words.phrases("courtesy"))
        self._tails = _by_first(phrase[::-1] for phrase in words.phrases("tail"))
        self._masks = lru_cache(maxsize=64)(self._masks_of)
        self._tokens = lru_cache(maxsize=64)(self._tokens_of)  # the layers read one sentence after each other
        self._corrected = lru_cache(maxsize=64)(self._corrected_of)
        self._read = lru_cache(maxsize=1 << 10)(self._layers)
        strangers = {
            one.word[1:] for _, text in examples for one in self._tokens(text, NOBODY) if one.word[0] == STRANGER
        }
        named = Names("", tuple(sorted(strangers)))
        against = [(intent.name, text) for intent in intents.values() for text, _ in intent.counterexamples]
        self._examples = Examples(
            (
                Example(name, self._masked(text, named), wrong)
                for pairs, wrong in ((examples, False), (against, True))
                for name, text in pairs
            ),
            words.stem,
        )
        self._against = {row[:2] for row in self._examples.rows if row.against}
        self._asking = {name: {asks(text) for text, _ in intent.examples} for name, intent in intents.items()}

    @cached_property
    def _of_listener(self) -> frozenset[str]:
        """The intents whose questions are about who hears them, by their examples."""
        you = self.words.of("listener")
        said = {
            name: [bool(you & {one.word for one in self.words.tokens(text)}) for text, _ in one.examples]
            for name, one in self.intents.items()
            if one.wants == "self"
        }
        return frozenset(name for name, some in said.items() if sum(some) >= OF_LISTENER * max(1, len(some)))

    @cached_property
    def masked_examples(self) -> tuple[str, ...]:
        """The masked examples and counterexamples of all intents, for vectors."""
        return tuple(" ".join(row.words) for row in self._examples.rows)

    def nearest(self, similarities: Sequence[float]) -> tuple[tuple[str, float], ...]:
        """Return intents by similarity, best first, given that of a sentence to each of `masked_examples`, or ()."""
        return best_intents(zip(self._examples.rows, similarities, strict=True)) if similarities else ()

    def read(self, sentence: str, names: Names, near: Sequence[tuple[str, float]] = ()) -> Meaning:
        """Return the meaning of a sentence.

        Args:
            sentence: one sentence, as said.
            names: the names known.
            near: intents by similarity from vectors, best first; without them the words in common decide.
        """
        return self._read(sentence, names, tuple(near))

    def pattern(self, sentence: str, names: Names) -> Meaning | None:
        """Return the meaning by the first layer alone, the patterns; None where none fits."""
        return self._by_patterns(sentence, names, last=False)

    def masked(self, sentence: str, names: Names) -> str:
        """Return a sentence with its names and things masked."""
        return " ".join(self._masked(sentence, names))

    def near(self, sentence: str, names: Names, without: int = -1) -> tuple[tuple[str, float], ...]:
        """Return intents by the words that their nearest examples have in common with a sentence, best first."""
        return self._examples.nearest(self._masked(sentence, names), without)

    def _layers(self, sentence: str, names: Names, near: tuple[tuple[str, float], ...]) -> Meaning:
        if found := self.pattern(sentence, names):
            return found
        if FOREIGN in self.intents and self._is_foreign(sentence, names):
            return self._meaning(self.intents[FOREIGN], sentence, names, {}, "open")
        question = asks(sentence)
        least = NEAR if near else NEAR_BY_WORDS
        elsewhere = question and self._is_of_another(sentence, names)
        for name, score in near or self.near(sentence, names):
            if question not in self._asking.get(name, ()) or (
                elsewhere and name in self._of_listener and score < THE_SAME
            ):
                continue
            intent = self.intents[name]
            if score < least or intent.last:
                break
            return self._meaning(intent, sentence, names, self._slots(sentence, names), "example")
        found = self._by_patterns(sentence, names, last=True) if question else None
        return found or self._open(QUESTION if question else STATEMENT, sentence, names)

    def _is_of_another(self, sentence: str, names: Names) -> bool:
        """Return whether a sentence speaks of who says it, or of somebody named, and not of who hears it."""
        said = {one.word for one in self._tokens(without_address(sentence, (names.me,)) or sentence, names)}
        others = any(word[0] in (PERSON, STRANGER) for word in said)
        return not said & self.words.of("listener") and (others or bool(said & self.words.of("speaker")))

    def _open(self, name: str, sentence: str, names: Names) -> Meaning:
        intent = self.intents.get(name) or Intent(name, "memory" if name == QUESTION else "nothing", "", ())
        return self._meaning(intent, sentence, names, self._slots(sentence, names), "open")

    def _meaning(self, intent: Intent, sentence: str, names: Names, slots: Mapping[str, str], how: str) -> Meaning:
        bare = without_address(sentence, (names.me,)) or sentence
        some = self._trimmed(self._tokens(bare, names), tail=False)
        words = bare[some[0].start :] if some else bare
        return Meaning(intent.name, intent.wants, intent.asks, intent.texts, slots, words, how)

    # ---- patterns ----

    def _by_patterns(self, sentence: str, names: Names, *, last: bool) -> Meaning | None:
        bare = without_address(sentence, (names.me,)) or sentence
        found: list[_Match] = []
        for some in self._readings(self._tokens(bare, names)):
            found += self._matches(bare, some, last)
            if (right := self._corrected(some)) != some:
                found += self._matches(bare, right, last)
        if found and any(one.intent.counterexamples for one in found):
            masked = self._masked(sentence, names)
            found = [one for one in found if (one.intent.name, masked) not in self._against]
        best = max(found, key=lambda one: one[:4], default=None)
        if best is None:
            return None
        return self._meaning(best.intent, sentence, names, best.slots, "open" if last else "pattern")

    def _readings(self, sentence: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
        """Yield a sentence, then it without what may be passed over around it, then within it."""
        trimmed = self._trimmed(sentence)
        filler = self.words.of("filler")
        bare = tuple(one for one in trimmed if one.word not in filler)
        yield from dict.fromkeys(some for some in (sentence, trimmed, bare, self._trimmed(bare)) if some)

    def _matches(self, sentence: str, some: tuple[Token, ...], last: bool) -> Iterator[_Match]:
        line = "".join(f"{one.word} " for one in some)
        candidates = {
            order: (intent, pattern)
            for word in dict.fromkeys(one.word for one in some)
            for order, intent, pattern in self._index.get(word, ())
            if intent.last is last
        }
        for order, (intent, pattern) in candidates.items():
            if not (found := pattern.fits(line)):
                continue
            slots: dict[str, str] = {}
            own, named = len(some), 0
            for group, text in found.groupdict().items():
                if text is None:
                    continue
                slot = group.partition("_")[0]
                first = line.count(" ", 0, found.start(group))
                size = text.count(" ")
                own, named = own - size, named + (slot in ("person", "who"))
                if slot != "few":
                    said = sentence[some[first].start : some[first + size - 1].end]
                    slots[KEYS.get(slot, slot)] = said.removesuffix("'s").removesuffix("’s") if size == 1 else said
            yield _Match(own, own - len(some), named, order, intent, slots)

    # ---- words ----

    def _tokens_of(self, sentence: str, names: Names) -> tuple[Token, ...]:
        """Return the words of a sentence; names of people are one word each, with a mark before it."""
        found: list[Token] = []
        people = self._masks(names.people)
        shouted = sentence.isupper()
        words = self.words.tokens(sentence)
        at = 0
        while at < len(words):
            one = words[at]
            capital = sentence[one.start].isupper() and not shouted
            if size := _longest(people, words, at) if capital or one.word not in self.words.stop else 0:
                marked = f"{PERSON}{'_'.join(each.word for each in words[at : at + size])}"
                found.append(Token(marked, one.start, words[at + size - 1].end))
                at += size
                continue
            if capital and found and not self._is_known(one.word):
                follows = found[-1].word[0] == STRANGER and sentence[found[-1].end : one.start].isspace()
                before = found.pop() if follows else Token(STRANGER, one.start, one.end)
                one = Token(f"{before.word}{'_' * follows}{one.word}", before.start, one.end)
            found.append(one)
            at += 1
        return tuple(found)

    def _trimmed(self, some: tuple[Token, ...], *, tail: bool = True) -> tuple[Token, ...]:
        """Return a sentence without the courtesies before and behind it; at least one word stays."""
        while len(some) > 1 and (size := _opening(self._courtesies, some)):
            some = some[size:]
        while tail and len(some) > 1 and (size := _opening(self._tails, some[::-1])):
            some = some[:-size]
        return some

    def _corrected_of(self, some: tuple[Token, ...]) -> tuple[Token, ...]:
        """Return a sentence in which words that nobody knows are those that may be meant."""
        return tuple(
            one if one.word[0] in (PERSON, STRANGER) or self._is_known(one.word) else
            one._replace(word=self._misspellings.meant(one.word))
            for one in some
        )  # fmt: skip

    def _is_known(self, word: str) -> bool:
        return word in self._known or word == "'s" or word.isdigit() or self.words.stem(word) in self._stems

    def _is_foreign(self, sentence: str, names: Names) -> bool:
        """Return whether a sentence has almost no known word."""
        some = [one.word for one in self._tokens(sentence, names) if one.word[0] not in (PERSON, STRANGER)]
        if not some or all(ord(letter) > 0x24F for word in some for letter in word if letter.isalpha()):
            return any(ord(letter) > 0x24F for letter in sentence if letter.isalpha())
        foreign = sum(word in self.words.of("foreign") for word in some)
        known = sum(self._is_known(word) and word not in self.words.of("foreign") for word in some)
        return len(some) >= 3 and known <= FOREIGN_SHARE * len(some) and (foreign > known or known == 0)

    # ---- masks ----

    def _masks_of(self, names: tuple[str, ...]) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        """Return names by their first word, each as its words."""
        each = (tuple(one.word for one in self.words.tokens(name)) for name in names)
        return _by_first(words for words in each if words)

    def _masked(self, sentence: str, names: Names) -> tuple[str, ...]:
        bare = without_address(sentence, (names.me,)) or sentence
        some = self._corrected(self._trimmed(self._tokens(bare, names), tail=False))
        kinds = ((self._masks(names.places), SOMEWHERE), (self._masks(names.things), SOMETHING))
        found: list[str] = []
        at = 0
        while at < len(some):
            sizes = ((_longest(known, some, at), mask) for known, mask in kinds)
            size, mask = next(((size, mask) for size, mask in sizes if size), (1, some[at].word))
            found.append(SOMEBODY if mask[0] in (PERSON, STRANGER) else mask)
            at += size
        return tuple(found)

    def _slots(self, sentence: str, names: Names) -> dict[str, str]:
        """Return what can be found of a sentence that no pattern covers: names in it, and what it is about."""
        bare = without_address(sentence, (names.me,)) or sentence
        some = self._tokens(bare, names)
        slots: dict[str, str] = {}
        for one in some:
            if one.word[0] in (PERSON, STRANGER):
                slots.setdefault("person", bare[one.start : one.end].removesuffix("'s").removesuffix("’s"))
        for slot, known in (("place", names.places), ("thing", names.things)):
            masks = self._masks(known)
            sizes = [(at, _longest(masks, some, at)) for at in range(len(some))]
            for at, size in sizes:
                if size and slot not in slots:
                    slots[slot] = bare[some[at].start : some[at + size - 1].end]
        slots["topic"] = " ".join(self.words.content(bare)) or bare
        return slots


def _by_first(phrases: Iterable[tuple[str, ...]]) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return phrases by their first word, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        found.setdefault(phrase[0], []).append(phrase)
    return {first: tuple(some) for first, some in found.items()}


def _opening(phrases: Mapping[str, tuple[tuple[str, ...], ...]], some: Sequence[Token]) -> int:
    """Return how many words of a sentence are a phrase at its beginning that leaves a word; 0 for none."""
    size = _longest(phrases, some, 0)
    return size if size < len(some) else 0


def _longest(names: Mapping[str, tuple[tuple[str, ...], ...]], some: Sequence[Token], at: int) -> int:
    """Return how many words of a sentence from a place on are one of the names; 0 for none."""
    for name in names.get(some[at].word, ()):
        if len(name) <= len(some) - at and all(some[at + i].word == word for i, word in enumerate(name)):
            return len(name)
    return 0


def parse_lore(files: Mapping[str, str]) -> tuple[Lore, list[Problem]]:
    """Read the files of `vault/instinct` by their paths in it, such as `intents/greeting.md`.

    Returns the lore without what is wrong, and what is wrong, by file and line.
    """
    lists, problems = parse_words(
        {f"instinct/{path}": files[path] for path in sorted(files) if path.startswith("words/")}
    )
    phrases: dict[str, tuple[Pattern, ...]] = {}

    @lru_cache(maxsize=256)
    def read(text: str) -> tuple[str, frozenset[str]]:
        said = tokens(words.expand(text))
        return "".join(f"{word} " for word in said), frozenset(said)

    def says(name: str, text: str) -> bool:
        line, said = read(text)
        likely = (one for one in phrases[name] if not any(said.isdisjoint(some) for some in one.needed))
        return any(one.within(line) for one in likely)

    words = Words(lists, says)
    phrases.update({name: tuple(Pattern(item, words) for item in lists.get(name, ())) for name in SAYS})
    intents: dict[str, Intent] = {}
    for path in sorted(path for path in files if path.startswith("intents/")):
        intent, wrong = parse_intent(files[path], f"instinct/{path}", words)
        intents[intent.name] = intent
        problems += wrong
    return Lore(intents, words), problems
