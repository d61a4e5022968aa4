"""What the service answers when it does not do what was asked: a code for machines, a sentence for people."""

import math
from typing import Any

from voice.config import read_yaml
from voice.ports import Lang

STATUS = {
    "bad_request": 400,
    "name_characters": 400,
    "name_length": 400,
    "barred": 403,
    "consent_needed": 403,
    "wrong_pin": 403,
    "not_over": 403,
    "no_gallery": 403,
    "unknown": 404,
    "no_page": 404,
    "no_transcript": 404,
    "name_taken": 409,
    "full": 409,
    "begun": 409,
    "over": 409,
    "lost": 409,
    "too_large": 413,
    "locked": 429,
    "too_many": 429,
    "failed": 500,
    "tables_full": 503,
}
"""Code -> HTTP status; the sentences are in `prompts/service.<lang>.yaml`."""
LONGEST_IN_SECONDS = 90
"""A longer wait is told in minutes."""


class Denied(Exception):
    def __init__(self, code: str, lang: Lang = "en", detail: str = "", retry_s: int | None = None) -> None:
        """`detail`: what exactly is wrong, of a bad request; `retry_s`: not worth asking again before."""
        super().__init__(code)
        self.code, self.lang, self.detail, self.retry_s = code, lang, detail, retry_s

    @property
    def status(self) -> int:
        return STATUS[self.code]

    def body(self) -> dict[str, Any]:
        words = read_yaml("prompts", f"service.{self.lang}.yaml")
        sentence: str = words[self.code]
        if self.retry_s is not None:
            unit, length_s = ("seconds", 1) if self.retry_s <= LONGEST_IN_SECONDS else ("minutes", 60)
            sentence = sentence.format(wait=words[unit].format(n=math.ceil(self.retry_s / length_s)))
        return {"error": self.code, "message": " ".join(filter(None, (sentence, self.detail)))}
