"""The ears: what is made of an engine's answer, the pool of workers, and both engines on the same clips."""

import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import cast

import av
import numpy as np
import numpy.typing as npt
import pytest
from faster_whisper.audio import decode_audio

from voice.config import SttConfig
from voice.gate import HEARING_HZ
from voice.grammar import seat_spans
from voice.hearing import awaited, prompt_for
from voice.ports import Clip, Hint, Lang, MissingPart, Task, Transcriber
from voice.stt_openai_whisper import OpenAIWhisperTranscriber
from voice.stt_transformers import TransformersTranscriber
from voice.stt_whisper import Piece, Request, WhisperTranscriber, transcript
from voice.transcribe import Sound, SoundError, transcribe_files
from voice.worker import Worker

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
    assert found.confidence == pytest.approx(np.exp(-0.7))
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


def test_how_sure_it_is_of_a_seat_depends_on_the_other_seats_it_might_have_been() -> None:
    guesses = ((" Contre le 8.", -1.0), (" contre le huit", -1.0), (" Contre le 10.", -1.0), (" Quoi ?", -1.0))
    unsure = transcript([piece(" Contre le 8.")._replace(guesses=guesses)], "fr", 0.5)
    assert unsure.confidence == pytest.approx(0.5)
    sure = transcript([piece(" Contre le 8.", logprob=-0.6)._replace(guesses=guesses[:2])], "fr", 0.5)
    assert sure.confidence == 1.0


def test_no_engine_is_surer_than_sure() -> None:
    """These five shares add up to a hair over one."""
    likelihoods = (-1.44308006466, -0.45752444254, -1.89054139110, -1.80285491522, -0.06117996606)
    said = piece(" Contre le 8.")._replace(guesses=tuple((" Contre le 8.", each) for each in likelihoods))
    assert transcript([said], "fr", 0.5).confidence <= 1.0


def test_a_seat_in_words_that_the_sound_does_not_support_is_doubtful() -> None:
    """From a far voice the recogniser makes a sentence of its prompt, and all its readings agree on the seat."""
    invented = piece(" Je mets le 4 au vote.", logprob=-0.9)
    guesses = ((invented.text, -6.0), (" Je mets le 4 en vote.", -6.4))
    assert transcript([invented._replace(guesses=guesses)], "fr", 0.5).confidence == pytest.approx(np.exp(-0.9))
    assert transcript([invented._replace(guesses=guesses[:1])], "fr", 0.5).confidence == pytest.approx(np.exp(-0.9))


def test_a_number_among_the_likely_readings_is_kept_where_the_best_has_none() -> None:
    guesses = ((" Sangue.", -1.8), (" 5.", -2.1), (" 5, 9.", -4.0), (" Sein.", -2.5))
    found = transcript([piece(" Sangue.")._replace(guesses=guesses)], "fr", 0.5)
    assert (found.text, found.with_seat) == ("Sangue.", "5.")
    asked = awaited(Task.VOTE, found)
    assert (asked.text, asked.confidence) == ("5.", 0.0)
    assert awaited(Task.LIFT, found) is found
    unlikely = transcript([piece(" Bonjour.")._replace(guesses=((" Bonjour.", -0.1), (" 5.", -2.1)))], "fr", 0.5)
    assert awaited(Task.VOTE, unlikely) is unlikely


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
        elif act == "hang-once" and not Path(value).exists():
            Path(value).touch()
            os.kill(os.getpid(), signal.SIGSTOP)
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


async def test_a_hung_worker_is_ended_and_the_clip_tried_once_more(tmp_path: Path) -> None:
    async with ears(deadline_s=2.0) as transcriber:
        found = await transcriber.transcribe(clip(), Hint("fr", f"hang-once {tmp_path / 'hung'}"))
        assert found.text == f"{HEARING_HZ} samples"


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


async def test_a_worker_that_ends_as_patience_does_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def too_late(ended: Awaitable[int], _: float) -> int:
        await ended
        raise TimeoutError

    worker = Worker("test_stt:scripted", "")
    await worker.open()
    monkeypatch.setattr("voice.worker.asyncio.wait_for", too_late)
    await worker.close()
    assert worker.pid is None


async def test_missing_weights_are_said_before_any_process_starts(tmp_path: Path) -> None:
    transcriber = WhisperTranscriber(SttConfig(weights=str(tmp_path)))
    with pytest.raises(MissingPart, match=r"holds no model\.bin"):
        await transcriber.open()


# --- the real engines, on the same clips ----------------------------------------------------------

CLIPS = Path(__file__).parent / "clips"
SAID: dict[str, tuple[Task, list[int] | str]] = {
    "fr-vote-4": (Task.VOTE, [4]),
    "fr-nomination-3": (Task.NOMINATION, [3]),
    "fr-testament-2-5-8": (Task.TESTAMENT, [2, 5, 8]),
    "fr-confirm-no": (Task.CONFIRM, "non"),
    "en-vote-7": (Task.VOTE, [7]),
    "en-nomination-4": (Task.NOMINATION, [4]),
    "en-confirm-yes": (Task.CONFIRM, "yes"),
}
CD_HZ = 44_100
ENGINES = {
    "faster-whisper": WhisperTranscriber,
    "openai-whisper": OpenAIWhisperTranscriber,
    "transformers": TransformersTranscriber,
}


def utterance(name: str) -> Clip:
    """The one utterance of a file, as the gate cuts it."""
    (found,) = [one for clips in Sound(CLIPS / f"{name}.flac").clips() for one in clips]
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
    "engine",
    [
        "faster-whisper",
        pytest.param("openai-whisper", marks=[pytest.mark.torch]),
        pytest.param("transformers", marks=[pytest.mark.torch]),
    ],
)
async def test_every_engine_hears_the_table(engine: str) -> None:
    noise = np.random.default_rng(0).normal(0, 400, 2 * HEARING_HZ).astype(np.int16)
    async with real(engine) as transcriber:
        for name, (task, said) in SAID.items():
            lang = cast("Lang", name[:2])
            found = await transcriber.transcribe(utterance(name), Hint(lang, prompt_for(task, lang)))
            seats = [seat for seat, _ in seat_spans(lang, found.text, {})]
            assert said in (seats, found.text.casefold().split(".")[0].strip()), f"{name} was heard as {found.text!r}"
            assert 0 < found.confidence <= 1
            assert found.seconds > 0
            assert found.segments[0].start_s < found.segments[-1].end_s
        assert isinstance((await transcriber.transcribe(Clip(1, noise, 0.0, 2.0), FRENCH)).text, str)
        empty = Clip(1, np.zeros(0, dtype=np.int16), 0.0, 0.0)
        assert (await transcriber.transcribe(empty, FRENCH)).text == ""


def sounds(folder: Path) -> list[Path]:
    """One sentence after two seconds of silence, a damaged file, one that is not there, the sentence in stereo."""
    padded, bad, stereo = folder / "padded.wav", folder / "bad.flac", folder / "stereo.flac"
    said = decode_audio(str(CLIPS / "fr-vote-4.flac"), sampling_rate=CD_HZ)
    write(padded, np.pad(said, (2 * CD_HZ, CD_HZ)), "pcm_s16le")
    write(stereo, np.stack([said, said]), "flac")
    bad.write_text("this is no sound")
    return [padded, bad, folder / "missing.mp3", stereo]


def write(path: Path, sound: npt.NDArray[np.float32], codec: str) -> None:
    """Mono, or a row a channel."""
    rows = np.atleast_2d(sound)
    layout = "mono" if len(rows) == 1 else "stereo"
    with av.open(str(path), "w") as file:
        stream = file.add_stream(codec, rate=CD_HZ, layout=layout)
        assert isinstance(stream, av.AudioStream)
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(rows), format="fltp", layout=layout)
        frame.sample_rate = CD_HZ
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            file.mux(packet)


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
