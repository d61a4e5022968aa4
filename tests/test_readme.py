"""What the README shows is run."""

import doctest
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_walk_through_the_heart_is_true() -> None:
    found = doctest.testfile(str(README), module_relative=False)
    assert found.attempted >= 8
    assert found.failed == 0
