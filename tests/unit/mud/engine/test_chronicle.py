from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from mud.engine.chronicle import Chronicle, show_event, show_event_json
from mud.engine.engine import Step
from mud.world.events import Event
from tests.worlds import ANN, GARDEN, do, make_engine


def test_what_happened_is_told_with_time_and_place_and_nothing_private(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = make_engine()
    chronicle = Chronicle(tmp_path / "log", engine.world, show_event)
    engine.observe(chronicle.observe)
    do(engine, "say good morning | because I must")
    do(engine, "whisper Eliza under the pot")
    do(engine, "look")
    chronicle.close()
    written = (tmp_path / "log/chronicle.md").read_text(encoding="utf-8")
    assert written == '- 2026-01-01 00:00:00 *The Garden* Ann says, "good morning"\n'
    assert capsys.readouterr().out == '[00:00:00] The Garden: Ann says, "good morning"\n'


def test_what_happens_nowhere_is_told_all_the_same(tmp_path: Path) -> None:
    chronicle = Chronicle(tmp_path, make_engine().world)
    event = Event("emote", ANN, "#9", "Ann hums.")
    chronicle.observe(Step(1, "2026-01-01T00:00:00.000Z", ANN, None, "", events=(event,)))
    chronicle.close()
    assert "*nowhere* Ann hums." in (tmp_path / "chronicle.md").read_text(encoding="utf-8")


def test_it_goes_on_where_an_earlier_run_ended(tmp_path: Path) -> None:
    for word in ("one", "two"):
        chronicle = Chronicle(tmp_path, make_engine().world)
        event = Event("emote", ANN, GARDEN, f"Ann counts {word}.")
        chronicle.observe(Step(1, "2026-01-01T00:00:00.000Z", ANN, None, "", events=(event,)))
        chronicle.close()
    assert (tmp_path / "chronicle.md").read_text(encoding="utf-8").count("\n") == 2


def test_as_json_an_event_is_one_object_on_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = make_engine()
    chronicle = Chronicle(tmp_path, engine.world, show_event_json)
    engine.observe(chronicle.observe)
    do(engine, "say good morning | because I must")
    chronicle.close()
    assert json.loads(capsys.readouterr().out) == {
        "at": "2026-01-01T00:00:00.000Z",
        "place": "The Garden",
        "kind": "speech",
        "actor": "Ann",
        "text": 'Ann says, "good morning"',
    }


def test_a_reader_that_has_gone_is_shown_no_more_and_the_file_goes_on(tmp_path: Path) -> None:
    tries: list[str] = []

    def broken(event: Mapping[str, str | None]) -> None:
        tries.append("shown")
        raise BrokenPipeError

    engine = make_engine()
    chronicle = Chronicle(tmp_path, engine.world, broken)
    engine.observe(chronicle.observe)
    do(engine, "say one")
    do(engine, "say two")
    chronicle.close()
    assert tries == ["shown"]
    assert (tmp_path / "chronicle.md").read_text(encoding="utf-8").count("\n") == 2
