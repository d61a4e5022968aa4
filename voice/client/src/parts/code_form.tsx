/** Go to a table by its link or code. */

import { useState } from "preact/hooks";
import { pageOf } from "../place.ts";
import { t } from "../words.ts";

export function CodeForm() {
  const [code, type] = useState("");
  const go = (event: Event) => {
    event.preventDefault();
    const page = pageOf(code);
    if (page) location.assign(page);
  };
  return (
    <form class="card slim" onSubmit={go}>
      <h2>{t("lobby.join.title")}</h2>
      <label class="field">
        <span>{t("lobby.join.code")}</span>
        <input type="text" value={code} autocomplete="off" autocapitalize="none" spellcheck={false}
          onInput={(event) => type(event.currentTarget.value)} />
      </label>
      <button type="submit">{t("lobby.join")}</button>
    </form>
  );
}
