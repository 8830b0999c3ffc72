"""The terminal's screen, driven by textual's pilot in a window that nobody sees."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.events import Key, Paste
from textual.geometry import Size
from textual.pilot import Pilot
from textual.widgets import Static

from mud.clock import VirtualClock
from mud.engine.engine import Engine
from mud.errors import Refusal
from mud.portal.completion import Completions, complete, known_to
from mud.portal.history import InputHistory
from mud.portal.portal import MemoryBar, OpenMind
from mud.portal.session import Message, Session, Sessions, names_around
from mud.portal.terminal import Terminal, TerminalView
from mud.portal.terminal_widgets import LineInput, Panel, StoryLog
from mud.world.changes import Define
from mud.world.roles import Role
from tests.worlds import ANN, ELIZA, LOBBY, MOSS, TEXTS, do, make_engine

SMALL, LARGE = (80, 24), (200, 60)
BAR = MemoryBar(65, 64, 12, 193)
PANELS = ["story", "map", "here", "carried", "memory"]


class Player:
    """Ann at a terminal of her own."""

    def __init__(self, kept: Path, bar: MemoryBar | None = BAR) -> None:
        self.engine: Engine = make_engine()
        self.sessions = Sessions(self.engine.world)
        self.engine.observe(self.sessions.observe)
        self.bar = bar
        self.history = InputHistory(kept / "log" / "history", VirtualClock())
        self.minds = {
            ANN: OpenMind("Ann", MemoryBar(0, 0, 3, 129), "", "", ("1. I came.",)),
            ELIZA: OpenMind("Eliza", BAR, "I listened for years.", "Ann came by. " * 300, ()),
        }
        self.opened: list[str] = []
        self.view = TerminalView(
            self.engine.world, VirtualClock(), TEXTS.render, self.enter, self.completed,
            lambda who: self.bar, lambda session: [ANN, MOSS, ELIZA], self.mind,
        )  # fmt: skip
        self.app = Terminal(self.view, "Visitor", self.history)

    def mind(self, who: str) -> OpenMind | None:
        self.opened.append(who)
        return self.minds.get(who)

    def enter(self, name: str, show: Callable[[Message], None]) -> Session:
        """Let Ann in, under any name but one."""
        if name == "Eliza":
            raise Refusal("Eliza is played by a mind of the world.")
        names = partial(names_around, self.engine.world)
        session = Session(ANN, lambda line: self.engine.step(ANN, line, Role.OWNER), show, Role.OWNER, names)
        self.sessions.add(session)
        show(Message(f"Good morning, {name}."))
        return session

    def completed(self, session: Session, line: str) -> Completions:
        return complete(line, self.engine.commands, session.role, known_to(self.engine.world, session.who))

    @property
    def session(self) -> Session:
        assert self.app.session is not None
        return self.app.session

    @property
    def shown(self) -> str:
        """The story so far."""
        return "\n".join(line.text.rstrip() for line in self.app.query_one(StoryLog).lines)

    @property
    def screen(self) -> str:
        """All that is on the screen."""
        svg = self.app.export_screenshot()
        return re.sub(r"<[^>]+>", "", svg.partition("</style>")[2]).replace("&#160;", " ")

    def text(self, where: str) -> str:
        return str(self.app.screen.query_one(where, Static).content)


@asynccontextmanager
async def playing(
    kept: Path, size: tuple[int, int] = SMALL, *, name: str | None = "Ann"
) -> AsyncIterator[tuple[Player, Pilot[None]]]:
    player = Player(kept)
    if name is not None:
        player.app.enter(name)
    async with player.app.run_test(size=size) as pilot:
        await settled(pilot)
        yield player, pilot


async def settled(pilot: Pilot[None]) -> None:
    """Wait until all that was told is drawn; pilot's own pause does not wait for what is drawn together later."""
    assert isinstance(pilot.app, Terminal)
    await pilot.pause()
    while pilot.app.waiting and pilot.app.session is not None and not pilot.app.session.over:
        await pilot.pause()
    await pilot.pause()


async def pressed(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot)


async def clicked(pilot: Pilot[None], where: str, *, offset: tuple[int, int] = (0, 0)) -> None:
    await pilot.click(where, offset=offset)
    await settled(pilot)


async def typed(pilot: Pilot[None], text: str, *then: str) -> None:
    """Put a text where the cursor is, as a paste does, then press keys."""
    if text:
        pilot.app.post_message(Paste(text))
        await settled(pilot)
    await pressed(pilot, *then)


async def test_who_starts_without_a_name_is_asked_until_one_is_taken(tmp_path: Path) -> None:
    async with playing(tmp_path, name=None) as (player, pilot):
        await pressed(pilot, "f2")  # no page opens before anybody is in
        await typed(pilot, "Eliza", "enter")
        assert "Eliza is played by a mind" in player.text("#why_not")
        await pressed(pilot, "ctrl+u", "enter")
        assert "Good morning, Visitor." in player.shown
        assert "Try: look, say hello" in player.shown
        await typed(pilot, "look", "enter")
        assert "Four paths meet at a sundial." in player.shown


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+d"])
async def test_who_is_asked_may_go_without_coming_in(tmp_path: Path, key: str) -> None:
    async with playing(tmp_path, name=None) as (player, pilot):
        await pressed(pilot, key)
    assert player.engine.number == 0


async def test_lines_are_answered_kept_and_found_again_with_the_arrows(tmp_path: Path) -> None:
    player = Player(tmp_path)
    player.history.add("say good evening")
    async with playing(tmp_path) as (player, pilot):
        await typed(pilot, "say hello", "enter")
        assert '> say hello\nYou say, "hello"' in player.shown
        styles = {part.text: part.style for line in player.app.query_one(StoryLog).lines for part in line}
        assert (echo := styles["> say hello"])
        assert echo.dim
        await typed(pilot, "dr", "up")
        prompt = player.app.query_one(LineInput)
        assert prompt.value == "say hello"
        await pressed(pilot, "up", "up")
        assert prompt.value == "say good evening"
        await pressed(pilot, "down", "down")
        assert prompt.value == "dr"
    assert player.history.read() == ["say good evening", "say hello"]


async def test_keys_that_come_close_together_are_taken_in_their_order(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        for key in [
            *"say",
            "space",
            *"one",
            "enter",
            *"nonsense",
            "ctrl+u",
            *"say",
            "space",
            *"twa",
            "backspace",
            "o",
            "enter",
        ]:
            pilot.app.post_message(Key(key, " " if key == "space" else key if len(key) == 1 else None))
        await settled(pilot)
        await settled(pilot)
        assert [line for line in player.shown.splitlines() if line.startswith(">")] == ["> say one", "> say two"]


async def test_the_tab_key_fills_in_what_is_sure_and_goes_through_the_choices(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        prompt = player.app.query_one(LineInput)
        await typed(pilot, "whi", "tab", "e", "l", "tab")
        assert prompt.value == "whisper Eliza "
        await pressed(pilot, "ctrl+u")
        await typed(pilot, "go ", "tab")
        assert player.text("#choices") == "north  gate  The Garden"
        seen = []
        for _ in range(4):
            await pressed(pilot, "tab")
            seen.append(prompt.value)
        assert seen == ["go north", "go gate", "go The Garden", "go north"]
        await typed(pilot, "", "enter")
        assert "The Lobby" in player.shown
        assert not player.app.query_one("#choices").display


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("colour", [True, False])
async def test_every_panel_and_page_is_reached_by_keys_alone_with_and_without_colour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], colour: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if not colour:
        monkeypatch.setenv("NO_COLOR", "1")
    async with playing(tmp_path, size) as (player, pilot):
        app = player.app
        reached = []
        for _ in PANELS:
            await pressed(pilot, "f6")
            assert app.focused is not None
            reached.append(app.focused.id)
            assert app.focused.size.height > 0
        assert sorted(filter(None, reached)) == sorted(PANELS)
        await pressed(pilot, "l")  # whatever is typed goes into the line
        assert app.focused is app.query_one(LineInput)
        assert app.query_one(LineInput).value == "l"
        for key, title in (("f1", "Help"), ("f2", "Map"), ("f3", "The mind of Ann"), ("f5", "Notices")):
            await pressed(pilot, key)
            assert title in player.screen
            assert "Esc: back" in player.screen
        await pressed(pilot, "escape")
        assert app.focused is app.query_one(LineInput)
        colours = set(re.findall(r"fill: (#[0-9a-f]{6})", app.export_screenshot()))
        assert (len(colours) > 3) is colour


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_panels_show_what_is_around_and_follow_one(tmp_path: Path, size: tuple[int, int]) -> None:
    async with playing(tmp_path, size) as (player, pilot):
        for part in ("[@ Garden]", "north: not seen yet", "Margery", "Eliza", "brass lamp", "65 long-term", "12 word"):
            assert part in player.screen
        assert "folds at 193, in 52" in player.screen
        await typed(pilot, "take lamp", "enter")
        await typed(pilot, "north", "enter")
        for part in ("[@ Lobby]", "[Garden]", "south: The Garden", "nobody else", "rusty key"):
            assert part in player.screen
        do(player.engine, "south", MOSS)
        await settled(pilot)
        assert "Moss the Slow arrives from The Library." in player.shown
        assert "Moss the Slow" in "".join(str(one.content) for one in player.app.query_one("#here").query(Static))


async def test_panels_are_put_away_and_back_one_by_one_or_all(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        before = player.app.query_one(StoryLog).size.width
        await pressed(pilot, "f6", "f6", "enter")
        panel = player.app.query_one("#map", Panel)
        assert panel.outer_size.height == 1
        await pressed(pilot, "enter")
        assert panel.outer_size.height > 1
        await pressed(pilot, "f4")
        assert not player.app.query_one("#side").display
        assert player.app.query_one(StoryLog).size.width > before
        await pressed(pilot, "f4")
        await clicked(pilot, "#here", offset=(3, 0))
        assert player.app.query_one("#here").outer_size.height == 1


async def test_in_a_narrow_window_the_story_has_all_the_room(tmp_path: Path) -> None:
    async with playing(tmp_path, (60, 16)) as (player, pilot):
        assert not player.app.query_one("#side").display
        assert player.app.query_one(StoryLog).outer_size.width == 60
        await pressed(pilot, "f4")
        assert "[@" in player.screen


async def test_the_story_wraps_anew_and_waits_for_who_reads_back(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        for number in range(40):
            do(player.engine, f"say {number}: " + "a long story about the mill " * 4, ELIZA)
        await settled(pilot)
        story = player.app.query_one(StoryLog)
        assert "39: a long story" in player.screen
        assert max(line.cell_length for line in story.lines) <= story.size.width
        await pressed(pilot, "pageup", "pageup")
        at = story.scroll_y
        do(player.engine, "say and so on", ELIZA)
        await settled(pilot)
        assert story.scroll_y == at
        assert "more below" in player.screen
        lines = len(story.lines)
        await pilot.resize_terminal(120, 30)
        await settled(pilot)
        assert len(story.lines) < lines
        await typed(pilot, "look", "enter")
        assert "Exits: north, gate" in player.screen


async def test_columns_stay_columns_and_the_end_stays_in_sight(tmp_path: Path) -> None:
    async with playing(tmp_path, (120, 24)) as (player, pilot):
        await typed(pilot, "help", "enter")
        rows = player.shown.split("\n")
        at = next(number for number, row in enumerate(rows) if row.startswith("  say <words>"))
        column = rows[at].index("Say something")
        assert rows[at + 1][:column].isspace()
        assert not rows[at + 1][column].isspace()
        await typed(pilot, "go ", "tab")  # the choices take a line from the story
        assert "more below" not in player.screen
        assert "help all lists the rest" in player.screen


ADDRESS = f"http://127.0.0.1:8000/?token={'x' * 32}"


@pytest.mark.parametrize(("columns", "told"), [(60, False), (80, True), (200, False)])
async def test_an_address_stands_on_a_line_of_its_own_and_where_it_is_broken_one_is_told_where_not(
    tmp_path: Path, columns: int, told: bool
) -> None:
    async with playing(tmp_path, (columns, 24)) as (player, pilot):
        player.session.tell(f"web: {ADDRESS}", "news")
        player.session.show(Message(f"Moss says, {ADDRESS}"))
        await settled(pilot)
        assert "web:\n" in player.shown
        assert player.shown.count("F5 shows it") == told
        assert (f"\n{ADDRESS}\n" in player.shown) is (columns == 200)
        await pressed(pilot, "f5")
        assert (ADDRESS in player.screen) is (columns > 60)


async def test_notices_stand_in_the_status_line_and_all_of_them_on_their_page(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        player.session.tell("No language model answers.")
        player.session.tell("The web is at http://127.0.0.1:8000.\nOpen it in a browser.")
        player.session.show(Message("A bell rings."))
        player.session.tell("While you were away, Eliza asked for you.", "news")
        await settled(pilot)
        assert "Eliza asked for you" in player.shown
        assert "No language model" not in player.shown
        assert player.text("#notice") == "The web is at http://127.0.0.1:8000. (F5: all)"
        await pressed(pilot, "f5")
        for part in ("No language model answers.", "Open it in a browser.", "asked for you"):
            assert part in player.screen


async def test_the_mind_page_shows_the_minds_that_one_may_open_and_scrolls(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        await pressed(pilot, "f3")
        assert "Nothing is summarized yet." in player.screen
        assert player.opened == [ANN]
        await pressed(pilot, "right")
        assert player.opened == [ANN, MOSS, ELIZA]  # Moss has none that can be shown
        assert "The mind of Eliza" in player.screen
        await pressed(pilot, "left")
        assert "The mind of Ann" in player.screen
        await pressed(pilot, "left")
        assert "I listened for years." in player.screen
        page = player.app.screen.query_one(".page")
        await pressed(pilot, "pagedown")
        assert page.scroll_offset.y > 0
        await pressed(pilot, "right", "f3")
        assert player.app.focused is player.app.query_one(LineInput)


async def test_a_paste_of_several_lines_loses_none_of_them(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        await typed(pilot, "say one\ntwo\r\nthree")
        assert player.app.query_one(LineInput).value == "say one two three"


async def test_where_lines_are_asked_for_a_paste_is_as_many_as_it_has_and_an_empty_one_counts(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        taken: list[str | None] = []

        def take(line: str | None) -> None:
            taken.append(line)
            if line != ".":
                player.session.ask("", take, private=False)

        player.session.ask("Your text:", take, private=False)
        await typed(pilot, "one\n\ntwo\r\nthr")
        await typed(pilot, "ee", "enter", "enter", "full_stop", "enter")
        assert taken == ["one", "", "two", "three", "", "."]


async def test_what_the_keys_do_the_mouse_does_too(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        await clicked(pilot, "#keys", offset=(11, 0))
        assert player.app.screen.id == "map"
        await pressed(pilot, "escape")
        await clicked(pilot, "#memory")
        assert player.app.focused is player.app.query_one("#memory")


async def test_a_private_line_is_shown_and_kept_nowhere(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        taken: list[str | None] = []
        player.session.ask("Your new password:", taken.append)
        await typed(pilot, "open sesame")
        assert "sesame" not in player.screen
        await typed(pilot, "", "enter")
        await typed(pilot, "password open sesame", "enter")
        assert taken == ["open sesame"]
        assert "Your new password:" in player.shown
        assert "sesame" not in player.shown.replace('There is no command "password"', "")
    assert player.history.read() == []


async def test_a_password_typed_ahead_of_its_question_is_shown_and_kept_nowhere(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        taken: list[str | None] = []
        await typed(pilot, "@password", "enter")
        await typed(pilot, "open sesame", "enter")
        await typed(pilot, "open sesame", "enter")
        for _ in range(2):
            player.session.ask("Your new password:", taken.append)
        await settled(pilot)
        assert taken == ["open sesame", "open sesame"]
        assert "sesame" not in player.screen
        assert player.history.read() == ["@password"]
        await typed(pilot, "say this waits for the answer", "enter", "ctrl+c")
        assert player.session.over


@pytest.mark.parametrize("keys", [("ctrl+c",), ("ctrl+d",), ("f1", "ctrl+c"), ("q", "u", "i", "t", "enter")])
async def test_leaving_by_key_is_leaving_by_quit(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async with playing(tmp_path) as (player, pilot):
        await pressed(pilot, *keys)
        assert player.session.over
    assert not player.app.is_running
    assert player.app.farewell == do(make_engine(), "quit").reply


async def test_ctrl_d_deletes_where_something_is_typed(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        await typed(pilot, "look", "home", "ctrl+d")
        assert player.app.query_one(LineInput).value == "ook"
        assert not player.session.over


async def test_a_session_that_ends_elsewhere_ends_the_terminal(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        player.session.end("The owner ends this session.")
        await settled(pilot)
    assert player.app.farewell == "The owner ends this session."


async def test_names_with_brackets_are_shown_as_they_are(tmp_path: Path) -> None:
    async with playing(tmp_path) as (player, pilot):
        world = player.engine.world
        odd = replace(world.things[LOBBY], name="[/b] [Lobby]")
        world.apply([Define(odd)])
        await typed(pilot, "north", "enter")
        assert "[/b] [Lobby]" in player.screen
        await pressed(pilot, "f2")
        assert "[@ [/b] [Lobby]]" in player.screen


async def test_a_memory_that_there_is_none_of_is_told(tmp_path: Path) -> None:
    player = Player(tmp_path, bar=None)
    player.app.enter("Ann")
    async with player.app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert "no memory" in player.screen
        assert player.app.size == Size(*SMALL)
