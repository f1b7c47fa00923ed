"""What a judgment was measured to be worth on one model, on labelled cases."""

from __future__ import annotations

from pydantic import Field

from aeon.schema.frozen import Frozen
from aeon.schema.weight import Form, Standing

__all__ = ["PAR", "Calibration"]

PAR = 0.7
"""The least AUROC at which a judgment that was measured may decide something: seven of ten pairs in the right order."""


class Calibration(Frozen):
    """Turns the log-odds of a judgment's answers into those of its being true: ``scale * odds + shift`` (Platt, 1999).

    ``auroc`` was measured on ``cases`` labelled cases: the probability that a true case scores above a false one.
    """

    model: str
    judgment: str
    form: Form
    wording: str
    scale: float
    shift: float
    auroc: float = Field(ge=0, le=1)
    cases: int = Field(ge=2)

    @property
    def decides(self) -> bool:
        """Whether the judgment is good enough to act on."""
        return self.auroc >= PAR

    @property
    def standing(self) -> Standing:
        """What the judgment is worth: it was measured, with a good or a bad end."""
        return "measured" if self.decides else "bad"

    def odds(self, odds: float) -> float:
        """The calibrated log-odds for those of the answers."""
        return self.scale * odds + self.shift
