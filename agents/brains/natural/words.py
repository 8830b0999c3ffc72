"""What words tell: stems, words of like meaning, confessions of ignorance, secrets. The lists are the vault's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
WEAK, STRONG, KINDRED = 0.35, 1.0, 0.7
"""What a general word, a telling word, and a word of the same beginning weigh when texts are compared."""
_ENDINGS = ("ing", "ed", "es", "s", "e")


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
        lists: the items of each list by its name: stop, weak, filler, courtesy, short, irregular, alike, ignorant,
            secret. An item of `short` and `irregular` reads `form: words`, one of `alike` is a group of words.
    """

    def __init__(self, lists: Mapping[str, Sequence[str]]) -> None:
        def flat(name: str) -> frozenset[str]:
            return frozenset(word for item in lists.get(name, ()) for word in item.split())

        self.of = lru_cache(maxsize=None)(flat)
        """Gives the words of a list by its name; answers have lists of their own in `words/parts.md`."""
        pairs = [item.partition(":")[::2] for item in lists.get("irregular", ())]
        self._irregular = {form: root.strip() for root, forms in pairs for form in forms.split()}
        self._short = {key.strip(): long.strip() for key, _, long in (i.partition(":") for i in lists.get("short", ()))}
        self.stem = lru_cache(maxsize=1 << 14)(self._stem)
        self.stop = flat("stop")
        self.weak = frozenset(map(self.stem, flat("weak")))
        self._groups = tuple(tuple(item.split()) for item in lists.get("alike", ()))
        joined: dict[str, set[int]] = {}
        for number, group in enumerate(self._groups):
            for word in group:
                joined.setdefault(self.stem(word), set()).add(number)
        self._groups_of = {root: frozenset(numbers) for root, numbers in joined.items()}
        self._ignorant, self._secret = tuple(lists.get("ignorant", ())), tuple(lists.get("secret", ()))

    def _stem(self, word: str) -> str:
        """Return a crude stem: irregular forms by list, then the commonest endings cut until none is left."""
        bare = word.casefold().removesuffix("'s").removesuffix("'")
        return cut(self._irregular.get(bare, bare))

    def groups(self, stem: str) -> frozenset[int]:
        """Return the numbers of the groups of words of like meaning that a stem belongs to."""
        return self._groups_of.get(stem, frozenset())

    def expand(self, text: str) -> str:
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
        return _says(self.expand(text), self._ignorant)

    def is_secret(self, text: str) -> bool:
        """Return whether a text asks not to be passed on."""
        return _says(self.expand(text), self._secret)


def _says(text: str, phrases: Iterable[str]) -> bool:
    plain = f" {' '.join(tokens(text))} "
    return any(f" {phrase} " in plain for phrase in phrases)


def _kindred(root: str, have: Iterable[str]) -> bool:
    """Return whether a stem is the beginning of another that is not much longer, or the other way round."""
    return len(root) >= 4 and any(
        len(other) >= 4 and abs(len(other) - len(root)) <= 5 and (other.startswith(root) or root.startswith(other))
        for other in have
    )
