"""The PIN of a seat: six digits, of which only a salted, slow digest is kept."""

import hashlib
import hmac
import secrets
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

DIGITS = 6
COST = 2**10
"""Of scrypt: a few milliseconds; ten players ask every second or two before the game."""

Pin = Annotated[str, Field(pattern=rf"^\d{{{DIGITS}}}$")]


class SealedPin(BaseModel):
    """Hexadecimal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    salt: str
    digest: str

    def fits(self, pin: str) -> bool:
        return hmac.compare_digest(bytes.fromhex(self.digest), _digest(pin, bytes.fromhex(self.salt)))


def new_pin() -> str:
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"


def seal(pin: str) -> SealedPin:
    salt = secrets.token_bytes(16)
    return SealedPin(salt=salt.hex(), digest=_digest(pin, salt).hex())


def _digest(pin: str, salt: bytes) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=COST, r=8, p=1)
