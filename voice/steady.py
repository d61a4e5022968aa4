"""Keeps the audio loop of a game from waiting for the garbage collector and for other programs."""

import contextlib
import gc
import logging
import os

log = logging.getLogger(__name__)

FIRST = -10
"""The priority of the audio loop's thread, as of `nice`: it needs a tenth of a core, but every 20 ms."""


def steady() -> None:
    """Call it in the thread of the loop, when everything is loaded.

    What was loaded is not looked through for garbage again: each time it took longer than two frames of sound. Where
    the system allows it (root, or CAP_SYS_NICE), the thread goes before others; what it starts does not.
    """
    gc.collect()
    gc.freeze()
    if not hasattr(os, "sched_setscheduler"):  # not Linux: a priority would be the whole process's
        return
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, 0, FIRST)
        log.info("the audio loop goes first")
