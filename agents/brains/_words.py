"""What words tell: stems, words that mean much the same, names, secrets, and "I don't know".

English only, by small tables and no grammar: good enough to find again what somebody said in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from agents.memory.entries import Entry
from agents.memory.perception import reads_as_whisper

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
    ha haha hmm hm mm wow aha oops yep nope yeah alas
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
        "dream": "dreamt", "marry": "married", "knit": "knitted", "drown": "drowned", "burn": "burnt",
        "mend": "mended", "lead": "led", "hold": "held", "hang": "hung", "draw": "drew drawn", "ride": "rode ridden",
        "drive": "drove driven", "hurt": "hurts", "set": "sets", "wolf": "wolves", "thief": "thieves",
        "shelf": "shelves", "get": "got gotten", "blow": "blew blown", "bite": "bit bitten", "fight": "fought",
    }.items()
    for word in words.split()
}  # fmt: skip

_FORMS_OF: dict[str, tuple[str, ...]] = {}
for _form, _root in _IRREGULAR.items():
    _FORMS_OF[_root] = (*_FORMS_OF.get(_root, (_root,)), _form)

_WEAK_WORDS = """
    find know remember recall tell say think put hide keep leave place get see look go come make give take want need
    thing person people way time day kind sort name call use mean ask answer talk speak word hear lie lay store
    locate happen remind forget like show exact actual want wish today first last mind memory sure good fine nice
    lot bit
"""
_ALIKE = """
    hide stash bury conceal put keep leave store stow place lay lie tuck /
    live dwell reside home lodge sleep stay house move / like love favourite favorite enjoy adore prefer fond /
    hate dislike detest loathe despise / fear afraid scare fright dread terrify / begin start open /
    end finish stop close shut / buy purchase own / repair mend fix patch restore /
    boat ship vessel skiff dinghy ferry barge / doctor healer physician surgeon / dentist teeth tooth /
    father dad papa / mother mum mom mama / child kid baby infant / child son boy / child daughter girl /
    parent father mother / sibling brother sister / marry wedding husband wife spouse bride groom /
    money coin cash saving fortune / price cost pay fee charge worth / owe debt borrow lend loan /
    job work trade profession occupation craft living employ earn / old age aged ancient / big large huge great size /
    small little tiny / ill sick unwell disease suffer / die dead death pass perish drown kill /
    arrive come return back reach / go leave depart travel journey sail / speak talk chat / say tell mention /
    meet gather assemble meeting / path road way street trail lane /
    eat food meal dinner supper lunch breakfast dish feed taste / drink beverage wine beer ale tea /
    password passphrase code watchword / give gift present / night evening tonight / dawn sunrise morning /
    noon midday / dog hound puppy / cat kitten / horse mare pony stallion / friend companion mate / enemy foe rival /
    steal thief rob theft burglar / sing song tune choir /
    music instrument violin cello flute piano fiddle drum harp trumpet guitar lute / story tale legend /
    bring carry fetch / want wish need desire / lack miss lose need / belong possess own whose / unlock lock /
    make build create construct knit sew carve / break crack smash shatter split damage destroy wrong /
    burn fire flame blaze / cloth wear coat dress scarf hat shirt / fish carp trout eel pike salmon /
    bird heron owl swift swan duck goose / flower tulip rose lily daisy / tree oak elm yew walnut birch willow pine /
    stair step staircase / cellar basement vault / attic loft garret / shop store market bakery /
    inn tavern pub hotel guesthouse / room chamber / teach teacher schoolteacher school tutor / learn study /
    search seek hunt / see spot notice glimpse / late delay tardy / early soon / country land nation /
    town city village / born birth birthday birthplace / hurt wound injure break wrist /
    angry cross furious quarrel argue row fight / glad happy merry / cry weep / laugh smile / garden bed orchard /
    river stream brook canal / lake pond pool / sea ocean / rain wet storm / snow frost ice / key latch /
    letter note message post mail / book volume novel / paint picture portrait canvas drawing /
    jewel ring necklace gem ruby diamond / gold golden gilt / rich wealthy / poor needy /
    king queen prince princess duke / priest vicar parson monk / soldier guard watchman / invent discover devise /
    throw toss fling cast / fall drop tumble / run flee escape / catch take capture grab / allergic poison /
    secret hidden / clever wise / strange odd special peculiar unusual / true real / full complete / empty bare /
    clean wash / hot warm heat / cold cool chilly / quick fast swift / slow sluggish / nice kind pleasant /
    mad crazy insane / blind eye / lame limp leg / deaf ear / visit guest visitor / neighbour neighbor / wait await /
    promise swear vow pledge oath / forbid ban / allow let permit / sail captain crew / ghost spirit haunt /
    murder kill slay
"""
"""Groups of words that mean much the same. What a group joins is a hint, never a proof."""

WEAK, STRONG = 0.35, 1.0
"""What a general word such as "find" and a telling one such as "flowerpot" weigh."""
KINDRED = 0.7
"""How much a word of the same beginning counts, such as postman for post."""


def tokens(text: str) -> list[str]:
    return [found.replace("’", "'") for found in _TOKEN.findall(text.casefold())]


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Return a crude stem: irregular forms by table, then the commonest endings cut until none is left."""
    word = word.removesuffix("'s").removesuffix("'")
    word = _IRREGULAR.get(word, word)
    while (shorter := _cut(word)) != word:
        word = shorter
    return word


def _cut(word: str) -> str:
    # What stays has at least three letters.
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
_WEAK_STEMS = frozenset(stem(word) for word in _WEAK_WORDS.split())
_GROUPS = tuple(tuple(group.split()) for group in _ALIKE.split("/"))
_GROUPS_OF: dict[str, frozenset[int]] = {}
for _number, _group in enumerate(_GROUPS):
    for _word in _group:
        _GROUPS_OF[stem(_word)] = _GROUPS_OF.get(stem(_word), frozenset()) | {_number}


def telling(text: str, without: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the words that tell what a text is about, in order, each stem once; not the words of names `without`."""
    skip = _roots(tuple(without))
    return tuple(word for root, word in _by_root(text).items() if root not in skip)


@lru_cache(maxsize=1 << 12)
def _by_root(text: str) -> Mapping[str, str]:
    """Return the telling words of a text by their stems; the same line is looked at for one name after another."""
    found: dict[str, str] = {}
    for word in tokens(text):
        if word not in _STOP and (len(word) > 1 or word.isdigit()):
            found.setdefault(stem(word), word.removesuffix("'s"))
    return found


@lru_cache(maxsize=1 << 12)
def _roots(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(stem(word) for name in names for word in tokens(name))


@lru_cache(maxsize=1 << 12)
def meanings(text: str) -> frozenset[str]:
    """Return everything by which the words of a text can be matched: stems and the groups of words like them."""
    roots = {stem(part) for word in tokens(text) for part in (word, *word.split("-"))}
    return frozenset(roots | {f"~{number}" for root in roots for number in _GROUPS_OF.get(root, ())})


_NAME = re.compile(r"(?<![.!?…:\"“'‘])(?<!^)\s(?:(?:Mr|Mrs|Ms|Dr|Miss|Old)\.? )?([A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\w-]+)")


def names_in(text: str, without: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the words of a sentence that stand as names: capitals within it that only a name explains."""
    skip = {word for name in without for word in tokens(name)}
    found = (name.removesuffix("'s").removesuffix("’s") for name in _NAME.findall(f" {text}"[1:]))
    return tuple(dict.fromkeys(name for name in found if name.casefold() not in _STOP | skip))


def with_article(name: str) -> str:
    """Return the name of a thing as one speaks of it: "the sundial", but "Old Tom" and "a wax tablet" as they stand."""
    first = name.split(" ", 1)[0]
    return name if first in ("the", "a", "an", "some", "my", "your") or not first.islower() else f"the {name}"


def is_small(word: str) -> bool:
    """Return whether a word only holds a sentence together, such as an article or a pronoun."""
    return word.casefold() in _STOP


def is_weak(word: str) -> bool:
    """Return whether a word is so general that sharing it proves little."""
    return stem(word.casefold()) in _WEAK_STEMS


def coverage(wanted: Iterable[str], found: frozenset[str]) -> float:
    """Return the share of telling words in the `meanings` of a statement, 0 to 1; general words count little."""
    total = matched = 0.0
    sure = False
    general = True
    for word in wanted:
        root = stem(word.casefold())
        weight = WEAK if is_weak(word) else STRONG
        alike = any(f"~{number}" in found for number in _GROUPS_OF.get(root, ()))
        hit = 1.0 if root in found or alike else KINDRED if _is_kindred(root, found) else 0.0
        total += weight
        matched += weight * hit
        general = general and weight == WEAK
        sure = sure or (hit > 0 and weight == STRONG)
    if not total or not (sure or (general and matched == total)):
        return 0.0
    return matched / total


def _is_kindred(root: str, found: frozenset[str]) -> bool:
    alike = [other for other in found if len(root) >= 4 and other.startswith(root[:4])]  # which most are not
    near = (other for other in alike if abs(len(other) - len(root)) <= 5)
    return any(other.startswith(root) or root.startswith(other) for other in near)


def widened(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words and all that mean much the same, for a second look."""
    found: dict[str, None] = {}
    for word in words:
        found[word] = None
        found.update(dict.fromkeys(_FORMS_OF.get(stem(word), ())))
        for number in sorted(_GROUPS_OF.get(stem(word), ())):
            found.update(dict.fromkeys(_GROUPS[number]))
    return tuple(found)


# ---- what a line gives away about itself ----

_IGNORANT = re.compile(
    r"\b(?:don't|don’t|do not|doesn't|does not|didn't|did not|never|can't|cannot|couldn't|could not|won't|nobody)\s+"
    r"(?:\w+\s+){0,2}(?:know|knew|knows|remember|recall|say|tell|told|heard|find|found|learned|come|came|"
    r"crossed|reached)\b"
    r"|\bno idea\b|\bnot sure\b|\bi wonder\b|\bnothing (?:about|of|on|in me)\b|\b(?:is|are|it's) (?:news|new) to me\b"
    r"|\bknow nothing\b|\bnone the wiser\b|\bno (?:word|memory|record|answer|recollection)\b",
    re.I,
)
_SECRET = re.compile(
    r"\b(?:secret|between (?:us|you and me|ourselves)|confid\w+|nobody (?:else )?(?:must|may|should) know|"
    r"to yourself|(?:don't|do not|never|mustn't|must not|not to) (?:ever )?(?:tell|say|mention|repeat)|"
    r"tell (?:no ?body|no ?one))\b",
    re.I,
)


def is_secret(entry: Entry) -> bool:
    """Return whether a memory is not for everybody's ears: whispered, or told with the wish to keep it."""
    if entry.kind == "told" and not is_known(entry):
        return True
    return entry.kind in ("heard", "told") and is_secret_words(entry.text)


def is_known(entry: Entry) -> bool:
    """Return whether a memory was written for this life by a person; nobody in the world told it, nor whispered."""
    return entry.kind == "told" and entry.actor is None and not reads_as_whisper(entry.text)


def is_secret_words(words: str) -> bool:
    return _SECRET.search(words) is not None


def is_ignorant(words: str) -> bool:
    """Return whether a sentence only says that its speaker does not know."""
    return _IGNORANT.search(_SECRET.sub("", words)) is not None  # "don't tell" is no lack of knowledge
