import assert from "node:assert/strict";
import { test } from "node:test";
import { clockFace, secondsLeft } from "../src/clock.ts";
import { Measure } from "../src/heard.ts";
import { ACTIONS, belongsToPage, DEFAULT_KEYS, label, meaning, remap, seatOf } from "../src/keys.ts";
import { append, LONGEST } from "../src/transcript.ts";
import { encode, parse } from "../src/wire.ts";

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

test("captions grow, never shrink, and the history is kept", () => {
  let entries = append([], 3, "I nominate", 0);
  entries = append(entries, 3, "I nominate four", 900);
  entries = append(entries, 3, "I nom", 1000);
  assert.deepEqual(entries.map((entry) => entry.text), ["I nominate four"]);
  entries = append(append(entries, null, "Accepted.", 1100), 3, "Pass.", 1200);
  assert.deepEqual(entries.map((entry) => entry.seat), [3, null, 3]);
  for (let n = 0; n < 2 * LONGEST; n++) entries = append(entries, null, `${n}`, 2000 + n);
  assert.equal(entries.length, LONGEST);
  assert.equal(new Set(entries.map((entry) => entry.id)).size, LONGEST);
});

test("the same words of the narrator are said twice", () => {
  assert.equal(append(append([], null, "Time is up.", 0), null, "Time is up.", 100).length, 2);
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
