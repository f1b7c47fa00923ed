"""What a judgment is: how it was asked for, what it is worth on the model, and what it makes of a result."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.value import Value

__all__ = ["Form", "Standing", "Weight"]

Form = Literal["none", "verdict", "probability", "samples"]
Standing = Literal["none", "bad", "assumed", "measured"]
"""What a judgment is worth on this model: nobody judged; measured below .70 AUROC; never measured; measured."""


class Weight(Value):
    """How likely (0-1) a result is exactly what is asked for, says a judge: from a half on it says yes.

    ``None`` where it could not say.
    """

    score: Annotated[float | None, Field(ge=0, le=1)] = None
    form: Form = "none"
    standing: Standing = "none"
