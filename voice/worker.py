"""One piece of heavy work in a process of its own: started afresh (never forked), asked over a pipe, restarted.

The child is `python -m voice.worker MODULE:FUNCTION NICENESS`. FUNCTION gets the worker's arguments once and returns
the function that answers requests, one at a time. Arguments, requests and answers are pickled. A request
that is not answered by its deadline costs the process its life; the next request starts a new one.
"""

import asyncio
import contextlib
import importlib
import logging
import os
import pickle
import struct
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from voice.ports import MissingPart

log = logging.getLogger(__name__)

LENGTH = struct.Struct(">I")
CLOSE_S = 2.0
NICENESS = 10
"""The sound comes first; the recogniser, for which everybody waits, stands back less than the rest."""


class WorkerFailed(Exception):
    """No answer: it was late, the process died, or the work raised."""


class WorkerDied(WorkerFailed):
    """The process ended under the request."""


class WorkerLate(WorkerFailed):
    """There was no answer in time; the process has been ended."""


class Worker:
    """One process. Not for two callers at once: see `WorkerPool`."""

    def __init__(self, target: str, *args: object, start_s: float = 30.0, niceness: int = NICENESS) -> None:
        self._target, self._args, self._start_s, self._niceness = target, args, start_s, niceness
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def open(self) -> None:
        """Returns when the child is ready. Raises `MissingPart` when the child says so, else `WorkerFailed`."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "voice.worker",
            self._target,
            str(self._niceness),
            stdin=pipe,
            stdout=pipe,
            env=environment,
        )
        await self._exchange(self._args, self._start_s)

    async def call(self, request: object, deadline_s: float) -> Any:
        if self.pid is None:
            await self.open()
        return await self._exchange(request, deadline_s)

    async def close(self) -> None:
        """End the child: kindly, then not."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), CLOSE_S)
        except TimeoutError:
            await self._kill(process)  # unless it ends at this very moment

    async def _exchange(self, request: object, deadline_s: float) -> Any:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(deadline_s):
                body = pickle.dumps(request)
                process.stdin.write(LENGTH.pack(len(body)) + body)
                await process.stdin.drain()
                (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
                kind, *answer = pickle.loads(await process.stdout.readexactly(length))
        except TimeoutError:
            await self._kill(process)
            raise WorkerLate(f"{self._target} did not answer within {deadline_s:.1f} s") from None
        except (OSError, asyncio.IncompleteReadError):
            await self._kill(process)
            raise WorkerDied(f"{self._target} ended with code {process.returncode}") from None
        except BaseException:  # cancelled in the middle of an answer: the pipe can no longer be trusted
            await self._kill(process)
            raise
        if kind == "missing":
            raise MissingPart(*answer)
        if kind == "failed":
            raise WorkerFailed(f"{self._target}: {answer[0]}")
        return answer[0]

    async def _kill(self, process: asyncio.subprocess.Process) -> None:
        self._process = None
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


class WorkerPool:
    """Several workers of one kind; each request goes to one that is free."""

    def __init__(self, workers: list[Worker]) -> None:
        self.workers = workers
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()

    async def open(self) -> None:
        try:
            await asyncio.gather(*(worker.open() for worker in self.workers))
        except BaseException:
            await self.close()
            raise
        for worker in self.workers:
            self._idle.put_nowait(worker)

    async def call(self, request: object, deadline_s: float) -> Any:
        """The deadline counts from when a worker takes the request. A dead worker is replaced and asked once more."""
        worker = await self._idle.get()
        try:
            try:
                return await worker.call(request, deadline_s)
            except WorkerDied as died:
                log.warning("%s; starting it again", died)
                return await worker.call(request, deadline_s)
        finally:
            self._idle.put_nowait(worker)

    async def close(self) -> None:
        await asyncio.gather(*(worker.close() for worker in self.workers))


# --- the child ------------------------------------------------------------------------------------


def _read(source: BinaryIO) -> Any:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    return pickle.loads(source.read(LENGTH.unpack(head)[0]))


def _write(sink: BinaryIO, *answer: object) -> None:
    body = pickle.dumps(answer)
    sink.write(LENGTH.pack(len(body)) + body)
    sink.flush()


def serve(target: str, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer requests until the other side closes the pipe."""
    module, function = target.split(":")
    try:
        answer: Callable[[Any], Any] = getattr(importlib.import_module(module), function)(*_read(source))
    except MissingPart as missing:
        _write(sink, "missing", missing.what, missing.cure)
        return
    _write(sink, "ready", None)
    while True:
        request = _read(source)
        try:
            _write(sink, "done", answer(request))
        except MissingPart as missing:
            _write(sink, "missing", missing.what, missing.cure)
        except Exception as error:  # whatever the work raises is the answer
            _write(sink, "failed", repr(error))


def main() -> None:
    """What the work prints is thrown away: standard output carries the answers.

    Heavy work stands back behind the sound: the audio loop and the rooms must never wait for it.
    """
    os.nice(int(sys.argv[2]))
    sink = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 1)
    with contextlib.suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        serve(sys.argv[1], sys.stdin.buffer, sink)


if __name__ == "__main__":
    main()
