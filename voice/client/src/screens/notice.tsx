/** A screen that says one thing: loading, no such table, no gallery, the game lost, the seat taken over elsewhere. */

import { t } from "../words.ts";

export function Notice({ view, takeBack }: { view: string; takeBack?(): void }) {
  switch (view) {
    case "nowhere":
      return <Saying title={t("notice.nowhere")} text={t("notice.nowhere.text")}><Home /></Saying>;
    case "unreachable":
      return <Saying title={t("error.unreachable")} text={t("notice.unreachable.text")} />;
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
