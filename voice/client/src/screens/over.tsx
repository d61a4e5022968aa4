/** The end: who won, who was what, and the review. */

import { reviewAddress, type TableInfo } from "../api.ts";
import type { Ending, Game } from "../game.ts";
import { nameOf } from "../names.ts";
import { Seal } from "../parts/seal.tsx";
import { useStore, type Store } from "../store.ts";
import { SEATS } from "../wire.ts";
import { list, t, type Key } from "../words.ts";

const FORMATS = ["html", "md", "json"] as const;

/** A player, or a spectator. */
interface Visit {
  readonly code: string;
  readonly state: Store<{ game: Game; info: TableInfo | null }>;
}

export function Over({ visit }: { visit: Visit }) {
  const { game, info } = useStore(visit.state);
  return (
    <div class="over">
      <section class="card">
        <h1>{game.ending ? t(`over.${game.ending.winner}` as Key) : t("over.title")}</h1>
        {game.ending && <Result ending={game.ending} info={info} />}
        <h2>{t("over.review")}</h2>
        <p>{t("over.review.text")}</p>
        <p class="row">
          {FORMATS.map((format) => (
            <a key={format} class={format === "html" ? "button primary" : "button"} target="_blank" rel="noopener"
              href={reviewAddress(visit.code, format)}>{t(`over.review.${format}` as Key)}</a>
          ))}
        </p>
        <Seal seal={game.seal} />
        <p><a href="/">{t("over.again")}</a></p>
      </section>
    </div>
  );
}

export function Result({ ending, info }: { ending: Ending; info: TableInfo | null }) {
  return (
    <>
      <p>{ending.text}</p>
      {ending.roles && (
        <ul class="roles">
          {SEATS.map((seat) => (
            <li key={seat}>
              <b>{seat}</b> {nameOf(info, seat)} {t(`role.${ending.roles?.[seat] ?? "civ"}` as Key)}
            </li>
          ))}
        </ul>
      )}
      {ending.best.length > 0 && <p>{t("over.best", { seats: list(ending.best) })}</p>}
    </>
  );
}
