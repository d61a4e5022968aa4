"""Sound files to text, on the way that a player's voice takes: gate, recogniser, in clips of one utterance.

Any format that FFmpeg reads. A file that cannot be read does not keep the others from being done.
"""

import asyncio
import json
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from voice import engines
from voice.config import load_voice_config
from voice.gate import HEARING_HZ, PRE_ROLL, WINDOW_S, VoiceGate
from voice.hearing import prompt_for
from voice.ports import FRAME_S, FRAME_SAMPLES, RATE_HZ, Clip, Hint, Lang, Pcm, Segment, Task, Transcriber, Transcript

NOBODY = 1
"""A file has no seat; a clip needs one."""
AFTER_S = 1.0
"""Silence after the end, in which the gate closes the last utterance."""
AT_ONCE = 4
"""Clips of one file that are handed over together: enough to keep every worker busy, few enough for any length."""


class SoundError(ValueError):
    """One line: which file, what is wrong with it, what mends it."""


def main(files: Sequence[Path], lang: Lang) -> int:
    return asyncio.run(_print_all(files, lang))


async def _print_all(files: Sequence[Path], lang: Lang) -> int:
    bad = 0
    async with engines.transcriber(load_voice_config().stt) as transcriber:
        async for found in transcribe_files(files, lang, transcriber):
            if isinstance(found, SoundError):
                bad += 1
                print(f"moderator transcribe: {found}", file=sys.stderr)
            else:
                print(json.dumps(found, ensure_ascii=False), flush=True)
    return 2 if bad else 0


async def transcribe_files(
    files: Sequence[Path], lang: Lang, transcriber: Transcriber
) -> AsyncIterator[dict[str, Any] | SoundError]:
    """For each file, in order: {file, text, segments: [{start_s, end_s, text, confidence}], audio_s, seconds}.

    Times are seconds from the start of the file, `seconds` what the recogniser took. A file that cannot be read
    gives a `SoundError` in its place.
    """
    for file in files:
        try:
            yield await _transcribe(file, lang, transcriber)
        except SoundError as bad:
            yield bad


async def _transcribe(file: Path, lang: Lang, transcriber: Transcriber) -> dict[str, Any]:
    hint = Hint(lang, prompt_for(Task.NOMINATION, lang))
    sound = Sound(file)
    heard: list[tuple[Clip, Transcript]] = []
    for clips in sound.clips():
        heard += zip(clips, await asyncio.gather(*(transcriber.transcribe(clip, hint) for clip in clips)), strict=True)
        await asyncio.sleep(0)
    segments = [_placed(segment, clip, sound.audio_s) for clip, transcript in heard for segment in transcript.segments]
    return {
        "file": str(file),
        "text": " ".join(transcript.text for _, transcript in heard if transcript.text),
        "segments": segments,
        "audio_s": round(sound.audio_s, 3),
        "seconds": round(sum(transcript.seconds for _, transcript in heard), 3),
    }


def _placed(segment: Segment, clip: Clip, audio_s: float) -> dict[str, Any]:
    """The segment on the file's clock: a clip starts a little before its first word."""
    offset_s = clip.started_s - PRE_ROLL * WINDOW_S
    end_s = min(offset_s + segment.end_s, offset_s + len(clip.pcm) / HEARING_HZ, audio_s)
    return {
        "start_s": round(min(max(0.0, offset_s + segment.start_s), end_s), 3),
        "end_s": round(end_s, 3),
        "text": segment.text,
        "confidence": round(segment.confidence, 3),
    }


class Sound:
    """A file's first sound track. `audio_s`: its length as far as it was read."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.audio_s = 0.0

    def length_s(self) -> float | None:
        """What the file says of its own length, if anything. Raises `SoundError`."""
        import av

        try:
            with av.open(str(self._file)) as container:
                return container.duration / av.time_base if container.duration else None
        except av.FFmpegError as error:
            raise self._unreadable() from error

    def clips(self, cuts_s: Sequence[float] = ()) -> Iterator[list[Clip]]:
        """Its utterances, a few at a time; times are seconds from its start. Raises `SoundError`.

        `cuts_s`, ascending: an utterance that is running then ends there, because another speaker begins.
        """
        gate, found, at_s = VoiceGate(NOBODY), list[Clip](), 0.0
        cuts = deque(cuts_s)
        silence: Pcm = np.zeros(FRAME_SAMPLES, dtype=np.int16)
        for frame in chain(self._frames(), [silence] * round(AFTER_S / FRAME_S)):
            while cuts and cuts[0] <= at_s:
                found += gate.flush(cuts.popleft())
            found += gate.push(frame, at_s)
            at_s += FRAME_S
            if len(found) >= AT_ONCE:
                yield found
                found = []
        yield found

    def _frames(self) -> Iterator[Pcm]:
        """960 samples each at 48 kHz, the last filled up with silence."""
        import av

        if not self._file.is_file():
            raise SoundError(f"{self._file}: no such file; cure: name a sound file that exists")
        try:
            with av.open(str(self._file)) as container:
                resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE_HZ, frame_size=FRAME_SAMPLES)
                packets = chain(container.decode(container.streams.audio[0]), [None])
                for frame in (made for packet in packets for made in resampler.resample(packet)):
                    samples = frame.to_ndarray()[0]
                    self.audio_s += len(samples) / RATE_HZ
                    yield np.pad(samples, (0, FRAME_SAMPLES - len(samples)))
            if not self.audio_s:
                raise ValueError
        except (av.FFmpegError, IndexError, ValueError) as error:
            raise self._unreadable() from error

    def _unreadable(self) -> SoundError:
        return SoundError(f"{self._file}: holds no sound that can be read; cure: give a WAV, FLAC, Ogg or MP3 file")
