/** A button with the key that does the same. */

import type { ComponentChildren } from "preact";
import { keyName } from "./key_names.ts";

interface Props {
  onPress(): void;
  code?: string;
  class?: string;
  label?: string;
  /** For a button that opens something. */
  expanded?: boolean;
  children: ComponentChildren;
}

export function KeyButton({ onPress, code, class: kind = "", label, expanded, children }: Props) {
  return (
    <button
      type="button"
      class={kind}
      aria-label={label}
      aria-expanded={expanded}
      aria-keyshortcuts={code ? keyName(code) : undefined}
      onClick={(event) => {
        // A mouse or a finger leaves no focus behind, so that the space bar stays what it is at the table.
        if (event.detail > 0) event.currentTarget.blur();
        onPress();
      }}
    >
      <span>{children}</span>
      {code && <kbd aria-hidden="true">{keyName(code)}</kbd>}
    </button>
  );
}
