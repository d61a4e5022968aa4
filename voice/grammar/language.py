"""One language's words and patterns, from `prompts/grammar.<lang>.yaml`, compiled once.

A pattern is a regular expression over the normal form of a text (`voice.grammar.speech`), written as one says
it: letters are folded here. Patterns stand on lines of their own, or between ` | `. `{seats}` stands for one or
several seats with what may stand between them ("the 4, uh no, the 5"), `{seat}` for just one, `{start}` for the
beginning of a clause.
"""

import re
import unicodedata
from functools import cache
from itertools import count
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo

from voice.config import data_path, parse_yaml
from voice.ports import Lang


def fold(text: str) -> str:
    """Lower case, straight apostrophes, no accents; Cyrillic й stays, ё becomes е. Keeps every offset."""
    return "".join(map(_fold_char, text))


@cache
def _fold_char(char: str) -> str:
    if char in "’ʼ‘`´":
        return "'"
    lower = char.lower() if len(char.lower()) == 1 else char
    if lower == "й":
        return lower
    base = unicodedata.normalize("NFD", lower)[0]
    return base if base.isalpha() else lower


def alternation(patterns: str) -> str:
    """One pattern out of several, folded; escapes such as \\S keep their capital."""
    lines = (line.removesuffix(" |").removeprefix("| ") for line in patterns.splitlines())
    one = "|".join(f"(?:{pattern})" for line in lines for pattern in line.split(" | "))
    return re.sub(r"\\.|\(\?P<\w+>|[^\\(]+|\(", lambda part: part[0] if part[0][0] in "\\(" else fold(part[0]), one)


def _compile(value: str, info: ValidationInfo) -> re.Pattern[str]:
    """Words match whole words only. Each `{seats}` and `{seat}` becomes a group of its own: see `seats_span`."""
    parts: dict[str, str] = info.context or {}
    number = count()
    pattern = re.sub(
        r"\{(seats?)\}", lambda gap: f"(?P<seats{next(number)}>{parts[gap[1]]})", alternation(value)
    ).replace("{start}", parts.get("start", ""))
    return re.compile(rf"(?<!\S)(?:{pattern})(?!\S)")


Pattern = Annotated[re.Pattern[str], BeforeValidator(_compile)]


def seats_span(match: re.Match[str]) -> tuple[int, int]:
    """Where the seats of a pattern with `{seats}` stand."""
    return next(match.span(name) for name, value in match.groupdict().items() if value is not None)


class Language(BaseModel):
    """The words of one language; the comments in the YAML files give examples of each."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    # numbers
    numbers: dict[str, int]
    weak_numbers: dict[str, list[str]]
    """Number words that are ordinary words too, with the words after which they are seats."""
    ordinals: list[str] = []
    seat_nouns: list[str] = []
    """After an ordinal they belong to it: "the third player"."""
    ordinal_suffixes: list[str]
    counters: list[str] = []
    """Ordinals that count the seats of a list ("the third is 8"), with `counts` between them and the seat."""
    counts: Pattern | None = None
    clitics: list[str] = []
    """Short verbs written together with the number before them."""
    counted_before: Pattern
    counted_after: Pattern

    # inside a list of seats
    glue: Pattern
    correction: Pattern
    puts_right: Pattern
    """A correction that is nothing else: not time to think."""
    hesitation: Pattern
    """Corrects the seat before it where one is expected, means nothing in a list."""
    unless: Pattern
    """Takes the seat after it out."""
    instead: Pattern
    """After an `unless`: the next seat is the one that is meant."""
    subject_of: Pattern
    """A verb: the seat before it is its subject, not part of the list."""
    start: Pattern

    list: Pattern
    between: Pattern
    """What may stand in a list besides its seats."""
    begins: Pattern
    """The word before a clause."""
    start_words: Pattern
    takes_back: Pattern
    """What begins a sentence that takes back the one before it."""
    step: Pattern
    """One step through a list; the group that matched says which. These six are made here, not in the file."""

    # whole sentences that do not count, and the scope around a cue
    injection: Pattern
    report: Pattern
    condition: Pattern
    hedge: Pattern
    therefore: Pattern
    question: Pattern
    tag_question: Pattern
    later: Pattern
    past: Pattern
    negation: Pattern
    maybe: Pattern
    """Right before a cue, or inside it: it is not decided yet."""

    # a speech
    nominate: Pattern
    nominate_misheard: Pattern
    nominate_him: Pattern
    """Nominates whom the words before it were about."""
    nominate_trap: Pattern
    """Right before a word that sounds like a number (`answer_traps`) that word may be one."""
    repair: Pattern
    """A seat with the words that put it in the place of one named before: further on in the text, in another breath."""
    own_verb: Pattern
    """Something that the speaker does to a seat: the verb may be a nomination that was misheard."""
    nominate_self: Pattern
    nominating: Pattern
    """A word of nominating: with a seat near it, a text without a cue may still hold a nomination."""
    plan: Pattern
    on_the_list: Pattern
    """Says that a seat is on the list: a nomination or a remark, nobody knows."""
    cancel: Pattern
    withdraw: Pattern
    end_speech: Pattern

    # a farewell
    trusted: Pattern
    """Around a seat that is not to be suspected."""
    range: Pattern
    """Two seats and every one between them."""
    goodbye: Pattern
    suspect: Pattern
    declares: Pattern
    """Says that this is the list: seats that are spoken of elsewhere do not belong to it."""
    aside: Pattern
    """Between two commas, in the middle of a sentence."""
    leave: Pattern
    """The decision to leave somebody as a suspect: holds after a condition too."""
    no_suspects: Pattern
    misheard_list: Pattern | None = None
    """Words that sound like numbers, alone between two seats: whether they are one, nobody knows."""
    red: Pattern
    black: Pattern
    of_them: Pattern
    """Begins a clause that is about the seats right before it."""
    also: Pattern
    """Right after a seat: the same holds of it."""
    undecided: Pattern
    """One of those who are named, nobody knows which."""
    either: Pattern
    """Between two seats: it is not decided which."""
    crown: Pattern
    crown_him: Pattern
    """Crowns whom the words before it were about."""
    crown_word: Pattern
    """Is about the crown, whoever may get it."""

    # closed answers
    vote: Pattern
    """Says that the seat beside it is the answer, whoever else is named."""
    vote_of_another: Pattern
    vote_him: Pattern
    """Votes for whom the words before it were about."""
    because: Pattern
    """What follows is a reason: its seats are no answer."""
    reasons: Pattern
    """Begins a clause about the seat before it."""
    spared: Pattern
    """Said of a seat: it is not suspected."""
    remark: Pattern
    """Says something about a seat in passing: no answer."""
    asks: Pattern
    """A question with it wants to know something: its seats are no answer."""
    padding: Pattern
    """Says nothing more beside a number, and is no half of an answer by itself."""
    thinking: Pattern
    """He has not decided: several seats beside it are no answer."""
    answer: Pattern
    office: Pattern
    """What the Don looks for."""
    apology: Pattern
    """After the number it takes nothing back."""
    answer_traps: dict[str, int]
    """What recognisers write for a number that was said alone."""
    tentative: Pattern
    lift_yes: Pattern
    lift_no: Pattern
    yes: Pattern
    yes_weak: Pattern
    """Of these: said beside anything else it is no yes."""
    affirms: Pattern
    denies: Pattern
    """Whole sentences that say yes or no."""
    renames: Pattern
    """Says that the number in its clause was meant."""
    yes_sounds_like: int | None = None
    unheard: Pattern
    """Says that the question was not heard: no answer, whatever "not" is in it."""
    no: Pattern
    abstain: Pattern
    interpellate: Pattern

    # claims
    sheriff: Pattern
    own_check: Pattern
    mockery: Pattern
    """Beside a claim: it may be meant the other way round."""
    both_checked: Pattern
    """A check of the two that were named before."""
    found: Pattern
    """Begins a clause that says what the check of the seat before it has shown."""


@cache
def language(lang: Lang) -> Language:
    words: dict[str, Any] = parse_yaml(data_path("prompts", f"grammar.{lang}.yaml"), yaml.BaseLoader)
    steps = ("correction", "hesitation", "unless", "instead")
    again = "|".join(alternation(words[name]) for name in steps[:3])
    between = "|".join(alternation(words[name]) for name in (*steps, "glue"))
    one = rf"(?:(?:{between}|[,:]|\.(?= (?:{again})(?!\S))) ){{0,9}}#"
    start = rf"(?:(?<![^,.:?!]\s)|(?:{alternation(words['start'])}) )"
    words["repair"] += f"\n(?:{alternation(words['correction'])})(?: [,.:])* {{seats}}"
    words |= {"list": "{seats}", "between": between, "begins": f"[,.:?]?|{words['start']}"}
    words["start_words"] = words["start"]
    words["takes_back"] = rf"(?:(?:[,.:]|{alternation(words['start'])}) )*(?:{alternation(words['correction'])})"
    words["step"] = "\n".join(
        [
            *(f"(?P<{name}>{alternation(words[name])}){'(?! ,)' * (name == 'unless')}" for name in steps),
            f"(?P<over>[%.?]|{alternation(words['therefore'])})",
            "(?P<seat>#)",
        ]
    )
    words["numbers"] = {word: value for value, forms in words["numbers"].items() for word in fold(forms).split()}
    words["weak_numbers"] = {fold(word): fold(after).split() for word, after in words["weak_numbers"].items()}
    words["ordinal_suffixes"] = fold(words["ordinal_suffixes"]).split()
    words |= {name: words.get(name, "").split() for name in ("ordinals", "seat_nouns", "clitics")}
    words["counters"] = fold(words.get("counters", "")).split()
    words["answer_traps"] = {fold(word): seat for word, seat in words["answer_traps"].items()}
    seat = rf"(?:(?:{alternation(words['glue'])}) )*#"
    return Language.model_validate(words, context={"seats": rf"{one}(?: {one})*", "seat": seat, "start": start})
