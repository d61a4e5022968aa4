/** The seal of the deal, in groups of four: who keeps it can prove later that nobody changed the roles. */

import { t } from "../words.ts";

export function Seal({ seal }: { seal: string }) {
  if (!seal) return null;
  return (
    <details class="more">
      <summary>{t("seal.title")}</summary>
      <p><code class="seal">{seal.match(/.{4}/g)!.join(" ")}</code></p>
      <p class="note">{t("seal.text")}</p>
    </details>
  );
}
