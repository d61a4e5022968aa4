/** The seats around the table, one's own nearest, and what goes on in its middle. */

import type { ComponentChildren } from "preact";
import { SEATS, type Seat } from "../wire.ts";
import { t } from "../words.ts";

export interface SeatMarks {
  /** A word under the number: the first of what can be said of the seat. */
  word: string;
  kind: "" | "speaking" | "out" | "candidate" | "empty" | "absent";
  fouls?: number;
  name?: string;
}

interface Props {
  me: Seat | null;
  marks(seat: Seat): SeatMarks;
  night?: boolean;
  children: ComponentChildren;
}

export function Ring({ me, marks, night, children }: Props) {
  return (
    <section class={night ? "ring night" : "ring"} aria-label={t("ring.title")} style={{ "--me": me ?? 1 }}>
      <div class="felt">{children}</div>
      <ol>
        {SEATS.map((seat) => (
          <Place key={seat} seat={seat} mine={seat === me} marks={marks(seat)} />
        ))}
      </ol>
    </section>
  );
}

function Place({ seat, mine, marks }: { seat: Seat; mine: boolean; marks: SeatMarks }) {
  const words = [mine ? t("seat.you") : "", marks.word].filter(Boolean);
  const fouls = marks.fouls ?? 0;
  return (
    <li class={`seat ${marks.kind} ${mine ? "mine" : ""}`}>
      <span class="visually-hidden">{t("seat.number", { seat })}</span>
      <span class="number" aria-hidden="true">{seat}</span>
      {marks.name && <span class="name" title={marks.name}>{marks.name}</span>}
      {words.length > 0 && <span class="word">{words.join(" · ")}</span>}
      {fouls > 0 && (
        <span class="fouls">
          <span aria-hidden="true">{"!".repeat(Math.min(fouls, 3))}</span>
          <span class="visually-hidden">{t("seat.fouls", { n: fouls })}</span>
        </span>
      )}
    </li>
  );
}
