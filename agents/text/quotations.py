"""Quotations in sentences: join several into one sentence, and split such a sentence again.

`Ada said, "I keep bees" and "I came from Lisbon"; Moss said, "The bridge is closed."` Words are never changed, and
`apart` splits what `together` joins without loss, so that prompts and further summaries can choose single statements.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from agents.text.english import sentences

_CLAUSE = re.compile(r'(?P<lead>[^"]+, )"(?P<said>[^"]+)"')
_PROMISED = " promised, "
_AND = '" and "'
_NEXT = re.compile(r'"; (?=[^";]+, ")')
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
    for at, clause in enumerate(_NEXT.sub('"\n', _without_stop(sentence)).split("\n")):
        lead, *said = re.split(r'(?<=, )"|" and "', clause)
        whole = said and not any(mark in part for mark in "“”" for part in said) and clause.count('"') == 2 * len(said)
        if not whole:
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
