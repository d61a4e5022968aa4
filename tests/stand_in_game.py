"""A game process for tests of what keeps it alive: `python stand_in_game.py HOME GAME WHAT...`.

Its n-th life does the n-th WHAT, and all further lives the last: an exit code, `open` (open booths, wait), `play`
(open booths, store a first event, wait), or `hold` (as `play`, with the lease of the game, in the store that
STAND_IN_STORE names). Each life writes a line to HOME/lives.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

STOPPED = 143
LEASE_S = 1.0


async def begin(where: Path, game: str) -> None:
    from moderator.events import GameOpened
    from moderator.rules import Rules
    from voice.store_sql import SqlStore

    store = SqlStore(where)
    if not await store.events(game):
        await store.append(game, 0, [GameOpened(at=0, game=game, rules=Rules())])
    await store.close()


async def hold(home: Path, game: str, number: int) -> None:
    """Every life appends an event, which tells it from the others."""
    from moderator.events import GameOpened, NightBegan
    from moderator.rules import Rules
    from voice.lease import leased
    from voice.store_sql import SqlStore

    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    store = SqlStore(os.environ["STAND_IN_STORE"])
    async with leased(store, game, LEASE_S):
        if number == 1:
            await store.append(game, 0, [GameOpened(at=0, game=game, rules=Rules())])
        stored = len(await store.events(game))
        await store.append(game, stored, [NightBegan(at=stored, night=number)])
        open_booths(home, number)
        await stopped.wait()
    await store.close()


def open_booths(home: Path, number: int) -> None:
    if not (home / "booths.json").exists():
        (home / "booths.part").write_text(
            json.dumps({listener: f"booth-{number}-{listener}" for listener in range(11)})
        )
        (home / "booths.part").rename(home / "booths.json")
    (home / "tickets.json").write_text("[]")


def main(home: Path, game: str, *lives: str) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))
    with (home / "lives").open("a") as lived:
        lived.write(f"{os.getpid()}\n")
    number = len((home / "lives").read_text().splitlines())
    what = lives[min(number, len(lives)) - 1]
    if what.isdecimal():
        return int(what)
    if what == "play":
        asyncio.run(begin(home / "moderator.db", game))
    if what == "hold":
        asyncio.run(hold(home, game, number))
        return STOPPED
    (home / "booths.json").unlink(missing_ok=True)
    open_booths(home, number)
    signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
