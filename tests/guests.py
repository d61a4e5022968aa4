"""Ten guests in a process of their own: `python guests.py TICKETS` joins, waits until the room is closed, leaves.

Ends with 0 when the library has survived that.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from voice.client_livekit import Player
from voice.ports import RATE_HZ


async def visit(ticket: dict[str, Any]) -> None:
    guest = Player(lambda _frame: None, lambda _message: None)
    await guest.join(ticket["url"], ticket["token"])
    guest.say(np.zeros(RATE_HZ, dtype=np.int16))
    await guest.left.wait()
    await guest.leave()


async def main() -> None:
    await asyncio.gather(*(visit(ticket) for ticket in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
    await asyncio.sleep(0.5)


if __name__ == "__main__":
    asyncio.run(main())
