/** Time left, as it is written and as it is spoken by a screen reader. */

/** Whole seconds left, rounded up: 0 means that it is over. */
export function secondsLeft(ends_ms: number | null, now_ms: number): number | null {
  return ends_ms === null ? null : Math.max(0, Math.ceil((ends_ms - now_ms) / 1000));
}

export function clockFace(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
