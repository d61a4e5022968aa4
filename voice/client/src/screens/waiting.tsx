/** Seated: who is missing, the link for the others, and how to come back. */

import { useState } from "preact/hooks";
import { nameOf } from "../names.ts";
import { Loudness } from "../parts/devices.tsx";
import { Ring, type SeatMarks } from "../parts/ring.tsx";
import { Sounds } from "../parts/sounds.tsx";
import type { Session } from "../session.ts";
import { useStore } from "../store.ts";
import { SEATS, type Seat } from "../wire.ts";
import { t } from "../words.ts";

export function Waiting({ session }: { session: Session }) {
  const { info, place, missing, link } = useStore(session.state);
  const { open } = useStore(session.microphone.state);
  const [shown, show] = useState(false);
  const marks = (seat: Seat): SeatMarks => {
    const name = nameOf(info, seat);
    if (seat === place!.seat) return { word: "", kind: "", name };
    if (!info?.seats[seat]?.taken) return { word: t("seat.free"), kind: "empty" };
    return { word: t("seat.here"), kind: "", name };
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
          <Link label={t("waiting.link")} address={location.href} />
          {info?.gallery_delay_s !== undefined && (
            <Link label={t("waiting.gallery")} address={`${location.origin}/t/${session.code}/gallery`} quiet />
          )}
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
        {open ? <Loudness session={session} /> : <p class="note">{t("microphone.missing")}</p>}
        <button type="button" class="quiet" onClick={() => session.leave()}>{t("waiting.leave")}</button>
      </div>
    </div>
  );
}

function Link({ label, address, quiet }: { label: string; address: string; quiet?: boolean }) {
  const [copied, copy] = useState(false);
  const share = async () => {
    const touch = matchMedia("(pointer: coarse)").matches;
    if (touch && "share" in navigator) await navigator.share({ url: address }).catch(() => {});
    else await navigator.clipboard.writeText(address).then(() => copy(true), () => {});
  };
  return (
    <div class="link">
      <label class="field">
        <span>{label}</span>
        <input type="text" readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <button type="button" class={quiet ? "" : "primary"} onClick={share}>{t("waiting.copy")}</button>
      <span role="status">{copied ? t("waiting.copied") : ""}</span>
    </div>
  );
}
