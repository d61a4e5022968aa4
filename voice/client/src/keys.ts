/** Which key does what. Keys are places on the keyboard (`event.code`), so they stay where they are in any layout. */

import { SEATS, type Seat } from "./wire.ts";

export const ACTIONS = [
  "interpellate",
  "end_speech",
  "yes",
  "no",
  "secret",
  "agree",
  "disagree",
  "question",
  "listen",
  "motion",
  "crown",
  "write",
  "repeat",
  "time",
  "speaker",
  "alive",
  "nominated",
  "where",
  "role",
  "help",
] as const;
export type Action = (typeof ACTIONS)[number];
export type KeyMap = Readonly<Record<Action, string>>;

export const DEFAULT_KEYS: KeyMap = {
  interpellate: "Space",
  end_speech: "Enter",
  yes: "KeyY",
  no: "KeyN",
  secret: "KeyS",
  agree: "KeyA",
  disagree: "KeyD",
  question: "KeyF",
  listen: "KeyG",
  motion: "KeyM",
  crown: "KeyC",
  write: "KeyE",
  repeat: "KeyR",
  time: "KeyT",
  speaker: "KeyQ",
  alive: "KeyV",
  nominated: "KeyL",
  where: "KeyW",
  role: "KeyO",
  help: "KeyH",
};

/** What the moderator is asked; he answers in this booth alone. */
export const QUESTIONS: readonly Action[] = ACTIONS.slice(ACTIONS.indexOf("repeat"));
export const GESTURES: readonly Action[] = ["agree", "disagree", "question", "listen"];

export type Pressed = { action: Action } | { seat: Seat };

export function seatOf(code: string): Seat | null {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
  return digit === undefined ? null : digit === "0" ? 10 : Number(digit);
}

export function meaning(code: string, keys: KeyMap): Pressed | null {
  const seat = seatOf(code);
  if (seat !== null) return { seat };
  const place = code === "NumpadEnter" ? "Enter" : code;
  const action = ACTIONS.find((each) => keys[each] === place);
  return action ? { action } : null;
}

/** Another key for an action. One that is taken changes places with it, so that no action is ever without a key. */
export function remap(keys: KeyMap, action: Action, code: string): KeyMap {
  if (seatOf(code) !== null || RESERVED.has(code)) return keys;
  const holder = ACTIONS.find((each) => keys[each] === code);
  return { ...keys, ...(holder ? { [holder]: keys[action] } : {}), [action]: code };
}

/** Keys that the browser, a screen reader or this page need themselves. */
const RESERVED: ReadonlySet<string> = new Set(
  ["Escape", "Tab", "Insert", "CapsLock", "NumLock", "ContextMenu", "F1", "F5", "F6", "F11", "F12"].concat(
    ["Shift", "Control", "Alt", "Meta"].flatMap((name) => [`${name}Left`, `${name}Right`]),
    ["Up", "Down", "Left", "Right"].map((way) => `Arrow${way}`),
  ),
);

const FIELDS = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";
const OWN_SPACE_AND_ENTER = "button, a[href], summary, input, label";

interface KeyPress {
  code: string;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
  target: EventTarget | null;
}

/** Whether a key pressed there belongs to the page: somebody types, a dialog is open, a button has the focus. */
export function belongsToPage(press: KeyPress): boolean {
  const element = press.target as Element | null;
  if (press.ctrlKey || press.altKey || press.metaKey || press.isComposing) return true;
  if (!element?.closest) return false;
  if (element.closest(`${FIELDS}, dialog`)) return true;
  return ["Space", "Enter", "NumpadEnter"].includes(press.code) && element.closest(OWN_SPACE_AND_ENTER) !== null;
}

/** What stands on a key in the player's own layout, where the browser knows it. */
export function label(code: string, layout: ReadonlyMap<string, string> | null, names: Record<string, string>): string {
  const seat = seatOf(code);
  if (seat !== null) return String(seat % SEATS.length);
  return names[code] ?? layout?.get(code)?.toLocaleUpperCase() ?? code.replace(/^Key/, "");
}
