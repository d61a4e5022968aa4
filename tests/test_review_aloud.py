"""A finished game told aloud."""

import random
import wave
from pathlib import Path

import pytest

from moderator import events as ev
from moderator.rules import Rules
from moderator.simulate import deal, play
from voice.cli import main
from voice.ports import RATE_HZ, Lang
from voice.review_aloud import told
from voice.store_sql import export_log


def log(seed: int) -> list[ev.Event]:
    chance = random.Random(seed)
    return play(chance, Rules(), deal(chance))


@pytest.mark.parametrize("lang", ["fr", "en", "ru"])
def test_it_tells_who_left_in_order_then_who_won_and_who_was_who(lang: Lang) -> None:
    for seed in range(10):
        game = log(seed)
        sentences = told(game, lang)
        voted = sum(isinstance(event, ev.PlayerLeft) and event.cause != "shot" for event in game)
        mornings = sum(isinstance(event, ev.NightEnded) and event.night > 0 for event in game)
        assert len(sentences) == voted + mornings + 2 + any(isinstance(e, ev.Scored) and any(e.points) for e in game)
        assert not any(char.isdigit() for char in "".join(sentences))


@pytest.mark.real
@pytest.mark.tts
def test_it_is_spoken_within_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "voice.yaml").write_text("tts:\n  engine: pyttsx3\n", encoding="utf-8")
    monkeypatch.setenv("MODERATOR_DATA", str(tmp_path))
    game, sound = tmp_path / "game.jsonl", tmp_path / "told" / "game.wav"
    export_log(game, log(3))
    assert main(["review", str(game), "--lang", "fr", "--aloud", str(sound)]) == 0
    assert str(sound) in capsys.readouterr().err
    with wave.open(str(sound)) as read:
        seconds = read.getnframes() / read.getframerate()
        assert (read.getframerate(), read.getnchannels()) == (RATE_HZ, 1)
    assert 10 < seconds < 60
