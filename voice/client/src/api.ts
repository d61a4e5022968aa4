/** The service's HTTP interface (voice/server.py). */

import type { Seat } from "./wire.ts";

export type TableState = "gathering" | "starting" | "playing" | "over" | "lost";
export type Lang = "fr" | "en" | "ru";

export interface Choices {
  rules: "classic" | "turbo" | "calm" | "club" | "practice";
  lang: Lang;
  setting: "mafia" | "loup-garou";
  recording: boolean;
  /** How far spectators are behind; none are let in where it is missing. */
  gallery_delay_s?: number;
}

export interface TableInfo extends Choices {
  code: string;
  state: TableState;
  /** `name`: of who gave one. */
  seats: Record<string, { taken: boolean; name?: string }>;
  missing: number;
}

/** A seat and the word that proves it is ours. */
export interface Place {
  seat: Seat;
  pin: string;
}

export interface Ticket {
  url: string;
  token: string;
}

export interface Wait {
  state: TableState;
  missing: number;
}

/** What the service refused: its HTTP status, 0 when it could not be reached, and its own code. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** After this the service is said to be out of reach, which can be tried again; a page that waits for ever cannot. */
const PATIENCE_MS = 10_000;

async function call<T>(path: string, body?: object): Promise<{ status: number; body: T }> {
  const request: RequestInit = {
    headers: { accept: "application/json" },
    cache: "no-store",
    signal: AbortSignal.timeout(PATIENCE_MS),
  };
  if (body) Object.assign(request, { method: "POST", body: JSON.stringify(body) });
  if (body) request.headers = { ...request.headers, "content-type": "application/json" };
  const response = await fetch(`/api/tables${path}`, request).catch((failure: Error) => {
    throw new Refused(0, "unreachable", failure.message);
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.error ?? "unknown", answer.message ?? "");
  return { status: response.status, body: answer as T };
}

const at = (code: string, what = "") => `/${encodeURIComponent(code)}${what}`;

export const openTable = async (choices: Choices) => (await call<{ code: string }>("", choices)).body.code;
export const look = async (code: string) => (await call<TableInfo>(at(code))).body;
/** `name` "": the number alone. */
export const takeSeat = async (code: string, consent: boolean, name: string) =>
  (await call<Place>(at(code, "/seats"), name.trim() ? { consent, name } : { consent })).body;
export const leave = (code: string, place: Place) => call(at(code, "/leave"), { ...place });
export const reviewAddress = (code: string, format: "html" | "md" | "json") =>
  `/api/tables${at(code, `/review?format=${format}`)}`;

/** A spectator's ticket, or what is still awaited. */
export const askGallery = async (code: string) => (await call<Ticket | Wait>(at(code, "/gallery"), {})).body;

export const soundAddress = (sound: string) => `/api/sounds/${sound}.wav`;

/** A ticket, or what is still awaited. */
export async function askTicket(code: string, place: Place): Promise<Ticket | Wait> {
  return (await call<Ticket | Wait>(at(code, "/ticket"), { ...place })).body;
}
