"""Lost lines: who is told, who is removed when, and what is nobody's fault but the service's."""

import pytest
from kit import QUICK, Kit

from moderator.events import CameBack, PlayerLeft, Resumed, StepOpened, Suspended, WentAbsent
from moderator.model import Cause, Seat, StepKind
from voice.wire import Asked, Caption, Closed, Line

NO_PAUSE = QUICK.model_copy(update={"reconnection_pauses": 0})


def nobody_answers(seat: Seat, message: Line | Caption | Asked | Closed) -> None:
    return None


def cut(kit: Kit, seat: Seat, at_s: float, until_s: float | None = None) -> None:
    """The line of the seat falls silent at `at_s`; until then the last sign of life is 'now'."""

    async def do() -> None:
        await kit.clock.sleep_until(at_s)
        kit.room.silent[seat] = kit.clock.now()
        if until_s is not None:
            await kit.clock.sleep_until(until_s)
            del kit.room.silent[seat]
            kit.room.joins[seat] += 1

    kit._start(do())


async def test_a_lost_line_is_told_after_five_seconds_and_removed_after_fifteen() -> None:
    kit = Kit(nobody_answers, rules=NO_PAUSE)
    cut(kit, 7, at_s=20.0)
    await kit.play(45)
    (absent,) = kit.of(WentAbsent)
    (left,) = kit.of(PlayerLeft)
    assert absent.seat == 7
    assert absent.at == pytest.approx(25.0, abs=0.5)
    assert (left.seat, left.cause) == (7, Cause.ABSENT)
    assert left.at == pytest.approx(35.0, abs=0.5)
    assert "Numéro sept, ligne coupée." in kit.room.lines(3)


async def test_who_comes_back_is_told_his_role_and_what_is_asked_and_gains_no_time() -> None:
    def asked_in_vain(seat: Seat, message: Line | Caption | Asked | Closed) -> None:
        if isinstance(message, Asked) and message.what == StepKind.SPEECH:
            asked.append((seat, kit.clock.now(), message.time_s))

    asked: list[tuple[Seat, float, float]] = []
    kit = Kit(asked_in_vain)
    cut(kit, 1, at_s=20.0, until_s=31.0)
    await kit.play(60)
    opened = next(event for event in kit.of(StepOpened) if event.ends_at - event.at == QUICK.speech_s)
    assert opened.at < 20, "the first speech is running"
    (suspended,), (resumed,) = kit.of(Suspended), kit.of(Resumed)
    assert (suspended.waits_for, [event.seat for event in kit.of(CameBack)]) == (1, [1])
    assert resumed.at == pytest.approx(31, abs=0.5)
    (_, first_s, whole_s), (_, again_s, left_s) = [entry for entry in asked if entry[0] == 1]
    assert whole_s == pytest.approx(QUICK.speech_s, abs=0.1)
    assert left_s == pytest.approx(whole_s - (suspended.at - first_s), abs=0.5), "what he spoke is spent, no more"
    assert again_s >= resumed.at
    assert kit.room.keys(1).count("role-don") == 2
    assert kit.room.lines(1).count("Vous êtes de retour, place un.") == 1
    assert not any("welcome-back" in kit.room.keys(seat) for seat in range(2, 11)), "nobody else is told"


async def test_a_page_loaded_anew_is_welcomed_without_a_word_to_the_others() -> None:
    kit = Kit(nobody_answers)
    cut(kit, 4, at_s=20.0, until_s=22.0)
    await kit.play(30)
    assert not kit.of(WentAbsent)
    assert kit.room.keys(4).count("role-sheriff") == 2
    assert not any("welcome-back" in kit.room.keys(seat) for seat in (1, 2, 3, 5))


@pytest.mark.parametrize("fault", ["most lines at once", "our own side"])
async def test_nobody_is_removed_for_a_fault_of_the_service(fault: str) -> None:
    kit = Kit(nobody_answers)

    async def fail() -> None:
        await kit.clock.sleep_until(20.0)
        if fault == "our own side":
            kit.room.ours = False
        for seat in range(1, 11):
            kit.room.silent[seat] = 20.0
        await kit.clock.sleep_until(80.0)
        kit.room.ours = True
        kit.room.silent.clear()

    kit._start(fail())
    await kit.play(120)
    assert not kit.of(PlayerLeft)
    assert not kit.of(WentAbsent)
    (suspended,), (resumed,) = kit.of(Suspended), kit.of(Resumed)
    assert 20 <= suspended.at <= 25.5
    assert resumed.at == pytest.approx(80, abs=0.5)


@pytest.mark.parametrize(("back_at", "goes_on_at"), [(81.5, 81.5), (200.0, 84.0)])
async def test_who_lost_his_line_by_the_service_is_waited_for_a_while(back_at: float, goes_on_at: float) -> None:
    kit = Kit(nobody_answers)

    async def fail() -> None:
        await kit.clock.sleep_until(20.0)
        kit.room.ours = False
        kit.room.silent[4] = 20.0
        await kit.clock.sleep_until(80.0)
        kit.room.ours = True
        await kit.clock.sleep_until(back_at)
        kit.room.silent.clear()

    kit._start(fail())
    await kit.play(90)
    (resumed,) = kit.of(Resumed)
    assert resumed.at == pytest.approx(goes_on_at, abs=0.5)


async def test_a_service_that_stood_still_gives_the_time_back() -> None:
    kit = Kit(nobody_answers)

    async def stand_still() -> None:
        await kit.clock.sleep_until(20.0)
        kit.clock.start_at(50.0)  # nobody woke meanwhile

    kit._start(stand_still())
    await kit.play(80)
    (suspended,), (resumed,) = kit.of(Suspended), kit.of(Resumed)
    assert resumed.pause_s == pytest.approx(30, abs=0.5)
    assert resumed.at - suspended.at == pytest.approx(resumed.pause_s)
    assert not kit.of(WentAbsent)
    first, second = [event for event in kit.of(StepOpened) if event.ends_at - event.at == QUICK.speech_s][:2]
    assert second.at > first.ends_at + 29, "the first speech had its whole time"


async def test_a_mafioso_who_joins_again_in_the_meeting_changes_no_public_time() -> None:
    async def opened(silent: bool) -> list[float]:
        kit = Kit(nobody_answers, rules=NO_PAUSE)
        if silent:
            cut(kit, 2, at_s=9.0, until_s=12.0)
        await kit.play(40)
        return [event.at for event in kit.of(StepOpened)]

    assert await opened(silent=True) == await opened(silent=False)
