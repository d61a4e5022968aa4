/** What players are called: the number always, and beside it the name of who gave one. */

import type { TableInfo } from "./api.ts";
import type { Seat } from "./wire.ts";
import { t } from "./words.ts";

/** "" where there is none. */
export const nameOf = (info: TableInfo | null, seat: Seat): string => info?.seats[seat]?.name ?? "";

export function called(info: TableInfo | null, seat: Seat): string {
  return [t("seat.number", { seat }), nameOf(info, seat)].filter(Boolean).join(" · ");
}
