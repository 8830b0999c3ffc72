"""A memory retold as one sentence of mine: `Moss says, "..."` becomes `Moss said, "..."`, `You take` becomes `I took`.

English by small tables. What they do not cover is left as it stands: a sentence in the wrong tense is better than one
that says something else. No word is added that could be anybody's name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from agents.compaction.summarizers._fewer_words import fewer_words
from agents.compaction.summarizers._inner_marks import missing
from agents.compaction.summarizers._reading import COUNTING, read
from agents.compaction.summarizers._shortening import shortened
from agents.compaction.wording import flat, sentences, unquoted
from agents.memory.entries import Entry
from agents.text.persons import first_person, split_quotes
from agents.text.verbs import NO_VERBS, base_of, past_of, with_past

LONGEST_QUOTE = 180
"""Characters of a quotation; of a longer one the sentences that tell most are taken."""
SHORT_QUOTE = 80
"""Characters up to which a quotation is not made shorter: what is cut off a few words takes their sense away."""
SMALL = 1.8
"""Worth of a sentence below which it is left out beside one that tells more."""
LONGEST_SENTENCE = 240
"""Characters of one sentence; of a longer one a part is told."""
MOST_LONG = 4
"""Sentences of a memory that are too long among which is chosen."""

_SPOKEN = re.compile(r"""^([^"]*)"(.*)"([.!?]?)$""")
_OPEN = re.compile(r"""(?<![.!?"”»'’)\]])$|(?<![.!?])["”»'’)\]]+$""")
"""The end of a sentence without an end mark."""
_DOTS = re.compile(r"""(?:…|\.\.\.)["”»'’)\]]*$""")
_ASIDE = re.compile(r"[(\[][^()\[\]]*[)\]][.!?]?")
"""What only stands in brackets: where something was read, and no sentence of its own."""
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
_YOU = re.compile(r"\byou(?:r|rs|rself)?\b", re.IGNORECASE)
_NEGATED = {"do": "did not", "ca": "could not", "can": "could not", "are": "was not"}
_SAYINGS = {"heard": "said", "saw": "said", "told": "told me", "said": "said", "thought": "thought", "note": "noted"}
_SAYINGS |= {"dream": "dreamed", "did": "did", "moved": "went", "result": "saw"}


def retell(entry: Entry, name: str = "") -> str:
    """Return a memory as one sentence of who remembers it, in the past where the tables know the verb.

    Sentences are taken whole, or left out; of one that is too long clauses are told. Empty when nothing of it is whole,
    or it cannot be told without calling who remembers it by name.

    Args:
        entry: the memory.
        name: whose it is.
    """
    reason = entry.reason if entry.kind not in ("said", "thought") else None  # of words, the words say it
    return _retold(entry.kind, None if entry.actor == name else entry.actor, entry.text, reason, name)


@lru_cache(maxsize=4096)
def _retold(kind: str, actor: str | None, text: str, reason: str | None, name: str) -> str:
    text = _whole(kind, actor, text)
    if not text:
        return ""
    found = (first_person(one, name) for one in sentences(_told(kind, actor, text, name)))
    told = " ".join(fewer_words(ended(one), name) for one in found if _LETTER.search(one) and closed(one))
    because = _passage(flat(reason), said=True).replace('"', "'") if reason and told.startswith("I ") else ""
    return f'{told.rstrip(".")}, because "{because}".' if because else told


def _told(kind: str, actor: str | None, text: str, name: str) -> str:
    """Return the text of a memory in the past and as mine; own names in it are left as they are."""
    if kind in ("heard", "told") and _OF_ME.match(text):
        return f'{flat(actor) if actor else "Somebody"} told me, "{text.replace(chr(34), chr(39))}"'
    if text.startswith(("You ", "You'", "You’")):
        return _own(text)
    if actor and text.startswith(f"{actor} "):
        return _others(text, actor)
    own = actor is None and text.startswith(("I ", "I'", "I’", f"{name} "))
    if own or len(split_quotes(text)) > 1 or kind in ("saw", "did", "moved", "result"):
        return _mine(text)
    if kind == "told" and actor is None and _speaks_to_nobody(text, name):
        return text[:1].upper() + text[1:]  # nobody is known to have said it
    who = (actor or "Somebody") if kind in ("heard", "told") else "I"
    return f'{flat(who)} {_SAYINGS.get(kind, "said")}, "{text.replace(chr(34), chr(39))}"'


def _speaks_to_nobody(text: str, name: str) -> bool:
    """Return whether a text can be told as my own: it calls me neither `you` nor by name where that cannot be `me`."""
    return not _YOU.search(text) and all(first_person(one, name) for one in sentences(text))


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
    if "“" not in text and "”" not in text and "\n" not in text:
        return text.count('"') % 2 == 0
    open_still = unquoted(text).replace('""', "")
    even = text.count('"') % 2 == 0 and text.count("“") == text.count("”")
    return even and not any(mark in open_still for mark in '"“”')


def _whole(kind: str, actor: str | None, text: str) -> str:
    """Return what of a memory is whole: in a quotation and outside, whole sentences, or clauses of a long one."""
    text = flat(text)
    spoken = _SPOKEN.match(text) if kind in ("heard", "told", "said", "thought") else None
    if spoken and len(spoken[1]) <= LONGEST_SENTENCE:
        inside = _passage(spoken[2], _DOTS if actor is None else None, said=True).replace('"', "'")
        return f'{spoken[1]}"{inside}"{spoken[3]}' if inside else ""
    return _passage(text, _OPEN if kind in _SHOWN else None)


@lru_cache(maxsize=4096)
def _passage(text: str, scrap: re.Pattern[str] | None = None, *, said: bool = False) -> str:
    """Return the sentences in a row that tell most and are not too long together, or a part of one that is too long.

    Args:
        text: the text.
        scrap: what was shown, and what I said of it, may have been cut before I remembered it: how such an end looks.
        said: whether it is quoted.
    """
    every = sentences(text)
    found = [
        one if closed(one) and not _ASIDE.fullmatch(one) and not (scrap and scrap.search(one)) else "" for one in every
    ]
    fit = [one if len(one) <= LONGEST_SENTENCE else "" for one in found]
    whole = _in_a_row(text, every, fit)
    if fit == found:
        return whole
    parts = (shortened(text, one, LONGEST_QUOTE, said) for one in found if len(one) > LONGEST_SENTENCE)
    return max([whole, *islice(filter(None, parts), MOST_LONG)], key=_tells)


def _in_a_row(text: str, every: list[str], found: list[str]) -> str:
    """Return the sentences in a row that tell most; empty when there is none.

    Args:
        text: the text.
        every: its sentences.
        found: those of them that may be told, "" for the others.
    """
    if all(found) and len(text) <= LONGEST_QUOTE:
        first, end = _trimmed(found) if len(text) > SHORT_QUOTE else (0, len(found))
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
    tells = [at for at, one in enumerate(found) if _is_telling(one)] if len(found) > 1 else []
    return (tells[0], tells[-1] + 1) if tells else (0, len(found))


def _is_telling(sentence: str) -> bool:
    found = read(sentence)
    return found.worth >= SMALL or (bool(found.names) and not found.question)


def _tells(row: str) -> float:
    found = read(row)
    return len(found.words) + 6.0 * found.counted + 8.0 * found.promise + 0.01


def _own(text: str) -> str:
    parts = split_quotes(text)
    return "".join(part if at % 2 else _mine(_OWN.sub(_past_own, part)) for at, part in enumerate(parts))


def _past_own(match: re.Match[str]) -> str:
    start, adverb, negated, verb = match.groups()
    if negated:
        return f"{start}I{adverb} {next(past for head, past in _NEGATED.items() if negated.startswith(head))}"
    is_verb = verb.islower() and verb.isalpha() and verb not in COUNTING and verb not in NO_VERBS
    return f"{start}I{adverb} {past_of(verb) if is_verb else verb}"


def _mine(text: str) -> str:
    """Turn what is left of "you" into "me", outside quotations."""
    parts = split_quotes(text)
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
    if match and match[2].endswith("s") and match[2] not in NO_VERBS and len(match[2]) > 1:
        more, gap, said = rest[match.end() :].partition('"')
        more, end = with_past(more)
        if end < len(more):  # a deed or a thing, who knows: what follows is left out
            more, gap, said = f"{more[:end]}.", "", ""
        rest = f"{match[1]}{past_of(base_of(match[2]))}{more}{gap}{said}"
    return f"{actor} {_mine(rest)}"
