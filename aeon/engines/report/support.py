"""Whether what a sentence cites supports it, with an unrelated sentence beside it as a control."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.engines.report.values import Checked, Draft, Finding
from aeon.engines.research.support import support_spec, supported
from aeon.engines.research.values import Citation
from aeon.schema import Verdict
from aeon.supervisor.judge import Judge
from aeon.text import one_line

__all__ = ["Support"]

_PARTIAL = 0.25
"""Probability from which on what is cited counts as supporting a sentence in part."""
_LONGEST, _LONGEST_TITLE = 1_000, 100


class Support:
    """Asks a judge; where none was measured, or nothing is left to ask it, a finding stays unchecked."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    async def checked(self, draft: Draft, finding: Finding) -> Checked | None:
        """What the judge says of a finding; ``None`` where nobody can say.

        Raises:
            ModelError: the model could not be asked.
        """
        question = draft.questions[finding.question - 1]
        score = await self._score(_evidence(draft, finding.citations), question, finding)
        if score is None:
            return None
        other = _unrelated(draft, finding)
        control = await self._score(other, question, finding) if other else None
        if control is not None and control >= score:  # it says yes to anything
            return Checked(id=finding.id, verdict="not_found", score=score)
        return Checked(id=finding.id, verdict=_verdict(score), score=score)

    async def _score(self, evidence: str, question: str, finding: Finding) -> float | None:
        """How likely the sentences give what was found as the answer to its question."""
        judged = await supported(self._judge, evidence, question, finding.short or finding.text)
        return judged.score if judged is not None else None


def _verdict(score: float) -> Verdict:
    if score >= support_spec().threshold:
        return "supported"
    return "partial" if score >= _PARTIAL else "not_found"


def _evidence(draft: Draft, citations: Sequence[Citation]) -> str:
    """The sentences that are cited, each behind the title of its source."""
    titles = {one.number: one_line(draft.source(one.number).title, _LONGEST_TITLE) for one in citations}
    return "\n".join(f"{titles[one.number]}: {one_line(one.source.text, _LONGEST)}" for one in citations)


def _unrelated(draft: Draft, finding: Finding) -> str:
    """What another finding cites of a source that this one does not cite; "" where there is none."""
    own = {one.number for one in finding.citations}
    others = (one for other in draft.findings if other.question != finding.question for one in other.citations)
    free = [one for one in others if one.number not in own]
    return _evidence(draft, free[:1]) if free else ""
