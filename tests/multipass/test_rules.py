"""The outer loop's policy: when a run is confident or hardly gains, which strategy it takes, what is refused."""

from __future__ import annotations

import pytest
from kernel.deciding import decide
from pydantic import ValidationError

from aeon.kernel.decide import table
from aeon.kernel.table import OF_THE_ANSWER, TABLE, PassSignals
from aeon.multipass import trends, triggers
from aeon.multipass.trends import gains
from aeon.schema import (
    ROWS,
    Config,
    Dimensions,
    Evaluation,
    Gaps,
    JsonValue,
    Question,
    ReasoningEngine,
    Row,
    Strategy,
    Trigger,
)


def found(
    confidence: float | None,
    coverage: float | None = 1.0,
    weak: tuple[str, ...] = (),
    draw: float | None = None,
    needs_clarification: bool = False,
) -> Evaluation:
    """An evaluation with this confidence and coverage."""
    return Evaluation(
        confidence=confidence, coverage=coverage, gaps=Gaps(weak_coverage=weak), draw=draw, score=0.5,
        dimensions=Dimensions.model_validate(dict.fromkeys(Dimensions.model_fields, 0.5)),
        needs_clarification=needs_clarification,
    )  # fmt: skip


def engine(enabled: bool = True, **sections: JsonValue) -> ReasoningEngine:
    """A policy with these settings."""
    return ReasoningEngine.model_validate({"enabled": enabled, **sections})


@pytest.mark.requirement("O4")
@pytest.mark.parametrize(
    ("confidence", "coverage", "confident"),
    [
        (0.85, 0.90, True),
        (0.84, 1.0, False),
        (1.0, 0.89, False),
        (None, 1.0, False),
        (0.85, None, True),
    ],
)
def test_a_run_is_confident_where_confidence_and_coverage_are_high(
    confidence: float | None, coverage: float | None, confident: bool
) -> None:
    """Both must reach the threshold; coverage only where it is tracked, and never without a confidence."""
    assert trends.confident(engine(), [found(0.99), found(confidence, coverage)]) is confident


@pytest.mark.requirement("O4")
def test_only_the_latest_evaluation_makes_a_run_confident() -> None:
    """Nothing does before the first, nor where the outer loop is switched off."""
    assert not trends.confident(engine(), []) and not trends.confident(engine(), [found(0.99), found(0.1)])
    assert not trends.confident(engine(enabled=False), [found(0.99)])


@pytest.mark.requirement("O3", "O4")
@pytest.mark.parametrize(("strictness", "reached"), [("low", 0.75), ("medium", 0.80), ("high", 0.85)])
def test_strictness_moves_the_thresholds(strictness: str, reached: float) -> None:
    """By 0.05 down or up, of confidence and coverage, and never beyond 1."""
    policy = {"evaluate": {"strictness": strictness}}
    low = engine(**policy, decide={"confidence_threshold": 0.8, "coverage_threshold": 0})
    assert trends.confident(low, [found(reached)]) and not trends.confident(low, [found(reached - 0.01)])
    low = engine(**policy, decide={"confidence_threshold": 0, "coverage_threshold": 0.8})
    assert trends.confident(low, [found(0.5, reached)]) and not trends.confident(low, [found(0.5, reached - 0.01)])
    assert trends.confident(engine(**policy, decide={"confidence_threshold": 1}), [found(1.0)])


@pytest.mark.requirement("O4")
@pytest.mark.parametrize(("draw", "confident"), [(0.59, True), (0.6, False), (None, False)])
def test_in_probabilistic_mode_confidence_is_the_chance_to_stop(draw: float | None, confident: bool) -> None:
    """The draw of the evaluation decides, so that a replay decides the same; coverage must be reached all the same."""
    policy = engine(decide={"decision_mode": "probabilistic"})
    assert trends.confident(policy, [found(0.6, draw=draw)]) is confident
    assert not trends.confident(policy, [found(0.6, 0.5, draw=draw)])


@pytest.mark.requirement("O4")
@pytest.mark.parametrize(
    ("trend", "diminishing"),
    [
        ([0.5, 0.5, 0.5, 0.5], True),
        ([0.1, 0.5, 0.5, 0.5, 0.5], True),
        ([0.5, 0.5, 0.5], False),
        ([0.2, 0.25, 0.3, 0.4], False),
        ([0.5, 0.6, 0.6, 0.6], True),
        ([0.5, 0.4, 0.3, 0.2], True),
    ],
)
def test_returns_diminish_where_the_mean_gain_of_three_is_small(trend: list[float], diminishing: bool) -> None:
    """Below 0.05 over the last three gains, which takes four evaluations; of a run that has tried another way."""
    assert trends.diminishing(engine(), [found(value) for value in trend], pivoted=True) is diminishing
    assert not trends.diminishing(engine(enabled=False), [found(value) for value in trend])


@pytest.mark.requirement("O4")
def test_window_and_threshold_of_diminishing_returns_are_settings() -> None:
    """A window of one looks at the last gain only; a threshold of 0 takes a loss."""
    trend = [found(0.2), found(0.6), found(0.61)]
    last = engine(decide={"diminishing_returns_window": 1})
    assert not trends.diminishing(engine(), trend) and trends.diminishing(last, trend)
    loss = engine(decide={"diminishing_returns_window": 1, "diminishing_returns_threshold": 0.0})
    assert not trends.diminishing(loss, trend) and trends.diminishing(loss, [*trend, found(0.6)])


@pytest.mark.requirement("O4", "O6")
def test_a_question_goes_before_diminishing_returns_by_the_order_of_the_table_alone() -> None:
    """Each is a signal of its own; which of them decides is the order's affair."""
    stuck = [found(0.3) for _ in range(3)] + [found(0.3, needs_clarification=True)]
    assert trends.diminishing(engine(), stuck, pivoted=True)
    both = PassSignals(ttl=3, unclear=True, diminishing=True)
    assert decide(table(TABLE), both).reason == "needs_clarification"
    order = ("diminishing_returns", *(row for row in ROWS if row != "diminishing_returns"))
    assert (
        decide(table(TABLE, (*(rule.reason for rule in OF_THE_ANSWER), *order)), both).reason == "diminishing_returns"
    )


@pytest.mark.requirement("O1")
def test_gains_are_between_iterations_whose_confidence_is_known() -> None:
    """Without two there is none."""
    assert gains([found(0.25), found(None), found(0.75), found(0.5)]) == [0.5, -0.25]
    assert gains([found(0.25)]) == gains([]) == gains([found(None)] * 3) == []


@pytest.mark.requirement("O5")
@pytest.mark.parametrize(
    ("evaluations", "strategy"),
    [
        ([found(0.9, 0.49)], "EXPAND"),
        ([found(0.4, 0.49)], "EXPAND"),
        ([found(0.49, 0.71)], "NARROW"),
        ([found(0.49, 0.7)], "DEEPEN"),
        ([found(0.6, 0.5)], "DEEPEN"),
        ([found(0.6, 0.99)], "DEEPEN"),
        ([found(0.6, 1.0)], "EXPAND"),
        ([found(0.49, 1.0)], "NARROW"),
        ([found(0.6, 0.8)] * 4, "PIVOT"),
        ([found(0.6, 0.8)] * 3, "DEEPEN"),
        ([found(c, 0.8) for c in (0.6, 0.6, 0.6, 0.61)], "DEEPEN"),
        ([found(c, 1.0) for c in (0.6, 0.6, 0.6, 0.61)], "EXPAND"),
        ([found(0.6, 0.4)] * 4, "EXPAND"),
        ([found(0.4, 0.8)] * 4, "NARROW"),
        ([found(None, 0.8)] * 4, "DEEPEN"),
        ([found(0.4, None)], "EXPAND"),
        ([found(0.6, None)] * 4, "PIVOT"),
        ([found(None, None)], "EXPAND"),
    ],
)
def test_the_strategy_follows_from_the_evaluations(evaluations: list[Evaluation], strategy: Strategy) -> None:
    """In order: too little covered, sure of too little, no gain in three, partly covered, else expand.

    A confidence or coverage that was not measured chooses nothing.
    """
    assert trends.strategy(engine(), evaluations) == strategy


@pytest.mark.requirement("O5")
def test_partial_coverage_is_deepened_whether_gaps_are_listed_or_not() -> None:
    """The list of gaps is for people and planners; switched off, it is empty, and the strategy is the same."""
    for detection in (True, False):
        policy = engine(evaluate={"gap_detection": detection})
        for weak in ((), ("s1",)):
            assert trends.strategy(policy, [found(0.6, 0.8, weak)]) == "DEEPEN"


@pytest.mark.requirement("O5")
def test_nothing_is_chosen_where_nothing_is_known() -> None:
    """Before the first evaluation, and where the outer loop is switched off."""
    assert trends.strategy(engine(), []) is None and trends.strategy(engine(enabled=False), [found(0.4)]) is None


@pytest.mark.requirement("O4", "O5")
def test_a_run_that_gains_nothing_takes_another_way_once_before_its_returns_diminish() -> None:
    """No gain in three is hardly any gain too: the pivot comes first, then the table has its say, and no second one."""
    stuck = [found(0.6, 0.8)] * 4
    assert trends.strategy(engine(), stuck) == "PIVOT" and not trends.diminishing(engine(), stuck)
    assert trends.strategy(engine(), stuck, pivoted=True) == "DEEPEN"
    assert trends.diminishing(engine(), stuck, pivoted=True)
    hardly = [found(0.6 + n / 100, 0.8) for n in range(4)]
    assert trends.diminishing(engine(), hardly) and trends.strategy(engine(), hardly) == "DEEPEN"
    manual = engine(refine={"strategy_selection": "manual", "strategy": "PIVOT"})
    assert trends.diminishing(manual, stuck)


@pytest.mark.requirement("O5")
@pytest.mark.parametrize("strategy", ["EXPAND", "NARROW", "PIVOT", "DEEPEN"])
def test_with_manual_selection_the_strategy_is_the_one_that_is_set(strategy: Strategy) -> None:
    """Whatever the evaluations say, and before the first; with automatic selection the setting does not matter."""
    manual = engine(refine={"strategy_selection": "manual", "strategy": strategy})
    assert trends.strategy(manual, [found(0.4, 0.8)]) == trends.strategy(manual, []) == strategy
    assert trends.strategy(engine(False, refine={"strategy_selection": "manual"}), []) is None
    assert trends.strategy(engine(refine={"strategy": strategy}), [found(0.4, 0.8)]) == "NARROW"


@pytest.mark.requirement("O5")
def test_how_long_a_run_is_stuck_before_it_pivots_is_a_setting() -> None:
    """After one iteration without a gain instead of three."""
    trend = [found(0.6, 0.8), found(0.6, 0.8)]
    assert trends.strategy(engine(refine={"pivot_after_iterations": 1}), trend) == "PIVOT"
    assert trends.strategy(engine(), trend) == "DEEPEN"


WRONG: list[tuple[str, JsonValue, str]] = [
    ("state_monitor", {"weights": {"recency": 0.2}}, "the weights add up to 1.1, not to 1"),
    ("evaluate", {"weights": {"accuracy": 0.0}}, "the weights add up to 0.75, not to 1"),
    ("evaluate", {"weights": {"accuracy": -0.25, "completeness": 0.8}}, "greater than or equal to 0"),
    ("state_monitor", {"confidence_model": "ml_model"}, "'weighted_average' or 'calibrated'"),
    ("state_monitor", {"history_depth": 0}, "greater than or equal to 1"),
    ("evaluate", {"strictness": "harsh"}, "'low', 'medium' or 'high'"),
    ("decide", {"confidence_threshold": 1.2}, "less than or equal to 1"),
    ("decide", {"order": ["budget"]}, "every row must stand in it once"),
    ("decide", {"order": [*ROWS[:-1], "budget"]}, "every row must stand in it once"),
    ("decide", {"max_iteration": 3}, "Extra inputs"),
    ("refine", {"strategy": "SHRUG"}, "'EXPAND', 'NARROW', 'PIVOT' or 'DEEPEN'"),
]


@pytest.mark.requirement("O5")
@pytest.mark.parametrize(("section", "given", "said"), WRONG)
def test_a_wrong_setting_is_refused(section: str, given: JsonValue, said: str) -> None:
    """Weights that do not add up, values out of range, unknown ones and unknown keys; its section is named."""
    with pytest.raises(ValidationError) as caught:
        Config.model_validate({"reasoning_engine": {section: given}})
    error = caught.value.errors()[0]
    assert error["loc"][:2] == ("reasoning_engine", section) and said in error["msg"]


@pytest.mark.requirement("O2", "O3")
def test_weights_may_miss_one_by_rounding_only() -> None:
    """Thirds add up."""
    thirds = {"completeness": 1 / 3, "accuracy": 1 / 3, "relevance": 1 / 3, "freshness": 0, "coherence": 0}
    assert engine(evaluate={"weights": thirds})


ALL = PassSignals(
    converged=True, confident=True, passes=3, ttl=3, exhausted="cost_exhausted", question=Question(text="which?"),
    diminishing=True, unjudged=True, stalled=True, codes=("not_stated", "disagreement", "uncertain"),
)  # fmt: skip


@pytest.mark.requirement("O4")
@pytest.mark.parametrize("first", ROWS)
def test_the_order_of_the_rows_is_a_setting(first: Row) -> None:
    """Where every row holds, the one that is put first decides."""
    order = (first, *(row for row in ROWS if row != first))
    assert engine(decide={"order": list(order)}).decide.order == order
    rules = table(TABLE, (*(rule.reason for rule in OF_THE_ANSWER), *order))
    assert decide(rules, ALL).reason == ("cost_exhausted" if first == "budget" else first)


@pytest.mark.requirement("W3c")
def test_what_was_found_is_told_in_words_and_once() -> None:
    """No codes, and no criterion that is not met for an issue which is told already; what is proposed stands behind."""
    issue = Trigger(kind="issue", location="s1", detail="13,500 stands nowhere", repair="take the price from the text")
    low = Trigger(kind="reason_code", location="answer", detail="s1: 13,500 stands nowhere", code="consistency_low")
    half = Trigger(kind="reason_code", location="answer", detail="the date is missing", code="completeness_low")
    also = half.changed(code="coherence_low")
    assert triggers.told((issue, low, half, also)) == (
        "13,500 stands nowhere Proposed: take the price from the text",
        "the date is missing",
    )
    assert triggers.told((half,)) == ("the date is missing",) and triggers.told(()) == ()
