"""The way in for a terminal: an input line with history and editing at the bottom, the world above it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout

from mud.portal.session import Session, tells_password
from mud.storage.paths import make_folder, open_own

log = logging.getLogger(__name__)


class _History(FileHistory):
    """The history of input lines in a file, but for private ones; errors of the disk never end the session."""

    def __init__(self, path: Path, is_private: Callable[[str], bool]) -> None:
        super().__init__(str(path))
        self._path, self._is_private = path, is_private

    def append_string(self, string: str) -> None:
        if not self._is_private(string):
            super().append_string(string)

    def load_history_strings(self) -> Iterable[str]:
        try:
            os.close(open_own(self._path, os.O_RDONLY))
            yield from super().load_history_strings()
        except OSError:
            return

    def store_string(self, string: str) -> None:
        try:
            os.close(open_own(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND))
            super().store_string(string.encode("utf-8", "replace").decode("utf-8"))
        except OSError as error:
            log.warning("what was typed cannot be kept for the arrow keys: %s", error)


async def run_terminal(session: Session, words: list[str], history: Path) -> None:
    """Run a session at a terminal until `quit`, Ctrl-D or Ctrl-C. `words` are completed with the tab key."""
    make_folder(history.parent, above=True)
    completer = WordCompleter(words, sentence=True)
    prompt: PromptSession[str] = PromptSession(
        "> ",
        history=_History(history, lambda line: session.private or tells_password(line)),
        completer=completer,
        complete_while_typing=False,
        is_password=Condition(lambda: session.private),
    )
    session.on_private = lambda private: prompt.app.invalidate()
    with patch_stdout(raw=True):
        while not session.over:
            try:
                session.type(await prompt.prompt_async(set_exception_handler=False))
            except (EOFError, KeyboardInterrupt):
                session.type("quit")
                return
