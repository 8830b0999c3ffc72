"""What the vault says of language, read once: intents and words; and a sentence read by it, in three layers.

First the patterns, then the nearest example, then the patterns of open questions. Names and things are masked before
examples are compared, so that what a sentence is about does not decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from agents.brains.instinct.examples import Example, Examples, best_intents
from agents.brains.instinct.intents import (
    PERSON,
    STRANGER,
    Intent,
    Pattern,
    Slot,
    parse_intent,
    parse_words,
)
from agents.brains.instinct.meaning import Meaning, Names
from agents.brains.instinct.words import HEARD, SAYS, Phrases, Token, Words, by_first, right_word
from agents.text.addressing import asks, lacks, without_address
from mud.errors import Problem

QUESTION, STATEMENT, FOREIGN = "question", "statement", "foreign"
"""Intents that every world needs: an open question, what tells something, and another language."""
FELT = frozenset(("reply.sorry", "reply.insult", "ack.sad", "ack.death"))
"""Texts that answer what counts for more than anything told beside it: "that was rude of me. Long shift."."""
MUCH = 0.8
"""Similarity from which on an example is near though the sentence is of something else."""
PLAIN = {"unknown.plain", "unknown.thing", "unknown.person"}
"""The texts of intents that ask memory for anything."""
NEAR, NEAR_BY_WORDS = 0.52, 0.28
"""Least similarity to an example, by vectors and by the words in common; measured."""
TELLS = 0.12
"""How much nearer what is wished must be than what is asked or felt, as most that is no question tells something."""
OF_LISTENER, THE_SAME = 0.75, 0.95
"""Share of examples with a "you" from which on an intent's questions are about who hears them, and the
least similarity to one that holds without."""
FOREIGN_SHARE = 0.25
"""Share of known words up to which a sentence of at least three words is in another language."""
SOMEBODY, SOMEWHERE, SOMETHING = "Anna", "garden", "lamp"
"""What the names of people, places and things are masked by: any would do, but vectors read these best."""
_NAMED = (PERSON, STRANGER)


def foremost(found: Sequence[Meaning]) -> Meaning:
    """Return which sentence of a line is answered: the first that wants something, else what is felt, else the told."""
    asking = [one for one in found if one.wants != "nothing"]
    felt = [one for one in found if not FELT.isdisjoint(one.texts)]
    told = [one for one in found if one.intent == STATEMENT]
    return (asking[:1] or felt[-1:] or told[-1:] or found[-1:])[0]


class _Match(NamedTuple):
    """A pattern that fits; the greatest counts: most words of the pattern's own, fewest in slots, most names, first."""

    own: int
    spare: int
    names: int
    order: int
    intent: Intent
    slots: Mapping[str, str]


class _Said(NamedTuple):
    """A sentence without the names it calls, its words as said, and those with misspellings put right."""

    bare: str
    words: tuple[Token, ...]
    right: tuple[Token, ...]


class Interpreter:
    """Intents and words, immutable.

    Args:
        intents: the intents by name; of two patterns that fit alike that of the first counts.
        words: the word lists.
    """

    def __init__(self, intents: Mapping[str, Intent], words: Words) -> None:
        self.intents, self.words = intents, words
        self._patterns = [(intent, one) for intent in intents.values() for one in intent.patterns]
        counts = Counter(word for _, one in self._patterns for some in one.needed for word in some)
        self._opening: dict[str, list[tuple[int, Intent, Pattern]]] = {}
        self._within: dict[str, list[tuple[int, Intent, Pattern]]] = {}
        for order, (intent, one) in enumerate(self._patterns):
            index = self._opening if one.opens else self._within
            for word in one.opens or min(one.needed, key=lambda some: sum(counts[each] for each in some)):
                index.setdefault(word, []).append((-order, intent, one))
        self._courtesies, self._asking = by_first(words.items("courtesy")), by_first(words.items("asking"))
        self._fillers = by_first([*words.items("filler"), *words.items("aside")])
        self._tails = by_first(one[::-1] for one in words.items("tail"))
        self._wh = words.of("wh") - words.of("whether")
        self._names_of = lru_cache(maxsize=64)(self._by_first)
        self._words_of = lru_cache(maxsize=HEARD)(lambda name: frozenset(self.words.said(name)))
        self._spoken = lru_cache(maxsize=HEARD)(self._words_in)
        self._said = lru_cache(maxsize=1 << 8)(self._prepared)
        self._pattern = lru_cache(maxsize=HEARD)(self._first_layer)
        self._read = lru_cache(maxsize=1 << 10)(self._layers)
        self.may_mean = lru_cache(maxsize=HEARD)(self._may_mean)
        self._right = lru_cache(maxsize=1 << 13)(self._right_word)
        self._needed = lru_cache(maxsize=1 << 6)(self._needed_for)
        self._kind = lru_cache(maxsize=None)(self._kind_of)  # as many as there are intents

    # ---- what is worked out when it is first needed, as most lines need the patterns alone ----

    def prepare(self) -> None:
        """Work all of it out now; it takes about 0.2 s, during which other threads go on."""
        _ = self._examples, self._against, self._known, self._meant
        for _, one in self._patterns:
            one.fits(())

    @cached_property
    def _shown(self) -> tuple[tuple[str, str, bool, tuple[Token, ...]], ...]:
        """The examples and counterexamples: of which intent, the text, whether it is none of it, and its words."""
        found = [(one.name, text, False) for one in self.intents.values() for text, _ in one.examples]
        found += [(one.name, text, True) for one in self.intents.values() for text, _ in one.counterexamples]
        return tuple((name, text, against, self.words.tokens(text)) for name, text, against in found)

    @cached_property
    def _literals(self) -> frozenset[str]:
        return frozenset(word for _, one in self._patterns for word in one.literals)

    @cached_property
    def _known(self) -> tuple[frozenset[str], frozenset[str], str]:
        """The words that belong to the language, their stems, and the letters they are written with."""
        shown = (one.word for _, text, not_so, some in self._shown for one in some if text[one.start].islower())
        known = self.words.vocabulary.union(self._literals, shown)
        return known, frozenset(map(self.words.stem, known)), "".join(sorted(set("".join(self._literals))))

    @cached_property
    def _meant(self) -> frozenset[str]:
        """The words that a misspelling may mean: those that decide what a sentence means."""
        lists = ("courtesy", "filler", "aside", "tail", "asking")
        return self._literals.union(*(one for name in lists for one in self.words.items(name)))

    @cached_property
    def _examples(self) -> Examples:
        named = {self._stranger(text, one) for _, text, _, some in self._shown for one in some[1:]}
        names = by_first((word,) for word in sorted(filter(None, named)))
        rows = [
            Example(
                name, self._masks(self._trimmed(self._marked(text, some, names), tail=False), ()), asks(text), against
            )
            for name, text, against, some in self._shown
        ]
        return Examples(rows, self.words.stem)

    @cached_property
    def _against(self) -> frozenset[tuple[str, tuple[str, ...]]]:
        return frozenset((row.intent, row.words) for row in self._examples.rows if row.against)

    def _kind_of(self, name: str) -> tuple[frozenset[bool], frozenset[str], bool]:
        """Return whether an intent asks, or tells, the question words it is asked with, and whether of who hears it.

        A question never tells something, though "did you know" does.
        """
        one = self.intents[name]
        said = [{each.word for each in self.words.tokens(text)} for text, _ in one.examples]
        told = frozenset({False}) if name == STATEMENT else frozenset(asks(text) for text, _ in one.examples)
        asked = self._wh.intersection({word for pattern in one.patterns for word in pattern.literals}.union(*said))
        you = sum(not self.words.of("listener").isdisjoint(words) for words in said)
        return told, asked, one.wants == "self" and you >= OF_LISTENER * max(1, len(said))

    @lru_cache(maxsize=1 << 8)  # noqa: B019 - an interpreter lives as long as its world
    def _used(self, name: str) -> frozenset[str]:
        """Return the stems of the words that the patterns and examples of an intent use."""
        intent = self.intents[name]
        shown = (word for text, _ in intent.examples for word in self.words.said(text))
        literals = (word for pattern in intent.patterns for word in pattern.literals)
        masks = (SOMEBODY.casefold(), SOMEWHERE, SOMETHING)
        return frozenset(map(self.words.stem, (*shown, *literals, *masks)))

    @cached_property
    def masked_examples(self) -> tuple[str, ...]:
        """The masked examples and counterexamples of all intents, for vectors."""
        return tuple(" ".join(row.words) for row in self._examples.rows)

    # ---- reading ----

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
        return self._read(sentence, self._named(sentence, names), tuple(near))

    def pattern(self, sentence: str, names: Names) -> Meaning | None:
        """Return the meaning by the first layer alone, the patterns; None where none fits."""
        return self._pattern(sentence, self._named(sentence, names))

    def masked(self, sentence: str, names: Names) -> str:
        """Return a sentence with its names and things masked."""
        return " ".join(self._masked(sentence, names))

    def near(self, sentence: str, names: Names, without: int = -1) -> tuple[tuple[str, float], ...]:
        """Return intents by the words that their nearest examples have in common with a sentence, best first."""
        return self._examples.nearest(self._masked(sentence, names), asks(sentence), without)

    def _first_layer(self, sentence: str, names: Names) -> Meaning | None:
        return self._by_patterns(sentence, names, last=False)

    def _may_mean(self, text: str, sentence: str) -> bool:
        """Return whether a pattern of an intent that this text answers could fit a sentence, as far as words tell."""
        return any(not any(map(self._spoken(sentence).isdisjoint, needed)) for needed in self._needed(text))

    def _words_in(self, sentence: str) -> frozenset[str]:
        """Return the words of a sentence, as said and with misspellings put right."""
        said = frozenset(self.words.said(sentence))
        return said.union(map(self._right, said))

    def _named(self, sentence: str, names: Names) -> Names:
        """Return the names that a sentence may hold, so that it is read once for all who heard it."""
        said, words_of = self._spoken(sentence), self._words_of
        me = names.me if words_of(names.me) <= said or not lacks(sentence, names.me) else ""
        people, places, things = (tuple([one for one in some if words_of(one) <= said]) for some in names[1:])
        return Names(me, people, places, things)

    def _needed_for(self, text: str) -> tuple[Sequence[frozenset[str]], ...]:
        """Return the words that the patterns of the intents need which a text answers."""
        return tuple(one.needed for intent, one in self._patterns if intent.texts[:1] == (text,))

    def _right_word(self, word: str) -> str:
        return word if self._is_known(word) else right_word(word, self._meant, self._known[2])

    def _layers(self, sentence: str, names: Names, near: tuple[tuple[str, float], ...]) -> Meaning:
        if found := self.pattern(sentence, names):
            return found
        if FOREIGN in self.intents and self._is_foreign(sentence, names):
            return self._meaning(self.intents[FOREIGN], sentence, names, {}, "open")
        question = self._asks(sentence, names)
        found = (
            self._clause(sentence, names, question=question)
            or self._by_examples(sentence, names, near, question=question)
            or (self._by_patterns(sentence, names, last=True) if question else None)
        )
        name = QUESTION if question else STATEMENT
        intent = self.intents.get(name) or Intent(name, "memory" if question else "nothing", "", ())
        return found or self._meaning(intent, sentence, names, self._slots(sentence, names), "open")

    def _by_examples(
        self, sentence: str, names: Names, near: tuple[tuple[str, float], ...], *, question: bool
    ) -> Meaning | None:
        least = NEAR if near else NEAR_BY_WORDS
        said, of = {one.word for one in self._said(sentence, names).words}, self.words.of
        others = any(word[0] in _NAMED for word in said) or not said.isdisjoint(of("speaker"))
        apart = question and said.isdisjoint(of("listener"))
        elsewhere = apart and others  # not about who hears it
        content = {self.words.stem(word) for word in self.words.content(" ".join(self._masked(sentence, names)))}
        content -= self.words.weak.union(map(self.words.stem, of("time")))
        asked = {one.word for one in self._heart(sentence, names)[:1]} & self._wh if question else set[str]()
        for name, score in near or self.near(sentence, names):
            intent, (kinds, wh, of_listener) = self.intents[name], self._kind(name)
            if score < least or intent.last:
                break
            if not question and intent.wants != "nothing" and score < least + TELLS:
                continue
            strange = apart and score < MUCH and not content <= self._used(name)
            if strange and not {*intent.texts} <= PLAIN:
                continue  # what it asks of is nothing that is ever asked so
            if question in kinds and asked <= wh and not (elsewhere and of_listener and score < THE_SAME):
                return self._meaning(intent, sentence, names, self._slots(sentence, names), "example")
        return None

    def _asks(self, sentence: str, names: Names) -> bool:
        """Return whether a sentence is a question, also one that lacks the mark: "how late is it"."""
        of = self.words.of
        some = [one.word for one in self._heart(sentence, names)]
        some = some[bool(some) and some[0] in of("place_head") | of("time_head") :]  # "in which town"
        if asks(sentence) or not some or some[0] not in self._wh:
            return asks(sentence)
        verb = next((at for at, word in enumerate(some) if word in of("auxiliary")), 0)
        subject = of("self") | of("person") | of("article")
        return verb == 1 or (
            verb > 1 and some[1] not in subject and (verb == 2 or {*some[verb + 1 : verb + 2]} <= subject)
        )

    def _heart(self, sentence: str, names: Names) -> tuple[Token, ...]:
        """Return what a sentence asks or tells, without what stands around it."""
        return [*self._readings(self._said(sentence, names).right, last=True)][-1]

    def _clause(self, sentence: str, names: Names, *, question: bool) -> Meaning | None:
        """Return the meaning of the clause that asks, "I need Moss, where is he?", or of the last, "thanks, see you".

        He is who was named before; and only what has no other clause than such is read by the last.
        """
        clauses = sentence.split(", ") if ", " in sentence else []
        read = [self.pattern(clause, names) for clause in clauses]
        if not question:
            told = [one for one in read if one and one.wants == "nothing"]
            moved = [one for one in told if one.texts[0].startswith("ack.")]  # how they are counts for more than why
            return told[-1] if told and len(told) == len(read) else moved[-1] if moved else None
        for clause, found in [*zip(clauses, read, strict=True)][:0:-1]:
            if found and found.wants != "nothing" and asks(clause.rstrip("?")):
                person = found.slots.get("person", "")
                named = (
                    self._slots(sentence, names).get("person", "")
                    if person.casefold() in self.words.of("person")
                    else person
                )
                slots = {**found.slots, "person": named} if named else found.slots
                if named or not person:
                    return self._meaning(self.intents[found.intent], sentence, names, slots, found.how)
        return None

    def _meaning(self, intent: Intent, sentence: str, names: Names, slots: Mapping[str, str], how: str) -> Meaning:
        bare, words, _ = self._said(sentence, names)
        some = self._trimmed(words, tail=False)
        said = bare[some[0].start :] if some else bare
        return Meaning(intent.name, intent.wants, intent.asks, intent.texts, slots, said, how)

    # ---- patterns ----

    def _by_patterns(self, sentence: str, names: Names, *, last: bool) -> Meaning | None:
        bare, words, right = self._said(sentence, names)
        spoken = dict.fromkeys((words, right))
        bare_of_me = tuple(one for one in right if one.word.lstrip(PERSON + STRANGER) != names.me.casefold())
        if bare_of_me:
            spoken[bare_of_me] = None  # it is called without a comma
        readings = [some for said in spoken for some in self._readings(said, last=last)]
        found = [one for some in dict.fromkeys(readings) if some for one in self._matches(bare, some, last)]
        if any(one.intent.counterexamples for one in found):
            masked = self._masked(sentence, names)
            found = [one for one in found if (one.intent.name, masked) not in self._against]
        if not found:
            return None
        best = max(found, key=lambda one: one[:4])
        return self._meaning(best.intent, sentence, names, best.slots, "open" if last else "pattern")

    def _readings(self, sentence: tuple[Token, ...], *, last: bool) -> Iterator[tuple[Token, ...]]:
        """Yield a sentence, it without what may be passed over around and within it, and what it asks indirectly.

        An open question, which is tried last, is what is asked indirectly alone.
        """
        trimmed = self._trimmed(sentence)
        bare = self._trimmed(self._without_fillers(trimmed))
        size = _opening(self._asking, bare)
        indirect = size > 0 and bare[size].word in self.words.of("wh")
        yield from () if indirect and last else (sentence, trimmed, bare)
        if indirect:
            asked, verbs = bare[size:], self.words.of("auxiliary")
            at = next((at for at, one in enumerate(asked) if at and one.word in verbs), 0)
            whether = asked[0].word in self.words.of("whether")  # "if she is here" asks "is she here"
            yield asked
            yield (
                (*asked[: not whether], *asked[at : at + 1], *asked[1:at], *asked[at + 1 :]) if at else asked[whether:]
            )

    def _matches(self, sentence: str, some: tuple[Token, ...], last: bool) -> Iterator[_Match]:
        words = [one.word for one in some]
        have = set(words)
        rows = [
            *self._opening.get(words[0], ()),
            *(row for word in dict.fromkeys(words) for row in self._within.get(word, ())),
        ]
        for order, intent, pattern in rows:
            if intent.last is not last or any(map(have.isdisjoint, pattern.needed)):
                continue
            if (found := pattern.fits(words)) is not None:
                yield _match(found, sentence, some, order, intent)

    # ---- words and names ----

    def _prepared(self, sentence: str, names: Names) -> _Said:
        bare = without_address(sentence, (names.me,)) or sentence
        words = self._marked(bare, self.words.tokens(bare), self._names_of(names.people))
        known = [one.word[0] in _NAMED or self._is_known(one.word) for one in words]
        right = (
            one if fine else one._replace(word=right_word(one.word, self._meant, self._known[2]))
            for one, fine in zip(words, known, strict=True)
        )
        return _Said(bare, words, words if all(known) else tuple(right))

    def _marked(self, sentence: str, words: tuple[Token, ...], people: Phrases) -> tuple[Token, ...]:
        """Return the words of a sentence with names of people as one word each, with a mark before it."""
        found: list[Token] = []
        shouted, at = sentence.isupper(), 0
        while at < len(words):
            one = words[at]
            capital = sentence[one.start].isupper() and not shouted
            size = _longest(people, words, at) if capital or one.word not in self.words.stop else 0
            if size:
                marked = f"{PERSON}{'_'.join(each.word for each in words[at : at + size])}"
                one = Token(marked, one.start, words[at + size - 1].end)
            elif capital and found and (self._stranger(sentence, one) or self._is_asked_of(words, at)):
                follows = found[-1].word[0] == STRANGER and sentence[found[-1].end : one.start].isspace()
                before = found.pop() if follows else Token(STRANGER, one.start, one.end)
                one = Token(f"{before.word}{'_' * follows}{one.word}", before.start, one.end)
            found.append(one)
            at += size or 1
        return tuple(found)

    def _stranger(self, sentence: str, one: Token) -> str:
        """Return a word with a capital that only a name explains; empty for any other."""
        return one.word if sentence[one.start].isupper() and not self._is_known(one.word) else ""

    def _is_asked_of(self, words: tuple[Token, ...], at: int) -> bool:
        """Return whether a word with a capital is asked of as who spoke: "what did Open say" asks of nothing open."""
        before, one, after = (token.word for token in (words[at - 1], words[at], words[min(at + 1, len(words) - 1)]))
        of = self.words.of
        strange = one not in self.words.stop and one not in of("persons")
        return strange and before in of("auxiliary") and after in of("tell")

    def _is_known(self, word: str) -> bool:
        if word in self.words.stop or word == "'s" or word.isdigit():
            return True
        words, stems, _ = self._known
        return word in words or self.words.stem(word) in stems

    def right(self, word: str, heard: frozenset[str] = frozenset()) -> str:
        """Return the word that was meant by one that is neither known nor was heard."""
        fine = word in heard or self._is_known(word)
        return word if fine else right_word(word, heard | self.words.vocabulary, self._known[2])

    def _is_foreign(self, sentence: str, names: Names) -> bool:
        """Return whether a sentence has almost no known word."""
        some = [one.word for one in self._said(sentence, names).words if one.word[0] not in _NAMED]
        if not some or all(ord(letter) > 0x24F for word in some for letter in word if letter.isalpha()):
            return any(ord(letter) > 0x24F for letter in sentence if letter.isalpha())
        foreign = sum(word in self.words.of("foreign") for word in some)
        known = sum(self._is_known(word) and word not in self.words.of("foreign") for word in some)
        few = len(some) < 3 and not foreign
        return not few and known <= FOREIGN_SHARE * len(some) and (foreign > known or known == 0)

    def _trimmed(self, some: tuple[Token, ...], *, tail: bool = True) -> tuple[Token, ...]:
        """Return a sentence without the courtesies before and behind it; at least one word stays."""
        while size := _opening(self._courtesies, some):
            some = some[size:]
        while tail and (size := _opening(self._tails, some[::-1])):
            some = some[:-size]
        return some

    def _without_fillers(self, some: tuple[Token, ...]) -> tuple[Token, ...]:
        found: list[Token] = []
        at = 0
        while at < len(some):
            size = _longest(self._fillers, some, at)
            found += some[at : at + (size == 0)]
            at += size or 1
        return tuple(found) or some

    def _by_first(self, names: tuple[str, ...]) -> Phrases:
        return by_first(tuple(one.word for one in self.words.tokens(name)) for name in names)

    def _masked(self, sentence: str, names: Names) -> tuple[str, ...]:
        kinds = ((self._names_of(names.places), SOMEWHERE), (self._names_of(names.things), SOMETHING))
        return self._masks(self._trimmed(self._said(sentence, names).right, tail=False), kinds)

    def _masks(self, some: tuple[Token, ...], kinds: Sequence[tuple[Phrases, str]]) -> tuple[str, ...]:
        if not kinds:  # as in examples
            return tuple([SOMEBODY if one.word[0] in _NAMED else one.word for one in some])
        found: list[str] = []
        at = 0
        while at < len(some):
            sizes = ((_longest(known, some, at), mask) for known, mask in kinds)
            size, mask = next(((size, mask) for size, mask in sizes if size), (1, some[at].word))
            found.append(SOMEBODY if mask[0] in _NAMED else mask)
            at += size
        return tuple(found)

    def _slots(self, sentence: str, names: Names) -> dict[str, str]:
        """Return what can be found of a sentence that no pattern covers: names in it, and what it is about."""
        bare, some, _ = self._said(sentence, names)
        slots = {"topic": " ".join(self.words.content(bare)) or bare}
        for at, one in enumerate(some):
            if one.word[0] in _NAMED:
                slots.setdefault("person", _owner(bare[one.start : one.end]))
            for slot, known in (("place", names.places), ("thing", names.things)):
                if size := _longest(self._names_of(known), some, at):
                    slots.setdefault(slot, bare[one.start : some[at + size - 1].end])
        return slots


def _match(found: Sequence[Slot], sentence: str, some: Sequence[Token], order: int, intent: Intent) -> _Match:
    """Return what a pattern that fits a reading of a sentence holds in its slots, as said."""
    slots: dict[str, str] = {}
    for slot, first, size in found:
        said = some[first : first + size]
        opens = min(said, key=lambda one: one.start)
        words = sentence[opens.start : max(one.end for one in said)]
        if any(one.start == opens.start for one in (*some[:first], *some[first + size :])):
            words = f"{opens.word}{sentence[opens.end : opens.start + len(words)]}"  # "is" of "who's"
        name = "person" if slot == "who" else slot
        slots["whom" if name == "person" and name in slots else name] = _owner(words) if size == 1 else words
    slots.pop("few", "")
    spare = sum(one.size for one in found)
    named = sum(one.name in ("person", "who") for one in found)
    return _Match(len(some) - spare, -spare, named, order, intent, slots)


def _owner(name: str) -> str:
    return name.removesuffix("'s").removesuffix("’s")


def _opening(phrases: Phrases, some: Sequence[Token]) -> int:
    """Return how many words of a sentence are a phrase at its beginning that leaves a word; 0 for none."""
    size = _longest(phrases, some, 0) if some else 0
    return size if size < len(some) else 0


def _longest(phrases: Phrases, some: Sequence[Token], at: int) -> int:
    """Return how many words of a sentence from a place on are one of the phrases; 0 for none."""
    for phrase in phrases.get(some[at].word, ()):
        if len(phrase) <= len(some) - at and all(some[at + i].word == word for i, word in enumerate(phrase)):
            return len(phrase)
    return 0


def parse_interpreter(files: Mapping[str, str]) -> tuple[Interpreter, list[Problem]]:
    """Read the files of `vault/instinct` by their paths in it, such as `intents/greeting.md`.

    Returns the interpreter without what is wrong, and what is wrong, by file and line.
    """
    named = {
        kind: {f"instinct/{path}": files[path] for path in sorted(files) if path.startswith(f"{kind}/")}
        for kind in ("words", "intents")
    }
    words, wrong_words = _words_of(tuple(named["words"].items()))
    problems = [*wrong_words]
    intents: dict[str, Intent] = {}
    for file, source in named["intents"].items():
        intent, wrong = parse_intent(source, file, words)
        intents[intent.name] = intent
        problems += wrong
    return Interpreter(intents, words), problems


@lru_cache(maxsize=4)
def _words_of(files: tuple[tuple[str, str], ...]) -> tuple[Words, list[Problem]]:
    """Read the files of word lists; the same for the same, so that an edit of an intent leaves the others as read."""
    lists, problems = parse_words(dict(files))
    phrases: dict[str, list[tuple[frozenset[str], Pattern]]] = {}

    def says(name: str, said: Sequence[str]) -> bool:
        have = frozenset(said)
        return any(one.within(said) for needed, one in phrases[name] if not needed.isdisjoint(have))

    words = Words(lists, says)
    for name in SAYS:
        patterns = [Pattern(item, words) for item in lists.get(name, ())]
        phrases[name] = [(min(one.needed, key=len), one) for one in patterns]
    return words, problems
