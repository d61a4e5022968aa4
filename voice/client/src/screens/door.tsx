/** Before one sits down: what is agreed, microphone and headphones, consent; or the way back to one's seat. */

import { useState } from "preact/hooks";
import type { Place, TableInfo } from "../api.ts";
import { HeadphonesCheck, MicrophoneCheck } from "../parts/devices.tsx";
import { Invitation } from "../parts/invitation.tsx";
import { Sounds } from "../parts/sounds.tsx";
import * as places from "../place.ts";
import type { Session } from "../session.ts";
import { useStore } from "../store.ts";
import { t, type Key } from "../words.ts";

export function Door({ session }: { session: Session }) {
  const { info, refused } = useStore(session.state);
  const known = places.ofThisTab(session.code) ?? places.ofThisDevice(session.code);
  const practises = info!.rules === "practice";
  const gathers = info!.state === "gathering" && info!.missing > 0;
  return (
    <div class="door">
      <Agreed info={info!} />
      {refused && <p class="error" role="alert">{refused}</p>}
      {known && <ComeBack session={session} place={known} />}
      {gathers && !practises && <section class="card slim"><Invitation info={info!} /></section>}
      {gathers && <Checks session={session} recording={info!.recording} practises={practises} />}
      {!gathers && !known && <p class="note">{t("door.closed")}</p>}
      {!practises && <OtherDevice session={session} open={!gathers && !known} />}
    </div>
  );
}

function Agreed({ info }: { info: TableInfo }) {
  return (
    <header class="agreed">
      <h1>{t("door.title")}</h1>
      <p class="tags">
        <span>{t(`lobby.rules.${info.rules}` as Key)}</span>
        <span>{t(`lobby.setting.${info.setting}` as Key)}</span>
        <span>{t(info.recording ? "door.recorded" : "door.unrecorded")}</span>
        {info.gallery_delay_s !== undefined && <span>{watched(info.gallery_delay_s)}</span>}
        {info.rules !== "practice" && <span>{t("door.missing", { n: info.missing })}</span>}
      </p>
    </header>
  );
}

const watched = (delay_s: number) => (delay_s ? t("door.watched.late", { n: delay_s }) : t("door.watched"));

function ComeBack({ session, place }: { session: Session; place: Place }) {
  return (
    <section class="card">
      <h2>{t("door.back.title", { seat: place.seat })}</h2>
      <p>{t("door.back.text")}</p>
      <button type="button" class="primary" onClick={() => session.comeBack(place)}>{t("door.back")}</button>
    </section>
  );
}

interface ChecksProps {
  session: Session;
  recording: boolean;
  /** Alone: nobody is to know a name, and the game begins at once. */
  practises: boolean;
}

function Checks({ session, recording, practises }: ChecksProps) {
  const { open } = useStore(session.microphone.state);
  const [hears, hear] = useState(false);
  const [consents, consent] = useState(false);
  const [name, call] = useState("");
  const [asked, ask] = useState(false);
  const [busy, work] = useState(false);
  const ready = open && hears && (consents || !recording);
  const sit = async (event: Event) => {
    event.preventDefault();
    ask(true);
    if (!ready || busy) return;
    work(true);
    await session.sit(consents, name);
    work(false);
  };
  const missing = (done: boolean, key: Key) => asked && !done && <p class="error" role="alert">{t(key)}</p>;
  return (
    <form class="card steps" onSubmit={sit}>
      <section aria-labelledby="check-microphone">
        <h2 id="check-microphone"><span class="step" aria-hidden="true">1</span>{t("microphone.title")}</h2>
        <p>{t("microphone.text")}</p>
        <MicrophoneCheck session={session} />
        {missing(open, "microphone.missing")}
      </section>
      <section aria-labelledby="check-headphones">
        <h2 id="check-headphones"><span class="step" aria-hidden="true">2</span>{t("headphones.title")}</h2>
        <p>{t("headphones.text")}</p>
        <HeadphonesCheck session={session} />
        <label class="check">
          <input type="checkbox" checked={hears} onChange={(event) => hear(event.currentTarget.checked)} />
          <span>{t("headphones.heard")}</span>
        </label>
        {missing(hears, "headphones.missing")}
        <Sounds session={session} />
      </section>
      {recording && (
        <section aria-labelledby="check-consent">
          <h2 id="check-consent"><span class="step" aria-hidden="true">3</span>{t("consent.title")}</h2>
          <p>{t("consent.text")}</p>
          <label class="check">
            <input type="checkbox" checked={consents} onChange={(event) => consent(event.currentTarget.checked)} />
            <span>{t("consent.given")}</span>
          </label>
          {missing(consents, "consent.missing")}
        </section>
      )}
      {!practises && <Name name={name} call={call} />}
      <button type="submit" class="primary" aria-disabled={busy}>{t(practises ? "practice.start" : "door.sit")}</button>
    </form>
  );
}

function Name({ name, call }: { name: string; call(name: string): void }) {
  return (
    <label class="field">
      <span>{t("door.name")}</span>
      <input type="text" value={name} maxLength={24} autocomplete="nickname" spellcheck={false}
        aria-describedby="name-hint" onInput={(event) => call(event.currentTarget.value)} />
      <small id="name-hint">{t("door.name.hint")}</small>
    </label>
  );
}

/** Seat and PIN typed in, on a device that does not know them. */
function OtherDevice({ session, open }: { session: Session; open: boolean }) {
  const [seat, typeSeat] = useState("");
  const [pin, typePin] = useState("");
  const enter = (event: Event) => {
    event.preventDefault();
    void session.comeBack({ seat: Number(seat), pin: pin.trim() });
  };
  return (
    <details class="card slim" open={open}>
      <summary>{t("door.other")}</summary>
      <form onSubmit={enter}>
        <label class="field">
          <span>{t("door.seat")}</span>
          <input type="number" min={1} max={10} required value={seat} inputMode="numeric"
            onInput={(event) => typeSeat(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>{t("door.pin")}</span>
          <input type="text" required value={pin} autocomplete="off"
            onInput={(event) => typePin(event.currentTarget.value)} />
        </label>
        <button type="submit">{t("door.enter")}</button>
      </form>
    </details>
  );
}
