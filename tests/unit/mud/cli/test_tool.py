from __future__ import annotations

import json

import pytest

from mud.cli import Tool, VectorProgress, emit, progress
from mud.registry import load


def test_a_record_is_one_line_in_any_script_and_progress_goes_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"name": "Ἑλένη", "text": "one\ntwo", "none": None})
    progress("half")
    said = capsys.readouterr()
    assert said.out.count("\n") == 1
    assert json.loads(said.out) == {"name": "Ἑλένη", "text": "one\ntwo", "none": None}
    assert "Ἑλένη" in said.out
    assert said.err == "half\n"


def test_every_command_says_what_it_does() -> None:
    for one in load("mud.cli", Tool, "command"):
        assert one.help


def test_how_far_the_vectors_are_is_said_at_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    said = VectorProgress()
    for done in range(21):
        said(done, 20)
    assert capsys.readouterr().err.splitlines() == [f"vectors: {done} of 20" for done in range(0, 21, 2)]


def test_vectors_that_are_all_there_are_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    said = VectorProgress()
    said(20, 20)
    assert capsys.readouterr().err == ""
