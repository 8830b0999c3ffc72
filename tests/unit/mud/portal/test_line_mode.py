"""The way in for a terminal, driven through prompt_toolkit's own pipe input."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from mud.engine.engine import Engine
from mud.portal.plain import WIDEST, show_wrapped
from mud.portal.session import Session
from mud.portal.terminal import run_terminal
from mud.world.roles import Role
from tests.worlds import ANN, make_engine

SOON = 10.0
"""Seconds that a test waits at most for what should happen at once."""


async def type_in(keys: str, history: Path) -> tuple[list[str], Engine, Session]:
    """Type keys at a terminal and return what was shown, the engine and the session, once it has ended."""
    engine, shown = make_engine(), list[str]()
    session = Session(ANN, lambda line: engine.step(ANN, line, Role.OWNER), lambda message: shown.append(message.text))
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        await asyncio.wait_for(run_terminal(session, engine.commands.words(), history), SOON)
    return shown, engine, session


async def test_lines_are_typed_until_one_quits_and_kept_for_the_arrow_keys(tmp_path: Path) -> None:
    shown, _, session = await type_in("say hello\rquit\r", tmp_path / "log" / "history")
    assert shown[0] == 'You say, "hello"'
    assert session.over
    assert "+say hello" in (tmp_path / "log" / "history").read_text("utf-8")


@pytest.mark.parametrize("key", ["\x04", "\x03"])
async def test_ctrl_d_and_ctrl_c_leave_as_quit_does(key: str, tmp_path: Path) -> None:
    shown, engine, session = await type_in(key, tmp_path / "history")
    assert session.over
    assert len(shown) == 1
    assert engine.number == 1


async def test_a_history_that_cannot_be_written_costs_nothing_but_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shown, _, _ = await type_in("say hello\rquit\r", _unwritable(tmp_path))
    assert shown[0] == 'You say, "hello"'
    assert "cannot be kept" in caplog.text


def _unwritable(folder: Path) -> Path:
    """Return a path that looks like no file yet and cannot be opened for writing: a link into nowhere."""
    link = folder / "dangling"
    link.symlink_to(folder / "no such folder" / "history")
    return link


def test_long_lines_are_broken_between_words_and_short_ones_kept(capsys: pytest.CaptureFixture[str]) -> None:
    show_wrapped("  go <way>   Walk.\n\n" + "word " * 60)
    lines = capsys.readouterr().out.split("\n")
    assert lines[0] == "  go <way>   Walk."
    assert lines[1] == ""
    assert all(len(line) <= WIDEST for line in lines)
    assert " ".join(lines[2:]).split() == ["word"] * 60
