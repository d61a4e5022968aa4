"""Checks every real part by using it once, and names the command that mends what is missing."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from moderator.events import NightBegan
from voice import engines, livekit_server
from voice.config import VoiceConfig, load_voice_config
from voice.ports import Clip, Context, Hint, Lang, MissingPart, SynthesisFailed, Task, VoiceSpec
from voice.sound import from_pcm, resample, to_pcm
from voice.store_sql import SqliteStore

SENTENCE: dict[Lang, str] = {
    "fr": "Bonjour, la partie commence.",
    "en": "Good evening, the game begins.",
    "ru": "Добрый вечер, игра начинается.",
}


class Finding(NamedTuple):
    """`missing` is an error where the part is `needed`, else a notice. `cure` is a command."""

    part: str
    state: Literal["ok", "missing", "absent"]
    says: str
    needed: bool
    cure: str = ""


Check = Callable[[VoiceConfig, Lang], Awaitable[str]]


def main(lang: Lang) -> int:
    """A table on standard error, the findings as one JSON object on standard output; 1: a needed part is missing."""
    findings = asyncio.run(examine(load_voice_config(), lang))
    for one in findings:
        cure = f"\n{'':24}cure: {one.cure}" if one.cure else ""
        print(f"{one.part:<14}{one.state:<10}{one.says}{cure}", file=sys.stderr)
    print(json.dumps({"findings": [one._asdict() for one in findings]}, ensure_ascii=False))
    return int(any(one.state == "missing" and one.needed for one in findings))


async def examine(config: VoiceConfig, lang: Lang) -> list[Finding]:
    checks: list[tuple[str, bool, Check]] = [
        ("voice", True, voice),
        ("natural voice", False, natural_voice),
        ("recogniser", True, recogniser),
        ("model", False, model),
        ("livekit", True, livekit),
        ("store", True, store),
    ]
    findings = [await examined(name, needed, check, config, lang) for name, needed, check in checks]
    findings.append(
        Finding("web client", "absent", "not part of this version: players join with a LiveKit client", False)
    )
    return findings


async def examined(part: str, needed: bool, check: Check, config: VoiceConfig, lang: Lang) -> Finding:
    try:
        return Finding(part, "ok", await check(config, lang), needed)
    except MissingPart as missing:
        return Finding(part, "missing", missing.what, needed, missing.cure)
    except (OSError, ValueError, SynthesisFailed) as error:
        return Finding(part, "missing", str(error), needed, "see the message")


async def voice(config: VoiceConfig, lang: Lang) -> str:
    synthesizer = engines.make_synthesizer(config.tts.engine, lang)
    return f"{config.tts.engine} said {await _spoken_s(synthesizer, lang, config.tts.voice):.1f} s of {lang}"


async def natural_voice(config: VoiceConfig, lang: Lang) -> str:
    if lang == "ru":
        raise MissingPart(
            "no natural voice speaks Russian; espeak-ng does", "none is known that installs without a hub"
        )
    return f"kokoro said {await _spoken_s(engines.make_synthesizer('kokoro', lang), lang, ''):.1f} s of {lang}"


async def _spoken_s(synthesizer: Any, lang: Lang, name: str) -> float:
    await synthesizer.open()
    try:
        return len(await synthesizer.synthesize(SENTENCE[lang], VoiceSpec(lang, name))) / 48_000
    finally:
        await synthesizer.close()


async def recogniser(config: VoiceConfig, lang: Lang) -> str:
    """Hears the voice's own sentence, where there is a voice."""
    pcm = np.zeros(16_000, dtype=np.int16)
    synthesizer = engines.make_synthesizer(config.tts.engine, lang)
    try:
        await synthesizer.open()
        said = await synthesizer.synthesize(SENTENCE[lang], VoiceSpec(lang, config.tts.voice))
        pcm = to_pcm(resample(from_pcm(said), 48_000, 16_000))
    except MissingPart:
        pass
    finally:
        await synthesizer.close()
    async with engines.transcriber(config.stt.model_copy(update={"workers": 1})) as transcriber:
        heard = await transcriber.transcribe(Clip(1, pcm, 0.0, len(pcm) / 16_000), Hint(lang))
    return f"{config.stt.engine} heard « {heard.text} » in {heard.seconds:.1f} s"


async def model(config: VoiceConfig, lang: Lang) -> str:
    made = engines.make_extractor(config.llm, lang)
    if made is None:
        raise MissingPart("no language model is configured: what is not plain will be asked", "set llm.engine")
    try:
        await made.open()
        reading = await made.read(Task.VOTE, lang, "4", Context(1, tuple(range(1, 11)), (4, 7)))
    except MissingPart as missing:
        raise MissingPart(f"{missing.what}: what is not plain will be asked", missing.cure) from missing
    finally:
        await made.close()
    return f"{config.llm.engine} answers ({len(reading.acts)} acts, {'unsure' if reading.unsure else 'sure'})"


async def livekit(config: VoiceConfig, lang: Lang) -> str:
    configured = livekit_server.configured()
    if configured is not None:
        return f"a server is configured at {configured.url}"
    path = await asyncio.to_thread(livekit_server.find)
    return f"{path.name} {livekit_server.VERSION} will be started on loopback"


async def store(config: VoiceConfig, lang: Lang) -> str:
    with tempfile.TemporaryDirectory() as folder:
        opened = SqliteStore(Path(folder) / "doctor.db")
        await opened.append("doctor", 0, [NightBegan(at=0, night=0)])
        kept = len(await opened.events("doctor"))
        await opened.close()
    return f"SQLite keeps what it is given ({kept} of 1 events)"
