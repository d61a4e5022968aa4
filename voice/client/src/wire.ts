/** What travels over the booth's data channel: the client's side of voice/wire.py. */

export const FROM_MODERATOR_TOPIC = "moderator";
export const FROM_PLAYER_TOPIC = "player";

export type Seat = number;
export const SEATS: readonly Seat[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

export interface Line {
  type: "line";
  key: string;
  text: string;
  args: Record<string, string | number>;
  private: boolean;
  duration_ms: number;
}

/** A caption takes the place of the one before with the same seat and id; it grows until it is `final`. */
export interface Caption {
  type: "caption";
  seat: Seat;
  text: string;
  id: number;
  final: boolean;
}

export interface Asked {
  type: "asked";
  what: string;
  seats: Seat[];
  time_s: number;
}

export interface Closed {
  type: "closed";
  what: string;
}

/** How the table stands, in what everybody knows. `ends_in_s` null: no clock is running. */
export interface Table {
  type: "table";
  phase: string;
  day: number;
  step: string | null;
  speaker: Seat | null;
  ends_in_s: number | null;
  /** Of the deal, to keep as a proof; "" where there is none. */
  seal: string;
  alive: Seat[];
  nominated: Seat[];
  fouls: Record<string, number>;
  absent: Seat[];
}

export type ToClient = Line | Caption | Asked | Closed | Table;

/** Keys that need nothing said beside them. */
type Plain = "interpellate" | "end_speech" | "yes" | "no" | "give_up" | "here" | "table";

/** Characters of words typed at once. */
export const LONGEST_TEXT = 300;

export interface Do {
  what: Plain | "digit" | "crown" | "type" | "signal" | "move" | "heard" | "ask";
  seat?: Seat;
  name?: string;
  ms?: number;
  text?: string;
}

const TYPES = new Set(["line", "caption", "asked", "closed", "table"]);

/** A message of the moderator; null for one of a newer kind, which an older client passes over. */
export function parse(body: Uint8Array): ToClient | null {
  try {
    const message = JSON.parse(new TextDecoder().decode(body)) as ToClient;
    return TYPES.has(message.type) ? message : null;
  } catch {
    return null;
  }
}

export function encode(wish: Do): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ type: "do", ...wish }));
}

/** Seats in a line's arguments: "4 7 9", or one number. */
export function seatsIn(value: string | number | undefined): Seat[] {
  return String(value ?? "").split(" ").filter(Boolean).map(Number);
}
