from __future__ import annotations

import json
from pathlib import Path

import pytest

from mud.errors import LociError
from tests.benchmarks._recall.lives import read_data
from tests.unit.benchmarks.recall.data import CONVERSATION, write_conversation, write_life


def test_a_conversation_becomes_what_its_listener_would_remember(tmp_path: Path) -> None:
    data = read_data(write_conversation(tmp_path), None)
    (life,) = data.lives
    assert data.form == "locomo"
    assert life.records[1] == {
        "kind": "heard",
        "actor": "Osric",
        "at": "2024-05-08T13:56:10.000Z",
        "text": 'Osric says, "The kiln is cold."',
    }
    assert list(life.turns) == ["D1:1", "D1:2", "D2:1", "D10:1"]
    assert list(life.sessions) == [1, 1, 2, 10]


def test_evidence_is_taken_as_it_stands_but_for_doubles(tmp_path: Path) -> None:
    (life,) = read_data(write_conversation(tmp_path), None).lives
    assert [one.evidence for one in life.questions] == [("D1:2",), ("D10:1", "D2:1; D1:1"), ()]
    assert [one.kind for one in life.questions] == ["4", "1", "3"]


def test_captions_of_pictures_are_not_lived_through(tmp_path: Path) -> None:
    (life,) = read_data(write_conversation(tmp_path), None).lives
    assert "blip" not in json.dumps(list(life.records))
    assert not any("a photo" in one["text"] for one in life.records)


def test_a_life_is_read_with_the_questions_beside_it(tmp_path: Path) -> None:
    path = write_life(tmp_path)
    data = read_data(path, None)
    (life,) = data.lives
    assert (data.form, len(life.records), life.turns[:2]) == ("life", 40, ["0", "1"])
    assert life.questions[0].answer == ("blue bowl",)
    assert life.questions[0].evidence == ("7",)
    elsewhere = tmp_path / "asked.jsonl"
    (tmp_path / "life-questions.jsonl").rename(elsewhere)
    assert read_data(path, elsewhere).lives[0].questions == life.questions


def test_a_life_of_one_line_is_a_life_too(tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    path.write_text('{"text": "The kiln is cold."}\n')
    (tmp_path / "short-questions.jsonl").write_text("")
    assert len(read_data(path, None).lives[0].records) == 1


@pytest.mark.parametrize("text", ["", "[]", "7", "nonsense", '{"no": "text"}', '[{"conversation": {}}]', "[" * 100_000])
def test_a_file_of_no_known_form_is_said_in_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(text)
    with pytest.raises(LociError, match=r"data\.json is of no known form .*expected LoCoMo's JSON") as told:
        read_data(path, None)
    assert "\n" not in str(told.value)


def test_a_session_without_a_time_is_of_no_known_form(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    broken = {**CONVERSATION, "conversation": {**CONVERSATION["conversation"], "session_2_date_time": "lately"}}
    path.write_text(json.dumps([broken]))
    with pytest.raises(LociError, match=r"of no known form \(.*lately"):
        read_data(path, None)


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(LociError, match=r"none\.json cannot be read: No such file"):
        read_data(tmp_path / "none.json", None)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LociError, match="it is not UTF-8"):
        read_data(tmp_path / "bytes", None)


def test_questions_that_are_missing_or_wrong_are_said(tmp_path: Path) -> None:
    path = write_life(tmp_path)
    beside = tmp_path / "life-questions.jsonl"
    beside.write_text('{"question": "where?", "kind": "central"}\n')
    with pytest.raises(LociError, match=r"questions\.jsonl:1 is no question \('answer_contains' is missing\)"):
        read_data(path, None)
    beside.unlink()
    with pytest.raises(LociError, match=r"life-questions\.jsonl cannot be read"):
        read_data(path, None)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"question": "where?", "kind": "a", "answer_contains": "mat"}', "answer_contains is no list of texts"),
        ('{"question": "where?", "kind": "a", "answer_contains": ["mat", 7]}', "answer_contains is no list of texts"),
        ('{"question": "where?", "kind": "a", "answer_contains": {"mat": 1}}', "answer_contains is no list of texts"),
        ('{"question": "where?", "kind": "a", "answer_contains": ["mat"], "evidence": "12"}', "evidence is no list"),
        ('{"question": 7, "kind": "a", "answer_contains": ["mat"]}', "question is no text"),
        ("7", "this is no JSON object"),
        ("nonsense", "Expecting value"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_a_question_that_is_none_is_said_in_one_sentence(tmp_path: Path, line: str, why: str) -> None:
    path = write_life(tmp_path)
    (tmp_path / "life-questions.jsonl").write_text(f"{line}\n")
    with pytest.raises(LociError, match=rf"questions\.jsonl:1 is no question \(.*{why}.*\); expected") as told:
        read_data(path, None)
    assert "\n" not in str(told.value)
