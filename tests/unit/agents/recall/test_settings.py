from __future__ import annotations

from pathlib import Path

from agents.recall.settings import RecallSettings
from mud.storage.settings import describe
from tests.settings import parse_settings

SHIPPED = Path(__file__).parents[4] / "vault" / "config" / "recall.md"


def test_the_shipped_file_shows_every_key_with_its_help_and_default() -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    values, problems = parse_settings(text, RecallSettings, "config/recall.md")
    assert problems == []
    assert {key: value.value for key, value in values.items()} == {
        one.key: getattr(RecallSettings(), one.key) for one in describe(RecallSettings)
    }
    assert all(one.help.rstrip(".") in text for one in describe(RecallSettings))
