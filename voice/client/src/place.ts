/** Our seat at a table, remembered: in this tab to come back by itself, on this device to be offered. */

import type { Place } from "./api.ts";

const key = (code: string) => `seat:${code}`;

function read(storage: Storage, code: string): Place | null {
  try {
    const found = JSON.parse(storage.getItem(key(code)) ?? "null");
    return Number.isInteger(found?.seat) && typeof found?.pin === "string" ? found : null;
  } catch {
    return null;
  }
}

export const ofThisTab = (code: string) => read(sessionStorage, code);
export const ofThisDevice = (code: string) => read(localStorage, code);

export function remember(code: string, place: Place): void {
  for (const storage of [sessionStorage, localStorage]) storage.setItem(key(code), JSON.stringify(place));
}

export function forget(code: string): void {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(key(code));
}
