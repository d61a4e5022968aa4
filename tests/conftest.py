"""Order and honesty of the test run: hermetic tests first; a real part that is missing fails where CI is set."""

import os
from collections.abc import Generator

import pytest

from voice.ports import MissingPart

REAL = "real"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker(REAL) is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from skipped_without_its_part(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from skipped_without_its_part(item))


def skipped_without_its_part(item: pytest.Item) -> Generator[None, object, object]:
    """A person without a part sees a real test skipped with its cure; CI has every part, or is wrong."""
    try:
        return (yield)
    except MissingPart as missing:
        if item.get_closest_marker(REAL) is None or os.environ.get("CI"):
            raise
        pytest.skip(str(missing))
