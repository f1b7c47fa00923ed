"""Whether the sentences that a plan quotes answer the question, or the query that it asks of tables does."""

from __future__ import annotations

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.plan.evidence import Evidence
from aeon.plan.prompts import Asked
from aeon.plan.queries import query_of
from aeon.runtime.ledger import current_ledger
from aeon.schema import Plan, Source, ToolCall
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.tools.quote import QUOTE

__all__ = ["LIKELY", "Answering", "doubtful", "is_quotation"]

LIKELY = 0.4
"""The score of a query from which on it is taken though no word of the question spoke for the tables.

Of cases kept apart .85 of the right queries reach it, and .36 of those that answer another question.
"""
_QUERY = "query_answers"
_PLAN_AND_JUDGE = 2
_LEAST_GIVEN = 0.3
"""Below it nothing is given. Of the cases in scripts/bench 39 of 40 right answers have more, 10 of 40 wrong ones."""


class Answering:
    """Has plans of quotations alone judged, where a word of the question is not in what they quote."""

    def __init__(self, judge: Judge) -> None:
        self._judge = AnswerJudge(judge)
        self._queries = judge

    async def doubt(self, plan: Plan, asked: Asked) -> float | None:
        """How unlikely it is that what the plan quotes is the answer; ``None`` where nothing speaks against it.

        Not asked where every word of the question stands in the quoted sentences, nor where nothing is left for the
        answer.
        """
        quoted = _quoted(plan, asked.evidence)
        return await self._judge.doubted(asked.about.text, quoted, asked.evidence.sources) if quoted else None

    async def queried(self, plan: Plan, asked: Asked, tables: str) -> float | None:
        """How likely the only query of a plan finds what is asked for (0-1); ``None`` where nobody can say."""
        queries = [query_of(step) for step in plan.steps]
        if len(queries) != 1 or not queries[0] or not await self.able_of_queries(_PLAN_AND_JUDGE):
            return None
        material = {"tables": tables, "question": asked.about.text, "query": queries[0]}
        try:
            return (await self._queries.ask(judgment(_QUERY), material)).score
        except (CompletionError, AllowanceExhausted):
            return None

    async def unsaid(self, plan: Plan, asked: Asked, tables: str) -> bool:
        """Whether no file has a word for what is asked for, and a judge does not hold that the query finds it."""
        score = await self.queried(plan, asked, tables) if asked.about.unknown_asked else 1.0
        return score is not None and score < LIKELY

    async def able_of_queries(self, calls: int) -> bool:
        """Whether queries can be judged, and so many calls are left."""
        left = current_ledger().calls_left() >= calls
        return left and await self._queries.standing(judgment(_QUERY)) == "measured"

    async def gives(self, plan: Plan, asked: Asked, answer: str) -> bool:
        """Whether what the plan quotes may well give this answer, though it is doubted."""
        quoted = _quoted(plan, asked.evidence)
        given = self._judge.given(asked.about.text, answer, quoted, asked.evidence.sources)
        return await given >= _LEAST_GIVEN

    async def able(self) -> bool:
        """Whether the judge may decide, and there is a call left for it and for the answer beside that of a plan."""
        return await self._judge.able(_PLAN_AND_JUDGE + 1)

    async def says(self, plan: Plan, asked: Asked) -> bool:
        """Whether what a plan of quotations alone quotes answers exactly the question, as far as a judge can say."""
        quoted = _quoted(plan, asked.evidence)
        score = await self._judge.score(asked.about.text, quoted, asked.evidence.sources) if quoted else None
        return score is not None and score >= self._judge.least


def is_quotation(plan: Plan) -> bool:
    """Whether a plan does nothing but copy one value from a sentence."""
    actions = [step.action for step in plan.steps]
    return len(actions) == 1 and isinstance(actions[0], ToolCall) and actions[0].tool == QUOTE


def doubtful(plan: Plan, score: float | None) -> Plan:
    """The plan with what a judge doubts, if it does."""
    doubt = () if score is None else (f"the text may not answer exactly this: judged {score:.2f}",)
    return plan.changed(doubts=(*plan.doubts, *doubt)) if doubt else plan


def _quoted(plan: Plan, evidence: Evidence) -> list[Source]:
    """The sentences that a plan quotes, if it does nothing else."""
    calls = [step.action for step in plan.steps if isinstance(step.action, ToolCall) and step.action.tool == QUOTE]
    if len(calls) < len(plan.steps):
        return []
    places = [((call.arguments or {}).get("source"), (call.arguments or {}).get("start")) for call in calls]
    return [one for one in evidence.sources if (one.source, one.start) in places]
