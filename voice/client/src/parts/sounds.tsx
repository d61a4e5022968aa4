/** The five sounds of the moderator, to be learnt before the game. */

import { useState } from "preact/hooks";
import { soundAddress } from "../api.ts";
import type { Session } from "../session.ts";
import { t, type Key } from "../words.ts";

const SOUNDS = ["heard", "refused", "ten-seconds", "end", "night"] as const;

export function Sounds({ session }: { session: Session }) {
  const [failed, fail] = useState(false);
  const play = (sound: string) => session.ear.play(soundAddress(sound)).then(() => fail(false), () => fail(true));
  return (
    <details class="more">
      <summary>{t("sounds.title")}</summary>
      <div class="row wrap">
        {SOUNDS.map((sound) => (
          <button key={sound} type="button" onClick={() => play(sound)}>{t(`sounds.${sound}` as Key)}</button>
        ))}
      </div>
      {failed && <p class="error" role="alert">{t("error.unreachable")}</p>}
    </details>
  );
}
