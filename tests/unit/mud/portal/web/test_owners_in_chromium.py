"""The pages Minds and World in a real browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Locator, Page, expect

from mud.simulation.run import SimulationPlan, simulate
from tests.houses import PATIENCE
from tests.unit.mud.portal.web.stage import Served, served
from tests.unit.mud.portal.web.test_browser import chromium
from tests.vaults import copy_vault, without_vectors

pytestmark = pytest.mark.program("chromium")
expect.set_options(timeout=PATIENCE * 1000)

STEPS = 500


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a vault whose agents have lived."""
    vault = without_vectors(copy_vault(tmp_path_factory.mktemp("lived")))
    simulate(SimulationPlan(vault, STEPS, None, 7, True), lambda text: None)
    return vault


@pytest.fixture
def folder(lived: Path, tmp_path: Path) -> Path:
    shutil.copytree(lived, tmp_path / "vault")
    return tmp_path


@asynccontextmanager
async def owner(world: Served, scheme: Literal["light", "dark"] = "light") -> AsyncIterator[Page]:
    """Open a browser that the owner is signed in at. What its console complains of fails the test at the end."""
    for agent in world.home.minds.opened():
        await world.home.minds.catch_up(agent)
    complaints: list[str] = []
    async with chromium(complaints, size=(1280, 900)) as page:
        await page.emulate_media(color_scheme=scheme)
        await page.goto(world.told)
        yield page
    assert complaints == []


async def test_a_line_leads_to_why_to_the_archive_and_a_search_to_a_memory(folder: Path) -> None:
    async with served(folder) as world, owner(world) as page:
        moss = world.home.agent("Moss")
        await page.get_by_role("link", name="Minds").click()
        await page.get_by_role("link", name=re.compile("Moss")).click()
        await expect(page.get_by_role("heading", name="Tiers over time")).to_be_visible()
        await expect(page.locator(".chart canvas")).to_have_count(3)
        await page.get_by_role("tab", name="Lines").click()
        line = page.locator("a.saying.said", has=page.locator(".mark")).first
        seq = int(await line.get_attribute("data-seq") or 0)
        await line.click()
        why = page.get_by_role("region", name="How a line came about")
        await expect(why.get_by_text("instinct")).to_be_visible()
        raw = await why.locator(".raw pre").inner_text()
        assert raw in (moss.folder / "archive/0000000001.jsonl").read_text("utf-8")
        assert json.loads(raw)["seq"] == seq
        await why.get_by_role("link", name=re.compile("in the archive")).click()
        await expect(page.locator(".memory.wanted")).to_contain_text(moss.memory.read(seq, seq)[0].text)
        await page.get_by_role("tab", name="Recall").click()
        await page.get_by_role("searchbox").fill("the card catalogue")
        await page.get_by_role("button", name="Recall").click()
        hit = page.locator(".hits > li").first
        await expect(hit).to_contain_text("card catalogue")
        await hit.locator("summary").click()
        await expect(hit.get_by_text("words", exact=True)).to_be_visible()


async def test_every_view_of_a_mind_is_reached_by_keyboard_alone(folder: Path) -> None:
    async with served(folder) as world, owner(world, "dark") as page:
        await page.goto(f"{world.address}/minds#eliza/life")
        await page.get_by_role("tab", name="Life").focus()
        for name, sees in (
            ("Lines", ".sayings a"),
            ("Recall", "#query"),
            ("Prompt", ".promptbar .part"),
            ("Notes & people", ".names button"),
            ("Side by side", ".sides tbody tr"),
            ("Archive", ".memory"),
        ):
            await page.keyboard.press("ArrowRight")
            await expect(page.locator(sees).first).to_be_visible()
            await expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        await page.goto(f"{world.address}/minds#eliza/life")
        await expect(page.locator(".chart canvas")).to_have_count(3)
        await page.locator(".canvas").first.focus()
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
        await expect(page.locator(".memory.wanted")).to_be_visible()


async def test_a_setting_is_edited_in_place_and_acts_and_a_bad_value_says_why(folder: Path) -> None:
    async with served(folder) as world, owner(world) as page:
        eliza = world.home.agent("Eliza")
        await page.goto(f"{world.address}/world")
        ann = world.home.enter("Ann")
        world.home.type(ann, "say The <b>lamp</b> is lit.")
        await expect(page.get_by_text('Ann says, "The <b>lamp</b> is lit."')).to_be_visible()
        await page.get_by_role("tab", name="Settings").click()
        await page.get_by_role("searchbox", name="Find a setting").fill("immediate_window")
        setting = page.locator(".setting", has_text="immediate_window").first
        field = setting.get_by_role("textbox")
        await field.fill("0")
        await field.press("Enter")
        await expect(setting.get_by_role("status")).to_contain_text("from 1 to 100000")
        assert eliza.settings().immediate_window == 64
        await field.fill("8")
        await field.press("Enter")
        await expect(setting.get_by_role("status")).to_contain_text("in force")
        assert eliza.settings().immediate_window == 8
        assert "**immediate_window**: 8\n" in (world.home.parts.vault / "config/memory_compaction.md").read_text()
        for name, sees in (("Models", "think"), ("Cost", "Nothing was spent"), ("Problems", "Nothing is wrong")):
            await page.get_by_role("tab", name=name).click()
            await expect(page.locator("#view")).to_contain_text(sees)


async def test_the_page_world_is_used_by_keyboard_alone(folder: Path) -> None:
    async with served(folder) as world, owner(world, "dark") as page:
        eliza, keyboard = world.home.agent("Eliza"), page.keyboard
        await tab_to(page, page.get_by_role("link", name="World"))
        await keyboard.press("Enter")
        ann = world.home.enter("Ann")
        world.home.type(ann, "say The lamp is lit.")
        world.home.type(ann, "say The lamp is out.")
        await expect(page.get_by_role("log")).to_contain_text("The lamp is out.")
        await tab_to(page, page.get_by_label("any kind"))
        await keyboard.type("speech")
        await tab_to(page, page.get_by_role("searchbox", name="Words"))
        await keyboard.type("is lit")
        await expect(page.get_by_role("log")).to_have_text(re.compile("The lamp is lit."))
        await expect(page.get_by_role("log").locator("p")).to_have_count(1)
        await tab_to(page, page.get_by_role("log"))
        await tab_to(page, page.get_by_role("tab", name="Chronicle"), back=True)
        for name, sees in (("Models", "think"), ("Cost", "Nothing was spent"), ("Settings", "config/recall.md")):
            await keyboard.press("ArrowRight")
            await expect(page.get_by_role("tab", name=name)).to_be_focused()
            await expect(page.locator("#view")).to_contain_text(sees)
        await tab_to(page, page.get_by_role("searchbox", name="Find a setting"))
        await keyboard.type("immediate_window")
        setting = page.locator(".setting", has_text="immediate_window").first
        await tab_to(page, setting.get_by_role("textbox"))
        await keyboard.press("Control+A")
        await keyboard.type("8")
        await keyboard.press("Enter")
        await expect(setting.get_by_role("status")).to_contain_text("in force")
        assert eliza.settings().immediate_window == 8
        await tab_to(page, setting.get_by_role("button", name="Default"))
        await keyboard.press("Enter")
        await expect(setting.get_by_role("status")).to_contain_text("It was 8")
        assert eliza.settings().immediate_window == 64
        await tab_to(page, page.get_by_role("tab", name="Settings"), back=True)
        await keyboard.press("ArrowRight")
        await expect(page.locator("#view")).to_contain_text("Nothing is wrong")


async def test_no_view_is_wider_than_a_phone(folder: Path) -> None:
    async with served(folder) as world, owner(world) as page:
        await page.set_viewport_size({"width": 400, "height": 900})
        for view, sees in (("minds#eliza/prompt", ".promptbar .part"), ("world#models", ".grid .host")):
            await page.goto(f"{world.address}/{view}")
            await expect(page.locator(sees).first).to_be_visible()
            assert await page.evaluate("document.documentElement.scrollWidth") == 400


async def tab_to(page: Page, wanted: Locator, *, back: bool = False) -> None:
    """Press the tabulator until something has the focus."""
    await expect(wanted).to_be_visible()
    for _ in range(60):
        if await wanted.evaluate("one => one === document.activeElement"):
            return
        await page.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError(f"the keyboard does not reach {wanted}")
