/** What has been said, in order. A caption grows and never shrinks until its final words take its place. */

import type { Caption, Seat } from "./wire.ts";

export interface Entry {
  id: number;
  /** null: the narrator. */
  seat: Seat | null;
  text: string;
  at_ms: number;
  /** Of a player: which of his utterances; 0: the narrator. */
  utterance: number;
  /** Nothing is added to it any more. */
  final: boolean;
}

export const LONGEST = 500;
/** A sentence that grows may have been passed by so many others. */
const NEAR = 5;

/** A line of the narrator. */
export function append(entries: readonly Entry[], text: string, at_ms: number): readonly Entry[] {
  return added(entries, { seat: null, text, at_ms, utterance: 0, final: true });
}

export function captioned(entries: readonly Entry[], caption: Caption, at_ms: number): readonly Entry[] {
  const { seat, text, id: utterance, final } = caption;
  const near = entries.slice(-NEAR).findLast((each) => each.seat === seat && each.utterance === utterance);
  if (!near || !utterance) return added(entries, { seat, text, at_ms, utterance, final });
  if (near.final || (!final && text.length < near.text.length)) return entries;
  return entries.map((each) => (each === near ? { ...near, text, final, at_ms } : each));
}

function added(entries: readonly Entry[], entry: Omit<Entry, "id">): readonly Entry[] {
  const id = (entries.at(-1)?.id ?? 0) + 1;
  return [...entries.slice(-LONGEST + 1), { id, ...entry }];
}
