"""The web client in a real browser, in a real booth: it is heard, it hears, it shows and sends what it should."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from client_browser import MICROPHONE_HZ, becomes, chromium, faultless, level
from client_kit import CODE, Table, moderated, serving
from livekit import api
from playwright.async_api import Browser, Page
from sound_kit import tone

from moderator.model import Seat
from voice import livekit_server, wire
from voice.livekit_server import Server
from voice.livekit_ticket import identity_of
from voice.ports import FRAME_SAMPLES, RATE_HZ

pytestmark = [pytest.mark.real, pytest.mark.livekit, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

MODERATOR_HZ = 1000
PATIENCE_S = 40.0
"""With a busy machine; on a free one nothing here takes more than five."""
ROLE = "You are the sheriff. With the town."

fixture = pytest_asyncio.fixture(scope="module", loop_scope="module")


@fixture
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    folder = tmp_path_factory.mktemp("livekit")
    async with livekit_server.running(folder / "livekit.log", folder / "no-config.yaml") as server:
        yield server


@fixture
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    async with chromium(tmp_path_factory.mktemp("microphone")) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def table(server: Server) -> AsyncIterator[Table]:
    async with moderated(server) as table:
        yield table


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, table: Table) -> AsyncIterator[Page]:
    """A page of the service, not yet anywhere; what goes wrong in it fails the test."""
    faults: list[str] = []
    async with serving(table) as address:
        context = await browser.new_context(
            base_url=address, permissions=["microphone"], locale="en-GB", reduced_motion="reduce"
        )
        page = await context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.set_default_timeout(PATIENCE_S * 1000)
        yield page
        await context.close()
    assert faults == []


async def until(condition: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        await asyncio.sleep(0.03)


async def sit(page: Page) -> None:
    """From the link to the chair, as a person does it."""
    await page.goto(f"/t/{CODE}")
    await page.get_by_role("button", name="Try the microphone").click()
    await page.get_by_label("Level of the microphone").wait_for()
    await page.get_by_role("checkbox", name="I hear the notes").check()
    await page.get_by_role("button", name="Take a seat").click()
    await page.get_by_role("heading", name="You have seat").wait_for()


async def play(page: Page, table: Table) -> Seat:
    await sit(page)
    table.state = "playing"
    await page.locator(".play").wait_for()
    await until(lambda: table.present)
    return next(iter(table.pins))


def line(key: str, text: str, private: bool = False, duration_ms: int = 600, **args: str | int) -> wire.Line:
    return wire.Line(key=key, text=text, args=args, private=private, duration_ms=duration_ms)


def day(**change: Any) -> wire.Table:
    facts: dict[str, Any] = {"phase": "day", "day": 0, "step": "speech", "alive": tuple(range(1, 11))}
    return wire.Table(**{**facts, **change})


async def shown(page: Page, text: str) -> None:
    await page.get_by_text(text).first.wait_for()


# --- coming to the table --------------------------------------------------------------------------


async def test_a_table_is_opened_as_chosen(page: Page, table: Table) -> None:
    await page.goto("/")
    await faultless(page)
    await page.get_by_role("radio", name="Turbo").check(force=True)
    await page.get_by_role("radio", name="Français").check(force=True)
    await page.get_by_role("checkbox", name="Record").check()
    await page.get_by_role("button", name="Open a table").click()
    await page.wait_for_url(f"**/t/{CODE}")
    assert table.opened == [{"rules": "turbo", "lang": "fr", "setting": "mafia", "recording": True}]


async def test_who_opens_a_table_has_its_link_and_code_before_he_sits_down(page: Page, table: Table) -> None:
    """Also on a small telephone; and where the link leads nobody here, it says so."""
    await page.set_viewport_size({"width": 360, "height": 740})
    await page.goto(f"/t/{CODE}")
    await page.get_by_label(f"Link to the table, code {CODE}").wait_for()
    assert await page.get_by_role("button", name="Copy the link").count() == 1
    code = page.locator(".bar .code")
    assert await code.inner_text() == CODE and await code.evaluate("(all) => all.scrollWidth <= all.clientWidth")
    await shown(page, "This link opens on this computer only.")
    await faultless(page)


async def test_nobody_sits_down_unheard_unhearing_or_unasked(page: Page, table: Table) -> None:
    table.recording = True
    await page.goto(f"/t/{CODE}")
    await page.get_by_role("button", name="Take a seat").click()
    for missing in ("Try the microphone first.", "Play the notes", "Without consent"):
        await shown(page, missing)
    await page.get_by_role("button", name="Try the microphone").click()
    await shown(page, "You are heard well.")
    await page.get_by_role("button", name="Play three notes").click()
    await page.get_by_role("checkbox", name="I hear the notes").check()
    await page.get_by_role("button", name="Take a seat").click()
    assert table.pins == {}
    await faultless(page)
    await page.get_by_role("checkbox", name="I agree").check()
    await page.get_by_role("button", name="Take a seat").click()
    await shown(page, "9 players are missing")
    await faultless(page)
    assert list(table.pins) == [1]


async def test_a_seat_is_kept_for_this_tab_and_opened_elsewhere_by_its_pin(page: Page, table: Table) -> None:
    await sit(page)
    await page.reload()
    await page.get_by_role("button", name="Come back to my seat").click()
    await page.get_by_role("heading", name="You have seat 1").wait_for()
    await page.evaluate("sessionStorage.clear(); localStorage.clear()")
    await page.reload()
    await page.get_by_text("I have a seat already").click()
    await page.get_by_role("spinbutton", name="Seat").fill("1")
    await page.get_by_role("textbox", name="PIN").fill("0000")
    await page.get_by_role("button", name="Come back with the PIN").click()
    await shown(page, "wrong_pin")
    await page.get_by_role("textbox", name="PIN").fill(table.pins[1])
    await page.get_by_role("button", name="Come back with the PIN").click()
    await page.get_by_role("heading", name="You have seat 1").wait_for()


async def test_a_seat_is_given_up(page: Page, table: Table) -> None:
    await sit(page)
    await page.get_by_role("button", name="Give the seat up").click()
    await page.get_by_role("button", name="Take a seat").wait_for()
    assert table.pins == {}


async def test_nothing_moves_under_a_finger_while_the_level_of_the_microphone_does(page: Page, table: Table) -> None:
    await sit(page)
    places = []
    for amplitude, words in ((0.1, "You are heard well."), (0.9, "Too loud."), (0.0, "Nothing is heard.")):
        await page.evaluate(f"void (AnalyserNode.prototype.getFloatTimeDomainData = (to) => to.fill({amplitude}))")
        await page.locator(".loudness").get_by_text(words).wait_for()
        places.append(await page.get_by_role("button", name="Give the seat up").bounding_box())
    assert places == [places[0]] * 3


async def test_a_table_that_is_not_there(page: Page) -> None:
    await page.goto("/t/elsewhere")
    await shown(page, "There is no such table")
    assert await page.get_by_role("link", name="Back to the start page").get_attribute("href") == "/"
    await faultless(page)
    await page.get_by_label("Link or code").fill(CODE)
    await page.get_by_role("button", name="Go to the table").click()
    await page.get_by_role("button", name="Take a seat").wait_for()


async def test_who_has_tried_too_many_codes_reads_how_long_to_wait(page: Page, table: Table) -> None:
    wait = "Too many requests. Try again in 40 s."
    refusal = {"error": "too_many", "message": wait}
    await page.route("**/api/tables/*", lambda route: route.fulfill(status=429, json=refusal))
    await page.goto(f"/t/{CODE}")
    await page.get_by_role("heading", name=wait).wait_for()
    await faultless(page)
    await page.unroute("**/api/tables/*")
    await page.get_by_role("button", name="Take a seat").wait_for()
    assert await page.get_by_text(wait).count() == 0


async def test_before_a_round_to_practise_the_page_says_what_comes_and_invites_nobody(page: Page, table: Table) -> None:
    table.rules = "practice"
    await page.goto(f"/t/{CODE}")
    await page.get_by_role("button", name="Try the microphone").click()
    await shown(page, "You are heard")
    await page.get_by_role("checkbox", name="I hear the notes").check()
    assert await page.get_by_role("textbox").count() == 0, "neither a link, nor a name, nor a PIN"
    await page.get_by_role("button", name="Begin to practise").click()
    await shown(page, "Practice is about to begin")
    assert await page.get_by_role("textbox").count() == 0
    for word in ("PIN", "of 10"):
        assert await page.get_by_text(word).count() == 0
    await faultless(page)
    table.state = "playing"
    await page.locator(".play").wait_for()


# --- sound ----------------------------------------------------------------------------------------

HEARD_HZ = """async () => {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, {fftSize: 8192});
  context.createMediaStreamSource(document.querySelector('audio').srcObject).connect(analyser);
  await new Promise((wake) => setTimeout(wake, 700));
  const bins = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(bins);
  const best = bins.indexOf(Math.max(...bins));
  return best * context.sampleRate / analyser.fftSize;
}"""


async def test_both_sides_hear_each_other(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.hears = tone(MODERATOR_HZ, FRAME_SAMPLES / RATE_HZ)
    await until(lambda: level(table.heard[seat], MICROPHONE_HZ) > 300)
    assert level(table.heard[seat], 1700) < level(table.heard[seat], MICROPHONE_HZ) / 5
    assert abs(await page.evaluate(HEARD_HZ) - MODERATOR_HZ) < 25


async def test_what_was_heard_of_the_role_is_reported_truthfully(page: Page, table: Table) -> None:
    seat = await play(page, table)
    role = line("role-sheriff", ROLE, private=True)
    await becomes(page, "document.querySelector('audio').currentTime > 0")
    table.say(seat, role)
    await until(lambda: len(table.done) == 1)
    await page.evaluate("document.querySelector('audio').muted = true")
    table.say(seat, role)
    await until(lambda: len(table.done) == 2)
    heard = [do.ms for do in table.done if do.what == "heard" and do.ms is not None]
    assert 300 <= heard[0] <= 600 and heard[1] == 0


async def test_sound_that_the_browser_stopped_is_enabled_by_a_button(page: Page, table: Table) -> None:
    seat = await play(page, table)
    await becomes(page, "document.querySelector('audio').currentTime > 0")
    await page.evaluate("document.querySelector('audio').pause()")
    await shown(page, "The browser has stopped the sound.")
    table.say(seat, line("role-sheriff", ROLE, private=True))
    await until(lambda: [do.ms for do in table.done] == [0])
    await page.get_by_role("button", name="Enable sound").click()
    await page.get_by_text("The browser has stopped the sound.").wait_for(state="detached")
    assert await page.evaluate("document.querySelectorAll('audio').length") == 1


# --- the game -------------------------------------------------------------------------------------


async def test_the_table_is_shown_as_it_is_told(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.say(seat, line("speech-call", "Number three, your turn: one minute.", seat=3, seconds=60))
    table.say(seat, day(speaker=3, ends_in_s=58.0, alive=(1, 2, 3, 4, 5, 6, 8, 9, 10), nominated=(9,), fouls={5: 2}))
    table.say(seat, wire.Caption(seat=3, text="Nine is black", id=1, final=False))
    table.say(seat, wire.Caption(seat=3, text="Nine is", id=1, final=False))
    table.say(seat, wire.Caption(seat=3, text="Nine is black, and nine is my nominee.", id=1))
    await shown(page, "Number 3 speaks")
    said = page.locator(".log li")
    assert await said.all_text_contents() == [
        "Moderator: Number three, your turn: one minute.",
        "Number 3: Nine is black, and nine is my nominee.",
    ]
    seats = await page.locator(".seat").all_text_contents()
    assert seats[:3] == ["Number 11you", "Number 22", "Number 33speaks"]
    assert (seats[4], seats[6], seats[8]) == ("Number 55!!2 fouls", "Number 77out", "Number 99nominated")
    assert await page.get_by_role("timer").inner_text() in ("0:58", "0:57", "0:56")
    await faultless(page)


async def test_keys_do_what_they_say_and_nothing_while_typing(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.say(seat, day(speaker=3, ends_in_s=58.0))
    await shown(page, "Number 3 speaks")
    for key in ("Space", "Enter", "KeyY", "KeyN", "Digit4", "Digit0", "Numpad7", "KeyA", "KeyT"):
        await page.keyboard.press(key)
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("dialog").wait_for()
    await page.keyboard.press("KeyY")
    await page.keyboard.press("Escape")
    await page.get_by_role("dialog").wait_for(state="hidden")
    await page.evaluate("document.body.append(document.createElement('textarea'))")
    await page.locator("textarea").fill("Yes, no, 4 ")
    await page.locator("textarea").press("Digit4")
    await page.locator("textarea").evaluate("(field) => field.remove()")
    await page.keyboard.press("KeyD")
    await until(lambda: len(table.done) >= 10)
    assert [(do.what, do.seat or do.name) for do in table.done] == [
        ("interpellate", None),
        ("end_speech", None),
        ("yes", None),
        ("no", None),
        ("digit", 4),
        ("digit", 10),
        ("digit", 7),
        ("signal", "agree"),
        ("ask", "time"),
        ("signal", "disagree"),
    ]
    await until(lambda: table.signs >= 2)


async def test_keys_are_listed_and_can_be_moved(page: Page, table: Table) -> None:
    await play(page, table)
    await page.keyboard.press("?")
    await shown(page, "interrupt the speaker; costs a foul")
    await faultless(page)
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("listitem").filter(has_text="yes").get_by_role("button").click()
    await page.keyboard.press("KeyJ")
    await faultless(page)
    await page.keyboard.press("Escape")
    await page.keyboard.press("KeyY")
    await page.keyboard.press("KeyJ")
    await until(lambda: len(table.done) >= 1)
    await asyncio.sleep(0.2)
    assert [do.what for do in table.done] == ["yes"]


async def test_what_is_asked_by_day_is_answered_by_touch(page: Page, table: Table) -> None:
    seat = await play(page, table)
    turn = page.get_by_role("status")
    table.say(seat, day(step="ballot", ends_in_s=10.0, nominated=(4, 7)))
    table.say(seat, wire.Asked(what="ballot", seats=(4, 7), time_s=10))
    await turn.get_by_text("Vote: against whom?").wait_for()
    await faultless(page)
    await page.locator(".panel").get_by_role("button", name="Number 7").click()
    table.say(seat, wire.Asked(what="question", seats=(7,), time_s=5))
    await shown(page, "Did you mean 7?")
    await page.get_by_role("button", name="Yes").click()
    await page.get_by_text("Did you mean 7?").wait_for(state="detached")
    table.say(seat, wire.Closed(what="ballot"))
    table.say(seat, wire.Asked(what="speech", time_s=60))
    await page.get_by_role("button", name="I have finished").click()
    await until(lambda: len(table.done) == 3)
    assert [(do.what, do.seat) for do in table.done] == [("digit", 7), ("yes", None), ("end_speech", None)]


async def test_a_motion_is_opened_by_touch(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.say(seat, day(speaker=3, ends_in_s=58.0))
    await page.get_by_text("Gestures and motions").click()
    await page.get_by_role("button", name="A motion").click()
    await page.get_by_role("radio", name="A disqualification").check(force=True)
    await page.get_by_role("dialog").get_by_role("button", name="Number 9").click()
    await faultless(page)
    await page.get_by_role("button", name="Open the motion").click()
    await until(lambda: len(table.done) == 1)
    assert (table.done[0].what, table.done[0].name, table.done[0].seat) == ("move", "disqualification", 9)


async def test_secrets_are_on_the_page_only_while_they_are_held(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.say(seat, line("role-sheriff", ROLE, private=True))
    table.say(seat, line("check-mafia", "Number six: black.", private=True, seat=6))
    table.say(seat, line("night", "Night falls."))
    await shown(page, "Night falls.")

    async def told() -> bool:
        page_text = await page.evaluate("document.documentElement.outerHTML")
        return ROLE in page_text or "Number six" in page_text

    assert not await told()
    await page.keyboard.down("KeyS")
    await shown(page, ROLE)
    await shown(page, "Number six: black.")
    await faultless(page)
    await page.keyboard.up("KeyS")
    await page.get_by_text(ROLE).wait_for(state="detached")
    hold = page.get_by_role("button", name="Hold to see my role")
    await hold.hover()
    await page.mouse.down()
    await shown(page, ROLE)
    await page.mouse.up()
    await page.get_by_text(ROLE).wait_for(state="detached")
    await hold.focus()
    await page.keyboard.down("Space")
    await shown(page, ROLE)
    await page.evaluate("dispatchEvent(new Event('blur'))")
    await page.get_by_text(ROLE).wait_for(state="detached")
    await page.keyboard.up("Space")
    assert not await told()


async def test_at_night_the_screen_of_who_is_called_is_like_any_other(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.say(seat, line("night", "Night falls."))
    table.say(seat, line("shots-call", "Mafia, your shot: one number."))
    table.say(seat, day(phase="night", step="shots", ends_in_s=60.0))
    await shown(page, "Mafia, your shot")
    await page.get_by_role("timer").evaluate("(clock) => clock.remove()")
    uncalled = await page.evaluate("document.body.innerHTML")
    table.say(seat, wire.Asked(what="shots", time_s=60.0))
    table.say(seat, wire.Asked(what="question", seats=(6,), time_s=5))
    table.say(seat, line("ask-shot", "Shoot six?", private=True))
    await asyncio.sleep(0.5)
    assert await page.evaluate("document.body.innerHTML") == uncalled
    await page.keyboard.down("KeyS")
    await shown(page, "You are called: your shot.")
    await page.keyboard.up("KeyS")
    await page.locator(".panel").get_by_role("button", name="Number 6").click()
    await until(lambda: [(do.what, do.seat) for do in table.done] == [("digit", 6)])
    assert "6" not in await page.locator(".sent").inner_text()
    await faultless(page)


async def test_the_end_shows_who_was_what(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.say(seat, line("won-town-mafia-gone", "The town wins: no mafia left."))
    table.say(seat, line("roles-revealed", "The don: eight.", don="8", mafia="9 10", sheriff="4"))
    await shown(page, "8 Don")
    table.state = "over"
    await table.close_booths()
    await page.get_by_role("heading", name="The town has won").wait_for()
    link = page.get_by_role("link", name="Read the review")
    assert await link.get_attribute("href") == f"/api/tables/{CODE}/review?format=html"
    await faultless(page)


# --- lost and found -------------------------------------------------------------------------------


async def test_who_is_thrown_out_comes_back_with_a_fresh_ticket(page: Page, table: Table, server: Server) -> None:
    seat = await play(page, table)
    tickets = table.tickets
    lobby = api.LiveKitAPI(server.url.replace("ws", "http", 1), server.api_key, server.api_secret)
    booth = api.RoomParticipantIdentity(room=table.room.booths[seat], identity=identity_of(seat))
    await lobby.room.remove_participant(booth)
    await lobby.aclose()
    await until(lambda: table.tickets > tickets and table.present and table.asked == 2)
    table.heard[seat].clear()
    await until(lambda: level(table.heard[seat], MICROPHONE_HZ) > 300)
    table.say(seat, line("resumed", "We go on."))
    await shown(page, "We go on.")


async def test_another_window_takes_the_seat_over(page: Page, table: Table) -> None:
    await play(page, table)
    other = await page.context.new_page()
    await other.goto(f"/t/{CODE}")
    await other.get_by_role("button", name="Come back to my seat").click()
    await other.locator(".play").wait_for()
    await shown(page, "You are at the table elsewhere")
    await faultless(page)
    await page.get_by_role("button", name="Play here").click()
    await page.locator(".play").wait_for()
    await shown(other, "You are at the table elsewhere")


async def test_the_media_server_dies_and_the_client_finds_the_next(page: Page, table: Table, tmp_path: Path) -> None:
    """As the service does it: new booths on a new server, and the same seat."""
    binary = livekit_server.find(tmp_path / "no-config.yaml")
    first, address = await livekit_server.start(binary, tmp_path / "first.log")
    await table.move(address)
    seat = await play(page, table)
    second, address = await livekit_server.start(binary, tmp_path / "second.log")
    await livekit_server.stop(first)
    await table.move(address)
    await until(lambda: table.present)
    table.say(seat, line("resumed", "We go on."))
    await shown(page, "We go on.")
    await page.context.close()
    await table.close_booths()
    await livekit_server.stop(second)


# --- for every eye --------------------------------------------------------------------------------


async def test_nothing_runs_over_the_edge_of_a_small_or_magnified_screen(page: Page, table: Table) -> None:
    """320 pixels are a screen of 1280 at 400 %."""
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

    async def fits() -> None:
        for width, height in ((360, 740), (320, 256)):
            await page.set_viewport_size({"width": width, "height": height})
            for large in ("false", "true"):
                await page.evaluate(f"document.documentElement.dataset.large = '{large}'")
                assert await page.evaluate(overflow) == 0, (width, large)

    await page.goto("/")
    await fits()
    seat = await play(page, table)
    table.say(seat, day(speaker=seat, ends_in_s=58.0, nominated=(2, 3, 4), fouls={5: 2}))
    table.say(seat, wire.Asked(what="speech", time_s=58))
    await shown(page, "It is your turn to speak")
    await fits()
