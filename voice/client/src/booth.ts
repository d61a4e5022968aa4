/** This player's booth: a LiveKit room that holds him and the moderator. Or the gallery, where one only listens. */

import {
  DefaultReconnectPolicy,
  DisconnectReason,
  Room,
  RoomEvent,
  Track,
  type LocalTrackPublication,
  type Participant,
  type RemoteTrack,
} from "livekit-client";
import type { Ticket } from "./api.ts";
import { encode, FROM_MODERATOR_TOPIC, FROM_PLAYER_TOPIC, parse, type Do, type ToClient } from "./wire.ts";

const MODERATOR = "moderator";
/** The library takes up a broken line by itself, this long after each failure; then a fresh ticket is asked for. */
const TRIES_MS = [0, 300, 1000];
/** How long one try may take. Away for fifteen seconds, a player is out. */
const PATIENCE = { websocketTimeout: 4000, peerConnectionTimeout: 5000, maxRetries: 0 };
/** Without a sign of life for some seconds the moderator takes the line for lost. */
const SIGN_OF_LIFE_MS = 1000;

export type Link = "off" | "connecting" | "connected" | "reconnecting";
/** Why a booth was left by the other side: another device took the seat, or something that may be tried again. */
export type Parting = "taken" | "dropped";

export interface Visitor {
  hear(track: RemoteTrack): void;
  read(message: ToClient): void;
  link(link: Link): void;
  parted(why: Parting): void;
}

/** On a server of this machine there is nobody to ask for a way, and none is needed. */
function rtcConfig(url: string): RTCConfiguration | undefined {
  return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname) ? { iceServers: [] } : undefined;
}

export class Booth {
  private room: Room | null = null;
  private microphone: LocalTrackPublication | null = null;
  private beat = 0;

  constructor(private readonly visitor: Visitor) {}

  /** Join and speak; with no microphone, join and listen. Throws when the server refuses or cannot be reached. */
  async join(ticket: Ticket, microphone: MediaStreamTrack | null): Promise<void> {
    await this.leave();
    this.visitor.link("connecting");
    // The microphone is the page's: it outlives a connection.
    const reconnectPolicy = new DefaultReconnectPolicy(TRIES_MS);
    const room = new Room({ stopLocalTrackOnUnpublish: false, disconnectOnPageLeave: true, reconnectPolicy });
    this.room = room;
    this.listen(room);
    try {
      await room.connect(ticket.url, ticket.token, { ...PATIENCE, rtcConfig: rtcConfig(ticket.url) });
      if (microphone)
        this.microphone = await room.localParticipant.publishTrack(microphone, {
          source: Track.Source.Microphone,
          // Silence is sent like speech: who stops sending would be heard late when he begins.
          dtx: false,
        });
    } catch (failure) {
      if (this.room === room) await this.leave();
      throw failure;
    }
    this.arrived();
    if (microphone) this.beat = window.setInterval(() => this.send({ what: "here" }), SIGN_OF_LIFE_MS);
  }

  /** Whatever was told meanwhile has been missed. */
  private arrived(): void {
    this.visitor.link("connected");
    if (this.microphone) this.send({ what: "table" });
  }

  private listen(room: Room): void {
    const ours = (then: () => void) => () => this.room === room && then();
    room
      .on(RoomEvent.TrackSubscribed, (track: RemoteTrack, _: unknown, from: Participant) => {
        if (track.kind === Track.Kind.Audio && from.identity === MODERATOR) this.visitor.hear(track);
      })
      .on(RoomEvent.DataReceived, (body: Uint8Array, from?: Participant, _kind?: unknown, topic?: string) => {
        const message = from?.identity === MODERATOR && topic === FROM_MODERATOR_TOPIC ? parse(body) : null;
        if (message && this.room === room) this.visitor.read(message);
      })
      .on(RoomEvent.Reconnecting, ours(() => this.visitor.link("reconnecting")))
      .on(RoomEvent.SignalReconnecting, ours(() => this.visitor.link("reconnecting")))
      .on(RoomEvent.Reconnected, ours(() => this.arrived()))
      .on(RoomEvent.Disconnected, (reason?: DisconnectReason) => {
        if (this.room !== room || reason === DisconnectReason.CLIENT_INITIATED) return;
        this.forget();
        this.visitor.parted(reason === DisconnectReason.DUPLICATE_IDENTITY ? "taken" : "dropped");
      });
  }

  /** Another microphone for the same ears. */
  async speakWith(microphone: MediaStreamTrack): Promise<void> {
    await this.microphone?.audioTrack?.replaceTrack(microphone, { userProvidedTrack: true });
  }

  /** Press a key. What is pressed while the line is down is lost, as a word would be. */
  send(wish: Do): void {
    const player = this.room?.localParticipant;
    void player?.publishData(encode(wish), { reliable: true, topic: FROM_PLAYER_TOPIC }).catch(() => {});
  }

  async leave(): Promise<void> {
    const room = this.room;
    this.forget();
    await room?.disconnect(false);
    this.visitor.link("off");
  }

  private forget(): void {
    clearInterval(this.beat);
    this.room = null;
    this.microphone = null;
  }
}
