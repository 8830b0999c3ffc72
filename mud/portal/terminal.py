"""The way in for a terminal: the story in colour with panels beside it, a line to type in, pages behind function keys.

Textual takes a third of a second to import, so only a terminal that uses it imports this module.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.events import Key, Resize
from textual.geometry import Size
from textual.markup import escape
from textual.widgets import Input, Static

from mud.clock import Clock
from mud.commands import Say
from mud.errors import LociError
from mud.portal import terminal_words as words
from mud.portal.completion import Completions
from mud.portal.history import InputHistory
from mud.portal.portal import MemoryBar, OpenMind
from mud.portal.scene import scene_of
from mud.portal.session import Message, Session, tells_password
from mud.portal.terminal_driver import PatientDriver
from mud.portal.terminal_pages import AskName, MapPage, MindPage, Page
from mud.portal.terminal_texts import bar_text, carried_text, clock_text, map_text, message_text, names_text, told
from mud.portal.terminal_widgets import LineInput, Lines, Panel, StoryLog
from mud.world.map import Map, draw_map
from mud.world.narration import shortened
from mud.world.text_map import sketch
from mud.world.world import World

STORY = 104  # columns of the story at most; what a terminal has more is for the panels
NARROWEST = 26  # columns of the panels
WITH_PANELS = 76  # columns of a terminal that shows the panels beside the story at first
MOMENT = 0.1  # seconds between two drawings at least
TICK = 1.0  # seconds after which clock and memory are drawn anew
NOTICES = 200  # notices that are kept


@dataclass(frozen=True)
class TerminalView:
    """The world as the terminal sees it. What concerns minds is handed in by `mud.server` as callables.

    Args:
        enter: lets the person in under a name. Raises LociError.
        complete: returns what the end of a line may become that is typed in a session.
        memory: returns the state of a character's memory; None without one.
        minds: returns the ids of those whose minds a session may open, its own first.
        mind: opens one of them; None without one.
    """

    world: World
    clock: Clock
    say: Say
    enter: Callable[[str, Callable[[Message], None]], Session]
    complete: Callable[[Session, str], Completions]
    memory: Callable[[str], MemoryBar | None]
    minds: Callable[[Session], Sequence[str]]
    mind: Callable[[str], OpenMind | None]


async def run_terminal(view: TerminalView, name: str | None, default: str, history: InputHistory) -> str:
    """Run a person's session on the whole terminal until it is over, and return what was shown last.

    Args:
        name: who comes in; None to ask.
        default: who comes in when the answer is empty.

    Raises:
        LociError: the name cannot be taken.
    """
    app = Terminal(view, default, history)
    if name is not None:
        app.enter(name)
    running = asyncio.create_task(app.run_async())
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        app.exit()  # a cancelled app would leave the terminal as it is
        await running
        raise
    if app.failure is not None:
        raise app.failure
    return app.farewell


class Terminal(App[None]):
    """The terminal of the person who started the program."""

    TITLE = "Loci"
    CSS_PATH = "terminal.tcss"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "page('help')", priority=True),
        Binding("f2", "page('map')", priority=True),
        Binding("f3", "page('mind')", priority=True),
        Binding("f4", "panels", priority=True),
        Binding("f5", "page('notices')", priority=True),
        Binding("f6", "next_panel", priority=True),
        Binding("ctrl+c,ctrl+q", "quit", priority=True),
        Binding("ctrl+d", "delete_or_quit", priority=True),
        Binding("escape", "prompt"),
    ]

    def __init__(self, view: TerminalView, default: str, history: InputHistory) -> None:
        super().__init__(PatientDriver, ansi_color=True)
        self.theme = "ansi-dark"
        self.view, self.default, self.history = view, default, history
        self.session: Session | None = None
        self.failure: Exception | None = None
        self.farewell = ""
        self.notices: deque[str] = deque(maxlen=NOTICES)
        self._notice = ""  # the newest, in the status line
        self.waiting: list[Text] = []  # what was shown and is not drawn yet
        self._drawn_at = 0.0  # when, by the event loop's clock
        self._shown: dict[str, object] = {}  # what each panel shows
        self._panels_wanted: bool | None = None  # what F4 chose; None while it depends on the size
        self._factory = asyncio.get_running_loop().get_task_factory()

    def compose(self) -> ComposeResult:
        say = self.view.say
        with Horizontal(id="world"):
            yield StoryLog(say(words.MORE), id="story")
            with Vertical(id="side"):
                for id, title in (
                    ("map", words.MAP), ("here", words.HERE), ("carried", words.CARRIED), ("memory", words.MEMORY),
                ):  # fmt: skip
                    yield Panel(say(title), id=id)
        yield Static(id="choices")
        with Horizontal(id="line"):
            yield Static(">")
            yield LineInput(self.history, self._completed, self._choose, id="prompt")
        with Horizontal(id="status"):
            yield Lines(id="notice")
            yield Lines(id="clock")
        yield Static(self._keys(), id="keys")

    def _keys(self) -> str:
        say = self.view.say
        keys = (
            ("F1", "page('help')", words.KEY_HELP), ("F2", "page('map')", words.KEY_MAP),
            ("F3", "page('mind')", words.KEY_MIND), ("F4", "panels", words.KEY_PANELS),
            ("F5", "page('notices')", words.KEY_NOTICES), ("F6", "next_panel", words.KEY_NEXT),
            ("^C", "quit", words.KEY_QUIT),
        )  # fmt: skip
        return "  ".join(f"[@click=app.{action}][b]{key}[/b] {escape(say(what))}[/]" for key, action, what in keys)

    def on_mount(self) -> None:
        asyncio.get_running_loop().set_task_factory(self._factory)  # textual sets one for the whole program
        self.set_interval(TICK, self._tick)
        if self.session is None:
            self.push_screen(AskName(self.view.say, self.default, self._try_name))
        else:
            self._draw()

    async def _tick(self) -> None:
        if isinstance(driver := self._driver, PatientDriver):
            if driver.gone:
                await self.action_quit()
            if driver.behind and driver.caught_up:
                driver.behind = False
                self.refresh(layout=True)
        with suppress(NoMatches):  # the last tick may come when the widgets are gone
            self._draw_panels()

    def _try_name(self, name: str) -> str:
        """Let the person in, and return why not."""
        try:
            self.enter(name)
        except LociError as error:
            return str(error)
        self._draw()
        return ""

    def enter(self, name: str) -> None:
        """Let the person in. Raises LociError."""
        session = self.session = self.view.enter(name, self.show)
        session.on_end = self.exit
        session.on_private, session.on_question = self._hide_typing, self._take_empty
        self._tell(Text(f"\n{self.view.say(words.TRY)}", "dim"))

    def _hide_typing(self, private: bool) -> None:
        if self.is_running:
            self.query_one(LineInput).password = private

    def _take_empty(self, asked: bool) -> None:
        if self.is_running:
            self.query_one(LineInput).asked = asked

    def show(self, message: Message) -> None:
        """Take a message to be shown."""
        self.farewell = message.text
        if message.kind in ("notice", "news"):
            self.notices.append(told(message))
        if message.kind == "notice":
            self._notice = message.text
            self._tell()
        else:
            self._tell(message_text(message))

    def _tell(self, *texts: Text) -> None:
        """Have texts drawn in the story: at once, but in a crowd those of a moment together."""
        if not self.waiting and self.is_running:
            loop = asyncio.get_running_loop()
            loop.call_later(max(0.0, self._drawn_at + MOMENT - loop.time()), self.call_later, self._draw)
        self.waiting += texts

    def _draw(self) -> None:
        waiting, self.waiting = self.waiting, []
        self._drawn_at = asyncio.get_running_loop().time()
        self.query_one(StoryLog).tell([one for text in waiting for one in self._with_way_to_copy(text)])
        self._draw_panels()

    def _with_way_to_copy(self, text: Text) -> Iterator[Text]:
        """Yield a text, and behind a notice with a word that is broken here, such as an address, where it is not."""
        yield text
        longest = max(map(len, text.plain.split()), default=0)
        story = self.query_one(StoryLog).scrollable_content_region.width
        page = min(self.size.width * 9 // 10, 100) - 5  # as in terminal.tcss: its border, padding and scroll bar
        if story < longest <= page and text.plain in self.notices:
            yield Text(self.view.say(words.WHOLE_NOTICE), "dim")

    def _notice_text(self, width: int) -> Text:
        """Return the newest notice as far as it fits, and how to see the rest and the others."""
        text = self._notice.partition("\n")[0]
        if text != self._notice or len(text) > width or (len(self.notices) > 1 and text):
            behind = f" ({self.view.say(words.MORE_NOTICES)})"
            text = shortened(text, max(width - len(behind) - 3, 0)) + behind
        return Text(text, "bold", no_wrap=True)

    def _draw_panels(self) -> None:
        """Draw what has changed beside and below the story."""
        world, say = self.view.world, self.view.say
        now, width = clock_text(self.view.clock), self.query_one("#notice").size.width
        self._fill((self._notice, len(self.notices), width), "#notice", lambda: self._notice_text(width))
        self._fill(now, "#clock", lambda: now)
        if self.session is None:
            return
        who = self.session.who
        scene, bar = scene_of(world, who), self.view.memory(who)
        self.query_one(StoryLog).name_place(scene.name if scene else say(words.NOWHERE))
        room, columns = self._room("#map"), self._room("#memory").width
        seen = (scene and scene.ways, scene and scene.id, len(world.visited(who)), room)
        self._fill(seen, "#map_lines", lambda: map_text(self._map(who), scene, room, say))
        self._fill(scene, "#here_lines", lambda: names_text(scene, say))
        self._fill(scene, "#carried_lines", lambda: carried_text(scene, say))
        self._fill((bar, columns), "#memory_lines", lambda: bar_text(bar, columns, say))

    def _room(self, panel: str) -> Size:
        return self.query_one(panel, Panel).content_size

    def _fill(self, state: object, where: str, text: Callable[[], Text]) -> None:
        """Draw what shows something if that is no longer the same."""
        if where not in self._shown or self._shown[where] != state:
            self._shown[where] = state
            self.query_one(where, Lines).fill(text())

    def _map(self, who: str) -> Map:
        """Return the map of where a character is and has been."""
        world = self.view.world
        here = world.location_of(who)
        return draw_map(world, {*world.visited(who), *([here.id] if here else [])})

    def on_line_input_typed(self, event: LineInput.Typed) -> None:
        if self.session is None:
            return

        def taken(hidden: bool) -> None:
            if not hidden and not tells_password(event.line):
                self._tell(Text(f"\n> {event.line}", "dim"))
                self.query_one(LineInput).keep(event.line)

        self.query_one(StoryLog).follow()
        self.session.type(event.line, private=event.private, taken=taken)

    def _completed(self, line: str) -> Completions:
        return self.view.complete(self.session, line) if self.session else Completions(len(line), ())

    def _choose(self, choices: Sequence[str], chosen: int | None) -> None:
        """Show what a line may become; the chosen one stands out."""
        found = self.query_one("#choices", Static)
        found.display = bool(choices)
        parts = [(one, "reverse" if at == chosen else "") for at, one in enumerate(choices)]
        found.update(Text("  ").join(Text(*part) for part in parts))

    def on_resize(self, event: Resize) -> None:
        side = self.query_one("#side")
        side.display = event.size.width >= WITH_PANELS if self._panels_wanted is None else self._panels_wanted
        side.styles.width = max(NARROWEST, event.size.width - STORY)
        self.call_after_refresh(self._draw_panels)

    def on_key(self, event: Key) -> None:
        """What is typed anywhere goes into the line."""
        prompt = self.query_one(LineInput)
        if len(self.screen_stack) == 1 and self.focused is not prompt and event.is_printable and event.character:
            prompt.focus()
            prompt.insert_text_at_cursor(event.character)
            event.stop()

    def action_prompt(self) -> None:
        self.query_one(LineInput).focus()

    def action_next_panel(self) -> None:
        if len(self.screen_stack) == 1:
            self.screen.focus_next()

    def action_panels(self) -> None:
        """Put the panels away, or back."""
        side = self.query_one("#side")
        side.display = self._panels_wanted = not side.display
        self.action_prompt()
        self.call_after_refresh(self._draw_panels)

    def action_page(self, name: str) -> None:
        """Open a page, in place of another one, or close it when it is open."""
        if self.session is None:
            return
        before = self.screen.id if isinstance(self.screen, Page) else None
        if before is not None:
            self.pop_screen()
        if before != name:
            self.push_screen(self._page(name, self.session))

    def _page(self, name: str, session: Session) -> Page:
        say, who = self.view.say, session.who
        match name:
            case "map":
                scene = scene_of(self.view.world, who)
                return MapPage(say, sketch(self._map(who), scene.id if scene else "", names=True), scene)
            case "mind":
                return MindPage(say, self.view.minds(session), self.view.mind)
            case "notices":
                return Page(say, name, say(words.KEY_NOTICES), Text("\n".join(self.notices) or say(words.NO_NOTICES)))
        return Page(say, name, say(words.KEY_HELP), Text(say(words.HELP_PAGE)))

    async def action_quit(self) -> None:
        """Leave as `quit` does."""
        if self.session is None:
            self.exit()
        else:
            self.session.quit()

    async def action_delete_or_quit(self) -> None:
        """Leave, but with something typed delete a character of it."""
        if isinstance(self.focused, Input) and self.focused.value:
            self.focused.action_delete_right()
        else:
            await self.action_quit()

    def _handle_exception(self, error: Exception) -> None:
        """Keep an error for the caller of the app, which reports it as any other; textual would print it here."""
        self.failure = self.failure or error
        super()._handle_exception(error)
        self._exit_renderables.clear()
