/** Keep the screen on while a game runs: a phone that sleeps drops its microphone. */

let wanted = false;
let lock: WakeLockSentinel | null = null;

async function take(): Promise<void> {
  if (!wanted || document.visibilityState !== "visible" || (lock && !lock.released)) return;
  lock = await (navigator.wakeLock?.request("screen") ?? Promise.resolve(null)).catch(() => null);
}

export function stayAwake(): void {
  if (wanted) return;
  wanted = true;
  document.addEventListener("visibilitychange", take);
  void take();
}

export function maySleep(): void {
  wanted = false;
  document.removeEventListener("visibilitychange", take);
  void lock?.release();
  lock = null;
}
