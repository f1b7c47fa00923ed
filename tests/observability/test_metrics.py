"""Five figures over recorded runs, each on runs where it is known."""

from __future__ import annotations

import pytest

from aeon.observability import metrics as generic
from aeon.observability.metrics import Metric, metrics
from aeon.observability.passes.measures import measured
from aeon.schema import Bound, Conclusion, Config, ExecutionHistory, Usage
from observability.runs import evaluation, history, judged

pytestmark = pytest.mark.requirement("O7")


def metric(name: str, *histories: ExecutionHistory, **right: bool) -> Metric:
    """One metric of these runs; ``right`` labels them by execution id."""
    return next(each for each in metrics([measured(one) for one in histories], right) if each.name == name)


def run(name: str, passes: int, reason: str = "converged", confidence: float = 0.5) -> ExecutionHistory:
    """A run of so many passes, at most three, each with a confidence higher than the one before."""
    going = [judged(n, evaluation(confidence * n / passes)) for n in range(1, passes)]
    last = judged(passes, evaluation(confidence), reason, converged=reason == "converged")
    return history(*going, last, reason=reason, name=name)


def test_the_targets_are_the_designs() -> None:
    """Below 5 iterations, above 80 %, above 90 %, below one cent, below 5 %."""
    found = [(each.target, each.above) for each in metrics(())]
    assert found == [(5.0, False), (0.8, True), (0.9, True), (0.01, False), (0.05, False)]


def test_without_runs_every_metric_says_why_there_is_none() -> None:
    """No figure is made up: no value, nothing met, one reason."""
    for each in metrics(()):
        assert each.value is None and each.met is None and each.of == 0 and each.why_not


def test_mean_iterations_are_of_converged_runs() -> None:
    """Confident runs have converged too; a run that used up its passes says nothing about convergence."""
    found = metric("mean_iterations", run("a", 1), run("b", 2, "confident"), run("c", 3, "ttl_expired"))
    assert (found.value, found.of, found.met) == (1.5, 2, True)
    assert metric("mean_iterations", run("c", 3, "ttl_expired")).why_not == "no run converged"


@pytest.mark.parametrize(("others", "rate", "met"), [(1, 0.8, False), (0, 1.0, True)])
def test_the_convergence_rate_counts_every_run(others: int, rate: float, met: bool) -> None:
    """A target is to be beaten, not only reached."""
    runs = [run(f"g{n}", 1) for n in range(4)] + [run(f"b{n}", 3, "calls_exhausted") for n in range(others)]
    found = metric("convergence_rate", *runs)
    assert (found.value, found.of, found.met) == (rate, 4 + others, met)


def test_early_exit_accuracy_is_of_labelled_early_exits() -> None:
    """Runs that decided to stop with passes left; not those at their last pass, nor those that something stopped."""
    runs = [run("a", 1), run("b", 2, "stalled"), run("c", 3), run("d", 2, "tokens_exhausted"), run("e", 1, "confident")]
    runs.append(run("f", 1, "own_knowledge"))
    found = metric("early_exit_accuracy", *runs, a=True, b=False, c=False, d=False, f=False)
    assert (found.value, found.of, found.met) == (0.333333, 3, False)


@pytest.mark.parametrize(
    ("runs", "right", "why"),
    [
        ((run("a", 1),), {}, "--labels FILE"),
        ((run("a", 1),), {"b": True}, "is labelled"),
        ((run("a", 3),), {"a": True}, "before its last pass"),
    ],
)
def test_early_exit_accuracy_says_why_there_is_none(
    runs: tuple[ExecutionHistory, ...], right: dict[str, bool], why: str
) -> None:
    """No labels, none for an early exit, or no early exit."""
    found = metric("early_exit_accuracy", *runs, **right)
    assert found.value is None and why in found.why_not


def test_cost_per_quality_point_is_what_a_tenth_of_confidence_costs() -> None:
    """All costs over all confidences: 1 dollar for 0.5 + 0.75, so 0.08 for each 0.1."""
    found = metric("cost_per_quality_point", run("a", 1), run("b", 1, confidence=0.75))
    assert (found.value, found.of, found.met) == (0.08, 2, False)


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (history(judged(1, evaluation(None))), "knows both"),
        (history(judged(1, None)), "knows both"),
        (history(judged(1, evaluation(0.0))), "any confidence"),
        (
            history(
                judged(1, evaluation(0.5)),
                config=Config.model_validate({"reasoning_engine": {"state_monitor": {"track_cost": False}}}),
            ),
            "knows both",
        ),
    ],
)
def test_cost_per_quality_point_says_why_there_is_none(made: ExecutionHistory, why: str) -> None:
    """Without a confidence, without a cost, or with a confidence of nothing."""
    assert why in metric("cost_per_quality_point", made).why_not


REVERSALS = {
    "stopped where it stood": (history(judged(1, evaluation(0.5)), reason="stalled"), [True]),
    "another pass gave nothing": (
        history(judged(1, evaluation(0.5)), judged(2, evaluation(0.5), "ttl_expired"), reason="ttl_expired"),
        [True],
    ),
    "another pass gave something": (run("a", 2), [False]),
    "only the last pass gave nothing": (
        history(judged(1, evaluation(0.3)), judged(2, evaluation(0.2)), judged(3, evaluation(0.2), "ttl_expired")),
        [False, True],
    ),
    "good enough, then not": (
        history(judged(1, evaluation(0.9, 1.0)), judged(2, evaluation(0.5)), judged(3, evaluation(0.6), "ttl_expired")),
        [True, False],
    ),
    "converged, then not": (
        history(judged(1, None, converged=True), judged(2, evaluation(0.5)), judged(3, evaluation(0.6), "ttl_expired")),
        [True, False],
    ),
    "measured in one pass only, no more complete": (
        history(judged(1, evaluation(None)), judged(2, evaluation(0.6), "ttl_expired")),
        [True],
    ),
    "untracked, no more complete": (history(judged(1, None), judged(2, None, "ttl_expired")), [True]),
    "failed": (history(judged(1, evaluation(0.5)), reason="failed"), []),
    "at once": (run("a", 1), []),
}


@pytest.mark.parametrize("name", REVERSALS)
def test_a_decision_to_continue_that_is_taken_back_is_a_reversal(name: str) -> None:
    """Going on gave nothing, or undid what was good enough; a failure says nothing about the decision."""
    made, back = REVERSALS[name]
    found = metric("decision_reversal_rate", made)
    assert found.of == len(back) and found.value == (sum(back) / len(back) if back else None)
    assert bool(found.why_not) == (not back)


def test_decisions_are_counted_over_all_runs() -> None:
    """Each decision counts the same, in whichever run it was made."""
    found = metric("decision_reversal_rate", run("a", 3), history(judged(1, evaluation(0.5)), reason="stalled"))
    assert (found.value, found.of, found.met) == (pytest.approx(1 / 3, abs=1e-6), 3, False)


@pytest.mark.requirement("M1")
def test_runs_of_any_engine_are_counted() -> None:
    """What an engine does not have is left out of its figures: it converges, and has no iterations or confidence."""
    ends = [
        Conclusion(
            execution_id=name,
            engine="search/1",
            answer="a",
            stop_reason="found",
            sufficient=sufficient,
            usage=Usage(cost=0.2),
            bound=Bound(calls=1, tokens=1, cost=1.0),
        )
        for name, sufficient in (("a", True), ("b", False))
    ]
    figures = {each.name: each for each in metrics([generic.measured(end) for end in ends])}
    assert (figures["convergence_rate"].value, figures["convergence_rate"].of) == (0.5, 2)
    assert [name for name, each in figures.items() if each.value is None] == [
        "mean_iterations", "early_exit_accuracy", "cost_per_quality_point", "decision_reversal_rate",
    ]  # fmt: skip


def test_a_cost_that_nobody_knows_is_no_cost() -> None:
    """A run on a model without a price is left out of the cost for a quality point."""
    found = metric("cost_per_quality_point", history(judged(1, evaluation(0.5)), bound_cost=None))
    assert found.value is None and "knows both" in found.why_not
