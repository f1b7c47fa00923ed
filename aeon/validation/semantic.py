"""The validator: crisp questions, asked with the evidence in view; an issue must point at something that exists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Literal

from pydantic import Field

from aeon.multipass.effects import ValidatePlan, ValidateResults
from aeon.multipass.plans import current_steps
from aeon.runtime.ledger import current_ledger
from aeon.schema import (
    ConvergenceAssessment,
    ConvergenceThresholds,
    Form,
    Frozen,
    Issue,
    IssueType,
    JsonValue,
    Plan,
    SemanticValidationReport,
    Severity,
    Step,
    Task,
    ToolLoop,
)
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge, Judged
from aeon.supervisor.judge_specs import Calibrations, judgment
from aeon.supervisor.judge_standing import least
from aeon.supervisor.judge_verdict import Answered, VerdictJudge, report_of, verdict_of
from aeon.supervisor.prompt import cut, fence, load, render
from aeon.supervisor.schema import schema_of
from aeon.supervisor.supervisor import Supervisor
from aeon.validation.arithmetic import wrong_sums
from aeon.validation.planned import PlanReviewer

__all__ = ["SemanticValidator"]

_LONGEST = 3_000
_LONGEST_TASK = 1_000
_ISSUE_CALLS = 2
_BAD = "measured to be too poor to decide:"


class _IssueReply(Frozen):
    """One fault in the model's words; where it can be is filled in by the host."""

    description: str = Field(min_length=5, max_length=200)
    proposed_repair: str = Field(max_length=160)
    type: IssueType
    severity: Severity
    location: str


class SemanticValidator:
    """Asks whether a plan or a result is right, and only where that is doubted what is wrong.

    Steps that a model does with tools turn by turn are reviewed in one structured reply, which says whether the task is
    answered, too: ``missing`` gives the values of an answer that the host found nowhere, and ``thresholds`` what its
    scores must reach. Of other plans and results a yes or no is asked, and what is wrong only of a model that writes
    its judgments. A judgment that was measured to be bad on the model is not asked, and the evidence says so.
    With ``crisp`` what nobody measured is asked only of a model that tells probabilities. ``plan_cut`` and
    ``result_cut`` are the scores (0-1) of "right" below which there is a fault. ``measured`` holds what was measured,
    by default on the endpoint itself, then what is shipped.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        briefing: Briefing,
        plan_cut: float = 0.2,
        result_cut: float = 0.2,
        measured: Calibrations | None = None,
        missing: Callable[[ValidateResults], tuple[str, ...]] = lambda _: (),
        thresholds: ConvergenceThresholds | None = None,
        crisp: bool = False,
    ) -> None:
        self._supervisor = supervisor
        self._missing = missing
        self._thresholds = thresholds or ConvergenceThresholds()
        self._verdicts = VerdictJudge(supervisor, briefing, measured)
        self._plans = PlanReviewer(supervisor, briefing)
        self._briefing = briefing
        self._plan_cut = plan_cut
        self._result_cut = result_cut
        self._judge = Judge(supervisor, samples=0, measured=measured, crisp=crisp)

    async def validate_plan(self, effect: ValidatePlan) -> SemanticValidationReport:
        """Issues of the plan, or of the steps that are named; none if it is judged to lead to the answer."""
        if _works_with_tools(effect.plan):
            return await self._plans.review(effect)
        if len(effect.plan.steps) < 2:
            return SemanticValidationReport()
        if not await self._judge.asks(judgment("plan_leads")):
            return await self._unasked("plan_leads")
        outline = _outline(effect.plan)
        values = {"plan": outline, "task": cut(effect.task.text, _LONGEST_TASK)}
        right = await self._judge.ask(judgment("plan_leads"), values, frame=self._briefing.frame(effect.task))
        if right.score >= self._plan_cut:
            return SemanticValidationReport(form=right.form, standing=right.standing)
        fenced = fence("plan", outline, _LONGEST)
        steps = [step for step in effect.plan.steps if step.id in effect.steps] if effect.steps else effect.plan.steps
        return await self._doubted(effect.task, "plan", right, fenced, (), steps)

    async def validate_results(self, effect: ValidateResults) -> SemanticValidationReport:
        """Issues of the steps that reasoned, and of those that give the answer, whatever computed it."""
        if _works_with_tools(effect.plan):
            return await self._reviewed(effect)
        steps = _judged_steps(effect)
        judged = await self._judge.asks(judgment("result_right"))
        bad = await self._unasked("result_right")
        reports = [await self._review(effect, step, judged) for step in steps]
        return _merge([*([] if judged or not steps else [bad]), *reports])

    async def _unasked(self, name: str) -> SemanticValidationReport:
        """The report where the judgment of that name is not asked for."""
        if await self._judge.decides(judgment(name)):
            return SemanticValidationReport()
        return SemanticValidationReport(evidence=(f"{_BAD} {name}",), standing="bad")

    async def _reviewed(self, effect: ValidateResults) -> SemanticValidationReport:
        """The report on an answer that tools were called for, with its verdict; without an answer nothing is asked."""
        answered = _answered(effect, self._missing(effect))
        if not answered.text.strip():
            unfinished = ConvergenceAssessment(converged=False, reason_codes=("steps_unfinished",))
            return SemanticValidationReport(verdict=unfinished)
        review = await self._verdicts.review(answered)
        verdict = verdict_of(review, answered, self._thresholds, await self._verdicts.calibration())
        return report_of(review, answered, verdict)

    async def _review(self, effect: ValidateResults, step: Step, judged: bool) -> SemanticValidationReport:
        """The report on one step: recompute its sums, and ask the judge where it can tell."""
        if current_ledger().calls_left() < await self._judge.most_calls(judgment("result_right")) + _ISSUE_CALLS:
            return SemanticValidationReport(evidence=(f"{step.id}: not checked, the calls for it were used up",))
        sums = wrong_sums(str(step.output))
        doubt = await (self._check if judged else self._check_sums)(effect, step, sums)
        return doubt.changed(evidence=(*(f"{step.id}: {fact}" for fact in sums), *doubt.evidence))

    async def _check(self, effect: ValidateResults, step: Step, sums: Sequence[str]) -> SemanticValidationReport:
        """Whether one result is right, and what is wrong with it if that is doubted."""
        context = _context(effect.plan, step)
        values = {"results": context, "recomputed": _note(sums)}
        right = await self._judge.ask(judgment("result_right"), values, frame=self._briefing.frame(effect.task))
        if right.score >= self._result_cut:
            return SemanticValidationReport(form=right.form, standing=right.standing)
        return await self._doubted(effect.task, "results", right, fence("results", context, _LONGEST), sums, (step,))

    async def _check_sums(self, effect: ValidateResults, step: Step, sums: Sequence[str]) -> SemanticValidationReport:
        """Ask a model that cannot judge a result whether the recomputed sums bear it out."""
        if not sums or not await self._judge.decides(judgment("evidence_supports")):
            return SemanticValidationReport()
        facts = "; ".join(sums)
        supported = await self._judge.ask(judgment("evidence_supports"), {"claim": str(step.output), "evidence": facts})
        if supported.score >= 0.5:
            return SemanticValidationReport(form=supported.form, standing=supported.standing)
        line = fence("results", _line(step), _LONGEST)
        return await self._doubted(effect.task, "results", supported, line, sums, (step,))

    async def _doubted(
        self,
        task: Task,
        subject: Literal["plan", "results"],
        judged: Judged,
        material: str,
        evidence: Sequence[str],
        steps: Sequence[Step],
    ) -> SemanticValidationReport:
        """The fault: in words of the model if its judgments are words, else that there is one."""
        worth = SemanticValidationReport(form=judged.form, standing=judged.standing)
        if judged.form == "probability":
            kind: IssueType = "relevance" if subject == "plan" else "consistency"
            place = "plan" if subject == "plan" else steps[-1].id
            said = f"judged to be wrong: {judged.name} {judged.score:.2f}"
            return worth.changed(issues=(Issue(type=kind, description=said, location=place),))
        return worth.changed(issues=(await self._fault(task, subject, material, evidence, steps),))

    async def _fault(
        self,
        task: Task,
        subject: Literal["plan", "results"],
        material: str,
        evidence: Sequence[str],
        steps: Sequence[Step],
    ) -> Issue:
        """The fault in words."""
        text = load("aeon.validation", "issue.md")
        question = render(text, subject=subject, material=material, evidence=_note(evidence))
        schema = schema_of(_IssueReply)
        properties = schema["properties"]
        if isinstance(properties, dict):
            places: list[JsonValue] = [s.id for s in steps]
            properties["location"] = {"enum": [*places, "plan"] if subject == "plan" else places}
        reply = await self._supervisor.structured(
            self._briefing.prompt(task, question), _IssueReply, schema=schema, max_tokens=200, repairs=_ISSUE_CALLS - 1
        )
        return Issue.model_validate(reply.value.model_dump())


def _answered(effect: ValidateResults, missing: Sequence[str] = ()) -> Answered:
    return Answered.of(effect.task, current_steps(effect.plan), effect.plan.answer, missing)


def _works_with_tools(plan: Plan) -> bool:
    """Whether a model does the steps turn by turn, with tools."""
    return any(isinstance(step.action, ToolLoop) for step in current_steps(plan))


def _note(evidence: Sequence[str]) -> str:
    return f"Recomputed: {'; '.join(evidence)}" if evidence else ""


def _outline(plan: Plan) -> str:
    """The plan for a judge: what each step finds out and how."""
    return "\n".join(f"{s.id}: {s.description} | {_how(s)}" for s in plan.steps)


def _how(step: Step) -> str:
    if step.action.type != "tool":
        return f"by {step.action.type}"
    return f"{step.action.tool} {step.action.arguments or '(arguments follow)'}"


def _context(plan: Plan, step: Step) -> str:
    return "\n".join(map(_line, [s for s in plan.steps if s.id in step.dependencies] + [step]))


def _line(step: Step) -> str:
    return f"{step.id}: {step.description}\n  = {step.output}"


def _judged_steps(effect: ValidateResults) -> list[Step]:
    """The steps of this pass that came to a good end, and reasoned or give the answer."""
    answer = {step.id for step in _answered(effect).answer}
    complete = [s for s in effect.plan.steps if s.id in effect.executed and s.status == "complete"]
    return [s for s in complete if s.id in answer or s.mode in ("reasoning", "reasoning_fallback")]


def _merge(reports: Sequence[SemanticValidationReport]) -> SemanticValidationReport:
    """One report of several, with the form of the last question, and the least that any of them is worth."""
    issues = tuple(chain.from_iterable(report.issues for report in reports))
    evidence = tuple(chain.from_iterable(report.evidence for report in reports))
    forms: list[Form] = [report.form for report in reports if report.form != "none"]
    return SemanticValidationReport(
        issues=issues, evidence=evidence, form=forms[-1] if forms else "none",
        standing=least(report.standing for report in reports if report.standing != "none"),
    )  # fmt: skip
