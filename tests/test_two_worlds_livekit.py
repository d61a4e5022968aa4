"""What a town client receives at night, on a real server, does not depend on who the mafia are.

Two real games with the same script, side by side, in which the same civilian listens and all mafiosi, the Don and the
Sheriff are others. Compared is all that reaches his client in the first night and the next: messages with their sizes
and times, the energy of the sound, the sizes and times of the packets, what the server signals. Sound is encoded anew
each time, and a machine is never equally busy twice: hence tolerances, each below what the leaks planted here change.
The real games need a machine with nothing else to do, and are played only when asked for (`make game`).
"""

import asyncio
import copy
from pathlib import Path

import numpy as np
import pytest
from worlds_kit import NIGHTS, Received, differences, other_deal, world

from moderator.model import SEATS, Role
from voice.game import draw_roles

SEED = 1


def made_up(chance_seed: int) -> Received:
    """A night as it is: 50 packets a second of about 160 bytes, soft noise, a line of the narrator at its edges."""
    from voice.bench_players import Told
    from voice.wire import Line, Table

    chance = np.random.default_rng(chance_seed)
    received = Received(3)
    at_s = 0.0
    for key in [*NIGHTS, *NIGHTS.values()]:
        if any(told.key == key for told in received.told):
            continue
        received.told.append(Told(at_s, 3, Line(key=key, text="."), 120))
        received.told.append(Told(at_s + 1, 3, Table(phase="night", day=0), 150))
        at_s += 8.0
    times_s = np.arange(0, at_s, 0.02) + chance.normal(0, 0.002, int(np.ceil(at_s / 0.02)))
    received.packets = [(float(one), int(160 + chance.normal(0, 6))) for one in sorted(times_s)]
    received.energies = [(float(one), 900.0 + chance.normal(0, 30)) for one in times_s]
    return received


def test_two_nights_alike_do_not_differ() -> None:
    assert differences(made_up(1), made_up(2)) == []


@pytest.mark.parametrize("what", ["a message", "a longer message", "sound", "silence", "fewer packets", "late packets"])
def test_a_leak_is_seen(what: str) -> None:
    one, other = made_up(1), made_up(2)
    leaky = copy.deepcopy(other)
    if what == "a message":
        leaky.told.insert(1, leaky.told[1])
    elif what == "a longer message":
        leaky.told[1] = type(leaky.told[1])(1.0, 3, leaky.told[1].message, 190)
    elif what == "sound":
        leaky.energies = [(at_s, energy * (10 if 2 < at_s < 6 else 1)) for at_s, energy in leaky.energies]
    elif what == "silence":
        leaky.packets = [(at_s, 3 if 2 < at_s < 6 else size) for at_s, size in leaky.packets]
    elif what == "fewer packets":
        leaky.packets = [packet for number, packet in enumerate(leaky.packets) if number % 10]
    else:
        leaky.packets = [(at_s + (number % 2) * 0.015, size) for number, (at_s, size) in enumerate(leaky.packets)]
    assert differences(one, other) == []
    assert differences(one, leaky) != []


@pytest.mark.game
@pytest.mark.real
@pytest.mark.livekit
@pytest.mark.timeout(400)
async def test_what_the_town_receives_at_night_does_not_tell_who_the_mafia_are(tmp_path: Path) -> None:
    witness = next(seat for seat in SEATS if draw_roles(SEED)[seat] is Role.CIVILIAN)
    seeds = {"one": SEED, "other": other_deal(SEED, witness)}
    one, other = await asyncio.gather(*(world(tmp_path / name, seed, witness) for name, seed in seeds.items()))
    assert differences(one, other) == []
