"""Pages that lie over the terminal's screen until they are closed, and the question for a name before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from mud.commands import Say
from mud.portal import terminal_words as words
from mud.portal.portal import OpenMind
from mud.portal.scene import Scene
from mud.portal.terminal_texts import marked, mind_text, ways_text
from mud.world.text_map import Drawing


class Page(ModalScreen[None]):
    """A text under a title, scrolled by the arrows and closed by Escape."""

    AUTO_FOCUS = ".page"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss")]

    def __init__(self, say: Say, id: str, title: str, text: Text) -> None:
        super().__init__(id=id)
        self.say = say
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        with ScrollableContainer(classes="page") as page:
            page.border_title = Text(self._title)
            page.border_subtitle = Text(self.say(words.CLOSE))
            yield Static(self._text)


class MapPage(Page):
    """The map of all that one has seen, and the exits of where one is."""

    def __init__(self, say: Say, drawing: Drawing, scene: Scene | None) -> None:
        below = [Text(""), ways_text(scene, say)] if scene else []
        super().__init__(say, "map", say(words.KEY_MAP), Text("\n").join([marked(drawing.text, drawing.marks), *below]))
        self._text.no_wrap = True
        self._here = drawing.here

    def on_mount(self) -> None:
        page = self.query_one(".page")
        column, row = self._here
        page.scroll_to(column - page.size.width // 2, row - page.size.height // 2, animate=False)


class MindPage(Page):
    """One's own mind, and those of others that one may open, each of which is opened when it is turned to."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("left", "turn(-1)"), Binding("right", "turn(1)")]

    def __init__(self, say: Say, minds: Sequence[str], mind: Callable[[str], OpenMind | None]) -> None:
        super().__init__(say, "mind", say(words.KEY_MIND), Text(say(words.NO_MEMORY)))
        self._minds, self._mind, self._at = minds, mind, 0

    def on_mount(self) -> None:
        self.action_turn(0)

    def action_turn(self, steps: int) -> None:
        """Show another mind, the next one that can be opened."""
        count, way = len(self._minds), steps or 1
        for at in range(self._at + steps, self._at + steps + way * count, way):
            if (mind := self._mind(self._minds[at % count])) is not None:
                self._at = at % count
                break
        else:
            return
        page = self.query_one(".page")
        page.border_title = Text(self.say(words.MIND_OF, name=mind.name))
        others = f"{self.say(words.OTHERS)}; " if len(self._minds) > 1 else ""
        page.border_subtitle = Text(others + self.say(words.CLOSE))
        page.query_one(Static).update(mind_text(mind, min(page.content_size.width or 60, 80), self.say))
        page.scroll_home(animate=False)


class AskName(ModalScreen[None]):
    """Asks for a name until one is taken.

    Args:
        enter: lets somebody in, and returns why not.
    """

    AUTO_FOCUS = "Input"

    def __init__(self, say: Say, default: str, enter: Callable[[str], str]) -> None:
        super().__init__()
        self._say, self._default, self._enter = say, default, enter

    def compose(self) -> ComposeResult:
        with Vertical(classes="page"):
            yield Static(Text(self._say(words.WELCOME)))
            yield Static(Text(self._say(words.ASK_NAME, default=self._default)))
            yield Input(placeholder=self._default, compact=True)
            yield Static(id="why_not")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if why := self._enter(event.value.strip() or self._default):
            self.query_one("#why_not", Static).update(Text(why, "red"))
        else:
            self.dismiss()
