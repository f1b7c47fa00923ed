"""What a judge makes of what a program gave: whether it answers exactly the question."""

from __future__ import annotations

from aeon.errors import AllowanceExhausted, CompletionError
from aeon.grounding.toolrecord import sources_of
from aeon.multipass.effects import WeighResult
from aeon.multipass.sampling import told
from aeon.programs.short import alone
from aeon.programs.sources import SQL
from aeon.runtime.ledger import current_ledger
from aeon.schema.programs import Candidate
from aeon.schema.weight import Standing, Weight
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import JudgmentSpec, judgment
from aeon.supervisor.judge_standing import least
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line
from aeon.tools.quote import QUOTE
from aeon.tools.registry import ToolRegistry

__all__ = ["ResultWeigher"]

_ANSWERS, _GIVES, _QUERY = "answers_question", "gives_answer", "query_answers"
_LONGEST_QUESTION, _LONGEST_ANSWER = 400, 200


class ResultWeigher:
    """Has a model that tells probabilities, and was measured to tell right from wrong, judge results one by one.

    A quotation is judged by its sentences, shown alone: beside others, what is said of one thing passes for an answer
    about another. A query is judged by its text. What was calculated otherwise is judged with the whole answer.
    """

    def __init__(self, supervisor: Supervisor, tools: ToolRegistry) -> None:
        self._judge = Judge(supervisor, samples=0)
        self._tables = tools.get(SQL).hint if SQL in tools.names else ""

    async def weigh(self, effect: WeighResult) -> Weight:
        """How likely the result is what the step asks for; nothing where no judgment of it was measured."""
        if await self._judge.form() != "probability":
            return Weight()
        given, question = effect.candidate.ran, one_line(effect.step.description, _LONGEST_QUESTION)
        tools = {use.tool for use in given.uses}
        if tools == {QUOTE} or given.near:
            return await self._of_sentences(effect.candidate, question)
        if SQL in tools:
            query = _query(effect.candidate)
            return await self._said(
                judgment(_QUERY), tables=self._tables, question=effect.step.description, query=query
            )
        return Weight()

    async def _of_sentences(self, candidate: Candidate, question: str) -> Weight:
        """What the sentences of a quotation say: whether they answer the question, and whether they give the answer."""
        given = candidate.ran
        shown = [*given.near, *(lines for use in given.uses for lines in use.lines)]
        text = "\n".join(dict.fromkeys(map(alone, sources_of(shown))))
        answers = await self._said(judgment(_ANSWERS), text=text, question=question)
        if answers.score is None or answers.score < 0.5:
            return answers
        answer = one_line(told(given.values), _LONGEST_ANSWER)
        gives = await self._said(judgment(_GIVES), text=text, question=question, answer=answer)
        return answers if gives.score is None else _lower(answers, gives)

    async def _said(self, spec: JudgmentSpec, **material: str) -> Weight:
        """A judgment, so that one half is where it begins to say yes; nothing where it counts for nothing."""
        if current_ledger().calls_left() < 1 or await self._judge.standing(spec) != "measured":
            return Weight()
        try:
            judged = await self._judge.ask(spec, material)
        except (CompletionError, AllowanceExhausted):
            return Weight()
        return Weight(score=round(_even(judged.score, spec.threshold), 4), form=judged.form, standing=judged.standing)


def _query(candidate: Candidate) -> str:
    """The query that a program asks, where it asks just one and nothing else; else the program."""
    queries = [str(use.arguments.get("query", "")) for use in candidate.ran.uses]
    return queries[0] if len(queries) == 1 else candidate.program.text


def _lower(one: Weight, other: Weight) -> Weight:
    """The lower of two judgments of one thing, worth what the weaker of them is."""
    scores = [each.score for each in (one, other) if each.score is not None]
    worth: Standing = least([one.standing, other.standing])
    return one.changed(score=min(scores), standing=worth)


def _even(score: float, threshold: float) -> float:
    """A score on a scale where the threshold is one half."""
    if score < threshold:
        return 0.5 * score / threshold
    return 0.5 + 0.5 * (score - threshold) / (1 - threshold)
