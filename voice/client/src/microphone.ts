/** The player's microphone: one capture for the check and for the game, its level, and the choice of another. */

import { Store } from "./store.ts";

const CONSTRAINTS = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
const LEVEL_MS = 80;
/** Decibels below full scale: silence at the left end of the meter, and where speech should lie. */
const FLOOR_DB = -60;
const QUIET_DB = -45;
const LOUD_DB = -6;

export type Loudness = "silent" | "good" | "loud";

export interface MicrophoneState {
  open: boolean;
  /** Why there is none: the browser's name of the error, "" for none. */
  error: string;
  /** 0..1 of the meter. */
  level: number;
  loudness: Loudness;
  devices: readonly MediaDeviceInfo[];
}

export function loudness(db: number): Loudness {
  return db < QUIET_DB ? "silent" : db > LOUD_DB ? "loud" : "good";
}

export class Microphone {
  readonly state = new Store<MicrophoneState>({ open: false, error: "", level: 0, loudness: "silent", devices: [] });
  track: MediaStreamTrack | null = null;
  /** Called with the new capture when another device is taken, or the old one was unplugged. */
  onChange: (track: MediaStreamTrack) => void = () => {};
  private context: AudioContext | null = null;
  private timer = 0;
  private wanted = "";

  /** Ask for the microphone; in a gesture. Returns whether there is one now. */
  async open(deviceId: string): Promise<boolean> {
    if (this.track?.readyState === "live" && this.wanted === deviceId) return true;
    try {
      const stream = await capture(deviceId);
      this.close();
      const track = stream.getAudioTracks()[0]!;
      this.track = track;
      this.wanted = deviceId;
      track.addEventListener("ended", () => track === this.track && void this.open(""));
      this.meter(stream);
      this.state.set({ open: true, error: "", devices: await devices() });
      this.onChange(track);
      return true;
    } catch (failure) {
      this.state.set({ open: this.track?.readyState === "live", error: (failure as DOMException).name });
      return false;
    }
  }

  close(): void {
    clearInterval(this.timer);
    void this.context?.close();
    this.context = null;
    this.track?.stop();
    this.track = null;
    this.state.set({ open: false, level: 0, loudness: "silent" });
  }

  private meter(stream: MediaStream): void {
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 2048 });
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let peak_db = FLOOR_DB;
    this.context = context;
    this.timer = window.setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      // Falls slowly, so that the words beside the meter can be read between two syllables.
      peak_db = Math.max(10 * Math.log10(power + 1e-9), peak_db - 1.5);
      const level = Math.min(1, Math.max(0, 1 - peak_db / FLOOR_DB));
      this.state.set({ level: Math.round(level * 50) / 50, loudness: loudness(peak_db) });
    }, LEVEL_MS);
  }
}

function capture(deviceId: string): Promise<MediaStream> {
  const chosen = deviceId ? { ...CONSTRAINTS, deviceId: { exact: deviceId } } : CONSTRAINTS;
  const missing = new DOMException("", "InsecureContext");
  if (!navigator.mediaDevices) return Promise.reject(missing);
  return navigator.mediaDevices.getUserMedia({ audio: chosen });
}

async function devices(): Promise<MediaDeviceInfo[]> {
  return (await navigator.mediaDevices.enumerateDevices()).filter((each) => each.kind.startsWith("audio"));
}
