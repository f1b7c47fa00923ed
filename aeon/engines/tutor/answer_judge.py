"""A model judges whether an answer of decided claims answers the task; the verdicts on the claims are not its own."""

from __future__ import annotations

from typing import get_args

from aeon.engines.tutor.effects import JudgeAnswer, JudgedReply
from aeon.schema import JsonObject, ReplyKind
from aeon.schema.frozen import Frozen
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import JudgmentSpec, judgment
from aeon.supervisor.judge_verdict import strict_object
from aeon.supervisor.prompt import Prompt, fence, load
from aeon.supervisor.supervisor import Supervisor

__all__ = ["AnswerJudge"]

_TOKENS = 256
_LONGEST_TASK, _LONGEST_ANSWER = 3_000, 3_000
_SCHEMA: JsonObject = strict_object(
    {"explanation": {"type": "string"}, "kind": {"type": "string", "enum": [*get_args(ReplyKind)]}}
)


class _Review(Frozen):
    explanation: str
    kind: ReplyKind


class AnswerJudge:
    """Asks for the kind of a reply; of an endpoint that tells probabilities, for yes or no."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._judge = Judge(supervisor, samples=0)

    async def judge(self, effect: JudgeAnswer) -> JudgedReply:
        """Whether the answer answers the task; a judge that was measured to be bad is not asked.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        spec = judgment("answers_question")
        if not await self._judge.decides(spec):
            return JudgedReply(standing="bad")
        by_odds = await self._judge.form() == "probability"
        return await (self._yes_or_no(effect, spec) if by_odds else self._kind(effect))

    async def _yes_or_no(self, effect: JudgeAnswer, spec: JudgmentSpec) -> JudgedReply:
        """Of an answer that its claims are open, whether these would answer, is asked for."""
        text = "; ".join(effect.claims) if effect.undecidable else effect.answer
        question = self._briefing.facts(effect.task, _LONGEST_TASK).removeprefix("TASK: ")
        judged = await self._judge.ask(spec, {"text": text, "question": question})
        return JudgedReply(answers=judged.score >= spec.threshold, form=judged.form, standing=judged.standing)

    async def _kind(self, effect: JudgeAnswer) -> JudgedReply:
        """That something is not stated answers only where the answer says that its claims are open."""
        reply = await self._supervisor.structured(
            self._prompt(effect), _Review, max_tokens=_TOKENS, schema=_SCHEMA, repairs=1
        )
        kind = reply.value.kind
        answers = kind == "answer" or (effect.undecidable and kind == "not_stated")
        return JudgedReply(
            answers=answers, kind=kind, explanation=reply.value.explanation, form="verdict", standing="assumed"
        )

    def _prompt(self, effect: JudgeAnswer) -> Prompt:
        decided = "cannot be decided" if effect.undecidable else "proved"
        claims = "\n".join(f"{decided}: {claim}" for claim in effect.claims)
        parts = [
            self._briefing.facts(effect.task, _LONGEST_TASK),
            fence("answer", effect.answer, _LONGEST_ANSWER),
            fence("claims", claims, _LONGEST_ANSWER),
            load("aeon.engines.tutor", "judge_answer.md").strip(),
        ]
        system = self._briefing.instructed(load("aeon.supervisor", "judge_results_system.md").strip())
        return Prompt(system=system, user="\n\n".join(parts))
