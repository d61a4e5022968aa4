/** The one audio element of the page: everything heard comes out of it, so that one gesture opens it for good. */

import type { RemoteTrack } from "livekit-client";
import type { Playback } from "./heard.ts";
import { settings } from "./settings.ts";
import { Stage } from "./stage.ts";
import { Store } from "./store.ts";

const TONE_HZ = [523, 659, 784];
const NOTE_S = 0.28;
const VOLUME = 0.15;

export class Ear {
  readonly state = new Store({ blocked: false });
  private readonly element = document.createElement("audio");
  /** Plays nothing: some browsers give a page no samples of a track that no element plays. */
  private readonly pull = new Audio();
  readonly stage = new Stage();
  private track: RemoteTrack | null = null;

  constructor() {
    this.element.autoplay = true;
    this.element.setAttribute("playsinline", "");
    this.pull.muted = true;
    this.element.hidden = true;
    document.body.append(this.element);
    this.element.addEventListener("pause", () => this.state.set({ blocked: this.track !== null }));
    this.element.addEventListener("playing", () => this.state.set({ blocked: false }));
  }

  /** The moderator's track, instead of the one before. */
  hear(track: RemoteTrack): void {
    this.detach();
    this.track = track;
    this.restage();
  }

  /** By way of the stage, or as it is, as the player has set it. */
  restage(): void {
    const { track, element, pull } = this;
    if (!track) return;
    this.detach();
    if (settings.value.stereo) {
      track.attach(pull);
      element.srcObject = this.stage.set(track.mediaStreamTrack);
    } else track.attach(element);
    void this.enable();
  }

  private detach(): void {
    this.track?.detach(this.element);
    this.track?.detach(this.pull);
  }

  deafen(): void {
    this.detach();
    this.track = null;
    this.state.set({ blocked: false });
  }

  /** To be called in a gesture where the browser wants one. */
  async enable(): Promise<void> {
    void this.stage.wake();
    await this.element.play().then(
      () => this.state.set({ blocked: false }),
      (refused: DOMException) => this.state.set({ blocked: refused.name === "NotAllowedError" }),
    );
  }

  /** Three rising notes, by the same way as the moderator's voice. */
  async tone(): Promise<void> {
    const context = new AudioContext();
    const out = context.createMediaStreamDestination();
    const gain = new GainNode(context, { gain: VOLUME });
    gain.connect(out);
    const start = () =>
      TONE_HZ.forEach((frequency, place) => {
        const note = new OscillatorNode(context, { frequency });
        note.connect(gain);
        note.start(context.currentTime + 0.1 + place * NOTE_S);
        note.stop(context.currentTime + 0.1 + (place + 0.9) * NOTE_S);
      });
    await this.soundOf(out.stream, start, 0.4 + TONE_HZ.length * NOTE_S);
    await context.close();
  }

  /** A sound of the moderator's, by the same way; before the game alone. */
  async play(address: string): Promise<void> {
    const file = await (await fetch(address)).arrayBuffer();
    const context = new AudioContext();
    const source = new AudioBufferSourceNode(context, { buffer: await context.decodeAudioData(file) });
    const out = context.createMediaStreamDestination();
    source.connect(out);
    await this.soundOf(out.stream, () => source.start(context.currentTime + 0.1), 0.2 + source.buffer!.duration);
    await context.close();
  }

  /** For so long, unless something else is heard by then. */
  private async soundOf(stream: MediaStream, start: () => void, seconds: number): Promise<void> {
    this.element.srcObject = stream;
    await this.enable();
    start();
    await new Promise((over) => setTimeout(over, 1000 * seconds));
    if (this.element.srcObject === stream) this.element.srcObject = null;
  }

  /** Some browsers let a page choose the headphones; the others use the system's. */
  get canChoose(): boolean {
    return "setSinkId" in this.element;
  }

  async choose(deviceId: string): Promise<void> {
    if (this.canChoose) await this.element.setSinkId(deviceId).catch(() => this.element.setSinkId(""));
  }

  look(): Playback {
    const { element, track } = this;
    const live = track !== null && track.mediaStreamTrack.readyState === "live" && !track.mediaStreamTrack.muted;
    const open = (!settings.value.stereo || this.stage.sounds) && !element.paused && !element.muted && element.volume > 0;
    return { position_s: element.currentTime, audible: live && open };
  }
}
