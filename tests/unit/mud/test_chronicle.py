from __future__ import annotations

import io
from pathlib import Path

from mud.chronicle import Chronicle
from mud.engine import Step
from mud.world.events import Event
from tests.worlds import ANN, GARDEN, do, make_engine


def test_what_happened_is_told_with_time_and_place_and_nothing_private(tmp_path: Path) -> None:
    engine, shown = make_engine(), io.StringIO()
    chronicle = Chronicle(tmp_path / "log", engine.world, shown)
    engine.observe(chronicle.observe)
    do(engine, "say good morning | because I must")
    do(engine, "whisper Eliza under the pot")
    do(engine, "look")
    chronicle.close()
    written = (tmp_path / "log/chronicle.md").read_text(encoding="utf-8")
    assert written == '- 2026-01-01 00:00:00 *The Garden* Ann says, "good morning"\n'
    assert shown.getvalue() == '[00:00:00] The Garden: Ann says, "good morning"\n'


def test_what_happens_nowhere_is_told_all_the_same(tmp_path: Path) -> None:
    chronicle = Chronicle(tmp_path, make_engine().world, None)
    event = Event("emote", ANN, "#9", "Ann hums.")
    chronicle.observe(Step(1, "2026-01-01T00:00:00.000Z", ANN, None, "", events=(event,)))
    chronicle.close()
    assert "*nowhere* Ann hums." in (tmp_path / "chronicle.md").read_text(encoding="utf-8")


def test_it_goes_on_where_an_earlier_run_ended(tmp_path: Path) -> None:
    for word in ("one", "two"):
        chronicle = Chronicle(tmp_path, make_engine().world, None)
        event = Event("emote", ANN, GARDEN, f"Ann counts {word}.")
        chronicle.observe(Step(1, "2026-01-01T00:00:00.000Z", ANN, None, "", events=(event,)))
        chronicle.close()
    assert (tmp_path / "chronicle.md").read_text(encoding="utf-8").count("\n") == 2
