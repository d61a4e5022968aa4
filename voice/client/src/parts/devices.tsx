/** The microphone with its level, the headphones with a tone, and the choice of others. */

import { useState } from "preact/hooks";
import type { Session } from "../session.ts";
import { settings } from "../settings.ts";
import { useStore } from "../store.ts";
import { t, type Key } from "../words.ts";

const EXPLAINED = new Set(["NotAllowedError", "NotFoundError", "NotReadableError", "InsecureContext"]);

export function MicrophoneCheck({ session }: { session: Session }) {
  const { open, error, level, devices } = useStore(session.microphone.state);
  const { microphone } = useStore(settings);
  if (!open)
    return (
      <>
        <button type="button" onClick={() => session.microphone.open(microphone)}>{t("microphone.try")}</button>
        {error && (
          <p class="error" role="alert">
            {t((EXPLAINED.has(error) ? `microphone.error.${error}` : "microphone.error.other") as Key)}
          </p>
        )}
      </>
    );
  return (
    <>
      <div class="level">
        <meter min={0} max={1} value={level} aria-label={t("microphone.level")} />
        <Loudness session={session} />
      </div>
      <Choice label={t("microphone.device")} kind="audioinput" devices={devices} value={microphone}
        choose={(id) => session.useMicrophone(id)} />
    </>
  );
}

const LOUDNESSES = ["silent", "good", "loud"] as const;

/** How the player is heard, in words. It keeps room for the longest of them, so that nothing below moves under a finger. */
export function Loudness({ session }: { session: Session }) {
  const { loudness } = useStore(session.microphone.state);
  return (
    <div class="loudness">
      {LOUDNESSES.map((each) => (
        <span key={each} class={each === loudness ? each : "unsaid"}>{t(`microphone.${each}`)}</span>
      ))}
    </div>
  );
}

export function HeadphonesCheck({ session }: { session: Session }) {
  const { devices } = useStore(session.microphone.state);
  const { speaker } = useStore(settings);
  const [sounds, sound] = useState(false);
  const play = async () => {
    sound(true);
    await session.ear.tone();
    sound(false);
  };
  return (
    <>
      <button type="button" onClick={play} aria-disabled={sounds}>
        {sounds ? t("headphones.playing") : t("headphones.play")}
      </button>
      {session.ear.canChoose && (
        <Choice label={t("headphones.device")} kind="audiooutput" devices={devices} value={speaker}
          choose={(id) => session.useSpeaker(id)} />
      )}
    </>
  );
}

interface ChoiceProps {
  label: string;
  kind: MediaDeviceKind;
  devices: readonly MediaDeviceInfo[];
  value: string;
  choose(id: string): void;
}

function Choice({ label, kind, devices, value, choose }: ChoiceProps) {
  const fitting = devices.filter((each) => each.kind === kind && each.deviceId && each.deviceId !== "default");
  if (fitting.length < 2) return null;
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">{t("devices.system")}</option>
        {fitting.map((each) => (
          <option key={each.deviceId} value={each.deviceId}>{each.label}</option>
        ))}
      </select>
    </label>
  );
}
