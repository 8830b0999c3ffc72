"""What words tell: stems, words of like meaning, confessions of ignorance, secrets. The lists are the vault's."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
WEAK, STRONG, KINDRED = 0.35, 1.0, 0.7
"""What a general word, a telling word, and a word of the same beginning weigh when texts are compared."""
HEARD = 1 << 14
"""Texts of which is kept what was read in them, as a thousand minds recall some hundred each, many the same.

With fewer, each thought of a crowd would read what it recalls anew.
"""
_ENDINGS = ("ing", "ed", "es", "s", "e")
PAIRS = ("short", "irregular")
"""Lists whose items are a word, a colon, and other words."""
SAYS = ("ignorant", "secret", "bye", "night", "thanks", "hello")
"""Lists whose items are phrases of the notation, which a text may hold."""
PHRASES = ("courtesy", "tail", "aside", "asking", "dying", "illness", *SAYS)
"""Lists whose items are phrases, not single words."""
LISTS = (
    *PAIRS, *PHRASES,
    "stop", "weak", "filler", "whether", "article", "homonym", "auxiliary", "alike", "person", "self", "verbal",
    "speaker", "listener", "known", "foreign",
    "modal", "adverb", "determiner", "subject", "time_head", "time", "always_time", "dated", "hour", "place_head",
    "place_word", "colour", "colour_shade", "liking", "disliking", "clause", "name_head", "reason", "kin",
    "opener", "persons", "female", "male", "tell", "corrects", "now", "asked", "polite", "uncertain", "leans",
    "met_death", "met_illness", "met_birth", "met_birthday", "met_love", "met_trouble", "met_fear", "met_luck",
    "met_plan", "vow", "done", "number", "ordinal", "time_link", "implied", "no_more", "denial", "aim_place",
    "aim_person", "aim_thing", "aim_take", "aim_answer", "aim_to", "aim_end", "wh", "restful", "anybody",
    "praised", "insulting",
)  # fmt: skip
"""Every list of words that the instinct reads by."""


Phrases = Mapping[str, Sequence[tuple[str, ...]]]
"""Phrases by their first word, the longest first."""


class Token(NamedTuple):
    """A word of a sentence in lower case, contractions written out, and where it stands in the sentence."""

    word: str
    start: int
    end: int


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, without marks."""
    return list(_words(text))


@lru_cache(maxsize=HEARD)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text.casefold().replace("’", "'")))


def cut(word: str) -> str:
    """Return a word without the commonest endings; what stays has at least three letters."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ss", "eed")):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            bare = word.removesuffix(ending)
            doubled = ending in ("ing", "ed") and bare[-1] == bare[-2] and bare[-1] not in "lsz" and len(bare) > 3
            return cut(bare[:-1] if doubled else bare)
    return word


class Words:
    """The word lists of the vault, immutable.

    Args:
        lists: the items of each list by its name, one of `LISTS`. An item of `short` and `irregular` reads
            `word: others`, one of `alike` is a group of words; the items of most others are words.
        says: returns whether a part of some words fits a phrase of a list.
    """

    def __init__(self, lists: Mapping[str, Sequence[str]], says: Callable[[str, Sequence[str]], bool]) -> None:
        self._lists, self._says = lists, says
        pairs = {name: [item.partition(":")[::2] for item in lists.get(name, ())] for name in PAIRS}
        self._irregular = {form: root.strip() for root, forms in pairs["irregular"] for form in forms.split()}
        self._short = {word.strip(): tuple(long.split()) for word, long in pairs["short"]}
        self._endings = [(word[1:], long) for word, long in self._short.items() if word.startswith("-")]
        self.of = lru_cache(maxsize=len(LISTS))(self._of)
        self.stem = lru_cache(maxsize=1 << 14)(self._stem)
        self.parts = lru_cache(maxsize=1 << 13)(self._parts)
        self.content = lru_cache(maxsize=HEARD)(self._content)
        self.said = lru_cache(maxsize=HEARD)(self._words_of)
        self.tokens = lru_cache(maxsize=HEARD)(self._tokens)
        self._held_in = lru_cache(maxsize=HEARD)(self._stems_of)
        self.stop = self.of("stop")
        self.weak = frozenset(map(self.stem, self.of("weak")))
        self._groups = tuple(tuple(item.split()) for item in lists.get("alike", ()))
        self._groups_of: dict[str, set[int]] = {}
        """The numbers of the groups of words of like meaning that a stem belongs to."""
        for number, group in enumerate(self._groups):
            for word in group:
                self._groups_of.setdefault(self.stem(word), set()).add(number)

    def _of(self, name: str) -> frozenset[str]:
        """Return the words of a list, empty for one that the vault lacks."""
        return frozenset(word for item in self._lists.get(name, ()) for word in item.split())

    def items(self, name: str) -> Sequence[tuple[str, ...]]:
        """Return the items of a list, each as its words; those of a list of words have one."""
        if name in PHRASES:
            return [tuple(item.split()) for item in self._lists.get(name, ())]
        return [(word,) for word in sorted(self.of(name))]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of the lists, but those of other languages and of kinds of things."""
        listed = (" ".join(self._lists[name]) for name in sorted(self._lists) if name not in ("foreign", "implied"))
        return frozenset(word for text in listed for word in tokens(text))

    def _tokens(self, sentence: str) -> tuple[Token, ...]:
        """Return the words of a sentence, contractions written out, an owner's `'s` for itself."""
        return tuple(
            [
                Token(part, *match.span())
                for match in _TOKEN.finditer(sentence)
                for part in self.parts(match[0].casefold().replace("’", "'"))
            ]
        )

    def _words_of(self, text: str) -> tuple[str, ...]:
        """Return the words of a text as `tokens` does, without where they stand."""
        return tuple([part for word in tokens(text) for part in self.parts(word)])

    def spelled(self, text: str) -> str:
        """Return a text with short forms that lack their mark written out: "im" is "I am"."""

        def written(found: re.Match[str]) -> str:
            word = found[0]
            if word == "i" or word.startswith(("i'", "i’")):
                return f"I{word[1:]}"
            long = self._short.get(word, ()) if word.isalpha() else ()
            return " ".join(["I" if one == "i" else one for one in long]) if len(long) > 1 else word

        return _TOKEN.sub(written, text)

    def _parts(self, word: str) -> tuple[str, ...]:
        """Return what a contraction or short form stands for; a word that is none is itself."""
        if word in self._short:
            return self._short[word]
        for ending, long in self._endings:
            if len(word) > len(ending) and word.endswith(ending):
                return (*self.parts(word.removesuffix(ending)), *long)
        return (word.removesuffix("'s"), "'s") if word.endswith("'s") and len(word) > 2 else (word,)

    def _stem(self, word: str) -> str:
        """Return a crude stem: irregular forms by list, then the commonest endings cut until none is left."""
        bare = word.casefold().removesuffix("'s").removesuffix("'")
        return cut(self._irregular.get(bare, bare))

    def _content(self, text: str) -> tuple[str, ...]:
        """Return the words that tell what a text is about, in order, each stem once."""
        found: dict[str, str] = {}
        before = ""
        for word in self.said(text):
            small = word in self.stop and not (word in self.of("homonym") and before in self.of("article"))
            if not small and word != "'s" and (len(word) > 1 or word.isdigit()):
                found.setdefault(self.stem(word), word)
            before = word
        return tuple(found.values())

    def _stems_of(self, text: str) -> tuple[frozenset[str], frozenset[int], frozenset[str]]:
        """Return the stems of a text, the numbers of the groups that they belong to, and their beginnings."""
        said = _words(text)
        parts = [part for word in said if "-" in word for part in word.split("-")]
        have = frozenset(map(self.stem, (*said, *parts)))
        groups = frozenset[int]().union(*[self._groups_of[root] for root in have if root in self._groups_of])
        return have, groups, frozenset[str]().union(*map(_beginnings, have))

    def coverage(self, wanted: Iterable[str], *texts: str) -> float:
        """Return the share of the wanted words that some texts hold together, 0 to 1; general words count little."""
        held = [self._held_in(text) for text in texts if text]
        total = matched = 0.0
        sure, general = False, True
        for root in map(self.stem, wanted):
            weak = root in self.weak
            weight = WEAK if weak else STRONG
            hit = self._hit(root, held)
            total, matched = total + weight, matched + weight * hit
            general, sure = general and weak, sure or (hit > 0 and not weak)
        return matched / total if total and (sure or (general and matched == total)) else 0.0

    def _hit(self, root: str, held: Sequence[tuple[frozenset[str], frozenset[int], frozenset[str]]]) -> float:
        """Return how surely texts hold a stem: itself or one that means the same, else a kindred one."""
        groups, hit = self._groups_of.get(root, ()), 0.0
        for have, among, begun in held:
            if root in have or not among.isdisjoint(groups):
                return 1.0
            if root in begun or not have.isdisjoint(_beginnings(root)):
                hit = KINDRED
        return hit

    def widened(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return words and all that mean much the same, for a second search."""
        found: dict[str, None] = {}
        for word in words:
            root = self.stem(word)
            found[word] = None
            found.update(dict.fromkeys(form for form, base in self._irregular.items() if base == root))
            for number in sorted(self._groups_of.get(root, ())):
                found.update(dict.fromkeys(self._groups[number]))
        return tuple(found)

    def says(self, name: str, text: str) -> bool:
        """Return whether a text holds a phrase of one of the lists in `SAYS`."""
        return self._says(name, self.said(text))

    def is_ignorant(self, text: str) -> bool:
        """Return whether a text confesses that its speaker does not know."""
        return self.says("ignorant", text)

    def is_secret(self, text: str) -> bool:
        """Return whether a text asks not to be passed on."""
        return self.says("secret", text)


@lru_cache(maxsize=1 << 14)
def _beginnings(root: str) -> tuple[str, ...]:
    """Return the beginnings of a stem that are kindred to it: with at least four letters, and not much shorter."""
    return tuple(root[:end] for end in range(max(4, len(root) - 5), len(root) + 1))


def by_first(phrases: Iterable[tuple[str, ...]]) -> Phrases:
    """Return phrases by their first word, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(filter(None, phrases), key=len, reverse=True):
        found.setdefault(phrase[0], []).append(phrase)
    return found


def right_word(word: str, meant: Collection[str], letters: str) -> str:
    """Return the word that was meant by one that nobody knows, within one letter; without any, the word itself.

    Args:
        word: the word; in one of three letters only neighbours may have changed about.
        meant: the words that may be meant.
        letters: those that words are written with.
    """
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    near = {f"{a}{b[1]}{b[0]}{b[2:]}" for a, b in cuts if len(b) > 1}
    if len(word) > 3:
        near |= {f"{a}{b[1:]}" for a, b in cuts}
        near |= {f"{a}{letter}{b[skip:]}" for a, b in cuts for letter in letters for skip in (0, 1)}
    found = [other for other in near if other in meant] if len(word) > 2 else []
    return min(found, key=lambda other: (sorted(other) != sorted(word), other[0] != word[0], other), default=word)
