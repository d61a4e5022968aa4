"""Which recogniser hears best, and at what price: `moderator bench ears`.

The same lines of `moderator bench hearing`, in the same voices, through each engine that is installed, in as many
processes as are configured: how much of what was said is right, how long the last clip takes, what the engine costs in
time and memory, how long it takes to load, and until ten ballots that end at the same moment are all heard. The grammar
reads alone: the language model would hide what the ears differ in.
"""

import argparse
import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, get_args

from moderator.model import SEATS
from voice import engines
from voice.bench_hearing import Bench, Row, clips, rows, speak, speakers
from voice.bench_rooms import memory_mib
from voice.bench_service import children
from voice.config import SttConfig, load_voice_config
from voice.hearing import prompt_for
from voice.ports import Hint, Lang, MissingPart, Pcm, Task, Transcriber
from voice.understanding import Understanding

ENGINES: tuple[str, ...] = get_args(SttConfig.model_fields["engine"].annotation)


async def run(lang: Lang, half: str, every: int, conditions: Sequence[str]) -> dict[str, Any]:
    """Figures by engine, and by condition below; an engine that is not installed says what is missing."""
    lines = rows(lang, half)[::every]
    async with contextlib.AsyncExitStack() as stack:
        voices = await speakers(stack, lang, "robots")
        spoken = await asyncio.gather(*(speak(voices, number, row) for number, row in enumerate(lines)))
    figures: dict[str, Any] = {}
    for engine in ENGINES:
        try:
            figures[engine] = await heard_by(engine, lang, lines, spoken, conditions)
        except MissingPart as missing:
            figures[engine] = {"missing": str(missing)}
        print(f"{engine}: {figures[engine]}", file=sys.stderr, flush=True)
    return {"lang": lang, "half": half, "lines": len(lines), **figures}


async def heard_by(
    engine: str, lang: Lang, lines: Sequence[Row], spoken: Sequence[Pcm], conditions: Sequence[str]
) -> dict[str, Any]:
    config = load_voice_config().stt.model_copy(update={"engine": engine})
    before, began_s = set(children(os.getpid())), time.perf_counter()
    async with engines.transcriber(config) as transcriber:
        load_s = time.perf_counter() - began_s
        figures = {
            condition: await Bench(lang, lines, spoken, condition, False).run(transcriber, Understanding())
            for condition in conditions
        }
        at_once_s = await ballots_at_once(transcriber, lang, lines, spoken)
        memory = sum(memory_mib(pid) for pid in set(children(os.getpid())) - before)
    return {"load_s": round(load_s, 1), "memory_mib": round(memory), "ten_ballots_s": round(at_once_s, 1), **figures}


async def ballots_at_once(transcriber: Transcriber, lang: Lang, lines: Sequence[Row], spoken: Sequence[Pcm]) -> float:
    """Seconds from the end of ten answers to the last of their readings; fewer where there are not as many lines."""
    hint = Hint(lang, prompt_for(Task.VOTE, lang), closed=True)
    ballots = [pcm for row, pcm in zip(lines, spoken, strict=True) if row.task == Task.VOTE][: len(SEATS)]
    given = [clip for pcm in ballots for clip in clips(pcm)[-1:]]
    began_s = time.perf_counter()
    await asyncio.gather(*(transcriber.transcribe(clip, hint) for clip in given))
    return time.perf_counter() - began_s


def main(args: argparse.Namespace) -> dict[str, Any]:
    return asyncio.run(run(args.lang, args.half, args.every, args.conditions.split(",")))
