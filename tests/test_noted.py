"""How texts were read is noted, comes back as it was, and goes with the words. In both databases."""

import asyncio
import random
from pathlib import Path

import pytest
from engine_kit import ROLES

from moderator.rules import Rules
from moderator.simulate import play
from voice.cli import main
from voice.game import WordlessStore
from voice.noted import NotedReader
from voice.ports import Act, ActKind, Context, Lang, Proposal, Reading, Task, Utterance
from voice.ports_store import BadStore, Understood
from voice.store_sql import SqlStore
from voice.understanding import Understanding

GAME = play(random.Random(3), Rules(), ROLES)
PLAIN = Reading((Act(ActKind.NOMINATE, 7, "Je nomine le sept"),), False, 0.9)
NOTES = [
    Understood(
        4, 67.5, "fr", Task.NOMINATION, "Je nomine le sept.", None, Proposal(PLAIN.acts, True, 0.9, "both", "x", PLAIN)
    ),
    Understood(4, 70.0, "fr", Task.CONFIRM, "Oui…\u2028", 7, Proposal(grammar=Reading(), model=Reading((), True, 0.0))),
    Understood(7, 80.0, "ru", Task.VOTE, "Против восьмого.", None, Proposal()),
]


def kept(where: Path | str, game: str) -> list[Understood]:
    async def ask() -> list[Understood]:
        store = SqlStore(where)
        found = await store.understood(game)
        await store.close()
        return found

    return asyncio.run(ask())


@pytest.fixture
def filled(where: Path | str) -> str:
    async def fill() -> None:
        store = SqlStore(where)
        for game in ("friday", "monday"):
            await store.append(game, 0, GAME)
            await store.append_utterance(game, Utterance(4, 65.0, 67.5, "Je nomine le sept.", 0.8))
            for note in NOTES:
                await store.append_understood(game, note)
        await store.close()

    asyncio.run(fill())
    return str(where)


def test_notes_come_back_as_they_were(filled: str) -> None:
    assert kept(filled, "friday") == NOTES and kept(filled, "tuesday") == []


def test_notes_are_exported_and_restored(filled: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "export", "friday", "--db", filled]) == 0
    (tmp_path / "friday.jsonl").write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["games", "restore", str(tmp_path / "friday.jsonl"), "--db", str(tmp_path / "new.db")]) == 0
    assert kept(tmp_path / "new.db", "friday") == NOTES


def test_notes_are_deleted_with_the_words(filled: str) -> None:
    assert main(["games", "delete", "friday", "--voice-of", "4", "--db", filled]) == 0
    assert kept(filled, "friday") == NOTES[2:]
    assert main(["games", "delete", "friday", "--db", filled]) == 0
    assert kept(filled, "friday") == [] and kept(filled, "monday") == NOTES


async def test_a_game_that_is_not_recorded_keeps_none(tmp_path: Path) -> None:
    store = WordlessStore(tmp_path / "m.db")
    await store.append("g", 0, GAME)
    await store.append_understood("g", NOTES[0])
    assert await store.understood("g") == []
    await store.close()


# --- who takes them -------------------------------------------------------------------------------


class Notes:
    def __init__(self, *, full: bool = False) -> None:
        self.taken: list[tuple[str, Understood]] = []
        self.full = full

    async def append_understood(self, game: str, understood: Understood) -> None:
        if self.full:
            raise BadStore("the disk is full")
        self.taken.append((game, understood))

    async def understood(self, game: str) -> list[Understood]:
        return [note for _, note in self.taken]


class Model:
    """Reads a nomination of eight into anything."""

    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        return Reading((Act(ActKind.NOMINATE, 8, text),), False, 0.7)


async def test_both_readers_are_noted_and_nothing_changes_in_what_is_read() -> None:
    notes, understanding = Notes(), Understanding(Model())
    reader = NotedReader(understanding, notes, "friday", lambda: 12.5)
    context, text = Context(3, (1, 3, 7, 8)), "Je nomine le deux, pardon, le sept."
    found = await reader.read(Task.NOMINATION, "fr", text, context)
    assert found == await understanding.read(Task.NOMINATION, "fr", text, context)
    await reader.written()
    ((game, note),) = notes.taken
    assert (game, note.seat, note.at_s, note.lang, note.text, note.proposal) == ("friday", 3, 12.5, "fr", text, found)
    assert found.grammar is not None and found.model is not None and found.model.acts[0].seat == 8


async def test_a_note_that_cannot_be_taken_costs_no_word() -> None:
    reader = NotedReader(Understanding(), Notes(full=True), "friday", lambda: 1.0)
    found = await reader.read(Task.VOTE, "fr", "Contre le huit.", Context(3, (3, 8), (8,)))
    await reader.written()
    assert [act.seat for act in found.acts] == [8]
