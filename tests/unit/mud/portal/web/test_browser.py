"""A real Chromium, led by the keyboard alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright, expect

from mud.world.roles import Role
from tests.houses import PATIENCE
from tests.programs import program
from tests.unit.mud.portal.web.stage import PASSWORD, Served, served


@asynccontextmanager
async def chromium(wrong: list[str], *, size: tuple[int, int] = (1280, 800)) -> AsyncIterator[Page]:
    """Open a page in a browser; what goes wrong in it is added to `wrong`."""
    expect.set_options(timeout=PATIENCE * 1000)
    async with async_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        browser = await playwright.chromium.launch(executable_path=program("chromium"), args=arguments)
        context = await browser.new_context(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", bypass_csp=False
        )
        page = await context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        try:
            yield page
        finally:
            await browser.close()


class Wire:
    """A line to a server that can be cut and mended."""

    def __init__(self, port: int) -> None:
        self._port, self.cut = port, False
        self._ends: set[asyncio.StreamWriter] = set()
        self._relays: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def laid(self) -> AsyncIterator[str]:
        """Lay the wire and return the address of its near end."""
        server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            self.drop()
            await asyncio.gather(*self._relays)

    def drop(self) -> None:
        """Cut the wire, with all that is under way."""
        self.cut = True
        for end in self._ends:
            end.transport.abort()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.cut:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._ends |= {writer, far_writer}
        for start, end in ((reader, far_writer), (far_reader, writer)):
            self._relays.add(asyncio.create_task(self._relay(start, end)))

    async def _relay(self, start: asyncio.StreamReader, end: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await start.read(65536):
                end.write(data)
                await end.drain()
        end.transport.abort()


async def _type(page: Page, line: str) -> None:
    await page.keyboard.type(line)
    await page.keyboard.press("Enter")


async def _tab_to(page: Page, selector: str) -> None:
    """Press the tab key until something has the focus, which can be seen."""
    for _ in range(60):
        await page.keyboard.press("Tab")
        if await page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            assert await page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError(f"the tab key never leads to {selector}")


@pytest.mark.program("chromium")
async def test_somebody_plays_by_keyboard_alone_and_watches_an_agent_move_on_the_map(tmp_path: Path) -> None:
    wrong: list[str] = []
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(served(tmp_path))
        wire = Wire(int(world.host.rpartition(":")[2]))
        address = await stack.enter_async_context(wire.laid())
        page = await stack.enter_async_context(chromium(wrong))
        await world.account("Ben")
        await page.goto(f"{address}/login")
        await page.keyboard.type("Ben")  # the name has the focus at once
        await page.keyboard.press("Tab")
        await _type(page, PASSWORD)
        story = page.locator("#story")
        await expect(story).to_contain_text("The Garden")
        await expect(page.locator("#input")).to_be_focused()
        await _play(world, page)
        await _tab_to(page, 'a[href="/map"]')
        await page.keyboard.press("Enter")
        await _watch(world, page)
        await _lose_the_connection(world, wire, page)
        await _tab_to(page, "#theme")
        await page.keyboard.press("Enter")
        assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
        await _tab_to(page, "form[action='/logout'] button")
        await page.keyboard.press("Enter")
        await expect(page.locator("h1")).to_have_text("Loci")
    # Only the connection that the test itself broke may be told.
    assert [text for text in wrong if "net::ERR_" not in text] == []


async def _play(world: Served, page: Page) -> None:
    story, line = page.locator("#story"), page.locator("#input")
    await page.keyboard.type("go nor")
    await page.keyboard.press("Tab")
    await expect(line).to_have_value("go north ")
    await page.keyboard.press("Enter")
    await expect(page.locator("#place")).to_have_text("The Lobby")
    await expect(story.locator(".typed").last).to_have_text("go north ")
    await page.keyboard.press("ArrowUp")
    await expect(line).to_have_value("go north ")
    await page.keyboard.press("ArrowDown")
    await _type(page, "@password: plum tree 77")
    await expect(line).to_have_attribute("type", "password")
    await _type(page, "plum tree 88")
    await expect(story).to_contain_text("do not belong together")
    await expect(line).to_have_attribute("type", "text")
    await page.keyboard.press("ArrowUp")
    await expect(line).to_have_value("go north ")
    await expect(story).not_to_contain_text("plum tree")
    await page.keyboard.press("ArrowDown")
    await _type(page, "say <img src=x onerror=alert(1)>")
    await expect(story).to_contain_text('You say, "<img src=x onerror=alert(1)>"')
    assert await story.locator("img").count() == 0
    await _tab_to(page, "#ways button[aria-label='south, to The Garden']")
    await page.keyboard.press("Enter")
    await expect(page.locator("#place")).to_have_text("The Garden")
    await expect(page.locator("#people")).to_contain_text("Eliza")
    await page.keyboard.press("Escape")
    await expect(line).to_be_focused()


async def _watch(world: Served, page: Page) -> None:
    """See an agent's name walk from one card to the next, and its words above it."""
    eliza = world.home.agent("Eliza")
    cards = page.locator(".card")
    await expect(cards).to_have_count(2)
    await expect(page.locator(".card.here")).to_have_attribute("aria-label", "The Garden, where you are. Ben; Eliza.")
    name = page.locator(".person.mind", has_text="Eliza")
    before = await name.evaluate("(node) => node.style.transform")
    world.home.type(eliza, "say I am off to the lobby.", Role.AGENT)
    await expect(page.locator(".bubble")).to_contain_text("I am off to the lobby.")
    world.home.type(eliza, "go north", Role.AGENT)
    await expect(page.locator(".card.here")).to_have_attribute("aria-label", "The Garden, where you are. Ben.")
    world.home.type(eliza, "go south", Role.AGENT)
    await expect(page.locator(".card.here")).to_have_attribute("aria-label", "The Garden, where you are. Ben; Eliza.")
    assert await name.evaluate("(node) => node.style.transform") == before
    await _tab_to(page, ".card:not(.here)")
    await page.keyboard.press("Enter")
    await expect(page.locator(".card.here")).to_have_attribute("aria-label", "The Lobby, where you are. Ben.")


async def _lose_the_connection(world: Served, wire: Wire, page: Page) -> None:
    """What is said and typed while the browser is off the net comes once when it is back."""
    story = page.locator("#story")
    (session,) = world.people.sessions.of(world.character("Ben"))
    wire.drop()
    await expect(page.locator("#status")).to_be_visible()
    session.tell("Told while the line was down.")
    await page.keyboard.press("Escape")
    await _type(page, "say typed while the line was down")
    await expect(story.locator(".pending")).to_have_count(1)
    wire.cut = False
    await expect(page.locator("#status")).to_be_hidden()
    await expect(story.locator(".pending")).to_have_count(0)
    text = await story.inner_text()
    assert text.count("Told while the line was down.") == 1
    assert text.count('You say, "typed while the line was down"') == 1
    for _ in range(20):  # in one moment, which is more than is kept for anybody
        session.tell("words " * 10_000)
    await expect(story).to_contain_text("This page took what was told too slowly and was cut off.")
    await expect(page.locator("#status")).to_be_hidden()
