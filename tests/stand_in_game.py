"""A game process for tests of what keeps it alive: `python stand_in_game.py HOME GAME WHAT...`.

Its n-th life does the n-th WHAT, and all further lives the last: an exit code, `open` (open booths, wait), or `play`
(open booths, store a first event, wait). Each life writes a line to HOME/lives.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

STOPPED = 143


async def begin(home: Path, game: str) -> None:
    from moderator.events import GameOpened
    from moderator.rules import Rules
    from voice.store_sql import SqlStore

    store = SqlStore(home / "moderator.db")
    if not await store.events(game):
        await store.append(game, 0, [GameOpened(at=0, game=game, rules=Rules())])
    await store.close()


def main(home: Path, game: str, *lives: str) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))
    with (home / "lives").open("a") as lived:
        lived.write(f"{os.getpid()}\n")
    number = len((home / "lives").read_text().splitlines())
    what = lives[min(number, len(lives)) - 1]
    if what.isdecimal():
        return int(what)
    if what == "play":
        asyncio.run(begin(home, game))
    (home / "booths.part").write_text(json.dumps({listener: f"booth-{number}-{listener}" for listener in range(11)}))
    (home / "booths.part").rename(home / "booths.json")
    (home / "tickets.json").write_text("[]")
    signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
