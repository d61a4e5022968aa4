/** One spectator: he hears and reads what is public, as late as the table wishes, and sends nothing. */

import * as api from "./api.ts";
import { Booth, type Link } from "./booth.ts";
import { Ear } from "./ear.ts";
import { BEFORE, tell, type Game } from "./game.ts";
import { settings } from "./settings.ts";
import { Store } from "./store.ts";
import { maySleep, stayAwake } from "./wake.ts";
import type { ToClient } from "./wire.ts";
import { ofRefusal, speak } from "./words.ts";

const ASK_MS = 4000;

export type GalleryView =
  | "loading" | "nowhere" | "unreachable" | "closed" | "entrance" | "early" | "watch" | "over" | "lost";

export interface GalleryState {
  view: GalleryView;
  info: api.TableInfo | null;
  missing: number;
  /** Why the table cannot be looked at, in words. */
  refused: string;
  link: Link;
  game: Game;
}

export class Gallery {
  readonly state = new Store<GalleryState>({
    view: "loading",
    info: null,
    missing: 0,
    refused: "",
    link: "off",
    game: BEFORE,
  });
  readonly ear = new Ear();
  private readonly booth: Booth;
  /** How the table stood when it was told last: it is told again and again for those who come late. */
  private shown = "";

  constructor(readonly code: string) {
    this.booth = new Booth({
      hear: (track) => this.ear.hear(track),
      read: (message) => this.read(message),
      link: (link) => this.state.set({ link }),
      parted: () => this.parted(),
    });
  }

  /** What the table is like; nothing is heard before the visitor wants it. */
  async look(): Promise<void> {
    await this.ask();
    while (this.state.value.view === "unreachable") {
      await pause();
      await this.ask();
    }
  }

  /** Listen, as soon as there is something to hear. In a gesture, which opens the sound. */
  async enter(): Promise<void> {
    await this.ear.choose(settings.value.speaker);
    stayAwake();
    if (this.state.value.view === "entrance") this.state.set({ view: "early" });
    while (!(await this.joined())) await pause();
  }

  private async ask(): Promise<void> {
    try {
      const info = await api.look(this.code);
      speak(info.lang, info.setting);
      const view = info.gallery_delay_s === undefined ? "closed" : "entrance";
      this.state.set({ info, missing: info.missing, view });
    } catch (failure) {
      const refused = failure as api.Refused;
      this.state.set({ view: refused.status === 404 ? "nowhere" : "unreachable", refused: ofRefusal(refused) });
    }
  }

  /** True when he is in, or when it makes no sense to try again. */
  private async joined(): Promise<boolean> {
    try {
      const answer = await api.askGallery(this.code);
      if (!("token" in answer)) {
        this.state.set({ missing: answer.missing });
        return false;
      }
      await this.booth.join(answer, null);
      const info = await api.look(this.code).catch(() => this.state.value.info); // all ten have said their names
      this.state.set({ view: "watch", info });
      return true;
    } catch (failure) {
      const code = failure instanceof api.Refused ? failure.code : "";
      if (code === "over" || code === "lost") this.finish(code);
      return code === "over" || code === "lost";
    }
  }

  private read(message: ToClient): void {
    if (message.type === "table") {
      const facts = JSON.stringify({ ...message, ends_in_s: message.ends_in_s !== null });
      if (facts === this.shown) return;
      this.shown = facts;
    }
    this.state.set({ game: tell(this.state.value.game, message, performance.now()) });
  }

  private parted(): void {
    this.ear.deafen();
    this.shown = "";
    if (this.state.value.game.ending) this.finish("over");
    else {
      this.state.set({ link: "reconnecting" });
      void this.enter();
    }
  }

  private finish(view: "over" | "lost"): void {
    this.state.set({ view, link: "off" });
    maySleep();
  }
}

function pause(): Promise<void> {
  return new Promise((over) => setTimeout(over, ASK_MS));
}
