"""What the small model learns from, and that its adapter means the same in both engines."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from voice.config import data_path, validated
from voice.grammar import seats_in
from voice.llm_answers import mask, reading, tuned_answer, tuned_question
from voice.ports import Context, Lang
from voice.training.corpus import GAP, LANGS, TASK_WEIGHTS, Line, Phrases, lines, meaning
from voice.training.lora import batched
from voice.training.tune import apart

CONTEXT = Context(1, tuple(range(1, 11)))


@pytest.fixture(scope="module")
def made() -> list[Line]:
    return list(lines(600, 7))


def phrases(lang: Lang) -> Phrases:
    return validated(data_path("prompts", f"training.{lang}.yaml"), Phrases)


def test_one_seed_gives_the_same_lines(made: list[Line]) -> None:
    assert list(lines(60, 7)) == made[:60]
    assert list(lines(60, 8)) != made[:60]


@pytest.mark.parametrize("lang", LANGS[1:])
def test_the_languages_teach_the_same(lang: Lang) -> None:
    for task in TASK_WEIGHTS:
        taught = [[(each.means, each.talk) for each in phrases(other).of(task)] for other in ("fr", lang)]
        assert taught[0] == taught[1], task


@pytest.mark.parametrize("lang", LANGS)
def test_every_template_says_the_seats_it_means(lang: Lang) -> None:
    seats = dict(zip("abcd", (2, 5, 7, 9), strict=True))
    found = phrases(lang)
    for task in TASK_WEIGHTS:
        for template in found.of(task):
            meant = {seat for _, seat in meaning(template.means, seats)} - {0}
            for said in template.said:
                gaps = GAP.findall(said)
                named = {seats[name] for form, name in gaps if form}
                assert meant <= named, said
                assert {form for form, _ in gaps if form} <= {*found.seats, *found.about}, said
                assert {name for form, name in gaps if not form} <= {"n", *found.words}, said


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_said_of_one_seat_names_that_one_alone(lang: Lang) -> None:
    found = phrases(lang)
    assert found.about.keys() == phrases("fr").about.keys()
    for said in (each for phrases_of_a_kind in found.about.values() for each in phrases_of_a_kind):
        gaps = GAP.findall(said)
        assert [(form in found.seats, name) for form, name in gaps if form] == [(True, "_")], said
        assert {name for form, name in gaps if not form} <= set(found.words), said


def test_every_line_has_an_answer_that_its_schema_allows_and_that_reads_back(made: list[Line]) -> None:
    for line in made:
        answer = tuned_answer(line.acts, unsure=line.unsure)
        allowed = tuned_question(line.task, line.lang, line.text).line_schema
        assert set(json.loads(answer)) <= set(allowed["items"]["enum"]), line
        assert len(json.loads(answer)) <= allowed["maxItems"], line
        read = reading(line.task, line.lang, answer, mask(line.lang, line.said, {}), line.said, CONTEXT)
        acts = tuple((act.kind, act.seat or 0) for act in read.acts)
        assert (acts, read.unsure) == (line.acts, line.unsure), line


def test_lines_are_of_every_kind(made: list[Line]) -> None:
    assert {line.task for line in made} == set(TASK_WEIGHTS)
    assert {line.lang for line in made} == set(LANGS)
    assert any(line.unsure for line in made)
    assert 0.2 < sum(not line.acts for line in made) / len(made) < 0.6
    assert any(len(line.text.split()) > 30 for line in made)
    assert any(re.fullmatch(r"[^.,!?A-ZА-Я]+", line.text) for line in made)


def test_what_it_is_judged_by_is_not_learnt(made: list[Line], tmp_path: Path) -> None:
    judged = tmp_path / "rows.jsonl"
    judged.write_text(json.dumps({"text": made[3].said.upper() + " !"}) + "\n", encoding="utf-8")
    kept, left_out = apart(made, [judged])
    assert left_out >= 1
    assert made[3] not in kept
    assert len(kept) + left_out == len(made)


def test_batches_hold_every_example_once() -> None:
    from random import Random

    from voice.training.tune import Example

    examples = [Example([number] * (number % 9 + 1), [1]) for number in range(500)]
    found = [each for batch in batched(examples, lambda each: len(each.prompt), 16, Random(1)) for each in batch]
    assert sorted(map(str, found)) == sorted(map(str, examples))


@pytest.mark.parametrize("lang", LANGS)
def test_the_grammar_finds_the_seats_of_lines(lang: Lang, made: list[Line]) -> None:
    """Masked text holds digits, and digits are seats to both readers."""
    for line in made:
        if line.lang == lang and line.acts and line.acts[0][1]:
            assert line.acts[0][1] in seats_in(lang, line.text, {}), line


@pytest.mark.real
@pytest.mark.torch
def test_an_adapter_merged_is_the_adapter_beside(tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    transformers: Any = pytest.importorskip("transformers")
    from voice.llm_adapter import merge, write_adapter
    from voice.training.lora import attach

    config = transformers.Gemma3TextConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, layer_types=["full_attention"] * 2,
    )  # fmt: skip
    torch.manual_seed(1)
    beside = transformers.Gemma3ForCausalLM(config).eval()
    merged = transformers.Gemma3ForCausalLM(config).eval()
    merged.load_state_dict(beside.state_dict())
    tokens = torch.arange(12)[None]
    with torch.inference_mode():
        plain = beside(tokens).logits
    adapters = attach(beside, 1, 4, 8.0)
    for _, up in adapters.values():
        torch.nn.init.normal_(up, std=0.5)
    pairs = {name: (down.detach().numpy(), up.detach().numpy()) for name, (down, up) in adapters.items()}
    write_adapter(tmp_path / "small.gguf", pairs, 8.0)
    merge(merged, tmp_path / "small.gguf")
    with torch.inference_mode():
        assert not torch.allclose(beside(tokens).logits, plain, atol=0.05)
        assert torch.allclose(beside(tokens).logits, merged(tokens).logits, atol=0.02)


@pytest.mark.real
@pytest.mark.torch
def test_only_pieces_of_answers_are_weighed() -> None:
    pytest.importorskip("transformers")
    from voice.training.tune import answer_tokens

    class Tokens:
        def get_vocab(self) -> dict[str, int]:
            return {"[": 1, '["': 2, "nominate": 3, "▁4": 4, '"]': 5, "maison": 6, "[]": 7, "unsure": 8, "vote": 9}

    assert answer_tokens(Tokens()) == [1, 2, 3, 4, 5, 7, 8, 9]
