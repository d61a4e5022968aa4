/** One player at one table: from the link to the end of the game. Everything that changes stands in `state`. */

import * as api from "./api.ts";
import { Booth, type Link, type Parting } from "./booth.ts";
import { Ear } from "./ear.ts";
import { answered, BEFORE, ROLE_KEYS, tell, type Game } from "./game.ts";
import { measure } from "./heard.ts";
import { Microphone } from "./microphone.ts";
import * as places from "./place.ts";
import { change, settings } from "./settings.ts";
import { placeOf } from "./stage.ts";
import { Store } from "./store.ts";
import { maySleep, stayAwake } from "./wake.ts";
import { ofRefusal, speak, t } from "./words.ts";
import type { Do, Line, ToClient } from "./wire.ts";

const POLL_MS = 1000;
const LOOK_MS = 2000;
const LONGEST_PAUSE_MS = 8000;

export type View = "loading" | "nowhere" | "unreachable" | "door" | "waiting" | "play" | "over" | "lost" | "taken";

export interface SessionState {
  view: View;
  info: api.TableInfo | null;
  place: api.Place | null;
  /** Why the last wish at the door was refused, or the table cannot be looked at, in words. */
  refused: string;
  missing: number;
  link: Link;
  game: Game;
  /** The last key sent, for a mark beside the buttons: its number grows with each. */
  sent: { wish: Do; count: number } | null;
}

export class Session {
  readonly state = new Store<SessionState>({
    view: "loading",
    info: null,
    place: null,
    refused: "",
    missing: 0,
    link: "off",
    game: BEFORE,
    sent: null,
  });
  readonly ear = new Ear();
  readonly microphone = new Microphone();
  private readonly booth: Booth;
  /** Grows when the player goes somewhere else: what was begun before is then given up. */
  private visit = 0;

  constructor(readonly code: string) {
    this.booth = new Booth({
      hear: (track) => this.ear.hear(track),
      read: (message) => this.read(message),
      link: (link) => this.state.set({ link }),
      parted: (why) => this.parted(why),
    });
    this.microphone.onChange = (track) => void this.booth.speakWith(track);
  }

  // --- the door ----------------------------------------------------------------------------------

  /** Look at the table: who sits there, what is agreed. Repeats itself while the player stands at the door. */
  async look(): Promise<void> {
    const visit = this.visit;
    while (visit === this.visit) {
      try {
        const info = await api.look(this.code);
        if (visit !== this.visit) return;
        speak(info.lang, info.setting);
        const view = info.state === "over" || info.state === "lost" ? info.state : "door";
        const { view: before, refused } = this.state.value;
        this.state.set({
          info,
          missing: info.missing,
          refused: before === "unreachable" ? "" : refused,
          view: before === "waiting" ? "waiting" : view,
        });
        if (view !== "door") return;
      } catch (failure) {
        const gone = (failure as api.Refused).status === 404;
        if (gone) this.state.set({ view: "nowhere" });
        else if (!this.state.value.info) this.state.set({ view: "unreachable", refused: ofRefusal(failure as api.Refused) });
        if (gone) return;
      }
      await pause(LOOK_MS);
    }
  }

  async sit(consent: boolean, name: string): Promise<void> {
    await this.admitted(async () => {
      const place = await api.takeSeat(this.code, consent, name);
      places.remember(this.code, place);
      return place;
    });
  }

  /** Come back to a seat that is ours already. In a gesture. */
  async comeBack(place: api.Place): Promise<void> {
    await this.admitted(async () => {
      await api.askTicket(this.code, place);
      places.remember(this.code, place);
      return place;
    });
  }

  private async admitted(find: () => Promise<api.Place>): Promise<void> {
    this.state.set({ refused: "" });
    await this.ear.choose(settings.value.speaker);
    if (!(await this.microphone.open(settings.value.microphone))) {
      this.state.set({ refused: t("error.microphone") });
      return;
    }
    try {
      const place = await find();
      this.state.set({ place, view: "waiting" });
      stayAwake();
      void this.waitAndJoin();
    } catch (failure) {
      const { status } = failure as api.Refused;
      if (status === 403 && places.ofThisTab(this.code)) places.forget(this.code);
      this.state.set({ refused: ofRefusal(failure as api.Refused) });
    }
  }

  // --- waiting and joining -----------------------------------------------------------------------

  /** Ask for a ticket until there is one, then join; again after each failure, at growing intervals. */
  private async waitAndJoin(): Promise<void> {
    const visit = this.visit;
    for (let pause_ms = POLL_MS; visit === this.visit; ) {
      try {
        if (await this.joined(visit)) return;
        pause_ms = POLL_MS;
      } catch (failure) {
        if (visit !== this.visit || this.turnedAway(failure as Error)) return;
        this.state.set({ link: "reconnecting" });
        pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE_MS);
      }
      await pause(pause_ms);
    }
  }

  private async joined(visit: number): Promise<boolean> {
    const answer = await api.askTicket(this.code, this.state.value.place!);
    if (visit !== this.visit) return true;
    if (!("token" in answer)) {
      this.state.set({ missing: answer.missing, link: "off" });
      if (answer.state !== "over" && answer.state !== "lost") return false;
      await this.finish(answer.state);
      return true;
    }
    await this.microphone.open(settings.value.microphone);
    await this.booth.join(answer, this.microphone.track!);
    this.visit += 1; // the watch of the door ends
    const info = await api.look(this.code).catch(() => this.state.value.info); // all ten have said their names
    this.state.set({ view: "play", info });
    return true;
  }

  /** Whether it makes no sense to try again. */
  private turnedAway(failure: Error): boolean {
    const status = failure instanceof api.Refused ? failure.status : 0;
    if (failure instanceof api.Refused && (failure.code === "over" || failure.code === "lost")) {
      void this.finish(failure.code);
      return true;
    }
    if (status !== 403 && status !== 404) return false;
    places.forget(this.code);
    const refused = ofRefusal(failure as api.Refused);
    this.state.set({ view: status === 404 ? "nowhere" : "door", refused, place: null, link: "off" });
    this.goElsewhere();
    if (status === 403) void this.look();
    return true;
  }

  private parted(why: Parting): void {
    this.ear.deafen();
    if (this.state.value.game.ending) void this.finish("over");
    else if (why === "taken") this.state.set({ view: "taken", link: "off" });
    else {
      this.state.set({ link: "reconnecting" });
      void this.waitAndJoin();
    }
  }

  private async finish(view: "over" | "lost"): Promise<void> {
    this.goElsewhere();
    this.state.set({ view, link: "off" });
    this.microphone.close();
    maySleep();
    await this.booth.leave();
  }

  private goElsewhere(): void {
    this.visit += 1;
  }

  // --- the game ----------------------------------------------------------------------------------

  private read(message: ToClient): void {
    const before = this.state.value.game;
    const game = tell(before, message, performance.now());
    // At night nothing on the page may depend on whether this seat was asked.
    const moved = game.step !== before.step || (game.phase !== "night" && game.asked !== before.asked);
    this.state.set(moved ? { game, sent: null } : { game });
    if (message.type === "line") this.ear.stage.narrate(message.duration_ms);
    this.ear.stage.hear(game.phase === "day" ? placeOf(game.speaker, this.state.value.place!.seat) : 0);
    if (message.type === "line" && message.private && message.key.startsWith(ROLE_KEYS)) void this.report(message);
  }

  private async report(role: Line): Promise<void> {
    const ms = await measure(role.duration_ms, () => this.ear.look());
    this.booth.send({ what: "heard", ms });
  }

  press(wish: Do): void {
    this.booth.send(wish);
    const { game, sent } = this.state.value;
    const replied = game.question && (wish.what === "yes" || wish.what === "no");
    this.state.set({ sent: { wish, count: (sent?.count ?? 0) + 1 }, game: replied ? answered(game) : game });
  }

  /** The seat is another device's now; take it back. In a gesture. */
  takeBack(): void {
    this.state.set({ view: "waiting" });
    void this.waitAndJoin();
  }

  async useMicrophone(deviceId: string): Promise<void> {
    change({ microphone: deviceId });
    await this.microphone.open(deviceId);
  }

  async useSpeaker(deviceId: string): Promise<void> {
    change({ speaker: deviceId });
    await this.ear.choose(deviceId);
  }

  /** Stand up before the game, and forget the seat. */
  async leave(): Promise<void> {
    const { place } = this.state.value;
    this.goElsewhere();
    if (place) await api.leave(this.code, place).catch(() => {});
    places.forget(this.code);
    this.microphone.close();
    maySleep();
    await this.booth.leave();
    this.state.set({ place: null, view: "loading", game: BEFORE });
    void this.look();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((over) => setTimeout(over, ms));
}
