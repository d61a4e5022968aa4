/** The crown of a farewell: the key or the button first, then a seat. */

import type { Game } from "../game.ts";
import type { Session } from "../session.ts";
import { settings } from "../settings.ts";
import { Store, useStore } from "../store.ts";
import { t } from "../words.ts";
import type { Seat } from "../wire.ts";
import { KeyButton } from "./button.tsx";
import { Pad } from "./pad.tsx";

/** Whether the next seat is that of the crown. */
const crowning = new Store({ on: false });

/** In one's own farewell alone; pressed again, the seats are suspects as before. */
export function toggleCrown(game: Game): void {
  crowning.set({ on: game.asked?.what === "farewell" && !crowning.value.on });
}

/** A seat was chosen, by key or touch: a suspect, a vote, or the crown. */
export function chooseSeat(session: Session, seat: Seat): void {
  const crown = crowning.value.on && session.state.value.game.asked?.what === "farewell";
  crowning.set({ on: false });
  session.press({ what: crown ? "crown" : "digit", seat });
}

export function Crown({ session, game, seats }: { session: Session; game: Game; seats: readonly Seat[] }) {
  const { on } = useStore(crowning);
  const { keys } = useStore(settings);
  return (
    <>
      <KeyButton code={keys.crown} expanded={on} onPress={() => toggleCrown(game)}>{t("do.crown")}</KeyButton>
      {on && (
        <>
          <p>{t("ask.crown")}</p>
          <Pad label={t("ask.crown")} seats={seats} onChoose={(seat) => chooseSeat(session, seat)} />
        </>
      )}
    </>
  );
}
