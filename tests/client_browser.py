"""Chromium for tests of the web client: its fake microphone, and what axe finds in its pages."""

import asyncio
import contextlib
import json
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
from client_kit import SILENCE
from playwright.async_api import Browser, Page, async_playwright
from sound_kit import tone

from voice.ports import RATE_HZ, MissingPart, Pcm

AXE = Path(__file__).parent.parent / "voice" / "client" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
FOUND = """async () => {
  const page = document.documentElement, dark = getComputedStyle(page).colorScheme === 'dark';
  const found = (await axe.run()).violations, theme = page.dataset.theme;
  page.dataset.theme = dark ? 'light' : 'dark';
  found.push(...(await axe.run({runOnly: ['color-contrast']})).violations);
  page.dataset.theme = theme;
  return JSON.stringify(found);
}"""
MICROPHONE_HZ = 500


@contextlib.asynccontextmanager
async def chromium(folder: Path) -> AsyncIterator[Browser]:
    """A browser whose microphone plays a tone in bursts: a steady one its noise suppression takes away."""
    sound = folder / "bursts.wav"
    bursts = tone(MICROPHONE_HZ, 4) * (np.arange(4 * RATE_HZ) // (RATE_HZ // 5) % 2).astype(np.int16)
    with wave.open(str(sound), "wb") as out:
        out.setparams((1, 2, RATE_HZ, 0, "NONE", ""))
        out.writeframes(bursts.tobytes())
    binary = next((path for path in CHROMIUM if Path(path).exists()), None)
    if binary is None:
        raise MissingPart("a Chromium browser", "apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=binary,
            args=[
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                f"--use-file-for-fake-audio-capture={sound}",
            ],
        )
        yield browser
        await browser.close()


def level(frames: list[Pcm], hz: float) -> float:
    """Amplitude of the tone in its best fifth of a second."""
    sound = np.concatenate(frames or [SILENCE]).astype(float)
    wave_ = np.exp(-2j * np.pi * hz * np.arange(RATE_HZ // 5) / RATE_HZ)
    pieces = [sound[at : at + len(wave_)] for at in range(0, max(1, len(sound) - len(wave_)), RATE_HZ // 20)]
    return max(float(2 * abs(np.dot(piece, wave_[: len(piece)])) / len(wave_)) for piece in pieces)


async def becomes(page: Page, condition: str, within_s: float = 30) -> None:
    """Wait for a JavaScript condition; `wait_for_function` evals inside the page, which its policy forbids."""
    async with asyncio.timeout(within_s):
        while not await page.evaluate(condition):  # noqa: ASYNC110 - a page sets no event of ours
            await asyncio.sleep(0.05)


async def faultless(page: Page) -> None:
    """Nothing that axe finds, in the whole page; nor of its colours in the other theme."""
    if not AXE.exists():
        raise MissingPart("axe-core", "make client")
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    found = json.loads(await page.evaluate(FOUND))
    faults = [(fault["id"], node["html"][:90], node["failureSummary"]) for fault in found for node in fault["nodes"]]
    assert faults == []
