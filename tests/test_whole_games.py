"""Two whole games at one `moderator serve`, each with one player in Chromium who never looks at his screen.

One plays by keyboard and sound, one by voice, heard by the real recogniser. The other nine seats are
robots that act by key (voice/robots/company.py). Each game ends, and its record holds what everybody has done. At one
of the pages somebody else looks, while its player waits or sleeps: is it what it should be?
"""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
import sayings
import yaml
from client_browser import chromium, faultless
from playwright.async_api import Browser, Page
from screenless import Hand, Line, Meant, Screenless, sit_down
from service_kit import START_S, environment, serving, until

from moderator.events import BallotCast, Event, GameEnded, NightBegan
from moderator.model import SEATS
from voice import demo
from voice.robots.score import Taken, taken_down
from voice.store_sql import SqlStore

ROOT = Path(__file__).parent.parent
QUICK = {
    "name": "quick",
    "deal_s": 6,
    "meeting_s": 3,
    "greeting_s": 1,
    "speech_s": 40,
    "split_s": 6,
    "farewell_s": 40,
    "ballot_s": 20,
    "shot_s": 5,
    "check_s": 5,
    "interpellation_s": 2,
}
"""Steps that end with the answer may last; those that do not are short."""
VOICE = {"stt": {"workers": 1, "beam": 1}, "llm": {"engine": "none"}}
"""The recogniser of the real game, one at a table; what the grammar alone is not sure of is asked."""
GAME_S = 420.0
"""With a busy machine; on a free one a game takes three minutes."""
UNDERSTOOD_S = 10.0
TRIES = 3
HURRIES = 3
ROLE = ("Vous êtes citoyen", "Vous êtes le shérif", "Vous êtes mafieux", "Vous êtes le Don")

pytestmark = [
    pytest.mark.real,
    pytest.mark.livekit,
    pytest.mark.whisper,
    pytest.mark.tts,
    pytest.mark.natural,
    pytest.mark.browser,
]
home = environment


@pytest.mark.timeout(600)
async def test_a_game_by_voice_beside_one_by_keyboard_and_sound(tmp_path: Path, home: dict[str, str]) -> None:
    async with a_service(tmp_path, home) as (address, browser), asyncio.TaskGroup() as at_once:
        at_once.create_task(game(tmp_path / "keys", address, browser, Keyboard(), looked_at=True))
        at_once.create_task(game(tmp_path / "voice", address, browser, Voice()))


@contextlib.asynccontextmanager
async def a_service(folder: Path, home: dict[str, str]) -> AsyncIterator[tuple[str, Browser]]:
    """Its address, and a browser."""
    configs = folder / "data" / "configs"
    (configs / "turbo.yaml").write_text(yaml.safe_dump(QUICK))
    (configs / "voice.yaml").write_text(yaml.safe_dump(VOICE))
    async with serving(folder, home, tables=2) as (address, _), chromium(folder) as browser:
        yield address, browser


async def game(folder: Path, address: str, browser: Browser, hand: Hand, looked_at: bool = False) -> None:
    """One table: a player in the browser, nine at their keys, to the end. `looked_at`: by somebody who sees."""
    folder.mkdir()
    context = await browser.new_context(base_url=address, locale="fr-FR", reduced_motion="reduce")
    page = await context.new_page()
    page.set_default_timeout(START_S * 1000)
    player = await sit_down(page, hand)
    async with httpx2.AsyncClient(base_url=address, timeout=START_S) as http:
        code = await open_a_table_by_keyboard(page)
        player.memory.seat = await take_a_seat_by_keyboard(page)
        if looked_at:
            await page.get_by_text("Il manque 9 joueurs").wait_for()
            await faultless(page)
        at = f"/api/tables/{code}"
        others = [(await http.post(f"{at}/seats", json={"consent": False})).json() for _ in SEATS[1:]]

        async def tickets() -> list[dict[str, object]] | None:
            answers = [await http.post(f"{at}/ticket", json=seat) for seat in others]
            ready = all(one.status_code == 200 for one in answers)
            return [{**one.json(), **seat} for one, seat in zip(answers, others, strict=True)] if ready else None

        async def over() -> bool:
            return bool((await http.get(at)).json()["state"] in ("over", "lost"))

        (folder / "tickets.json").write_text(json.dumps(await until(tickets, "the booths are open")))
        company = [sys.executable, "-m", "voice.robots.company", "--tickets", str(folder / "tickets.json")]
        company += ["--guest", str(player.memory.seat), "--out", str(folder), "--hurries", str(HURRIES)]
        async with demo.child(company, {**os.environ, "PYTHONPATH": str(ROOT)}, folder / "company.log"):
            async with asyncio.timeout(GAME_S), asyncio.TaskGroup() as at_once:
                at_once.create_task(player.play(over))
                if looked_at:
                    at_once.create_task(look_at_the_first_night(page))
            await page.locator(".over").wait_for()
    events = await record_of(folder.parent / "games", code)
    await holds(events, folder, player)


async def open_a_table_by_keyboard(page: Page) -> str:
    """The code of a new table with the rules of this test, which it has under the name of others."""
    await page.goto("/")
    await page.get_by_role("button", name="Ouvrir une table").wait_for()
    await press(page, "Classique", "ArrowDown")
    assert await page.get_by_role("radio", name="Turbo").is_checked()
    await press(page, "Ouvrir une table", "Enter")
    await page.wait_for_url("**/t/*")
    return page.url.rpartition("/")[2]


async def take_a_seat_by_keyboard(page: Page) -> int:
    """From the link to the chair without a pointer."""
    await page.get_by_role("button", name="Essayer le micro").wait_for()
    await press(page, "Essayer le micro", "Enter")
    await page.get_by_label("Niveau du micro").wait_for()
    await press(page, "J'entends les notes", "Space")
    await press(page, "Prendre place", "Enter")
    heading = page.get_by_role("heading", name="Vous avez la place")
    return int("".join(char for char in await heading.inner_text() if char.isdigit()))


async def press(page: Page, name: str, key: str) -> None:
    """Walk to what is called so, from one thing that takes the focus to the next."""
    focused = "document.activeElement.closest('label, button')?.innerText ?? ''"
    for _ in range(40):
        if (await page.evaluate(focused)).startswith(name):
            await page.keyboard.press(key)
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"nothing called {name!r} is reached with the tabulator")


async def look_at_the_first_night(page: Page) -> None:
    """It is dark, the clock goes, the role is there while it is held, and axe finds nothing. Nobody is asked yet."""
    await page.get_by_text("Bienvenue. La partie commence.").first.wait_for()
    await page.get_by_role("heading", name="La nuit").wait_for()
    await page.get_by_role("timer").wait_for()
    await page.keyboard.down("KeyS")
    told = await page.locator(".told .role").inner_text()
    await page.keyboard.up("KeyS")
    assert told.startswith(ROLE)
    await faultless(page)


class Keyboard:
    """One key a seat; then he listens whether it was taken, and presses again where he hears nothing."""

    async def do(self, player: Screenless, meant: Meant) -> None:
        keys = [f"Digit{seat % 10}" for seat in meant.targets]
        if meant.task == "interpellation":
            keys = ["Space"]
        if meant.crown is not None:
            keys += ["KeyC", f"Digit{meant.crown % 10}"]
        keys += ["Enter"] if meant.task == "testament" else []
        since = len(player.heard)
        for _ in range(TRIES):
            for key in keys:
                await player.page.keyboard.press(key)
            if await player.sign(meant, since, UNDERSTOOD_S / 2) is not None:
                break
        else:
            raise AssertionError(f"no sign that the keys for {meant} were taken")
        if meant.task == "nomination":
            await player.silence()
            await player.page.keyboard.press("Enter")


class Voice:
    """Says what he means in a robot's voice, and answers when he is asked whether he was understood."""

    async def do(self, player: Screenless, meant: Meant) -> None:
        since = len(player.heard)
        for _ in range(TRIES):
            await self.say(player, sayings.words(meant))
            sign = await player.sign(meant, since, UNDERSTOOD_S)
            while sign is not None and sign.key.startswith(("ask-", "echo-")) and not right(sign, meant):
                since = len(player.heard)
                await player.silence()
                await self.say(player, sayings.corrected(meant))
                sign = await player.sign(meant, since, UNDERSTOOD_S)
            if sign is not None and sign.key.startswith("ask-"):
                await player.silence()
                await self.say(player, sayings.YES)
            if sign is not None and sign.key != "say-the-number":
                break
            if sign is not None:
                since = len(player.heard)
            await player.silence()
        else:
            raise AssertionError(f"no sign that the words for {meant} were understood")
        if meant.task == "nomination":
            await player.silence()
            await self.say(player, sayings.END)

    async def say(self, player: Screenless, words: str) -> None:
        await player.speak(sayings.sound(words))


def right(sign: Line, meant: Meant) -> bool:
    """Whether the narrator has understood the seats that were meant."""
    if meant.task == "testament":
        named = tuple(map(int, str(sign.args["seats"]).split()))
        return named == meant.targets and sign.args.get("seat", meant.crown) == meant.crown
    return meant.task == "interpellation" or sign.args.get("seat") == meant.targets[0]


async def record_of(games: Path, code: str) -> list[Event]:
    """Of the table with this code."""
    home = next(path.parent for path in games.glob("*/table.json") if json.loads(path.read_text())["code"] == code)
    store = SqlStore(home / "moderator.db")
    try:
        return await store.events(home.name)
    finally:
        await store.close()


async def holds(events: list[Event], folder: Path, player: Screenless) -> None:
    """The record has its end, and exactly what each seat did; no ballot was cast for anybody."""
    assert any(isinstance(event, GameEnded) for event in events)
    taken = taken_down(events)
    others = [json.loads(line) for line in (folder / "did.jsonl").read_text().splitlines()]
    did: Taken = {}
    for meant in others:
        did.setdefault((meant["task"], meant["seat"], meant["day"], meant["round"]), []).append(tuple(meant["targets"]))
    seat, nights = player.memory.seat, sum(isinstance(event, NightBegan) for event in events)
    for own in player.done:
        did[own.task, seat, own.day, int(own.task == "vote")] = [own.targets]
        if own.crown is not None:
            did["crown", seat, own.day, 0] = [(own.crown,)]
    assert taken == did
    assert not any(isinstance(event, BallotCast) and event.default for event in events)
    tasks = {meant.task for meant in player.done}
    assert {"nomination", "vote", "interpellation"} <= tasks and ({"testament"} <= tasks or {"shot"} <= tasks)
    assert nights >= 2
    heard = [line.key for line in player.heard]
    assert any(key.startswith("won-") for key in heard) and "roles-revealed" in heard
