"""Some of the moderator's lines in the natural voice, heard back by plain Whisper: numbers and words come back.

All of them: `moderator bench narrator` (docs/ux.md).
"""

import pytest

from voice import engines
from voice.bench_narrator import NATURAL, Spoken, hear, judge, lines, numbers, words
from voice.config import load_voice_config
from voice.ports import Lang, VoiceSpec

KEYS = (
    "speech-call",
    "nominated",
    "ballot-list",
    "count",
    "left",
    "morning",
    "check-mafia",
    "crown",
    "won-mafia-parity",
)
"""What costs most when it is misheard."""
LANGS: tuple[Lang, ...] = ("fr", "en")
MOST = 0.75


def test_every_sentence_is_tried_in_every_wording() -> None:
    for lang in ("fr", "en", "ru"):
        said = lines(lang)
        assert len({line.key for line in said}) > 150
        assert {line.setting for line in said} == {"mafia", "loup-garou"}
        assert {number for line in said for number in numbers(lang, line.text)} == set(range(1, 11))


def test_a_line_is_right_with_its_numbers_and_most_of_its_words() -> None:
    line = Spoken("count", "mafia", "Contre le six, trois voix : le un, le deux et le sept.")
    assert judge(line, "Contre le 6, 3 voix, le 1, le 2 et le 7.", "fr").right
    assert not judge(line, "Contre le 10, 3 voix, le 1, le 2 et le 7.", "fr").right
    assert not judge(Spoken("left", "mafia", "Numéro six, éliminé."), "Numéro six.", "fr").right
    assert words("Numéro six, éliminé.", "fr") == ["numero", "elimine"]


@pytest.mark.real
@pytest.mark.whisper
@pytest.mark.natural
@pytest.mark.parametrize("lang", LANGS)
async def test_what_costs_most_is_heard_right(lang: Lang) -> None:
    config = load_voice_config()
    said = [line for line in lines(lang) if line.key in KEYS]
    synthesizer = engines.make_synthesizer(NATURAL, lang)
    await synthesizer.open()
    try:
        async with engines.transcriber(config.stt.model_copy(update={"tuned": False})) as transcriber:
            voice = VoiceSpec(lang, "", config.tts.rate_wpm, kept=False)
            outcomes = await hear(said, lang, voice, synthesizer, transcriber)
    finally:
        await synthesizer.close()
    wrong = [(outcome.line.text, outcome.heard) for outcome in outcomes if not outcome.right]
    assert len(wrong) <= (1 - MOST) * len(outcomes), wrong
