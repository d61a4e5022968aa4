/** What a player has set for himself, kept on this device. */

import { ACTIONS, DEFAULT_KEYS, type KeyMap } from "./keys.ts";
import { Store } from "./store.ts";

export interface Settings {
  theme: "auto" | "light" | "dark";
  large: boolean;
  /** The narrator's words are announced by the screen reader. Off: he already speaks. */
  live: boolean;
  /** Each voice from its seat's place. */
  stereo: boolean;
  /** He types instead of speaking. */
  writes: boolean;
  keys: KeyMap;
  /** Device ids; "": the system's choice. */
  microphone: string;
  speaker: string;
}

const KEY = "settings";
const DEFAULTS: Settings = {
  theme: "auto",
  large: false,
  live: false,
  stereo: true,
  writes: false,
  keys: DEFAULT_KEYS,
  microphone: "",
  speaker: "",
};

function load(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const keys = Object.fromEntries(ACTIONS.map((each) => [each, kept.keys?.[each] ?? DEFAULT_KEYS[each]]));
    return { ...DEFAULTS, ...kept, keys };
  } catch {
    return DEFAULTS;
  }
}

export const settings = new Store<Settings>(load());

export function change(some: Partial<Settings>): void {
  settings.set(some);
  localStorage.setItem(KEY, JSON.stringify(settings.value));
  dress();
}

/** Put theme and size on the page. */
export function dress(): void {
  const page = document.documentElement;
  page.dataset.theme = settings.value.theme;
  page.dataset.large = String(settings.value.large);
}
