"""Whether sources give different values to one question."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from aeon.engines.report.drafting import unmarked
from aeon.engines.report.effects import Compare
from aeon.engines.report.sifting import in_context
from aeon.engines.report.values import Comparison, Other, Side
from aeon.engines.research.common import stems
from aeon.engines.research.effects import Numbered
from aeon.engines.research.looking import Looker
from aeon.engines.research.support import answering, headed
from aeon.engines.research.values import Finding
from aeon.errors import AllowanceExhausted, CompletionError
from aeon.language.mention import Mention
from aeon.proof.mentions import mentions
from aeon.runtime.ledger import current_ledger
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Comparer", "different"]

_ANSWERS = "answers_question"
_VALUES = ("number", "date", "time")


class Comparer:
    """Reads what other sources say to a question, and compares the values."""

    def __init__(self, supervisor: Supervisor, judge: Judge) -> None:
        self._looker = Looker(supervisor, judge)
        self._judge = judge

    async def compare(self, effect: Compare) -> Comparison:
        """The sides of a question. A source that says nothing to exactly this question is no side.

        Raises:
            ModelError: the model could not be asked.
        """
        sides = list(effect.known)
        for other in effect.others:
            if current_ledger().calls_left() < 2:
                break
            if side := await self._side(effect.question, other):
                sides.append(side)
        pairs = combinations(sides, 2)
        return Comparison(sides=tuple(sides), differ=any(different(a.answer, b.answer) for a, b in pairs))

    async def _side(self, question: str, other: Other) -> Side | None:
        numbered = Numbered(number=1, passage=other.passage, query=question, title=other.title)
        try:
            found = await self._looker.look(question, [numbered])
        except (CompletionError, AllowanceExhausted):
            return None
        if not found.answer or not found.evidence:
            return None
        citation = in_context(found.evidence[0], [other.passage])
        if found.score is None:  # of a yes or no the look does not say it
            judged = await answering(self._judge, headed(found.evidence, {1: other.title}), question)
            found = found if judged is None else found.changed(score=judged.score)
        if not _is_to_the_point(found, other.title, citation.source.text):
            return None
        return Side(answer=unmarked(found.answer), citation=citation, tier=other.tier)


def _is_to_the_point(found: Finding, title: str, quote: str) -> bool:
    """Whether what was read answers exactly this question: it shares its words and, where measured, a judge agrees.

    Without this, what a text says of another bridge would count as a disagreement.
    """
    about = stems(found.question)
    if len(about & stems(f"{title} {quote}")) * 2 < len(about):
        return False
    return found.score is None or found.score >= judgment(_ANSWERS).threshold


def different(one: str, other: str) -> bool:
    """Whether two answers give different values.

    Numbers and dates differ where no reading of them is the same; a year is the same as a day in it. Where one has
    none, other answers differ if they share no word.
    """
    first, second = _values(one), _values(other)
    if first and second:
        return not any(_same(a, b) for a in first for b in second)
    words, others = stems(one), stems(other)
    return bool(words and others) and not words & others


def _values(text: str) -> list[Mention]:
    return [one for one in mentions(text, cell=True) if one.kind in _VALUES]


def _same(one: Mention, other: Mention) -> bool:
    """Whether two values have a reading in common."""
    pairs = ((a.read, b.read) for a in one.forms for b in other.forms)
    return any(_alike(a.value, b.value) and (a.unit == b.unit or not a.unit or not b.unit) for a, b in pairs)


def _alike(one: str, other: str) -> bool:
    """Whether two canonical values are one; of days, ``00`` stands for any month or day."""
    parts = list(zip(one.split("-"), other.split("-"), strict=False))
    if Counter((one.count("-"), other.count("-")))[2] == 2:
        return all(a == b or "00" in (a, b) for a, b in parts)
    return one == other
