"""The state of a run: what its history says, and what the policy lets be tracked."""

from __future__ import annotations

import json

import pytest

from aeon.observability.lines import plain
from aeon.observability.monitor import monitor
from aeon.observability.passes.report import history_lines
from aeon.schema import (
    Budget,
    ConfidenceParts,
    Config,
    Contradiction,
    Dimensions,
    Evaluation,
    ExecutionHistory,
    Gaps,
    PhaseTiming,
    Price,
    RefinedQuery,
    Refinement,
    RefinementAction,
    RefinementRecord,
    Result,
    Step,
)
from observability.runs import CONVERGED, NOT_YET, done, evaluation, history, judged, played

pytestmark = pytest.mark.requirement("O1")

GAPS = Gaps(missing_entities=("a price",), contradictions=(Contradiction(claim="c", source_a="s1", source_b="s2"),))
FOUR = (
    judged(1, evaluation(0.25, 0.25), executed=(done("s1"), done("s2", "reasoning"))),
    judged(2, evaluation(0.5, 0.5)),
    judged(3, evaluation(0.45, 0.5), executed=(done("s3", "program"),)),
    judged(4, evaluation(0.75, 0.875, GAPS), "ttl_expired"),
)


def policy(**switches: object) -> Config:
    """A configuration with budgets for cost and time and these settings of the monitor."""
    given = {"budget": {"cost": 2.0, "seconds": 60}, "reasoning_engine": {"state_monitor": switches}}
    return Config.model_validate(given)


def test_a_state_says_where_a_run_stands() -> None:
    """Iteration and its limit, the latest confidence, coverage and gaps, cost and time beside their budgets."""
    state = monitor(history(*FOUR, reason="ttl_expired", config=policy()))
    assert (state.iteration, state.max_iterations, state.stage) == (4, 3, "COMPLETE")
    assert (state.confidence, state.coverage, state.gaps) == (0.75, 0.875, GAPS)
    assert (state.cost_spent, state.cost_budget, state.seconds_spent, state.seconds_budget) == (0.5, 2.0, 30.0, 60.0)


def test_every_iteration_is_summarised() -> None:
    """Confidence before and after, what it added and what it cost; the deltas stand in a row."""
    state = monitor(history(*FOUR, config=policy()))
    before_after = [(i.iteration, i.confidence_before, i.confidence_after) for i in state.iterations]
    assert before_after == [(1, None, 0.25), (2, 0.25, 0.5), (3, 0.5, 0.45), (4, 0.45, 0.75)]
    assert [(i.results_added, i.sources_added) for i in state.iterations] == [(2, 1), (0, 0), (1, 1), (0, 0)]
    assert {(i.calls, i.cost, i.seconds) for i in state.iterations} == {(2, 0.25, 4.0)}
    assert state.convergence_trend == (0.25, -0.05, 0.3)


def test_summaries_go_back_as_far_as_they_are_told() -> None:
    """``history_depth`` limits the iterations and the deltas, not what they say."""
    state = monitor(history(*FOUR, config=policy(history_depth=2)))
    assert [i.iteration for i in state.iterations] == [3, 4] and state.iterations[0].confidence_before == 0.5
    assert state.convergence_trend == (-0.05, 0.3)


@pytest.mark.parametrize(
    ("switch", "blank"),
    [
        ("track_confidence", {"confidence", "confidence_before", "confidence_after"}),
        ("track_coverage", {"coverage"}),
        ("track_cost", {"cost", "cost_spent", "cost_budget"}),
        ("track_time", {"seconds", "seconds_spent", "seconds_budget"}),
    ],
)
def test_what_is_not_tracked_is_none(switch: str, blank: set[str]) -> None:
    """Each switch blanks its own figures, in the state and in every summary, and no others."""
    state = monitor(history(*FOUR, config=policy(**{switch: False})))
    for value in (state, state.iterations[-1]):
        nothing = {name for name in type(value).model_fields if getattr(value, name) is None}
        assert nothing == blank & set(type(value).model_fields)
    assert bool(state.convergence_trend) == (switch != "track_confidence")


@pytest.mark.parametrize(
    ("reason", "stage"),
    [
        ("converged", "COMPLETE"),
        ("cost_exhausted", "COMPLETE"),
        ("waiting", "WAITING"),
        ("interrupted", "assess"),
        ("failed", "assess"),
        ("unknown_outcome", "assess"),
    ],
)
def test_the_stage_of_a_run(reason: str, stage: str) -> None:
    """It is over, waits, or broke off in a phase, where it can be resumed."""
    assert monitor(history(judged(1, None), reason=reason)).stage == stage


def test_a_run_that_never_got_to_a_pass() -> None:
    """It broke off in its preparation; nothing is known of its answer."""
    state = monitor(history(reason="failed"))
    assert (state.iteration, state.stage, state.confidence, state.iterations) == (0, "plan", None, ())


def test_a_pass_that_was_not_assessed_changes_nothing() -> None:
    """Confidence and coverage stay what the pass before found; it adds no delta."""
    cut = judged(2, None).changed(complete=False, assessment=None, timings=())
    state = monitor(history(judged(1, evaluation(0.25)), cut))
    assert (state.confidence, state.convergence_trend) == (0.25, ())
    assert (state.iterations[1].confidence_after, state.iterations[1].seconds) == (0.25, 0.0)


def report(whole: ExecutionHistory) -> str:
    """The report of a run."""
    return plain(history_lines(whole))


def real() -> Result:
    """A run of two passes whose confidence grew."""
    assessments = iter([
        NOT_YET.changed(evaluation=evaluation(0.25)), CONVERGED.changed(evaluation=evaluation(0.75))
    ])  # fmt: skip
    second = Step(id="s2", description="do s2", dependencies=("s1",))
    refinement = Refinement(actions=(RefinementAction(type="ADD", steps=(second,)),))
    config = Config(budget=Budget(cost=1), prices={"m": Price(input=1, output=1)})
    return played(config, assess=lambda effect: next(assessments), refine_plan=refinement)


def test_a_state_is_a_pure_function_of_the_history() -> None:
    """A history read back from JSON has the same state, and its figures are those of the run."""
    result = real()
    state = monitor(result.history)
    assert state == monitor(type(result.history).model_validate_json(result.history.model_dump_json()))
    assert (state.iteration, state.stage, state.confidence) == (2, "COMPLETE", 0.75)
    assert state.cost_spent == result.usage.cost and state.convergence_trend == (0.5,)
    assert json.loads(state.model_dump_json())["iterations"][1]["confidence_before"] == 0.25


@pytest.mark.requirement("O2")
def test_the_report_shows_confidence_with_its_parts() -> None:
    """Confidence, coverage and score of each pass with every part; gaps where there are any."""
    told = report(history(judged(1, evaluation(0.25, 0.5, GAPS))))
    assert "confidence 0.25, coverage 0.50, score 0.50" in told
    for part in ("source quality", "entity coverage", "citation density", "consistency", "recency"):
        assert f"{part} 0.25" in told
    assert "missing: a price" in told and "s1 and s2 contradict each other: c" in told
    assert max(map(len, told.splitlines())) <= 100


def test_the_report_leaves_out_what_is_not_tracked() -> None:
    """Without a confidence there are no parts to show, without a coverage no coverage."""
    told = report(history(judged(1, evaluation(None, None))))
    assert "score 0.50" in told and "confidence" not in told and "coverage" not in told


@pytest.mark.requirement("O2", "O3")
def test_the_report_says_what_was_not_measured() -> None:
    """A part, a confidence or a score that is tracked and was not measured is never shown as a number."""
    parts = ConfidenceParts(source_quality=1.0, entity_coverage=0.41)
    some = Evaluation(confidence=0.73, parts=parts, coverage=0.41, dimensions=Dimensions())
    told = report(history(judged(1, some)))
    assert "confidence 0.73, coverage 0.41, score not measured" in told
    assert "source quality 1.00, entity coverage 0.41,\n" in told
    assert "citation density not measured, consistency not measured,\n" in told and "recency not measured\n" in told
    assert max(map(len, told.splitlines())) <= 100
    none = report(history(judged(1, Evaluation(parts=ConfidenceParts(), dimensions=Dimensions()))))
    assert "confidence not measured, score not measured" in none


@pytest.mark.requirement("O2")
def test_a_confidence_that_was_not_measured_is_none_in_the_state() -> None:
    """The pass has no confidence, and no delta is counted from or to it."""
    blank = Evaluation(parts=ConfidenceParts(), dimensions=Dimensions())
    state = monitor(history(judged(1, evaluation(0.25)), judged(2, blank), judged(3, evaluation(0.5))))
    assert [i.confidence_after for i in state.iterations] == [0.25, None, 0.5] and state.convergence_trend == (0.25,)


@pytest.mark.requirement("O5")
def test_the_report_shows_strategy_and_wording() -> None:
    """A refinement tells by which strategy it was made and how the task was worded for it."""
    query = RefinedQuery(
        original_query="t", refined_query="what do loaves cost?", strategy_used="DEEPEN", focus_areas=("loaves",),
        exclude_areas=("rolls",), source_preferences=("calculator",),
    )  # fmt: skip
    refined = RefinementRecord(strategy="DEEPEN", query=query)
    told = report(history(judged(1, evaluation(0.25)).changed(refinement=refined)))
    areas = ("dwell on: loaves", "leave out: rolls", "prefer: calculator")
    for words in ("strategy DEEPEN", "what do loaves cost?", *areas):
        assert words in told


def test_phases_at_once_are_counted_once() -> None:
    """The seconds of an iteration go from the start of its first phase to the end of its last."""
    timings = tuple(PhaseTiming(phase="execute", started=1.0, ended=3.0) for _ in range(3))
    record = judged(1, None).changed(timings=timings)
    assert monitor(history(record)).iterations[0].seconds == 2.0


def test_a_cost_that_nobody_knows_is_none() -> None:
    """Without a price the state has no cost, in all or by iteration; the budget stays."""
    state = monitor(history(judged(1, evaluation(0.25)), config=policy(), bound_cost=None))
    assert (state.cost_spent, state.iterations[0].cost, state.cost_budget) == (None, None, 2.0)
