"""The page of a game in a real browser: on a phone and a desk, light and dark, by click and without script."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest
from client_browser import becomes, chromium, faultless
from playwright.async_api import Browser, Page
from sound_kit import recorder
from test_review_page import HOSTILE, dossier

from moderator.model import SEATS
from voice.recordings import sounds
from voice.review_html import to_html
from voice.review_index import to_index
from voice.takes import finish

pytestmark = [pytest.mark.real, pytest.mark.browser]
BEGAN_S, LENGTH_S = 60.0, 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of a game whose players are hostile, its recording of two minutes beside it, and an index."""
    found, game = tmp_path_factory.mktemp("friday"), dossier(text=HOSTILE)
    turns = {seat: [(one.from_s, one.to_s) for one in game.review.floors if one.seat == seat] for seat in SEATS}
    recorder(found, {**turns, 0: [(BEGAN_S, BEGAN_S + LENGTH_S)]}, BEGAN_S, LENGTH_S).close()
    finish(found)
    (found / "game.html").write_text(to_html(game, sounds(found)), encoding="utf-8")
    (found / "index.html").write_text(to_index({"game.html": game}, "fr"), encoding="utf-8")
    return found


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Browser]:
    async with chromium(tmp_path) as found:
        yield found


async def opened(page: Page, path: Path) -> list[str]:
    """What the page complains about, from now on, and what it asks of the network."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    await page.goto(path.as_uri())
    return complaints


@pytest.mark.parametrize("name", ["game.html", "index.html"])
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
async def test_nothing_is_wrong_for_a_screen_reader_and_nothing_sticks_out(
    browser: Browser, folder: Path, name: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    context = await browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )  # axe is no part of the page, whose policy refuses it
    page = await context.new_page()
    complaints = await opened(page, folder / name)
    assert await page.evaluate("document.documentElement.scrollWidth") == width
    await faultless(page)
    assert complaints == []


async def test_a_line_is_found_and_heard(browser: Browser, folder: Path) -> None:
    page = await browser.new_page()
    complaints = await opened(page, folder / "game.html")
    lines = page.locator(".transcript li:visible")
    every = await lines.count()
    await page.select_option("#seat", "3")
    third = await lines.count()
    assert 0 < third < every and str(third) in await page.inner_text("#shown")
    await page.check("#public")
    assert 0 < await lines.count() < third
    await page.fill("#query", "nowhere to be found")
    assert await lines.count() == 0
    await page.fill("#query", "ALERT(1)")
    assert await lines.count() > 0
    await page.select_option("#seat", "")
    moment = page.locator(".transcript a.at").first
    second = float((await moment.get_attribute("data-second")) or "nan")
    await moment.click()
    await becomes(page, "!audio.paused && audio.currentTime > 0")
    await asyncio.sleep(0.3)
    assert second <= await page.evaluate("audio.currentTime") < second + 5
    who = await moment.evaluate("moment => moment.closest('li').dataset.seat")
    assert (await page.get_attribute("audio", "src")) == f"seat-{who}.ogg", "the speaker alone"
    await page.check("#whole")
    await becomes(page, f"audio.getAttribute('src') === 'table.ogg' && audio.currentTime >= {second} && !audio.paused")
    assert await page.evaluate("audio.currentTime") < second + 15, "the table, at the same second"
    assert complaints == []


async def test_without_script_everything_can_be_read_and_nothing_is_dead(browser: Browser, folder: Path) -> None:
    context = await browser.new_context(java_script_enabled=False)
    page = await context.new_page()
    await page.goto((folder / "game.html").as_uri())
    assert await page.locator(".transcript li").first.is_visible()
    assert not await page.locator("#query").is_visible()
    assert await page.locator("audio").is_visible()
