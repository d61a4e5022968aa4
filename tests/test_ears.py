"""Tuned ears: the lines they learn from, the adapter they become, and what both engines hear with it."""

import hashlib
import re
import struct
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from voice.config import read_yaml
from voice.ct2_file import Ct2File
from voice.gate import HEARING_HZ
from voice.grammar import seat_spans
from voice.ports import Lang
from voice.training.ears_lines import CLOSED, SHARES, Line, language, lines, templates
from voice.training.ears_sound import VOICES, nothing
from voice.weights import SIDE_FILES, cache
from voice.weights_tuned import ADAPTER, ADAPTER_SHA256, changes, hearing_folder, tuned_folder

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")


# --- the lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_the_same_seed_gives_the_same_lines_and_more_begin_alike(lang: Lang) -> None:
    assert list(lines(lang, 40, 7)) == list(lines(lang, 60, 7))[:40]
    assert list(lines(lang, 40, 7)) != list(lines(lang, 40, 8))


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_the_grammar_reads_every_digit_that_is_written_as_a_seat(lang: Lang) -> None:
    for line in lines(lang, 400, 1):
        digits = {int(digit) for digit in re.findall(r"\d+", line.written)}
        assert digits <= {seat for seat, _ in seat_spans(lang, line.written, {})}, line


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_written_and_said_differ_in_seats_only(lang: Lang) -> None:
    digits = {str(seat): word for seat, word in enumerate(templates(lang)["words"]["n"], 1)}
    for line in lines(lang, 400, 2):
        spelt = re.sub(r"\d+", lambda seat: digits[seat[0]], line.written)
        assert spelt.casefold() == " ".join(line.said).casefold()


def test_russian_is_written_as_it_is_said_and_the_grammar_reads_its_seats() -> None:
    for line in lines("ru", 400, 2):
        assert line.written == " ".join(line.said)
        if line.kind in ("vote", "shot", "check") and not line.written.startswith("Не "):
            assert seat_spans("ru", line.written, {}), line


@pytest.mark.parametrize("lang", LANGS)
def test_what_names_nobody_has_no_digits(lang: Lang) -> None:
    nobody: list[Line] = [line for line in lines(lang, 400, 3) if line.kind in ("none_short", "none", "general")]
    assert len(nobody) > 60
    assert not [line for line in nobody if re.search(r"\d", line.written)]
    assert {line.task for line in nobody if line.kind == "none_short"} == set(CLOSED)


@pytest.mark.parametrize("lang", LANGS)
def test_free_talk_is_said_as_it_was_written_with_digits_for_seats_alone(lang: Lang) -> None:
    free = list(lines(f"{lang}-talk", 300, 2))
    assert free[:40] == list(lines(f"{lang}-talk", 40, 2))
    named = [line for line in free if line.written != " ".join(line.said)]
    assert not named if lang == "ru" else len(named) > 60
    for line in named:
        seats = {seat for seat, _ in seat_spans(lang, " ".join(line.said), {})}
        assert {seat for seat, _ in seat_spans(lang, line.written, {})} <= seats, line


def test_every_kind_of_line_has_templates_in_every_language() -> None:
    for lang in LANGS:
        assert {*SHARES, "talk"} - {"speech"} <= set(templates(lang))


def test_no_voice_of_the_robots_is_trained_on() -> None:
    """Nor any style that they are made of but the French one; Russian has one man, at other pitches."""
    for batch, voices in VOICES.items():
        lang = language(batch)
        robots = {row["name"] for row in read_yaml("configs", "robots.yaml")["voices"][lang]}
        spare = read_yaml("configs", "robots.yaml")["spare"]
        robots |= {spare["names"][lang] + variant for variant in spare["variants"]}
        known = {style for name in robots for style in re.findall(r"\b[a-z]{2}_[a-z]+", name)} - {"ff_siwis"}
        for _, name in voices:
            assert name not in robots
            assert not known & set(re.findall(r"\b[a-z]{2}_[a-z]+", name)), name


def test_noise_is_the_same_for_the_same_seed_and_differs_for_others() -> None:
    first, again, other = (nothing(Random(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first[: len(other)], other[: len(first)])
    assert all(HEARING_HZ <= len(sound) <= 4 * HEARING_HZ for sound in (first, other))


# --- the adapter ----------------------------------------------------------------------------------

WIDTH, RANK = 4, 2
SHAPES = {
    "self_attention/linear_0": (3 * WIDTH, WIDTH),
    "self_attention/linear_1": (WIDTH, WIDTH),
    "attention/linear_0": (WIDTH, WIDTH),
    "attention/linear_1": (2 * WIDTH, WIDTH),
    "attention/linear_2": (WIDTH, WIDTH),
    "ffn/linear_0": (4 * WIDTH, WIDTH),
    "ffn/linear_1": (WIDTH, 4 * WIDTH),
}
MODULES = {"attn": "query key value out", "cross_attn": "query key value out", "mlp": "0 2"}


def text(value: str) -> bytes:
    return struct.pack("<H", len(value) + 1) + value.encode() + b"\0"


def tensor(name: str, body: npt.NDArray[np.float16]) -> bytes:
    shape = struct.pack(f"<B{body.ndim}I", body.ndim, *body.shape)
    return text(name) + shape + struct.pack("<BI", 4, body.nbytes) + body.tobytes()


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A decoder of one layer, of ones, in CTranslate2's form."""
    monkeypatch.setenv("MODERATOR_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "base"
    folder.mkdir()
    for name in SIDE_FILES:
        (folder / name).write_text(name)
    tensors = [tensor(f"decoder/layer_0/{name}/weight", np.ones(shape, np.float16)) for name, shape in SHAPES.items()]
    head = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<II", 3, len(tensors))
    (folder / "model.bin").write_bytes(head + b"".join(tensors) + struct.pack("<I", 0))
    return folder


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """Adds to each map the number of its place, everywhere: query 1, key 2..."""
    path, arrays = tmp_path / "ears.npz", dict[str, npt.NDArray[np.float16]]()
    for module, names in MODULES.items():
        for number, name in enumerate(names.split(), 1):
            wide, narrow = (4 * WIDTH if (module, name) == pair else WIDTH for pair in (("mlp", "0"), ("mlp", "2")))
            arrays[f"blocks.0.{module}.{name}.up"] = np.full((wide, RANK), number / RANK, np.float16)
            arrays[f"blocks.0.{module}.{name}.down"] = np.ones((RANK, narrow), np.float16)
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return path


def test_the_changes_are_added_where_ctranslate2_keeps_queries_keys_and_values(base: Path, adapter: Path) -> None:
    made = tuned_folder(base, adapter, hashlib.sha256(adapter.read_bytes()).hexdigest())
    merged = Ct2File(made / "model.bin")
    fused = merged.get("decoder/layer_0/self_attention/linear_0/weight")
    assert fused[:, 0].tolist() == [2.0] * WIDTH + [3.0] * WIDTH + [4.0] * WIDTH
    assert merged.get("decoder/layer_0/attention/linear_1/weight")[:, 0].tolist() == [3.0] * WIDTH + [4.0] * WIDTH
    assert merged.get("decoder/layer_0/attention/linear_2/weight").min() == 5.0
    assert merged.get("decoder/layer_0/ffn/linear_1/weight").shape == (WIDTH, 4 * WIDTH)
    assert Ct2File(base / "model.bin").get("decoder/layer_0/attention/linear_2/weight").max() == 1.0
    assert [(made / name).read_text() for name in SIDE_FILES] == list(SIDE_FILES)


def test_a_damaged_adapter_is_refused_with_the_cure(base: Path, adapter: Path) -> None:
    with pytest.raises(ValueError, match=r"ears\.npz has the wrong checksum; cure: .*stt\.tuned"):
        tuned_folder(base, adapter, "0" * 64)
    assert not list(cache().glob("*tuned*"))


def test_an_adapter_for_other_weights_is_refused(base: Path, adapter: Path) -> None:
    with np.load(adapter) as stored:
        arrays = {name: stored[name][:, :1] if name.endswith("out.down") else stored[name] for name in stored.files}
    np.savez(adapter, **arrays)
    with pytest.raises(ValueError, match=r"self_attention/linear_1/weight: .* cannot take a change"):
        tuned_folder(base, adapter, hashlib.sha256(adapter.read_bytes()).hexdigest())


def test_weights_that_were_named_are_taken_as_they_are(base: Path) -> None:
    assert hearing_folder(str(base), tuned=True) == base


def test_the_shipped_adapter_is_the_one_that_was_measured() -> None:
    assert hashlib.sha256(ADAPTER.read_bytes()).hexdigest() == ADAPTER_SHA256
    assert ADAPTER.stat().st_size < 10_000_000
    found = changes(ADAPTER, layers=6)
    assert len(found) == 6 * len(SHAPES)
    assert all(np.isfinite(change).all() and np.abs(change).max() > 0 for change in found.values())


@pytest.mark.real
@pytest.mark.whisper
def test_the_installed_weights_are_tuned_once_and_only_a_little() -> None:
    """What both engines hear with them is in test_stt.py."""
    base, tuned = (hearing_folder("", tuned=tuned) for tuned in (False, True))
    assert hearing_folder("", tuned=True) == tuned != base
    before, after = Ct2File(base / "model.bin"), Ct2File(tuned / "model.bin")
    for name in ("decoder/layer_5/attention/linear_1/weight", "decoder/layer_0/ffn/linear_0/weight"):
        change = np.linalg.norm(after.get(name) - before.get(name)) / np.linalg.norm(before.get(name))
        assert 0 < change < 0.2
    encoder = "encoder/layer_0/ffn/linear_0/weight"
    assert np.array_equal(before.get(encoder), after.get(encoder))
