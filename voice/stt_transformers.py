"""Whisper by transformers behind the same port (extra `torch`): the same weights under transformers' names."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voice.gate import HEARING_HZ
from voice.ports import MissingPart
from voice.stt_whisper import FEWEST_TOKENS, TOKENS_A_SECOND, Piece, Request, WhisperTranscriber, samples, warm_up

RENAMED = (
    (".attn.query", ".self_attn.q_proj"),
    (".attn.key", ".self_attn.k_proj"),
    (".attn.value", ".self_attn.v_proj"),
    (".attn.out", ".self_attn.out_proj"),
    (".cross_attn.query", ".encoder_attn.q_proj"),
    (".cross_attn.key", ".encoder_attn.k_proj"),
    (".cross_attn.value", ".encoder_attn.v_proj"),
    (".cross_attn.out", ".encoder_attn.out_proj"),
    (".cross_attn_ln", ".encoder_attn_layer_norm"),
    (".attn_ln", ".self_attn_layer_norm"),
    (".mlp_ln", ".final_layer_norm"),
    (".mlp.0", ".fc1"),
    (".mlp.2", ".fc2"),
    (".blocks.", ".layers."),
    ("encoder.ln_post", "encoder.layer_norm"),
    ("decoder.ln", "decoder.layer_norm"),
    ("token_embedding", "embed_tokens"),
    ("positional_embedding", "embed_positions.weight"),
)
"""openai-whisper's names and those of transformers, in the order in which they are replaced."""


class TransformersTranscriber(WhisperTranscriber):
    """Whisper in plain PyTorch: for machines whose accelerator transformers knows and CTranslate2 does not."""

    ENGINE = "voice.stt_transformers:load"


def load(folder: str, threads: int, beam: int) -> Callable[[Request], list[Piece]]:
    """Decodes greedily, whatever `beam` says, in the whole window of 30 s."""
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingPart("transformers", "make setup EXTRAS=torch") from error
    from faster_whisper.feature_extractor import FeatureExtractor
    from faster_whisper.tokenizer import Tokenizer
    from faster_whisper.transcribe import get_suppressed_tokens
    from tokenizers import Tokenizer as Words

    torch.set_num_threads(threads)
    model, mels = whisper_model(Path(folder))
    features_of = FeatureExtractor(feature_size=mels)
    vocabulary = Words.from_file(str(Path(folder) / "tokenizer.json"))

    def transcribe(request: Request) -> list[Piece]:
        pcm = samples(request.pcm)
        if not len(pcm):
            return []
        words = Tokenizer(vocabulary, multilingual=True, task="transcribe", language=request.lang)
        before = [words.sot_prev, *words.encode(" " + request.prompt)] if request.prompt else []
        start = [*before, *words.sot_sequence, words.no_timestamps]
        heard_s = len(pcm) / HEARING_HZ
        window = features_of.n_samples
        features = features_of(pcm[:window], padding=0 if len(pcm) >= window else window - len(pcm))
        with torch.inference_mode():
            sound = model.model.encoder(torch.from_numpy(features[None, :, : features_of.nb_max_frames]))
            longest = FEWEST_TOKENS + round(TOKENS_A_SECOND * heard_s)
            suppressed = list(get_suppressed_tokens(words, [-1]))
            ids, logprob, no_speech = _decode(model, sound, start, words, suppressed, longest)
        return [Piece(0.0, heard_s, words.decode(ids), logprob / (len(ids) + 1), no_speech)]

    warm_up(transcribe)
    return transcribe


def whisper_model(folder: Path) -> tuple[Any, int]:
    """(model, mel bands) from the CTranslate2 weights in `folder`."""
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    from voice.ct2_file import Ct2File
    from voice.weights_openai import convert

    dims, state = convert(Ct2File(folder / "model.bin"))
    config = WhisperConfig(
        vocab_size=dims["n_vocab"],
        num_mel_bins=dims["n_mels"],
        d_model=dims["n_audio_state"],
        encoder_layers=dims["n_audio_layer"],
        encoder_attention_heads=dims["n_audio_head"],
        encoder_ffn_dim=4 * dims["n_audio_state"],
        decoder_layers=dims["n_text_layer"],
        decoder_attention_heads=dims["n_text_head"],
        decoder_ffn_dim=4 * dims["n_text_state"],
        max_source_positions=dims["n_audio_ctx"],
        max_target_positions=dims["n_text_ctx"],
    )
    model = WhisperForConditionalGeneration(config)
    named = {}
    for name, tensor in state.items():
        for old, new in RENAMED:
            name = name.replace(old, new)
        named[f"model.{name}"] = tensor
    named["proj_out.weight"] = named["model.decoder.embed_tokens.weight"]
    model.load_state_dict(named)
    return model.eval(), dims["n_mels"]


def _decode(
    model: Any, sound: Any, start: list[int], words: Any, suppressed: list[int], longest: int
) -> tuple[list[int], float, float]:
    """(tokens, their log-probability in all, probability that nobody spoke): the likeliest token each time."""
    import torch

    given, cache, ids, logprob, no_speech = torch.tensor([start]), None, list[int](), 0.0, 0.0
    for step in range(min(longest, model.config.max_target_positions - len(start))):
        out = model(encoder_outputs=sound, decoder_input_ids=given, cache=cache, use_cache=True)
        cache = out.cache
        if step == 0:
            at = start.index(words.sot)
            no_speech = float(out.logits[0, at].softmax(-1)[words.no_speech])
        scores = out.logits[0, -1]
        scores[suppressed] = -math.inf
        scores[words.no_timestamps + 1 :] = -math.inf
        if step == 0:
            scores[words.eot] = -math.inf
        likely = scores.log_softmax(-1)
        best = int(likely.argmax())
        logprob += float(likely[best])
        if best == words.eot:
            break
        ids.append(best)
        given = torch.tensor([[best]])
    return ids, logprob, no_speech
