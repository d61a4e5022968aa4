"""Checks every real part by using it once, and names the command that mends what is missing."""

import asyncio
import contextlib
import json
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from moderator.events import NightBegan
from voice import engines, livekit_server
from voice.config import ConfigError, VoiceConfig, load_voice_config
from voice.gate import HEARING_HZ
from voice.ports import RATE_HZ, Clip, Context, Hint, Lang, MissingPart, Pcm, SynthesisFailed, Task, VoiceSpec
from voice.sound import from_pcm, resample, to_pcm
from voice.store_sql import SqlStore
from voice.stored import home

CLIENT = Path(__file__).parent / "client" / "dist"
SENTENCE: dict[Lang, str] = {
    "fr": "Bonjour, la partie commence.",
    "en": "Good evening, the game begins.",
    "ru": "Добрый вечер, игра начинается.",
}


class Finding(NamedTuple):
    """`missing` is an error where the part is `needed`, else a notice.

    `cure` is a command, or a setting; empty where none is known.
    """

    part: str
    state: Literal["ok", "missing"]
    says: str
    needed: bool
    cure: str = ""


Check = Callable[[VoiceConfig, Lang], Awaitable[str]]


def main(lang: Lang, stack: str) -> int:
    """Each part as soon as it is known on standard error, the findings as one JSON object on standard output.

    Exit code 1: a needed part is missing.
    """
    findings = asyncio.run(examine(load_voice_config().with_stack(stack), lang))
    print(json.dumps({"findings": [one._asdict() for one in findings]}, ensure_ascii=False))
    return int(any(one.state == "missing" and one.needed for one in findings))


async def examine(config: VoiceConfig, lang: Lang) -> list[Finding]:
    """One after the other: together they would slow one another down. Each is named before it is tried."""
    checks: list[tuple[str, bool, Check]] = [
        ("voice", True, voice),
        ("natural voice", False, natural_voice),
        ("recogniser", True, recogniser),
        ("model", False, model),
        ("livekit", True, livekit),
        ("store", True, store),
        ("web client", False, web_client),
    ]
    findings = []
    for part, needed, check in checks:
        print(f"{part:<14}", end="", file=sys.stderr, flush=True)
        one = await examined(part, needed, check, config, lang)
        cure = f"\n{'':24}cure: {one.cure}" if one.cure else ""
        print(f"{one.state:<10}{one.says}{cure}", file=sys.stderr, flush=True)
        findings.append(one)
    return findings


async def examined(part: str, needed: bool, check: Check, config: VoiceConfig, lang: Lang) -> Finding:
    try:
        return Finding(part, "ok", await check(config, lang), needed)
    except MissingPart as missing:
        return Finding(part, "missing", missing.what, needed, missing.cure)
    except ConfigError as wrong:
        return Finding(part, "missing", str(wrong), needed)
    except Exception as error:  # whatever a part does when it is used is what there is to say about it
        return Finding(part, "missing", f"{type(error).__name__}: {error}", needed)


# --- the parts: each returns what it did, or raises -----------------------------------------------


async def voice(config: VoiceConfig, lang: Lang) -> str:
    said = await _said(config.tts.engine, lang, config.tts.voice)
    return f"{config.tts.engine} said {len(said) / RATE_HZ:.1f} s of {lang}"


async def natural_voice(config: VoiceConfig, lang: Lang) -> str:
    engine = engines.NATURAL[lang]
    return f"{engine} said {len(await _said(engine, lang, '')) / RATE_HZ:.1f} s of {lang}"


async def _said(engine: str, lang: Lang, name: str) -> Pcm:
    synthesizer = engines.make_synthesizer(engine, lang)
    try:
        await synthesizer.open()
        return await synthesizer.synthesize(SENTENCE[lang], VoiceSpec(lang, name))
    finally:
        await synthesizer.close()


async def recogniser(config: VoiceConfig, lang: Lang) -> str:
    """Hears the best voice that there is; without one, silence, which shows that it loads and answers."""
    said = np.zeros(RATE_HZ, dtype=np.int16)
    for engine in (engines.NATURAL[lang], "pyttsx3"):  # Whisper finds espeak-ng hard to understand
        with contextlib.suppress(MissingPart, SynthesisFailed):
            said = await _said(engine, lang, "")
            break
    pcm = to_pcm(resample(from_pcm(said), RATE_HZ, HEARING_HZ))
    async with engines.transcriber(config.stt.model_copy(update={"workers": 1})) as transcriber:
        heard = await transcriber.transcribe(Clip(1, pcm, 0.0, len(pcm) / HEARING_HZ), Hint(lang))
    if said.any() and not heard.text:
        raise RuntimeError(f"{config.stt.engine} heard nothing of « {SENTENCE[lang]} »")
    return f"{config.stt.engine} heard « {heard.text} » in {heard.seconds:.1f} s"


async def model(config: VoiceConfig, lang: Lang) -> str:
    try:
        made = engines.make_extractor(config.llm, lang)
        if made is None:
            raise MissingPart("none is configured", "set llm.engine in configs/voice.yaml")
        try:
            await made.open()
            reading = await made.read(Task.VOTE, lang, "4", Context(1, tuple(range(1, 11)), (4, 7)))
        finally:
            await made.close()
    except MissingPart as missing:
        raise MissingPart(f"{missing.what}: what is not plain will be asked", missing.cure) from missing
    read = ", ".join(f"{act.kind} {act.seat}" for act in reading.acts) or "nothing"
    return f"{config.llm.engine} read « 4 » in a ballot as {read}{' (unsure)' if reading.unsure else ''}"


async def livekit(config: VoiceConfig, lang: Lang) -> str:
    """Starts the server that a game would start, or asks the configured one; either must take our keys."""
    from livekit import api

    with tempfile.TemporaryDirectory() as folder:
        async with livekit_server.running(Path(folder) / "livekit.log") as server:
            address = server.url.replace("ws", "http", 1)
            async with api.LiveKitAPI(address, server.api_key, server.api_secret) as client:
                await client.room.list_rooms(api.ListRoomsRequest())
    if server.pid is None:
        return f"the configured server at {server.url} answers and takes the keys"
    return f"livekit-server {livekit_server.VERSION} starts on loopback and takes the keys"


async def store(config: VoiceConfig, lang: Lang) -> str:
    """Where games will lie, or in the folder that will hold that folder."""
    place = next(folder for folder in (home().absolute(), *home().absolute().parents) if folder.is_dir())
    with tempfile.TemporaryDirectory(prefix=".doctor-", dir=place) as folder:
        opened = SqlStore(Path(folder) / "doctor.db")
        try:
            await opened.append("doctor", 0, [NightBegan(at=0, night=0)])
            kept = len(await opened.events("doctor"))
        finally:
            await opened.close()
    return f"SQLite in {place} keeps what it is given ({kept} of 1 events)"


async def web_client(config: VoiceConfig, lang: Lang) -> str:
    """The page, and each file that it names."""
    page = CLIENT / "index.html"
    if not page.is_file():
        raise MissingPart(f"{page}, the built page", "make client")
    files = [CLIENT / name for name in re.findall(r'="/(assets/[^"?]+)', page.read_text(encoding="utf-8"))]
    gone = [file for file in files if not file.is_file()]
    if gone or not files:
        raise MissingPart(f"{gone[0] if gone else CLIENT}, a part of the page", "make client")
    return f"{len(files)} files, {sum(file.stat().st_size for file in files) // 1000} kB"
