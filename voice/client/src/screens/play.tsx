/** The game: the table, what is asked of me, what was said. */

import { useEffect, useState } from "preact/hooks";
import type { Game } from "../game.ts";
import { belongsToPage, GESTURES, meaning, QUESTIONS, type Action } from "../keys.ts";
import { Blocked, Board } from "../parts/board.tsx";
import { chooseSeat, toggleCrown } from "../parts/crown.tsx";
import { useLayout } from "../parts/key_names.ts";
import { Log } from "../parts/log.tsx";
import { MotionDialog } from "../parts/motion_dialog.tsx";
import { Panel } from "../parts/panel.tsx";
import { startWriting } from "../parts/write.tsx";
import { held, release, Secrets } from "../parts/secrets.tsx";
import type { Session } from "../session.ts";
import { settings } from "../settings.ts";
import { useStore } from "../store.ts";
import { t, type Key } from "../words.ts";
import type { Do } from "../wire.ts";

export function Play({ session }: { session: Session }) {
  const { game, place, link, info } = useStore(session.state);
  const [moving, move] = useState(false);
  const me = place!.seat;
  useLayout();
  useKeys(session, () => move(true));
  useEffect(() => release, []);
  return (
    <div class="play">
      <p class="visually-hidden" role="status">{link === "connected" ? turn(game) : t("link.reconnecting")}</p>
      {link !== "connected" && <p class="banner">{t("link.reconnecting")}</p>}
      <Blocked ear={session.ear} />
      <Board game={game} info={info} me={me} />
      <Panel session={session} game={game} me={me} openMotion={() => move(true)} />
      <Secrets game={game} />
      <Log entries={game.transcript} info={info} seal={game.seal} />
      {moving && <MotionDialog session={session} game={game} me={me} close={() => move(false)} />}
    </div>
  );
}

/** Turns are told by day alone: at night it is nobody's business whose it is. */
function turn(game: Game): string {
  if (game.phase === "night") return "";
  if (game.question) return t("turn.question");
  return game.asked ? t(`turn.${game.asked.what}` as Key) : "";
}

function useKeys(session: Session, openMotion: () => void): void {
  const { keys } = useStore(settings);
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      const pressed = belongsToPage(event) ? null : meaning(event.code, keys);
      if (!pressed) return;
      event.preventDefault();
      if (event.repeat) return;
      if ("seat" in pressed) chooseSeat(session, pressed.seat);
      else if (pressed.action === "secret") held.set({ held: true });
      else if (pressed.action === "motion") openMotion();
      else if (pressed.action === "write") startWriting();
      else if (pressed.action === "crown") toggleCrown(session.state.value.game);
      else session.press(wish(pressed.action));
    };
    const up = (event: KeyboardEvent) => event.code === keys.secret && release();
    addEventListener("keydown", down);
    addEventListener("keyup", up);
    return () => {
      removeEventListener("keydown", down);
      removeEventListener("keyup", up);
    };
  }, [keys, session]);
}

function wish(action: Action): Do {
  if (GESTURES.includes(action)) return { what: "signal", name: action };
  if (QUESTIONS.includes(action)) return { what: "ask", name: action };
  return { what: action as Do["what"] };
}
