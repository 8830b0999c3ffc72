"""The person who started the program, served as a pipe, line by line at a prompt, or by a full screen."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import partial

from agents.definition import check_name
from mud.errors import LociError
from mud.portal.history import InputHistory
from mud.portal.modes import Mode
from mud.portal.pages import Pages
from mud.portal.phrases import MORE
from mud.portal.plain import run_plain, show_plain
from mud.portal.session import Message, Session
from mud.portal.terminal_words import ASK_NAME, TRY_LINES
from mud.server.people import People
from mud.server.wiring import Parts

VISITOR = "Visitor"


class LocalPlayer:
    """The person at the terminal or pipe where the program was started.

    Args:
        name: None when it was not given: a terminal asks, a pipe takes `VISITOR`.
        gone: called with an error when nothing can be shown any more; the world ends then.
        news: returns what has to be told to whoever comes in, if anything.
    """

    def __init__(
        self, parts: Parts, people: People, mode: Mode, name: str | None, gone: Callable[[OSError], None],
        news: Callable[[], str],
    ) -> None:  # fmt: skip
        self.mode = mode
        self._parts, self._people, self._name, self._gone, self._news = parts, people, name, gone, news
        self._session: Session | None = None
        self._untold: list[tuple[str, str]] = []  # what came before the person was in, with its kinds of message

    @property
    def name(self) -> str:
        """The name of the person's character, as far as it is known yet."""
        led = self._parts.engine.world.get(self._session.own) if self._session is not None else None
        return led.name if led is not None else self._name or VISITOR

    def tell_later(self, text: str, kind: str = "notice") -> bool:
        """Keep a text for when the person comes in at a terminal, or show it to the person who has just left.

        Return False when stderr has to take it.
        """
        if self._session is not None and self._session.over:
            return self._tell_after(text)
        if self.mode is Mode.PIPE or self._session is not None:
            return False
        self._untold.append((text, kind))
        return True

    def _tell_after(self, text: str) -> bool:
        if self.mode is Mode.SCREEN:
            return False
        try:
            show_plain(text)
        except OSError as error:
            self._gone(error)
            return False
        return True

    async def play(self, answered: Callable[[], asyncio.Event]) -> None:
        """Let the person in and carry their session on until it is over. Raises LociError and OSError.

        Args:
            answered: returns the event that is set after each answered request.
        """
        try:
            match self.mode:
                case Mode.PIPE:
                    session = self._enter(self._name or VISITOR, lambda message: self._print(message.text))
                    await run_plain(session, answered, sys.stdin.fileno())
                case Mode.LINES:
                    await self._play_lines()
                case Mode.SCREEN:
                    await self._play_screen()
        finally:
            if self._session is not None:
                self._session.end()  # the character leaves when its due folds are made

    def _enter(self, name: str, show: Callable[[Message], None]) -> Session:
        """Let the person in and tell what waits for them. Raises LociError."""
        session = self._people.enter_local(check_name(name), show, news=self.mode is not Mode.PIPE)
        self._session = session
        for text, kind in dict.fromkeys([*self._untold, (self._news(), "notice")]):
            session.tell(text, kind)
        return session

    def _print(self, text: str) -> None:
        try:
            show_plain(text)
        except OSError as error:
            self._gone(error)
            raise

    async def _play_lines(self) -> None:
        # Imported here, as what the full screen needs, because no pipe needs these libraries.
        from mud.portal.line_mode import ask_name, coloured, run_lines, window_rows
        from mud.server.doors import complete_line

        say, drawn = self._parts.texts.render, coloured()
        pages = Pages(
            lambda data: self._print(data.decode().removesuffix("\n")),
            lambda: window_rows() if self._people.settings().pages else None,
        )

        def show(message: Message) -> None:
            if message.kind == "reply":
                pages.show(f"{drawn(message)}\n".encode())
            else:
                self._print(drawn(message))

        asking = self._name is None
        while self._session is None:
            name = await ask_name(say(ASK_NAME, default=VISITOR) + " ", VISITOR) if asking else self._name
            if name is None:
                return
            try:
                self._enter(name, show)
            except LociError as error:
                if not asking:
                    raise
                show_plain(str(error))
        self._session.tell(say(TRY_LINES))
        await run_lines(self._session, partial(complete_line, self._parts), self._history, pages, say(MORE))

    async def _play_screen(self) -> None:
        from mud.portal.terminal import run_terminal
        from mud.server.doors import terminal_view

        view = terminal_view(self._parts, self._enter)
        if farewell := await run_terminal(view, self._name, VISITOR, self._history):
            show_plain(farewell)

    @property
    def _history(self) -> InputHistory:
        return InputHistory(self._parts.vault / "log" / "history", self._parts.clock)
