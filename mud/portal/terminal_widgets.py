"""The parts of the terminal's screen: the story, the panels, and the line in which one types."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from rich.console import Console
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Click, Key, Paste, Resize
from textual.geometry import Size
from textual.message import Message as Posted
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input, Static

from mud.portal.completion import Completions, filled
from mud.portal.history import InputHistory

KEPT, MOST_LINES = 500, 5_000  # texts of the story that are wrapped anew, and lines that can be scrolled back to
INDENT = 4  # columns that a line goes on at when what it stands below begins too far to the right
_COLUMNS = re.compile(r"\s{2,}(?:\S+ )*\S+\s{2,}|\s+")
"""The first of two columns with the space around it, or the indentation of a line."""


class StoryLog(ScrollView, can_focus=True):
    """What happened, newest last. It is wrapped anew when its width changes, and stays where one has scrolled to."""

    def __init__(self, more: str, id: str) -> None:
        super().__init__(id=id)
        self.lines: list[Strip] = []
        self._more, self._texts, self._columns = more, deque[Text](maxlen=KEPT), 0
        self._place = ""
        self._following = True  # the newest is shown

    def tell(self, texts: Iterable[Text]) -> None:
        """Append texts."""
        for text in texts:
            self._texts.append(text)
            self._append(text)
        gone = max(0, len(self.lines) - MOST_LINES)
        del self.lines[:gone]
        self._measure(self.scroll_y - gone)

    def name_place(self, name: str) -> None:
        """Show the name of a place above the story."""
        self._place = name
        self._note_end()

    def follow(self) -> None:
        """Show the newest, and from now on whatever comes."""
        self._following = True
        self.scroll_end(animate=False)

    def render_line(self, y: int) -> Strip:
        at, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        line = self.lines[at] if at < len(self.lines) else Strip.blank(width)
        return line.crop_extend(0, width, self.rich_style).apply_style(self.rich_style)

    def on_resize(self, event: Resize) -> None:
        part, columns = self.scroll_y / max(1, self.max_scroll_y), self.scrollable_content_region.width
        if columns != self._columns:
            self._columns = columns
            self.lines.clear()
            for text in self._texts:
                self._append(text)
        self._measure(part * max(0, len(self.lines) - self.size.height))

    def _append(self, text: Text) -> None:
        if self._columns:
            console, blank = self.app.console, Text()
            lines = wrapped(text, self._columns, console)
            # Joined, as a text without marks is rendered without its own style.
            self.lines += [Strip(blank.join([line]).render(console)) for line in lines]

    def _measure(self, top: float) -> None:
        """Take note of how many lines there are, and show the newest, or those from `top` on to who reads back."""
        following = self._following
        self.virtual_size = Size(self._columns, len(self.lines))
        if following:
            self.follow()
        else:
            self.scroll_to(y=max(0, top), animate=False)
        self._following = following
        self._note_end()
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._following = new_value >= self.max_scroll_y
        self._note_end()

    def _note_end(self) -> None:
        title = self._place if self._following else f"{self._place} ({self._more})"
        if str(self.border_title) != title:
            self.border_title = Text(title)


def wrapped(text: Text, columns: int, console: Console) -> list[Text]:
    """Break a text into lines; the rest of one that is indented or has two columns stands below its last column."""
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        line.expand_tabs(8)
        if len(line) * 2 <= columns:  # two columns a letter at most
            lines.append(line)
            continue
        found = _COLUMNS.match(line.plain)
        under = 0 if found is None else found.end() if found.end() <= columns // 2 else INDENT
        first, *rest = line.wrap(console, columns)
        lines.append(first)
        if rest:
            left = line.plain[len(first) :].lstrip(" ")
            for more in line[len(line) - len(left) :].wrap(console, columns - under):
                more.pad_left(under)
                lines.append(more)
    return lines


class Lines(Static):
    """Some lines of text."""

    _shape: Sequence[int] = ()

    def fill(self, text: Text) -> None:
        """Show other lines."""
        shape = [len(line) for line in text.plain.split("\n")]
        self.update(text, layout=shape != self._shape)  # laying out takes longer than drawing
        self._shape = shape


class Panel(VerticalScroll, can_focus=True):
    """Some lines, `ID_lines`, under a title; Enter or a click on the title folds them away."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "fold")]

    def __init__(self, title: str, id: str) -> None:
        super().__init__(id=id)
        self.border_title = Text(title)

    def compose(self) -> ComposeResult:
        yield Lines(id=f"{self.id}_lines")

    def action_fold(self) -> None:
        """Fold the panel away, or back."""
        self.toggle_class("folded")

    def on_click(self, event: Click) -> None:
        if event.y == 0:
            self.action_fold()


class LineInput(Input):
    """The line in which one types, with history and completion.

    Args:
        complete: returns what the end of a line may become.
        choose: called with the choices for the end of the line and the number of the one that stands in it, if any.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete"),
        Binding("up", "earlier(1)"),
        Binding("down", "earlier(-1)"),
        Binding("pageup", "page(-1)"),
        Binding("pagedown", "page(1)"),
    ]

    class Typed(Posted):
        """A line was typed; a private one is shown nowhere and goes to whom it was asked for, or to nobody."""

        def __init__(self, line: str, private: bool) -> None:
            super().__init__()
            self.line, self.private = line, private

    def __init__(
        self,
        history: InputHistory,
        complete: Callable[[str], Completions],
        choose: Callable[[Sequence[str], int | None], None],
        id: str,
    ) -> None:
        super().__init__(id=id, compact=True, select_on_focus=False)
        self._history, self._complete, self._choose = history, complete, choose
        self.asked = False  # whether a line is asked for, which may be empty
        self._lines, self._back, self._draft = history.read(), 0, ""
        self._begin = 0  # where what is completed begins
        self._choices: list[str] = []  # the lines that Tab goes through
        self._completed = ""  # the line as Tab left it

    async def on_key(self, event: Key) -> None:
        """Do at once what a key is bound to here; textual's way round would come after the letters behind the key."""
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if await self.app.run_action(binding.action, self):
                event.prevent_default()
                event.stop()
                return

    def on_paste(self, event: Paste) -> None:
        """Put all lines of a paste into the one line; where lines are asked for, submit all but the last.

        Textual would take the first alone.
        """
        event.prevent_default()
        event.stop()
        lines = event.text.splitlines(keepends=True)
        *whole, rest = [*lines, ""] if lines and lines[-1].endswith("\n") else lines or [""]
        if not self.asked:
            whole, rest = [], " ".join(event.text.splitlines())
        for line in whole:
            self.insert_text_at_cursor(line.rstrip("\r\n"))
            self.post_message(self.Typed(self.value, private=False))
            self.value = ""
        self.insert_text_at_cursor(rest)

    def action_complete(self) -> None:
        """Fill in what all choices share, else go on to the next choice."""
        line, rest = self.value[: self.cursor_position], self.value[self.cursor_position :]
        if self._choices and self.value == self._completed:
            at = (self._choices.index(line) + 1) % len(self._choices) if line in self._choices else 0
            self._put(self._choices[at], rest)
            self._choose([one[self._begin :] for one in self._choices], at)
            return
        found = self._complete(line)
        several = len(found.choices) > 1
        self._begin = found.start
        self._choices = [line[: found.start] + choice for choice in found.choices] if several else []
        self._put(filled(line, found), rest)
        self._choose(found.choices if several else (), None)

    def _put(self, line: str, rest: str) -> None:
        self._completed = line + rest
        self.value = self._completed
        self.cursor_position = len(line)

    def watch_value(self, value: str) -> None:
        if self._choices and value != self._completed:
            self._choices = []
            self._choose((), None)

    def action_earlier(self, steps: int) -> None:
        """Go back in what was typed before, or forward to what is being typed."""
        back = min(max(self._back + steps, 0), len(self._lines))
        if self.password or back == self._back:
            return
        if self._back == 0:
            self._draft = self.value
        self._back = back
        self.value = self._lines[-back] if back else self._draft
        self.cursor_position = len(self.value)

    async def action_submit(self) -> None:
        line, self._back = self.value, 0
        self.value = ""
        if not line.strip() and not self.password and not self.asked:
            return
        self.post_message(self.Typed(line, self.password))

    def keep(self, line: str) -> None:
        """Keep a line for the arrow keys."""
        if self._lines[-1:] != [line]:
            self._lines.append(line)
            self._history.add(line)

    def action_page(self, pages: int) -> None:
        """Scroll the story."""
        story = self.screen.query_one(StoryLog)
        story.scroll_relative(y=pages * max(1, story.size.height - 2), animate=False)
