"""The telling words of a line: crude stems, words that mean much the same, and how much each of them tells.

English only, by small tables and no grammar: good enough to find again what somebody said in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

_STOP_WORDS = """
    a about after again ago all along already also always am an and any anybody anyone anything are aren't as at
    away be because been before being both but by can can't could couldn't dear did didn't do does doesn't done
    don't each either else ever every everybody everyone everything few for from had has have haven't having he
    hello her here hers hey hi him his how i i'd i'll i'm i've if in into is isn't it it's its just let let's long
    many may maybe me might mine more most much must my myself near never no nobody none nor not nothing now of off
    oh ok okay on once one ones only or other our ours out over own perhaps please quite rather really right same
    shall she should since so some somebody someone something somewhere sometimes soon still such sure than thank
    thanks that that's the their theirs them then there there's these they they're this those though through to too
    under until up upon us very was wasn't we we'd we'll we're we've well were weren't what what's whatever when
    where where's whether which while who who's whom whose why will with within without won't would yes yet you
    you'd you'll you're you've your yours yourself
"""
_STOP = frozenset(_STOP_WORDS.split())

_IRREGULAR = {
    word: root
    for root, words in {
        "hide": "hid hidden", "keep": "kept", "leave": "left", "tell": "told", "say": "said", "go": "went gone goes",
        "buy": "bought", "find": "found", "lose": "lost", "give": "gave given", "take": "took taken", "see": "saw seen",
        "make": "made", "build": "built", "sleep": "slept", "break": "broke broken", "write": "wrote written",
        "steal": "stole stolen", "sell": "sold", "meet": "met", "eat": "ate eaten", "drink": "drank drunk",
        "sing": "sang sung", "teach": "taught", "think": "thought", "bring": "brought", "catch": "caught",
        "fall": "fell fallen", "fly": "flew flown", "grow": "grew grown", "know": "knew known", "run": "ran",
        "sit": "sat", "speak": "spoke spoken", "stand": "stood", "swim": "swam swum", "throw": "threw thrown",
        "wear": "wore worn", "win": "won", "come": "came", "begin": "began begun", "hear": "heard", "pay": "paid",
        "forget": "forgot forgotten", "choose": "chose chosen", "child": "children", "man": "men", "woman": "women",
        "foot": "feet", "tooth": "teeth", "mouse": "mice", "bury": "buried", "lie": "lay lain lying", "die": "dying",
        "knife": "knives", "leaf": "leaves", "wife": "wives", "lend": "lent", "send": "sent", "feel": "felt",
    }.items()
    for word in words.split()
}  # fmt: skip

_ALIKE = (
    "hide stash bury conceal put keep leave store stow place lay lie tuck",
    "live dwell reside home lodge sleep",
    "like love favourite favorite enjoy adore prefer fond",
    "hate dislike detest loathe despise",
    "fear afraid scare fright dread",
    "begin start open",
    "end finish stop close",
    "buy purchase",
    "repair mend fix patch",
    "boat ship vessel skiff dinghy",
    "doctor healer physician",
    "father dad papa",
    "mother mum mom mama",
    "marry wedding husband wife spouse",
    "money coin cash",
    "price cost pay fee",
    "job work trade profession occupation craft",
    "old age aged",
    "big large huge great",
    "small little tiny",
    "ill sick unwell",
    "die dead death",
    "arrive come return back",
    "go leave depart",
    "speak talk chat",
    "say tell mention",
    "meet gather assemble meeting",
    "colour color paint",
    "grey gray",
    "path road way street trail",
    "eat food meal dinner supper lunch breakfast",
    "password passphrase code watchword",
    "name call",
    "give gift present",
    "night evening tonight",
    "morning dawn sunrise",
    "noon midday",
    "dog hound puppy",
    "cat kitten",
    "friend companion",
    "steal thief rob theft",
    "sing song tune",
    "story tale",
    "bring carry fetch",
    "want wish need",
    "own belong possess",
    "unlock lock",
)

_WEAK_WORDS = """
    find know remember recall tell say think put hide keep leave place get see look go come make give take want need
    thing person people way time day kind sort name call use mean ask answer talk speak word hear lie lay store
    locate happen remind forget like show exact actual want wish today mind memory sure good fine nice lot bit
"""
_WEAK = frozenset(_WEAK_WORDS.split())

WEAK, STRONG = 0.35, 1.0
"""What a general word such as "find" and a telling one such as "flowerpot" weigh."""


def tokens(text: str) -> list[str]:
    """Return the words of a text in order, lower case."""
    return [found.replace("’", "'") for found in _TOKEN.findall(text.casefold())]


def stem(word: str) -> str:
    """Return a crude stem: irregular forms by table, then the commonest endings cut until none is left."""
    word = word.removesuffix("'s").removesuffix("'")
    word = _IRREGULAR.get(word, word)
    while (shorter := _cut(word)) != word:
        word = shorter
    return word


def _cut(word: str) -> str:
    """Cut one ending off a word that stays at least three letters long."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ss", "eed")):
        return word
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            doubled = ending in ("ing", "ed") and word[-1] == word[-2] and word[-1] not in "lsz"
            return word[:-1] if doubled and len(word) > 3 else word
    return word


# Tables are written as one reads them; compared are stems.
_WEAK_STEMS = frozenset(stem(word) for word in _WEAK)
_GROUPS = tuple(tuple(line.split()) for line in _ALIKE)
_GROUPS_OF: dict[str, frozenset[int]] = {}
for _number, _group in enumerate(_GROUPS):
    for _word in _group:
        _GROUPS_OF[stem(_word)] = _GROUPS_OF.get(stem(_word), frozenset()) | {_number}


def telling(text: str, without: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the words that tell what a text is about, in order, each stem once.

    Args:
        text: the text.
        without: names whose words do not count.
    """
    skip = {stem(word) for name in without for word in tokens(name)}
    found: dict[str, str] = {}
    for word in tokens(text):
        root = stem(word)
        if word not in _STOP and root not in skip and (len(word) > 1 or word.isdigit()):
            found.setdefault(root, word.removesuffix("'s"))
    return tuple(found.values())


def meanings(text: str) -> frozenset[str]:
    """Return everything by which the words of a text can be matched: stems and the groups of words like them."""
    roots = {stem(part) for word in tokens(text) for part in (word, *word.split("-"))}
    return frozenset(roots | {f"~{number}" for root in roots for number in _GROUPS_OF.get(root, ())})


def with_article(name: str) -> str:
    """Return the name of a thing as one speaks of it: "the sundial", but "Old Tom" and "a wax tablet" as they stand."""
    first = name.split(" ", 1)[0]
    return name if first in ("the", "a", "an", "some", "my", "your") or not first.islower() else f"the {name}"


def is_small(word: str) -> bool:
    """Return whether a word only holds a sentence together, such as an article or a pronoun."""
    return word.casefold() in _STOP


def is_weak(word: str) -> bool:
    """Return whether a word is so general that sharing it proves little."""
    return stem(word) in _WEAK_STEMS


def coverage(wanted: Iterable[str], found: frozenset[str]) -> float:
    """Return which share of the wanted words is found, 0 to 1, general words counting for little.

    Args:
        wanted: telling words of a question.
        found: `meanings` of a statement.
    """
    total = matched = 0.0
    sure = False
    general = True
    for word in wanted:
        weight = WEAK if is_weak(word) else STRONG
        hit = stem(word) in found or any(f"~{number}" in found for number in _GROUPS_OF.get(stem(word), ()))
        total += weight
        matched += weight * hit
        general = general and weight == WEAK
        sure = sure or (hit and weight == STRONG)
    if not total or not (sure or (general and matched == total)):
        return 0.0
    return matched / total


def widened(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words and all that mean much the same, for a second look."""
    found: dict[str, None] = {}
    for word in words:
        found[word] = None
        for number in sorted(_GROUPS_OF.get(stem(word), ())):
            found.update(dict.fromkeys(_GROUPS[number]))
    return tuple(found)
