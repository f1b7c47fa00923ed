"""The validator: a review in one reply, or crisp questions; an issue points at something that exists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Literal

from aeon.isolation.aside import aside, read_aside
from aeon.multipass.effects import ValidatePlan, ValidateResults
from aeon.multipass.plans import current_steps, is_by_turns
from aeon.runtime.ledger import current_ledger
from aeon.schema import (
    ConvergenceThresholds,
    Form,
    Issue,
    IssueType,
    Plan,
    SemanticValidationReport,
    Step,
)
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge, Judged
from aeon.supervisor.judge_specs import Calibrations, judgment
from aeon.supervisor.judge_standing import least
from aeon.supervisor.judge_verdict import Answered, VerdictJudge, report_of, unanswered, verdict_of
from aeon.supervisor.prompt import cut
from aeon.supervisor.supervisor import Supervisor
from aeon.validation.arithmetic import wrong_sums
from aeon.validation.planned import PlanReviewer

__all__ = ["SemanticValidator"]

_LONGEST_TASK = 1_000
_BAD = "measured to be too poor to decide:"


class SemanticValidator:
    """Asks whether a plan or a result is right, and only where that is doubted what is wrong.

    A model that tells probabilities is asked a yes or no of a plan and of each result, if it did not work with tools
    turn by turn; ``plan_cut`` and ``result_cut`` are the scores (0-1) of "right" below which there is a fault. Else the
    plan is reviewed in one structured reply, and so are the results, with whether the task is answered: ``missing``
    gives the values of an answer that the host found nowhere, and ``thresholds`` what its scores must reach. A judgment
    that was measured to be bad on the model is not asked, and the evidence says so. ``measured`` holds what was
    measured, by default on the endpoint itself, then what is shipped. With ``judged`` false
    there is no model to ask.
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
        judged: bool = True,
    ) -> None:
        self._supervisor = supervisor
        self._missing = missing
        self._thresholds = thresholds or ConvergenceThresholds()
        self._verdicts = VerdictJudge(supervisor, briefing, measured)
        self._plans = PlanReviewer(supervisor, briefing)
        self._briefing = briefing
        self._judged = judged
        self._plan_cut = plan_cut
        self._result_cut = result_cut
        self._judge = Judge(supervisor, samples=0, measured=measured)

    async def validate_plan(self, effect: ValidatePlan) -> SemanticValidationReport:
        """Issues of the plan, or of the steps that are named; none if it is judged to lead to the answer."""
        if not self._judged or len(current_steps(effect.plan)) < 2:
            return SemanticValidationReport()
        if await self._reviews(effect.plan):
            return await self._plans.review(effect)
        if not await self._judge.decides(judgment("plan_leads")):
            return _unasked("plan_leads")
        outline = _outline(effect.plan)
        values = {"plan": outline, "task": cut(effect.task.text, _LONGEST_TASK)}
        right = await self._judge.ask(judgment("plan_leads"), values, frame=self._briefing.frame(effect.task))
        if right.score >= self._plan_cut:
            return SemanticValidationReport(form=right.form, standing=right.standing)
        return _doubted(right, "plan", "plan")

    async def validate_results(self, effect: ValidateResults) -> SemanticValidationReport:
        """Issues of the steps that reasoned, and of those that give the answer, whatever computed it."""
        if not self._judged:
            return SemanticValidationReport()
        if await self._reviews(effect.plan):
            return await self._reviewed(effect)
        steps = _judged_steps(effect)
        judged = await self._judge.decides(judgment("result_right"))
        reports = [await self._review(effect, step, judged) for step in steps]
        return _merge([*([] if judged or not steps else [_unasked("result_right")]), *reports])

    async def _reviews(self, plan: Plan) -> bool:
        """Whether such a plan and its results are reviewed in one reply each, rather than by a yes or no."""
        return is_by_turns(plan) or await self._judge.form() != "probability"

    async def _reviewed(self, effect: ValidateResults) -> SemanticValidationReport:
        """The report on an answer, with its verdict; without an answer nothing is asked."""
        answered, sums = await aside(partial(self._checked, effect))
        if not answered.text.strip():
            return SemanticValidationReport(verdict=unanswered(answered), evidence=sums)
        answered = replace(answered, issues=sums)
        review = await self._verdicts.review(answered)
        verdict = verdict_of(review, answered, self._thresholds, await self._verdicts.calibration())
        return report_of(review, answered, verdict).changed(evidence=sums)

    def _checked(self, effect: ValidateResults) -> tuple[Answered, tuple[str, ...]]:
        """The answer with its values that stand nowhere, and the sums of the results that are wrong."""
        sums = (f"{one.id}: {fact}" for one in _judged_steps(effect) for fact in wrong_sums(str(one.output)))
        return _answered(effect, self._missing(effect)), tuple(sums)

    async def _review(self, effect: ValidateResults, step: Step, judged: bool) -> SemanticValidationReport:
        """The report on one step: recompute its sums, and ask the judge where it can tell."""
        if current_ledger().calls_left() < await self._judge.most_calls(judgment("result_right")):
            return SemanticValidationReport(evidence=(f"{step.id}: not checked, the calls for it were used up",))
        output = str(step.output)
        sums = await read_aside(output, partial(wrong_sums, output))
        doubt = await (self._check if judged else self._check_sums)(effect, step, sums)
        return doubt.changed(evidence=(*(f"{step.id}: {fact}" for fact in sums), *doubt.evidence))

    async def _check(self, effect: ValidateResults, step: Step, sums: Sequence[str]) -> SemanticValidationReport:
        """Whether one result is right, and what is wrong with it if that is doubted."""
        context = _context(effect.plan, step)
        values = {"results": context, "recomputed": _note(sums)}
        right = await self._judge.ask(judgment("result_right"), values, frame=self._briefing.frame(effect.task))
        if right.score >= self._result_cut:
            return SemanticValidationReport(form=right.form, standing=right.standing)
        return _doubted(right, "results", step.id)

    async def _check_sums(self, effect: ValidateResults, step: Step, sums: Sequence[str]) -> SemanticValidationReport:
        """Ask a model that cannot judge a result whether the recomputed sums bear it out."""
        if not sums or not await self._judge.decides(judgment("evidence_supports")):
            return SemanticValidationReport()
        facts = "; ".join(sums)
        supported = await self._judge.ask(judgment("evidence_supports"), {"claim": str(step.output), "evidence": facts})
        if supported.score >= 0.5:
            return SemanticValidationReport(form=supported.form, standing=supported.standing)
        return _doubted(supported, "results", step.id)


def _doubted(judged: Judged, subject: Literal["plan", "results"], place: str) -> SemanticValidationReport:
    """The fault that a judge's no amounts to: there is one, and where."""
    kind: IssueType = "relevance" if subject == "plan" else "consistency"
    said = f"judged to be wrong: {judged.name} {judged.score:.2f}"
    issue = Issue(type=kind, description=said, location=place)
    return SemanticValidationReport(issues=(issue,), form=judged.form, standing=judged.standing)


def _answered(effect: ValidateResults, missing: Sequence[str] = ()) -> Answered:
    return Answered.of(effect.task, current_steps(effect.plan), effect.plan.answer, missing)


def _unasked(name: str) -> SemanticValidationReport:
    """The report where the judgment of that name was measured to be too poor."""
    return SemanticValidationReport(evidence=(f"{_BAD} {name}",), standing="bad")


def _note(evidence: Sequence[str]) -> str:
    return f"Recomputed: {'; '.join(evidence)}" if evidence else ""


def _outline(plan: Plan) -> str:
    """The plan for a judge: what each step finds out and how."""
    return "\n".join(f"{s.id}: {s.description} | by {s.action.type}" for s in plan.steps)


def _context(plan: Plan, step: Step) -> str:
    return "\n".join(map(_line, [s for s in plan.steps if s.id in step.dependencies] + [step]))


def _line(step: Step) -> str:
    return f"{step.id}: {step.description}\n  = {step.output}"


def _judged_steps(effect: ValidateResults) -> list[Step]:
    """The steps of this pass that came to a good end, and reasoned or give the answer."""
    answer = {step.id for step in _answered(effect).answer}
    complete = [s for s in effect.plan.steps if s.id in effect.executed and s.status == "complete"]
    return [s for s in complete if not _is_weighed(s) and (s.id in answer or s.mode == "reasoning")]


def _is_weighed(step: Step) -> bool:
    """Whether a judge weighed a step's result when programs gave it."""
    return step.weight is not None and step.weight.score is not None


def _merge(reports: Sequence[SemanticValidationReport]) -> SemanticValidationReport:
    """One report of several, with the form of the last question, and the least that any of them is worth."""
    issues = tuple(chain.from_iterable(report.issues for report in reports))
    evidence = tuple(chain.from_iterable(report.evidence for report in reports))
    forms: list[Form] = [report.form for report in reports if report.form != "none"]
    return SemanticValidationReport(
        issues=issues, evidence=evidence, form=forms[-1] if forms else "none",
        standing=least(report.standing for report in reports if report.standing != "none"),
    )  # fmt: skip
