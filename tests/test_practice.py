"""A round to practise: one guest, nine robots, a lesson before the deal; from the page's button to the end by voice."""

import asyncio
import io
import wave
from collections import Counter
from pathlib import Path

import pytest
from client_browser import chromium, faultless
from kit import QUICK, Kit
from service_kit import START_S, environment, opened, seated, serving
from service_kit import browser as guest_of
from service_kit import served as service_of

from moderator.model import SEATS, Role
from voice import game, practice
from voice.clock import RealClock
from voice.config import load_rules
from voice.earcons import Earcon, earcon
from voice.game_exit import GameExit
from voice.ports import Presence

home = environment


def test_the_guest_is_the_sheriff_among_three_mafiosi_and_six_citizens() -> None:
    roles = practice.roles()
    assert roles[practice.GUEST] is Role.SHERIFF
    assert Counter(roles.values()) == {Role.DON: 1, Role.MAFIOSO: 2, Role.SHERIFF: 1, Role.CIVILIAN: 6}
    assert len({tuple(practice.roles()[seat] for seat in SEATS) for _ in range(20)}) > 1, "chance seats the others"


def test_its_rules_are_the_tables_own_and_short() -> None:
    assert load_rules("practice").name == practice.RULES
    assert load_rules("practice").speech_s < load_rules("turbo").speech_s


async def test_the_lesson_names_each_sound_and_whispers_to_the_guest_alone() -> None:
    kit = Kit(lambda seat, message: None, rules=QUICK)
    frames = asyncio.create_task(kit._pull_frames())
    lesson = asyncio.create_task(practice.lesson(kit.narrator))
    while not lesson.done():
        await kit.clock.advance(0.1)
    frames.cancel()
    assert kit.room.keys(practice.GUEST) == list(practice.LESSON)
    assert kit.room.keys(1) == [key for key in practice.LESSON if key != "practice-private"]
    assert [key for key in practice.LESSON if key.startswith("sound-")] == [f"sound-{sound}" for sound in Earcon]
    assert kit.narrator.booth(practice.GUEST).detail == "novice"


class Booth:
    """The guest's, as far as it is looked at."""

    def __init__(self, clock: RealClock) -> None:
        self.clock, self.here, self.ours = clock, True, True
        self._seen_s = clock.now()

    def presence(self, seat: int) -> Presence:
        assert seat == practice.GUEST
        self._seen_s = self.clock.now() if self.here else self._seen_s
        return Presence(self._seen_s, 1, self.ours)


@pytest.fixture
def booth(monkeypatch: pytest.MonkeyPatch) -> Booth:
    monkeypatch.setattr(practice, "LEFT_S", 0.3)
    monkeypatch.setattr(practice, "LOOK_S", 0.02)
    return Booth(RealClock())


async def round_at(booth: Booth, closes_s: float = 0.0) -> None:
    async with practice.accompanied(booth, booth.clock):  # type: ignore[arg-type]
        try:
            await asyncio.sleep(20)
        finally:
            await asyncio.sleep(closes_s)


async def test_the_round_ends_when_the_guest_is_gone_and_not_before(booth: Booth) -> None:
    playing = asyncio.create_task(round_at(booth))
    await asyncio.sleep(0.5)
    booth.here, booth.ours = False, False
    await asyncio.sleep(0.5)
    assert not playing.done(), "while our own line is down nothing is held against him"
    booth.ours, went_s = True, booth.clock.now()
    with pytest.raises(practice.GuestLeft):
        await playing
    assert 0.25 < booth.clock.now() - went_s < 10


async def test_who_stops_a_round_from_outside_is_not_taken_for_its_guest(booth: Booth) -> None:
    playing = asyncio.create_task(round_at(booth))
    await asyncio.sleep(0.05)
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing


async def test_the_watch_ends_in_peace_where_closing_takes_longer_than_a_look(booth: Booth) -> None:
    booth.here, others = False, asyncio.all_tasks()
    playing = asyncio.create_task(round_at(booth, closes_s=5 * practice.LOOK_S))
    await asyncio.sleep(practice.LOOK_S)
    (watch,) = asyncio.all_tasks() - others - {playing}
    with pytest.raises(practice.GuestLeft):
        await playing
    await asyncio.wait([watch])
    assert watch.cancelled() or watch.exception() is None


def test_the_process_of_a_round_that_its_guest_has_left_ends_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def left(*_: object) -> None:
        raise practice.GuestLeft

    monkeypatch.setattr(game, "play", left)
    for name, value in {"URL": "ws://127.0.0.1:1", "API_KEY": "key", "API_SECRET": "secret"}.items():
        monkeypatch.setenv(f"LIVEKIT_{name}", value)
    assert game.main(["--game", "one", "--home", str(tmp_path), "--rules", "practice"]) == GameExit.GUEST_LEFT


async def test_one_seat_is_taken_and_the_robots_have_the_others(tmp_path: Path) -> None:
    async with service_of(tmp_path) as service, guest_of(service) as http:
        at = await opened(http, rules="practice")
        (claim,) = await seated(http, at, 1)
        assert claim["seat"] == practice.GUEST
        assert (await http.get(at)).json()["missing"] == 0
        assert (await http.post(f"{at}/seats", json={"consent": True})).status_code == 409


async def test_the_sounds_can_be_fetched_before_the_game(tmp_path: Path) -> None:
    async with service_of(tmp_path) as service, guest_of(service) as http:
        for sound in Earcon:
            answer = await http.get(f"/api/sounds/{sound}.wav")
            with wave.open(io.BytesIO(answer.content)) as file:
                assert file.readframes(file.getnframes()) == earcon(sound).tobytes()
        assert (await http.get("/api/sounds/role.wav")).status_code == 404


@pytest.mark.real
@pytest.mark.livekit
@pytest.mark.whisper
@pytest.mark.tts
@pytest.mark.browser
@pytest.mark.timeout(400)
async def test_one_press_on_the_page_begins_the_lesson_and_the_game(tmp_path: Path, home: dict[str, str]) -> None:
    async with serving(tmp_path, home) as (address, _), chromium(tmp_path) as browser:
        context = await browser.new_context(
            base_url=address, permissions=["microphone"], locale="fr-FR", reduced_motion="reduce"
        )
        page = await context.new_page()
        page.set_default_timeout(START_S * 1000)
        await page.goto("/")
        await page.get_by_role("button", name="S'exercer").click()
        await page.get_by_role("button", name="Essayer le micro").click()
        await page.get_by_text("Apprendre les cinq sons").click()
        await page.get_by_role("button", name="Bientôt la fin").click()
        await page.get_by_role("checkbox", name="J'entends les notes").check()
        await faultless(page)
        await page.get_by_role("button", name="Commencer l'exercice").click()
        await page.get_by_text("L'exercice va commencer").wait_for()
        await page.get_by_text("Exercice : une partie courte").first.wait_for()
        await page.get_by_role("heading", name="La nuit").wait_for()
        await page.keyboard.down("KeyS")
        assert (await page.locator(".told .role").inner_text()).startswith("Vous êtes le shérif")
        await page.keyboard.up("KeyS")
