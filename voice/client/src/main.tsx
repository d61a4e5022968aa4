/** The page: the lobby, one player at one table, or one spectator of it. */

import { render } from "preact";
import { App } from "./app.tsx";
import { Gallery } from "./gallery.ts";
import { Session } from "./session.ts";
import { dress } from "./settings.ts";
import { speak, tongue } from "./words.ts";

dress();
speak(tongue.value.lang, tongue.value.setting);

const [, code, watches] = /^\/t\/([^/]+)(\/gallery)?\/?$/.exec(location.pathname) ?? [];
const session = code && !watches ? new Session(decodeURIComponent(code)) : null;
const gallery = code && watches ? new Gallery(decodeURIComponent(code)) : null;
render(<App session={session} gallery={gallery} />, document.getElementById("page")!);
void (session ?? gallery)?.look();
