/** The page: the lobby, or one player at one table. */

import { render } from "preact";
import { App } from "./app.tsx";
import { Session } from "./session.ts";
import { dress } from "./settings.ts";
import { speak, tongue } from "./words.ts";

dress();
speak(tongue.value.lang, tongue.value.setting);

const code = /^\/t\/([^/]+)\/?$/.exec(location.pathname)?.[1];
const session = code ? new Session(decodeURIComponent(code)) : null;
render(<App session={session} />, document.getElementById("page")!);
void session?.look();
