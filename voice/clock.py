"""Game time: the real one, and one that tests turn by hand."""

import asyncio
import time


class RealClock:
    """Seconds since the game began, monotonic. A resumed game goes on from its last stored moment."""

    def __init__(self, start_s: float = 0.0) -> None:
        self.start_at(start_s)

    def start_at(self, now_s: float) -> None:
        self._zero_s = time.monotonic() - now_s

    def now(self) -> float:
        return time.monotonic() - self._zero_s

    async def sleep_until(self, at_s: float) -> None:
        await asyncio.sleep(max(0.0, at_s - self.now()))


class VirtualClock:
    """Time stands still until `advance`; sleepers wake in the order of their moments."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def start_at(self, now_s: float) -> None:
        self._now_s = now_s

    def now(self) -> float:
        return self._now_s

    async def sleep_until(self, at_s: float) -> None:
        if at_s <= self._now_s:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        self._count += 1
        self._sleepers.append((at_s, self._count, future))
        await future

    async def advance(self, seconds: float, settle: int = 12) -> None:
        """Move on by `seconds`, letting everybody who wakes on the way run (`settle` turns of the loop each)."""
        end_s = self._now_s + seconds
        while True:
            for _ in range(settle):
                await asyncio.sleep(0)
            self._sleepers = [sleeper for sleeper in self._sleepers if not sleeper[2].done()]
            due = sorted(sleeper[:2] for sleeper in self._sleepers if sleeper[0] <= end_s)
            if not due:
                break
            self._now_s = max(self._now_s, due[0][0])
            for at_s, _, future in sorted(self._sleepers, key=lambda sleeper: sleeper[:2]):
                if at_s <= self._now_s and not future.done():
                    future.set_result(None)
        self._now_s = end_s
