/** The frame of every screen: heading, status, dialogs. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { VNode } from "preact";
import type { Gallery } from "./gallery.ts";
import { KeysDialog } from "./parts/keys_dialog.tsx";
import { KeyboardIcon, SettingsIcon } from "./parts/icons.tsx";
import { SettingsDialog } from "./parts/settings_dialog.tsx";
import { Door } from "./screens/door.tsx";
import { Lobby } from "./screens/lobby.tsx";
import { Notice } from "./screens/notice.tsx";
import { Over } from "./screens/over.tsx";
import { Play } from "./screens/play.tsx";
import { Waiting } from "./screens/waiting.tsx";
import { Entrance, Watch } from "./screens/watch.tsx";
import type { Session } from "./session.ts";
import { Store, useStore } from "./store.ts";
import { t, tongue } from "./words.ts";

export type Dialog = "none" | "settings" | "keys";
const NO_STATE = new Store({ view: "lobby" as const, refused: "" });

interface Props {
  session: Session | null;
  gallery: Gallery | null;
}

export function App({ session, gallery }: Props) {
  const visit = session ?? gallery;
  const { view, refused } = useStore<{ view: string; refused: string }>(visit?.state ?? NO_STATE);
  const { lang } = useStore(tongue);
  const [dialog, open] = useState<Dialog>("none");
  useHelpKey(() => open("keys"));
  useEffect(() => {
    document.title = visit ? `${t("app.title")} · ${visit.code}` : t("app.title");
  }, [lang, visit]);
  useTop(view);
  return (
    <>
      <a class="skip" href="#main">{t("app.skip")}</a>
      <header class="bar">
        <a class="brand" href="/">{t("app.title")}</a>
        {visit && <span class="code">{visit.code}</span>}
        <span class="spring" />
        <button type="button" class="quiet" aria-label={t("keys.title")} onClick={() => open("keys")}>
          <KeyboardIcon />
        </button>
        <button type="button" class="quiet" aria-label={t("settings.title")} onClick={() => open("settings")}>
          <SettingsIcon />
        </button>
      </header>
      <main id="main" tabIndex={-1} class="screen">
        {gallery ? watching(gallery, view, refused) : screen(session, view, refused)}
      </main>
      {dialog === "settings" && <SettingsDialog session={session} close={() => open("none")} />}
      {dialog === "keys" && <KeysDialog close={() => open("none")} />}
    </>
  );
}

function screen(session: Session | null, view: string, refused: string): VNode {
  if (!session) return <Lobby />;
  switch (view) {
    case "door":
      return <Door session={session} />;
    case "waiting":
      return <Waiting session={session} />;
    case "play":
      return <Play session={session} />;
    case "over":
      return <Over visit={session} />;
    default:
      return <Notice view={view} refused={refused} takeBack={() => session.takeBack()} />;
  }
}

function watching(gallery: Gallery, view: string, refused: string): VNode {
  switch (view) {
    case "entrance":
    case "early":
      return <Entrance gallery={gallery} />;
    case "watch":
      return <Watch gallery={gallery} />;
    case "over":
      return <Over visit={gallery} />;
    default:
      return <Notice view={view} refused={refused} />;
  }
}

/** A new screen begins at its top, for the eye and for the screen reader. */
function useTop(view: string): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current || view === "loading") {
      first.current = view === "loading";
      return;
    }
    scrollTo(0, 0);
    document.getElementById("main")?.focus();
  }, [view]);
}

/** "?" wherever the layout has it, and F1. */
function useHelpKey(show: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest?.("input, textarea, select, dialog");
      if (typing || !(event.key === "?" || event.code === "F1")) return;
      event.preventDefault();
      show();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
