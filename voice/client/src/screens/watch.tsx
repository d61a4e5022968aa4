/** The gallery: before the door, before the game, and the table as a spectator follows it. */

import type { Gallery } from "../gallery.ts";
import { Blocked, Board } from "../parts/board.tsx";
import { Log } from "../parts/log.tsx";
import { useStore } from "../store.ts";
import { t } from "../words.ts";
import { Result } from "./over.tsx";

export function Entrance({ gallery }: { gallery: Gallery }) {
  const { view, info, missing } = useStore(gallery.state);
  const behind_s = info?.gallery_delay_s ?? 0;
  return (
    <section class="card notice">
      <h1>{t("gallery.title")}</h1>
      <p>{t("gallery.text")}</p>
      {behind_s > 0 && <p>{t("gallery.late", { n: behind_s })}</p>}
      {view === "entrance" ? (
        <button type="button" class="primary" onClick={() => gallery.enter()}>{t("gallery.listen")}</button>
      ) : (
        <p role="status">{missing ? t("waiting.missing", { n: missing }) : t("gallery.early")}</p>
      )}
    </section>
  );
}

export function Watch({ gallery }: { gallery: Gallery }) {
  const { game, info, link } = useStore(gallery.state);
  return (
    <div class="play">
      {link !== "connected" && <p class="banner" role="status">{t("link.reconnecting")}</p>}
      <Blocked ear={gallery.ear} />
      <Board game={game} info={info} me={null} />
      {game.ending && <section class="panel"><Result ending={game.ending} info={info} /></section>}
      <Log entries={game.transcript} info={info} seal={game.seal} />
    </div>
  );
}
