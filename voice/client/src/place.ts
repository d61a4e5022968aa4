/** Where we are: at which address, and our seat at a table, remembered in this tab to come back by itself, on this device
 * to be offered. */

import type { Place } from "./api.ts";

/** Whether the page's address means this computer to everybody: nobody else comes to it by its link. */
export const opensOnlyHere = (host: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(host);

/** The page of a table of which somebody has the link, as a player or a spectator, or the code; "" where it is neither. */
export function pageOf(sent: string): string {
  const [, code, gallery = ""] = /^(?:.*\/t\/)?([^/\s?#]+)(\/gallery)?\/?(?:[?#].*)?$/.exec(sent.trim()) ?? [];
  return code ? `/t/${encodeURIComponent(code)}${gallery}` : "";
}

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
