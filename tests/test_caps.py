"""The caps that ship: each bears as many model calls as the longest way through its module takes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import pytest

from aeon.adaptive.profiler import Profiler
from aeon.convergence.engine import ConvergenceEngine
from aeon.errors import AllowanceExhausted
from aeon.llm.adapter import Permit, freely
from aeon.llm.scripted import Reply, Scripted
from aeon.multipass.effects import (
    AssessConvergence,
    DraftPlan,
    InferProfile,
    RefinePlan,
    Synthesize,
    ValidatePlan,
    ValidateResults,
    WritePrograms,
)
from aeon.plan.steps import StepPlanner
from aeon.programs.writer import ProgramWriter
from aeon.runtime.ledger import Ledger
from aeon.schema import (
    Allowance,
    CallCaps,
    Capabilities,
    ConvergenceThresholds,
    Issue,
    LLMResponse,
    Plan,
    SemanticValidationReport,
    Step,
    Task,
    TaskProfile,
    TokenProbability,
    Trigger,
    Usage,
)
from aeon.schema.effects import Effect
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.closing import Closer
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator
from aeon.validation.semantic import SemanticValidator

V = TypeVar("V")
E = TypeVar("E", bound=Effect)

TASK = Task(text="What do 240 rolls at 0.45 bring in?")
PLAIN = Capabilities()
ENFORCING = Capabilities(json_schema=True, json_mode=True)
SCORING = Capabilities(json_schema=True, json_mode=True, logprobs=True)
BAD = "No idea."
PROFILE = json.dumps({
    "rationale": "one product", "reasoning_depth": 2, "ambiguity": 0.1, "information_sufficiency": 0.9,
    "dependency_complexity": "low", "expected_step_count": 2, "expected_tool_usage": "minimal",
    "output_breadth": "narrow", "confidence_requirement": "medium",
})  # fmt: skip
DEEP = LLMResponse(text="2", first_token=(TokenProbability(token="2", probability=1.0),))
FAULT = {
    "description": "The price of a loaf is nowhere used.", "proposed_repair": "Use it.", "type": "relevance",
    "severity": "HIGH",
}  # fmt: skip
OF_PLAN = json.dumps({"explanation": "a price is left out", "issues": [{**FAULT, "location": "s1"}]})
OF_RESULTS = json.dumps({
    "explanation": "a price is left out", "kind": "answer", "issues": [FAULT], "completeness": 0.5, "coherence": 1,
    "consistency": 1,
})  # fmt: skip
AT_ODDS = '{"explanation": "two differ", "kind": "answer", "completeness": 1, "coherence": 1, "consistency": 0.2}'
VERDICT_NO = '{"reason": "it is off", "verdict": "no"}'
PLANNED = json.dumps({"steps": [{"goal": "the rolls", "needs": []}, {"goal": "the sum", "needs": [1]}]})
CHANGES = json.dumps({"changes": [{"replaces": "s1", "goals": ["the loaves"], "why": "they are left out"}]})
QUESTION = json.dumps({"question": "Which bakery is it?", "options": [], "default": "the first one"})
AMBIGUOUS = Trigger(kind="ambiguous", location="plan", detail="which bakery is not said")
ISSUE = Trigger(kind="issue", location="s1", detail="the loaves are left out")
TOOLS = ToolRegistry([calculator()])
BRIEFING = Briefing(TOOLS.describe())


def likely(yes: float) -> LLMResponse:
    """An answer whose first token is yes with this probability."""
    first = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
    return LLMResponse(text="Yes", first_token=first)


class Unknown(Scripted):
    """A model that makes three calls to find out what it can do, and asks for five."""

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """Make the calls."""
        async with permit(Usage(calls=5, prompt_tokens=500, generated_tokens=500)) as used:
            used(Usage(calls=3))
        return await super().capabilities(permit)


def calls(
    phase: str, effect: E, handler: Callable[[Supervisor], Callable[[E], Awaitable[V]]], model: Scripted
) -> tuple[V, int]:
    """What the handler gives under the cap that ships, and how many model calls that took."""

    async def work() -> tuple[V, int]:
        with Ledger(Allowance(calls=CallCaps().of(phase))) as ledger:
            value = await handler(Supervisor(model))(effect)
        return value, ledger.spent.calls

    return asyncio.run(work())


def plan(count: int = 1, **changes: Any) -> Plan:
    """A plan of so many reasoning steps."""
    steps = [Step(id=f"s{n}", description=f"part {n}", **changes) for n in range(1, count + 1)]
    return Plan(steps=tuple(steps)).numbered()


def done(count: int) -> Plan:
    """A plan all of whose steps were reasoned about."""
    return plan(count, status="complete", output="The loaves bring 240.", mode="reasoning")


@pytest.mark.requirement("K12", "J2")
@pytest.mark.parametrize(
    ("model", "made"),
    [
        (Unknown([BAD, BAD, PROFILE]), 6),
        (Scripted([likely(0.2), DEEP], SCORING, "qwen2.5-coder-1.5b"), 2),
    ],
    ids=["probes", "judged"],
)
def test_profiling_fits_its_cap(model: Scripted, made: int) -> None:
    """Three calls to find out what the endpoint can do and three for the words; of a small model, two tokens.

    To find out what an endpoint can do takes five at most, so the cap is two more than that.
    """
    short = model.name != "scripted"
    profile, spent = calls(
        "profile", InferProfile(task=TASK), lambda s: Profiler(s, BRIEFING, "program", short=short).infer, model
    )
    assert profile.inferred and spent == made <= CallCaps().profile - 2 == 6


@pytest.mark.requirement("K12", "J4")
def test_drafting_a_plan_fits_its_cap() -> None:
    """Three probes, and then the steps, which are asked for three times."""
    effect = DraftPlan(task=TASK, profile=TaskProfile(form="tools"), most_steps=4)
    model = Unknown([BAD, BAD, PLANNED], ENFORCING)
    drafted, spent = calls("plan", effect, lambda s: StepPlanner(s, BRIEFING).draft, model)
    assert len(drafted.steps) == 2 and spent == 6 <= CallCaps().plan


@pytest.mark.requirement("K12", "J5")
@pytest.mark.parametrize("can", [PLAIN, ENFORCING])
def test_checking_a_plan_fits_its_cap(can: Capabilities) -> None:
    """Three probes, and three calls for the review; of a model that tells probabilities one in the place of these."""
    model = Unknown([BAD, BAD, OF_PLAN], can)
    effect = ValidatePlan(task=TASK, plan=plan(2))
    report, spent = calls("validate_plan", effect, lambda s: SemanticValidator(s, BRIEFING).validate_plan, model)
    assert len(report.issues) == 1 and spent == 6 <= CallCaps().validate_plan


@pytest.mark.requirement("K12", "J4")
@pytest.mark.parametrize("may_ask", [True, False])
def test_refining_a_plan_fits_its_cap(may_ask: bool) -> None:
    """Two calls for a question, or three for the changes of a plan of several steps."""
    effect = RefinePlan(task=TASK, plan=done(2), triggers=(AMBIGUOUS, ISSUE), most_steps=3, may_ask=may_ask)
    model = Scripted([BAD, QUESTION] if may_ask else [BAD, BAD, CHANGES], PLAIN)
    refinement, spent = calls("refine_plan", effect, lambda s: StepPlanner(s, BRIEFING).refine, model)
    assert bool(refinement.question) is may_ask and len(refinement.actions) == (not may_ask)
    assert spent == (2 if may_ask else 3) <= CallCaps().refine_plan


@pytest.mark.requirement("K12", "W3")
def test_a_round_of_programs_fits_its_cap() -> None:
    """A call for each way, and those that find out what the endpoint can do."""
    model = Unknown(["print(240 * 0.45)"], ENFORCING)
    effect = WritePrograms(task=TASK, step=plan().steps[0])
    written, spent = calls("write", effect, lambda s: ProgramWriter(s, BRIEFING, TOOLS).write, model)
    assert [one.way for one in written.programs] == ["program"] and spent <= CallCaps().write - 2


@pytest.mark.requirement("K12", "J5", "J1")
def test_checking_results_fits_its_cap() -> None:
    """Three calls for the review of the whole."""
    effect = ValidateResults(task=TASK, plan=done(1), executed=("s1",))
    model = Scripted([BAD, BAD, OF_RESULTS])
    report, spent = calls("validate_results", effect, lambda s: SemanticValidator(s, BRIEFING).validate_results, model)
    assert [issue.location for issue in report.issues] == ["s1"] and spent == 3 <= CallCaps().validate_results


@pytest.mark.requirement("K12", "J5", "J1")
def test_checking_many_results_fits_its_cap() -> None:
    """A yes or no for each; the steps that no call is left for are named, and those checked still count."""
    most = CallCaps().validate_results
    effect = ValidateResults(task=TASK, plan=done(most + 1), executed=tuple(f"s{n}" for n in range(1, most + 2)))
    model = Scripted([likely(0.01)] * most, SCORING)
    report, spent = calls("validate_results", effect, lambda s: SemanticValidator(s, BRIEFING).validate_results, model)
    assert [issue.location for issue in report.issues] == [f"s{n}" for n in range(1, most + 1)]
    assert report.evidence == (f"s{most + 1}: not checked, the calls for it were used up",) and spent == most


def assessing(count: int, *criteria: str) -> AssessConvergence:
    """An assessment of so many reasoned results, one of which has an issue."""
    issue = Issue(type="relevance", severity="LOW", description="It is short.", location="s1", proposed_repair="")
    return AssessConvergence(
        task=TASK.changed(criteria=criteria), plan=done(count),
        report=SemanticValidationReport(issues=(issue,)), thresholds=ConvergenceThresholds(),
    )  # fmt: skip


@pytest.mark.requirement("K12", "J6", "O3")
@pytest.mark.parametrize(
    ("replies", "can", "made"),
    [
        ((BAD, BAD, AT_ODDS, *[BAD, VERDICT_NO] * 3), ENFORCING, 9),
        ([likely(0.01)] * 6, SCORING, 6),
    ],
    ids=["review", "yes or no"],
)
def test_assessing_convergence_fits_its_cap(replies: Sequence[Reply], can: Capabilities, made: int) -> None:
    """Three calls for a review, and two for each of three pairs of results; or one for each score and each pair."""
    model = Scripted(replies, can)
    assessment, spent = calls("assess", assessing(3), lambda s: ConvergenceEngine(s, BRIEFING).assess, model)
    assert not assessment.failed and assessment.evaluation and not assessment.converged
    assert spent == made <= CallCaps().assess


@pytest.mark.requirement("K12", "J6")
def test_criteria_that_no_call_is_left_for_are_not_met() -> None:
    """However many criteria a task has, it is assessed; what could not be checked keeps the run from converging."""
    most = CallCaps().assess
    effect = assessing(2, *(f"criterion {n}" for n in range(1, most)))
    model = Scripted([likely(0.9)] * most, SCORING)
    assessment, spent = calls("assess", effect, lambda s: ConvergenceEngine(s, BRIEFING).assess, model)
    assert [*assessment.reason_codes] == [f"criterion_{n}" for n in (most - 2, most - 1)]
    assert sum("not checked" in issue for issue in assessment.detected_issues) == 2
    assert not assessment.converged and spent == most


@pytest.mark.requirement("K12", "J7")
@pytest.mark.parametrize(
    ("schema", "replies"), [({"type": "object"}, (BAD, BAD, '{"total": 108}')), (None, ("It brings in 108.",))]
)
def test_synthesis_fits_its_cap(schema: dict[str, Any] | None, replies: Sequence[Reply]) -> None:
    """Three calls for an object, one for a sentence around what programs gave."""
    given = done(1).steps[0].changed(output="108", mode="program")
    effect = Synthesize(task=TASK.changed(answer_schema=schema), plan=Plan(steps=(given,), answer=("s1",)))
    answer, spent = calls("synthesize", effect, lambda s: Closer(s, BRIEFING, 200).close, Scripted(replies))
    assert "108" in answer.text and spent == len(replies) <= CallCaps().synthesize == 3


@pytest.mark.requirement("K12")
def test_a_cap_that_is_too_small_is_noticed() -> None:
    """The tests above would fail: one call less does not bring a plan about."""
    model = Scripted([BAD, BAD, PLANNED], ENFORCING)
    effect = DraftPlan(task=TASK, profile=TaskProfile(form="tools"), most_steps=4)

    async def work() -> None:
        with Ledger(Allowance(calls=2)):
            await StepPlanner(Supervisor(model), BRIEFING).draft(effect)

    with pytest.raises(AllowanceExhausted):
        asyncio.run(work())
