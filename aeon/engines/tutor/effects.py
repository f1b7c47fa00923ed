"""What a proof game asks for: moves, looks at the folder, those of a proof once more, and what its answer is worth."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.engines.tutor.actions import Action
from aeon.engines.tutor.moves import Option
from aeon.schema.column import ColumnKind
from aeon.schema.effects import EffectOf, Note, Role
from aeon.schema.frozen import JsonObject
from aeon.schema.judgment import ReplyKind
from aeon.schema.plan import StepResult
from aeon.schema.value import Value
from aeon.schema.weight import Form, Standing

__all__ = [
    "Act",
    "FindTables",
    "JudgeAnswer",
    "JudgedReply",
    "PlayerMove",
    "Recheck",
    "Said",
    "Table",
    "Tables",
    "TurnNote",
]


class Table(Value):
    """A table, its columns with what they hold, and of each the values that the task names."""

    name: str
    columns: tuple[tuple[str, ColumnKind], ...]
    named: tuple[tuple[str, str], ...] = ()


class Tables(Value):
    """The tables of the folder; ``words`` are the uncommon words of the task, the longest first."""

    tables: tuple[Table, ...] = ()
    words: tuple[str, ...] = ()


class Said(Value):
    """What a player said: the fields of a move, or whatever else it was; empty where it said nothing."""

    move: JsonObject


class FindTables(EffectOf[Tables]):
    """Which tables does the folder hold, and which words of the task tell what to look for?"""

    phase = "find_tables"


class PlayerMove(EffectOf[Said]):
    """Which move is next? ``board`` are lines on what is known, ``message`` is what the tutor said last.

    ``options`` are moves that are offered. How moves are judged and what would win are not in here.
    """

    phase = "player_move"
    turn: Annotated[int, Field(ge=1)]
    form: Literal["menu", "free"] = "menu"
    board: tuple[str, ...] = ()
    message: str = ""
    options: tuple[Option, ...] = ()

    @property
    def subject(self) -> str:
        """The turn."""
        return f"turn {self.turn}"


class Act(EffectOf[StepResult]):
    """What does this look show?"""

    phase = "act"
    action: Action

    @property
    def subject(self) -> str:
        """The action in words."""
        return self.action.words


class Recheck(EffectOf[StepResult]):
    """What does this look show now? A claim rests on what it showed before."""

    phase = "recheck"
    action: Action

    @property
    def subject(self) -> str:
        """The action in words."""
        return f"again: {self.action.words}"


class JudgedReply(Value):
    """Whether an answer answers the task, as judged; ``None`` where nobody could judge.

    ``kind`` and ``explanation`` are those of a model that was asked for them, and not for yes or no.
    """

    answers: bool | None = None
    kind: ReplyKind | None = None
    explanation: str = ""
    form: Form = "none"
    standing: Standing = "none"


class JudgeAnswer(EffectOf[JudgedReply]):
    """Does this answer answer the task? Its ``claims`` are decided; ``undecidable``: it says that they cannot be."""

    phase = "judge_answer"
    role: Role = "verifier"
    answer: str
    claims: tuple[str, ...]
    undecidable: bool = False


class TurnNote(Note):
    """What the tutor said of a move."""

    turn: int
    words: str
