"""The line mode of a terminal: an input line with history and editing at the bottom, the world above it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout

from mud.portal.ansi import TerminalStyle, draw, fitting
from mud.portal.completion import Completions, filled
from mud.portal.history import InputHistory
from mud.portal.modes import FOR_SCREEN_READERS
from mud.portal.pages import Pages
from mud.portal.session import Message, Session, tells_password


class _Kept(History):
    """Typed lines for the arrow keys, in the file of an `InputHistory`; private ones are left out."""

    def __init__(self, kept: InputHistory, session: Session) -> None:
        super().__init__()
        self._kept, self._session = kept, session

    def append_string(self, string: str) -> None:
        session = self._session
        if not session.private and not session.waiting and not tells_password(string):  # it may be taken as a password
            super().append_string(string)

    def load_history_strings(self) -> Iterable[str]:
        return reversed(self._kept.read())

    def store_string(self, string: str) -> None:
        self._kept.add(string)


class _Completer(Completer):
    def __init__(self, complete: Callable[[str], Completions]) -> None:
        self._complete = complete

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        line = document.text_before_cursor
        found = self._complete(line)
        return (Completion(choice, found.start - len(line)) for choice in found.choices)


def _tab(complete: Callable[[str], Completions]) -> KeyBindings:
    """Bind the tab key: what all choices share is filled in at once, and several are shown in a menu.

    The library's own way would come after the letters behind the key, and puts no space behind a whole word.
    """
    keys = KeyBindings()

    @keys.add("tab")
    def fill(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state:
            buffer.complete_next()
            return
        line = buffer.document.text_before_cursor
        found = complete(line)
        if (longer := filled(line, found)) != line:
            buffer.delete_before_cursor(len(line))
            buffer.insert_text(longer)
        if len(found.choices) > 1:
            buffer.start_completion()

    return keys


def coloured() -> Callable[[Message], str]:
    """Return what draws messages for this terminal: wrapped at its width, and in colours unless NO_COLOR is set."""
    colours = 0 if os.environ.get("NO_COLOR") else 16

    def drawn(message: Message) -> str:
        style = TerminalStyle(colours, fitting(shutil.get_terminal_size().columns))
        return draw(message, style).decode().replace("\r\n", "\n").removesuffix("\n")

    return drawn


async def ask_name(question: str, default: str) -> str | None:
    """Ask who comes in, and return the answer, or the default for none; None at Ctrl-D or Ctrl-C."""
    try:
        typed = await PromptSession[str]().prompt_async(question, set_exception_handler=False)
    except (EOFError, KeyboardInterrupt):
        return None
    return typed.strip() or default


def window_rows() -> int | None:
    """Return the rows of this terminal; None for a screen reader, which reads all at once."""
    return None if any(map(os.environ.get, FOR_SCREEN_READERS)) else shutil.get_terminal_size().lines


async def run_lines(
    session: Session, complete: Callable[[Session, str], Completions], history: InputHistory, pages: Pages, more: str
) -> None:
    """Run a session at a terminal until `quit`, Ctrl-D or Ctrl-C. The tab key completes.

    Args:
        pages: what holds back long answers.
        more: asks whether there shall be more of one.
    """

    def completed(line: str) -> Completions:
        return complete(session, line)

    prompt: PromptSession[str] = PromptSession(
        lambda: f"{more} " if pages.held else "> ",
        history=_Kept(history, session),
        completer=_Completer(completed),
        key_bindings=_tab(completed),
        complete_while_typing=False,
        is_password=Condition(lambda: session.private),
    )

    def leave() -> None:
        if prompt.app.is_running:  # a `quit` that had to wait was carried out
            prompt.app.exit(exception=EOFError)

    def ask_privately(private: bool) -> None:
        pages.finish()  # the question is to be seen
        prompt.app.invalidate()

    session.on_private, session.on_end = ask_privately, leave
    with patch_stdout(raw=True):
        while not session.over:
            try:
                line = await prompt.prompt_async(set_exception_handler=False)
                if not pages.take(line):
                    session.type(line)
            except (EOFError, KeyboardInterrupt):
                session.quit()
                return
