"""The ears: what is made of an engine's answer, the pool of workers, and both engines on the same clips."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import time
import wave
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np
import pytest

from voice.config import SttConfig
from voice.gate import HEARING_HZ, VoiceGate
from voice.hearing import prompt_for
from voice.ports import RATE_HZ, Clip, Hint, Lang, MissingPart, Pcm, Task, Transcriber
from voice.sound import from_pcm, resample, to_pcm
from voice.stt_openai_whisper import OpenAIWhisperTranscriber
from voice.stt_whisper import Piece, Request, WhisperTranscriber, transcript
from voice.transcribe import SoundError, transcribe_files

FRENCH = Hint("fr")


def piece(text: str, *, logprob: float = -0.2, no_speech: float = 0.01) -> Piece:
    return Piece(0.0, 1.0, text, logprob, no_speech)


def clip(samples: int = HEARING_HZ) -> Clip:
    return Clip(3, np.full(samples, samples % 32768, dtype=np.int16), 0.0, 1.0)


# --- what is made of an answer --------------------------------------------------------------------


def test_the_pieces_become_one_text() -> None:
    found = transcript([piece(" Je nomine le 4."), piece(" Je passe.", logprob=-0.7)], "fr", 0.5)
    assert found.text == "Je nomine le 4. Je passe."
    assert [segment.text for segment in found.segments] == ["Je nomine le 4.", "Je passe."]
    assert found.confidence == pytest.approx((np.exp(-0.2) + np.exp(-0.7)) / 2)
    assert found.seconds == 0.5


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([], id="nothing"),
        pytest.param([piece("")], id="empty"),
        pytest.param([piece(" ...")], id="dots"),
        pytest.param([piece(" Sous-titrage ST' 501")], id="phantom"),
        pytest.param([piece(" Oui.", logprob=-1.4, no_speech=0.95)], id="silence"),
    ],
)
def test_what_was_not_said_leaves_an_empty_text(pieces: list[Piece]) -> None:
    found = transcript(pieces, "fr", 0.5)
    assert (found.text, found.confidence, found.segments) == ("", 0.0, ())


def test_an_invention_at_the_end_does_not_cost_the_words_before() -> None:
    found = transcript([piece(" Contre le 4."), piece(" Merci d'avoir regardé cette vidéo !")], "fr", 0.5)
    assert found.text == "Contre le 4."


def test_a_short_answer_that_the_engine_is_sure_of_is_believed_over_its_doubt_of_speech() -> None:
    assert transcript([piece(" Non.", logprob=-0.3, no_speech=0.9)], "fr", 0.5).text == "Non."


# --- the pool, with an engine of our own ----------------------------------------------------------


def scripted(_: str) -> Callable[[Request], list[Piece]]:
    """Loaded in the workers: says how long a clip was; the prompt tells what else to do."""

    def answer(request: Request) -> list[Piece]:
        act, _, value = request.prompt.partition(" ")
        if act == "sleep":
            time.sleep(float(value))
        elif act == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif act == "die-once" and not Path(value).exists():
            Path(value).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        elif act == "raise":
            raise RuntimeError("no such sound")
        return [piece(f"{len(request.pcm) // 2} samples")]

    return answer


class ScriptedEngine(WhisperTranscriber):
    ENGINE = "test_stt:scripted"

    def arguments(self) -> tuple[object, ...]:
        return ("",)


@contextlib.asynccontextmanager
async def ears(workers: int = 1, deadline_s: float = 10.0) -> AsyncIterator[ScriptedEngine]:
    made = ScriptedEngine(SttConfig(workers=workers, deadline_s=deadline_s))
    await made.open()
    try:
        yield made
    finally:
        await made.close()


async def test_ten_at_once_are_answered_each_with_its_own() -> None:
    async with ears(workers=2) as transcriber:
        lengths = range(1000, 11_000, 1000)
        found = await asyncio.gather(*(transcriber.transcribe(clip(length), FRENCH) for length in lengths))
    assert [one.text for one in found] == [f"{length} samples" for length in lengths]


async def test_urgent_clips_overtake_those_that_may_wait() -> None:
    done: list[str] = []

    async def hear(name: str, hint: Hint) -> None:
        await transcriber.transcribe(clip(), hint)
        done.append(name)

    async with ears() as transcriber, asyncio.TaskGroup() as group:
        group.create_task(hear("running", Hint("fr", "sleep 0.2")))
        await asyncio.sleep(0.05)
        for number in range(3):
            group.create_task(hear(f"aside {number}", Hint("fr", urgent=False)))
        group.create_task(hear("answer", FRENCH))
    assert done == ["running", "answer", "aside 0", "aside 1", "aside 2"]


async def test_a_killed_worker_is_started_again_and_the_clip_tried_once_more(tmp_path: Path) -> None:
    async with ears() as transcriber:
        found = await transcriber.transcribe(clip(), Hint("fr", f"die-once {tmp_path / 'died'}"))
        assert found.text == f"{HEARING_HZ} samples"


async def test_a_clip_that_kills_twice_is_given_up_and_the_next_is_heard() -> None:
    async with ears() as transcriber:
        assert (await transcriber.transcribe(clip(), Hint("fr", "die"))).text == ""
        assert (await transcriber.transcribe(clip(), FRENCH)).text != ""


async def test_an_engine_that_raises_or_is_late_costs_one_clip() -> None:
    async with ears(deadline_s=0.3) as transcriber:
        assert (await transcriber.transcribe(clip(), Hint("fr", "raise"))).text == ""
        assert (await transcriber.transcribe(clip(), Hint("fr", "sleep 5"))).text == ""
    async with ears() as transcriber:
        assert (await transcriber.transcribe(clip(), FRENCH)).text != ""


async def test_who_gave_up_is_not_worked_for() -> None:
    async with ears() as transcriber:
        first = asyncio.create_task(transcriber.transcribe(clip(), Hint("fr", "sleep 0.3")))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(transcriber.transcribe(clip(), Hint("fr", "sleep 5")))
        await asyncio.sleep(0.05)
        second.cancel()
        assert (await first).seconds >= 0.25
        third = await asyncio.wait_for(transcriber.transcribe(clip(), FRENCH), 2.0)
        assert third.seconds < 1.0


async def test_closing_leaves_nobody_waiting() -> None:
    async with ears() as transcriber:
        waiting = [asyncio.create_task(transcriber.transcribe(clip(), Hint("fr", "sleep 9"))) for _ in range(3)]
        await asyncio.sleep(0.1)
        (worker,) = transcriber._workers
        assert worker.pid is not None
    assert [(await one).text for one in waiting] == ["", "", ""]
    assert worker.pid is None
    assert (await transcriber.transcribe(clip(), FRENCH)).text == ""


async def test_missing_weights_are_said_before_any_process_starts(tmp_path: Path) -> None:
    transcriber = WhisperTranscriber(SttConfig(weights=str(tmp_path)))
    with pytest.raises(MissingPart, match=r"holds no model\.bin"):
        await transcriber.open()


# --- the real engines, on the same clips ----------------------------------------------------------

SAID: dict[Lang, dict[str, tuple[Task, str]]] = {
    "fr": {"Je vote contre le quatre.": (Task.VOTE, "4"), "Je nomine le trois. Je passe.": (Task.NOMINATION, "3")},
    "en": {"I vote against number seven.": (Task.VOTE, "7"), "I nominate number four.": (Task.NOMINATION, "4")},
    "ru": {"Голосую в пятого.": (Task.VOTE, "пят"), "Выставляю седьмого.": (Task.NOMINATION, "седьм")},
}
ENGINES = {"faster-whisper": WhisperTranscriber, "openai-whisper": OpenAIWhisperTranscriber}


def espeak(text: str, lang: str, folder: Path) -> Path:
    path = folder / f"{lang}-{abs(hash(text))}.wav"
    subprocess.run(["espeak-ng", "-v", lang, "-s", "150", "-w", str(path), text], check=True)
    return path


def utterance(path: Path) -> Clip:
    """The one utterance of a file, as the gate cuts it between two silences."""
    with wave.open(str(path)) as sound:
        pcm: Pcm = np.frombuffer(sound.readframes(sound.getnframes()), dtype=np.int16)
        pcm = to_pcm(resample(from_pcm(pcm), sound.getframerate(), RATE_HZ))
    silence: Pcm = np.zeros(RATE_HZ, dtype=np.int16)
    whole, gate = np.concatenate((silence, pcm, silence)), VoiceGate(1)
    (found,) = [
        one
        for start in range(0, len(whole) - 960, 960)
        for one in gate.push(whole[start : start + 960], start / RATE_HZ)
    ]
    return found


@contextlib.asynccontextmanager
async def real(engine: str) -> AsyncIterator[Transcriber]:
    made = ENGINES[engine](SttConfig(workers=1))
    await made.open()
    try:
        yield made
    finally:
        await made.close()


@pytest.mark.real
@pytest.mark.whisper
@pytest.mark.parametrize(
    "engine", ["faster-whisper", pytest.param("openai-whisper", marks=[pytest.mark.torch])], ids=str
)
async def test_both_engines_hear_the_table(engine: str, tmp_path: Path) -> None:
    noise = np.random.default_rng(0).normal(0, 400, 2 * HEARING_HZ).astype(np.int16)
    async with real(engine) as transcriber:
        for lang, sentences in SAID.items():
            for text, (task, expected) in sentences.items():
                hint = Hint(lang, prompt_for(task, lang))
                found = await transcriber.transcribe(utterance(espeak(text, lang, tmp_path)), hint)
                assert expected in found.text.casefold(), f"{text!r} was heard as {found.text!r}"
                assert 0 < found.confidence <= 1
                assert found.seconds > 0
                assert found.segments[0].start_s < found.segments[-1].end_s
        assert isinstance((await transcriber.transcribe(Clip(1, noise, 0.0, 2.0), FRENCH)).text, str)
        empty = Clip(1, np.zeros(0, dtype=np.int16), 0.0, 0.0)
        assert (await transcriber.transcribe(empty, FRENCH)).text == ""


def sounds(folder: Path) -> list[Path]:
    """One sentence after two seconds of silence, a damaged file, one that is not there, the sentence in Ogg."""
    said = espeak("Je vote contre le quatre.", "fr", folder)
    padded, bad, ogg = folder / "padded.wav", folder / "bad.flac", folder / "said.ogg"
    subprocess.run(["sox", str(said), str(padded), "pad", "2", "1"], check=True)
    subprocess.run(["ffmpeg", "-loglevel", "error", "-i", str(said), "-ac", "2", "-ar", "44100", str(ogg)], check=True)
    bad.write_text("this is no sound")
    return [padded, bad, folder / "missing.mp3", ogg]


@pytest.mark.real
@pytest.mark.whisper
async def test_files_are_transcribed_and_a_bad_one_does_not_stop_the_others(tmp_path: Path) -> None:
    files = sounds(tmp_path)
    async with real("faster-whisper") as transcriber:
        found = [one async for one in transcribe_files(files, "fr", transcriber)]
    first, damaged, missing, last = found
    assert isinstance(damaged, SoundError)
    assert "bad.flac: holds no sound" in str(damaged)
    assert isinstance(missing, SoundError)
    assert "missing.mp3: no such file" in str(missing)
    for row in (first, last):
        assert isinstance(row, dict)
        assert set(row) == {"file", "text", "segments", "audio_s", "seconds"}
        assert "4" in row["text"]
        json.dumps(row)
    assert isinstance(first, dict)
    (segment,) = first["segments"]
    assert segment["start_s"] == pytest.approx(2.0, abs=0.4)
    assert first["audio_s"] > segment["end_s"] > 2.5
    assert set(segment) == {"start_s", "end_s", "text", "confidence"}
