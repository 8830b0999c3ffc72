"""Rules for English prose: sentences, quotations, repetition; words that say little, and are no names."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from sys import intern

from mud.world.sentences import is_abbreviated

_QUOTE = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»')
_END = re.compile(r"[.!?…]+[\"”»'’)\]]*(?=\s|$)|[.!?…][\"”»](?=\s)")
_NEXT = re.compile(r"\s*(\S)")


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLAIN = word_set(
    """i a about above across after afterwards again against ago ah alas all almost alone along already also although
    always am among an and another any anybody anyone anything anyway anywhere apart are aren around as aside at
    away back be because been before behind being below beneath beside besides between beyond both briefly but
    by can cannot certainly clearly could couldn day days did didn do does doesn doing don done down during each
    earlier early easily either else elsewhere enough especially even evening eventually ever every everybody
    everyone everything everywhere except far farewell few finally first for from further gently goodbye
    gradually had hadn has hasn have haven having he hello hence her here hers herself hey him himself his how
    however if in indeed inside instead into is isn it its itself just last late lately later least less lest
    let likewise listening long looking many maybe me meanwhile mine more moreover morning most mostly much must
    my myself near nearby nearly neither never nevertheless next night no nobody none nonetheless nor not
    nothing now nowhere o occasionally of off often oh ok okay on once one ones only onto or other others
    otherwise our ours ourselves out outside over overall own people perhaps please possibly presently probably
    quickly quietly quite rather really recently remembering same seeing seldom several shall she should shouldn
    similarly simply since slowly so some somebody somehow someone something sometimes somewhere soon speaking
    standing still strangely such suddenly sitting talking thank thanks that the their theirs them themselves
    then there thereafter therefore these they thinking this those though through throughout thus time to today
    together tomorrow tonight too toward towards twice under underneath unless until unto up upon us usually
    very walking wandering was wasn we well were weren what whatever when whenever where wherever whether which
    while who whoever whom whose why with within without wondering won would wouldn yes yesterday yet you your
    yours yourself"""
)
"""Words that begin a sentence without being a name; words that are also names (will, may, rose) are left out."""

DULL = word_set(
    """say says said see sees saw think thinks thought know knows knew well go goes went come comes came get gets got
    look looks looked wonder wonders wondered tell tells told ask asks asked good big new thing things way bit
    lot"""
)


def mentions(text: str, name: str) -> bool:
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def flat(text: str) -> str:
    if text.isprintable():  # the fast path, since this runs on every memory
        return " ".join(text.split()) if "  " in text or text[:1] == " " or text[-1:] == " " else text
    return " ".join("".join(c if c.isprintable() or c.isspace() else " " for c in text).split())


def quoted(text: str) -> list[str]:
    return [found[1:-1] for found in _QUOTE.findall(text)]


def unquoted(text: str) -> str:
    return _QUOTE.sub('""', text)


def sentences(text: str) -> list[str]:
    """Split a text into sentences. Quotations are not split; a line end ends a sentence."""
    return [one for line in text.split("\n") for one in _sentences_of(line.strip())]


@lru_cache(maxsize=2048)
def _sentences_of(line: str) -> tuple[str, ...]:
    ends = list(_END.finditer(line))
    if not ends or ends[0].end() == len(line):  # the fast path, since most lines are one sentence
        return (line,) if line else ()
    return tuple(part for part in _split_at(line, ends) if part)


def _split_at(line: str, ends: list[re.Match[str]]) -> Iterator[str]:
    spans = [match.span() for match in _QUOTE.finditer(line)]
    start = at = 0
    for match in ends:
        first, end = match.span()
        if end <= start:
            continue
        while at < len(spans) and spans[at][1] <= end:
            at += 1
        if at < len(spans) and spans[at][0] < first:
            continue
        following = _NEXT.match(line, end)
        if (following and following[1].islower()) or (match[0] == "." and is_abbreviated(line, end)):
            continue
        yield line[start:end].strip()
        start = end
    yield line[start:].strip()


_CLAUSE = re.compile(r'(?P<lead>[^"]+, )"(?P<said>[^"]+)"')
_PROMISED = " promised, "
_AND = '" and "'
_NEXT_CLAUSE = re.compile(r'"; (?=[^";]+, ")')
_ENDS = {"'": "'", "‘": "’"}
_MARK = re.compile(
    r"""(?P<opens>(?<![^\s("“«\[—–-])['‘](?!(?:tis|twas|twere|em|til|till|cause|n|bout|round|neath|\d\ds?)\b)(?=\S))"""
    r"""|(?<=(?P<before>\S))['’](?!\w)""",
    re.I,
)
"""What may begin an inner quotation, contractions such as 'tis excluded, and what may end one."""


def together(texts: Sequence[str], most: int) -> list[str]:
    """Join neighbouring quotations, first those of one speaker, until at most `most` sentences are left."""
    rows = [[_without_stop(text)] for text in texts]
    at = 1
    while len(rows) > most and at < len(rows):
        if both := _of_one(rows[at - 1][0], rows[at][0]):
            rows[at - 1 : at + 1] = [[both]]
        else:
            at += 1
    while len(rows) > most:
        pairs = [at for at in range(len(rows) - 1) if _is_quotation(rows[at][-1]) and _is_quotation(rows[at + 1][0])]
        if not pairs:
            break
        at = min(pairs, key=lambda one: sum(map(len, rows[one] + rows[one + 1])))
        rows[at : at + 2] = [rows[at] + rows[at + 1]]
    return [_with_stop(_joined(row)) for row in rows]


def promises_joined(texts: Iterable[str]) -> list[str]:
    """Return sentences with each person's promises joined into one sentence, at the place of the first."""
    rows: list[str] = []
    first: dict[str, int] = {}
    for text in texts:
        found = _CLAUSE.fullmatch(text) if _PROMISED in text else None
        lead = found["lead"] if found and found["lead"].endswith(_PROMISED) else ""
        at = first.setdefault(lead, len(rows)) if lead else len(rows)
        if at < len(rows) and (both := _of_one(rows[at], text)):
            rows[at] = both
        else:
            rows.append(text)
    return rows


def apart(sentence: str) -> list[str]:
    """Return the single statements of a sentence, or the sentence itself."""
    if _AND not in sentence and '"; ' not in sentence:
        return [sentence]
    found: list[str] = []
    for at, clause in enumerate(_NEXT_CLAUSE.sub('"\n', _without_stop(sentence)).split("\n")):
        lead, *said = re.split(r'(?<=, )"|" and "', clause)
        closed = clause.endswith('"') and clause.count('"') == 2 * len(said)
        if not said or not closed or any(mark in part for mark in "“”" for part in said):
            return [sentence]
        if at and _is_again(lead):
            lead = lead[:1].upper() + lead[1:]
        found += [_with_stop(f'{lead}"{_ended(part.rstrip(chr(34)))}"') for part in said]
    return found


def sayings(statement: str) -> list[str]:
    found = _CLAUSE.fullmatch(statement)
    return [f'{found["lead"]}"{one}"' for one in sentences(found["said"])] if found else [statement]


def _is_again(lead: str) -> bool:
    return lead.startswith(("more than once ", "again and again "))


def _is_quotation(text: str) -> bool:
    return text.endswith('"') and _CLAUSE.match(text) is not None and (text.count('"') == 2 or _AND in text)


def _of_one(one: str, other: str) -> str:
    mine, theirs = _CLAUSE.match(one), _CLAUSE.fullmatch(other)
    same = mine and theirs and mine["lead"] == theirs["lead"] and _is_quotation(one)
    return f'{_open(one)} and "{theirs["said"]}"' if same and theirs else ""


def _joined(row: Sequence[str]) -> str:
    rest = (text[:1].lower() + text[1:] if _is_again(text[:1].lower() + text[1:]) else text for text in row[1:])
    every = [row[0], *rest]
    return "; ".join([*map(_open, every[:-1]), every[-1]])


def _open(text: str) -> str:
    return f'{text[:-2]}"' if text.endswith('."') and not text.endswith('.."') else text


def _without_stop(text: str) -> str:
    return text[:-1] if text.endswith('…".') else text


def _with_stop(text: str) -> str:
    return f"{text}." if text.endswith('…"') else text


def _ended(said: str) -> str:
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def missing_marks(text: str, found: Sequence[str]) -> list[tuple[str, str]]:
    """Return the marks of inner quotations missing before and after each sentence (in order) when it stands alone."""
    quotations = list(_inner_quotations(text)) if "'" in text or "‘" in text else []
    ends = [last for _, last in quotations]

    def around(place: int) -> tuple[int, int] | None:
        at = bisect_left(ends, place)
        return quotations[at] if at < len(ends) and quotations[at][0] < place else None

    marks: list[tuple[str, str]] = []
    end = 0
    for one in found:
        start = text.index(one, end)
        end = start + len(one)
        before, behind = around(start), around(end)
        marks.append((text[before[0]] if before else "", text[behind[1]] if behind else ""))
    return marks


def _inner_quotations(text: str) -> Iterator[tuple[int, int]]:
    first, plural = -1, -1
    for mark in _MARK.finditer(text):
        at = mark.start()
        if mark["opens"]:
            if first >= 0 and plural >= 0:
                yield first, plural
            first, plural = at, -1
        elif first >= 0 and text[at] == _ENDS[text[first]]:
            if mark["before"] in "sS":  # a plural such as `the dogs' bone`: an end only when no better one comes
                plural = at if plural < 0 else plural
                continue
            yield first, at
            first, plural = -1, -1
    if first >= 0 and plural >= 0:
        yield first, plural


THRESHOLD = 0.8  # share of common words from which two lines count as the same
LOOKBACK = 20

_WORD = re.compile(r"\w+(?:['’]\w+)*")


@lru_cache(maxsize=1 << 12)
def words_of(line: str) -> frozenset[str]:
    # interned, since there are thousands of lines
    return frozenset(intern(word.casefold().replace("’", "'")) for word in _WORD.findall(line))


def similarity(one: str, other: str) -> float:
    """Return the Jaccard index of two lines' words, 0 to 1."""
    first, second = _compared(one), _compared(other)
    return len(first & second) / len(first | second)


def repeats(line: str, earlier: Iterable[str]) -> str | None:
    """Return the first earlier line that this one repeats, or None."""
    others = list(earlier)
    at = _first_alike(_compared(line), map(_compared, others))
    return others[at] if at >= 0 else None


class RepetitionRate:
    """The share of spoken lines that repeat one of their speaker's last `LOOKBACK` lines."""

    def __init__(self) -> None:
        self.lines = 0
        self.repeated = 0
        self._last: dict[str, deque[tuple[str, ...]]] = defaultdict(lambda: deque(maxlen=LOOKBACK))
        """By speaker, the words of each line; a tuple takes a fifth of the memory of a set."""

    @property
    def rate(self) -> float:
        return self.repeated / self.lines if self.lines else 0.0

    def add(self, speaker: str, words: str) -> bool:
        """Count one spoken line, without its quotation marks, and return whether it repeats."""
        last = self._last[speaker]
        said = _compared(words)
        again = _first_alike(said, last) >= 0
        last.append(tuple(said))
        self.lines += 1
        self.repeated += again
        return again


@lru_cache(maxsize=1 << 12)
def _compared(line: str) -> frozenset[str]:
    return words_of(line) or frozenset({" ".join(line.split())})


def _first_alike(words: frozenset[str], earlier: Iterable[Collection[str]]) -> int:
    """Return the place of the first line, by its words, that counts as the same; -1 when none does."""
    size = len(words)
    least = THRESHOLD * size
    some = set(sorted(words, key=len, reverse=True)[: size - int(least) + 1])  # a line that is alike has one of them
    for at, others in enumerate(earlier):
        many = len(others)
        if many >= least and size >= THRESHOLD * many and not some.isdisjoint(others):
            common = len(words.intersection(others))
            if common >= THRESHOLD * (size + many - common):
                return at
    return -1
