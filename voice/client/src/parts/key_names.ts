/** How keys are called on the page. */

import { useEffect, useState } from "preact/hooks";
import { label } from "../keys.ts";
import { t } from "../words.ts";

type Layout = ReadonlyMap<string, string>;
let layout: Layout | null = null;

/** The player's own layout, in browsers that tell it. */
export function useLayout(): void {
  const [, again] = useState(layout);
  useEffect(() => {
    const keyboard = (navigator as { keyboard?: { getLayoutMap?(): Promise<Layout> } }).keyboard;
    if (!layout) keyboard?.getLayoutMap?.().then((found) => again((layout = found)), () => {});
  }, []);
}

export function keyName(code: string): string {
  return label(code, layout, { Space: t("key.space"), Enter: t("key.enter"), Backspace: "⌫" });
}
