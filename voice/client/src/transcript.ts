/** What has been said, in order. A caption grows, it never shrinks; nothing is taken back. */

import type { Seat } from "./wire.ts";

export interface Entry {
  id: number;
  /** null: the narrator. */
  seat: Seat | null;
  text: string;
  at_ms: number;
}

export const LONGEST = 500;
/** A caption of the same seat that begins like the last one continues it for this long. */
const SAME_UTTERANCE_MS = 15_000;

export function append(entries: readonly Entry[], seat: Seat | null, text: string, at_ms: number): readonly Entry[] {
  const last = entries.at(-1);
  const continues = seat !== null && last?.seat === seat && at_ms - last.at_ms < SAME_UTTERANCE_MS;
  if (last && continues && text.startsWith(last.text)) return [...entries.slice(0, -1), { ...last, text, at_ms }];
  if (last && continues && last.text.startsWith(text)) return entries;
  const id = (last?.id ?? 0) + 1;
  return [...entries.slice(-LONGEST + 1), { id, seat, text, at_ms }];
}
