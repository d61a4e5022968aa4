"""Long work is done beside the sound in a game, and at once where time is virtual."""

import asyncio
import threading

from voice.clock import RealClock, VirtualClock


async def test_the_sound_goes_on_while_a_sentence_is_read() -> None:
    """The work waits for a frame, which nobody could send if it held the loop."""
    frame_sent = threading.Event()
    asyncio.get_running_loop().call_later(0.02, frame_sent.set)
    assert await RealClock().aside(lambda: frame_sent.wait(10))


async def test_in_virtual_time_long_work_takes_none_and_no_thread() -> None:
    clock = VirtualClock()
    assert await clock.aside(threading.current_thread) is threading.current_thread()
    assert clock.now() == 0
