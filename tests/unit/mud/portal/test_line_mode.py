"""The line mode of a terminal, driven through prompt_toolkit's own pipe input."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from mud.clock import VirtualClock
from mud.engine.engine import Engine
from mud.portal.ansi import WIDEST
from mud.portal.completion import Completions, complete, known_to
from mud.portal.history import InputHistory
from mud.portal.line_mode import ask_name, coloured, run_lines
from mud.portal.pages import Pages
from mud.portal.session import Message, Session
from mud.world.roles import Role
from tests.worlds import ANN, make_engine

SOON = 10.0
"""Seconds that a test waits at most for what should happen at once."""


async def type_in(keys: str, history: Path, rows: int | None = None) -> tuple[list[str], Engine, Session]:
    """Type keys at a terminal and return what was shown, the engine and the session, once it has ended."""
    engine, shown = make_engine(), list[str]()
    pages = Pages(lambda data: shown.append(data.decode().rstrip()), lambda: rows)

    def show(message: Message) -> None:
        pages.show(f"{message.text}\n".encode())

    session = Session(ANN, lambda line: engine.step(ANN, line, Role.OWNER), show)

    def completed(session: Session, line: str) -> Completions:
        return complete(line, engine.commands, session.role, known_to(engine.world, ANN))

    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        kept = InputHistory(history, VirtualClock())
        await asyncio.wait_for(run_lines(session, completed, kept, pages, "-- more --"), SOON)
    return shown, engine, session


async def test_lines_are_typed_until_one_quits_and_kept_for_the_arrow_keys(tmp_path: Path) -> None:
    shown, _, session = await type_in("say hello\rquit\r", tmp_path / "log" / "history")
    assert shown[0] == 'You say, "hello"'
    assert session.over
    assert "+say hello" in (tmp_path / "log" / "history").read_text("utf-8")
    shown, _, _ = await type_in("\x1b[A\x1b[A\rquit\r", tmp_path / "log" / "history")
    assert shown[0] == 'You say, "hello"'


async def test_a_long_answer_stops_after_a_screenful_and_enter_goes_on(tmp_path: Path) -> None:
    shown, engine, _ = await type_in("help all\r\rlook\rquit\r", tmp_path / "history", rows=10)
    assert [text.count("\n") for text in shown[:2]] == [8, 8]
    assert shown[2].startswith("The Garden\n")  # any other line is carried out, and what was left is not shown
    assert engine.number == 3


async def test_the_tab_key_completes_names_too(tmp_path: Path) -> None:
    shown, _, _ = await type_in("take lam\t\rquit\r", tmp_path / "history")
    assert shown[0] == "You take the brass lamp."


async def test_one_types_on_after_a_command_or_name_that_the_tab_key_completed(tmp_path: Path) -> None:
    shown, _, _ = await type_in("exa\tbrass\t\rwhi\tEl\thello\rquit\r", tmp_path / "history")
    assert shown[0].startswith("brass lamp: ")
    assert shown[1] == 'You whisper to Eliza, "hello"'


@pytest.mark.parametrize("key", ["\x04", "\x03"])
async def test_ctrl_d_and_ctrl_c_leave_as_quit_does(key: str, tmp_path: Path) -> None:
    shown, engine, session = await type_in(key, tmp_path / "history")
    assert session.over
    assert len(shown) == 1
    assert engine.number == 1


async def test_a_private_line_is_kept_nowhere(tmp_path: Path) -> None:
    taken: list[str | None] = []
    session = Session(ANN, lambda line: make_engine().step(ANN, line, Role.OWNER), lambda message: None)
    session.ask("Your new password:", taken.append)
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text("open sesame\rlook\r@password open sesame\rmaybe a password\r\x04")
        kept = InputHistory(tmp_path / "history", VirtualClock())
        pages = Pages(lambda data: None, lambda: None)
        await asyncio.wait_for(run_lines(session, lambda session, line: Completions(0, ()), kept, pages, ""), SOON)
    assert taken == ["open sesame"]
    assert kept.read() == ["look"]


@pytest.mark.parametrize(("keys", "name"), [("Jonas\r", "Jonas"), (" \r", "Visitor"), ("\x04", None), ("\x03", None)])
async def test_who_gives_no_name_is_a_visitor_and_may_go_again(keys: str, name: str | None) -> None:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        assert await asyncio.wait_for(ask_name("Your name? ", "Visitor"), SOON) == name


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


def test_long_lines_are_broken_between_words_and_colours_left_out_where_they_are_not_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("NO_COLOR", "1")
    message = Message("  go <way>   Walk.\n\n" + "word " * 60, "refusal")
    lines = coloured()(message).split("\n")
    assert lines[:2] == ["  go <way>   Walk.", ""]
    assert all(len(line) <= WIDEST for line in lines)
    assert " ".join(lines[2:]).split() == ["word"] * 60
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b[" in coloured()(message)
