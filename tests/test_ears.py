"""Tuned ears: the lines they learn from, the adapter they become, and what both engines hear with it."""

import re
from random import Random

import numpy as np
import pytest

from voice.config import read_yaml
from voice.gate import HEARING_HZ
from voice.grammar import seat_spans
from voice.ports import Lang
from voice.training.ears_lines import CLOSED, SHARES, Line, language, lines, templates
from voice.training.ears_sound import VOICES, nothing

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
    digits = {str(seat): word for seat, word in enumerate(templates(lang)["numbers"], 1)}
    for line in lines(lang, 400, 2):
        spelt = re.sub(r"\d+", lambda seat: digits[seat[0]], line.written)
        assert spelt.casefold() == " ".join(line.said).casefold()


@pytest.mark.parametrize("lang", LANGS)
def test_what_names_nobody_has_no_digits(lang: Lang) -> None:
    nobody: list[Line] = [line for line in lines(lang, 400, 3) if line.kind in ("none_short", "none", "general")]
    assert len(nobody) > 60
    assert not [line for line in nobody if re.search(r"\d", line.written)]
    assert {line.task for line in nobody if line.kind == "none_short"} == set(CLOSED)


def test_every_kind_of_line_has_templates_in_every_language() -> None:
    for lang in LANGS:
        assert {*SHARES, "talk"} - {"speech"} <= set(templates(lang))


def test_no_voice_of_the_robots_is_trained_on() -> None:
    """Nor any style that they are made of but the French one: the bench's figures are of unheard voices."""
    for batch, voices in VOICES.items():
        lang = language(batch)
        robots = {row["name"] for row in read_yaml("configs", "robots.yaml")["voices"][lang]}
        spare = read_yaml("configs", "robots.yaml")["spare"]
        robots |= {spare["names"][lang] + variant for variant in spare["variants"]}
        known = {style for name in robots for style in re.findall(r"[a-z]{2}_[a-z]+", name)} - {"ff_siwis"}
        for _, name in voices:
            assert name not in robots
            assert not known & set(re.findall(r"[a-z]{2}_[a-z]+", name)), name


def test_noise_is_the_same_for_the_same_seed_and_differs_for_others() -> None:
    first, again, other = (nothing(Random(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first[: len(other)], other[: len(first)])
    assert all(HEARING_HZ <= len(sound) <= 4 * HEARING_HZ for sound in (first, other))
