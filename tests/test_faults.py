"""What is wrong with a value is said in plain words: the field, what is allowed, what was given."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError, create_model

from moderator.commands import Remove
from moderator.faults import PLAIN, plain, wanted
from moderator.records import RecordEvent
from moderator.rules import Rules
from moderator.scoring import Scoring
from voice.service.config import Fleet


def fault(model: type[BaseModel], **values: Any) -> Any:
    with pytest.raises(ValidationError) as refused:
        model.model_validate(values)
    return refused.value.errors()[0]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"speech_s": -3}, "speech_s: must be 0 or more, got -3"),
        ({"speech_s": "long"}, 'speech_s: must be a number, got "long"'),
        ({"suspects": 2.5}, "suspects: must be a whole number, got 2.5"),
        ({"notices": "perhaps"}, 'notices: must be true or false, got "perhaps"'),
        ({"ballots": "hidden"}, "ballots: must be 'secret' or 'open', got \"hidden\""),
        ({"signals": "none"}, 'signals: must be a list, got "none"'),
        ({"signals": [{"name": ""}]}, 'signals.0.name: must match ^[a-z_]{1,40}$, got ""'),
        ({"speach_s": 3}, "speach_s: unknown key"),
        ({"name": ["x" * 100]}, f'name: must be text, got ["{"x" * 58}…'),
    ],
)
def test_a_rule_that_is_none(value: dict[str, Any], says: str) -> None:
    assert plain(fault(Rules, **value)) == says


def test_one_of_several_values_is_named_as_a_person_writes_it() -> None:
    said = wanted(fault(Remove, at=0, seat=3, cause="dead"))
    assert said == "cause: must be 'disqualified', 'gave_up', 'absent' or 'fouls'"


def test_what_is_not_there_was_not_given() -> None:
    assert plain(fault(Remove, seat=3)) == "at: is missing"


def test_an_address_is_not_repeated_with_its_password() -> None:
    word = "hush"
    said = plain(fault(Fleet, store=f"postgresql+psycopg://moderator:{word}@db/moderator"))
    assert said.startswith("store: holds a password") and word not in said


def test_no_fault_that_our_models_can_have_is_left_in_the_words_of_pydantic() -> None:
    row = create_model("row", event=(RecordEvent, ...), log=(Any, ...))
    for given in ({"type": "dance"}, {}, 3, {"type": "nominate", "phase": "day", "n": 0, "by": 11, "target": "x"}):
        assert fault(row, event=given, log=None)["type"] in PLAIN
    with pytest.raises(ValidationError) as refused:
        Rules.model_validate_json("{")
    assert refused.value.errors()[0]["type"] in PLAIN
    short = create_model("short", text=(Annotated[str, Field(min_length=1, max_length=2)], ...), of=(Literal[1], 1))
    for text in ("", "xxx"):
        assert fault(short, text=text)["type"] in PLAIN
    assert fault(Scoring, x=1)["type"] in PLAIN
