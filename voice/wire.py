"""What travels between the moderator and a client, as JSON over the booth's data channel.

A client is told what it may hear and what is asked of it, never more: the words of each line said into
its booth, the captions of the players it hears, and the question that waits for its answer.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Line(Wire):
    """A narrator's line, sent to a booth when its sound starts there.

    `key` and `args` name the sentence of `prompts/` that `text` renders; `private`: said to this booth only.
    """

    type: Literal["line"] = "line"
    key: str
    text: str
    args: dict[str, str | int] = {}
    private: bool = False
    duration_ms: int = 0


class Caption(Wire):
    """What a player said, as it was heard.

    `id` names the utterance: a caption takes the place of the one before with the same seat and id. `final` False: the
    sentence is still being spoken, and its caption will grow.
    """

    type: Literal["caption"] = "caption"
    seat: int
    text: str
    id: int = 0
    final: bool = True


class Asked(Wire):
    """It is this client's turn to speak or answer. Sent when the time starts.

    `what` is a step kind (speech, ballot, shots, ...), "question" (yes/no about `seats[0]`), or "motion" (yes/no, about
    `seats[0]` where somebody is accused).
    """

    type: Literal["asked"] = "asked"
    what: str
    seats: tuple[int, ...] = ()
    time_s: float = 0.0


class Closed(Wire):
    """What was asked is over: the answer came, or the time ran out."""

    type: Literal["closed"] = "closed"
    what: str


class Table(Wire):
    """How the table stands, in what everybody knows: the same to all ten booths, whoever plays what.

    Sent while a step is open, when everything before it has been said; between two steps the lines tell what changes.
    `step` is the kind of the open step, `speaker` who has the floor; `ends_in_s` None: no clock runs. `nominated`
    stays empty where the rules have players remember it. `seal`: of the deal, to keep as a proof (`moderator.seal`).
    """

    type: Literal["table"] = "table"
    phase: str
    day: int
    step: str | None = None
    speaker: int | None = None
    ends_in_s: float | None = None
    seal: str = ""
    alive: tuple[int, ...] = ()
    nominated: tuple[int, ...] = ()
    fouls: dict[int, int] = {}
    absent: tuple[int, ...] = ()


Said = Line | Caption | Asked | Closed | Table
ToClient = Annotated[Said, Field(discriminator="type")]
TO_CLIENT: TypeAdapter[Said] = TypeAdapter(ToClient)
"""What the moderator sends to one booth."""


LONGEST_TEXT = 300
"""Characters of words typed at once: half a minute of speech."""


class Do(Wire):
    """A key pressed instead of a word: the only thing a client can send.

    `what`: "interpellate", "end_speech", "yes", "no", "digit" (with `seat`), "crown" (with `seat`: in a
    farewell), "signal" (with the `name` of a gesture),
    "move" (with `name`: technical_foul, disqualification or stop, and the `seat` of the accused), "give_up", "heard"
    (with `ms`: how much of the line that told its role the client has played; 0: it heard nothing), "here" (each
    second: a sign of life), "ask" (with the `name` of a wish to the narrator in its own booth: `voice.intents.Intent`),
    "table" (asks how the table stands), "type" (with `text`: words to be spoken for the others in one's own turn).
    """

    type: Literal["do"] = "do"
    what: Literal[
        "interpellate",
        "end_speech",
        "yes",
        "no",
        "digit",
        "crown",
        "signal",
        "move",
        "give_up",
        "heard",
        "here",
        "ask",
        "table",
        "type",
    ]
    seat: Annotated[int, Field(ge=1, le=10)] | None = None
    name: Annotated[str, Field(max_length=40)] | None = None
    ms: Annotated[int, Field(ge=0, le=600_000)] | None = None
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] | None = None


FROM_CLIENT: TypeAdapter[Do] = TypeAdapter(Do)
