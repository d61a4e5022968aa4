/** Open a motion, or give up: what the table decides, and what cannot be taken back. */

import { useState } from "preact/hooks";
import type { Game } from "../game.ts";
import type { Session } from "../session.ts";
import { t, type Key } from "../words.ts";
import type { Seat } from "../wire.ts";
import { Dialog } from "./dialog.tsx";
import { Pad } from "./pad.tsx";

const KINDS = ["technical_foul", "disqualification", "stop"] as const;

export function MotionDialog({ session, game, me, close }: { session: Session; game: Game; me: Seat; close(): void }) {
  const [kind, choose] = useState<(typeof KINDS)[number]>("technical_foul");
  const [accused, accuse] = useState<Seat | null>(null);
  const [sure, beSure] = useState(false);
  const complete = accused !== null || kind === "stop";
  const open = (event: Event) => {
    event.preventDefault();
    if (!complete) return;
    session.press({ what: "move", name: kind, ...(accused === null ? {} : { seat: accused }) });
    close();
  };
  const giveUp = () => {
    if (!sure) return beSure(true);
    session.press({ what: "give_up" });
    close();
  };
  return (
    <Dialog title={t("motion.title")} close={close}>
      <form onSubmit={open}>
        <p>{t("motion.text")}</p>
        <fieldset class="choice tall">
          <legend>{t("motion.kind")}</legend>
          {KINDS.map((each) => (
            <label key={each}>
              <input type="radio" name="kind" checked={each === kind} onChange={() => choose(each)} />
              <span>{t(`motion.${each}` as Key)}</span>
            </label>
          ))}
        </fieldset>
        <p>{t(kind === "stop" ? "motion.accused.optional" : "motion.accused")}</p>
        <Pad label={t("motion.accused")} seats={game.alive.filter((seat) => seat !== me)} chosen={accused}
          onChoose={(seat) => accuse(seat === accused ? null : seat)} />
        <button type="submit" class="primary" aria-disabled={!complete}>{t("motion.submit")}</button>
      </form>
      <hr />
      <p>{t(sure ? "give_up.sure" : "give_up.text")}</p>
      <button type="button" class="costly" onClick={giveUp}>{t(sure ? "give_up.really" : "do.give_up")}</button>
    </Dialog>
  );
}
