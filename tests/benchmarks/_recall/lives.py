"""Lives with questions, read from files of two formats that are told apart by their content.

LoCoMo (Maharana et al., 2024): a JSON list of conversations with dated sessions; the evidence of questions is turns.
A life: JSON lines as for `remember`, and a file of questions beside it with the strings that an answer holds.
Data is never corrected: evidence that names no turn stays, and is never found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from agents.memory.entries import entry_from_record
from mud.clock import iso, parse_iso
from mud.errors import LociError

STEP = timedelta(seconds=10)
"""Time between two turns of a session; the data date only its beginning."""
_SESSION = re.compile(r"session_(\d+)")
_DATE = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True, slots=True)
class LifeQuestion:
    """One question.

    Args:
        kind: its category or kind, as in the file.
        evidence: the names of the turns that answer it; for a life, places of memories, from 0.
        answer: strings that an answer must all hold; empty for a conversation.
    """

    text: str
    kind: str
    evidence: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BenchmarkLife:
    """All memories of one agent, and its questions.

    Args:
        records: the memories in order, as for `remember`.
        turns: the name of each memory, such as `D1:3`; for a life, its place from 0.
        sessions: for a conversation, the session of each memory.
    """

    records: Sequence[Mapping[str, Any]]
    questions: Sequence[LifeQuestion]
    turns: Sequence[str] = field(default=())
    sessions: Sequence[int] = field(default=())


@dataclass(frozen=True, slots=True)
class Data:
    """A file of lives; `form` is `locomo` or `life`."""

    form: str
    lives: Sequence[BenchmarkLife]


def read_data(path: Path, questions: Path | None) -> Data:
    """Read lives with their questions.

    `questions` belongs to a life, by default the file NAME-questions.jsonl beside it. LoCoMo holds its own.
    """
    text = _text(path)
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):  # a file of several JSON lines
        whole = None
    try:
        if isinstance(whole, list) and whole:
            return Data("locomo", [_conversation(one) for one in whole])
        records = [dict(json.loads(line)) for line in text.split("\n") if line.strip()]
        _check(records)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LociError(
            f"{path} is of no known form ({_why(error)}); expected LoCoMo's JSON or a life of JSON lines"
        ) from None
    beside = questions or path.with_name(f"{path.stem}-questions.jsonl")
    return Data("life", [BenchmarkLife(records, _asked(beside), [str(place) for place in range(len(records))])])


def _check(records: Sequence[Mapping[str, Any]]) -> None:
    if not records:
        raise ValueError("it is empty")
    for record in records:
        entry_from_record(record, 1, "2026-01-01T00:00:00.000Z", 0)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise LociError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None


def _why(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _asked(path: Path) -> list[LifeQuestion]:
    questions = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            questions.append(_question(json.loads(line)))
        except (ValueError, KeyError, RecursionError) as error:
            raise LociError(
                f"{path}:{number} is no question ({_why(error)}); expected question, kind and answer_contains"
            ) from None
    return questions


def _question(one: object) -> LifeQuestion:
    if not isinstance(one, dict):
        raise ValueError("this is no JSON object")
    text, answer, evidence = one["question"], one["answer_contains"], one.get("evidence", [])
    if not isinstance(text, str):
        raise ValueError("question is no text")
    if not isinstance(answer, list) or not all(isinstance(part, str) for part in answer):
        raise ValueError("answer_contains is no list of texts")  # in a bare string every letter would be looked for
    if not isinstance(evidence, list):
        raise ValueError("evidence is no list")
    return LifeQuestion(text, str(one["kind"]), tuple(map(str, evidence)), tuple(answer))


def _conversation(sample: Mapping[str, Any]) -> BenchmarkLife:
    told = sample["conversation"]
    records, turns, sessions = [], [], []
    numbers = [int(found[1]) for key in told if (found := _SESSION.fullmatch(key))]
    for number in sorted(numbers):
        begun = _begun(told[f"session_{number}_date_time"])
        for turn, record in _turns(told[f"session_{number}"], begun):
            turns.append(turn)
            sessions.append(number)
            records.append(record)
    _check(records)
    questions = [
        LifeQuestion(one["question"], str(one["category"]), tuple(dict.fromkeys(one["evidence"])))
        for one in sample["qa"]
    ]
    return BenchmarkLife(records, questions, turns, sessions)


def _begun(text: str) -> datetime:
    try:
        return datetime.strptime(text, _DATE)
    except ValueError:
        return parse_iso(text)


def _turns(session: Sequence[Mapping[str, Any]], begun: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, turn in enumerate(session):
        who, words = turn["speaker"], turn["text"]
        at = iso(parse_iso((begun + number * STEP).isoformat()))
        yield turn["dia_id"], {"kind": "heard", "actor": who, "at": at, "text": f'{who} says, "{words}"'}
