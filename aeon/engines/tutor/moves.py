"""The six moves of the game, and how what a player says becomes one of them, or a reason why it is none."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from aeon.engines.tutor.actions import Action, Number
from aeon.engines.tutor.statements import Statement
from aeon.schema.frozen import JsonObject
from aeon.schema.value import Value

__all__ = [
    "MOVES",
    "Ask",
    "Assert",
    "Challenge",
    "Illegal",
    "Move",
    "Option",
    "Propose",
    "Reformulate",
    "Respond",
    "typed",
]

_LONGEST = 4_000
MOVES = ("ASSERT", "ASK", "PROPOSE", "CHALLENGE", "REFORMULATE", "RESPOND")


class Assert(Value):
    """Claim something."""

    move: Literal["ASSERT"] = "ASSERT"
    claim: Statement


class Ask(Value):
    """Ask what would decide a claim; nothing is claimed by that."""

    move: Literal["ASK"] = "ASK"
    claim: Statement


class Propose(Value):
    """Propose an action: it is done if it is legal, and what it sees is an observation."""

    move: Literal["PROPOSE"] = "PROPOSE"
    action: Action


class Challenge(Value):
    """Have the observations of a decided claim made again."""

    move: Literal["CHALLENGE"] = "CHALLENGE"
    claim: Number


class Reformulate(Value):
    """Put another claim in the place of one that cannot be decided."""

    move: Literal["REFORMULATE"] = "REFORMULATE"
    claim: Number
    statement: Statement


class Respond(Value):
    """End the game with what these claims say. ``answer`` is a value that stands in one of them, or "".

    ``undecidable``: the claims cannot be decided by anything that the folder shows.
    """

    move: Literal["RESPOND"] = "RESPOND"
    claims: Annotated[tuple[Number, ...], Field(min_length=1, max_length=8)]
    answer: Annotated[str, Field(max_length=200)] = ""
    undecidable: bool = False


Move = Annotated[Assert | Ask | Propose | Challenge | Reformulate | Respond, Field(discriminator="move")]
_MOVE: TypeAdapter[Assert | Ask | Propose | Challenge | Reformulate | Respond] = TypeAdapter(Move)


class Illegal(Value):
    """Why what a player said is no move."""

    reason: str


class Option(Value):
    """A move that a player is offered, in words and as data."""

    label: str
    said: JsonObject


def typed(said: JsonObject) -> Assert | Ask | Propose | Challenge | Reformulate | Respond | Illegal:
    """The move that these fields are, or why they are none, in one line."""
    if len(json.dumps(said)) > _LONGEST:
        return Illegal(reason=f"a move is one claim or one action, at most {_LONGEST:,} characters")
    if said.get("move") not in MOVES:
        return Illegal(reason=f"the moves are {', '.join(MOVES)}")
    try:
        return _MOVE.validate_python(said)
    except ValidationError as error:
        return Illegal(reason=_fault(error))


def _fault(error: ValidationError) -> str:
    """The first fault, with what may stand there."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"] if part not in MOVES)
    return " ".join(f"{place}: {first['msg']}".split())[:300].removeprefix(": ")
