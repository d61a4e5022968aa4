"""What pydantic found wrong, in a sentence for a person: the field, what is allowed there, what was given."""

import json
import re
from typing import Any

NUMBER, WHOLE, YES_OR_NO = "must be a number", "must be a whole number", "must be true or false"
MAPPING, LIST = "must be a mapping of keys to values", "must be a list"
PLAIN = {
    "missing": "is missing",
    "extra_forbidden": "unknown key",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "union_tag_invalid": "unknown {discriminator}: {tag}",
    "union_tag_not_found": "has no {discriminator}",
    "greater_than_equal": "must be {ge:g} or more",
    "greater_than": "must be more than {gt:g}",
    "less_than_equal": "must be {le:g} or less",
    "less_than": "must be less than {lt:g}",
    "int_type": WHOLE,
    "int_parsing": WHOLE,
    "int_from_float": WHOLE,
    "float_type": NUMBER,
    "float_parsing": NUMBER,
    "finite_number": NUMBER,
    "bool_type": YES_OR_NO,
    "bool_parsing": YES_OR_NO,
    "string_type": "must be text",
    "string_too_short": "must have {min_length} characters or more",
    "string_too_long": "must have {max_length} characters or fewer",
    "string_pattern_mismatch": "must match {pattern}",
    "dict_type": MAPPING,
    "model_type": MAPPING,
    "model_attributes_type": MAPPING,
    "list_type": LIST,
    "tuple_type": LIST,
    "too_short": "must hold {min_length} or more",
    "too_long": "must hold {max_length} or fewer",
    "value_error": "{error}",
    "json_invalid": "is no JSON: {error}",
}
"""pydantic's name of a fault -> what is wanted, with the parameters that pydantic gives. Others keep its own words."""
SAY_NOTHING_OF = (
    *("missing", "extra_forbidden", "json_invalid", "union_tag_invalid", "union_tag_not_found"),
    "value_error",
)
"""Here what was given is nothing, or the whole, or may hold a secret: an address with its password."""
ENUM = re.compile(r"<[\w.]+: ('[^']*')>")
"""How Python writes one of several values."""
GOT_MOST = 60
"""Characters."""


def wanted(fault: Any) -> str:
    """`speech_s: must be 0 or more`. `fault`: one of `ValidationError.errors()`."""
    known = PLAIN.get(fault["type"])
    what = fault["msg"] if known is None else ENUM.sub(r"\1", known.format(**fault.get("ctx", {})))
    field = ".".join(map(str, fault["loc"]))
    return f"{field}: {what}" if field else what


def plain(fault: Any) -> str:
    """`speech_s: must be 0 or more, got -3`."""
    if fault["type"] in SAY_NOTHING_OF:
        return wanted(fault)
    got = json.dumps(fault["input"], ensure_ascii=False, default=str)
    return f"{wanted(fault)}, got {got if len(got) <= GOT_MOST else got[:GOT_MOST] + '…'}"
