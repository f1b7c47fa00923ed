"""Refining within a run: limits on attempts, the check of new steps before they are accepted, advice that is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kernel.world import NOT_YET, World, add, found, step

from aeon.schema import (
    Config,
    Failure,
    Issue,
    Refinement,
    RefinementAction,
    RefinementLimits,
    SemanticValidationReport,
    StepResult,
    TaskProfile,
    fragment,
)
from aeon.schema.effects import Effect

DEEP = TaskProfile(reasoning_depth=5, ambiguity=0)


def replacing(target: str, new: str, description: str) -> Refinement:
    """A refinement that puts one step in the place of another."""
    action = RefinementAction(type="REPLACE", target=target, steps=(step(new, description=description),))
    return Refinement(actions=(action,))


def versions(effect: Effect, n: int) -> Refinement:
    """The latest version of ``s1``, blocked, is replaced by the next one."""
    names = ["s1", *(f"s1_r{i}" for i in range(1, 9))]
    return replacing(names[n], names[n + 1], f"try {n}")


def blocked(effect: Effect, _: int) -> StepResult:
    """Every version of ``s1`` is blocked; other steps are clear."""
    return StepResult(output=0, clarity="BLOCKED" if fragment(effect.step.id) == "s1" else "CLEAR")  # type: ignore[attr-defined]


SILENT = NOT_YET.changed(reason_codes=())


def stubborn() -> World:
    """A world in which one of two steps is blocked, however often it is replaced."""
    steps = (step("s1"), step("s2"))
    return World(steps, profile=DEEP, assess=SILENT, execute=blocked, refine_plan=versions)


@pytest.mark.requirement("K8", "K8a", "K13")
def test_a_fragment_at_its_limit_needs_manual_intervention_and_the_run_goes_on() -> None:
    """The result names it; no further refinement is asked for on its account, and the rest of the plan runs."""
    world = stubborn()
    result = world.run(Config(max_passes=5, limits=RefinementLimits(attempts_per_fragment=2)))
    assert world.waves == [["s1", "s2"], ["s1_r1"], ["s1_r2"]]
    assert world.phases.count("refine_plan") == 2
    assert (result.stop_reason, result.needs_manual_intervention) == ("stalled", ("s1",))
    assert result.answer == "the answer"


@pytest.mark.requirement("K8", "K8a", "K13")
def test_a_fragment_needs_manual_intervention_where_the_limit_is_that_of_the_run() -> None:
    """It has attempts of its own left, but the run has none: it is named all the same."""
    world = stubborn()
    result = world.run(Config(max_passes=5, limits=RefinementLimits(attempts=2)))
    assert world.waves == [["s1", "s2"], ["s1_r1"], ["s1_r2"]]
    assert (result.stop_reason, result.needs_manual_intervention) == ("stalled", ("s1",))
    assert stubborn().run(Config(limits=RefinementLimits(attempts=0))).needs_manual_intervention == ("s1",)
    assert stubborn().run(Config(max_passes=2)).needs_manual_intervention == ()


def flawed(severity: str) -> Callable[[Effect, int], SemanticValidationReport]:
    """A check that finds nothing wrong with a drafted plan, and this with the new steps of a refined one."""

    def report(effect: Effect, _: int) -> SemanticValidationReport:
        issues = [
            Issue.model_validate({"type": "relevance", "severity": severity, "description": "no", "location": at})
            for at in effect.steps  # type: ignore[attr-defined]
        ]
        return SemanticValidationReport(issues=tuple(issues))

    return report


@pytest.mark.requirement("J4", "J4a")
@pytest.mark.parametrize("severity", ["HIGH", "CRITICAL"])
def test_a_refined_fragment_with_a_grave_issue_is_refused_and_the_plan_stays(severity: str) -> None:
    """The new steps are checked before they are accepted; the record keeps the check, and the reason of the refusal."""
    world = World(assess=NOT_YET, refine_plan=add(step("x"), step("y", "x")), validate_plan=flawed(severity))
    result = world.run()
    record = result.history.passes[0].refinement
    assert world.of("validate_plan")[-1].steps == ("x", "y")  # type: ignore[attr-defined]
    assert (record.applied, [refused.reason for refused in record.rejected]) == ((), ["x: no; y: no"])
    assert [issue.location for issue in record.report.issues] == ["x", "y"]
    assert (world.waves, result.stop_reason) == ([["s1"]], "stalled")


@pytest.mark.requirement("J4", "J4a", "J5")
@pytest.mark.parametrize("severity", ["LOW", "MEDIUM"])
def test_a_lesser_issue_of_a_refined_fragment_is_on_record_and_stops_nothing(severity: str) -> None:
    """A validation is advice; only what is grave keeps a delta out."""
    world = World(assess=NOT_YET, refine_plan=add(step("x")), validate_plan=flawed(severity))
    result = world.run(Config(max_passes=2))
    record = result.history.passes[0].refinement
    assert (len(record.applied), len(record.rejected), len(record.report.issues)) == (1, 0, 1)
    assert world.waves == [["s1"], ["x"]]


@pytest.mark.requirement("J4", "J4a", "J7")
def test_a_refined_fragment_whose_check_fails_is_accepted() -> None:
    """A judgment that could not be made decides nothing; its failure is listed."""
    world = World(assess=NOT_YET, refine_plan=add(step("x")))
    world.replies["validate_plan"] = lambda effect, _: (  # type: ignore[assignment]
        Failure(kind="completion", message="declined") if effect.steps else SemanticValidationReport()  # type: ignore[attr-defined]
    )
    result = world.run(Config(max_passes=2))
    assert world.waves == [["s1"], ["x"]]
    assert {(d.phase, d.message) for d in result.degraded} == {("validate_plan", "declined")}
    assert result.history.passes[0].refinement.report.failed


@pytest.mark.requirement("J4a", "K1")
def test_a_refinement_that_adds_no_step_is_not_checked() -> None:
    """There is nothing new to look at, so that no call is spent."""
    removal = Refinement(actions=(RefinementAction(type="REMOVE", target="b"),))
    world = World((step("a"), step("b")), validate_plan=found("b"), refine_plan=removal)
    world.run()
    assert world.phases.count("validate_plan") == 1
    assert world.waves == [["a"]]


@pytest.mark.requirement("K8")
def test_a_spent_fragment_is_no_longer_asked_about() -> None:
    """With one attempt per fragment the second block is recorded as a trigger but not put to the planner."""
    limits = RefinementLimits(attempts_per_fragment=1)
    world = World(
        assess=SILENT, execute=StepResult(output=0, clarity="BLOCKED"),
        refine_plan=replacing("s1", "s1_r1", "try"),
    )  # fmt: skip
    result = world.run(Config(limits=limits))
    assert world.phases.count("refine_plan") == 1
    assert [t.location for t in result.history.passes[1].refinement.triggers] == ["s1_r1"]
    assert (result.stop_reason, result.needs_manual_intervention) == ("stalled", ("s1",))


@pytest.mark.requirement("K7", "J4")
def test_repairs_go_to_the_planner_and_overruled_ones_are_kept() -> None:
    """A validator's repair is advice; what the planner overrules stands in the record."""
    report = found("s1")
    issue = report.issues[0].changed(proposed_repair="name the year")
    world = World(
        validate_plan=report.changed(issues=(issue,)),
        refine_plan=add(step("n")).changed(advisories=("name the year",)),
    )  # fmt: skip
    result = world.run()
    assert world.of("refine_plan")[0].repairs == ("s1: name the year",)  # type: ignore[attr-defined]
    assert result.history.preparation.refinement.advisories == ("name the year",)
