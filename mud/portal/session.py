"""One player's session without input or output: a terminal, a pipe or a socket can drive it."""

from __future__ import annotations

from collections.abc import Callable

from mud.engine.engine import Step


class Session:
    """A player at a keyboard, with the character `who`. An OSError from `show` ends the session."""

    def __init__(self, who: str, submit: Callable[[str], Step], show: Callable[[str], None]) -> None:
        self.own = who
        self.who = who  # id of the character whose perceptions are shown: the player's own or a possessed one
        self.over = False
        self._submit = submit
        self._show = show
        self._awaited: dict[int, int] = {}
        self._early: dict[int, int] = {}
        """Answers that came while the line with the request was still being submitted."""

    @property
    def waiting(self) -> bool:
        """Whether requests of a line are still unanswered."""
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
        if not text:
            return
        try:
            self._show(text)
        except OSError:
            self.over = True

    def observe(self, step: Step) -> None:
        """Show what another character's step, or the answer to a request, lets this player perceive."""
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
