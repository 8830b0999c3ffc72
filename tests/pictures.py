"""The pictures in the README, made anew from the running program: `make pictures`.

It needs tmux, tt++ and chromium (Debian: tmux, tintin++, chromium). A world lives for a while without a model; then a
person at the terminal, one with a MUD client and a browser come in. With `--all DIR` they go into that folder, together
with every page of the web in light and dark and on a narrow screen, to be looked at.
"""

from __future__ import annotations

import argparse
import itertools
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import CONSOLE_SVG_FORMAT, Console  # type: ignore[attr-defined]
from rich.text import Text

from tests.processes import loci
from tests.programs import program
from tests.vaults import ROOT, copy_vault

FOLDER = ROOT / "docs/pictures"
PATIENCE, LOOK = 120.0, 0.3  # seconds until a text must have come, and between two looks
PASSWORD = "pear tree on the wall"
TALK = (
    ("My sister Anna lost a silver thimble in the boathouse last May.", "Eliza says"),
    ("What do you like about this garden?", "Eliza says"),
    ("Eliza, when did my sister lose her thimble?", "May"),
)
"""What the person at the terminal says, and what must be answered."""
WALK = (("east", "The Kitchen"), ("west", "The Garden"), ("say It smells of bread in there.", "You say"))
"""What the person in the browser types, and what must be shown."""
MIND, WORLD = (
    ("life", "lines", "search/thimble", "prompt", "graph", "evening", "archive"),
    ("models", "cost", "settings", "problems"),
)
PAGES = ("play", "map", *(f"minds#eliza/{one}" for one in MIND), "world", *(f"world#{one}" for one in WORLD))
WIDTHS = (1280, 400)


def free_port() -> int:
    """Return the number of a port that nobody uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_until(done: Callable[[], bool], what: str) -> None:
    """Look until something has come; exit with a sentence when it does not."""
    pause = threading.Event()
    for _ in range(int(PATIENCE / LOOK)):
        if done():
            return
        pause.wait(LOOK)
    sys.exit(f"waited in vain for {what}")


class Screen:
    """A program in a tmux session of its own."""

    def __init__(self, server: Path, name: str, columns: int, rows: int, command: str) -> None:
        self._tmux = ["tmux", "-S", str(server)]
        self._name, self._columns = name, columns
        self._run("new-session", "-d", "-s", name, "-x", str(columns), "-y", str(rows), command)

    def _run(self, *args: str) -> str:
        return subprocess.run([*self._tmux, *args], capture_output=True, text=True, check=True, cwd=ROOT).stdout

    def read(self, *options: str) -> str:
        """Return what the screen shows."""
        return self._run("capture-pane", "-p", "-t", self._name, *options)

    def type(self, line: str, answer: str) -> None:
        """Type a line and wait until a text stands on the screen once more."""
        before = self.read().count(answer)
        self._run("send-keys", "-t", self._name, "-l", line)
        self._run("send-keys", "-t", self._name, "Enter")
        wait_until(lambda: self.read().count(answer) > before, repr(answer))

    def wait(self, text: str) -> None:
        """Wait until a text stands on the screen."""
        wait_until(lambda: text in self.read(), repr(text))

    def draw(self, path: Path, title: str) -> None:
        """Write a picture of the screen as SVG."""
        console = Console(record=True, width=self._columns, file=StringIO(), force_terminal=True)
        for line in self.read("-e").rstrip("\n").split("\n"):
            console.print(Text.from_ansi(line), no_wrap=True, overflow="crop")
        without_web_fonts = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.S)
        path.write_text(console.export_svg(title=title, code_format=without_web_fonts), encoding="utf-8")

    def end(self, line: str) -> None:
        """End the program by this line, and tmux with its last one."""
        there = [*self._tmux, "has-session", "-t", self._name]
        self._run("send-keys", "-t", self._name, line, "Enter")
        wait_until(lambda: subprocess.run(there, capture_output=True, check=False).returncode != 0, "the end")


@contextmanager
def screen(server: Path, name: str, columns: int, rows: int, command: str, end: str) -> Iterator[Screen]:
    """Run a program in tmux, and end it afterwards by typing a line."""
    one = Screen(server, name, columns, rows, command)
    try:
        yield one
    finally:
        one.end(end)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser without a screen."""
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=program("chromium"), args=options)
        yield browser
        browser.close()


def sign_in(page: Page, address: str) -> None:
    """Fill in the form at the door."""
    page.goto(address)
    page.get_by_label("Name").first.fill("Piet")
    page.get_by_label("Password").first.fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/play")


def draw_web(browser: Browser, address: str, folder: Path) -> None:
    """Write pictures of the web pages."""
    page = browser.new_page(viewport={"width": 1200, "height": 800}, reduced_motion="reduce")
    sign_in(page, address)
    for line, answer in WALK:
        page.get_by_role("combobox").fill(line)
        page.keyboard.press("Enter")
        page.get_by_role("log").get_by_text(answer).last.wait_for()
    page.screenshot(path=folder / "web-play.png")
    page.goto(f"{address}/map")
    page.get_by_text("Jonas").first.wait_for()
    page.screenshot(path=folder / "web-map.png")
    page.goto(f"{address}/minds")
    page.get_by_text("Eliza").first.click()
    page.get_by_role("heading", name="Eliza").wait_for()
    page.locator("canvas").first.wait_for()
    page.mouse.move(0, 0)
    page.get_by_role("heading", name="Now").evaluate("one => one.scrollIntoView()")
    page.screenshot(path=folder / "web-minds.png")
    page.close()


def draw_every_page(browser: Browser, address: str, folder: Path) -> None:
    """Write pictures of every page and every view on it, in light and dark, on a wide and a narrow screen."""
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme, width in itertools.product(schemes, WIDTHS):
        page = browser.new_page(viewport={"width": width, "height": 900}, reduced_motion="reduce", color_scheme=scheme)
        page.goto(f"{address}/login")
        page.screenshot(path=folder / f"login-{scheme}-{width}.png")
        sign_in(page, address)
        for path in PAGES:
            page.goto(f"{address}/{path}")
            page.reload()  # another view of the same page is another picture
            page.wait_for_load_state("networkidle")
            name = re.sub(r"\W+", "-", path)
            page.screenshot(path=folder / f"{name}-{scheme}-{width}.png", full_page=True)
        page.close()


def main() -> None:
    """Make all pictures anew."""
    parser = argparse.ArgumentParser(prog="make pictures", description="Take pictures of the running program.")
    parser.add_argument("--all", type=Path, metavar="DIR", help="every page too, and all into this folder")
    everything = parser.parse_args().all
    target = everything or FOLDER
    lacking = [name for name in ("tmux", "tt++", "chromium") if program(name) is None]
    if lacking:
        sys.exit(f"not on this machine: {', '.join(lacking)}")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        vault, server = copy_vault(Path(folder)), Path(folder) / "tmux"
        lived = loci("simulate", "--vault", vault, "--steps", "1500", "--seed", "7", "--keep", timeout=600)
        assert lived.returncode == 0, lived.stderr
        telnet, web = free_port(), free_port()
        world = f"{sys.executable} -m mud run --vault {vault} --as Jonas --seed 7 --telnet {telnet} --web {web}"
        with screen(server, "terminal", 116, 34, world, "quit") as terminal:
            terminal.wait("Exits:")
            for line, answer in TALK:
                terminal.type(f"say {line}", answer)
            terminal.draw(target / "terminal.svg", "make run")
            client = f"{program('tt++')} -e '#session loci 127.0.0.1 {telnet}'"
            with screen(server, "telnet", 96, 24, client, "#end") as piet:
                piet.wait("Name:")
                piet.type("new", "your name be?")
                piet.type("Piet", "characters:")
                piet.type(PASSWORD, "again:")
                piet.type(PASSWORD, "Exits:")
                piet.type("say Good morning, Jonas.", "You say")
                terminal.type("say Good morning, Piet!", "You say")
                piet.wait("Jonas says")
                piet.draw(target / "telnet.svg", f"tt++, telnet 127.0.0.1 {telnet}")
                terminal.type("@role Piet owner", "owner")
                with chromium() as browser:
                    draw_web(browser, f"http://127.0.0.1:{web}", target)
                    if everything is not None:
                        draw_every_page(browser, f"http://127.0.0.1:{web}", target)


if __name__ == "__main__":
    main()
