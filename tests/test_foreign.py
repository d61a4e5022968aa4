"""Recordings from elsewhere: whose they are, heard once however often one is interrupted, read but not ruled."""

import argparse
import asyncio
import json
import wave
from collections.abc import Sequence
from pathlib import Path

import html5lib
import numpy as np
import pytest

from voice import foreign, transcribe
from voice.cli import main
from voice.config import load_voice_config
from voice.foreign_write import Recorded, documents
from voice.heard import hear
from voice.listening import Kept, listen
from voice.ports import RATE_HZ, ActKind, Clip, Hint, Pcm, Transcript, Utterance
from voice.progress import bar
from voice.stt_whisper import WhisperTranscriber
from voice.understanding import Understanding

CLIPS = Path(__file__).parent / "clips"
SPOKEN = ("fr-nomination-3", "fr-testament-2-5-8", "fr-confirm-no")
GAP_S = 1.5


def sound(name: str) -> Pcm:
    frames = list(transcribe.Sound(CLIPS / f"{name}.flac")._frames())
    return np.concatenate(frames)


@pytest.fixture
def mixed(tmp_path: Path) -> tuple[Path, list[tuple[float, float]]]:
    """One file in which the three clips are spoken, and where in it."""
    silence = np.zeros(round(GAP_S * RATE_HZ), np.int16)
    parts, spans, at_s = [silence], [], GAP_S
    for name in SPOKEN:
        pcm = sound(name)
        parts += [pcm, silence]
        spans.append((round(at_s, 2), round(at_s + len(pcm) / RATE_HZ, 2)))
        at_s += len(pcm) / RATE_HZ + GAP_S
    path = tmp_path / "evening.wav"
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE_HZ)
        out.writeframes(np.concatenate(parts).tobytes())
    return path, spans


class Interrupted(Exception):
    pass


class Scripted:
    """Hears these words, one clip after the other; is interrupted at the clip with number `ends_at`."""

    def __init__(self, texts: Sequence[str], ends_at: int | None = None) -> None:
        self.texts, self.ends_at, self.clips = list(texts), ends_at, list[Clip]()

    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def transcribe(self, clip: Clip, hint: Hint) -> Transcript:
        self.clips.append(clip)
        if len(self.clips) - 1 == self.ends_at:
            raise Interrupted
        return Transcript(self.texts[len(self.clips) - 1], 0.9)


def seat_file(path: Path, spans: list[tuple[float, float]]) -> Path:
    rows = [{"seat": seat, "start_s": start, "end_s": end} for seat, (start, end) in enumerate(spans, 3)]
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


async def test_an_interrupted_hearing_goes_on_where_it_stopped(mixed: tuple[Path, list[tuple[float, float]]]) -> None:
    path, spans = mixed
    first = Scripted(["Un.", "Deux."], ends_at=2)
    with pytest.raises(Interrupted):
        await listen(path, "fr", first, {"engine": "scripted"})
    second, done = Scripted(["Trois."]), list[float]()
    pieces = await listen(path, "fr", second, {"engine": "scripted"}, (), done.append)
    heard = [piece.text for piece in pieces]
    assert len(second.clips) == 1 and heard == ["Un.", "Deux.", "Trois."] and done == sorted(done)
    for piece, (start_s, end_s) in zip(pieces, spans, strict=True):
        assert start_s - 0.2 < piece.started_s < piece.ended_s < end_s + 0.3
    third = Scripted([])
    assert await listen(path, "fr", third, {"engine": "scripted"}) == pieces and not third.clips


async def test_other_settings_another_file_and_damage_are_heard_anew(
    mixed: tuple[Path, list[tuple[float, float]]],
) -> None:
    path, _ = mixed
    await listen(path, "fr", Scripted(["a", "b", "c"]), {"beam": 5})
    again = Scripted(["d", "e", "f"])
    assert [piece.text for piece in await listen(path, "fr", again, {"beam": 1})] == ["d", "e", "f"]
    kept = Kept(path, {"beam": 1, "lang": "fr", "cuts_s": []})
    whole = kept.path.read_text(encoding="utf-8")
    kept.path.write_text(whole[:-10], encoding="utf-8")
    last = Scripted(["g"])
    assert [piece.text for piece in await listen(path, "fr", last, {"beam": 1})] == ["d", "e", "g"]
    before = kept.path
    path.write_bytes(path.read_bytes() + b"\0\0")
    assert Kept(path, {"beam": 1}).path != before


def test_a_turn_ends_the_words_of_the_one_before(mixed: tuple[Path, list[tuple[float, float]]]) -> None:
    path, spans = mixed
    middle_s = sum(spans[0]) / 2
    whole = [clip for clips in transcribe.Sound(path).clips() for clip in clips]
    parts = [clip for clips in transcribe.Sound(path).clips([middle_s]) for clip in clips]
    assert len(parts) == len(whole) + 1
    assert parts[0].ended_s <= middle_s + 0.05 and parts[1].started_s >= middle_s - 0.3


# --- whose it is ----------------------------------------------------------------------------------


def test_seats_come_from_names_or_from_a_list(tmp_path: Path) -> None:
    for name in ("seat-3.wav", "2026-10-05 joueur 10.wav", "evening.wav"):
        (tmp_path / name).touch()
    found = foreign.sources([tmp_path / "seat-3.wav", tmp_path / "2026-10-05 joueur 10.wav"], None)
    assert [source.seat for source in found] == [3, 10]
    (source,) = foreign.sources([tmp_path / "evening.wav"], seat_file(tmp_path / "s.json", [(0, 10), (8, 20)]))
    assert source.cuts_s == (0, 8, 10, 20)
    assert [source.who(*span) for span in ((1, 2), (7, 12), (7.5, 8.5), (30, 31))] == [3, 4, 3, 0]


@pytest.mark.parametrize(
    ("names", "seats", "says"),
    [
        (["seat-1.wav", "seat-01.wav"], None, "two files of one seat"),
        (["a.wav", "b.wav"], None, "a.wav: whose is it"),
        (["seat-1.wav", "nowhere.wav"], None, "nowhere.wav: no such file"),
        (["seat-1.wav", "a.wav"], "[]", "--seats is for one mixed recording"),
        (["a.wav"], "{}", "s.json: must be a list, got {}"),
        (["a.wav"], '[{"seat": 11, "start_s": 0, "end_s": 1}]', "0.seat: must be 10 or less, got 11"),
        (["a.wav"], '[{"seat": 1, "start_s": 5, "end_s": 1}]', "end_s must be after start_s"),
    ],
)
def test_what_cannot_be_told_apart_is_one_line_and_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: list[str], seats: str | None, says: str
) -> None:
    for name in names:
        if name != "nowhere.wav":
            (tmp_path / name).touch()
    (tmp_path / "s.json").write_text(seats or "")
    options = ["--seats", str(tmp_path / "s.json")] if seats is not None else []
    assert main(["review", *(str(tmp_path / name) for name in names), *options]) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1 and "cure" in error


@pytest.mark.parametrize("options", [["--format", "mgn"], ["--share"], ["--clips", "lines"]])
def test_what_only_a_game_has_is_refused_before_anything_is_heard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    (tmp_path / "seat-1.wav").touch()
    assert main(["review", str(tmp_path / "seat-1.wav"), *options]) == 2
    error = capsys.readouterr().err
    assert options[0] in error and "cure" in error and error.count("\n") == 1


# --- what was heard -------------------------------------------------------------------------------


def line(seat: int, text: str, started_s: float, lasts_s: float = 3.0) -> Utterance:
    return Utterance(seat, started_s, started_s + lasts_s, text, 0.9)


TALK = (
    line(3, "Je crois que le huit ment.", 10),
    line(3, "Je nomine le huit.", 15),
    line(4, "Je suis le shérif. J'ai vérifié le deux, noir.", 30, 8),
    line(5, "Contre le huit.", 60),
    line(8, "Mon testament : trois, quatre. La couronne au cinq.", 70, 20),
    line(9, "Le huit a nominé le trois hier.", 100, 9),
)


async def test_nominations_votes_testaments_and_claims_are_heard() -> None:
    heard = await hear(TALK, "fr", Understanding())
    assert [(one.seat, one.kind, one.target, one.line) for one in heard] == [
        (3, ActKind.NOMINATE, 8, 1),
        (4, ActKind.CLAIM_SHERIFF, None, 2),
        (4, ActKind.CLAIM_BLACK, 2, 2),
        (5, ActKind.VOTE, 8, 3),
        (8, ActKind.SUSPECT, 3, 4),
        (8, ActKind.SUSPECT, 4, 4),
        (8, ActKind.CROWN, 5, 4),
    ]


@pytest.mark.parametrize("lang", ["fr", "en", "ru"])
def test_every_document_says_that_nothing_was_ruled(lang: str, tmp_path: Path) -> None:
    heard = asyncio.run(hear(TALK, "fr", Understanding()))
    recorded = Recorded((tmp_path / "<evening>.wav",), (*TALK, line(0, "<script>", 200)), tuple(heard))
    write = documents(recorded, lang, tmp_path)  # type: ignore[arg-type]
    assert json.loads(write["json"]())["ruled"] is False
    tree = html5lib.HTMLParser(strict=True).parse(write["html"]())
    page = " ".join(tree.itertext())
    assert {"fr": "pas arbitré", "en": "not ruled", "ru": "а не решено"}[lang] in page
    assert len([element for element in tree.iter() if element.tag.endswith("}script")]) == 1
    assert "**?** \\<script\\>" in write["md"]()
    assert "<v ?>&lt;script&gt;</v>" in write["vtt"]()


def test_a_bar_tells_what_is_left(tmp_path: Path) -> None:
    with (tmp_path / "err").open("w+", encoding="utf-8") as out:
        with bar(100.0, "evening.wav", out) as done:
            done(40.0)
            done(30.0)
            done(250.0)
        out.seek(0)
        last = out.read().replace("\r", "\n").split("\n")
    assert any("100 %" in drawn and "100 of 100 s" in drawn and "left" in drawn for drawn in last)


@pytest.mark.real
@pytest.mark.whisper
async def test_a_recording_is_heard_by_the_real_recogniser(mixed: tuple[Path, list[tuple[float, float]]]) -> None:
    path, spans = mixed
    args = argparse.Namespace(lang="fr", model=False)
    recorded = await foreign.transcribed(foreign.sources([path], seat_file(path.with_suffix(".json"), spans)), args)
    assert [one.seat for one in recorded.transcript] == [3, 4, 5]
    heard = {(one.seat, one.kind): one.target for one in recorded.heard}
    assert heard[3, ActKind.NOMINATE] == 3
    assert {one.target for one in recorded.heard if one.kind is ActKind.SUSPECT} == {2, 5, 8}
    weights = WhisperTranscriber(load_voice_config().stt)
    assert not weights._workers, "what was heard is kept: a second time nobody is asked"
