/** Where voices sound from: each seat from its place around the table, the narrator from the middle. */

import { SEATS, type Seat } from "./wire.ts";

/** Nobody sits quite at one ear, so that who hears with one only still hears everybody. */
const WIDEST = 0.8;
/** The sound of a line arrives a little after its words. */
const TRAVEL_MS = 250;
const GLIDE_S = 0.03;

/** From -1, at the left, to 1: as the seats stand on the screen, one's own at the bottom. */
export function placeOf(seat: Seat | null, me: Seat): number {
  if (seat === null || seat === me) return 0;
  const angle = ((seat - me) * 2 * Math.PI) / SEATS.length + Math.PI;
  return Math.round(WIDEST * Math.sin(angle) * 1000) / 1000 || 0;
}

export class Stage {
  private context: AudioContext | null = null;
  private source: MediaStreamAudioSourceNode | null = null;
  private panner: StereoPannerNode | null = null;
  private out: MediaStreamAudioDestinationNode | null = null;
  private place = 0;
  private narrated_ms = 0;
  private timer = 0;

  /** The track's sound in its place. To be called in a gesture where the browser wants one. */
  set(track: MediaStreamTrack): MediaStream {
    const context = (this.context ??= new AudioContext());
    this.panner ??= new StereoPannerNode(context, { pan: 0 });
    this.out ??= context.createMediaStreamDestination();
    this.source?.disconnect();
    this.source = context.createMediaStreamSource(new MediaStream([track]));
    this.source.connect(this.panner).connect(this.out);
    this.turn();
    return this.out.stream;
  }

  async wake(): Promise<void> {
    if (this.context?.state === "suspended") await this.context.resume();
  }

  /** Nothing is heard where the browser holds the sound back. */
  get sounds(): boolean {
    return this.context === null || this.context.state === "running";
  }

  /** Who has the floor, as a place; 0: nobody in particular. */
  hear(place: number): void {
    this.place = place;
    this.turn();
  }

  /** For so long the narrator speaks. */
  narrate(duration_ms: number): void {
    this.narrated_ms = Math.max(this.narrated_ms, performance.now() + duration_ms + TRAVEL_MS);
    this.turn();
  }

  private turn(): void {
    clearTimeout(this.timer);
    const left_ms = this.narrated_ms - performance.now();
    if (left_ms > 0) this.timer = window.setTimeout(() => this.turn(), left_ms);
    const { context, panner } = this;
    panner?.pan.setTargetAtTime(left_ms > 0 ? 0 : this.place, context!.currentTime, GLIDE_S);
  }
}
