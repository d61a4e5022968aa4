"""The real parts joined: what a person would meet, without the whole game."""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from moderator.engine import replay
from moderator.events import Event, NightBegan, Resumed, StepClosed, StepOpened
from voice import demo, livekit_server, ogg
from voice.config import load_voice_config
from voice.doctor import examine
from voice.ports import RATE_HZ, Clip, Hint, MissingPart, Utterance, VoiceSpec
from voice.recordings import recordings, sounds
from voice.robots.score import compare
from voice.store_sql import SqlStore
from voice.stt_whisper import WhisperTranscriber
from voice.takes import finish
from voice.transcribe import transcribe_files
from voice.tts_pyttsx3 import Pyttsx3Synthesizer

pytestmark = pytest.mark.real
ROOT = Path(__file__).parent.parent


@pytest.mark.livekit
@pytest.mark.whisper
@pytest.mark.tts
async def test_the_doctor_finds_every_needed_part() -> None:
    findings = {one.part: one for one in await examine(load_voice_config(), "fr")}
    for part in ("voice", "recogniser", "livekit", "store"):
        if findings[part].state != "ok":
            raise MissingPart(findings[part].says, findings[part].cure)
    assert "heard" in findings["recogniser"].says


@pytest.mark.whisper
@pytest.mark.tts
async def test_a_sound_file_is_transcribed(tmp_path: Path) -> None:
    synthesizer = Pyttsx3Synthesizer("en")
    await synthesizer.open()
    pcm = await synthesizer.synthesize("Good evening, the game begins.", VoiceSpec("en"))
    await synthesizer.close()
    with wave.open(str(tmp_path / "a.wav"), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE_HZ)
        out.writeframes(np.concatenate((np.zeros(RATE_HZ, np.int16), pcm, np.zeros(RATE_HZ, np.int16))).tobytes())
    transcriber = WhisperTranscriber(load_voice_config().stt)
    await transcriber.open()
    (found,) = [row async for row in transcribe_files([tmp_path / "a.wav"], "en", transcriber)]
    await transcriber.close()
    assert isinstance(found, dict)
    assert "begins" in found["text"].lower()
    assert found["audio_s"] == pytest.approx(len(pcm) / RATE_HZ + 2, abs=0.05)
    assert 0.6 < found["segments"][0]["start_s"] < 1.4


@pytest.mark.whisper
async def test_a_killed_recogniser_is_replaced_and_the_clip_heard() -> None:
    transcriber = WhisperTranscriber(load_voice_config().stt.model_copy(update={"workers": 1}))
    await transcriber.open()
    pid = transcriber._workers[0].pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    noise = np.random.default_rng(1).normal(0, 200, 16_000).astype(np.int16)
    heard = await transcriber.transcribe(Clip(3, noise, 0.0, 1.0), Hint("fr"))
    assert transcriber._workers[0].pid not in (None, pid)
    assert heard.seconds > 0
    await transcriber.close()


DAY_S = 540.0
"""Deal, first night, ten speeches and a vote; and the game process killed in the midst of a speech."""


@pytest.mark.livekit
@pytest.mark.whisper
@pytest.mark.tts
@pytest.mark.timeout(DAY_S + 60)
async def test_the_first_day_by_voice_although_the_game_is_killed(tmp_path: Path) -> None:
    """Ten robots speak in real rooms and are heard; a second process takes the game up where the first was killed."""
    args = argparse.Namespace(lang="fr", seed=23, rules="turbo", stack="default")
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(livekit_server.running(tmp_path / "livekit.log"))
        store = SqlStore(tmp_path / "moderator.db")
        stack.push_async_callback(store.close)
        game = demo.game_command(args, "day", tmp_path), {**os.environ, **server.environment()}, tmp_path / "game.log"
        first = await stack.enter_async_context(demo.child(*game))
        robots = demo.robots_command(args, tmp_path), os.environ, tmp_path / "robots.log"
        await stack.enter_async_context(demo.child(*robots))

        spoken = await _stored(store, lambda event: isinstance(event, StepOpened) and event.seat == 4)
        await asyncio.sleep(3)
        first.kill()
        await first.wait()
        await stack.enter_async_context(demo.child(*game))
        events = await _stored(store, lambda event: isinstance(event, NightBegan) and event.night == 1)
        said = [line for line in await store.utterances("day") if line.seat in (2, 3)]

    assert events[: len(spoken)] == spoken, "nothing that was stored is lost"
    assert replay(events).error is None
    assert sum(isinstance(event, Resumed) for event in events) == 1
    closed = next(event for event in events if isinstance(event, StepClosed) and event.seat == 4)
    assert closed.at > next(event.at for event in events if isinstance(event, Resumed)), "the speech was gone on with"
    intents = [json.loads(line) for line in (tmp_path / "intents.jsonl").read_text(encoding="utf-8").splitlines()]
    heard = compare(intents, events)["heard"]
    assert heard["right"] >= 8
    assert heard["right"] + heard["asked"] >= 0.6 * sum(heard.values())
    finish(tmp_path)  # neither process came to it
    assert len(recordings(tmp_path)) == 2
    assert said and all(_loudness(tmp_path, line) > 1000 for line in said if line.ended_s < spoken[-1].at)


def _loudness(folder: Path, line: Utterance) -> int:
    """Of the speaker's own recording, in the second where the log says that he spoke."""
    found = sounds(folder).of(line.seat, (line.started_s + line.ended_s) / 2)
    assert found is not None and found[0].path.name == f"seat-{line.seat}.ogg"
    second = list(ogg.read(found[0].path))[int(found[1])]
    return int(np.abs(second.astype(int)).max())


async def _stored(store: SqlStore, wanted: Callable[[Event], bool]) -> list[Event]:
    """The log, once it holds such an event."""
    deadline_s = time.monotonic() + DAY_S
    while time.monotonic() < deadline_s:
        events = list(await store.events("day"))
        if any(wanted(event) for event in events):
            return events
        await asyncio.sleep(0.3)
    raise AssertionError(f"it did not come to that: {[event.type for event in events][-5:]}")


@pytest.mark.game
@pytest.mark.timeout(900)
def test_a_whole_game_by_voice(tmp_path: Path) -> None:
    """Real rooms, ten robots who speak, a moderator who hears them: to the end, and mostly understood."""
    arguments = ["demo", "--lang", "fr", "--seed", "7", "--rules", "turbo", "--out", str(tmp_path / "demo")]
    done = subprocess.run(
        [sys.executable, "-m", "voice", *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=880
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["winner"] in ("town", "mafia", None)
    assert found["seconds"] < 720
    heard = found["heard"]
    meant = sum(heard.values())
    assert meant >= 20
    assert heard["right"] + heard["asked"] >= 0.8 * meant
    assert heard["wrong"] <= 2
    sound = [str(tmp_path / "demo" / f"{name}.ogg") for name in ("table", "narrator", "seat-1")]
    for path in (found["log"], found["review"], *sound):
        assert Path(path).stat().st_size > 1000
