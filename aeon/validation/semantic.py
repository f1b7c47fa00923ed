"""The validator: crisp questions, asked with the evidence in view; an issue must point at something that exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from aeon.multipass.effects import ValidatePlan, ValidateResults
from aeon.runtime.ledger import current_ledger
from aeon.schema import Form, Frozen, Issue, IssueType, JsonValue, Plan, SemanticValidationReport, Severity, Step, Task
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.judge_specs import judgment
from aeon.supervisor.prompt import cut, fence, load, render
from aeon.supervisor.schema import schema_of
from aeon.supervisor.supervisor import Supervisor
from aeon.validation.arithmetic import wrong_sums

__all__ = ["SemanticValidator"]

_LONGEST = 3_000
_LONGEST_TASK = 1_000
_ISSUE_CALLS = 2


class _IssueReply(Frozen):
    """One fault in the model's words; where it can be is filled in by the host."""

    description: str = Field(min_length=5, max_length=200)
    proposed_repair: str = Field(max_length=160)
    type: IssueType
    severity: Severity
    location: str


class SemanticValidator:
    """Asks whether a plan or a result is right, and only where that is doubted what is wrong.

    Where the model was measured to be unable to tell sound reasoning from unsound, it is not asked whether a result is
    right, but only whether sums that were done again bear it out.
    ``plan_cut`` and ``result_cut`` are the scores (0-1) of "right" below which a fault is looked for.
    """

    def __init__(
        self, supervisor: Supervisor, briefing: Briefing, plan_cut: float = 0.2, result_cut: float = 0.2
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._plan_cut = plan_cut
        self._result_cut = result_cut
        self._judge = Judge(supervisor, samples=0, unmeasured_decides=True)

    async def validate_plan(self, effect: ValidatePlan) -> SemanticValidationReport:
        """Issues of the plan, none where it is judged to lead to the answer."""
        outline = _outline(effect.plan)
        shown = {"plan": outline, "task": cut(effect.task.text, _LONGEST_TASK)}
        right = await self._judge.ask(judgment("plan_leads"), shown, frame=self._briefing.frame(effect.task))
        if right.score >= self._plan_cut:
            return SemanticValidationReport(form=right.form)
        issue = await self._issue(effect.task, "plan", fence("plan", outline, _LONGEST), (), effect.plan.steps)
        return SemanticValidationReport(issues=(issue,) if issue else (), form=right.form)

    async def validate_results(self, effect: ValidateResults) -> SemanticValidationReport:
        """Issues of the steps that reasoned; what a tool computed is exact and asked about by nobody."""
        steps = [s for s in effect.plan.steps if s.id in effect.executed and s.status == "complete" and _reasoned(s)]
        issues: list[Issue] = []
        evidence: list[str] = []
        form: Form = "none"
        most = await self._judge.most_calls(judgment("result_right")) + _ISSUE_CALLS if steps else 0
        for step in steps:
            if current_ledger().calls_left() < most:
                evidence.append(f"{step.id}: not checked, the calls for it were used up")
                continue
            found = wrong_sums(str(step.output))
            evidence += [f"{step.id}: {fact}" for fact in found]
            issue, form = await self._result(effect, step, found, form)
            issues += [issue] if issue else []
        return SemanticValidationReport(issues=tuple(issues), evidence=tuple(evidence), form=form)

    async def _result(
        self, effect: ValidateResults, step: Step, found: Sequence[str], form: Form
    ) -> tuple[Issue | None, Form]:
        """The issue of one result, if any, and the form that it was judged in; ``form`` where nothing was asked."""
        if not await self._judge.decides(judgment("reasoning_sound")):
            return await self._recomputed(effect.task, step, found, form)
        return await self._check(effect, step, found)

    async def _check(self, effect: ValidateResults, step: Step, found: Sequence[str]) -> tuple[Issue | None, Form]:
        """Whether one result is right, and what is wrong with it if that is doubted."""
        context = _context(effect.plan, step)
        shown = {"results": context, "recomputed": _note(found)}
        right = await self._judge.ask(judgment("result_right"), shown, frame=self._briefing.frame(effect.task))
        if right.score >= self._result_cut:
            return None, right.form
        issue = await self._issue(effect.task, "results", fence("results", context, _LONGEST), found, (step,))
        return issue, right.form

    async def _recomputed(self, task: Task, step: Step, found: Sequence[str], form: Form) -> tuple[Issue | None, Form]:
        """What a model that cannot tell sound reasoning says of recomputed sums: do they bear the result out?"""
        if not found or not await self._judge.decides(judgment("evidence_supports")):
            return None, form
        facts = "; ".join(found)
        said = await self._judge.ask(judgment("evidence_supports"), {"claim": str(step.output), "evidence": facts})
        if said.score >= 0.5:
            return None, said.form
        return await self._issue(task, "results", fence("results", _line(step), _LONGEST), found, (step,)), said.form

    async def _issue(
        self,
        task: Task,
        subject: Literal["plan", "results"],
        shown: str,
        evidence: Sequence[str],
        steps: Sequence[Step],
    ) -> Issue | None:
        """The fault in words, or nothing if all that comes is the step itself said again."""
        text = load("aeon.validation", "issue.md")
        question = render(text, subject=subject, material=shown, evidence=_note(evidence))
        schema = schema_of(_IssueReply)
        properties = schema["properties"]
        if isinstance(properties, dict):
            places: list[JsonValue] = [s.id for s in steps]
            properties["location"] = {"enum": [*places, "plan"] if subject == "plan" else places}
        reply = await self._supervisor.structured(
            self._briefing.prompt(task, question), _IssueReply, schema=schema, max_tokens=200, repairs=_ISSUE_CALLS - 1
        )
        issue = Issue.model_validate(reply.value.model_dump())
        return None if any(_echoes(issue.description, step.description) for step in steps) else issue


def _note(evidence: Sequence[str]) -> str:
    return f"Recomputed: {'; '.join(evidence)}" if evidence else ""


def _outline(plan: Plan) -> str:
    """The plan for a judge: what each step finds out and how."""
    return "\n".join(f"{s.id}: {s.description} | {_how(s)}" for s in plan.steps)


def _how(step: Step) -> str:
    if step.action.type == "reasoning":
        return "by reasoning"
    return f"{step.action.tool} {step.action.arguments or '(arguments follow)'}"


def _context(plan: Plan, step: Step) -> str:
    return "\n".join(map(_line, [s for s in plan.steps if s.id in step.dependencies] + [step]))


def _line(step: Step) -> str:
    return f"{step.id}: {step.description}\n  = {step.output}"


def _reasoned(step: Step) -> bool:
    return step.mode in ("reasoning", "reasoning_fallback")


def _echoes(text: str, step: str) -> bool:
    """Whether nearly every word of the text is one of the step's own: then it names no fault."""
    words, own = set(text.casefold().split()), set(step.casefold().split())
    return len(words & own) >= 0.8 * len(words)
