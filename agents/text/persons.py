"""What is told of oneself by one's own name, told with I or with you: `Ada lifts her lamp`, `I lifted my lamp`.

The grammar of English third persons, and careful in one direction: where it cannot be told who `his` or `them` is, or
what a name is in its sentence, nothing comes of it rather than a sentence about somebody else.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agents.text.verbs import base_of, is_verb, past_of, with_past, with_verbs, yours_of

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
    """Return what is outside of quotation marks at even places, and the quotations at odd ones."""
    return _QUOTES.split(text)


@lru_cache(maxsize=4096)
def first_person(sentence: str, name: str) -> str:
    """Return a sentence of somebody's memories without a third person for that somebody.

    Args:
        sentence: one sentence; what stands in quotation marks is what was said, and stays.
        name: whose memories they are.

    Returns:
        The sentence, as it was when it does not name its owner; empty when that cannot be told for sure.
    """
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
    return "" if not told or any(_is_in(name, part) for part in split_quotes(told)[::2]) else told


@lru_cache(maxsize=4096)
def second_person(text: str, name: str) -> str:
    """Return what somebody did as it is told to that somebody: `Ada lifts her lamp.` becomes `You lift your lamp.`.

    Args:
        text: what was done, told by the name.
        name: who did it.

    Returns:
        The text; as it was when it tells of nothing done, or when it cannot be told for sure who `her` or `them` is.
    """
    verb = _VERB.match(text, len(name) + 1) if name and text.startswith(f"{name} ") else None
    if verb is None or not is_verb(verb[2]):
        return text
    bare, *rest = split_quotes(text[verb.end() :])
    told, end = with_verbs(bare, yours_of)
    named = _NAMED.search(told)  # before anybody else is named, `her` is mine
    unclear = _THEY.search(told) or (named and _THEM.search(told, named.end())) or _is_in(name, told)
    if end < len(told) or unclear or any(any(map(str.isalnum, part)) for part in rest[1::2]):
        return text
    told = _DOES.sub(lambda found: _like(found[0], f"you {yours_of(found[1])}"), told)
    told = _HER.sub("you", told)
    told = _THEM.sub(lambda found: _like(found[0], _YOURS.get(found[0].lower(), "you")), told)
    return f"You {verb[1]}{yours_of(verb[2])}{told}{''.join(rest)}"


def _like(was: str, now: str) -> str:
    return now.capitalize() if was[0].isupper() else now


def _is_in(name: str, text: str) -> bool:
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _done(rest: str) -> str:
    """Return what I did, from what stands behind my name; empty when it is not clear."""
    verb = _VERB.match(rest)
    if verb is None or not is_verb(verb[2]):
        return ""
    bare, gap, said = rest[verb.end() :].partition('"')
    told, end = with_past(bare)
    if end < len(told):  # who knows what `plates` are in `cups and plates`: what follows is left out
        told, gap, said = told[:end] + (rest[-1] if rest[-1] in ".!" else "."), "", ""
    if _THEY.search(told) or (_THEM.search(told) and _NAMED.search(told)):
        return ""
    return f"I {verb[1]}{past_of(base_of(verb[2]))}{_my(told)}{gap}{said}"


def _my(text: str) -> str:
    """Turn third persons that can only be myself into the first."""
    text = _DOES.sub(lambda found: f"I {past_of(base_of(found[1]))}", text)
    text = _HER.sub("me", text)
    return _THEM.sub(lambda found: _MINE.get(found[0].lower(), "I"), text)


def _is_unclear(bare: str, name: str) -> bool:
    """Return whether it cannot be told, where something is done to me, if a later `she` is me."""
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w|['’]s\b)", bare) if name in bare else None
    return found is not None and _SUBJECT.search(bare, found.end()) is not None


def _with_me(text: str, name: str) -> str:
    """Turn my name into `me` and `my` where something is done to me."""
    if name not in text:
        return text
    mine = re.escape(name)
    text = re.sub(rf"(?<!\w){mine}['’]s\b", "my", text)
    return re.sub(rf"(?<=[\w,] )(?<!and ){mine}(?!\w){_OBJECT}", "me", text)
