"""Which way in the person gets who started the program."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mud.portal.modes import SMALLEST, Mode, mode_of

SCREEN = {"TERM": "xterm-256color"}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the standard streams those of a terminal of 80 columns and 24 rows."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "wb", 0), os.fdopen(theirs, "w", encoding="utf-8") as stream:
        for name in ("stdin", "stdout", "__stderr__"):
            monkeypatch.setattr(sys, name, stream)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("LINES", "24")
        yield


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    ("plain", "environment", "mode"),
    [
        (None, SCREEN, Mode.SCREEN),
        (True, SCREEN, Mode.LINES),
        (None, SCREEN | {"NO_COLOR": "1"}, Mode.LINES),
        (None, SCREEN | {"NO_COLOR": ""}, Mode.SCREEN),
        (None, SCREEN | {"ACCESSIBLE": "1"}, Mode.LINES),
        (None, SCREEN | {"LOCI_PLAIN": "yes"}, Mode.LINES),
        (False, SCREEN | {"NO_COLOR": "1"}, Mode.SCREEN),
        (None, {"TERM": "dumb"}, Mode.PIPE),
        (False, {"TERM": "dumb"}, Mode.PIPE),
    ],
)
def test_a_terminal_is_a_full_screen_unless_it_or_its_user_asks_for_lines(
    plain: bool | None, environment: dict[str, str], mode: Mode
) -> None:
    assert mode_of(plain, environment) is mode


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(("name", "size"), [("COLUMNS", SMALLEST[0]), ("LINES", SMALLEST[1])])
def test_a_small_window_is_used_line_by_line(monkeypatch: pytest.MonkeyPatch, name: str, size: int) -> None:
    monkeypatch.setenv(name, str(size))
    assert mode_of(None, SCREEN) is Mode.SCREEN
    monkeypatch.setenv(name, str(size - 1))
    assert mode_of(None, SCREEN) is Mode.LINES


@pytest.mark.usefixtures("terminal")
def test_a_pipe_is_a_pipe_and_errors_written_to_a_file_leave_the_line_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open("w", encoding="utf-8") as null:
        monkeypatch.setattr(sys, "__stderr__", null)
        assert mode_of(None, SCREEN) is Mode.LINES
        monkeypatch.setattr(sys, "stdin", null)
        assert mode_of(None, SCREEN) is Mode.PIPE
        assert mode_of(True, SCREEN) is Mode.PIPE
