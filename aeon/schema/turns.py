"""How a model works with tools, turn by turn: what it asks for, what came of it, and the answer that it ends in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.value import Value

__all__ = ["Call", "Exchange", "Lines", "TableRead", "ToolUse", "Turn", "TurnForm", "WorkForm"]

WorkForm = Literal["tools", "program"]
"""How a model does a step: a loop of turns in which it calls tools, or one short program over them."""
TurnForm = Literal["native", "action"]
"""How a turn was asked for: by the endpoint's own tool calls, or as a JSON object that names them."""


class Lines(Value):
    """Sentences of a stored text that a tool showed, each with its span (code points, half-open) in that text.

    The model cites sentence ``n`` (from 1) of the use of id ``s1.2`` as ``[2.n]``.
    """

    source: str
    spans: tuple[tuple[int, int], ...] = ()
    texts: tuple[str, ...] = ()


class Call(Value):
    """A tool call that a model asks for. ``id`` is the host's: the step's id, a dot and a number from 1.

    ``problem`` says why it cannot be made: no such tool, arguments of the wrong type, too many in one turn.
    ``signature`` is the endpoint's own, which some want to see again.
    """

    id: str
    tool: str
    arguments: JsonObject
    problem: str = ""
    signature: str = ""


class TableRead(Value):
    """How a table was read out of its file, where that is no plain one: what is ``told`` of it.

    ``open`` is what could be read in another way, of what a call used of it.
    """

    table: str
    source: str
    told: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


class ToolUse(Value):
    """What came of a call: its ``output``, or the ``problem`` that kept it from having one.

    ``lines`` are the sentences that it shows, in the order in which they are numbered. ``cut``: the output was longer
    than the byte cap. ``total``: the rows that there are, where only some of them are shown. ``tables`` say how the
    tables were read that it asked.
    """

    id: str
    tool: str
    arguments: JsonObject
    output: JsonValue = None
    lines: tuple[Lines, ...] = ()
    problem: str = ""
    cut: bool = False
    total: Annotated[int | None, Field(ge=0)] = None
    tables: tuple[TableRead, ...] = ()


class Turn(Value):
    """One turn of a model: calls, or the ``text`` that it ends with and the ids that this rests on.

    ``cites`` are ids that the host gave: ``s1.2`` for the whole of a result, ``s1.2.5`` for its fifth sentence.
    ``unknown`` are ids that it named and that nobody gave. ``author`` is the tutor's model, where it was the tutor's.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    cites: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    form: TurnForm = "native"
    mended: bool = False
    author: str = ""


class Exchange(Value):
    """A turn, and what came of its calls, in their order; or an ``objection`` to its text that the model was shown."""

    turn: Turn
    uses: tuple[ToolUse, ...] = ()
    objection: str = ""
