"""Which way in the person gets who started the program."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from mud.portal.modes import SMALLEST, Mode, Streams, mode_of

SCREEN = {"TERM": "xterm-256color"}


@pytest.fixture
def terminal() -> Iterator[Streams]:
    """The standard streams of a terminal of 80 columns and 24 rows."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "wb", 0), os.fdopen(theirs, "w", encoding="utf-8") as stream:
        resize(Streams(stream, stream, stream), 80, 24)
        yield Streams(stream, stream, stream)


def resize(terminal: Streams, columns: int, rows: int) -> None:
    fcntl.ioctl(terminal.stdout.fileno(), termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


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
    terminal: Streams, plain: bool | None, environment: dict[str, str], mode: Mode
) -> None:
    assert mode_of(plain, terminal, environment) is mode


def test_a_small_window_is_used_line_by_line(terminal: Streams) -> None:
    columns, rows = SMALLEST
    for size, mode in (
        ((columns, rows), Mode.SCREEN),
        ((columns - 1, rows), Mode.LINES),
        ((200, rows - 1), Mode.LINES),
    ):
        resize(terminal, *size)
        assert mode_of(None, terminal, SCREEN) is mode


def test_a_pipe_is_a_pipe_and_where_errors_go_to_a_file_the_line_mode_is_left(terminal: Streams) -> None:
    with Path(os.devnull).open("w", encoding="utf-8") as null:
        assert mode_of(None, terminal._replace(stderr=null), SCREEN) is Mode.LINES
        for plain in (None, True, False):
            assert mode_of(plain, terminal._replace(stdin=null), SCREEN) is Mode.PIPE
            assert mode_of(plain, terminal._replace(stdout=null), SCREEN) is Mode.PIPE
