"""What players who do not see, hear or speak have in the client: places by ear, the crown by key, words typed."""

import asyncio

import test_client
from client_browser import becomes, faultless
from client_kit import Table
from playwright.async_api import Page
from sound_kit import tone
from test_client import MODERATOR_HZ, day, line, play, shown, until

from voice import wire
from voice.ports import FRAME_SAMPLES, RATE_HZ

pytestmark = test_client.pytestmark
server, browser, table, page = test_client.server, test_client.browser, test_client.table, test_client.page

SIDES = """async () => {
  const context = new AudioContext();
  const split = new ChannelSplitterNode(context, {numberOfOutputs: 2});
  context.createMediaStreamSource(document.querySelector('audio').srcObject).connect(split);
  const sides = [0, 1].map((channel) => {
    const analyser = new AnalyserNode(context, {fftSize: 16384});
    split.connect(analyser, channel);
    return analyser;
  });
  await new Promise((wake) => setTimeout(wake, 600));
  const energy = sides.map((analyser) => {
    const samples = new Float32Array(analyser.fftSize);
    analyser.getFloatTimeDomainData(samples);
    return samples.reduce((sum, sample) => sum + sample * sample, 0);
  });
  await context.close();
  return energy;
}"""


async def test_each_voice_is_heard_from_its_place_and_the_narrator_from_the_middle(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.hears = tone(MODERATOR_HZ, FRAME_SAMPLES / RATE_HZ)
    await becomes(page, "document.querySelector('audio').currentTime > 0.5")
    next_left, next_right = seat % 10 + 1, (seat - 2) % 10 + 1
    table.say(seat, day(speaker=next_left, ends_in_s=58.0))
    await shown(page, f"Number {next_left} speaks")
    left, right = await page.evaluate(SIDES)
    assert left > 3 * right > 0, "the next seat sits to the left, and the other ear still hears"
    table.say(seat, line("time-warning", "Ten seconds.", duration_ms=2000))
    left, right = await page.evaluate(SIDES)
    assert 0.8 < left / right < 1.25, "the narrator speaks from the middle, whoever has the floor"
    table.say(seat, day(speaker=next_right, ends_in_s=40.0))
    await shown(page, f"Number {next_right} speaks")
    await asyncio.sleep(1.8)
    left, right = await page.evaluate(SIDES)
    assert right > 3 * left > 0
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("checkbox", name="Voices from their places").uncheck()
    await page.keyboard.press("Escape")
    left, _ = await page.evaluate(SIDES)
    assert left > 0, "switched off, it is heard as it is sent"
    assert await page.evaluate("document.querySelectorAll('audio').length") == 1


async def test_at_night_every_voice_comes_from_the_middle(page: Page, table: Table) -> None:
    """Where a mafioso sits is nothing that a second pair of headphones should learn."""
    seat = await play(page, table)
    table.hears = tone(MODERATOR_HZ, FRAME_SAMPLES / RATE_HZ)
    table.say(seat, day(phase="night", step="meeting", speaker=seat % 10 + 1, ends_in_s=50.0))
    await becomes(page, "document.querySelector('audio').currentTime > 0.5")
    left, right = await page.evaluate(SIDES)
    assert 0.8 < left / right < 1.25


async def test_the_crown_is_given_by_key_and_by_touch(page: Page, table: Table) -> None:
    seat = await play(page, table)
    await page.keyboard.press("KeyC")
    await page.keyboard.press("Digit4")
    table.say(seat, wire.Asked(what="farewell", time_s=60))
    await shown(page, "Say your suspects and the crown")
    await page.keyboard.press("Digit5")
    await page.keyboard.press("KeyC")
    await shown(page, "The crown: to whom?")
    await faultless(page)
    await page.keyboard.press("Digit9")
    await page.keyboard.press("Digit6")
    await page.get_by_role("button", name="Give the crown").click()
    await page.get_by_role("group", name="The crown: to whom?").get_by_role("button", name="Number 7").click()
    await shown(page, "Sent: the crown, 7")
    await until(lambda: len(table.done) == 5)
    pressed = [(do.what, do.seat) for do in table.done]
    assert pressed == [("digit", 4), ("digit", 5), ("crown", 9), ("digit", 6), ("crown", 7)]


async def test_words_are_typed_in_ones_turn(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.say(seat, day(speaker=3, ends_in_s=58.0))
    await shown(page, "Number 3 speaks")
    assert await page.get_by_label("A voice says it").count() == 0, "out of turn there is nothing to write in"
    table.say(seat, wire.Asked(what="speech", time_s=60))
    await shown(page, "I have finished")
    await page.keyboard.press("KeyE")
    await page.get_by_label("A voice says it").wait_for()
    await becomes(page, "document.activeElement.tagName === 'INPUT'")
    await page.keyboard.type("4 is black. Yes!")
    await faultless(page)
    await page.keyboard.press("Enter")
    await shown(page, "Sent: 4 is black. Yes!")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Enter")
    await until(lambda: len(table.done) == 2)
    assert [(do.what, do.text) for do in table.done] == [("type", "4 is black. Yes!"), ("end_speech", None)]


async def test_a_growing_caption_is_no_news_for_a_screen_reader_until_it_is_whole(page: Page, table: Table) -> None:
    seat = await play(page, table)
    table.say(seat, wire.Caption(seat=3, text="Nine is", id=1, final=False))
    await page.locator(".log li[aria-busy='true']").get_by_text("Nine is").wait_for()
    table.say(seat, wire.Caption(seat=3, text="Nine is black.", id=1))
    await page.locator(".log li[aria-busy='false']").get_by_text("Nine is black.").wait_for()
    assert await page.locator(".log li").count() == 1
