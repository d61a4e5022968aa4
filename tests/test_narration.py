"""Every event has its words, in every language, and they give nothing away."""

import re
from typing import get_args

import pytest
from fluent.syntax import FluentParser, ast

from moderator import events as ev
from moderator import narration
from moderator.model import (
    SEATS,
    Cause,
    Motion,
    MotionKind,
    Offence,
    Phase,
    RefusalCode,
    Role,
    Step,
    StepKind,
    Team,
)
from moderator.narration import Arg, Cue, Priority, cues
from moderator.queries import Query, answer, how
from moderator.rules import Rules
from moderator.state import GameState
from moderator.view import audience, view
from voice import practice
from voice.config import data_path
from voice.earcons import Earcon
from voice.phrasebook import DETAILS, Phrasebook
from voice.ports import Lang, Setting

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")
KINDS = get_args(get_args(ev.Event)[0])
ROLES = dict(zip(SEATS, [Role.DON, Role.MAFIOSO, Role.MAFIOSO, Role.SHERIFF, *[Role.CIVILIAN] * 6], strict=True))
SAID: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((f"rate-{what}" for what in ("slower", "faster", "slowest", "fastest", "usual")), ()),
    **dict.fromkeys((f"detail-{detail}" for detail in DETAILS), ()),
    **dict.fromkeys((f"sounds-{what}" for what in ("louder", "softer", "loudest", "off", "later")), ()),
    **dict.fromkeys(("voice-changed", "voice-only", "answer-microphone-open"), ()),
    **dict.fromkeys(("break-wanted", "break-not-now", "break-none"), ()),
    **dict.fromkeys(("break-asked", "break-over"), ("votes", "needed")),
    "break-call": ("seconds",),
}
"""Sentence -> its parameters, of those that settings and breaks are answered with."""
LONGEST_WORDS = 14
"""A call is said in about two seconds; lists of seats may be longer."""


def speaking(seat: int) -> GameState:
    return GameState(step=Step(kind=StepKind.SPEECH, seat=seat))


def examples(seat: int) -> list[ev.Event]:
    """Every kind of event, with every branch that has words of its own, about `seat`."""
    other = seat % 10 + 1
    third = other % 10 + 1
    steps = [
        Step(kind=kind, seat=seat, candidates=(seat, other), round=number, duration_s=seconds)
        for kind in StepKind
        for number, seconds in ((1, 25), (2, 60))
    ]
    made: list[ev.Event] = [
        ev.GameOpened(at=1.0, game="g", rules=Rules()),
        ev.DealSealed(at=1.0, seal="5ea1", salt="5a17"),
        ev.RoleDealt(at=1.0, seat=seat, role=Role.CIVILIAN),
        ev.RoleDealt(at=1.0, seat=seat, role=Role.SHERIFF),
        ev.RoleDealt(at=1.0, seat=seat, role=Role.MAFIOSO, mates={other: Role.DON, third: Role.MAFIOSO}),
        ev.RoleDealt(at=1.0, seat=seat, role=Role.DON, mates={other: Role.MAFIOSO, third: Role.MAFIOSO}),
        *(ev.StepCalled(at=1.0, step=step) for step in steps),
        ev.StepCalled(at=1.0, step=Step(kind=StepKind.SPEECH, seat=seat, duration_s=10, lost=True)),
        *(ev.StepOpened(at=1.0, kind=kind, ends_at=2) for kind in StepKind),
        *(
            ev.StepClosed(at=1.0, kind=kind, seat=seat, by=by)
            for kind in StepKind
            for by in ("time", "player", "complete")
        ),
        ev.TimeWarned(at=1.0, seat=seat, left_s=10),
        ev.TimeCredited(at=1.0, seconds=2, ends_at=9),
        ev.DayBegan(at=1.0, day=0, order=(seat, other)),
        ev.DayBegan(at=1.0, day=3, order=(seat, other)),
        ev.SpeechLost(at=1.0, seat=seat),
        ev.Nominated(at=1.0, by=other, target=seat),
        ev.NominationWithdrawn(at=1.0, by=other, target=seat),
        *(
            ev.VoteSkipped(at=1.0, reason=reason)
            for reason in ("no_candidates", "one_candidate_day_zero", "day_zero_rule")
        ),
        *(ev.BallotCast(at=1.0, seat=seat, target=other, default=default) for default in (True, False)),
        ev.BallotCounted(
            at=1.0, round=1, candidates=(seat, other), votes=dict.fromkeys(SEATS, seat), leaders=(seat,), sole=True
        ),
        ev.BallotCounted(
            at=1.0,
            round=1,
            candidates=(seat, other),
            votes={s: seat if s % 2 else other for s in SEATS},
            defaults=(seat,),
            leaders=(seat, other),
        ),
        *(ev.LiftCast(at=1.0, seat=seat, lift=lift) for lift in (True, False)),
        *(
            ev.LiftDecided(
                at=1.0, candidates=(seat, other), votes={s: s > 3 for s in SEATS}, defaults=(1,), lifted=lifted
            )
            for lifted in (True, False)
        ),
        *(
            ev.LiftSkipped(at=1.0, candidates=(seat, other), reason=reason)
            for reason in ("everybody_tied", "three_of_nine", "two_of_four")
        ),
        *(ev.PlayerLeft(at=1.0, seat=seat, cause=cause, day=1) for cause in Cause),
        ev.TestamentGiven(at=1.0, by=other, suspects=(seat, third)),
        ev.TestamentGiven(at=1.0, by=seat, suspects=()),
        ev.CrownGiven(at=1.0, by=other, to=seat),
        ev.NightBegan(at=1.0, night=0),
        ev.NightBegan(at=1.0, night=2),
        ev.ShotFired(at=1.0, seat=other, target=seat),
        *(ev.DonChecked(at=1.0, seat=other, target=seat, sheriff=found) for found in (True, False)),
        *(ev.SheriffChecked(at=1.0, seat=other, target=seat, mafia=found) for found in (True, False)),
        ev.NightEnded(at=1.0, night=1, killed=seat),
        ev.NightEnded(at=1.0, night=1, killed=None),
        ev.OrderSet(at=1.0, order=(seat, other)),
        ev.VoteCancelled(at=1.0),
        ev.BallotCast(at=1.0, seat=seat, target=other, public=True),
        *(ev.LiftCast(at=1.0, seat=seat, lift=lift, public=True) for lift in (True, False)),
        ev.FarewellLost(at=1.0, seat=seat, cause=Cause.DISQUALIFIED),
        *(ev.Fouled(at=1.0, seat=seat, count=count, costs_speech=count % 3 == 0) for count in (1, 2, 3, 6)),
        ev.Fouled(at=1.0, seat=seat, count=1, reason="warning"),
        ev.TechnicalFouled(at=1.0, seat=seat, count=1),
        *(ev.Noticed(at=1.0, seat=seat, offences=(offence,)) for offence in Offence),
        *(
            ev.MotionOpened(at=1.0, motion=Motion(kind=kind, by=other, accused=accused, opened_at=1, ends_at=9))
            for kind in MotionKind
            for accused in ((seat, None) if kind is MotionKind.STOP else (seat,))
        ),
        ev.MotionVoteCast(at=1.0, seat=seat, yes=True),
        *(
            ev.MotionDecided(
                at=1.0, kind=MotionKind.STOP, by=1, accused=seat, votes={}, electorate=SEATS, carried=carried, void=void
            )
            for carried, void in ((True, False), (False, False), (False, True))
        ),
        *(ev.SignalGiven(at=1.0, seat=seat, signal=signal.name) for signal in Rules().signals),
        ev.WentAbsent(at=1.0, seat=seat, removed_at=16),
        ev.CameBack(at=1.0, seat=seat),
        ev.InterpellationOpened(at=1.0, seat=seat, ends_at=6),
        ev.InterpellationClosed(at=1.0, seat=other),
        ev.Suspended(at=1.0),
        ev.Resumed(at=1.0, pause_s=3),
        ev.GameEnded(at=1.0, winner=Team.TOWN, reason="mafia_gone"),
        ev.GameEnded(at=1.0, winner=Team.MAFIA, reason="parity"),
        ev.GameEnded(at=1.0, winner=None, reason="quiet_draw"),
        ev.GameEnded(at=1.0, winner=Team.TOWN, reason="stalemate"),
        *(ev.GameEnded(at=1.0, winner=team, reason="opponent_victory", culprit=seat) for team in Team),
        ev.GameEnded(at=1.0, winner=None, reason="stopped"),
        ev.RolesRevealed(at=1.0, roles=ROLES),
        ev.Scored(at=1.0, points={"classic": {s: float(s == seat) for s in SEATS}}),
    ]
    return made


def replies(seat: int) -> list[Cue]:
    """What the shell says of its own accord, about `seat`."""
    other = seat % 10 + 1
    kinds = (StepKind.BALLOT, StepKind.SHOTS, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK)
    refusals = [
        narration.refused(code, to, target) for code in RefusalCode for to in (seat, None) for target in (seat, None)
    ]
    return [
        *(narration.echo(kind, other, seat) for kind in kinds),
        *(narration.ask_answer(kind, other, seat) for kind in kinds),
        *(narration.echo_lift(seat, lift=lift) for lift in (True, False)),
        *(narration.ask_lift(seat, lift=lift) for lift in (True, False)),
        narration.ask_nomination(seat),
        narration.ask_withdrawal(seat),
        narration.ask_testament((seat, other), None),
        narration.ask_testament((), seat),
        narration.ask_testament((other,), seat),
        *(narration.ask_motion(other, kind, seat) for kind in MotionKind),
        narration.ask_motion(other, MotionKind.STOP, None),
        narration.ask_give_up(other),
        narration.say_the_number(seat),
        narration.say_yes_or_no(seat),
        narration.nothing_noted(None),
        narration.waiting(set(SEATS) - {seat}),
        narration.check_headphones(seat),
        *narration.welcome_back(GameState(roles=dict.fromkeys(SEATS, Role.CIVILIAN)), seat),
        narration.NO_MODEL,
        narration.THINKING,
        narration.RECORDED,
        narration.WATCHED,
        narration.NOT_STORED,
        *(cue for cue in refusals if cue is not None),
    ]


def asked_for(seat: int) -> list[Cue]:
    """What is said to `seat` because it asked, or has set: every branch that has words of its own."""
    other = seat % 10 + 1
    deals = [{one: ROLES[(one - seat + first) % 10 + 1] for one in SEATS} for first in (0, 1, 3, 9)]
    """The seat is the Don, a mafioso, the Sheriff, a citizen."""
    motion = Motion(kind=MotionKind.STOP, by=other, accused=None, opened_at=0, ends_at=9)
    steps = [
        Step(kind=kind, seat=whose, candidates=candidates, duration_s=25, opened_at=0, ends_at=25)
        for kind in StepKind
        for whose in ((seat, other) if kind.spoken else (None,))
        for candidates in ((seat, other), ())
    ]
    days = [GameState(phase=Phase.DAY, roles=roles, alive=SEATS, step=step) for step in steps for roles in deals]
    states = [
        GameState(),
        GameState(phase=Phase.OVER),
        *days,
        *(
            state.but(phase=Phase.NIGHT, checks=((seat, other, found),))
            for state in days[:4]
            for found in (True, False)
        ),
        days[0].but(motion=motion, suspended_at=4.0, nominations=((other, seat),), checks=((seat, other, False),)),
        days[0].but(interpellation=(other, 6.0), alive=(seat, other)),
    ]
    said = {
        repr(cue): cue
        for state in states
        for rules in (Rules(), Rules(lift_default="for", say_nominees=False))
        for query in Query
        for cue in (*answer(query, view(state, seat), rules, 3.0), *how(view(state, seat), rules))
    }
    fitting = {"seat": seat, "seconds": 25, "votes": 2, "needed": 6}
    return list(said.values()) + [Cue(key, {name: fitting[name] for name in names}) for key, names in SAID.items()]


def all_cues(seat: int) -> list[Cue]:
    told = [cue for event in examples(seat) for cue in cues(event, speaking(seat), speaking(seat))]
    return [*told, *replies(seat), *asked_for(seat)]


def sentences(lang: Lang, name: str = "narration") -> dict[str, set[str]]:
    """Key -> the parameters that its sentence takes."""

    def variables(node: object) -> set[str]:
        if isinstance(node, ast.VariableReference):
            return {node.id.name}
        if isinstance(node, ast.BaseNode):
            return {name for value in vars(node).values() for name in variables(value)}
        return {name for item in node for name in variables(item)} if isinstance(node, list) else set()

    body = FluentParser().parse(data_path("prompts", f"{name}.{lang}.ftl").read_text(encoding="utf-8")).body
    assert not [entry for entry in body if isinstance(entry, ast.Junk)]
    messages = [entry for entry in body if isinstance(entry, ast.Message)]
    assert len({message.id.name for message in messages}) == len(messages), "a key stands twice"
    return {message.id.name: variables(message) for message in messages}


def test_every_kind_of_event_is_told() -> None:
    assert {type(event) for event in examples(1)} == set(KINDS)
    for event in examples(1):
        cues(event, speaking(2), speaking(2))


def test_every_language_has_the_same_sentences_with_the_same_parameters() -> None:
    french = sentences("fr")
    assert sentences("en") == french
    assert sentences("ru") == french


def test_no_sentence_is_missing_and_none_is_left_over() -> None:
    used = {cue.key for cue in all_cues(1)} | {f"sound-{which}" for which in Earcon} | set(practice.LESSON)
    assert used == set(sentences("fr"))


@pytest.mark.parametrize("lang", LANGS)
def test_another_setting_changes_words_and_nothing_else(lang: Lang) -> None:
    """Rule S24."""
    scenery, plain = sentences(lang, "loup-garou"), sentences(lang)
    assert scenery == {key: plain[key] for key in scenery}
    assert scenery.keys() == sentences("fr", "loup-garou").keys()
    book = Phrasebook(lang, "loup-garou")
    said = " ".join(book.render(cue.key, cue.args) for cue in all_cues(4))
    assert not re.search(r"mafi|\bville\b|citoyen|town|citizen|мафи|город|мирны", said, re.IGNORECASE)
    for key in scenery:
        assert any(cue.key == key for cue in all_cues(4)), key


@pytest.mark.parametrize("setting", ["mafia", "loup-garou"])
@pytest.mark.parametrize("lang", LANGS)
def test_every_sentence_for_every_seat_is_said_in_letters(lang: Lang, setting: Setting) -> None:
    book, parameters = Phrasebook(lang, setting), sentences(lang)
    for cue in {(cue.key, *cue.args.values()): cue for seat in SEATS for cue in all_cues(seat)}.values():
        assert set(cue.args) == parameters[cue.key], cue.key
        for text in {book.render(cue.key, cue.args, detail) for detail in DETAILS}:
            assert not re.search(r"[\d{}$№]|\bn°", text), text
            assert text[-1] in ".?", text
            assert "  " not in text, text


@pytest.mark.parametrize("setting", ["mafia", "loup-garou"])
@pytest.mark.parametrize("lang", LANGS)
def test_calls_are_short(lang: Lang, setting: Setting) -> None:
    book = Phrasebook(lang, setting)
    for cue in all_cues(7):
        if not any(isinstance(value, tuple) for value in cue.args.values()):
            assert len(book.render(cue.key, cue.args).split()) <= LONGEST_WORDS, cue.key


@pytest.mark.parametrize("setting", ["mafia", "loup-garou"])
@pytest.mark.parametrize("lang", LANGS)
def test_no_two_sentences_sound_the_same(lang: Lang, setting: Setting) -> None:
    book = Phrasebook(lang, setting)
    said: dict[str, str] = {}
    for cue in all_cues(3):
        text = book.render(cue.key, cue.args)
        assert said.setdefault(text, cue.key) == cue.key, text


@pytest.mark.parametrize(
    ("lang", "key", "args", "text"),
    [
        ("fr", "speech-call", {"seat": 1, "seconds": 25}, "Numéro un, à vous : vingt-cinq secondes."),
        ("fr", "meeting-call", {"seconds": 61}, "La mafia se concerte : une minute une seconde."),
        ("fr", "ballot-list", {"seats": (4, 7, 2)}, "Sont au vote, dans l'ordre : le quatre, le sept et le deux."),
        ("fr", "count", {"seat": 8, "votes": 1, "seats": (9,)}, "Contre le huit, une voix : le neuf."),
        (
            "en",
            "count",
            {"seat": 8, "votes": 2, "seats": (9, 1)},
            "Against number eight, two votes: number nine and number one.",
        ),
        ("ru", "count", {"seat": 3, "votes": 2, "seats": (1, 5)}, "Против третьего два голоса: первый и пятый."),
        ("ru", "count", {"seat": 3, "votes": 5, "seats": (1,)}, "Против третьего пять голосов: первый."),
        ("ru", "time-warning", {"seconds": 22}, "Двадцать две секунды."),
        ("fr", "morning", {"seat": 6}, "Le jour se lève. Le six est mort cette nuit."),
    ],
)
def test_numbers_agree_with_their_words(lang: Lang, key: str, args: dict[str, Arg], text: str) -> None:
    assert Phrasebook(lang).render(key, args) == text


def test_a_wrong_call_is_an_error() -> None:
    book = Phrasebook("fr")
    with pytest.raises(KeyError, match="no-such-sentence"):
        book.render("no-such-sentence", {})
    with pytest.raises(ValueError, match="nominated"):
        book.render("nominated", {})


def test_what_is_private_is_whispered_to_its_seat_and_the_rest_said_aloud() -> None:
    for event in examples(4):
        for cue in cues(event, speaking(4), speaking(4)):
            assert cue.audience == audience(event), event


def test_no_public_sentence_before_the_end_holds_a_role() -> None:
    """Two worlds: what the table hears does not change when roles do."""
    other = GameState(roles=dict(zip(SEATS, reversed(list(ROLES.values())), strict=True)))
    one = GameState(roles=ROLES)
    for event in examples(4):
        assert cues(event, one, one) == cues(event, other, other), event


def test_the_night_sounds_the_same_whoever_is_alive() -> None:
    kinds = (StepKind.SHOTS, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK)
    for kind in kinds:
        event = ev.StepCalled(at=0, step=Step(kind=kind, duration_s=5))
        told = {
            repr(cues(event, state, state)) for state in (GameState(alive=SEATS, roles=ROLES), GameState(alive=(5, 6)))
        }
        assert len(told) == 1


def test_a_miss_says_nothing_of_how_it_was_missed() -> None:
    (cue,) = cues(ev.NightEnded(at=0, night=2, killed=None), GameState(), GameState())
    assert cue == Cue("morning-miss", {})


def test_the_count_names_each_voter_once_and_defaults_as_defaults() -> None:
    votes = {1: 4, 2: 4, 3: 7, 4: 7, 5: 7}
    event = ev.BallotCounted(at=0, round=1, candidates=(4, 7), votes=votes, defaults=(4, 5), leaders=(7,))
    assert [(cue.key, cue.args) for cue in cues(event, GameState(), GameState())] == [
        ("count", {"seat": 4, "votes": 2, "seats": (1, 2)}),
        ("count", {"seat": 7, "votes": 1, "seats": (3,)}),
        ("count-defaults", {"seat": 7, "seats": (4, 5)}),
    ]


def test_an_already_nominated_seat_is_passed_in_silence() -> None:
    assert narration.refused(RefusalCode.ALREADY_NOMINATED, 3, 4) is None


def test_order_at_the_table_goes_first() -> None:
    (cue,) = cues(ev.Fouled(at=0, seat=3, count=1), GameState(), GameState())
    assert cue.priority is Priority.NOW
