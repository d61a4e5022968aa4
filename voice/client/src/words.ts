/** The words of the page, in the language of the table: words/<lang>.json. */

import type { Choices, Lang, Refused } from "./api.ts";
import { Store } from "./store.ts";
import en from "./words/en.json";
import fr from "./words/fr.json";
import ru from "./words/ru.json";

type Phrase = string | Partial<Record<Intl.LDMLPluralRule, string>>;
type Words = Record<string, Phrase>;
export type Key = keyof typeof en;

export const LANGS: readonly Lang[] = ["fr", "en", "ru"];
const WORDS: Record<Lang, Words> = { fr, en, ru };

export const tongue = new Store<{ lang: Lang; setting: Choices["setting"] }>({
  lang: ofBrowser(navigator.languages),
  setting: "mafia",
});

export function ofBrowser(languages: readonly string[]): Lang {
  const spoken = languages.map((tag) => tag.slice(0, 2));
  return (spoken.find((tag) => (LANGS as readonly string[]).includes(tag)) ?? "en") as Lang;
}

export function speak(lang: Lang, setting: Choices["setting"]): void {
  tongue.set({ lang, setting });
  document.documentElement.lang = lang;
}

/**
 * A phrase of the page. `n` chooses between forms of number; other values fill its braces.
 * Where a setting has words of its own ("step.meeting@loup-garou") they are taken.
 */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const { lang, setting } = tongue.value;
  const phrase = WORDS[lang][`${key}@${setting}`] ?? WORDS[lang][key] ?? key;
  const form = typeof phrase === "string" ? phrase : (phrase[plural(lang, values.n)] ?? phrase.other ?? key);
  return form.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

function plural(lang: Lang, n: string | number | undefined): Intl.LDMLPluralRule {
  return new Intl.PluralRules(lang).select(Number(n ?? 0));
}

/** The service speaks the table's language; where it could not be reached the page has to say so. */
export function ofRefusal({ status, message }: Refused): string {
  return status === 0 ? t("error.unreachable") : message || t("error.unknown");
}

/** Seats as a list: "4, 7 and 9". */
export function list(seats: readonly number[]): string {
  return new Intl.ListFormat(tongue.value.lang).format(seats.map(String));
}
