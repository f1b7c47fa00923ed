"""Holding a handler to its contract: what it returns for sample effects is what the kernel can rely on."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator

from aeon.errors import AeonError
from aeon.kernel.effects import AskUser, Effect
from aeon.multipass.effects import (
    AssessConvergence,
    DraftPlan,
    ExecuteStep,
    RefinePlan,
    Synthesize,
    ValidatePlan,
    ValidateResults,
)
from aeon.multipass.refine import Attempts, apply
from aeon.runtime.ledger import Ledger
from aeon.schema import (
    Answer,
    ConvergenceAssessment,
    Phase,
    Plan,
    Reasoning,
    Refinement,
    RefinementLimits,
    Reply,
    SemanticValidationReport,
    StepResult,
    Value,
)
from aeon.testing.samples import samples
from aeon.testing.schemas import faults

__all__ = ["AnyHandler", "check_handler"]

AnyHandler: TypeAlias = Callable[[Any], Coroutine[Any, Any, object]]
"""A coroutine that answers the effects of one phase: a method of a class, or a function."""

_SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW")
_SCORES = ("completeness", "coherence", "consistency")


async def check_handler(phase: Phase, handler: AnyHandler, effect: Effect | None = None) -> list[str]:
    """What the handler does that its contract forbids, one line each; nothing if it keeps to it.

    It is tried on ``effect``, or on every sample of the phase. It may raise an ``AeonError`` where it has no answer:
    that is a typed failure, and the kernel has a rule for it. It may not spend more than the effect allows.
    """
    tried = samples(phase) if effect is None else (effect,)
    violations: list[str] = []
    for number, each in enumerate(tried):
        violations += [f"{phase}, sample {number}: {found}" for found in await _violations(handler, each)]
    return violations


async def _violations(handler: AnyHandler, effect: Effect) -> list[str]:
    """What is wrong with what the handler does for one effect."""
    ledger = Ledger(effect.allowance)
    value: object = None
    failed: list[str] | None = None
    try:
        with ledger:
            value = await handler(effect)
    except AeonError:
        failed = []
    except Exception as error:  # noqa: BLE001 - whatever a handler raises is what is reported here
        failed = [f"it raised {type(error).__name__}, which is no AeonError: {error}"]
    over = ledger.spent.calls - effect.allowance.calls
    spent = [f"it made {ledger.spent.calls} model calls, {effect.allowance.calls} were allowed"] if over > 0 else []
    if failed is not None:
        return spent + failed
    if not isinstance(value, effect.result):
        return [*spent, f"it returned {type(value).__name__}, not {effect.result.__name__}"]
    return [*spent, *faults(value), *_contradictions(effect, value)]


def _contradictions(effect: Effect, value: Value) -> Iterator[str]:
    """What no schema can say: whether the result makes sense as an answer to this effect."""
    match effect, value:
        case DraftPlan(), Plan():
            yield from _of_draft(effect, value)
        case ValidatePlan() | ValidateResults(), SemanticValidationReport():
            yield from _of_report(effect.plan, value)
        case RefinePlan(), Refinement():
            yield from _of_refinement(effect, value)
        case ExecuteStep(), StepResult():
            yield from _of_step(effect, value)
        case AssessConvergence(), ConvergenceAssessment():
            yield from _of_assessment(effect, value)
        case AskUser(), Reply():
            yield from _of_reply(effect, value)
        case Synthesize(), Answer():
            yield from _of_answer(effect, value)


def _of_draft(effect: DraftPlan, plan: Plan) -> Iterator[str]:
    yield from plan.problems(effect.most_steps)
    yield from (f"step '{s.id}' of a new plan is {s.status}" for s in plan.steps if s.status != "pending")


def _of_report(plan: Plan, report: SemanticValidationReport) -> Iterator[str]:
    for issue in report.issues:
        if not plan.holds(issue.trigger):
            yield f"an issue points at '{issue.location}', which does not exist"
    ranks = [_SEVERITIES.index(issue.severity) for issue in report.issues]
    if ranks != sorted(ranks):
        yield "the issues do not stand in the order of their severity"
    if report.failed and report.issues:
        yield "the report is marked as failed and has issues all the same"


def _of_refinement(effect: RefinePlan, refinement: Refinement) -> Iterator[str]:
    if refinement.question and not effect.may_ask:
        yield "it has a question, though none may be asked"
    if refinement.question and refinement.actions:
        yield "it has a question and deltas; deltas are asked for again once the question is answered"
    limits = RefinementLimits(total_steps=len(effect.plan.steps) + effect.most_steps)
    _, record = apply(effect.plan, refinement.actions, Attempts(limits))
    for refused in record.rejected:
        yield f"{refused.action.type} of '{refused.action.target or 'plan'}' cannot be applied: {refused.reason}"


def _of_step(effect: ExecuteStep, result: StepResult) -> Iterator[str]:
    if isinstance(effect.step.action, Reasoning) and result.mode != "reasoning":
        yield f"a reasoning step was done in mode '{result.mode}'"
    if result.clarity == "BLOCKED" and not result.problem:
        yield "the step is blocked and its result does not say by what"


def _of_assessment(effect: AssessConvergence, assessment: ConvergenceAssessment) -> Iterator[str]:
    if assessment.converged:
        yield from _doubts(effect, assessment)
    elif not assessment.reason_codes:
        yield "not converged, and no reason code says why"


def _doubts(effect: AssessConvergence, assessment: ConvergenceAssessment) -> Iterator[str]:
    """What speaks against a run's having converged."""
    low = [name for name in _SCORES if getattr(assessment, name) < getattr(effect.thresholds, name)]
    if low:
        yield f"converged, though below the threshold in {', '.join(low)}"
    if assessment.reason_codes:
        yield f"converged, though with the reason codes {', '.join(assessment.reason_codes)}"
    if assessment.failed:
        yield "converged, though the judgment is marked as failed"
    if not any(step.status == "complete" for step in effect.plan.steps):
        yield "converged, though no step is complete"


def _of_reply(effect: AskUser, reply: Reply) -> Iterator[str]:
    if not reply.text.strip():
        yield "the reply is empty"
    if reply.assumed and reply.text != effect.question.default:
        yield "the reply is assumed, and is not the question's default"


def _of_answer(effect: Synthesize, answer: Answer) -> Iterator[str]:
    wanted = effect.task.answer_schema
    if not answer.text.strip():
        yield "the answer is empty"
    if wanted is None and answer.value is not None:
        yield "the answer has a value, though the task has no schema for one"
    if wanted is not None and answer.value is not None:
        yield from (f"value: {error.message}" for error in Draft202012Validator(wanted).iter_errors(answer.value))
