/** What is for this player's eyes alone: on the page only while he holds the button or the key. */

import { NIGHT_STEPS, type Game } from "../game.ts";
import { settings } from "../settings.ts";
import { Store, useStore } from "../store.ts";
import { list, t, type Key } from "../words.ts";
import { keyName } from "./key_names.ts";

/** Whether he holds it; the key of the keyboard sets it as well. */
export const held = new Store({ held: false });

const hold = () => held.set({ held: true });
export const release = () => held.set({ held: false });
addEventListener("blur", release);
document.addEventListener("visibilitychange", release);

const SHOWN = 6;

export function Secrets({ game }: { game: Game }) {
  const { held: shown } = useStore(held);
  const { keys } = useStore(settings);
  const onKey = (then: () => void) => (event: KeyboardEvent) => {
    if (event.code !== "Space" && event.code !== "Enter") return;
    event.preventDefault();
    then();
  };
  return (
    <div class="secrets">
      <button
        type="button"
        class="hold"
        aria-keyshortcuts={keyName(keys.secret)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          hold();
        }}
        onPointerUp={release}
        onPointerCancel={release}
        onLostPointerCapture={release}
        onContextMenu={(event) => event.preventDefault()}
        onKeyDown={onKey(hold)}
        onKeyUp={onKey(release)}
        onBlur={release}
      >
        <span>{t("secrets.hold")}</span>
        <kbd aria-hidden="true">{keyName(keys.secret)}</kbd>
      </button>
      {shown && <Told game={game} />}
    </div>
  );
}

function Told({ game }: { game: Game }) {
  const role = game.secrets.find((secret) => secret.role);
  const others = game.secrets.filter((secret) => !secret.role).slice(-SHOWN).reverse();
  const asked = game.asked && NIGHT_STEPS.has(game.asked.what) ? game.asked.what : null;
  const about = game.phase === "night" && game.question?.seats.length ? game.question.seats : null;
  return (
    <div class="told">
      <p class="role">{role?.text ?? t("secrets.none")}</p>
      {asked && <p>{t(`secrets.asked.${asked}` as Key)}</p>}
      {about && <p>{t("ask.question", { seats: list(about) })}</p>}
      {others.length > 0 && (
        <ul>
          {others.map((secret, place) => (
            <li key={place}>{secret.text}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
