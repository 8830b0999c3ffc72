"""Retelling a memory in the first person and the past: `Moss says, "..."` becomes `Moss said, "..."`.

Unknown words are left unchanged: a wrong tense is better than a wrong statement. No word is added that could be a
name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from agents.compaction.summarizers._reading import COUNTING, read
from agents.memory.entries import Entry
from agents.text.english import PLAIN, flat, sentences, unquoted
from agents.text.grammar import NO_VERBS, base_of, first_person, past_of, split_quotes, with_past
from agents.text.quotations import missing_marks

LONGEST_QUOTE = 180
"""Maximum characters; of a longer quotation the best sentences are taken."""
SHORT_QUOTE = 80
"""Quotations up to this length are not shortened, because they would lose their sense."""
LONGEST_SENTENCE = 240
"""Maximum characters; of a longer sentence a part is taken."""
_TELLING = 1.8  # worth below which a sentence is dropped if another one has more
_MOST_LONG = 4  # long sentences of a memory that are examined

_SPOKEN = re.compile(r"""^([^"]*)"(.*)"([.!?]?)$""")
_OPEN = re.compile(r"""(?<![.!?"”»'’)\]])$|(?<![.!?])["”»'’)\]]+$""")
_ENDS_WITH_DOTS = re.compile(r"""(?:…|\.\.\.)["”»'’)\]]*$""")
_ASIDE = re.compile(r"[(\[][^()\[\]]*[)\]][.!?]?")
"""A bracketed remark, such as where something was read, without a sentence of its own."""
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
_YOU = re.compile(r"\byou(?:r|rs|rself)?\b", re.IGNORECASE)
_NEGATED = {"do": "did not", "ca": "could not", "can": "could not", "are": "was not"}
_SAYINGS = {"heard": "said", "saw": "said", "told": "told me", "said": "said", "thought": "thought", "note": "noted"}
_SAYINGS |= {"dream": "dreamed", "did": "did", "moved": "went", "result": "saw"}

_DOTS = "…"
_LEAST = 40  # minimum characters of a part of a sentence; less is hardly understandable
_CLAUSES = 4  # number of clauses, from the first, at which a part may begin
_MARGIN = 1.8  # additional worth that a later clause needs, because the first has the subject
_A_CHARACTER = 0.05
"""Cost of a character: plain words are hardly worth theirs, because they displace other facts."""

_JOINS = "and|but|or|nor|yet|so|for|which|who|whom|whose|where|when|while|because|since|though|although|until|if|as"
_CLAUSE = re.compile(rf"\s*;(?=\s)|:(?=\s)|\s+[-–—]+(?=\s)|—|[；：。]|,(?=\s+(?:{_JOINS})\b)")
_COMMA = re.compile(r",(?=\s)|[，、]")
_BLANK = re.compile(r"\s+")
_NEW = re.compile(r";\s+|\s+[-–—]+\s+|—|；|,\s+(?=(?:and|but)\b)")
"""Separators after which a part may begin: the clause is independent."""
_ENDS = " ,;:-–—，、；：。"
_BARE = "\"'“”‘’()[],;:.!?"
_BRACKETS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))

_SAID = re.compile(r'(?P<who>[^",]+) said, "(?P<what>[^"]+)"[.!]?')
_VOW = re.compile(
    r"(?:[,.;!…]|\s[-–—])\s+(?:and )?(?:"
    r"i (?:promise|swear|vow)(?: (?:it|that|this|you|to you|you that|it to you))?"
    r"|(?:that is|that['’]s|it is|it['’]s|this is) (?:a|my) (?:promise|vow)"
    r"|(?:you have|you['’]ve got|i give you) my word(?: (?:on|for) (?:it|that))?"
    r"|(?:up)?on my (?:word|hono[u]?r)|my word(?: of hono[u]?r)?(?: on (?:it|that))?"
    r"|you (?:can|may) (?:count|rely|depend) on (?:it|that|me)"
    r")[.!]?\Z",
    re.IGNORECASE,
)
_LONGEST_VOW = 48  # maximum characters of a vow at the end
_FILLER = re.compile(
    r"(?:well|oh|ah|hm|you see|you know|look|listen|by the way|to tell (?:you )?the truth|truth be told"
    r"|in truth|to be (?:honest|frank)|honestly),\s+|(?:then|so|and|but),?\s+(?=I\b)",
    re.IGNORECASE,
)
_CALLED = re.compile(r"(?:I am|I['’]m|[Mm]y name is|[Mm]y name['’]s) ([^,.]+?)(?:\.|,?\s+and|,)\s+(?=I\b|[Mm]y\b)")


def retell(entry: Entry, name: str = "") -> str:
    """Return a memory as the agent tells it, in the past if the verb is known; empty if it cannot be told."""
    reason = entry.reason if entry.kind not in ("said", "thought") else None  # speech explains itself
    return _retold(entry.kind, None if entry.actor == name else entry.actor, entry.text, reason, name)


@lru_cache(maxsize=4096)
def _retold(kind: str, actor: str | None, text: str, reason: str | None, name: str) -> str:
    text = _whole(kind, actor, text)
    if not text:
        return ""
    found = (first_person(one, name) for one in sentences(_told(kind, actor, text, name)))
    told = " ".join(_fewer_words(ended(one), name) for one in found if _LETTER.search(one) and closed(one))
    because = _passage(flat(reason), said=True).replace('"', "'") if reason and told.startswith("I ") else ""
    return f'{told.rstrip(".")}, because "{because}".' if because else told


def _told(kind: str, actor: str | None, text: str, name: str) -> str:
    if kind in ("heard", "told") and _OF_ME.match(text):
        return f'{flat(actor) if actor else "Somebody"} told me, "{text.replace(chr(34), chr(39))}"'
    if text.startswith(("You ", "You'", "You’")):
        parts = split_quotes(text)
        return _mine("".join(part if at % 2 else _OWN.sub(_past_own, part) for at, part in enumerate(parts)))
    if actor and text.startswith(f"{actor} "):
        return _others(text, actor)
    own = actor is None and text.startswith(("I ", "I'", "I’", f"{name} "))
    if own or len(split_quotes(text)) > 1 or kind in ("saw", "did", "moved", "result"):
        return _mine(text)
    if kind == "told" and actor is None and _speaks_to_nobody(text, name):
        return text[:1].upper() + text[1:]  # the speaker is unknown
    who = (actor or "Somebody") if kind in ("heard", "told") else "I"
    return f'{flat(who)} {_SAYINGS.get(kind, "said")}, "{text.replace(chr(34), chr(39))}"'


def _speaks_to_nobody(text: str, name: str) -> bool:
    """Return whether a text does not address the agent, or only by a name that can be replaced by `me`."""
    return not _YOU.search(text) and all(first_person(one, name) for one in sentences(text))


def ended(text: str) -> str:
    """Return a sentence with its end mark; dots do not count as one."""
    bare = text.rstrip("\"”»'’)] ")
    if bare.endswith((".", "!", "?")):
        return text
    return f"{bare[:-1]}." if bare == text and bare.endswith("…") and len(bare) > 1 else f"{text}."


def closed(text: str) -> bool:
    if '"' not in text and "“" not in text and "”" not in text:
        return True
    if "“" not in text and "”" not in text and "\n" not in text:
        return text.count('"') % 2 == 0
    open_still = unquoted(text).replace('""', "")
    even = text.count('"') % 2 == 0 and text.count("“") == text.count("”")
    return even and not any(mark in open_still for mark in '"“”')


def _whole(kind: str, actor: str | None, text: str) -> str:
    text = flat(text)
    spoken = _SPOKEN.match(text) if kind in ("heard", "told", "said", "thought") else None
    if spoken and len(spoken[1]) <= LONGEST_SENTENCE:
        inside = _passage(spoken[2], _ENDS_WITH_DOTS if actor is None else None, said=True).replace('"', "'")
        return f'{spoken[1]}"{inside}"{spoken[3]}' if inside else ""
    return _passage(text, _OPEN if kind in _SHOWN else None)


@lru_cache(maxsize=4096)
def _passage(text: str, scrap: re.Pattern[str] | None = None, *, said: bool = False) -> str:
    """Return the best sequence of sentences, or a part of a long one; `scrap` matches a cut-off end."""
    every = sentences(text)
    found = [
        one if closed(one) and not _ASIDE.fullmatch(one) and not (scrap and scrap.search(one)) else "" for one in every
    ]
    fit = [one if len(one) <= LONGEST_SENTENCE else "" for one in found]
    whole = _in_a_row(text, every, fit)
    if fit == found:
        return whole
    parts = (_shortened(text, one, said) for one in found if len(one) > LONGEST_SENTENCE)
    return max([whole, *islice(filter(None, parts), _MOST_LONG)], key=_tells)


def _in_a_row(text: str, every: list[str], found: list[str]) -> str:
    """Return the best sequence of sentences; "" in `found` stands for those that must not be used."""
    if all(found) and len(text) <= LONGEST_QUOTE:
        first, end = _trimmed(found) if len(text) > SHORT_QUOTE else (0, len(found))
    else:
        first, end = _best(found)
    if end - first == len(found):
        return " ".join(found)
    marks = missing_marks(text, every)[first:end]
    return f"{marks[0][0]}{' '.join(found[first:end])}{marks[-1][1]}" if marks else ""


def _best(found: list[str]) -> tuple[int, int]:
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
    every = list(map(read, found)) if len(found) > 1 else []
    tells = [at for at, one in enumerate(every) if one.worth >= _TELLING or (one.names and not one.question)]
    return (tells[0], tells[-1] + 1) if tells else (0, len(found))


def _tells(row: str) -> float:
    found = read(row)
    return len(found.words) + 6.0 * found.counted + 8.0 * found.promise + 0.01


def _past_own(match: re.Match[str]) -> str:
    start, adverb, negated, verb = match.groups()
    if negated:
        return f"{start}I{adverb} {next(past for head, past in _NEGATED.items() if negated.startswith(head))}"
    is_verb = verb.islower() and verb.isalpha() and verb not in COUNTING and verb not in NO_VERBS
    return f"{start}I{adverb} {past_of(verb) if is_verb else verb}"


def _mine(text: str) -> str:
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
        if end < len(more):  # ambiguous (verb or noun), so the rest is dropped
            more, gap, said = f"{more[:end]}.", "", ""
        rest = f"{match[1]}{past_of(base_of(match[2]))}{more}{gap}{said}"
    return f"{actor} {_mine(rest)}"


def _fewer_words(text: str, name: str) -> str:
    """Return a quotation without fillers, self-introduction and vows; `not`, `if` and `unless` are never dropped."""
    said = _SAID.fullmatch(text)
    if said is None:
        return text
    who, verb = said["who"], "said"
    filler = _FILLER.match(said["what"])
    what = said["what"][filler.end() :] if filler else said["what"]
    called = _CALLED.match(what)
    if called and called[1] == (name if who == "I" else who):
        what = what[called.end() :]
    if (vow := _VOW.search(what, max(0, len(what) - _LONGEST_VOW))) and read(what[: vow.start()]).binds:
        what, verb = f"{what[: vow.start()]}.", "promised"
    return f'{who} {verb}, "{what[:1].upper()}{what[1:]}"' if len(what) < len(said["what"]) else text


def _shortened(text: str, sentence: str, said: bool) -> str:
    """Return the best part of a long sentence; of unquoted ones only the beginning, so that it can stand alone."""
    starts = [0]
    if said:
        starts += islice((found.end() for found in _NEW.finditer(sentence)), _CLAUSES)
    parts = [
        (_worth(part) - (_MARGIN if start else 0.0), -start, part)
        for start in starts
        if start == 0 or _balanced(sentence[:start])
        for part in _parts(sentence[start : start + 2 * LONGEST_QUOTE], said)
        if any(map(str.isalnum, part))
    ]
    if not parts:
        return ""
    _, start, part = max(parts)
    before, behind = missing_marks(text, [part])[0]
    return f"{before}{_DOTS if start else ''}{part}{'' if sentence.endswith(part) else _DOTS}{behind}"


def _worth(part: str) -> float:
    found = read(part)
    return found.worth + len(found.names) - _A_CHARACTER * len(part)


def _parts(text: str, anywhere: bool) -> list[str]:
    if _LEAST <= len(text) <= LONGEST_QUOTE and _balanced(text):
        return [text]
    for marks in (_CLAUSE, _COMMA, *((_BLANK,) if anywhere else ())):
        ends = marks.finditer(text, _LEAST, LONGEST_QUOTE + 12)
        places = [end.start() for end in ends if end.start() <= LONGEST_QUOTE]
        clean = (at for at in reversed(places) if not _cuts(text, at, marks is _BLANK) and _balanced(text[:at]))
        if found := [text[:at].rstrip(_ENDS) for at in islice(clean, None if marks is _CLAUSE else 1)]:
            return found
    return []


def _cuts(text: str, at: int, within: bool) -> bool:
    """Return whether a cut would split a name or a number, or, within a clause, leave a dangling word."""
    last = text[max(0, at - 60) : at].split()[-1]
    after = [one.strip(_BARE) for one in text[at : at + 60].lstrip(_ENDS).split()[:3]]
    counted = [_counts(one) for one in after]
    if _counts(last.strip(_BARE)) and (within or any(counted[:2])):
        return True
    if not within:
        return False
    named = last[0].isupper() and any(one[:1].isupper() and one.lower() not in PLAIN for one in after)
    hangs = last.lower().strip(_BARE) in PLAIN or last.endswith((".", "'s", "’s"))
    return named or hangs or any(counted[:1])


def _counts(word: str) -> bool:
    return not COUNTING.isdisjoint(word.lower().split("-")) or any(map(str.isnumeric, word))


def _balanced(text: str) -> bool:
    return '"' not in unquoted(text).replace('""', "") and all(
        text.count(one) == text.count(end) for one, end in _BRACKETS
    )
