/** Everything that was said, growing downwards; it follows the last words unless the reader has scrolled up. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { TableInfo } from "../api.ts";
import { called } from "../names.ts";
import { settings } from "../settings.ts";
import { useStore } from "../store.ts";
import type { Entry } from "../transcript.ts";
import { t, type Key } from "../words.ts";
import { Seal } from "./seal.tsx";

const FILTERS = ["all", "narrator", "players"] as const;
const NEAR_PX = 60;

interface Props {
  entries: readonly Entry[];
  info: TableInfo | null;
  seal: string;
}

export function Log({ entries, info, seal }: Props) {
  const [filter, choose] = useState<(typeof FILTERS)[number]>("all");
  const { live } = useStore(settings);
  const list = useRef<HTMLOListElement>(null);
  const follows = useRef(true);
  const before_px = useRef(0);
  const shown = entries.filter((entry) => filter === "all" || (filter === "narrator") === (entry.seat === null));
  useEffect(() => {
    if (follows.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [entries, filter]);
  return (
    <section class="log" aria-labelledby="log-title">
      <div class="log-head">
        <h2 id="log-title">{t("log.title")}</h2>
        <div class="filters" role="group" aria-label={t("log.filter")}>
          {FILTERS.map((each) => (
            <button key={each} type="button" aria-pressed={filter === each} onClick={() => choose(each)}>
              {t(`log.${each}` as Key)}
            </button>
          ))}
        </div>
      </div>
      <ol
        ref={list}
        tabIndex={0}
        aria-labelledby="log-title"
        aria-live={live ? "polite" : "off"}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          const near = scrollHeight - scrollTop - clientHeight < NEAR_PX;
          follows.current = near || (follows.current && scrollTop >= before_px.current);
          before_px.current = scrollTop;
        }}
      >
        {shown.map((entry) => (
          <li key={entry.id} class={entry.seat === null ? "narrator" : "player"} aria-busy={!entry.final}>
            <span class="who">{entry.seat === null ? t("log.moderator") : called(info, entry.seat)}</span>
            <span class="visually-hidden">: </span>
            <span class="text">{entry.text}</span>
          </li>
        ))}
        {shown.length === 0 && <li class="empty">{t("log.empty")}</li>}
      </ol>
      <Seal seal={seal} />
    </section>
  );
}
