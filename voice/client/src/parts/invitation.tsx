/** What brings others to the table: its link and code, and the spectators' link. */

import { useState } from "preact/hooks";
import type { TableInfo } from "../api.ts";
import { opensOnlyHere } from "../place.ts";
import { t } from "../words.ts";

export function Invitation({ info }: { info: TableInfo }) {
  const table = `${location.origin}/t/${info.code}`;
  return (
    <>
      <p>{t("invitation.text")}</p>
      <Link label={t("invitation.link", { code: info.code })} address={table} copy={t("invitation.copy")} />
      {info.gallery_delay_s !== undefined && (
        <Link label={t("invitation.gallery")} address={`${table}/gallery`} copy={t("invitation.gallery.copy")} />
      )}
      {opensOnlyHere(location.hostname) && <p class="caution">{t("invitation.local")}</p>}
    </>
  );
}

function Link({ label, address, copy }: { label: string; address: string; copy: string }) {
  const [copied, tell] = useState(false);
  const share = async () => {
    const touch = matchMedia("(pointer: coarse)").matches;
    if (touch && "share" in navigator) await navigator.share({ url: address }).catch(() => {});
    else await navigator.clipboard?.writeText(address).then(() => tell(true), () => {}); // none over plain HTTP
  };
  return (
    <div class="link">
      <label class="field">
        <span>{label}</span>
        <input type="text" readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <button type="button" onClick={share}>{copy}</button>
      <span role="status">{copied ? t("invitation.copied") : ""}</span>
    </div>
  );
}
