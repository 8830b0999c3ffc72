"""The decorator that makes a function a command, and what it insists on."""

from __future__ import annotations

from typing import Any

import pytest

from mud.commands import Context, Outcome, command
from mud.world.roles import Role


def test_a_docstring_is_the_help() -> None:
    @command("hum", "<tune>", aliases=("h",), category="social")
    def hum(ctx: Context, tune: str) -> Outcome:
        """Hum a tune.

        Everybody likes that,
        whatever the tune.

        - Loudly
        - Softly

        Example: hum a waltz
        Example: hum
        """
        return Outcome(tune)

    assert hum.summary == "Hum a tune."
    assert hum.details == "Everybody likes that, whatever the tune.\n\n- Loudly\n- Softly"
    assert hum.examples == ("hum a waltz", "hum")
    assert hum.usage == "hum <tune>"
    assert hum.role is Role.AGENT


def run(ctx: Context, words: str) -> Outcome:
    """Do.

    Example: do it
    """
    return Outcome(words)


def bare(ctx: Context, words: str) -> Outcome:
    """Do, without an example."""
    return Outcome(words)


@pytest.mark.parametrize(
    ("function", "form", "more"),
    [
        (bare, "<words>", {"category": "social"}),
        (run, "", {"category": "social"}),
        (run, "<other>", {"category": "social"}),
        (run, "<words>", {"category": "nonsense"}),
        (run, "<words>", {"category": "social", "keeps": "sometimes"}),
        (run, "words", {"category": "social"}),
    ],
)
def test_a_command_that_is_not_whole_fails_at_import(function: Any, form: str, more: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"docstring|form|category"):
        command("do", form, **more)(function)  # type: ignore[arg-type]
