"""A model that is loaded beside the game keeps nobody waiting, and is never trusted before it is there."""

import asyncio

from moderator.model import Offence
from voice.llm_answers import UNSURE
from voice.llm_beside import LoadedBeside
from voice.ports import Act, ActKind, Context, Lang, Likely, MissingPart, Reading, Task

CONTEXT = Context(1, (1, 2, 3))
SURE = Reading((Act(ActKind.VOTE, 2, "2"),))


class Model:
    """Opens when it is let; `missing` fails then."""

    def __init__(self, missing: bool = False) -> None:
        self.may_open, self.missing, self.closed = asyncio.Event(), missing, False

    async def open(self) -> None:
        await self.may_open.wait()
        if self.missing:
            raise MissingPart("language model", "moderator doctor")

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        return SURE

    async def close(self) -> None:
        self.closed = True


async def reading(beside: LoadedBeside) -> Reading:
    await asyncio.sleep(0.01)
    return await beside.read(Task.VOTE, "fr", "contre le deux", CONTEXT)


async def test_nobody_waits_for_the_model() -> None:
    model = Model()
    beside = LoadedBeside(model)
    await beside.open()
    assert await reading(beside) is UNSURE
    model.may_open.set()
    assert await reading(beside) is SURE
    await beside.close()
    assert model.closed


class Judge(Model):
    """Has learnt conduct, too."""

    async def conduct(self, lang: Lang, sentence: str) -> Likely:
        return {Offence.BET: 0.7}


async def test_conduct_is_asked_once_the_model_is_there_and_only_if_it_has_learnt_it() -> None:
    for model, likely in ((Judge(), {Offence.BET: 0.7}), (Model(), {})):
        beside = LoadedBeside(model)
        await beside.open()
        assert await beside.conduct("fr", "on parie") == {}
        model.may_open.set()
        await asyncio.sleep(0.01)
        assert await beside.conduct("fr", "on parie") == likely
        await beside.close()


async def test_a_missing_model_stays_unsure() -> None:
    model = Model(missing=True)
    beside = LoadedBeside(model)
    await beside.open()
    model.may_open.set()
    assert await reading(beside) is UNSURE
    await beside.close()


async def test_a_game_that_ends_before_the_model_came_does_not_wait() -> None:
    model = Model()
    beside = LoadedBeside(model)
    await beside.open()
    await asyncio.sleep(0)
    await asyncio.wait_for(beside.close(), 1)
    assert model.closed
