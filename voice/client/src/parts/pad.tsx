/** Seats to choose from, each with its digit. */

import { SEATS, type Seat } from "../wire.ts";
import { t } from "../words.ts";

interface Props {
  label: string;
  /** Those that can be chosen; the others are left out. */
  seats: readonly Seat[];
  onChoose(seat: Seat): void;
  /** The one that was chosen last, where that may be seen. */
  chosen?: Seat | null;
}

export function Pad({ label, seats, onChoose, chosen }: Props) {
  return (
    <div class="pad" role="group" aria-label={label}>
      {SEATS.filter((seat) => seats.includes(seat)).map((seat) => (
        <button
          key={seat}
          type="button"
          aria-label={t("seat.number", { seat })}
          aria-pressed={chosen === undefined ? undefined : chosen === seat}
          onClick={(event) => {
            if (event.detail > 0) event.currentTarget.blur();
            onChoose(seat);
          }}
        >
          {seat}
        </button>
      ))}
    </div>
  );
}
