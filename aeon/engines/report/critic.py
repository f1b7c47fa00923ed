"""The critic: holds each finding against what it cites, and the draft against its mode."""

from __future__ import annotations

from aeon.engines.report.effects import Critique
from aeon.engines.report.grading import reviewed
from aeon.engines.report.support import Support
from aeon.engines.report.tiers import ModeConfigs
from aeon.engines.report.timing import limit
from aeon.engines.report.values import Checked, Draft, Review
from aeon.errors import CompletionError
from aeon.supervisor.judge import Judge

__all__ = ["Critic"]


class Critic:
    """Judges what no round judged before. What it says of the draft follows from the verdicts, by `reviewed`."""

    def __init__(self, judge: Judge, modes: ModeConfigs, seconds: float) -> None:
        self._support = Support(judge)
        self._modes = modes
        self._seconds = seconds

    async def critique(self, effect: Critique) -> Review:
        """The review of the effect's draft. Raises as `review`."""
        return await self.review(effect.draft)

    async def review(self, draft: Draft) -> Review:
        """The review of a draft; what was not judged in time stays unchecked.

        Raises:
            ModelError: the model could not be asked.
        """
        checked: list[Checked] = []
        try:
            async with limit("critic", self._seconds):
                for finding in draft.findings:
                    if finding.verdict == "not_checked" and (one := await self._support.checked(draft, finding)):
                        checked.append(one)
        except CompletionError:
            pass
        return reviewed(draft, checked, self._modes)
