"""A finished game as Markdown: what happened, day by day, and what was said."""

from collections.abc import Iterator, Sequence

from moderator.review import Review
from voice.captions import timestamp
from voice.dossier import Dossier
from voice.ports import Utterance
from voice.review_story import Chapter, result, story
from voice.review_words import Words

MARKUP = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>#|"})
"""What players say is text, never markup."""


def to_markdown(dossier: Dossier) -> str:
    words, review = Words(dossier.lang), dossier.review
    parts = [
        f"# {words('title', game=review.game.translate(MARKUP))}".strip(),
        result(review, words),
        _players(dossier, words),
        *map(_chapter, story(review, words)),
        *_claims(dossier, words),
        *_points(review, words),
        *_seal(review, words),
    ]
    if dossier.transcript:
        parts.append(_transcript(dossier.transcript, words))
    return "\n\n".join(parts) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _players(dossier: Dossier, words: Words) -> str:
    review = dossier.review
    left = {one.seat: one for one in review.departures}
    head = ["seat", "role", "gone", "suspects", "crown-to", "fouls", "spoke"]
    rows = []
    for seat, role in sorted(review.roles.items()):
        gone = left.get(seat)
        rows.append(
            [
                f"{seat} {dossier.names[seat].translate(MARKUP)}" if seat in dossier.names else str(seat),
                words(f"role-{role}"),
                words("gone-when", why=words(f"cause-{gone.cause}"), n=gone.day) if gone else "",
                words.seats(gone.suspects) if gone and gone.suspects else "",
                str(gone.crown or "") if gone else "",
                str(review.fouls.get(seat, 0) or ""),
                words("seconds", n=round(spoken_s(dossier)[seat])) if seat in spoken_s(dossier) else "",
                *(words.points(review.points[system].get(seat, 0)) for system in review.points),
            ]
        )
    return table([*map(words, head), *map(words.system, review.points)], rows)


def _seal(review: Review, words: Words) -> Iterator[str]:
    if review.sealed is not None:
        yield f"## {words('section-seal')}"
        yield words("seal-holds" if review.sealed.holds else "seal-broken")
        yield f"* {words('seal')} : `{review.sealed.seal}`\n* {words('seal-text')} : `{review.sealed.text}`"


def spoken_s(dossier: Dossier) -> dict[int, float]:
    """Where no words were kept, how long the floor was open."""
    return dossier.spoken_s if dossier.transcript else dossier.review.speaking_s


def _chapter(chapter: Chapter) -> str:
    return f"## {chapter.title}\n\n" + "\n".join(f"* {line.text}" for line in chapter.lines)


def _claims(dossier: Dossier, words: Words) -> Iterator[str]:
    if dossier.claims:
        rows = []
        for claim in dossier.claims:
            said = words(f"claim-{claim.kind}", **({} if claim.target is None else {"seat": claim.target}))
            truth = words("true" if claim.right else "false")
            quote = claim.quote.translate(MARKUP)
            rows.append([timestamp(dossier.transcript[claim.line].started_s), str(claim.seat), said, truth, quote])
        yield f"## {words('section-claims')}\n\n" + table(
            [words(key) for key in ("time", "seat", "claim", "truth", "words")], rows
        )


def _points(review: Review, words: Words) -> Iterator[str]:
    """Why everybody has the points he has."""
    for system, by_seat in review.lines.items():
        rows = [
            f"* {seat}: " + ", ".join(f"{words(f'points-{line.reason}')} {words.points(line.value)}" for line in lines)
            for seat, lines in sorted(by_seat.items())
            if lines
        ]
        if rows:
            yield f"## {words('points')} ({words.system(system)})\n\n" + "\n".join(rows)


def _transcript(transcript: Sequence[Utterance], words: Words) -> str:
    lines = [f"* {timestamp(one.started_s)} **{one.seat}** {one.text.translate(MARKUP)}" for one in transcript]
    return f"## {words('section-transcript')}\n\n" + "\n".join(lines)
