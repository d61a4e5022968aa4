"""The proof that nobody changed the roles after the deal.

Before the first word everybody is shown a seal: the SHA-256 of the roles behind a salt that nobody can guess. When the
game is over its record tells the salt, and whoever kept the seal can make it again, with `sha256sum` and without us.
"""

import hashlib
from collections.abc import Mapping

from moderator.model import SEATS, Role, Seat

SALT_HEX = 32
"""128 bits: who knows the seal and tries all 2520 deals learns nothing."""


def seal(roles: Mapping[Seat, Role], salt: str) -> str:
    """In hexadecimal; everybody may see it from the deal on."""
    return hashlib.sha256(sealed_text(roles, salt).encode()).hexdigest()


def sealed_text(roles: Mapping[Seat, Role], salt: str) -> str:
    """What is under the seal: a secret until the game is over."""
    return " ".join([salt, *(f"{seat}={roles[seat]}" for seat in SEATS)])
