/** The list of keys, shown on "?". */

import { ACTIONS } from "../keys.ts";
import { settings } from "../settings.ts";
import { useStore } from "../store.ts";
import { t, type Key } from "../words.ts";
import { Dialog } from "./dialog.tsx";
import { keyName, useLayout } from "./key_names.ts";

export function KeysDialog({ close }: { close(): void }) {
  const { keys } = useStore(settings);
  useLayout();
  return (
    <Dialog title={t("keys.title")} close={close}>
      <p>{t("keys.text")}</p>
      <dl class="keys">
        <dt><kbd>1</kbd>–<kbd>9</kbd> <kbd>0</kbd></dt>
        <dd>{t("keys.digits")}</dd>
        {ACTIONS.flatMap((action) => [
          <dt key={action}><kbd>{keyName(keys[action])}</kbd></dt>,
          <dd key={`${action}-does`}>{t(`keys.${action}` as Key)}</dd>,
        ])}
        <dt><kbd>?</kbd></dt>
        <dd>{t("keys.help")}</dd>
      </dl>
      <h3>{t("keys.spoken.title")}</h3>
      <p>{t("keys.spoken")}</p>
    </Dialog>
  );
}
