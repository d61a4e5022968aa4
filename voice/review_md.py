"""A finished game as Markdown: what happened, day by day, and what was said."""

from collections.abc import Iterable, Sequence

from moderator.model import Cause, Seat
from moderator.review import Ballot, Day, DecidedMotion, Departure, Lift, Night, Notice, Review
from voice.captions import timestamp
from voice.ports import Utterance

SKIPPED = {
    "no_candidates": "nobody was nominated",
    "one_candidate_day_zero": "one candidate on the first day",
    "day_zero_rule": "these rules have none on the first day",
    "cancelled": "somebody was removed",
    "everybody_tied": "everybody was tied with everybody",
    "three_of_nine": "these rules do not lift three of nine",
    "two_of_four": "these rules do not lift two of four",
}


def to_markdown(review: Review, utterances: Sequence[Utterance]) -> str:
    parts = [f"# Game {review.game}", _result(review), _players(review), *_points(review)]
    for night in review.nights:
        if night.night > 0:
            parts.append(_night(night))
        parts += [_day(day, review.departures, utterances) for day in review.days if day.day == night.night]
    if utterances:
        parts.append(_transcript(utterances))
    return "\n\n".join(parts) + "\n"


def _result(review: Review) -> str:
    if review.reason is None:
        return "The game has not ended."
    won = f"The {review.winner} won" if review.winner else "Nobody won"
    return f"{won} ({review.reason.replace('_', ' ')}) after {timestamp(review.seconds)}."


def _players(review: Review) -> str:
    left = {one.seat: one for one in review.departures}
    rows = ["| seat | role | left | testament | crown | fouls | spoke | Classic | Max Mafia |", "|" + " --- |" * 9]
    for seat, role in sorted(review.roles.items()):
        gone = left.get(seat)
        points = [f"{review.points.get(system, {}).get(seat, 0):+.2f}" for system in ("classic", "max_mafia")]
        cells = [
            str(seat),
            role.value,
            f"{gone.cause}, day {gone.day}" if gone else "",
            _seats(gone.suspects) if gone else "",
            str(gone.crown or "") if gone else "",
            str(review.fouls.get(seat, 0) or ""),
            f"{review.speaking_s.get(seat, 0):.0f} s",
            *points,
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _points(review: Review) -> list[str]:
    """Why everybody has the points he has, in the first system."""
    system = next(iter(review.lines), None)
    if system is None:
        return []
    rows = [
        f"* seat {seat}: " + ", ".join(f"{line.reason.replace('_', ' ')} {line.value:+.2f}" for line in lines)
        for seat, lines in sorted(review.lines[system].items())
        if lines
    ]
    return [f"## Points ({system.replace('_', ' ')})", "\n".join(rows)] if rows else []


def _night(night: Night) -> str:
    lines = [f"## Night {night.night}", ""]
    lines += [f"* seat {shooter} shot at {target}" for shooter, target in sorted(night.shots.items())]
    if night.don_check is not None:
        lines.append(
            f"* the Don checked {night.don_check[0]}: {'Sheriff' if night.don_check[1] else 'not the Sheriff'}"
        )
    if night.sheriff_check is not None:
        lines.append(f"* the Sheriff checked {night.sheriff_check[0]}: {'mafia' if night.sheriff_check[1] else 'town'}")
    lines.append("* nobody died" if night.killed is None else f"* {night.killed} died")
    return "\n".join(lines)


def _day(day: Day, departures: Iterable[Departure], utterances: Sequence[Utterance]) -> str:
    lines = [f"## Day {day.day}", "", f"* spoke in the order {_seats(day.order)}"]
    if day.critical:
        lines.append("* critical: the town had no right to err left")
    lines += [_notice(notice, utterances) for notice in day.notices]
    lines += [_motion(motion) for motion in day.motions]
    lines += [f"* {seat} lost the speech to a third foul" for seat in day.lost]
    lines += [f"* {by} nominated {target}" for by, target in day.nominations]
    if day.vote_skipped is not None:
        lines.append(f"* no vote: {SKIPPED[day.vote_skipped]}")
    lines += [_ballot(ballot) for ballot in day.ballots]
    if day.lift_skipped is not None:
        lines.append(f"* no lift: {SKIPPED[day.lift_skipped]}")
    lines += [_lift(lift) for lift in day.lifts]
    gone = [one for one in departures if one.day == day.day and one.cause is not Cause.SHOT]
    lines += [f"* {one.seat} left" + (f" ({one.cause.replace('_', ' ')})" if one.cause.removal else "") for one in gone]
    return "\n".join(lines)


def _notice(notice: Notice, utterances: Sequence[Utterance]) -> str:
    """With the words, as long as the transcript is kept."""
    spoken = [one for one in utterances if one.seat == notice.seat and one.ended_s <= notice.at]
    words = f': "{max(spoken, key=lambda one: one.ended_s).text}"' if spoken else ""
    return f"* noticed, seat {notice.seat}: {', '.join(notice.offences)}{words}"


def _motion(motion: DecidedMotion) -> str:
    against = f" against {motion.accused}" if motion.accused is not None else ""
    result = "void" if motion.void else "carried" if motion.carried else "rejected"
    who = f"by {motion.by}" if motion.by is not None else "by the moderator"
    return f"* motion {who}: {motion.kind.replace('_', ' ')}{against}, {result}"


def _lift(lift: Lift) -> str:
    yes = [seat for seat, vote in lift.votes.items() if vote]
    return (
        f"* lift of {_seats(lift.candidates)}: for {_seats(yes) or 'nobody'}, {len(yes)} of {len(lift.votes)}; "
        f"{'all left' if lift.lifted else 'all stayed'}"
    )


def _ballot(ballot: Ballot) -> str:
    if ballot.sole:
        return f"* {ballot.leaders[0]} was the only candidate"
    counts = []
    for candidate in ballot.candidates:
        voters = [f"{v}*" if v in ballot.defaults else str(v) for v, c in ballot.votes.items() if c == candidate]
        counts.append(f"against {candidate}: {', '.join(voters) or 'nobody'}")
    star = " (* did not answer)" if ballot.defaults else ""
    return f"* ballot {ballot.round}: {'; '.join(counts)}{star}"


def _transcript(utterances: Sequence[Utterance]) -> str:
    spoken = sorted(utterances, key=lambda one: one.started_s)
    return "## Transcript\n\n" + "\n".join(f"* {timestamp(one.started_s)} **{one.seat}** {one.text}" for one in spoken)


def _seats(seats: Iterable[Seat]) -> str:
    return ", ".join(map(str, seats))
