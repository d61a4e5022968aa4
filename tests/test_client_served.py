"""The web client at `moderator serve`: a table opened in a browser, nine guests, and a real game that begins."""

import json
import os
import sys
from pathlib import Path

import httpx2
import pytest
from client_browser import chromium, faultless
from playwright.async_api import Page
from service_kit import START_S, environment, serving, until

from voice import demo

ROOT = Path(__file__).parent.parent
GUESTS = 9
ROLE = ("Vous êtes citoyen", "Vous êtes le shérif", "Vous êtes mafieux", "Vous êtes le Don")

pytestmark = [pytest.mark.real, pytest.mark.livekit, pytest.mark.whisper, pytest.mark.tts, pytest.mark.browser]
home = environment


@pytest.mark.timeout(600)
async def test_a_table_opened_in_a_browser_is_played_at(tmp_path: Path, home: dict[str, str]) -> None:
    async with serving(tmp_path, home) as (address, _), chromium(tmp_path) as browser:
        context = await browser.new_context(
            base_url=address, permissions=["microphone"], locale="fr-FR", reduced_motion="reduce"
        )
        page = await context.new_page()
        page.set_default_timeout(START_S * 1000)
        async with httpx2.AsyncClient(base_url=address, timeout=START_S) as http:
            await play(page, http, tmp_path)


async def play(page: Page, http: httpx2.AsyncClient, folder: Path) -> None:
    """Open a table, sit down with nine others, be told a role, see the night fall."""
    await page.goto("/")
    await page.get_by_role("radio", name="Turbo").check(force=True)
    await page.get_by_role("button", name="Ouvrir une table").click()
    await page.get_by_role("button", name="Essayer le micro").click()
    await page.get_by_label("Niveau du micro").wait_for()
    await page.get_by_role("checkbox", name="J'entends les notes").check()
    await page.get_by_role("button", name="Prendre place").click()
    await page.get_by_text("Il manque 9 joueurs").wait_for()
    await faultless(page)
    at = f"/api/tables/{page.url.rpartition('/')[2]}"
    seats = [(await http.post(f"{at}/seats", json={"consent": False})).json() for _ in range(GUESTS)]

    async def tickets() -> list[dict[str, object]] | None:
        answers = [await http.post(f"{at}/ticket", json=seat) for seat in seats]
        return [answer.json() for answer in answers] if all(one.status_code == 200 for one in answers) else None

    (folder / "tickets.json").write_text(json.dumps(await until(tickets, "the booths are open")))
    guests = [sys.executable, str(ROOT / "tests" / "guests.py"), str(folder / "tickets.json")]
    async with demo.child(guests, {**os.environ, "PYTHONPATH": str(ROOT)}, folder / "guests.log"):
        await page.get_by_text("Bienvenue. La partie commence.").first.wait_for()
        await page.get_by_role("heading", name="La nuit").wait_for()
        await page.get_by_role("timer").wait_for()
        await page.keyboard.down("KeyS")
        told = await page.locator(".told .role").inner_text()
        await page.keyboard.up("KeyS")
        assert told.startswith(ROLE)
        await faultless(page)
