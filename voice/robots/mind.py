"""What one robot knows and wants to say. No sound, no clock, no network: messages in, sayings out.

It knows what an ordinary client is told (`voice.wire`): the words of each line said into its booth, the captions
of the players it hears, and what is asked of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from moderator.model import SEATS, Role, Seat
from voice.config import read_yaml
from voice.ports import Lang
from voice.wire import Asked, Caption, Line

Task = Literal["nomination", "vote", "lift", "shot", "check", "testament", "crown", "interpellation", "nothing"]

HABITS = ("vote", "shoot", "check", "lift_yes", "lift_no", "defend", "yes", "no", "retract", "objection")
"""Said always in the same words, whatever the seed, and so most often spoken ahead."""
SAYS_MORE = 0.5
"""... than what it wants: an opinion goes before."""
NOMINATIONS = 4.5
"""About so many a day, one less for those who say nothing that counts."""
NOTHING_COUNTS = 1 / 6
"""A speech in six holds words that must not count: reported, negated, put off."""
CORRECTS_HIMSELF = 1 / 8
CROWNS = 0.4
LIFTS = 0.6
SHOOTS_ASTRAY = 1 / 60
INTERPELLATES = 1 / 80
"""Per speech of somebody else: about one a game."""
SILENT = 1 / 100
"""... is a ballot that never comes."""
RUMOUR, FOUND = 0.4, 2.0
"""How much more suspicious a seat gets when somebody names it, and when one's own check finds it black."""
TRIES = 3
"""How often one thing is said before it is given up."""

ROLES = {"role-civ": Role.CIVILIAN, "role-sheriff": Role.SHERIFF, "role-maf": Role.MAFIOSO, "role-don": Role.DON}
TASK_OF_STEP: dict[str, Task] = {
    "ballot": "vote",
    "lift": "lift",
    "shots": "shot",
    "don_check": "check",
    "sheriff_check": "check",
}
ECHOES: dict[str, Task] = {
    "echo-ballot": "vote",
    "echo-shot": "shot",
    "echo-check": "check",
    "echo-lift-yes": "lift",
    "echo-lift-no": "lift",
}
HABIT_OF: dict[Task, str] = {"vote": "vote", "shot": "shoot", "check": "check"}
PLAIN: dict[Task, str] = {"vote": "vote_plain", "shot": "shoot_plain", "check": "check_plain"}


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing meant. `targets`: seats, or for a lift (1,) yes and (0,) no. `counts` False: it must have no effect."""

    task: Task
    targets: tuple[int, ...]
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Saying:
    text: str
    meanings: tuple[Meaning, ...] = ()


class Mind:
    """One robot. The same seed, seat and messages give the same words."""

    def __init__(self, seat: Seat, seed: int, lang: Lang) -> None:
        self.seat = seat
        self.chance = Random(f"{seed}:{seat}")
        self.phrases: dict[str, list[str]] = read_yaml("prompts", f"robots.{lang}.yaml")
        self.habits = {key: self.phrases[key][seat % len(self.phrases[key])] for key in HABITS}
        self.words = _words(lang)
        self.role: Role | None = None
        self.mates: frozenset[Seat] = frozenset()
        self.alive = set(SEATS)
        self.day = -1
        self.candidates: list[Seat] = []
        self.victims: tuple[Seat, ...] = ()
        self.reds: set[Seat] = set()
        self.blacks: set[Seat] = set()
        self.heat = {seat: self.chance.random() for seat in SEATS}
        """How suspicious each seat seems: rises when others speak of it."""
        self.speech: Saying | None = None
        self.farewell: Saying | None = None
        self.ballots = 0
        """How often it was asked to vote today: a second vote is not the first."""
        self.meant: Meaning | None = None
        """What it wants in the turn that is under way; None: nothing, and any question about it is answered no."""
        self.noted = False
        """The narrator has said what is meant, or it need not be said: the seat was on the list already."""
        self.tries = 0
        """How often what is meant was said."""

    # --- hearing ----------------------------------------------------------------------------------

    def hear(self, message: Line | Caption) -> None:
        if isinstance(message, Caption):
            if message.final:
                self._hear_player(message)
        else:
            self._hear_narrator(message)

    def _hear_player(self, caption: Caption) -> None:
        named = self.numbers(caption.text)
        if caption.seat in self.mates and not self.victims:
            self.victims = tuple(seat for seat in dict.fromkeys(named) if seat not in self.mates | {self.seat})
        for seat in set(named):
            self.heat[seat] += RUMOUR

    def _hear_narrator(self, line: Line) -> None:
        seat = line.args.get("seat")
        if line.key in ROLES:
            self.role = ROLES[line.key]
            mates = [*_seats(line.args.get("mates")), *_seats(line.args.get("don"))]
            self.mates = frozenset(mates)
            if self.role is Role.DON:
                others = sorted(set(SEATS) - self.mates - {self.seat})
                self.victims = tuple(self.chance.sample(others, 3))
        elif line.key in ("left", "morning") and isinstance(seat, int):
            self.alive.discard(seat)
        if line.key in ("morning", "morning-miss"):
            self.candidates, self.speech = [], None
        if line.key == "night":
            self.day += 1
            self.ballots = 0
        if line.key == "nominated" and isinstance(seat, int):
            self.candidates.append(seat)
            self.noted = self.noted or self.meant == Meaning("nomination", (seat,))
        elif line.key == "withdrawn" and seat in self.candidates:
            self.candidates.remove(int(seat))
        elif line.key == "check-mafia" and isinstance(seat, int):
            self.blacks.add(seat)
            self.heat[seat] += FOUND
        elif line.key in ("check-town", "don-missed") and isinstance(seat, int):
            self.reds.add(seat)

    def numbers(self, text: str) -> list[Seat]:
        """The seats named in a text, in digits or letters."""
        found = re.findall(r"\d+|[^\W\d]+", text.casefold())
        seats = [self.words.get(word) or (int(word) if word.isdigit() else 0) for word in found]
        return [seat for seat in seats if seat in SEATS]

    # --- saying -----------------------------------------------------------------------------------

    def rehearsal(self) -> list[str]:
        """What everybody says sooner or later, in the order in which it will be wanted."""
        others = [seat for seat in SEATS if seat != self.seat]
        habits = [self._one_of(key) for key in ("no", "yes", "retract", "defend", "lift_yes", "lift_no")]
        return [self.end(0).text, *(self._one_of("vote", t=seat) for seat in others), self.end(1).text, *habits]

    def upcoming(self, line: Line) -> list[str]:
        """What will probably have to be said soon after this line."""
        target = line.args.get("seat")
        if target == self.seat and line.key in ("left", "morning"):
            return [self.prepare_farewell().text]
        if self.seat not in self.alive:
            return []
        if line.key in ROLES:
            meeting = self._meeting()
            return [*([meeting.text] if meeting is not None else []), *self._night_words()]
        if line.key in ("meeting-call", "morning", "morning-miss"):
            speech = self.prepare_speech()
            return [speech.text, *(self._insistence(meaning) for meaning in speech.meanings if meaning.counts)]
        if line.key == "nominated" and isinstance(target, int):
            return [self._one_of("vote", t=target)]
        return []

    def prepare_speech(self) -> Saying:
        """Today's speech, decided once; who speaks later may still find his candidate taken."""
        if self.speech is None:
            self.speech = self._speech()
        return self.speech

    def prepare_farewell(self) -> Saying:
        if self.farewell is None:
            self.farewell = self._farewell()
        return self.farewell

    def answer(self, asked: Asked) -> Saying | None:
        """What to say to what is asked; None: nothing."""
        if asked.what == "question":
            return self._reply(asked.seats)
        self.meant, self.noted, self.tries = None, False, 1
        match asked.what:
            case "speech":
                return self._give_speech()
            case "split_speech":
                return Saying(f"{self._one_of('defend')} {self.end(0).text}")
            case "farewell":
                return self._give_farewell()
            case "ballot":
                self.ballots += 1
                return self._act("vote", self._vote(asked.seats)) if self.chance.random() >= SILENT else None
            case "lift":
                return self._lift()
            case "meeting":
                return self._meeting()
            case "shots":
                return self._act("shot", self.victim())
            case "don_check" | "sheriff_check":
                return self._act("check", self._to_check())
        return None

    def again(self, what: str) -> Saying | None:
        """Nobody seems to have heard it: the same once more, plainer or in other words; None: enough of it."""
        if self.tries >= TRIES or what == "meeting":
            return None
        self.tries += 1
        meant = self.meant
        if what not in TASK_OF_STEP:
            insists = meant is not None and meant.task == "nomination" and not self.noted
            words = self._insistence(meant) + " " if meant is not None and insists else ""
            return Saying(words + self.end(self.tries - 1).text)
        if meant is None:
            return None
        if meant.task == "lift":
            return Saying(self._lift_words(meant))
        return Saying(self._one_of(PLAIN[meant.task], t=meant.targets[0]))

    def contradicts(self, line: Line, what: str) -> Saying | None:
        """What to say when the narrator, in a turn of this kind, has understood something else than was meant."""
        meant = self.meant
        target = line.args.get("seat")
        if line.key == "nominated" and what == "speech":
            if meant is not None and meant.task == "nomination" and target == meant.targets[0]:
                return None
            words = [self._one_of("no"), self._one_of("retract")]
            words += [self._insistence(meant)] if meant is not None and meant.task == "nomination" else []
            return Saying(" ".join([*words, self.end(0).text]))
        if meant is None or ECHOES.get(line.key) != meant.task:
            return None
        if meant.task == "lift":
            right = meant.targets[0] == (line.key == "echo-lift-yes")
            return None if right else Saying(self._one_of("no"))
        return None if target == meant.targets[0] else self._not_but(meant)

    def end(self, nth: int) -> Saying:
        """The words that give the floor back; others the next time."""
        endings = self.phrases["end"]
        return Saying(endings[(self.seat + nth) % len(endings)])

    def interrupts(self) -> Saying | None:
        """Decided at each speech of somebody else from the second day on."""
        if self.day < 1 or self.seat not in self.alive or self.chance.random() >= INTERPELLATES:
            return None
        return Saying(self._one_of("interpellate"), (Meaning("interpellation", ()),))

    def objection(self) -> Saying:
        """What it interrupted for."""
        return Saying(self._one_of("objection"))

    # --- deciding ---------------------------------------------------------------------------------

    def _give_speech(self) -> Saying:
        saying = self.prepare_speech()
        self.meant = next((meaning for meaning in saying.meanings if meaning.counts), None)
        self.noted = self.meant is not None and self.meant.targets[0] in self.candidates
        return saying

    def _give_farewell(self) -> Saying:
        saying = self.prepare_farewell()
        self.meant = Meaning("testament", tuple(seat for meaning in saying.meanings for seat in meaning.targets))
        return saying

    def _speech(self) -> Saying:
        others = [seat for seat in sorted(self.alive) if seat != self.seat]
        end = self.end(0).text
        if len(others) < 2:
            return Saying(end)  # it will not come to that: the game is over
        a, b = self.chance.sample(others, 2)
        if self.chance.random() < NOTHING_COUNTS:
            return Saying(f"{self._one_of('nothing', a=a, b=b)} {end}", (Meaning("nothing", (), counts=False),))
        if self.chance.random() >= NOMINATIONS / len(self.alive):
            return Saying(f"{self._one_of('opinion', a=a, b=b)} {end}")
        opinion = self._one_of("opinion", a=a, b=b) + " " if self.chance.random() < SAYS_MORE else ""
        target = self._most_suspect(others)
        corrects = self.chance.random() < CORRECTS_HIMSELF and a != target
        words = self._one_of("nominate_corrected", a=a, t=target) if corrects else self._one_of("nominate", t=target)
        return Saying(f"{opinion}{words} {end}", (Meaning("nomination", (target,)),))

    def _most_suspect(self, seats: Sequence[Seat]) -> Seat:
        known = [seat for seat in seats if seat in self.blacks]
        honest = [seat for seat in seats if seat not in self.mates | self.reds | {self.seat}]
        return max(known or honest or seats, key=lambda seat: self.heat[seat])

    def _vote(self, candidates: Sequence[Seat]) -> Seat:
        return self._most_suspect([seat for seat in candidates if seat != self.seat] or list(candidates))

    def victim(self) -> Seat:
        prey = [seat for seat in self.victims if seat in self.alive]
        others = [seat for seat in sorted(self.alive) if seat != self.seat and seat not in self.mates]
        if self.chance.random() < SHOOTS_ASTRAY:
            return self.chance.choice(others)
        return prey[0] if prey else others[0]

    def _to_check(self) -> Seat:
        known = self.reds | self.blacks | self.mates | {self.seat}
        unknown = [seat for seat in sorted(self.alive) if seat not in known]
        return self.chance.choice(unknown or [seat for seat in sorted(self.alive) if seat != self.seat])

    def _act(self, task: Task, target: Seat) -> Saying:
        self.meant = Meaning(task, (target,))
        return Saying(self._one_of(HABIT_OF[task], t=target), (self.meant,))

    def _lift(self) -> Saying:
        self.meant = Meaning("lift", (int(self.chance.random() < LIFTS),))
        return Saying(self._lift_words(self.meant), (self.meant,))

    def _lift_words(self, meant: Meaning) -> str:
        return self._one_of("lift_yes" if meant.targets[0] else "lift_no")

    def _meeting(self) -> Saying | None:
        if self.role is not Role.DON:
            return None
        a, b, c = self.victims[:3]
        return Saying(self._one_of("arrange", a=a, b=b, c=c))

    def _farewell(self) -> Saying:
        others = sorted(self.alive - {self.seat}, key=lambda seat: -self.heat[seat])
        gone = sorted(set(SEATS) - self.alive - {self.seat}, key=lambda seat: -self.heat[seat])
        suspects = [seat for seat in (*others, *gone) if seat not in self.reds][: self.chance.choice((2, 3, 3))]
        names = dict(zip("abc", suspects, strict=False))
        text = self._one_of("testament" if len(suspects) == 3 else "testament_two", **names)
        meanings = [Meaning("testament", tuple(suspects))]
        trusted = [seat for seat in others if seat not in suspects]
        if trusted and self.chance.random() < CROWNS:
            text += " " + self._one_of("crown", t=trusted[-1])
            meanings.append(Meaning("crown", (trusted[-1],)))
        return Saying(f"{text} {self.end(0).text}", tuple(meanings))

    def _reply(self, about: Sequence[Seat]) -> Saying | None:
        meant = self.meant
        if meant is None:
            return Saying(self._one_of("no"))
        if not about or about[0] in meant.targets:
            return Saying(self._one_of("yes"))
        return Saying(self._one_of("no")) if meant.task in ("lift", "testament") else self._not_but(meant)

    def _not_but(self, meant: Meaning) -> Saying:
        return Saying(f"{self._one_of('no')} {self._insistence(meant)}")

    def _insistence(self, meant: Meaning) -> str:
        """What is meant, said by itself in one plain sentence."""
        if meant.task == "nomination":
            return self.phrases["nominate"][0].format(t=self.phrases["numbers"][meant.targets[0] - 1])
        return self._one_of(HABIT_OF[meant.task], t=meant.targets[0])

    def _night_words(self) -> list[str]:
        """What this role may have to say at night."""
        others = [seat for seat in SEATS if seat != self.seat and seat not in self.mates]
        shoots = [self._one_of("shoot", t=seat) for seat in others] if self.mates else []
        checks = self.role in (Role.DON, Role.SHERIFF)
        return shoots + [self._one_of("check", t=seat) for seat in others if checks]

    def _one_of(self, key: str, **seats: Seat) -> str:
        words = {name: self.phrases["numbers"][seat - 1] for name, seat in seats.items()}
        words_said = self.habits[key] if key in self.habits else self.chance.choice(self.phrases[key])
        return words_said.format(**words)


def _words(lang: Lang) -> dict[str, Seat]:
    """Every form in which a seat's number is written."""
    forms = read_yaml("prompts", f"numbers.{lang}.yaml")["seat"].values()
    return {word.split()[-1].casefold(): seat for words in forms for seat, word in enumerate(words, 1)}


def _seats(arg: str | int | None) -> list[Seat]:
    return [] if arg is None else [int(seat) for seat in str(arg).split()]
