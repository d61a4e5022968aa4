/** Line icons, decoration beside words. */

import type { ComponentChildren } from "preact";

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

const TENTHS = Array.from({ length: 10 }, (_, place) => (Math.PI / 5) * place);

/** The table seen from above, one of ten speaking. */
export const Emblem = () => (
  <svg class="emblem" viewBox="0 0 120 120" aria-hidden="true" focusable="false">
    <circle class="felt-disc" cx="60" cy="60" r="36" />
    <path class="moon" d="M68 68.5a12.5 12.5 0 0 1-12-18 12.5 12.5 0 1 0 16 16.6 12.5 12.5 0 0 1-4 1.4z" />
    {TENTHS.map((angle, place) => (
      <circle key={place} class={place === 2 ? "voice" : "place"} r="6"
        cx={60 + 50 * Math.sin(angle)} cy={60 - 50 * Math.cos(angle)} />
    ))}
  </svg>
);

export const SettingsIcon = () => (
  <Icon>
    <path d="M4 7h10M18 7h2M4 17h2M10 17h10" />
    <circle cx="16" cy="7" r="2.2" />
    <circle cx="8" cy="17" r="2.2" />
  </Icon>
);

export const KeyboardIcon = () => (
  <Icon>
    <rect x="3" y="6.5" width="18" height="11" rx="2" />
    <path d="M7 10.5h.01M10.3 10.5h.01M13.7 10.5h.01M17 10.5h.01M8 14h8" />
  </Icon>
);

export const MoonIcon = () => (
  <Icon>
    <path d="M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7z" />
  </Icon>
);

export const SunIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="3.8" />
    <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4" />
  </Icon>
);
