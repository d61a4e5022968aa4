"""The normal form of a text: folded words, one space between them, `#` for a seat and `%` for another number."""

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass, replace

from voice.grammar.language import Language, fold

TOKEN = re.compile(r"\d+(?:[-']?[^\W\d_]{1,3}(?![^\W_]))?|[^\W\d_]+(?:'[^\W\d_]+)*'?|%|\.{2,}|[.,;:!?…—–]")
PAUSES = {"…": ",", "—": ",", "–": ",", ";": ".", "!": "."}
TENS = 20
COUNTED_WORDS = 10
""""The third is, well, I'd say 8": within so many words."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A seat that was named: `at` is its place in the normal form."""

    seat: int
    at: int


@dataclass(frozen=True, slots=True)
class Speech:
    """`normal` and, for each of its words, where it starts there and where it stands in `text`."""

    text: str
    normal: str
    starts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    mentions: tuple[Mention, ...]

    def quote(self, start: int, end: int) -> str:
        """The literal words of the text behind `normal[start:end]`."""
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, max(start, end - 1)) - 1
        return self.text[self.spans[first][0] : self.spans[last][1]]

    def without(self, places: Collection[int]) -> "Speech":
        """The seats that stand there are numbers like others."""
        normal = "".join("%" if at in places else char for at, char in enumerate(self.normal))
        return replace(self, normal=normal, mentions=tuple(one for one in self.mentions if one.at not in places))

    def mentions_in(self, start: int, end: int) -> list[Mention]:
        return [mention for mention in self.mentions if start <= mention.at < end]

    def mention_at(self, at: int) -> Mention:
        return next(mention for mention in self.mentions if mention.at == at)

    def sentences(self) -> list[tuple[int, int]]:
        """Spans of `normal`, each with its closing mark."""
        ends = [match.end() for match in re.finditer(r"[.?](?= |$)", self.normal)]
        if not ends or ends[-1] < len(self.normal):
            ends.append(len(self.normal))
        return list(zip([0, *ends[:-1]], ends, strict=True))

    def sentence_at(self, at: int) -> tuple[int, int]:
        return next(span for span in self.sentences() if span[0] <= at < span[1])


@dataclass(slots=True)
class _Word:
    form: str
    span: tuple[int, int]
    value: int | None = None
    hyphen: bool = False
    """Written together with the word before it."""


def normalise(text: str, words: Language, names: dict[int, str]) -> Speech:
    tokens = _numbers(_tokens(text, words, names), words)
    normal, starts = "", []
    for token in tokens:
        starts.append(len(normal) + bool(normal))
        normal += f"{' ' if normal else ''}{token.form}"
    for counted in (words.counted_after, words.counted_before):
        normal = counted.sub(lambda match: match[0].replace("#", "%"), normal)
    mentions = tuple(
        Mention(token.value, start)
        for token, start in zip(tokens, starts, strict=True)
        if token.value is not None and normal[start] == "#"
    )
    return Speech(text, normal, tuple(starts), tuple(token.span for token in tokens), mentions)


def _tokens(text: str, words: Language, names: dict[int, str]) -> list[_Word]:
    tokens: list[_Word] = []
    for match in TOKEN.finditer(fold(text)):
        form = "…" if match[0].startswith("..") else match[0]
        start, end = match.span()
        token = _Word(PAUSES.get(form, form), (start, end), hyphen=text[start - 1 : start] == "-")
        if form[0].isdecimal():
            token.value = _digits(form, words)
        else:
            token.value = words.numbers.get(form)
        tokens += _clitic(token, words)
    return _named(tokens, names) if names else tokens


def _clitic(token: _Word, words: Language) -> list[_Word]:
    """ "Seven's my nomination", "7's": the seat and the verb behind its apostrophe."""
    number, mark, _ = token.form.partition("'")
    value = _digits(number, words) if number.isdecimal() else words.numbers.get(number)
    if not mark or token.form[len(number) :] not in words.clitics or value is None:
        return [token]
    (start, end), cut = token.span, token.span[0] + len(number)
    return [
        _Word(number, (start, cut), value, token.hyphen),
        _Word(token.form[len(number) :], (cut, end)),
    ]


def _digits(form: str, words: Language) -> int:
    """ "4", "4e", "4-й"; "60s" is a quantity."""
    digits = form.rstrip("".join({char for char in form if not char.isdecimal()}))
    suffix = form[len(digits) :].strip("-'")
    return TENS if len(digits) > 2 or (suffix and suffix not in words.ordinal_suffixes) else int(digits)


def _named(tokens: list[_Word], names: dict[int, str]) -> list[_Word]:
    """Put the seats in the place of the players' names."""
    known = {tuple(map(_stem, re.findall(r"[^\W_]+", fold(name)))): seat for seat, name in names.items()}
    found: list[_Word] = []
    index = 0
    while index < len(tokens):
        for stems, seat in known.items():
            piece = tokens[index : index + len(stems)]
            if stems and stems == tuple(_stem(token.form) for token in piece):
                found.append(_Word("#", (piece[0].span[0], piece[-1].span[1]), seat))
                index += len(stems)
                break
        else:
            found.append(tokens[index])
            index += 1
    return found


def _stem(name: str) -> str:
    """Russian inflects names: the last vowels are not compared."""
    return name.rstrip("аяуюыиеой") if len(name) > 2 and "а" <= name[0] <= "я" else name


def _numbers(tokens: list[_Word], words: Language) -> list[_Word]:
    """Give the seats their sign; "dix-sept" and "twenty five" are no seats."""
    found: list[_Word] = []
    skip = 0
    for index, token in enumerate(tokens):
        last = found[-1] if found else _Word(".", (0, 0))
        after = [following.form for following in tokens[index + 1 : index + 3]] + [".", "."]
        if skip:
            skip -= 1
        elif skip := _counter(tokens[index:], words):
            found.append(_Word(token.form, (token.span[0], tokens[index + skip].span[1])))
        elif last.form == "#" and token.form in words.seat_nouns and tokens[index - 1].form in words.ordinals:
            found[-1] = replace(last, span=(last.span[0], token.span[1]))
        elif token.value is None:
            found.append(token)
        elif last.value is not None and (
            last.form == "%" or (token.hyphen and (last.value == 10 or token.value >= TENS))
        ):
            found[-1] = _Word("%", (last.span[0], token.span[1]), TENS)
        elif token.form in words.weak_numbers and not (
            _in_a_row(found) or _is_seat(token.form, last.form, after, words)
        ):
            found.append(_Word(token.form, token.span))
        else:
            found.append(_Word("%" if token.value >= TENS else "#", token.span, token.value))
    return found


def _counter(tokens: list[_Word], words: Language) -> int:
    """ "And the third is, well, 8": how many words after "third" bring the seat that it counts."""
    if words.counts is None or tokens[0].form not in words.counters:
        return 0
    between = words.counts.match(" ".join(token.form for token in tokens[1:COUNTED_WORDS]))
    count = len(between[0].split()) if between else 0
    counted = tokens[count + 1 : count + 2]
    return count if counted and counted[0].value is not None and counted[0].form not in words.counters else 0


def _in_a_row(found: list[_Word]) -> bool:
    """ "Four, ten, one" without a pause."""
    return len(found) > 1 and found[-1].form == found[-2].form == "#"


def _is_seat(form: str, before: str, after: list[str], words: Language) -> bool:
    """A number word that is an ordinary word too: alone, in a list, before a verb, or after one of its words."""
    if form in words.ordinals and after[0] == "," and before in ".,:?":  # "Second, number four is black"
        return False
    counted = after[0] == "," and (after[1].isdigit() or after[1] in words.numbers)
    noun = form in words.ordinals and after[0] in words.seat_nouns
    ends = after[0] in ".,:?" or any(word.isdigit() or word in words.numbers for word in after[noun:2])
    acts = before in ".,:?" and words.subject_of.fullmatch(after[0])
    in_a_list = before in ".,:?" or (before == "#" and form not in words.ordinals)
    return bool(counted or (in_a_list and ends) or acts or before in words.weak_numbers[form])
