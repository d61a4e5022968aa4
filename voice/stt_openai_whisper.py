"""openai-whisper behind the same port (extra `torch`): the same weights, converted once, in the same workers."""

from collections.abc import Callable
from pathlib import Path

from voice.ports import MissingPart
from voice.stt_whisper import Piece, Request, WhisperTranscriber, samples, warm_up
from voice.weights import cache


class OpenAIWhisperTranscriber(WhisperTranscriber):
    """Three times slower than faster-whisper on a processor; the design card's own engine."""

    ENGINE = "voice.stt_openai_whisper:load"


def load(folder: str, threads: int, beam: int) -> Callable[[Request], list[Piece]]:
    """Beam search costs this engine several times the time: it decodes greedily."""
    try:
        import torch
        import whisper
    except ImportError as error:
        raise MissingPart("openai-whisper", "make setup EXTRAS=torch") from error
    from voice.weights_openai import checkpoint

    torch.set_num_threads(threads)
    model = whisper.load_model(str(checkpoint(Path(folder), cache())), device="cpu")

    def transcribe(request: Request) -> list[Piece]:
        found = model.transcribe(
            samples(request.pcm),
            language=request.lang,
            task="transcribe",
            temperature=0.0,
            without_timestamps=True,
            condition_on_previous_text=False,
            initial_prompt=request.prompt or None,
            compression_ratio_threshold=None,
            logprob_threshold=None,
            no_speech_threshold=None,
            fp16=False,
        )
        return [
            Piece(one["start"], one["end"], one["text"], one["avg_logprob"], one["no_speech_prob"])
            for one in found["segments"]
        ]

    warm_up(transcribe)
    return transcribe
