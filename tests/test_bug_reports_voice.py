"""Public bug reports about narrators, captions, repeats and confirmations as tests; each cites its report."""

import io
from itertools import pairwise

import pysubs2
import pytest
import webvtt as webvtt_reader
from kit import Kit
from test_table import Message, passes

from moderator.events import BallotCast, Nominated, StepOpened
from moderator.model import SEATS, Seat
from voice import captions
from voice.bench_narrator import lines
from voice.dialogue import SURE
from voice.ports import (
    Act,
    ActKind,
    Context,
    Lang,
    MissingPart,
    Pcm,
    Reading,
    Task,
    Utterance,
    VoiceSpec,
)
from voice.routing import LISTENERS
from voice.tts_kokoro import KokoroSynthesizer
from voice.understanding import Understanding
from voice.wire import Asked, Line

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")


async def test_narrator_never_overlaps_itself() -> None:
    """https://github.com/SecUSo/privacy-friendly-werewolf/issues/84 , https://github.com/Livinglist/WerewolfJudge/issues/7"""
    heard: dict[int, list[tuple[float, float, str]]] = {listener: [] for listener in LISTENERS}

    def player(seat: Seat, message: Message) -> str | None:
        if isinstance(message, Line):
            now_s = kit.clock.now()
            heard[seat].append((now_s, now_s + message.duration_ms / 1000, message.key))
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(120)
    for told in heard.values():
        assert len(told) > 20
        for (_, ends_s, _), (starts_s, _, _) in pairwise(told):
            assert starts_s >= ends_s - 0.03
    called = [ends_s for _, ends_s, key in heard[5] if key == "speech-call"]
    opened = [event.at for event in kit.of(StepOpened) if event.kind == "speech"]
    waits_s = [at - ends_s for at, ends_s in zip(opened, called, strict=False)]
    assert all(-0.03 <= wait_s < 0.5 for wait_s in waits_s), "clocks wait for the words"


async def test_tts_hang_is_survived() -> None:
    """https://github.com/nateshmbhat/pyttsx3/issues/126 , /131 , /262 , /403

    That the worker is killed and started again: tests/test_tts.py, `test_a_late_or_dead_worker_is_replaced`.
    """
    kit, whole = Kit(passes), Kit(passes)
    spoken = kit.voice.synthesize
    calls: list[str] = []

    async def synthesize(text: str, voice: VoiceSpec) -> Pcm:
        calls.append(text)
        if len(calls) == 2:
            raise TimeoutError("the engine hangs")
        return await spoken(text, voice)

    kit.voice.synthesize = synthesize  # type: ignore[method-assign]
    await kit.play(60)
    await whole.play(60)
    assert kit.room.lines(4) == whole.room.lines(4), "the words go out as text all the same"
    first, other = (each.of(StepOpened)[2].at for each in (kit, whole))
    assert abs(first - other) < 1.0


@pytest.mark.parametrize("lang", LANGS)
def test_french_voice_or_refuse_to_start(lang: Lang) -> None:
    """https://github.com/perminder-klair/subwave/issues/1213 , https://github.com/espeak-ng/espeak-ng/issues/707

    That a voice is never a wrong one: tests/test_tts.py, `test_pyttsx3_never_speaks_with_a_wrong_voice`.
    """
    for line in lines(lang):
        assert not any(char.isdigit() or char in "ºª°/" for char in line.text), line
        assert "1er" not in line.text and "2e " not in line.text


async def test_a_language_without_voice_is_refused_at_the_start() -> None:
    """https://github.com/perminder-klair/subwave/issues/1213"""
    with pytest.raises(MissingPart):
        await KokoroSynthesizer("ru").open()


async def test_repeat_really_repeats() -> None:
    """https://github.com/lichess-org/lila/issues/18080"""

    def player(seat: Seat, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            for after_s in (1.0, 5.0, 9.0):
                kit.say(6, "Répétez.", after_s=after_s)
        return None

    kit = Kit(player)
    await kit.play(50)
    told = [message for to, message in kit.room.sent if to == 6 and isinstance(message, Line)]
    again = [line for line in told if line.private and line.key == "speech-call"]
    assert len(again) == 3 and len({line.text for line in again}) == 1
    assert not any(
        line.private and line.key == "speech-call" for to, line in kit.room.sent if to == 7 and isinstance(line, Line)
    )


@pytest.mark.parametrize(
    "reading",
    [
        Reading((), True, 0.0),  # prose, or broken JSON
        Reading((Act(ActKind.VOTE, 14, "quatorze"),), False, 1.0),
        Reading((Act(ActKind.VOTE, 4, "quatre"), Act(ActKind.VOTE, 5, "cinq")), False, 1.0),
    ],
)
async def test_bad_model_output_is_no_vote(reading: Reading) -> None:
    """https://github.com/agentscope-ai/agentscope/issues/486 , https://github.com/watariGIT/llm-werewolf/issues/131 ,
    https://github.com/FoundationAgents/MetaGPT/issues/1335"""

    class Model:
        async def open(self) -> None: ...
        async def close(self) -> None: ...
        async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
            return reading

    context = Context(7, SEATS, (4, 5))
    proposal = await Understanding(Model()).read(
        Task.VOTE, "fr", "Alors voilà, je vais peut-être changer d'avis.", context
    )
    assert proposal.ask or not proposal.acts


async def test_what_was_hardly_heard_is_asked_and_moves_nothing() -> None:
    """https://github.com/agentscope-ai/agentscope/issues/486"""

    def player(seat: Seat, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech":
            return {1: "Je nomine le quatre. Je passe.", 2: "Je nomine le cinq. Je passe."}.get(seat, "Je passe.")
        if isinstance(message, Asked) and message.what == "ballot" and seat == 7:
            return "Contre le quatre."
        return None

    kit = Kit(player)
    kit.transcriber.doubts["Contre le quatre."] = SURE - 0.1
    await kit.play(110)
    assert [event.target for event in kit.of(Nominated)] == [4, 5]
    assert "ask-ballot" in kit.room.keys(7)
    assert all(event.default for event in kit.of(BallotCast) if event.seat == 7)


def test_captions_keep_their_speaker() -> None:
    """https://github.com/kaixxx/noScribe/issues/296 , https://github.com/asticode/go-astisub/issues/40

    That they grow and never shrink (https://github.com/SakiRinn/LiveCaptions-Translator/issues/278 ,
    https://github.com/Mentra-Community/MentraOS/pull/2140): tests/test_growing.py, and the client's own tests.
    """
    said = [Utterance(5, 1.0, 2.5, "Je nomine le <cinq> & le six.", 0.9), Utterance(7, 2.0, 4.0, "Non.", 0.9)]
    read = webvtt_reader.from_buffer(io.StringIO(captions.webvtt(said)))
    assert [(cue.voice, cue.start, cue.end) for cue in read.captions] == [
        ("5", "00:00:01.000", "00:00:02.500"),
        ("7", "00:00:02.000", "00:00:04.000"),
    ]
    assert captions.webvtt(said).count("<v ") == 2
    subtitles = pysubs2.SSAFile.from_string(captions.subrip(said, lambda seat: f"Numéro {seat}"), format_="srt")
    assert [line.plaintext.count("Numéro") for line in subtitles] == [1, 1]
