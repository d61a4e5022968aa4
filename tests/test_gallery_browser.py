"""Names and the gallery in a browser, at the real service and a real LiveKit server; the test speaks as moderator."""

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
import uvicorn
from booth_kit import WallClock
from client_browser import becomes, chromium, faultless
from playwright.async_api import Page
from service_kit import joined, served
from sound_kit import tone
from test_client import HEARD_HZ
from test_service_games import until

from voice import livekit_server, wire
from voice.home import booths
from voice.ports import FRAME_SAMPLES
from voice.room_livekit import LiveKitRoom
from voice.routing import GALLERY, LISTENERS
from voice.service.app import Service, make_app

pytestmark = [pytest.mark.real, pytest.mark.livekit, pytest.mark.browser]

DELAY_S = 2
TONE = tone(1000, 0.02)
COUNT_MICROPHONES = """window.asked = 0;
const ask = navigator.mediaDevices?.getUserMedia;
if (ask) navigator.mediaDevices.getUserMedia = function (...wish) { window.asked += 1; return ask.apply(this, wish); };
"""


@contextlib.asynccontextmanager
async def listening(service: Service) -> AsyncIterator[str]:
    """The service on a free port; its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        http = uvicorn.Server(uvicorn.Config(make_app(service), log_config=None, lifespan="off"))
        http.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment]
        serving = asyncio.create_task(http.serve([listener]))
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        http.should_exit = True
        await serving


async def relay(room: LiveKitRoom) -> None:
    """The audio loop: everybody hears a tone, and nobody is heard."""
    due_s = time.monotonic()
    while True:
        for listener in LISTENERS:
            room.write(listener, TONE[:FRAME_SAMPLES])
            if listener != GALLERY:
                room.read(listener)
        due_s = max(due_s + 0.02, time.monotonic() - 0.1)
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))


async def shown(page: Page, text: str) -> None:
    await page.get_by_text(text).first.wait_for()


async def sit(page: Page) -> None:
    """Open a table that spectators hear two seconds late, and take a seat by name."""
    await page.goto("/")
    await page.get_by_role("radio", name="With a delay").check(force=True)
    await page.get_by_role("spinbutton", name="Delay in seconds").fill(str(DELAY_S))
    await page.get_by_role("button", name="Open a table").click()
    await shown(page, f"Spectators listen, {DELAY_S} s behind")
    copying = page.get_by_role("button", name="Copy the")
    assert await copying.all_text_contents() == ["Copy the link", "Copy the spectators' link"]
    await page.get_by_role("button", name="Try the microphone").click()
    await page.get_by_label("Level of the microphone").wait_for()
    await page.get_by_role("checkbox", name="I hear the notes").check()
    await page.get_by_role("textbox", name="Your name").fill("7")
    await page.get_by_role("button", name="Take a seat").click()
    await shown(page, "at least one letter")
    await page.get_by_role("textbox", name="Your name").fill(" Zoé ")
    await page.get_by_role("button", name="Take a seat").click()
    await shown(page, "9 players are missing")
    assert await page.locator(".seat.mine .name").inner_text() == "Zoé"
    assert await page.get_by_label("Link for spectators").input_value() == f"{page.url}/gallery"


@pytest.mark.timeout(200)
async def test_a_table_with_names_is_watched_from_the_gallery(tmp_path: Path) -> None:
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(
            livekit_server.running(tmp_path / "livekit.log", tmp_path / "no-config.yaml")
        )
        livekit = {"url": server.url, "api_key": server.api_key, "api_secret": server.api_secret}
        service = await stack.enter_async_context(served(tmp_path, livekit=livekit))
        address = await stack.enter_async_context(listening(service))
        browser = await stack.enter_async_context(chromium(tmp_path))
        http = await stack.enter_async_context(httpx2.AsyncClient(base_url=address))
        microphone = await browser.new_context(base_url=address, locale="en-GB", permissions=["microphone"])
        silent = await browser.new_context(base_url=address, locale="en-GB", reduced_motion="reduce")
        player, spectator = await microphone.new_page(), await silent.new_page()
        await spectator.add_init_script(COUNT_MICROPHONES)
        for page in (player, spectator):
            page.set_default_timeout(40_000)

        await sit(player)
        await spectator.goto(f"{player.url}/gallery")
        await shown(spectator, f"{DELAY_S} seconds old")
        await faultless(spectator)
        await spectator.get_by_role("button", name="Listen").click()
        await shown(spectator, "9 players are missing")

        (table,) = service.tables
        for number in range(9):
            await joined(http, f"/api/tables/{table.code}", f"Guest {'abcdefghi'[number]}")
        await until(lambda: table.gallery())
        room = LiveKitRoom(service.media.server, WallClock(), booths(table.home), DELAY_S)
        await room.open()
        stack.push_async_callback(room.close)
        stack.callback(asyncio.create_task(relay(room)).cancel)
        await follow(player, spectator, room, table.names)


async def follow(player: Page, spectator: Page, room: LiveKitRoom, names: dict[int, str]) -> None:
    """The same is told to all; the spectator is late, and the player's whispers never come to him."""
    seat = next(seat for seat, name in names.items() if name == "Zoé")
    await player.locator(".play").wait_for()
    await spectator.locator(".play .ring").wait_for()
    standing = wire.Table(phase="day", day=0, step="speech", speaker=seat, ends_in_s=60, alive=tuple(range(1, 11)))
    told_s = time.monotonic()
    for listener in LISTENERS:
        room.send(listener, standing.model_dump_json().encode())
        room.send(listener, wire.Caption(seat=seat, text="Good evening.").model_dump_json().encode())
    whisper = wire.Line(key="role-don", text="You are the don.", private=True)
    room.send(seat, whisper.model_dump_json().encode())
    await shown(player, "Good evening.")
    await shown(spectator, "Good evening.")
    assert time.monotonic() - told_s >= DELAY_S - 0.05
    for page in (player, spectator):
        assert await page.locator(".seat .name").count() == 10
        assert await page.locator(".log .player .who").inner_text() == f"Number {seat} · Zoé"
        assert await page.locator(".seat.speaking .name").inner_text() == "Zoé"
    await becomes(spectator, "document.querySelector('audio')?.srcObject?.getAudioTracks().length === 1")
    assert abs(await spectator.evaluate(HEARD_HZ) - 1000) < 20
    assert await spectator.evaluate("window.asked") == 0, "no microphone was asked for"
    assert "You are the don" not in await spectator.content()
    assert await spectator.get_by_role("button").filter(has_text="role").count() == 0
    await faultless(spectator)
