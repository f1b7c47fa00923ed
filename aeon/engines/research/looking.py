"""Looks a question up in passages: reads them, and has a judge say whether what was found answers just this question.

What a small model finds in texts that do not say it is most often about something near: the other bridge, another
Verrin. The judge sees the sentence and the title of its source alone, and tells.
"""

from __future__ import annotations

from collections.abc import Sequence

from aeon.engines.research.effects import Numbered
from aeon.engines.research.reading import found_out
from aeon.engines.research.support import answering, headed
from aeon.engines.research.values import Finding
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.judge import Judge
from aeon.supervisor.supervisor import Supervisor

__all__ = ["LIKELY", "Looker", "is_unlikely"]

LIKELY = 0.3
"""Score below which what is cited does not answer its question.

Of 24 development questions of HotpotQA and MuSiQue, 15 are answered at .05, 9 of them right, and 13 at .3, 10 of them
right; without their supporting documents 10 of the 24 and none.
"""
_PLAIN = ("yes", "no")
_LOOK = 3
"""Calls that a look takes: to read, to point, and to judge."""


class Looker:
    """Reads passages for a question, at most twice: the second time without the sources that a judge rejected."""

    def __init__(self, supervisor: Supervisor, judge: Judge) -> None:
        self._supervisor = supervisor
        self._judge = judge

    async def look(self, question: str, passages: Sequence[Numbered], check: bool = True) -> Finding:
        """What the passages say to a question, and how likely a judge holds that it answers just this question.

        Of two looks whose answers are both unlikely it is the first. Without ``check`` nobody judges.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        found = await self._read(question, passages, check)
        cited = {one.number for one in found.evidence}
        others = [one for one in passages if one.number not in cited]
        if not is_unlikely(found) or not others or current_ledger().calls_left() < _LOOK:
            return found
        again = await self._read(question, others, check)
        return again if again.answer and not is_unlikely(again) else found

    async def _read(self, question: str, passages: Sequence[Numbered], check: bool) -> Finding:
        found = await found_out(self._supervisor, question, passages)
        if not check or not found.answer or found.answer in _PLAIN:
            return found  # yes or no may follow from sentences of two documents, neither of which answers alone
        titles = {one.number: one.title or one.passage.source for one in passages}
        judged = await answering(self._judge, headed(found.evidence, titles), question)
        return found if judged is None else found.changed(score=judged.score)


def is_unlikely(finding: Finding) -> bool:
    """Whether a judge holds that what is cited for a question does not answer it."""
    return finding.score is not None and finding.score < LIKELY
