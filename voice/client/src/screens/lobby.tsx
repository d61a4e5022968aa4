/** Open a table, or go to one by its code. */

import { useState } from "preact/hooks";
import { openTable, type Choices, type Refused } from "../api.ts";
import { CodeForm } from "../parts/code_form.tsx";
import { Emblem } from "../parts/icons.tsx";
import { Practice } from "../parts/practice.tsx";
import { LANGS, ofRefusal, t, tongue, type Key } from "../words.ts";

const RULES = ["classic", "turbo", "calm", "club"] as const;
const SETTINGS = ["mafia", "loup-garou"] as const;
const GALLERIES = ["none", "live", "late"] as const;
const DELAY_S = 60;
const LONGEST_DELAY_S = 600;
const NAMES = { fr: "Français", en: "English", ru: "Русский" } as const;

export function Lobby() {
  return (
    <div class="lobby">
      <section class="hero">
        <h1>{t("lobby.headline")}</h1>
        <p>{t("lobby.promise")}</p>
        <ul class="points">
          <li>{t("lobby.point.voice")}</li>
          <li>{t("lobby.point.secret")}</li>
          <li>{t("lobby.point.screenless")}</li>
        </ul>
        <Emblem />
      </section>
      <div class="forms">
        <OpenForm />
        <CodeForm />
        <Practice lang={tongue.value.lang} setting="mafia" />
      </div>
    </div>
  );
}

function OpenForm() {
  const [choices, choose] = useState<Choices>({
    rules: "classic",
    lang: tongue.value.lang,
    setting: "mafia",
    recording: false,
  });
  const [error, fail] = useState("");
  const [busy, work] = useState(false);
  const open = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    work(true);
    fail("");
    try {
      location.assign(`/t/${encodeURIComponent(await openTable(choices))}`);
    } catch (failure) {
      fail(ofRefusal(failure as Refused));
      work(false);
    }
  };
  return (
    <form class="card" onSubmit={open}>
      <h2>{t("lobby.open.title")}</h2>
      <Radios legend={t("lobby.rules")} name="rules" values={RULES} value={choices.rules}
        choose={(rules) => choose({ ...choices, rules })}
        label={(each) => t(`lobby.rules.${each}` as Key)} hint={(each) => t(`lobby.rules.${each}.hint` as Key)} />
      <Radios legend={t("lobby.lang")} name="lang" values={LANGS} value={choices.lang}
        choose={(lang) => choose({ ...choices, lang })} label={(each) => NAMES[each]} />
      <Radios legend={t("lobby.setting")} name="setting" values={SETTINGS} value={choices.setting}
        choose={(setting) => choose({ ...choices, setting })} label={(each) => t(`lobby.setting.${each}` as Key)} />
      <GalleryChoice delay_s={choices.gallery_delay_s}
        choose={(gallery_delay_s) => choose({ ...choices, gallery_delay_s })} />
      <label class="check">
        <input type="checkbox" checked={choices.recording}
          onChange={(event) => choose({ ...choices, recording: event.currentTarget.checked })} />
        <span>{t("lobby.recording")}<small>{t("lobby.recording.hint")}</small></span>
      </label>
      {error && <p class="error" role="alert">{error}</p>}
      <button type="submit" class="primary" aria-disabled={busy}>{t("lobby.open")}</button>
    </form>
  );
}

/** `delay_s` undefined: no gallery. */
function GalleryChoice({ delay_s, choose }: { delay_s: number | undefined; choose(delay_s?: number): void }) {
  const value = delay_s === undefined ? "none" : delay_s === 0 ? "live" : "late";
  return (
    <>
      <Radios legend={t("lobby.gallery")} name="gallery" values={GALLERIES} value={value}
        choose={(each) => choose({ none: undefined, live: 0, late: DELAY_S }[each])}
        label={(each) => t(`lobby.gallery.${each}` as Key)} />
      {value === "late" && (
        <label class="field">
          <span>{t("lobby.gallery.delay")}</span>
          <input type="number" min={1} max={LONGEST_DELAY_S} required value={delay_s} inputMode="numeric"
            onChange={(event) => choose(Math.max(1, event.currentTarget.valueAsNumber || DELAY_S))} />
        </label>
      )}
    </>
  );
}

interface RadiosProps<T extends string> {
  legend: string;
  name: string;
  values: readonly T[];
  value: T;
  choose(value: T): void;
  label(value: T): string;
  hint?(value: T): string;
}

function Radios<T extends string>({ legend, name, values, value, choose, label, hint }: RadiosProps<T>) {
  return (
    <fieldset class={hint ? "choice tall" : "choice"}>
      <legend>{legend}</legend>
      {values.map((each) => (
        <label key={each}>
          <input type="radio" name={name} value={each} checked={each === value} onChange={() => choose(each)} />
          <span>{label(each)}{hint && <small>{hint(each)}</small>}</span>
        </label>
      ))}
    </fieldset>
  );
}
