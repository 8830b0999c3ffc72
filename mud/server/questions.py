"""Asking the person at a session for lines that anybody may see, such as a text to be edited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from mud.commands import Say
from mud.errors import Refusal
from mud.portal.session import Session
from mud.sanitize import sanitize
from mud.world.narration import phrase

ABORTED = phrase("app.questions.aborted")
NOT_ASKED = phrase("app.questions.not_asked")
LINE_LEFT_OUT = phrase("app.questions.left_out", "why")
TOO_LONG = phrase("app.questions.too_long", "most")

END, OLD, ABORT = ".", "..old", "..abort"


def check_may_ask(session: Session, say: Say) -> None:
    """Raise Refusal where nothing is asked for, as of a program."""
    if not session.may_ask:
        raise Refusal(say(NOT_ASKED))


async def ask_line(session: Session, say: Say, question: str) -> str:
    """Ask for one line and return it, stripped. Raises Refusal when the person gives up or may no longer ask."""
    check_may_ask(session, say)
    answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
    role = session.role

    def take(line: str | None) -> None:
        if not answer.done():
            answer.set_result(line)

    session.ask(question, take, private=False)
    line = await answer
    if line is None or line.strip() == ABORT or session.role < role:
        raise Refusal(say(ABORTED))
    return sanitize(line).strip()


async def ask_lines(
    session: Session,
    say: Say,
    question: str,
    most: int,
    old: Sequence[str] = (),
    wrong: Callable[[str], str] = lambda line: "",
    lost: Callable[[list[str]], None] = lambda lines: None,
) -> list[str]:
    """Ask for lines until one is `.`, and return them. Raises Refusal as `ask_line` does.

    Args:
        most: characters of all lines together; what is more is not taken.
        old: the lines that `..old` stands for.
        wrong: returns why a line is not taken, told at once; empty for one that is.
        lost: called with what was typed when the person is gone before the end.
    """
    check_may_ask(session, say)
    answer: asyncio.Future[list[str] | None] = asyncio.get_running_loop().create_future()
    lines: list[str] = []
    role = session.role

    def take(line: str | None) -> None:
        typed = sanitize(line or "").rstrip()
        if answer.done():
            return
        if line is None or typed.strip() in (ABORT, END):
            if line is None and lines:
                lost(lines)
            answer.set_result(lines if typed.strip() == END else None)
            return
        new = list(old) if typed.strip() == OLD else [typed]
        too_long = sum(map(len, lines + new)) > most
        if why := say(TOO_LONG, most=f"{most:,}") if too_long else "".join(map(wrong, new)):
            session.tell(say(LINE_LEFT_OUT, why=why), "refusal")
        else:
            lines.extend(new)
        session.ask("", take, private=False)  # at once, so that no line that comes meanwhile is taken for a command

    session.ask(question, take, private=False)
    given = await answer
    if given is None or session.role < role:
        raise Refusal(say(ABORTED))
    return given
