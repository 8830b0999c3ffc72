"""A memory retold as one sentence of mine: `Moss says, "..."` becomes `Moss said, "..."`, `You take` becomes `I took`.

English by small tables. What they do not cover is left as it stands: a sentence in the wrong tense is better than one
that says something else. No word is added that could be anybody's name.
"""

from __future__ import annotations

import re

from agents.compaction.summarizers._inner_marks import missing
from agents.compaction.summarizers._reading import COUNTING, read
from agents.compaction.wording import flat, sentences, unquoted, word_set
from agents.memory.entries import Entry

LONGEST_QUOTE = 180
"""Characters of a quotation; of a longer one the sentences that tell most are taken."""
SMALL = 1.8
"""Worth of a sentence below which it is left out beside one that tells more."""
LONGEST_SENTENCE = 240
"""Characters of one sentence; a longer one is left out."""

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
        "might": "may", "would": "will", "should": "should",
    }.items()
    for word in bases.split()
}  # fmt: skip
_NO_VERBS = word_set(
    """always perhaps sometimes upstairs downstairs outdoors indoors overseas nowadays afterwards backwards
    forwards upwards downwards inwards outwards towards besides thus as plus versus unless across this his its us
    less yes all both has's others ones themselves ourselves"""
)
_QUOTES = re.compile(r'("[^"]*"|“[^“”]*”)')
_SPOKEN = re.compile(r"""^([^"]*)"(.*)"([.!?]?)$""")
_OPEN = re.compile(r"""(?<![.!?"”»'’)\]])$|(?<![.!?])["”»'’)\]]+$""")
"""The end of a sentence without an end mark."""
_DOTS = re.compile(r"""(?:…|\.\.\.)["”»'’)\]]*$""")
_LETTER = re.compile(r"\w")
_SHOWN = frozenset({"result", "saw", "note"})
_OWN = re.compile(
    r"(^|[.!?]\s+)You((?:\s+\w+ly)?)\s+(?:(cannot|can't|can’t|do not|don't|don’t|are not|aren't)\b|(\w+))"
)
_OWN_SHORT = re.compile(r"\b[Yy]ou(?:['’](re|ve|ll|d))\b")
_OWN_BE = re.compile(r"\b[Yy]ou (are|were|have|had|can|could|will|would|must|should|see|know|feel|want)\b")
_OF_ME = re.compile(
    r"You(?:r|['’](?:re|ve|ll|d)|(?: \w+ly)? (?:are|were|have|had|will|would|must|should|can|could|may|might|used|owe"
    r"|love|hate|like|belong|always|never|promised|said|killed|stole|live|lived|come|came|was|is))\b[^\"]*$"
)
"""What somebody says about me: hearsay, whoever says it."""
_NEGATED = {"do": "did not", "ca": "could not", "can": "could not", "are": "was not"}
_SAYINGS = {"heard": "said", "saw": "said", "told": "told me", "said": "said", "thought": "thought", "note": "noted"}
_SAYINGS |= {"dream": "dreamed", "did": "did", "moved": "went", "result": "saw"}


def retell(entry: Entry) -> str:
    """Return a memory as one sentence of who remembers it, in the past where the tables know the verb.

    Sentences are taken whole or left out. Empty when nothing of it is whole, or nothing is short enough.
    """
    text = _whole(entry)
    if not text:
        return ""
    if entry.kind in ("heard", "told") and _OF_ME.match(text):
        told = f'{flat(entry.actor) if entry.actor else "Somebody"} told me, "{text.replace(chr(34), chr(39))}"'
    elif text.startswith("You ") or text.startswith(("You'", "You’")):
        told = _own(text)
    elif entry.actor and text.startswith(f"{entry.actor} "):
        told = _others(text, entry.actor)
    elif _QUOTES.search(text) or entry.kind in ("saw", "did", "moved", "result"):
        told = _mine(text)
    else:
        who = (entry.actor or "Somebody") if entry.kind in ("heard", "told") else "I"
        told = f'{flat(who)} {_SAYINGS.get(entry.kind, "said")}, "{text.replace(chr(34), chr(39))}"'
    because = _passage(flat(entry.reason)) if entry.reason else ""
    if because and told.startswith("I "):
        told = f'{told.rstrip(".")}, because "{because.replace(chr(34), chr(39))}"'
    return " ".join(ended(one) for one in sentences(told) if _LETTER.search(one) and closed(one))


def ended(text: str) -> str:
    """Return a sentence with its end mark; three dots are none."""
    bare = text.rstrip("\"”»'’)] ")
    if bare.endswith((".", "!", "?")):
        return text
    return f"{bare[:-1]}." if bare == text and bare.endswith("…") and len(bare) > 1 else f"{text}."


def closed(text: str) -> bool:
    """Return whether every quotation in a text has its end."""
    if '"' not in text and "“" not in text and "”" not in text:
        return True
    open_still = unquoted(text).replace('""', "")
    even = text.count('"') % 2 == 0 and text.count("“") == text.count("”")
    return even and not any(mark in open_still for mark in '"“”')


def _whole(entry: Entry) -> str:
    """Return what of a memory is whole: in a quotation and outside, only whole sentences, and not too many."""
    text = flat(entry.text)
    spoken = _SPOKEN.match(text) if entry.kind in ("heard", "told", "said", "thought") else None
    if spoken and len(spoken[1]) <= LONGEST_SENTENCE:
        inside = _passage(spoken[2], _DOTS if entry.actor is None else None).replace('"', "'")
        return f'{spoken[1]}"{inside}"{spoken[3]}' if inside else ""
    return _passage(text, _OPEN if entry.kind in _SHOWN else None)


def _passage(text: str, scrap: re.Pattern[str] | None = None) -> str:
    """Return the sentences in a row that tell most and are not too long together; empty when none is whole."""
    every = sentences(text)
    found = [one if closed(one) and len(one) <= LONGEST_SENTENCE else "" for one in every]
    if scrap:  # what was shown, and what I said of it, may have been cut before I remembered it
        found = ["" if scrap.search(one) else one for one in found]
    if all(found) and len(text) <= LONGEST_QUOTE:
        first, end = _trimmed(found)
    else:
        first, end = _best(found)
    if end - first == len(found):
        return " ".join(found)
    marks = missing(text, every)[first:end]
    return f"{marks[0][0]}{' '.join(found[first:end])}{marks[-1][1]}" if marks else ""


def _best(found: list[str]) -> tuple[int, int]:
    """Return where the sentences in a row begin and end that tell most and are not too long together; "" ends a row."""
    best, most = (0, 0), 0.0
    for start in range(len(found)):
        row, end = "", start
        for one in found[start:]:
            longer = f"{row} {one}".strip()
            if not one or (row and len(longer) > LONGEST_QUOTE):
                break
            row, end = longer, end + 1
        if row and (worth := _tells(row)) > most:
            best, most = (start, end), worth
    return best


def _trimmed(found: list[str]) -> tuple[int, int]:
    """Return where sentences begin and end but for the small talk before and behind what tells something."""
    tells = [at for at, one in enumerate(found) if read(one).worth >= SMALL] if len(found) > 1 else []
    return (tells[0], tells[-1] + 1) if tells else (0, len(found))


def _tells(row: str) -> float:
    found = read(row)
    return len(found.words) + 6.0 * found.counted + 8.0 * found.promise + 0.01


def _own(text: str) -> str:
    parts = _QUOTES.split(text)
    return "".join(part if at % 2 else _mine(_OWN.sub(_past_own, part)) for at, part in enumerate(parts))


def _past_own(match: re.Match[str]) -> str:
    start, adverb, negated, verb = match.groups()
    if negated:
        return f"{start}I{adverb} {next(past for head, past in _NEGATED.items() if negated.startswith(head))}"
    is_verb = verb.islower() and verb.isalpha() and verb not in COUNTING and verb not in _NO_VERBS
    return f"{start}I{adverb} {past_of(verb) if is_verb else verb}"


def _mine(text: str) -> str:
    """Turn what is left of "you" into "me", outside quotations."""
    parts = _QUOTES.split(text)
    return "".join(part if at % 2 else _mine_part(part) for at, part in enumerate(parts))


def _mine_part(text: str) -> str:
    if "you" not in text and "You" not in text:
        return text
    text = _OWN_SHORT.sub(lambda m: {"re": "I was", "ve": "I had", "ll": "I would", "d": "I would"}[m[1]], text)
    text = _OWN_BE.sub(lambda m: f"I {past_of(m[1])}", text)
    for you, me in (("yourself", "myself"), ("yours", "mine"), ("your", "my"), ("you", "me")):
        text = re.sub(rf"\b{you}\b", me, text)
        text = re.sub(rf"\b{you.capitalize()}\b", "I" if you == "you" else me.capitalize(), text)
    return text


def _others(text: str, actor: str) -> str:
    rest = text[len(actor) + 1 :]
    match = re.match(r"((?:\w+ly\s+)?)([a-z]+)\b(?!['’])", rest)
    if match and match[2].endswith("s") and match[2] not in _NO_VERBS and len(match[2]) > 1:
        rest = f"{match[1]}{past_of(_base(match[2]))}{rest[match.end() :]}"
    return f"{actor} {_mine(rest)}"


def _base(verb: str) -> str:
    """Return `go` for `goes`, `carry` for `carries`, `close` for `closes`."""
    if verb in _PAST:
        return verb
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if not verb.endswith("ss") else verb


def past_of(verb: str) -> str:
    """Return the past of a verb: from the table, or regular."""
    if verb in _PAST:
        return _PAST[verb]
    if verb in _PAST.values() or verb.endswith("ed"):
        return verb
    if verb.endswith("e"):
        return f"{verb}d"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    if re.search(r"(?:^|[^aeiou])[aeiou][bdgklmnprtvz]$", verb) and len(re.findall(r"[aeiou]+", verb)) == 1:
        return f"{verb}{verb[-1]}ed"
    return f"{verb}ed"
