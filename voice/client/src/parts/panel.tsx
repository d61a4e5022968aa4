/** What can be done now, by hand. Everything in it can be said as well. */

import { NIGHT_STEPS, type Game, type Question } from "../game.ts";
import { Result } from "../screens/over.tsx";
import type { Session } from "../session.ts";
import { GESTURES, QUESTIONS } from "../keys.ts";
import { settings } from "../settings.ts";
import { useStore } from "../store.ts";
import { list, t, type Key } from "../words.ts";
import type { Do, Seat } from "../wire.ts";
import { KeyButton } from "./button.tsx";
import { Clock } from "./clock.tsx";
import { Crown } from "./crown.tsx";
import { Pad } from "./pad.tsx";
import { Write } from "./write.tsx";

interface Props {
  session: Session;
  game: Game;
  me: Seat;
}

const INTERRUPTIBLE = new Set(["speech", "split_speech"]);
/** Asked by touch or by word; no key of their own. */
const WISHES = ["slower", "faster", "pause", "resume"] as const;

export function Panel({ session, game, me, openMotion }: Props & { openMotion(): void }) {
  const alive = game.alive.includes(me);
  const asked = game.asked && !NIGHT_STEPS.has(game.asked.what) ? game.asked : null;
  const mine = game.phase !== "night" && (asked || game.question);
  return (
    <section class={mine ? "panel mine" : "panel"} aria-label={t("panel.title")}>
      {main(session, game, me, alive, asked)}
      <Sent session={session} game={game} />
      {alive && game.phase === "day" && <Gestures session={session} openMotion={openMotion} />}
      {!game.ending && <Questions session={session} />}
    </section>
  );
}

function main(session: Session, game: Game, me: Seat, alive: boolean, asked: Question | null) {
  if (game.ending) return <Result ending={game.ending} info={session.state.value.info} />;
  if (game.phase === "night") return alive ? <Night session={session} game={game} /> : <Still title={t("panel.out")} />;
  if (game.question) return <YesNo session={session} title={title(game.question)} question={game.question} />;
  if (asked) return <Asked session={session} game={game} me={me} asked={asked} />;
  if (!alive) return <Still title={t("panel.out")} />;
  return <Listening session={session} game={game} me={me} />;
}

function title(question: Question): string {
  const named = question.seats.length > 0;
  const kind = question.what === "motion" ? "ask.motion" : "ask.question";
  return named ? t(kind, { seats: list(question.seats) }) : t(`${kind}.plain`);
}

function Still({ title }: { title: string }) {
  return <h2>{title}</h2>;
}

function Listening({ session, game, me }: Props) {
  const { keys } = useStore(settings);
  const other = game.speaker !== null && game.speaker !== me;
  return (
    <>
      <h2>{other ? t("middle.speaks", { seat: game.speaker! }) : t("panel.listen")}</h2>
      <LastWords game={game} />
      {game.speaker === me && <Write session={session} />}
      {other && INTERRUPTIBLE.has(game.step ?? "") && (
        <KeyButton code={keys.interpellate} class="costly" onPress={() => session.press({ what: "interpellate" })}>
          {t("do.interpellate")}
        </KeyButton>
      )}
    </>
  );
}

/** Captions by the buttons: on a small screen the whole history is further down. */
function LastWords({ game }: { game: Game }) {
  const last = game.transcript.at(-1);
  if (!last) return <p class="last-words" />;
  const who = last.seat === null ? t("log.moderator") : t("seat.number", { seat: last.seat });
  return (
    <p class="last-words">
      {last.seat !== game.speaker && <b>{who}</b>} {last.text}
    </p>
  );
}

function Asked({ session, game, me, asked }: Props & { asked: Question }) {
  const { keys } = useStore(settings);
  const digit = (seat: Seat) => session.press({ what: "digit", seat });
  const last = useStore(session.state).sent?.wish;
  const chosen = last?.what === "digit" ? (last.seat ?? null) : null;
  const heading = <h2>{t(`turn.${asked.what}` as Key)}</h2>;
  if (asked.what === "lift")
    return <YesNo session={session} title={t("ask.lift", { seats: list(asked.seats) })} question={asked} />;
  if (asked.what === "ballot")
    return (
      <>
        {heading}
        <p>{t("ask.ballot", { seat: asked.seats.at(-1) ?? "" })}</p>
        <Pad label={t("turn.ballot")} seats={asked.seats} onChoose={digit} chosen={chosen} />
      </>
    );
  const others = game.alive.filter((seat) => asked.what === "speech" || seat !== me);
  return (
    <>
      {heading}
      <Clock ends_ms={asked.ends_ms} clock_ms={asked.time_s * 1000} label={t("middle.clock")} />
      {asked.what !== "split_speech" && (
        <>
          <p>{t(`ask.${asked.what}` as Key)}</p>
          <Pad label={t(`ask.${asked.what}` as Key)} seats={others} onChoose={digit} />
        </>
      )}
      <Write session={session} />
      {asked.what === "farewell" && <Crown session={session} game={game} seats={others} />}
      <KeyButton code={keys.end_speech} class="primary" onPress={() => session.press({ what: "end_speech" })}>
        {t("do.end_speech")}
      </KeyButton>
    </>
  );
}

function YesNo({ session, title, question }: { session: Session; title: string; question: Question | null }) {
  const { keys } = useStore(settings);
  return (
    <>
      <h2>{title}</h2>
      {question?.ends_ms && (
        <Clock ends_ms={question.ends_ms} clock_ms={question.time_s * 1000} label={t("middle.clock")} />
      )}
      <div class="row">
        <KeyButton code={keys.yes} class="primary" onPress={() => session.press({ what: "yes" })}>
          {t("do.yes")}
        </KeyButton>
        <KeyButton code={keys.no} class="primary" onPress={() => session.press({ what: "no" })}>
          {t("do.no")}
        </KeyButton>
      </div>
    </>
  );
}

/** The same on all ten screens: who looks over a shoulder learns nothing. */
function Night({ session, game }: { session: Session; game: Game }) {
  const { keys } = useStore(settings);
  return (
    <>
      <h2>{t("night.title")}</h2>
      <p>{t("night.text")}</p>
      <Pad label={t("night.pad")} seats={game.alive} onChoose={(seat) => session.press({ what: "digit", seat })} />
      <div class="row">
        <KeyButton code={keys.yes} onPress={() => session.press({ what: "yes" })}>{t("do.yes")}</KeyButton>
        <KeyButton code={keys.no} onPress={() => session.press({ what: "no" })}>{t("do.no")}</KeyButton>
      </div>
      {game.step === "meeting" && <Write session={session} />}
    </>
  );
}

/** A mark that the key went out. By day it says which; at night it does not. */
function Sent({ session, game }: { session: Session; game: Game }) {
  const { sent } = useStore(session.state);
  if (!sent) return null;
  const text = game.phase === "night" ? t("sent.night") : t("sent.day", { what: spell(sent.wish) });
  return <p class="sent" key={sent.count}>{text}</p>;
}

function spell(wish: Do): string {
  if (wish.what === "digit") return String(wish.seat);
  if (wish.what === "type") return wish.text!;
  if (wish.what === "crown") return t("sent.crown", { seat: wish.seat! });
  return t(`do.${wish.what === "signal" || wish.what === "ask" ? wish.name : wish.what}` as Key);
}

function Gestures({ session, openMotion }: { session: Session; openMotion(): void }) {
  const { keys } = useStore(settings);
  return (
    <details class="more">
      <summary>{t("panel.more")}</summary>
      <div class="row wrap">
        {GESTURES.map((name) => (
          <KeyButton key={name} code={keys[name]} onPress={() => session.press({ what: "signal", name })}>
            {t(`do.${name}` as Key)}
          </KeyButton>
        ))}
        <KeyButton code={keys.motion} onPress={openMotion}>{t("motion.open")}</KeyButton>
      </div>
    </details>
  );
}

/** The moderator answers in this booth alone. */
function Questions({ session }: { session: Session }) {
  const { keys } = useStore(settings);
  return (
    <details class="more">
      <summary>{t("panel.ask")}</summary>
      <div class="row wrap">
        {QUESTIONS.map((name) => (
          <KeyButton key={name} code={keys[name]} onPress={() => session.press({ what: "ask", name })}>
            {t(`do.${name}` as Key)}
          </KeyButton>
        ))}
        {WISHES.map((name) => (
          <KeyButton key={name} onPress={() => session.press({ what: "ask", name })}>
            {t(`do.${name}` as Key)}
          </KeyButton>
        ))}
      </div>
    </details>
  );
}
