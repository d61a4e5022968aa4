/** Seated: who is missing, the link for the others, and how to come back; or, before a round to practise, what comes. */

import { useState } from "preact/hooks";
import { nameOf } from "../names.ts";
import { Loudness } from "../parts/devices.tsx";
import { Invitation } from "../parts/invitation.tsx";
import { Ring, type SeatMarks } from "../parts/ring.tsx";
import { Sounds } from "../parts/sounds.tsx";
import type { Session } from "../session.ts";
import { useStore } from "../store.ts";
import { SEATS, type Seat } from "../wire.ts";
import { t } from "../words.ts";

export function Waiting({ session }: { session: Session }) {
  const { info } = useStore(session.state);
  return info?.rules === "practice" ? <Rehearsal session={session} /> : <Gathering session={session} />;
}

function Gathering({ session }: { session: Session }) {
  const { info, place, missing, link } = useStore(session.state);
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
          {info && <Invitation info={info} />}
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
        <Level session={session} />
        <button type="button" class="quiet" onClick={() => session.leave()}>{t("waiting.leave")}</button>
      </div>
    </div>
  );
}

/** Nobody else is awaited: the robots are started with the game. */
function Rehearsal({ session }: { session: Session }) {
  const { link } = useStore(session.state);
  return (
    <div class="door">
      <section class="card">
        <h1>{t("practice.soon")}</h1>
        <p role="status">{t(link === "reconnecting" ? "link.reconnecting" : "practice.begins")}</p>
        <ol class="points">
          {COMES.map((key) => <li key={key}>{t(key)}</li>)}
        </ol>
        <p class="note">{t("practice.leave")}</p>
      </section>
      <Sounds session={session} />
      <Level session={session} />
      <p><a href="/">{t("notice.home")}</a></p>
    </div>
  );
}

const COMES = ["practice.comes.lesson", "practice.comes.role", "practice.comes.day"] as const;

function Level({ session }: { session: Session }) {
  const { open } = useStore(session.microphone.state);
  return open ? <Loudness session={session} /> : <p class="note">{t("microphone.missing")}</p>;
}
