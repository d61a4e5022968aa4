"""Sound files to text with the game's recogniser: cut into utterances by the same gate, then heard one by one."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from voice import engines
from voice.config import load_voice_config
from voice.gate import VoiceGate
from voice.ports import FRAME_SAMPLES, RATE_HZ, Clip, Hint, Lang, Pcm, Transcriber


class Unreadable(Exception):
    """Not a sound file that can be decoded; the message names it and the cure."""


def main(files: list[Path], lang: Lang) -> int:
    return asyncio.run(run(files, lang))


async def run(files: list[Path], lang: Lang) -> int:
    """One JSON line a file; a bad file is reported and the others are still done (exit code 2)."""
    bad = 0
    async with engines.transcriber(load_voice_config().stt) as transcriber:
        for number, path in enumerate(files, 1):
            print(f"transcribe: {number}/{len(files)} {path}", file=sys.stderr)
            try:
                print(json.dumps(await transcribe(path, lang, transcriber), ensure_ascii=False), flush=True)
            except Unreadable as unreadable:
                bad += 1
                print(f"moderator transcribe: {unreadable}", file=sys.stderr)
    return 2 if bad else 0


async def transcribe(path: Path, lang: Lang, transcriber: Transcriber) -> dict[str, Any]:
    """`{file, text, segments: [{start_s, end_s, text, confidence}], audio_s, seconds}`. Raises `Unreadable`."""
    started_s = time.perf_counter()
    pcm = await asyncio.to_thread(decode, path)
    segments = []
    for clip in await asyncio.to_thread(utterances, pcm):
        heard = await transcriber.transcribe(clip, Hint(lang))
        if heard.text:
            segments.append(
                {
                    "start_s": round(clip.started_s, 2),
                    "end_s": round(clip.ended_s, 2),
                    "text": heard.text,
                    "confidence": round(heard.confidence, 3),
                }
            )
    return {
        "file": str(path),
        "text": " ".join(str(segment["text"]) for segment in segments),
        "segments": segments,
        "audio_s": round(len(pcm) / RATE_HZ, 2),
        "seconds": round(time.perf_counter() - started_s, 2),
    }


def decode(path: Path) -> Pcm:
    """Any format that FFmpeg reads, as mono 16-bit at 48 kHz."""
    if not path.is_file():
        raise Unreadable(f"{path}: no such file")
    from faster_whisper import decode_audio

    try:
        samples = decode_audio(str(path), sampling_rate=RATE_HZ)
    except Exception as error:
        raise Unreadable(f"{path}: no sound can be read from it ({error}); convert it to WAV, FLAC or MP3") from error
    pcm: Pcm = np.clip(np.asarray(samples) * 32768, -32768, 32767).astype(np.int16)
    return pcm


def utterances(pcm: Pcm) -> list[Clip]:
    """What a live microphone would have been cut into. The seat is of no account here."""
    gate = VoiceGate(1)
    frames = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES)).reshape(-1, FRAME_SAMPLES)
    clips = [clip for number, frame in enumerate(frames) for clip in gate.push(frame, number * FRAME_SAMPLES / RATE_HZ)]
    return [*clips, *gate.flush(len(pcm) / RATE_HZ)]
