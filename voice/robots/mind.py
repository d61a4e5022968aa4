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

HABITS = ("vote", "shoot", "check", "end")
SAYS_MORE = 0.5
"""... than what it wants: an opinion goes before."""
NOMINATES = 0.5
NOTHING_COUNTS = 1 / 6
"""A speech in six holds words that must not count: reported, negated, put off."""
CORRECTS_HIMSELF = 1 / 8
CROWNS = 0.4
SHOOTS_ASTRAY = 1 / 30
INTERPELLATES = 1 / 50
"""Per speech of somebody else: about one a game."""

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
        """A closed answer is always given in the same words, whatever the seed."""
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
        self.ballots = 0
        """How often it was asked to vote today: a second vote is not the first."""
        self.meant: Meaning | None = None
        """What it wants in the turn that is under way; None: nothing, and any question about it is answered no."""

    # --- hearing ----------------------------------------------------------------------------------

    def hear(self, message: Line | Caption) -> None:
        if isinstance(message, Caption):
            self._hear_player(message)
        else:
            self._hear_narrator(message)

    def _hear_player(self, caption: Caption) -> None:
        named = self.numbers(caption.text)
        if caption.seat in self.mates and not self.victims:
            self.victims = tuple(seat for seat in dict.fromkeys(named) if seat not in self.mates | {self.seat})
        for seat in set(named):
            self.heat[seat] += 0.25

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
        elif line.key == "withdrawn" and seat in self.candidates:
            self.candidates.remove(int(seat))
        elif line.key == "check-mafia" and isinstance(seat, int):
            self.blacks.add(seat)
        elif line.key in ("check-town", "don-missed") and isinstance(seat, int):
            self.reds.add(seat)

    def numbers(self, text: str) -> list[Seat]:
        """The seats named in a text, in digits or letters."""
        words = {word: seat for seat, word in enumerate(self.phrases["numbers"], 1)}
        found = re.findall(r"\d+|[^\W\d]+", text.casefold())
        seats = [words.get(word) or (int(word) if word.isdigit() else 0) for word in found]
        return [seat for seat in seats if seat in SEATS]

    # --- saying -----------------------------------------------------------------------------------

    def prepare_speech(self) -> Saying:
        """Today's speech, decided once; who speaks later may still find his candidate taken."""
        if self.speech is None:
            self.speech = self._speech()
        return self.speech

    def answer(self, asked: Asked) -> Saying | None:
        """What to say to what is asked; None: nothing."""
        if asked.what != "question":
            self.meant = None
        match asked.what:
            case "speech":
                return self._give_speech()
            case "split_speech":
                return Saying(f"{self._one_of('defend')} {self._one_of('end')}")
            case "farewell":
                return self._farewell()
            case "ballot":
                self.ballots += 1
                return self._act("vote", self._vote(asked.seats))
            case "lift":
                return self._lift()
            case "meeting":
                return self._meeting()
            case "shots":
                return self._act("shot", self.victim())
            case "don_check" | "sheriff_check":
                return self._act("check", self._to_check())
            case "question":
                return self._reply(asked.seats)
        return None

    def likely(self, key: str, targets: Sequence[Seat]) -> list[str]:
        """Closed answers that may be wanted soon."""
        return [self._one_of(key, t=target) for target in targets]

    def night_words(self) -> list[str]:
        """What this role may have to say at night."""
        others = [seat for seat in SEATS if seat != self.seat and seat not in self.mates]
        words = self.likely("shoot", others) if self.role in (Role.DON, Role.MAFIOSO) else []
        return words + (self.likely("check", others) if self.role in (Role.DON, Role.SHERIFF) else [])

    def again(self) -> Saying | None:
        """The same answer once more, as plainly as can be."""
        meant = self.meant
        if meant is None:
            return None
        if meant.task == "lift":
            return Saying(self.phrases["lift_yes" if meant.targets[0] else "lift_no"][0])
        key = {"vote": "vote_plain", "shot": "shoot_plain", "check": "check_plain"}.get(meant.task)
        return None if key is None else Saying(self._one_of(key, t=meant.targets[0]))

    def contradicts(self, line: Line) -> Saying | None:
        """The narrator has understood something else than was meant: what to say against it."""
        meant = self.meant
        if meant is None:
            return None
        if line.key in ("echo-lift-yes", "echo-lift-no"):
            right = meant.task != "lift" or meant.targets[0] == (line.key == "echo-lift-yes")
            return None if right else Saying(self._one_of("no"))
        if ECHOES.get(line.key) == meant.task and line.args.get("seat") != meant.targets[0]:
            return Saying(self._one_of("no_but", t=meant.targets[0]))
        return None

    def end(self) -> Saying:
        return Saying(self._one_of("end"))

    def take_back(self) -> Saying | None:
        """Another seat than the one meant was taken down as this robot's nomination."""
        if self.meant is None or self.meant.task != "nomination":
            return None
        return Saying(f"{self._one_of('take_back', t=self.meant.targets[0])} {self.phrases['end'][0]}")

    def interrupts(self) -> Saying | None:
        """Decided at each speech of somebody else from the second day on."""
        if self.day < 1 or self.seat not in self.alive or self.chance.random() >= INTERPELLATES:
            return None
        return Saying(self._one_of("interpellate"), (Meaning("interpellation", ()),))

    # --- deciding ---------------------------------------------------------------------------------

    def _give_speech(self) -> Saying:
        saying = self.prepare_speech()
        self.meant = next((meaning for meaning in saying.meanings if meaning.counts), None)
        return saying

    def _speech(self) -> Saying:
        others = [seat for seat in sorted(self.alive) if seat != self.seat]
        a, b = self.chance.sample(others, 2)
        dice = self.chance.random()
        first = self._one_of("opinion", a=a, b=b)
        if dice < NOTHING_COUNTS:
            first = self._one_of("nothing", a=a, b=b)
            return Saying(f"{first} {self._one_of('end')}", (Meaning("nothing", (), counts=False),))
        free = [seat for seat in others if seat not in self.candidates]
        early = len(self.candidates) < 3
        if not free or self.chance.random() >= (NOMINATES if early else NOMINATES / 3):
            return Saying(f"{first} {self._one_of('end')}")
        if self.chance.random() >= SAYS_MORE:
            first = ""
        target = self._most_suspect(free)
        meant = Meaning("nomination", (target,))
        if self.chance.random() < CORRECTS_HIMSELF and a != target:
            words = self._one_of("nominate_corrected", a=a, t=target)
        else:
            words = self._one_of("nominate", t=target)
        return Saying(f"{first} {words} {self._one_of('end')}".strip(), (meant,))

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
        key = {"vote": "vote", "shot": "shoot", "check": "check"}[task]
        return Saying(self._one_of(key, t=target), (self.meant,))

    def _lift(self) -> Saying:
        lift = self.chance.random() < 0.5
        self.meant = Meaning("lift", (int(lift),))
        return Saying(self._one_of("lift_yes" if lift else "lift_no"), (self.meant,))

    def _meeting(self) -> Saying | None:
        if self.role is not Role.DON:
            return None
        a, b, c = self.victims
        return Saying(self._one_of("arrange", a=a, b=b, c=c))

    def _farewell(self) -> Saying:
        others = sorted((seat for seat in self.alive if seat != self.seat), key=lambda seat: -self.heat[seat])
        suspects = [seat for seat in others if seat not in self.reds][: self.chance.choice((2, 3, 3))]
        names = dict(zip("abc", suspects, strict=False))
        text = self._one_of("testament" if len(suspects) == 3 else "testament_two", **names)
        meanings = [Meaning("testament", tuple(suspects))]
        trusted = [seat for seat in others if seat not in suspects]
        if trusted and self.chance.random() < CROWNS:
            text += " " + self._one_of("crown", t=trusted[-1])
            meanings.append(Meaning("crown", (trusted[-1],)))
        named = tuple(seat for meaning in meanings for seat in meaning.targets)
        self.meant = Meaning("testament", named)
        return Saying(f"{text} {self._one_of('end')}", tuple(meanings))

    def _reply(self, about: Sequence[Seat]) -> Saying | None:
        meant = self.meant
        if meant is None:
            return Saying(self._one_of("no"))
        if not about or about[0] in meant.targets:
            return Saying(self._one_of("yes"))
        one_seat = meant.task not in ("lift", "testament")
        return Saying(self._one_of("no_but", t=meant.targets[0]) if one_seat else self._one_of("no"))

    def _one_of(self, key: str, **seats: Seat) -> str:
        words = {name: self.phrases["numbers"][seat - 1] for name, seat in seats.items()}
        words_said = self.habits[key] if key in self.habits else self.chance.choice(self.phrases[key])
        return words_said.format(**words)


def _seats(arg: str | int | None) -> list[Seat]:
    return [] if arg is None else [int(seat) for seat in str(arg).split()]
