/** Seated: who is missing, the link for the others, and how to come back. */

import { useState } from "preact/hooks";
import { Ring, type SeatMarks } from "../parts/ring.tsx";
import { Sounds } from "../parts/sounds.tsx";
import type { Session } from "../session.ts";
import { useStore } from "../store.ts";
import { SEATS, type Seat } from "../wire.ts";
import { t } from "../words.ts";

export function Waiting({ session }: { session: Session }) {
  const { info, place, missing, link } = useStore(session.state);
  const { open, loudness } = useStore(session.microphone.state);
  const [shown, show] = useState(false);
  const marks = (seat: Seat): SeatMarks => {
    if (seat === place!.seat) return { word: "", kind: "" };
    return info?.seats[seat]?.taken ? { word: t("seat.here"), kind: "" } : { word: t("seat.free"), kind: "empty" };
  };
  const awaited = missing ? t("waiting.missing", { n: missing }) : t("waiting.starts");
  const status = link === "reconnecting" ? t("link.reconnecting") : awaited;
  return (
    <div class="waiting">
      <div class="table">
        <Ring me={place!.seat} marks={marks}>
          <p class="big">{t("waiting.count", { here: SEATS.length - missing })}</p>
          <p role="status">{status}</p>
        </Ring>
      </div>
      <div class="column">
        <section class="card">
          <h1>{t("waiting.title", { seat: place!.seat })}</h1>
          <p>{t("waiting.invite")}</p>
          <Link address={location.href} />
        </section>
        <section class="card">
          <h2>{t("waiting.pin.title")}</h2>
          <p>{t("waiting.pin.text")}</p>
          <button type="button" aria-expanded={shown} onClick={() => show(!shown)}>
            {t(shown ? "waiting.pin.hide" : "waiting.pin.show")}
          </button>
          {shown && <p class="pin">{t("waiting.pin", { seat: place!.seat, pin: place!.pin })}</p>}
        </section>
        <Sounds session={session} />
        <p class="note">{open ? t(`microphone.${loudness}`) : t("microphone.missing")}</p>
        <button type="button" class="quiet" onClick={() => session.leave()}>{t("waiting.leave")}</button>
      </div>
    </div>
  );
}

function Link({ address }: { address: string }) {
  const [copied, copy] = useState(false);
  const share = async () => {
    const touch = matchMedia("(pointer: coarse)").matches;
    if (touch && "share" in navigator) await navigator.share({ url: address }).catch(() => {});
    else await navigator.clipboard.writeText(address).then(() => copy(true), () => {});
  };
  return (
    <div class="link">
      <label class="field">
        <span>{t("waiting.link")}</span>
        <input type="text" readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <button type="button" class="primary" onClick={share}>{t("waiting.copy")}</button>
      <span role="status">{copied ? t("waiting.copied") : ""}</span>
    </div>
  );
}
