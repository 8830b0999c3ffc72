"""English verbs by small tables: the past of a verb, the base of its form with an s, and its form behind you."""

from __future__ import annotations

import re
from collections.abc import Callable

_YOURS = {
    "is": "are", "am": "are", "was": "were", "has": "have", "does": "do", "focuses": "focus", "quizzes": "quiz",
}  # fmt: skip
_WITH_S_ALONE = frozenset(
    ("unties", "belies", "underlies", "tiptoes", "toes", "hoes", "shoes", "aches", "caches", "axes")
)
"""Verbs of which only the s is taken away, though they end like `carries`, `goes`, `reaches` and `mixes`."""
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
"""Where another clause, or another thing of a list, may begin."""
_HAS_OBJECT = re.compile(
    r" (?:a|an|the|his|her|its|their|my|your|our|me|you|him|them|it|himself|herself|itself|he|she|that|again|everything"
    r"|nothing|something|somebody|nobody|[a-z]+ly)\b"
)
"""What follows a verb, and hardly a noun that ends in s."""
_ALONE = re.compile(
    r"$|[.,;:!?]| (?:at|to|with|from|in|on|off|out|up|down|by|for|about|over|back|away|again|[a-z]+ly)\b"
)
"""What follows a verb without an object; behind a verb and an `and` no noun stands before it."""
_PASTS = frozenset(_PAST.values())
_BESIDE_VERBS = """
    always perhaps sometimes upstairs downstairs outdoors indoors overseas nowadays afterwards backwards
    forwards upwards downwards inwards outwards towards besides thus as plus versus unless across this his its us
    less yes all both has's others ones themselves ourselves
"""
NO_VERBS = frozenset(_BESIDE_VERBS.split())
_GESTURES = frozenset(
    ("looks", "nods", "bows", "waits", "frowns", "smiles", "glances", "stares", "listens", "shrugs", "laughs")
)
"""Verbs that are hardly ever a noun behind an `and` and before what has no object."""
_OF_THE_BODY = frozenset(("hands", "arms", "eyes", "fingers", "elbows", "shoulders", "knees", "brows", "palms"))
"""Verbs only with an object: `hands him the key`, and not `hands behind her back`."""


def is_verb(word: str) -> bool:
    """Return whether a word that stands where a verb does is one: `carries`, `took`, and not `his` or `7th`."""
    there = word.isascii() and word.isalpha() and word.islower() and word not in NO_VERBS
    return there and (word in _PAST or word in _PASTS or (len(word) > 2 and word.endswith(("s", "ed"))))


def with_verbs(text: str, form: Callable[[str], str]) -> tuple[str, int]:
    """Return a text with the known verbs of its further clauses in a form, and where the first unknown one begins.

    Args:
        text: what follows the first verb of a sentence: `her head and goes on, humming`.
        form: `past_of` the `base_of` a verb, or another form.
    """
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
    """Return a text as `with_verbs` does, the verbs in the past."""
    return with_verbs(text, lambda verb: past_of(base_of(verb)))


def base_of(verb: str) -> str:
    """Return `go` for `goes`, `carry` for `carries`, `close` for `closes`."""
    if verb in _PAST:
        return verb
    if verb in _WITH_S_ALONE:
        return verb[:-1]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "tzes", "oes")):
        return verb[:-2]
    return verb[:-1] if not verb.endswith("ss") else verb


def yours_of(verb: str) -> str:
    """Return the form of a verb that goes with you: `smile` for `smiles`, `are` for `is`; a past stays."""
    if verb in _YOURS:
        return _YOURS[verb]
    return base_of(verb) if verb.endswith("s") else verb


def past_of(verb: str) -> str:
    """Return the past of a verb: from the table, or regular."""
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
