"""What words tell: stems, words of like meaning, confessions of ignorance, secrets. The lists are the vault's."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
WEAK, STRONG, KINDRED = 0.35, 1.0, 0.7
"""What a general word, a telling word, and a word of the same beginning weigh when texts are compared."""
_ENDINGS = ("ing", "ed", "es", "s", "e")
PAIRS = ("short", "irregular")
"""Lists whose items are a word, a colon, and other words."""
PHRASES = ("courtesy", "tail", "ignorant", "secret")
"""Lists whose items are phrases, not single words."""
LISTS = (
    *PAIRS, *PHRASES,
    "stop", "weak", "filler", "alike", "person", "self", "verbal", "speaker", "listener", "known", "foreign",
    "modal", "adverb", "determiner", "subject", "time_head", "time", "always_time", "hour", "place_head",
    "place_word", "colour", "colour_shade", "liking", "disliking", "clause", "name_head", "reason", "kin",
    "opener", "persons", "female", "male", "tell", "corrects", "now", "asked", "polite", "uncertain", "leans",
    "met_death", "met_illness", "met_birth", "met_birthday", "met_love", "met_trouble", "met_fear", "met_luck",
    "met_plan", "vow", "done", "number", "ordinal", "time_link", "implied", "no_more", "aim_lead", "aim_place",
    "aim_person", "aim_thing", "aim_take", "aim_answer", "aim_to", "aim_end", "wh", "restful", "anybody",
)  # fmt: skip
"""Every list of words that the instinct reads by."""


class Token(NamedTuple):
    """A word of a sentence in lower case, contractions written out, and where it stands in the sentence."""

    word: str
    start: int
    end: int


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, without marks."""
    return [found.replace("’", "'") for found in _TOKEN.findall(text.casefold())]


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
        says: returns whether a part of a text, in lower case with a blank behind each word, fits a phrase.
    """

    def __init__(self, lists: Mapping[str, Sequence[str]], says: Callable[[str, str], bool]) -> None:
        self._lists, self._says = lists, says
        self._of: dict[str, frozenset[str]] = {}
        irregular = [item.partition(":")[::2] for item in lists.get("irregular", ())]
        self._irregular = {form: root.strip() for root, forms in irregular for form in forms.split()}
        short = [item.partition(":")[::2] for item in lists.get("short", ())]
        self._short = {word.strip(): long.strip() for word, long in short}
        self.stem = lru_cache(maxsize=1 << 14)(self._stem)
        self.expand = lru_cache(maxsize=1 << 11)(self._expand)
        self.stop = self.of("stop")
        self.weak = frozenset(map(self.stem, self.of("weak")))
        self._groups = tuple(tuple(item.split()) for item in lists.get("alike", ()))
        joined: dict[str, set[int]] = {}
        for number, group in enumerate(self._groups):
            for word in group:
                joined.setdefault(self.stem(word), set()).add(number)
        self._groups_of = {root: frozenset(numbers) for root, numbers in joined.items()}

    def of(self, name: str) -> frozenset[str]:
        """Return the words of a list, empty for one that the vault lacks."""
        if name not in self._of:
            self._of[name] = frozenset(word for item in self._lists.get(name, ()) for word in item.split())
        return self._of[name]

    def phrases(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Return the items of a list of phrases, each as its words, the longest first."""
        return tuple(sorted((tuple(item.split()) for item in self._lists.get(name, ())), key=len, reverse=True))

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every word of the lists, but those of other languages."""
        listed = (
            word for name in sorted(self._lists) if name != "foreign" for word in tokens(" ".join(self._lists[name]))
        )
        return frozenset(listed)

    def tokens(self, sentence: str) -> tuple[Token, ...]:
        """Return the words of a sentence, contractions written out, an owner's `'s` for itself."""
        found: list[Token] = []
        for match in _TOKEN.finditer(sentence):
            word = match[0].casefold().replace("’", "'")
            bare = word.removesuffix("'s")
            parts = self._short.get(word, bare).split() + ["'s"] * (bare != word and word not in self._short)
            found.extend(Token(part, *match.span()) for part in parts)
        return tuple(found)

    def _stem(self, word: str) -> str:
        """Return a crude stem: irregular forms by list, then the commonest endings cut until none is left."""
        bare = word.casefold().removesuffix("'s").removesuffix("'")
        return cut(self._irregular.get(bare, bare))

    def groups(self, stem: str) -> frozenset[int]:
        """Return the numbers of the groups of words of like meaning that a stem belongs to."""
        return self._groups_of.get(stem, frozenset())

    def _expand(self, text: str) -> str:
        """Return a text with its contractions and short forms written out."""
        return _TOKEN.sub(lambda found: self._short.get(found[0].casefold().replace("’", "'"), found[0]), text)

    def content(self, text: str) -> tuple[str, ...]:
        """Return the words that tell what a text is about, in order, each stem once."""
        found: dict[str, str] = {}
        for word in tokens(self.expand(text)):
            if word not in self.stop and (len(word) > 1 or word.isdigit()):
                found.setdefault(self.stem(word), word.removesuffix("'s"))
        return tuple(found.values())

    def coverage(self, wanted: Iterable[str], text: str) -> float:
        """Return the share of the wanted words that a text holds, 0 to 1; general words count little."""
        have = {self.stem(part) for word in tokens(text) for part in (word, *word.split("-"))}
        groups = {number for root in have for number in self.groups(root)}
        total = matched = 0.0
        sure, general = False, True
        for root in map(self.stem, wanted):
            weak = root in self.weak
            weight = WEAK if weak else STRONG
            hit = 1.0 if root in have or self.groups(root) & groups else KINDRED if _kindred(root, have) else 0.0
            total, matched = total + weight, matched + weight * hit
            general, sure = general and weak, sure or (hit > 0 and not weak)
        return matched / total if total and (sure or (general and matched == total)) else 0.0

    def widened(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return words and all that mean much the same, for a second search."""
        found: dict[str, None] = {}
        for word in words:
            root = self.stem(word)
            found[word] = None
            found.update(dict.fromkeys(form for form, base in self._irregular.items() if base == root))
            for number in sorted(self.groups(root)):
                found.update(dict.fromkeys(self._groups[number]))
        return tuple(found)

    def is_ignorant(self, text: str) -> bool:
        """Return whether a text confesses that its speaker does not know."""
        return self._says("ignorant", text)

    def is_secret(self, text: str) -> bool:
        """Return whether a text asks not to be passed on."""
        return self._says("secret", text)


def _kindred(root: str, have: Iterable[str]) -> bool:
    """Return whether a stem is the beginning of another that is not much longer, or the other way round."""
    return len(root) >= 4 and any(
        len(other) >= 4 and abs(len(other) - len(root)) <= 5 and (other.startswith(root) or root.startswith(other))
        for other in have
    )


def one_edit(one: str, other: str) -> bool:
    """Return whether two words differ by one letter added, left out or changed, or two neighbours changed about."""
    short, long = sorted((one, other), key=len)
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) != len(long):
        return len(long) - len(short) == 1 and short[same:] == long[same + 1 :]
    swapped = short[same + 1 : same + 2] + short[same : same + 1] + short[same + 2 :]
    return short[same + 1 :] == long[same + 1 :] or swapped == long[same:]


class Misspellings:
    """Finds the word that was meant by one nobody knows, within one letter.

    Args:
        meant: the words that may be meant.
    """

    def __init__(self, meant: Collection[str]) -> None:
        self._by_part: dict[str, list[str]] = {}
        for word in sorted(meant):
            for part in _parts(word):
                self._by_part.setdefault(part, []).append(word)

    def meant(self, word: str) -> str:
        """Return the word that was meant, or the word itself where it is too short or none is near."""
        near = {other for part in _parts(word) for other in self._by_part.get(part, ()) if one_edit(word, other)}
        if len(word) < 4:
            near = {other for other in near if len(other) == len(word) and sorted(other) == sorted(word)}
        return min(near, key=lambda other: (sorted(other) != sorted(word), other[0] != word[0], other), default=word)


def _parts(word: str) -> set[str]:
    """Return a word and what stays of it when any one letter is left out; words within one letter share one."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))} if len(word) > 2 else set()
