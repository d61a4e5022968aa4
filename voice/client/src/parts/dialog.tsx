/** A modal dialog: Escape and the button close it, and the focus goes back where it was. */

import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { t } from "../words.ts";

export function Dialog({ title, close, children }: { title: string; close(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => opener?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={close}>
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>{t("app.close")}</button>
      </div>
      {children}
    </dialog>
  );
}
