"""Order and honesty of the test run: hermetic tests first; a real part that is missing fails where CI is set."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import postgres_kit
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


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgres_kit.Postgres]:
    with postgres_kit.running() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.real, pytest.mark.postgres])])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """A place for a new store, in each of the databases."""
    if request.param == "sqlite":
        return tmp_path / "m.db"
    server: postgres_kit.Postgres = request.getfixturevalue("postgres")
    return server.new_database()
