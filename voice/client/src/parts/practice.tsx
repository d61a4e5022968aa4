/** A round to practise, alone with robots: one press opens a table for it. */

import { useState } from "preact/hooks";
import { openTable, type Choices, type Refused } from "../api.ts";
import { ofRefusal, t } from "../words.ts";

export function Practice({ lang, setting }: Pick<Choices, "lang" | "setting">) {
  const [error, fail] = useState("");
  const [busy, work] = useState(false);
  const open = async () => {
    if (busy) return;
    work(true);
    fail("");
    try {
      location.assign(`/t/${encodeURIComponent(await openTable({ rules: "practice", lang, setting, recording: false }))}`);
    } catch (failure) {
      fail(ofRefusal(failure as Refused));
      work(false);
    }
  };
  return (
    <section class="card slim">
      <h2>{t("practice.title")}</h2>
      <p>{t("practice.text")}</p>
      {error && <p class="error" role="alert">{error}</p>}
      <button type="button" aria-disabled={busy} onClick={open}>{t("practice.open")}</button>
    </section>
  );
}
