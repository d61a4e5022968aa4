/** What is left of the running time, as figures and as an arc. */

import { useEffect, useState } from "preact/hooks";
import { clockFace, secondsLeft } from "../clock.ts";

const TICK_MS = 200;

/** Whole seconds left of a running clock; the component is drawn again when they change. */
export function useSecondsLeft(ends_ms: number | null): number | null {
  const [left, show] = useState(() => secondsLeft(ends_ms, performance.now()));
  useEffect(() => {
    const look = () => show(secondsLeft(ends_ms, performance.now()));
    look();
    if (ends_ms === null) return;
    const timer = setInterval(look, TICK_MS);
    return () => clearInterval(timer);
  }, [ends_ms]);
  return left;
}

export function Clock({ ends_ms, clock_ms, label }: { ends_ms: number | null; clock_ms: number; label: string }) {
  const left = useSecondsLeft(ends_ms);
  if (left === null) return <p class="clock stopped" aria-hidden="true">–:––</p>;
  return (
    <p class={left <= 10 ? "clock short" : "clock"} role="timer" aria-label={label}>
      {clockFace(left)}
      <meter class="left" min={0} max={Math.max(1, clock_ms / 1000)} value={left} aria-hidden="true" />
    </p>
  );
}
