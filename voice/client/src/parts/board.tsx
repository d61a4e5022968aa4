/** What everybody may see of the table: what goes on in its middle, and what can be said of each seat. */

import { useEffect } from "preact/hooks";
import type { TableInfo } from "../api.ts";
import type { Ear } from "../ear.ts";
import type { Game } from "../game.ts";
import { nameOf } from "../names.ts";
import { useStore } from "../store.ts";
import type { Seat } from "../wire.ts";
import { t, type Key } from "../words.ts";
import { Clock } from "./clock.tsx";
import { MoonIcon, SunIcon } from "./icons.tsx";
import { Ring, type SeatMarks } from "./ring.tsx";

/** The ten seats around what goes on; `me`: whose place is in front, null for a spectator. */
export function Board({ game, info, me }: { game: Game; info: TableInfo | null; me: Seat | null }) {
  const night = game.phase === "night";
  useEffect(() => {
    document.documentElement.dataset.night = String(night);
    return () => void delete document.documentElement.dataset.night;
  }, [night]);
  return (
    <div class="table">
      <Ring me={me} night={night} marks={(seat) => marks(game, info, seat)}>
        <Middle game={game} me={me} />
      </Ring>
    </div>
  );
}

/** Some browsers play nothing before a gesture. */
export function Blocked({ ear }: { ear: Ear }) {
  const { blocked } = useStore(ear.state);
  if (!blocked) return null;
  return (
    <p class="banner">
      {t("sound.blocked")} <button type="button" onClick={() => ear.enable()}>{t("sound.enable")}</button>
    </p>
  );
}

function Middle({ game, me }: { game: Game; me: Seat | null }) {
  const other = game.speaker ? t("middle.speaks", { seat: game.speaker }) : "";
  const phase = game.phase === "day" ? t("phase.day", { day: game.day + 1 }) : t(`phase.${game.phase}` as Key);
  return (
    <>
      <h1 class="phase">{game.phase === "night" ? <MoonIcon /> : <SunIcon />}{phase}</h1>
      <Clock ends_ms={game.ends_ms} clock_ms={game.clock_ms} label={t("middle.clock")} />
      <p class="step-name">{game.step ? t(`step.${game.step}` as Key) : ""}</p>
      <p class="speaks">{game.speaker && game.speaker === me ? t("middle.you") : other}</p>
    </>
  );
}

function marks(game: Game, info: TableInfo | null, seat: Seat): SeatMarks {
  const known = { fouls: game.fouls[seat] ?? 0, name: nameOf(info, seat) };
  if (game.speaker === seat) return { word: t("seat.speaks"), kind: "speaking", ...known };
  if (!game.alive.includes(seat)) return { word: t("seat.out"), kind: "out", ...known };
  if (game.absent.includes(seat)) return { word: t("seat.absent"), kind: "absent", ...known };
  if (game.nominated.includes(seat)) return { word: t("seat.nominated"), kind: "candidate", ...known };
  return { word: "", kind: "", ...known };
}
