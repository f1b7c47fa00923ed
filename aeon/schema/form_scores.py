"""How well a model works in each form, measured on tasks with known answers, and which form follows from it."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from aeon.schema.frozen import Frozen
from aeon.schema.turns import WorkForm

__all__ = ["FormScore", "preferred"]


class FormScore(Frozen):
    """What a model made of a set of tasks in one work form.

    ``tasks`` names the set by a digest of it, ``asked`` is how many of them were put: a form that cannot get ahead any
    more is put no others. ``right`` of them got an answer with the expected values; ``clean`` of these ended with a
    verdict that says so. ``native``: the endpoint has tool calls of its own.
    """

    form: WorkForm
    tasks: str
    asked: int = Field(ge=1)
    right: int = Field(ge=0)
    clean: int = Field(ge=0)
    native: bool
    calls: int = Field(ge=0)
    tokens: int = Field(ge=0)
    seconds: float = Field(ge=0)


def preferred(scores: Sequence[FormScore]) -> WorkForm | None:
    """The form with more right answers; of equal ones ``tools`` where calls are native, else ``program``.

    ``None`` without scores.
    """
    if not scores:
        return None
    first: WorkForm = "tools" if scores[0].native else "program"
    return max(scores, key=lambda one: (one.right, one.form == first)).form
