import assert from "node:assert/strict";
import { test } from "node:test";
import { clockFace, secondsLeft } from "../src/clock.ts";
import { Measure } from "../src/heard.ts";
import { ACTIONS, belongsToPage, DEFAULT_KEYS, label, meaning, remap, seatOf } from "../src/keys.ts";
import { opensOnlyHere, pageOf } from "../src/place.ts";
import { placeOf } from "../src/stage.ts";
import { append, captioned, LONGEST } from "../src/transcript.ts";
import { encode, parse, SEATS, type Caption } from "../src/wire.ts";

test("digits are seats, zero is ten, wherever they lie", () => {
  assert.deepEqual(["Digit1", "Numpad9", "Digit0", "KeyA"].map(seatOf), [1, 9, 10, null]);
});

test("keys mean what the player has set, and a taken key changes places", () => {
  assert.deepEqual(meaning("Space", DEFAULT_KEYS), { action: "interpellate" });
  assert.deepEqual(meaning("NumpadEnter", DEFAULT_KEYS), { action: "end_speech" });
  assert.equal(meaning("KeyZ", DEFAULT_KEYS), null)
  assert.equal(new Set(Object.values(DEFAULT_KEYS)).size, ACTIONS.length);
  const swapped = remap(DEFAULT_KEYS, "yes", "KeyN");
  assert.deepEqual([swapped.yes, swapped.no], ["KeyN", "KeyY"]);
  assert.equal(remap(DEFAULT_KEYS, "yes", "Digit3"), DEFAULT_KEYS);
  assert.equal(remap(DEFAULT_KEYS, "yes", "Tab"), DEFAULT_KEYS);
});

test("a key is named as the player's layout has it", () => {
  assert.equal(label("KeyA", new Map([["KeyA", "q"]]), {}), "Q");
  assert.equal(label("KeyA", null, {}), "A");
  assert.equal(label("Space", null, { Space: "Espace" }), "Espace");
});

test("a key belongs to the page while somebody types, and space to the button that has the focus", () => {
  const press = { code: "KeyY", ctrlKey: false, altKey: false, metaKey: false, isComposing: false };
  const within = (...tags: string[]) =>
    ({ closest: (wanted: string) => tags.some((tag) => wanted.split(/[ ,]+/).includes(tag)) || null }) as never;
  assert.equal(belongsToPage({ ...press, target: within() }), false);
  assert.equal(belongsToPage({ ...press, target: within("textarea") }), true);
  assert.equal(belongsToPage({ ...press, target: within("button") }), false);
  assert.equal(belongsToPage({ ...press, code: "Space", target: within("button") }), true);
  assert.equal(belongsToPage({ ...press, ctrlKey: true, target: within() }), true);
});

const caption = (text: string, id = 1, final = false, seat = 3): Caption => ({ type: "caption", seat, text, id, final });

test("a caption grows, never shrinks, and ends with its final words", () => {
  let entries = captioned([], caption("I nominate"), 0);
  entries = captioned(entries, caption("I nominate four"), 900);
  entries = captioned(entries, caption("I nom"), 1000);
  assert.deepEqual(entries.map((each) => [each.text, each.final]), [["I nominate four", false]]);
  entries = captioned(append(entries, "Accepted.", 1100), caption("I nominate five.", 1, true), 1200);
  entries = captioned(entries, caption("I nominate five and six"), 1300);
  assert.deepEqual(entries.map((each) => each.text), ["I nominate five.", "Accepted."]);
});

test("another sentence, another seat, or an unnumbered one begins a new line", () => {
  let entries = captioned([], caption("Pass.", 1, true), 0);
  entries = captioned(entries, caption("Pass.", 2, true), 10);
  entries = captioned(entries, caption("Pass.", 2, true, 4), 20);
  entries = captioned(captioned(entries, caption("Pass.", 0, true), 30), caption("Pass.", 0, true), 40);
  assert.equal(entries.length, 5);
});

test("the history is kept, so far", () => {
  let entries = append([], "0", 0);
  for (let n = 1; n < 2 * LONGEST; n++) entries = append(entries, `${n}`, n);
  assert.equal(entries.length, LONGEST);
  assert.equal(new Set(entries.map((each) => each.id)).size, LONGEST);
});

test("voices come from where the seats stand on the screen, one's own and the narrator from the middle", () => {
  assert.deepEqual([placeOf(null, 3), placeOf(3, 3), placeOf(8, 3)], [0, 0, 0]);
  assert.ok(placeOf(4, 3) < -0.4 && placeOf(2, 3) > 0.4);
  assert.equal(placeOf(1, 10), placeOf(4, 3));
  for (const seat of SEATS) assert.ok(Math.abs(placeOf(seat, 3)) <= 0.8);
});

test("the same words of the narrator are said twice", () => {
  assert.equal(append(append([], "Time is up.", 0), "Time is up.", 100).length, 2);
});

test("only what was audible is reported as heard", () => {
  const played = (audible: boolean) => {
    const heard = new Measure();
    for (let step = 0; step <= 20; step++) heard.sample({ position_s: step / 10, audible });
    return heard.ms(1500);
  };
  assert.deepEqual([played(true), played(false)], [1500, 0]);
  const stalled = new Measure();
  for (let step = 0; step < 20; step++) stalled.sample({ position_s: 7, audible: true });
  assert.equal(stalled.ms(1500), 0);
  const jumped = new Measure();
  jumped.sample({ position_s: 0, audible: true });
  jumped.sample({ position_s: 60, audible: true });
  assert.ok(jumped.ms(5000) <= 500);
});

test("an address of this computer brings nobody else to the table", () => {
  const hosts = ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "mafia.example.org", "192.168.1.7", "localhost.example.org"];
  assert.deepEqual(hosts.map(opensOnlyHere), [true, true, true, true, false, false, false]);
});

test("a table is found by its link, the spectators' link, or its code", () => {
  const at = "https://mafia.example.org";
  const sent = ["ABC234", " abc234 ", `${at}/t/ABC234/`, `${at}/t/ABC234/gallery`, "ABC234/gallery", `${at}/t/ABC234?from=chat`];
  const pages = ["/t/ABC234", "/t/abc234", "/t/ABC234", "/t/ABC234/gallery", "/t/ABC234/gallery", "/t/ABC234"];
  assert.deepEqual(sent.map(pageOf), pages);
  assert.deepEqual(["", `${at}/`, "two words"].map(pageOf), ["", "", ""]);
});

test("seconds are rounded up, so that a clock shows zero only at its end", () => {
  assert.deepEqual([secondsLeft(10_000, 9_001), secondsLeft(10_000, 10_000), secondsLeft(null, 0)], [1, 0, null]);
  assert.deepEqual([clockFace(60), clockFace(9), clockFace(125)], ["1:00", "0:09", "2:05"]);
});

test("what is not a message is passed over", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.equal(parse(bytes("{")), null);
  assert.equal(parse(bytes('{"type": "hologram"}')), null);
  assert.equal(parse(bytes('{"type": "closed", "what": "ballot"}'))?.type, "closed");
  const sent: unknown = JSON.parse(new TextDecoder().decode(encode({ what: "digit", seat: 4 })));
  assert.deepEqual(sent, { type: "do", what: "digit", seat: 4 });
});
