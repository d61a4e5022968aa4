/** A screen that says one thing: loading, no such table, no gallery, the game lost, the seat taken over elsewhere. */

import { CodeForm } from "../parts/code_form.tsx";
import { t } from "../words.ts";

interface Props {
  view: string;
  /** Why the table cannot be looked at. */
  refused: string;
  takeBack?(): void;
}

export function Notice({ view, refused, takeBack }: Props) {
  switch (view) {
    case "nowhere":
      return (
        <div class="door">
          <Saying title={t("notice.nowhere")} text={t("notice.nowhere.text")} />
          <CodeForm />
          <p><a href="/">{t("notice.home")}</a></p>
        </div>
      );
    case "unreachable":
      return <Saying title={refused} text={t("notice.unreachable.text")} />;
    case "closed":
      return <Saying title={t("gallery.closed")} text={t("gallery.closed.text")}><Home /></Saying>;
    case "lost":
      return <Saying title={t("notice.lost")} text={t("notice.lost.text")}><Home /></Saying>;
    case "taken":
      return (
        <Saying title={t("notice.taken")} text={t("notice.taken.text")}>
          <button type="button" class="primary" onClick={takeBack}>{t("notice.taken.back")}</button>
        </Saying>
      );
    default:
      return <p class="note" role="status">{t("notice.loading")}</p>;
  }
}

function Saying({ title, text, children }: { title: string; text: string; children?: preact.ComponentChildren }) {
  return (
    <section class="card notice">
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
    </section>
  );
}

const Home = () => <a class="button primary" href="/">{t("lobby.open")}</a>;
