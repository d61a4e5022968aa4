"""Voices: the arithmetic and the worker by themselves; then the real ones, which take a few seconds."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from voice import tts_festival
from voice.config import read_yaml
from voice.engines import make_synthesizer
from voice.phrasebook import Phrasebook
from voice.ports import RATE_HZ, Lang, MissingPart, Pcm, SynthesisFailed, Synthesizer, VoiceSpec
from voice.sound import fade, from_pcm, level, resample, to_pcm, trim
from voice.sound_cache import CachedSynthesizer
from voice.tts_festival import VOICE, FestivalSynthesizer, pitch_of, speakable
from voice.tts_kokoro import DEFAULTS, Blend, KokoroSynthesizer, parse_blend
from voice.tts_pyttsx3 import Pyttsx3Synthesizer
from voice.worker import Worker, WorkerDied, WorkerFailed, WorkerPool

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")


def tone(hz: float, seconds: float, rate_hz: int) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * hz * np.arange(int(seconds * rate_hz)) / rate_hz)


# --- sound ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("from_hz", [22_050, 24_000, 48_000, 16_000])
def test_resampling_keeps_pitch_level_and_length(from_hz: int) -> None:
    out = resample(tone(440, 0.5, from_hz), from_hz, RATE_HZ)
    assert len(out) == pytest.approx(0.5 * RATE_HZ, abs=4)
    middle = out[5_000:-5_000]
    expected = tone(440, 0.5, RATE_HZ)[5_000 : 5_000 + len(middle)]
    assert np.abs(middle - expected).max() < 0.01


def test_resampling_down_leaves_no_alias() -> None:
    out = resample(tone(11_000, 0.5, RATE_HZ), RATE_HZ, 16_000)
    assert np.abs(out[800:-800]).max() < 0.01


def test_trim_cuts_the_silence_at_both_ends() -> None:
    quiet = np.full(RATE_HZ // 2, 1e-5)
    line = np.concatenate([quiet, tone(300, 0.4, RATE_HZ), quiet])
    assert len(trim(line, RATE_HZ)) / RATE_HZ == pytest.approx(0.46, abs=0.011)
    assert len(trim(np.zeros(RATE_HZ), RATE_HZ)) == 0


def test_levelled_lines_are_equally_loud_and_never_clip() -> None:
    for gain in (0.01, 0.2, 0.9):
        out = level(gain * tone(300, 0.4, RATE_HZ), RATE_HZ)
        assert np.sqrt(np.mean(out**2)) == pytest.approx(0.1, rel=0.05)
    spike = np.concatenate([tone(300, 1, RATE_HZ) * 0.01, [1.0], np.zeros(4_800)])
    assert np.abs(level(spike, RATE_HZ)).max() <= 0.9


def test_pcm_and_back() -> None:
    samples = fade(tone(300, 0.1, RATE_HZ), RATE_HZ)
    assert np.abs(from_pcm(to_pcm(samples)) - samples).max() < 1e-4
    assert to_pcm(np.array([2.0, -2.0])).tolist() == [32767, -32768]


# --- the worker -----------------------------------------------------------------------------------


def adder(start: int) -> Callable[[object], object]:
    """A worker's work, for the tests: adds; sleeps, fails or dies when told to."""

    def add(request: object) -> object:
        if request == "sleep":
            time.sleep(30)
        if request == "die":
            os._exit(3)
        if request == "missing":
            raise MissingPart("a part", "install it")
        print("noise on standard output harms nothing")
        return start + int(str(request))

    return add


def missing() -> Callable[[object], object]:
    raise MissingPart("an engine", "install it")


async def test_a_worker_answers_and_outlives_an_error() -> None:
    worker = Worker("tests.test_tts:adder", 40)
    await worker.open()
    first = worker.pid
    assert await worker.call(2, 5) == 42
    with pytest.raises(WorkerFailed, match="ValueError"):
        await worker.call("not a number", 5)
    with pytest.raises(MissingPart, match="a part"):
        await worker.call("missing", 5)
    assert await worker.call(3, 5) == 43
    assert worker.pid == first
    await worker.close()
    assert worker.pid is None


async def test_a_late_or_dead_worker_is_replaced() -> None:
    worker = Worker("tests.test_tts:adder", 40)
    with pytest.raises(WorkerFailed, match="did not answer within"):
        await worker.call("sleep", 0.2)
    assert worker.pid is None
    with pytest.raises(WorkerDied, match="ended with code"):
        await worker.call("die", 5)
    assert await worker.call(1, 5) == 41
    await worker.close()


async def test_a_cancelled_request_does_not_poison_the_next_answer() -> None:
    worker = Worker("tests.test_tts:adder", 40)
    await worker.open()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(worker.call("sleep", 5), 0.1)
    assert await worker.call(2, 5) == 42
    await worker.close()


async def test_a_missing_part_is_said_at_the_start() -> None:
    pool = WorkerPool([Worker("tests.test_tts:missing")])
    with pytest.raises(MissingPart, match="install it"):
        await pool.open()


async def test_the_pool_asks_a_dead_worker_once_more() -> None:
    worker = Worker("tests.test_tts:adder", 1)
    pool = WorkerPool([worker])
    await pool.open()
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    assert await pool.call(1, 5) == 2
    with pytest.raises(WorkerDied):
        await pool.call("die", 5)
    assert await pool.call(2, 5) == 3
    await pool.close()


# --- the cache ------------------------------------------------------------------------------------


class CountingVoice:
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def synthesize(self, text: str, voice: VoiceSpec) -> Pcm:
        self.asked.append(f"{text} {voice}")
        return np.full(100, len(self.asked), dtype=np.int16)


async def test_a_line_is_spoken_once_for_each_voice_and_rate(tmp_path: Path) -> None:
    voice = CountingVoice()
    for _ in range(2):
        cached = CachedSynthesizer(voice, "engine", tmp_path)
        await cached.open()
        for spec in (VoiceSpec("fr"), VoiceSpec("fr", "a"), VoiceSpec("fr", "a", 200), VoiceSpec("fr")):
            await cached.synthesize("Bonsoir, shérif.", spec)
    assert len(voice.asked) == 3
    assert not [path for path in tmp_path.iterdir() if "sh" in path.name and "rif" in path.name]


async def test_a_damaged_entry_is_spoken_again(tmp_path: Path) -> None:
    voice = CountingVoice()
    for _ in range(2):
        cached = CachedSynthesizer(voice, "engine", tmp_path)
        await cached.open()
        await cached.synthesize("Pas maintenant.", VoiceSpec("fr"))
        for path in tmp_path.iterdir():
            path.write_bytes(path.read_bytes()[:40])
    assert len(voice.asked) == 2


# --- pyttsx3 --------------------------------------------------------------------------------------


def lines(lang: Lang, count: int) -> list[str]:
    book = Phrasebook(lang)
    return [
        book.render(("nominated", "ask-nomination", "left", "echo-ballot")[i % 4], {"seat": i % 10 + 1})
        for i in range(count)
    ]


@pytest.mark.real
@pytest.mark.tts
async def test_pyttsx3_speaks_fifty_lines_in_three_languages() -> None:
    spoken = 0
    for lang in LANGS:
        voice = Pyttsx3Synthesizer(lang)
        await voice.open()
        for text in lines(lang, 17):
            pcm = await voice.synthesize(text, VoiceSpec(lang))
            assert pcm.dtype == np.int16
            assert 0.4 < len(pcm) / RATE_HZ < 4, text
            assert 3_000 < np.abs(pcm.astype(int)).max() < 30_000, text
            spoken += 1
        await voice.close()
    assert spoken == 51


@pytest.mark.real
@pytest.mark.tts
async def test_pyttsx3_speaks_with_three_workers_at_once() -> None:
    voice = Pyttsx3Synthesizer("fr", workers=3)
    await voice.open()
    spoken = await asyncio.gather(*(voice.synthesize(text, VoiceSpec("fr")) for text in lines("fr", 10)))
    assert len(spoken) == 10
    assert all(len(pcm) > 10_000 for pcm in spoken)
    await voice.close()


@pytest.mark.real
@pytest.mark.tts
async def test_pyttsx3_survives_a_killed_and_a_hung_process() -> None:
    voice = Pyttsx3Synthesizer("fr", deadline_s=1.0)
    await voice.open()
    (worker,) = voice.pool.workers
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    assert len(await voice.synthesize("Bonsoir, shérif.", VoiceSpec("fr")))
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGSTOP)
    with pytest.raises(SynthesisFailed, match="within"):
        await voice.synthesize("Bonsoir, shérif.", VoiceSpec("fr"))
    assert len(await voice.synthesize("Bonsoir, shérif.", VoiceSpec("fr")))
    await voice.close()


@pytest.mark.real
@pytest.mark.tts
async def test_pyttsx3_never_speaks_with_a_wrong_voice() -> None:
    voice = Pyttsx3Synthesizer("fr")
    await voice.open()
    for name in ("nobody", "zle/ru", "roa/fr+nobody", "fr"):
        with pytest.raises(MissingPart):
            await voice.synthesize("Bonsoir.", VoiceSpec("fr", name))
    variant = await voice.synthesize("Bonsoir.", VoiceSpec("fr", "roa/fr+f3"))
    plain = await voice.synthesize("Bonsoir.", VoiceSpec("fr"))
    assert len(variant) != len(plain) or not np.array_equal(variant, plain)
    await voice.close()


# --- the natural voice ----------------------------------------------------------------------------


def test_a_blend_is_read_from_its_name() -> None:
    assert parse_blend("ff_siwis") == Blend({"ff_siwis": 1.0}, 1.0)
    assert parse_blend("ff_siwis:0.6+im_nicola:0.4@0.9") == Blend({"ff_siwis": 0.6, "im_nicola": 0.4}, 0.9)
    for wrong in ("ff_siwis:0.6", "ff_siwis:1.5+am_adam:-0.5", "ff_siwis@3", "ff_siwis:much"):
        with pytest.raises(ValueError, match=r".+"):
            parse_blend(wrong)


@pytest.mark.parametrize("lang", LANGS)
def test_the_ten_robots_have_ten_voices(lang: Lang) -> None:
    rows = read_yaml("configs", "robots.yaml")["voices"][lang]
    assert len({(row["engine"], row["name"]) for row in rows}) == len(rows) == 10
    for row in rows:
        if row["engine"] == "kokoro":
            assert lang in DEFAULTS
            parse_blend(row["name"])
        if row["engine"] == "festival":
            assert lang == "ru" and pitch_of(row["name"]) == float(row["name"].partition("@")[2] or 1)


async def test_kokoro_has_no_russian() -> None:
    with pytest.raises(MissingPart, match="'ru'"):
        await KokoroSynthesizer("ru").open()


@pytest.mark.real
@pytest.mark.natural
async def test_kokoro_speaks_with_a_style_and_with_a_blend_and_never_with_another_voice() -> None:
    voice = KokoroSynthesizer("fr")
    await voice.open()
    plain = await voice.synthesize("Contre le quatre.", VoiceSpec("fr"))
    lower = await voice.synthesize("Contre le quatre.", VoiceSpec("fr", "ff_siwis:0.6+im_nicola:0.4@0.9"))
    for pcm in (plain, lower):
        assert 0.6 < len(pcm) / RATE_HZ < 2.0
        assert 3_000 < np.abs(pcm.astype(int)).max() < 30_000
    assert not np.array_equal(plain, lower)
    slow = await voice.synthesize("Contre le quatre.", VoiceSpec("fr", rate_wpm=120))
    assert len(slow) > 1.2 * len(plain)
    with pytest.raises(MissingPart, match="nobody"):
        await voice.synthesize("Contre le quatre.", VoiceSpec("fr", "nobody"))
    await voice.close()


async def test_festival_has_russian_alone() -> None:
    with pytest.raises(MissingPart, match="Russian, not 'fr'"):
        await FestivalSynthesizer("fr").open()
    for wrong in ("nobody", f"{VOICE}@3", f"{VOICE}@0.1", "@", f"{VOICE})(exit)"):
        with pytest.raises(MissingPart, match="has no voice"):
            pitch_of(wrong)


def test_without_festival_its_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingPart, match="festvox-ru"):
        tts_festival.speaker("ru")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Номер четыре, ваша минута!", "Номер четыре, ваша минута."),
        ("Ёжик — «мафия»… 🙂 Йод", "Ёжик, мафия. Йод"),
        ("..., да ,нет", "да, нет"),
        ('") (exit) ("', "exit"),
        ("a\\", "a"),
        ("Élodie", "Elodie"),
        ("!?…", ""),
        ("", ""),
    ],
)
def test_festival_is_told_words_and_pauses_alone(text: str, said: str) -> None:
    """A sign that it does not know silences the line; a quote would end the string that the words stand in."""
    assert " ".join(speakable(text).split()) == said


@pytest.mark.real
@pytest.mark.natural
async def test_festival_speaks_russian_at_any_pace_and_pitch_and_outlives_its_process() -> None:
    voice = FestivalSynthesizer("ru")
    await voice.open()
    line = "Номер четыре, ваша минута."
    try:
        plain, fast, slow, lower = [
            await voice.synthesize(line, VoiceSpec("ru", name, rate_wpm))
            for name, rate_wpm in (("", 140), ("", 280), ("", 90), (f"{VOICE}@0.85", 140))
        ]
        for pcm in (plain, fast, slow, lower):
            assert 3_000 < np.abs(pcm.astype(int)).max() < 30_000
        assert len(fast) < 0.6 * len(plain) < 0.6 * 0.75 * len(slow)
        assert len(lower) == pytest.approx(len(plain), rel=0.15) and not np.array_equal(lower, plain)
        for strange in ('") (quit) ("', "Alex, ça va? 🙂", "!!!"):
            await voice.synthesize(strange, VoiceSpec("ru"))
        (worker,) = voice.pool.workers
        killer = await asyncio.create_subprocess_exec("pkill", "-KILL", "-x", "festival", "-P", str(worker.pid))
        assert await killer.wait() == 0
        assert np.array_equal(await voice.synthesize(line, VoiceSpec("ru", rate_wpm=140)), plain)
    finally:
        await voice.close()


@pytest.mark.real
@pytest.mark.tts
@pytest.mark.natural
@pytest.mark.parametrize("lang", LANGS)
async def test_every_robot_voice_exists(lang: Lang) -> None:
    voices: dict[str, Synthesizer] = {}
    for row in read_yaml("configs", "robots.yaml")["voices"][lang]:
        if row["engine"] not in voices:
            voices[row["engine"]] = make_synthesizer(row["engine"], lang)
            await voices[row["engine"]].open()
        pcm = await voices[row["engine"]].synthesize(lines(lang, 1)[0], VoiceSpec(lang, row["name"], row["rate_wpm"]))
        assert 0.5 < len(pcm) / RATE_HZ < 4, row
    for voice in voices.values():
        await voice.close()
