import assert from "node:assert/strict";
import { test } from "node:test";
import { BEFORE, tell, type Game } from "../src/game.ts";
import type { Line, Table, ToClient } from "../src/wire.ts";

const line = (key: string, args: Line["args"] = {}, rest: Partial<Line> = {}): Line => ({
  type: "line", key, text: key, args, private: false, duration_ms: 1000, ...rest,
});
const table = (change: Partial<Table>): Table => ({
  type: "table", phase: "day", day: 0, step: "speech", speaker: 1, ends_in_s: 60,
  alive: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], seal: "", nominated: [], fouls: {}, absent: [], ...change,
});
const after = (messages: ToClient[], from: Game = BEFORE) =>
  messages.reduce((game, message, at) => tell(game, message, 1000 * at), from);

test("a speech is called by a line and its clock started by the table", () => {
  const called = after([line("speech-call", { seat: 3, seconds: 60 })]);
  assert.deepEqual([called.step, called.speaker, called.ends_ms], ["speech", 3, null]);
  const open = tell(called, table({ speaker: 3, ends_in_s: 60 }), 5000);
  assert.deepEqual([open.speaker, open.ends_ms, open.clock_ms], [3, 65_000, 60_000]);
});

test("time given back moves the end and leaves the whole as it was", () => {
  const open = tell(BEFORE, table({ ends_in_s: 60 }), 0);
  const later = tell(open, table({ ends_in_s: 33 }), 30_000);
  assert.deepEqual([later.ends_ms, later.clock_ms], [63_000, 60_000]);
});

test("who leaves is taken from the seats when it is said", () => {
  assert.ok(!after([line("left", { seat: 7 })]).alive.includes(7));
  assert.ok(!after([line("left-gave-up", { seat: 2 })]).alive.includes(2));
  const morning = after([line("night"), line("morning", { seat: 9 })]);
  assert.deepEqual([morning.phase, morning.alive.includes(9)], ["day", false]);
});

test("a private line is a secret and nothing else", () => {
  const game = after([line("role-don", { mates: "4 7" }, { private: true, text: "You are the Don." })]);
  assert.deepEqual([game.transcript, game.secrets], [[], [{ text: "You are the Don.", role: true }]]);
});

test("voices at night are secrets too, and the role outlasts them all", () => {
  const caption: ToClient = { type: "caption", seat: 2, text: "We shoot four.", id: 1, final: true };
  const role = line("role-don", {}, { private: true, text: "You are the Don." });
  const game = after([role, line("night"), ...Array.from({ length: 40 }, () => caption)]);
  assert.equal(game.transcript.length, 1);
  assert.deepEqual([game.secrets[0]?.role, game.secrets.at(-1)?.text], [true, "2: We shoot four."]);
  assert.ok(game.secrets.length < 20);
});

test("what is asked waits until it is closed; a question lies over it", () => {
  const asked = after([{ type: "asked", what: "ballot", seats: [4, 7], time_s: 10 }]);
  assert.deepEqual([asked.asked?.what, asked.asked?.ends_ms, asked.candidates], ["ballot", 10_000, [4, 7]]);
  const question = tell(asked, { type: "asked", what: "question", seats: [7], time_s: 5 }, 2000);
  assert.deepEqual([question.asked?.what, question.question?.seats], ["ballot", [7]]);
  const closed = tell(question, { type: "closed", what: "ballot" }, 3000);
  assert.deepEqual([closed.asked, closed.question], [null, null]);
});

test("the close of another step leaves what is asked", () => {
  const asked = after([{ type: "asked", what: "speech", seats: [], time_s: 60 }]);
  assert.equal(tell(asked, { type: "closed", what: "ballot" }, 1).asked?.what, "speech");
});

test("the end names the winner, the roles and the best", () => {
  const roles = line("roles-revealed", { don: "8", mafia: "9 10", sheriff: "4" });
  const game = after([line("won-town-mafia-gone"), roles, line("scores", { seats: "4 6" })]);
  assert.deepEqual(game.ending, {
    winner: "town", text: "won-town-mafia-gone", roles: { 8: "don", 9: "maf", 10: "maf", 4: "sheriff" }, best: [4, 6],
  });
  assert.equal(after([line("won-nobody-stopped")]).ending?.winner, "nobody");
});

test("time up leaves nobody with the floor", () => {
  const game = after([table({ speaker: 2 }), line("time-up")]);
  assert.deepEqual([game.speaker, game.ends_ms], [null, null]);
});
