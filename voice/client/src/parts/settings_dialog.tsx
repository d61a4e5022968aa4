/** What a player sets for himself. */

import { useState } from "preact/hooks";
import { ACTIONS, DEFAULT_KEYS, remap, type Action } from "../keys.ts";
import type { Session } from "../session.ts";
import { change, settings } from "../settings.ts";
import { useStore } from "../store.ts";
import { t, type Key } from "../words.ts";
import { HeadphonesCheck, MicrophoneCheck } from "./devices.tsx";
import { Dialog } from "./dialog.tsx";
import { keyName, useLayout } from "./key_names.ts";

const THEMES = ["auto", "light", "dark"] as const;

export function SettingsDialog({ session, close }: { session: Session | null; close(): void }) {
  const { theme, large, live, stereo } = useStore(settings);
  return (
    <Dialog title={t("settings.title")} close={close}>
      <fieldset class="choice">
        <legend>{t("settings.theme")}</legend>
        {THEMES.map((each) => (
          <label key={each}>
            <input type="radio" name="theme" checked={theme === each} onChange={() => change({ theme: each })} />
            <span>{t(`settings.theme.${each}` as Key)}</span>
          </label>
        ))}
      </fieldset>
      <Switch label={t("settings.large")} on={large} set={(on) => change({ large: on })} />
      <Switch label={t("settings.live")} hint={t("settings.live.hint")} on={live} set={(on) => change({ live: on })} />
      <Switch label={t("settings.stereo")} hint={t("settings.stereo.hint")} on={stereo}
        set={(on) => {
          change({ stereo: on });
          session?.ear.restage();
        }} />
      {session && (
        <>
          <h3>{t("settings.devices")}</h3>
          <MicrophoneCheck session={session} />
          <HeadphonesCheck session={session} />
        </>
      )}
      <KeyTable />
    </Dialog>
  );
}

function Switch({ label, hint, on, set }: { label: string; hint?: string; on: boolean; set(on: boolean): void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{label}{hint && <small>{hint}</small>}</span>
    </label>
  );
}

function KeyTable() {
  const { keys } = useStore(settings);
  const [waits, wait] = useState<Action | null>(null);
  useLayout();
  const take = (action: Action) => (event: KeyboardEvent) => {
    if (waits !== action || event.code === "Tab") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.code !== "Escape") change({ keys: remap(keys, action, event.code) });
    wait(null);
  };
  return (
    <>
      <h3>{t("settings.keys")}</h3>
      <p>{t("settings.keys.text")}</p>
      <ul class="remap">
        {ACTIONS.map((action) => (
          <li key={action}>
            <span id={`key-${action}`}>{t(`keys.${action}` as Key)}</span>
            <button type="button" aria-describedby={`key-${action}`} onKeyDown={take(action)}
              onClick={() => wait(action)} onBlur={() => wait(null)}>
              {waits === action ? t("settings.keys.press") : keyName(keys[action])}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => change({ keys: DEFAULT_KEYS })}>{t("settings.keys.reset")}</button>
    </>
  );
}
