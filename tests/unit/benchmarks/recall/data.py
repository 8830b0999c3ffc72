"""Tiny hand-made lives with questions, in both forms that `bench recall` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CONVERSATION: dict[str, Any] = {
    "sample_id": "made-1",
    "conversation": {
        "speaker_a": "Maud",
        "speaker_b": "Osric",
        "session_1_date_time": "1:56 pm on 8 May, 2024",
        "session_1": [
            {"speaker": "Maud", "dia_id": "D1:1", "text": "Did you fire the bowls today?", "blip_caption": "a photo"},
            {"speaker": "Osric", "dia_id": "D1:2", "text": "The kiln is cold."},
        ],
        "session_2_date_time": "9:05 am on 21 June, 2024",
        "session_2": [{"speaker": "Maud", "dia_id": "D2:1", "text": "I bought a rowing boat called Heron."}],
        "session_3_date_time": "9:05 am on 22 June, 2024",
        "session_10_date_time": "11:30 am on 1 July, 2024",
        "session_10": [{"speaker": "Osric", "dia_id": "D10:1", "text": "My cousin keeps bees in the orchard."}],
    },
    "qa": [
        {"question": "What is cold?", "evidence": ["D1:2"], "category": 4, "answer": "the kiln"},
        {"question": "Who keeps bees?", "evidence": ["D10:1", "D2:1; D1:1", "D10:1"], "category": 1, "answer": "x"},
        {"question": "What is the name of the boat?", "evidence": [], "category": 3},
    ],
}


def write_conversation(folder: Path) -> Path:
    """Write a file of one conversation of four turns, and return its path."""
    path = folder / "talk.json"
    path.write_text(json.dumps([CONVERSATION]), encoding="utf-8")
    return path


def write_life(folder: Path) -> Path:
    """Write a life of forty memories and two questions, and return its path."""
    records = [
        {
            "at": f"2026-03-01T07:{minute:02}:00.000Z",
            "kind": "saw",
            "actor": "Maud",
            "text": f"Maud counts to {minute}.",
        }
        for minute in range(40)
    ]
    records[7] = {**records[7], "kind": "heard", "text": 'Osric says, "The blue bowl broke in the kiln."'}
    path = folder / "life.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    questions = [
        {"kind": "obscure", "question": "What broke in the kiln?", "answer_contains": ["blue bowl"], "evidence": [7]},
        {"kind": "central", "question": "Who keeps bees?", "answer_contains": ["cousin"], "evidence": []},
    ]
    beside = folder / "life-questions.jsonl"
    beside.write_text("".join(json.dumps(one) + "\n" for one in questions), encoding="utf-8")
    return path
