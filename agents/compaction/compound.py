"""Several quotations in one sentence, and such a sentence taken apart again.

`Ada said, "I keep bees" and "I came from Lisbon"; Moss said, "The bridge is closed."` Words are never changed, and what
is put together comes apart without loss, so that a summary of summaries, and a prompt, choose among single statements.
Pure text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agents.compaction.wording import sentences

_CLAUSE = re.compile(r'(?P<lead>[^"]+, )"(?P<said>[^"]+)"')
_PROMISED = " promised, "
_AND = '" and "'
_NEXT = re.compile(r'"; (?=[^";]+, ")')


def together(texts: Sequence[str], most: int) -> list[str]:
    """Return sentences in order, put together where they are quotations until there are so few, or as few as may be.

    What the same person said in a row is put together first.

    Args:
        texts: sentences, each with one quotation or none.
        most: sentences wanted at most.
    """
    rows = [[_undotted(text)] for text in texts]
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
    return [_stopped(_joined(row)) for row in rows]


def promises_joined(texts: Iterable[str]) -> list[str]:
    """Return sentences with what one person promised in one sentence, where the first of these promises stood.

    Args:
        texts: sentences, each with one quotation or none.
    """
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
    """Return the single statements of a sentence; of any other sentence itself."""
    if _AND not in sentence and '"; ' not in sentence:
        return [sentence]
    found: list[str] = []
    clauses = _NEXT.sub('"\n', _undotted(sentence)).split("\n")
    for at, clause in enumerate(clauses):
        lead, *said = re.split(r'(?<=, )"|" and "', clause)
        whole = said and not any(mark in part for mark in "“”" for part in said) and clause.count('"') == 2 * len(said)
        if not whole:
            return [sentence]
        ends = [_stopped(f'"{_end(part.rstrip(chr(34)))}"') for part in said]
        found += [f"{lead if at == 0 else lead[:1].upper() + lead[1:] if _again(lead) else lead}{one}" for one in ends]
    return found


def sayings(statement: str) -> list[str]:
    """Return a quotation of several sentences as quotations of one sentence each; any other statement itself."""
    found = _CLAUSE.fullmatch(statement)
    return [f'{found["lead"]}"{one}"' for one in sentences(found["said"])] if found else [statement]


def _again(lead: str) -> bool:
    return lead.startswith(("more than once ", "again and again "))


def _is_quotation(text: str) -> bool:
    return text.endswith('"') and _CLAUSE.match(text) is not None and (text.count('"') == 2 or _AND in text)


def _of_one(one: str, other: str) -> str:
    """Return what one person said twice in a row as one sentence; empty when it is not of one."""
    mine, theirs = _CLAUSE.match(one), _CLAUSE.fullmatch(other)
    same = mine and theirs and mine["lead"] == theirs["lead"] and _is_quotation(one)
    return f'{_open(one)} and "{theirs["said"]}"' if same and theirs else ""


def _joined(row: Sequence[str]) -> str:
    rest = (text[:1].lower() + text[1:] if _again(text[:1].lower() + text[1:]) else text for text in row[1:])
    every = [row[0], *rest]
    return "; ".join([*map(_open, every[:-1]), every[-1]])


def _open(text: str) -> str:
    """Return a quotation without the full stop at its end, as it stands inside a sentence."""
    return f'{text[:-2]}"' if text.endswith('."') and not text.endswith('.."') else text


def _undotted(text: str) -> str:
    """Return a sentence without the full stop behind a quotation that ends with three dots."""
    return text[:-1] if text.endswith('…".') else text


def _stopped(text: str) -> str:
    return f"{text}." if text.endswith('…"') else text


def _end(said: str) -> str:
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."
