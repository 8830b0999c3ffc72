"""English grammar by tables: verb forms, and sentences about a person turned into "I" or "you".

Where it is unclear who `his` or `them` is, there is no result rather than a wrong sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from agents.text.english import mentions, word_set

_YOUR_VERBS = {
    "is": "are", "am": "are", "was": "were", "has": "have", "does": "do", "focuses": "focus", "quizzes": "quiz",
}  # fmt: skip
_WITH_S_ALONE = word_set("unties belies underlies tiptoes toes hoes shoes aches caches axes")
"""Verbs that only lose their s, although they end like `carries`, `goes`, `reaches` and `mixes`."""
_PAST = {
    word: past
    for past, bases in {
        "was": "am are is were", "had": "have has", "did": "do does", "could": "can", "could not": "cannot",
        "said": "say", "told": "tell", "went": "go", "came": "come", "became": "become", "saw": "see",
        "heard": "hear", "felt": "feel", "thought": "think", "knew": "know", "found": "find", "lost": "lose",
        "took": "take", "gave": "give", "got": "get", "forgot": "forget", "kept": "keep", "slept": "sleep",
        "left": "leave", "made": "make", "met": "meet", "read": "read", "put": "put", "set": "set",
        "let": "let", "cut": "cut", "hit": "hit", "shut": "shut", "sat": "sit", "stood": "stand",
        "understood": "understand", "held": "hold", "sold": "sell", "bought": "buy", "brought": "bring",
        "caught": "catch", "taught": "teach", "fought": "fight", "sought": "seek", "ran": "run", "sang": "sing",
        "rang": "ring", "drank": "drink", "swam": "swim", "began": "begin", "ate": "eat", "fell": "fall",
        "grew": "grow", "drew": "draw", "threw": "throw", "blew": "blow", "flew": "fly", "wrote": "write",
        "rode": "ride", "drove": "drive", "rose": "rise", "woke": "wake", "broke": "break", "spoke": "speak",
        "stole": "steal", "chose": "choose", "wore": "wear", "swore": "swear", "tore": "tear", "hid": "hide",
        "bit": "bite", "lit": "light", "slid": "slide", "won": "win", "hung": "hang", "dug": "dig",
        "stuck": "stick", "struck": "strike", "swung": "swing", "spun": "spin", "paid": "pay", "laid": "lay",
        "lay": "lie", "sent": "send", "spent": "spend", "lent": "lend", "built": "build", "bent": "bend",
        "meant": "mean", "dreamed": "dream", "led": "lead", "fed": "feed", "fled": "flee", "shook": "shake",
        "forgave": "forgive", "wept": "weep", "swept": "sweep", "crept": "creep", "leapt": "leap",
        "knelt": "kneel", "shone": "shine", "shot": "shoot", "wound": "wind", "opened": "open",
        "offered": "offer", "answered": "answer", "wandered": "wander", "whispered": "whisper",
        "wondered": "wonder", "listened": "listen", "entered": "enter", "visited": "visit",
        "remembered": "remember", "murmured": "murmur", "muttered": "mutter", "happened": "happen",
        "gathered": "gather", "noticed": "notice", "lingered": "linger", "hurt": "hurt", "must": "must",
        "might": "may", "would": "will", "should": "should", "strode": "stride", "sank": "sink", "sprang": "spring",
        "stung": "sting", "clung": "cling", "flung": "fling", "wrung": "wring", "bound": "bind", "ground": "grind",
        "wove": "weave", "froze": "freeze", "dealt": "deal", "burst": "burst", "cast": "cast", "split": "split",
        "quit": "quit", "beat": "beat", "bet": "bet", "thrust": "thrust", "shed": "shed", "spread": "spread",
        "bore": "bear", "shrank": "shrink", "sped": "speed", "spat": "spit", "withdrew": "withdraw",
        "arose": "arise", "awoke": "awake", "overheard": "overhear", "forbade": "forbid", "undid": "undo",
        "bled": "bleed", "bred": "breed", "admitted": "admit", "permitted": "permit", "referred": "refer",
        "preferred": "prefer", "regretted": "regret", "occurred": "occur", "patted": "pat",
    }.items()
    for word in bases.split()
}  # fmt: skip
_NEXT = re.compile(r"(?:,|;| and| but| or)(?: and| but| then| or)* (?:[a-z]+ly )?([a-z]+s)\b(?!['’])")
_HAS_OBJECT = re.compile(
    r" (?:a|an|the|his|her|its|their|my|your|our|me|you|him|them|it|himself|herself|itself|he|she|that|again|everything"
    r"|nothing|something|somebody|nobody|[a-z]+ly)\b"
)
_ALONE = re.compile(
    r"$|[.,;:!?]| (?:at|to|with|from|in|on|off|out|up|down|by|for|about|over|back|away|again|[a-z]+ly)\b"
)
_PASTS = frozenset(_PAST.values())
NO_VERBS = word_set(
    """always perhaps sometimes upstairs downstairs outdoors indoors overseas nowadays afterwards backwards forwards
    upwards downwards inwards outwards towards besides thus as plus versus unless across this his its us less
    yes all both has's others ones themselves ourselves"""
)
_GESTURES = frozenset(
    ("looks", "nods", "bows", "waits", "frowns", "smiles", "glances", "stares", "listens", "shrugs", "laughs")
)
"""Verbs that are hardly ever a noun after `and` when no object follows."""
_OF_THE_BODY = frozenset(("hands", "arms", "eyes", "fingers", "elbows", "shoulders", "knees", "brows", "palms"))
"""Verbs only with an object: `hands him the key`, but not `hands behind her back`."""

_QUOTES = re.compile(r'("[^"]*"|“[^“”]*”)')
_VERB = re.compile(r"((?:[a-z]+ly )?)([a-z]+)\b(?!['’])")
_THEY = re.compile(r"\b(?:they|them|their|theirs|themselves)\b", re.IGNORECASE)
_THEM = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"\b(?:he|she|they)\b", re.IGNORECASE)
_DOES = re.compile(r"\b(?:he|she) ([a-z]+)\b(?!['’])", re.IGNORECASE)
_HER = re.compile(
    r"\bher(?=$|[.,;:!?)]| (?:a|an|the|some|to|and|or|by|with|from|at|in|on|for|of|as|what|how|go|come|so|then)\b)"
)
_MINE = {"himself": "myself", "herself": "myself", "hers": "mine", "his": "my", "her": "my", "him": "me"}
_YOURS = {"himself": "yourself", "herself": "yourself", "hers": "yours", "his": "your", "her": "your"}
_NAMED = re.compile(r"(?<= )(?!(?:I|He|She|His|Her)\b)[^\W\d_a-z]\w+")
_OBJECT = (
    r"(?=$|[.,;:!?)—–-]| (?:a|an|the|his|her|its|their|my|our|some|any|another|one|two|three|that|this|to|at|in|on|with"
    r"|from|by|for|about|of|as|before|after|behind|again|then|and|but|or|while|when|how|what|where|who|why|if|whether"
    r"|through|into|over|under|across|into|off|out|up|down|back|away|aside|closely|quickly|slowly)\b)"
)


def split_quotes(text: str) -> list[str]:
    """Split a text into unquoted parts (even indexes) and quotations (odd indexes)."""
    return _QUOTES.split(text)


@lru_cache(maxsize=4096)
def first_person(sentence: str, name: str) -> str:
    """Turn `Ada lifts her lamp` into `I lifted my lamp`; a sentence without the name stays, an unclear one gives ""."""
    if name not in sentence or not name:
        return sentence
    if sentence.startswith(f"{name} "):
        sentence = _done(sentence[len(name) + 1 :])
    parts = split_quotes(sentence)
    if _is_unclear('""'.join(parts[::2]), name):
        return ""
    told = "".join(part if at % 2 else _with_me(part, name) for at, part in enumerate(parts))
    if sentence.startswith(name):
        told = told[:1].upper() + told[1:]
    return "" if not told or any(mentions(part, name) for part in split_quotes(told)[::2]) else told


@lru_cache(maxsize=4096)
def second_person(text: str, name: str) -> str:
    """Turn `Ada lifts her lamp.` into `You lift your lamp.`; an unclear sentence, or one without an action, stays."""
    verb = _VERB.match(text, len(name) + 1) if name and text.startswith(f"{name} ") else None
    if verb is None or not _is_verb(verb[2]):
        return text
    bare, *rest = split_quotes(text[verb.end() :])
    told, end = _with_verbs(bare, _yours_of)
    named = _NAMED.search(told)  # before another name, `her` means this person
    unclear = _THEY.search(told) or (named and _THEM.search(told, named.end())) or mentions(told, name)
    if end < len(told) or unclear or any(any(map(str.isalnum, part)) for part in rest[1::2]):
        return text
    told = _DOES.sub(lambda found: _like(found[0], f"you {_yours_of(found[1])}"), told)
    told = _HER.sub("you", told)
    told = _THEM.sub(lambda found: _like(found[0], _YOURS.get(found[0].lower(), "you")), told)
    return f"You {verb[1]}{_yours_of(verb[2])}{told}{''.join(rest)}"


def _like(was: str, now: str) -> str:
    return now.capitalize() if was[0].isupper() else now


def _done(rest: str) -> str:
    verb = _VERB.match(rest)
    if verb is None or not _is_verb(verb[2]):
        return ""
    bare, gap, said = rest[verb.end() :].partition('"')
    told, end = with_past(bare)
    if end < len(told):  # `plates` in `cups and plates` is unclear: leave out the rest
        told, gap, said = told[:end] + (rest[-1] if rest[-1] in ".!" else "."), "", ""
    if _THEY.search(told) or (_THEM.search(told) and _NAMED.search(told)):
        return ""
    return f"I {verb[1]}{past_of(base_of(verb[2]))}{_my(told)}{gap}{said}"


def _my(text: str) -> str:
    text = _DOES.sub(lambda found: f"I {past_of(base_of(found[1]))}", text)
    text = _HER.sub("me", text)
    return _THEM.sub(lambda found: _MINE.get(found[0].lower(), "I"), text)


def _is_unclear(bare: str, name: str) -> bool:
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w|['’]s\b)", bare) if name in bare else None
    return found is not None and _SUBJECT.search(bare, found.end()) is not None


def _with_me(text: str, name: str) -> str:
    if name not in text:
        return text
    mine = re.escape(name)
    text = re.sub(rf"(?<!\w){mine}['’]s\b", "my", text)
    return re.sub(rf"(?<=[\w,] )(?<!and ){mine}(?!\w){_OBJECT}", "me", text)


def _is_verb(word: str) -> bool:
    there = word.isascii() and word.isalpha() and word.islower() and word not in NO_VERBS
    return there and (word in _PAST or word in _PASTS or (len(word) > 2 and word.endswith(("s", "ed"))))


def _with_verbs(text: str, form: Callable[[str], str]) -> tuple[str, int]:
    """Return a text with the known verbs of its further clauses in a form, and where the first unknown one begins."""
    told, start = "", 0
    for found in _NEXT.finditer(text):
        taker = _HAS_OBJECT.match(text, found.end())
        if found[1] in NO_VERBS or (found[1] in _OF_THE_BODY and (taker is None or taker[0].endswith("ly"))):
            continue
        known = found[1] in _PAST or base_of(found[1]) in _PAST or taker
        follows = " and" in found[0] and (found.start() == 0 or found[1] in _GESTURES)
        alone = follows and _ALONE.match(text, found.end())
        if not (known or alone):
            return told + text[start:], len(told) + found.start() - start
        told += text[start : found.start(1)] + form(found[1])
        start = found.end(1)
    told += text[start:]
    return told, len(told)


def with_past(text: str) -> tuple[str, int]:
    return _with_verbs(text, lambda verb: past_of(base_of(verb)))


def base_of(verb: str) -> str:
    if verb in _PAST:
        return verb
    if verb in _WITH_S_ALONE:
        return verb[:-1]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "tzes", "oes")):
        return verb[:-2]
    return verb[:-1] if not verb.endswith("ss") else verb


def _yours_of(verb: str) -> str:
    if verb in _YOUR_VERBS:
        return _YOUR_VERBS[verb]
    return base_of(verb) if verb.endswith("s") else verb


def past_of(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb in _PASTS or verb.endswith("ed"):
        return verb
    if verb.endswith("e"):
        return f"{verb}d"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    if re.search(r"(?:^|[^aeiou])[aeiou][bdgklmnprtvz]$", verb) and len(re.findall(r"[aeiou]+", verb)) == 1:
        return f"{verb}{verb[-1]}ed"
    return f"{verb}ed"
