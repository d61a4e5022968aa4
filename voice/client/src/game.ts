/** The game as this client has been told it: messages in, one immutable value out. No clock, no page, no network. */

import { append, captioned, type Entry } from "./transcript.ts";
import { SEATS, seatsIn, type Asked, type Caption, type Line, type Seat, type Table, type ToClient } from "./wire.ts";

export interface Question extends Asked {
  /** When its time is over, on the page's clock; null: it has none. */
  ends_ms: number | null;
}

export interface Secret {
  text: string;
  /** It tells what the seat plays. */
  role: boolean;
}

export interface Ending {
  winner: "town" | "mafia" | "nobody";
  text: string;
  roles: Record<Seat, "don" | "maf" | "sheriff"> | null;
  best: Seat[];
}

export interface Game {
  phase: "new" | "deal" | "night" | "day" | "over";
  day: number;
  /** The step that was called or runs: speech, ballot, shots, ... */
  step: string | null;
  speaker: Seat | null;
  /** When the running clock ends; null: none runs. `clock_ms`: how long it was when it was last set. */
  ends_ms: number | null;
  clock_ms: number;
  /** Of the deal, to keep as a proof; "" where none was told. */
  seal: string;
  alive: readonly Seat[];
  nominated: readonly Seat[];
  candidates: readonly Seat[];
  fouls: Readonly<Record<string, number>>;
  absent: readonly Seat[];
  /** What is asked of this seat: its step, and over it a question or a motion. */
  asked: Question | null;
  question: Question | null;
  transcript: readonly Entry[];
  /** What this seat alone was told, oldest first. Shown only while the player holds the key. */
  secrets: readonly Secret[];
  ending: Ending | null;
}

export const BEFORE: Game = {
  phase: "new",
  day: 0,
  step: null,
  speaker: null,
  ends_ms: null,
  clock_ms: 0,
  seal: "",
  alive: SEATS,
  nominated: [],
  candidates: [],
  fouls: {},
  absent: [],
  asked: null,
  question: null,
  transcript: [],
  secrets: [],
  ending: null,
};

/** Steps of the night: what is asked in them is asked of a role, so a screen may not show of whom. */
export const NIGHT_STEPS: ReadonlySet<string> = new Set(["meeting", "greeting", "shots", "don_check", "sheriff_check"]);
const SPOKEN_STEPS: ReadonlySet<string> = new Set(["speech", "split_speech", "farewell"]);
const KEPT_SECRETS = 12;
/** Sentences of prompts/ that tell a player his role. */
export const ROLE_KEYS = "role-";

const CALLS: Record<string, string> = {
  "deal-call": "deal",
  "meeting-call": "meeting",
  "greeting-call": "greeting",
  "speech-call": "speech",
  "nomination-only-call": "speech",
  "split-speech-call": "split_speech",
  "farewell-call": "farewell",
  "ballot-call": "ballot",
  "lift-call": "lift",
  "shots-call": "shots",
  "don-check-call": "don_check",
  "sheriff-check-call": "sheriff_check",
};

export function tell(game: Game, message: ToClient, now_ms: number): Game {
  switch (message.type) {
    case "line":
      if (!message.private) return announced(game, message, now_ms);
      return whispered(game, { text: message.text, role: message.key.startsWith(ROLE_KEYS) });
    case "caption":
      // Who hears voices at night is of the mafia.
      if (game.phase === "night") return overheard(game, message);
      return { ...game, transcript: captioned(game.transcript, message, now_ms) };
    case "asked":
      return ask(game, message, now_ms);
    case "closed":
      return { ...game, asked: game.asked?.what === message.what ? null : game.asked, question: null };
    case "table":
      return stands(game, message, now_ms);
  }
}

/** A question was answered, or its time has passed: it waits no longer. */
export function answered(game: Game): Game {
  return game.question ? { ...game, question: null } : game;
}

function ask(game: Game, asked: Asked, now_ms: number): Game {
  const question = { ...asked, ends_ms: asked.time_s > 0 ? now_ms + asked.time_s * 1000 : null };
  return asked.what === "question" || asked.what === "motion"
    ? { ...game, question }
    : { ...game, asked: question, candidates: asked.seats.length ? asked.seats : game.candidates };
}

function overheard(game: Game, caption: Caption): Game {
  return caption.final ? whispered(game, { text: `${caption.seat}: ${caption.text}`, role: false }) : game;
}

/** The role stays, however much is whispered after it. */
function whispered(game: Game, secret: Secret): Game {
  const kept = game.secrets.filter((each) => !(secret.role && each.role));
  const role = kept.filter((each) => each.role);
  return { ...game, secrets: [...role, ...kept.filter((each) => !each.role).slice(-KEPT_SECRETS), secret] };
}

function stands(game: Game, table: Table, now_ms: number): Game {
  const left_ms = table.ends_in_s === null ? 0 : table.ends_in_s * 1000;
  const same = game.step === table.step && game.speaker === table.speaker && game.ends_ms !== null;
  return {
    ...game,
    phase: table.phase as Game["phase"],
    day: table.day,
    step: table.step,
    speaker: table.speaker,
    ends_ms: table.ends_in_s === null ? null : now_ms + left_ms,
    clock_ms: same ? Math.max(game.clock_ms, left_ms) : left_ms,
    seal: table.seal,
    alive: table.alive,
    nominated: table.nominated,
    fouls: table.fouls,
    absent: table.absent,
  };
}

/** Between two steps the narrator's lines are all that tells what has changed, and they tell it when it is heard. */
function announced(game: Game, line: Line, now_ms: number): Game {
  const said = { ...game, transcript: append(game.transcript, line.text, now_ms) };
  const step = CALLS[line.key];
  if (step) return called(said, step, line);
  const seat = Number(line.args.seat);
  if (line.key === "left" || line.key.startsWith("left-") || line.key === "morning")
    return { ...(line.key === "morning" ? morning(said) : said), alive: game.alive.filter((other) => other !== seat) };
  if (line.key.startsWith("won-")) return over(said, line);
  switch (line.key) {
    case "night":
      return { ...still(said), phase: "night", nominated: [], candidates: [] };
    case "day":
    case "morning-miss":
      return morning(said);
    case "ballot-list":
    case "revote-list":
      return { ...still(said), candidates: seatsIn(line.args.seats) };
    case "time-up":
    case "meeting-end":
    case "suspended":
      return still(said);
    case "roles-revealed":
      return said.ending ? { ...said, ending: { ...said.ending, roles: revealed(line) } } : said;
    case "scores":
      return said.ending ? { ...said, ending: { ...said.ending, best: seatsIn(line.args.seats) } } : said;
    default:
      return said;
  }
}

function called(game: Game, step: string, line: Line): Game {
  const speaker = SPOKEN_STEPS.has(step) ? Number(line.args.seat) : null;
  const candidates = step === "lift" ? seatsIn(line.args.seats) : game.candidates;
  const phase = step === "deal" ? "deal" : NIGHT_STEPS.has(step) ? "night" : "day";
  return { ...still(game), step, speaker, candidates, phase };
}

/** Nobody has the floor and no clock runs. */
function still(game: Game): Game {
  return { ...game, step: null, speaker: null, ends_ms: null };
}

function morning(game: Game): Game {
  return { ...still(game), phase: "day", nominated: [], candidates: [] };
}

function over(game: Game, line: Line): Game {
  const winner = (["town", "mafia"] as const).find((team) => line.key.startsWith(`won-${team}`)) ?? "nobody";
  const ending: Ending = { winner, text: line.text, roles: null, best: [] };
  return { ...still(game), phase: "over", asked: null, question: null, ending };
}

function revealed(line: Line): Ending["roles"] {
  const named = { don: "don", mafia: "maf", sheriff: "sheriff" } as const;
  const roles: Ending["roles"] = {};
  for (const [arg, role] of Object.entries(named)) for (const seat of seatsIn(line.args[arg])) roles[seat] = role;
  return roles;
}
