/** How much of a line this client has really played: the moderator asks, since nobody plays a role he has not heard. */

export interface Playback {
  /** Seconds played so far, as the audio element counts them. */
  position_s: number;
  /** Playing, not muted, not turned down to nothing, with a live track. */
  audible: boolean;
}

export const SAMPLE_MS = 100;
/** The sound of a line arrives a little after its words. */
const TRAVEL_MS = 300;
/** A position that jumps further than this between two samples was not played. */
const LONGEST_STEP_S = (5 * SAMPLE_MS) / 1000;

/** Adds up what is played while it is audible. Silence that is counted as played is the one thing to avoid. */
export class Measure {
  private played_s = 0;
  private last: Playback | null = null;

  sample(now: Playback): void {
    const advance_s = this.last ? now.position_s - this.last.position_s : 0;
    const audible = now.audible && this.last?.audible;
    if (audible && advance_s > 0) this.played_s += Math.min(advance_s, LONGEST_STEP_S);
    this.last = now;
  }

  /** Of a line of that length, never more than it has. */
  ms(duration_ms: number): number {
    return Math.round(Math.min(this.played_s * 1000, duration_ms));
  }
}

/** Watch one line to its end; resolves with the milliseconds of it that were played. */
export async function measure(duration_ms: number, look: () => Playback): Promise<number> {
  const heard = new Measure();
  const until_ms = performance.now() + duration_ms + TRAVEL_MS;
  heard.sample(look());
  while (performance.now() < until_ms) {
    await new Promise((wake) => setTimeout(wake, SAMPLE_MS));
    heard.sample(look());
  }
  return heard.ms(duration_ms);
}
