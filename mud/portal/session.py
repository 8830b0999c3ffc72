"""One person's time in the world, without any input or output: lines go in, lines to show come out.

Pure: a terminal, a pipe and later a socket all drive the same session.
"""

from __future__ import annotations

from collections.abc import Callable

from mud.engine.engine import Step


class Session:
    """A person at a keyboard.

    Args:
        who: id of the person's character.
        submit: carries out a line as that character.
        show: takes a text to show, which may have several lines; an OSError of it ends the session, since whoever read
            it has gone.
    """

    def __init__(self, who: str, submit: Callable[[str], Step], show: Callable[[str], None]) -> None:
        self.own = who
        self.who = who
        """Id of whom they see through: their own character, or one that they have taken over."""
        self.over = False
        self._submit = submit
        self._show = show
        self._awaited: dict[int, int] = {}
        self._early: dict[int, int] = {}
        """Answers that came while the line that asked was still being submitted."""

    @property
    def waiting(self) -> bool:
        """Whether a line still waits for the answer to what it asked for."""
        return bool(self._awaited)

    def type(self, line: str) -> None:
        """Submit a line and show its reply. An empty line does nothing."""
        if not line.strip():
            return
        self._early.clear()
        step = self._submit(line)
        open_requests = len(step.requests) - self._early.pop(step.number, 0)
        if open_requests > 0:
            self._awaited[step.number] = open_requests
        self.tell(step.reply)
        self.over = self.over or step.quit

    def tell(self, text: str) -> None:
        """Show something to this person; nothing when there is nothing to show."""
        if not text:
            return
        try:
            self._show(text)
        except OSError:
            self.over = True

    def observe(self, step: Step) -> None:
        """Show what a step of somebody else, or the answer to a request, lets this person perceive."""
        asked = step.answers
        if asked is not None and (asked.who == self.who or asked.step in self._awaited):
            self._answered(asked.step)
            self.tell(step.reply)
        elif step.who != self.who:
            for perceived in step.left:
                if perceived.who == self.who:
                    self.tell(perceived.text)

    def _answered(self, number: int) -> None:
        if number not in self._awaited:
            self._early[number] = self._early.get(number, 0) + 1
            return
        self._awaited[number] -= 1
        if not self._awaited[number]:
            del self._awaited[number]
