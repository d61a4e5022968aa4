/** Words typed instead of spoken: a voice says them for the others, in one's own turn. */

import { useRef, useState } from "preact/hooks";
import { Store, useStore } from "../store.ts";
import type { Session } from "../session.ts";
import { change, settings } from "../settings.ts";
import { t } from "../words.ts";
import { LONGEST_TEXT } from "../wire.ts";

const field = new Store<{ element: HTMLInputElement | null }>({ element: null });

/** By key: to the field, where there is one now. */
export function startWriting(): void {
  if (settings.value.writes) field.value.element?.focus();
  else {
    change({ writes: true });
    requestAnimationFrame(() => field.value.element?.focus());
  }
}

export function Write({ session }: { session: Session }) {
  const { writes } = useStore(settings);
  const [text, type] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const send = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    session.press({ what: "type", text: text.trim() });
    type("");
  };
  return (
    <details class="more" open={writes} onToggle={(event) => change({ writes: event.currentTarget.open })}>
      <summary>{t("write.title")}</summary>
      <form class="write" onSubmit={send}>
        <label class="field">
          <span>{t("write.label")}</span>
          <input
            ref={(element) => {
              input.current = element;
              field.value.element = element;
            }}
            type="text"
            maxLength={LONGEST_TEXT}
            autocomplete="off"
            value={text}
            onInput={(event) => type(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && input.current?.blur()}
          />
        </label>
        <button type="submit">{t("write.send")}</button>
      </form>
    </details>
  );
}
