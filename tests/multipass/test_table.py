"""The decision table of the multi-pass engine: its order, row by row, and that it always has an answer."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel.deciding import decide

from aeon.kernel.decide import table
from aeon.kernel.table import OF_THE_ANSWER, TABLE, PassSignals
from aeon.schema import ROWS as MOVABLE
from aeon.schema import Decision, Failure, Question

DOWN = Failure(kind="endpoint", message="nobody answers")
UNKNOWN = Failure(kind="unknown", message="whether it was done is not known")
WAITING = Failure(kind="waiting", message="Which year?")
WHICH = Question(text="Which year?")
BUDGETS = ("calls_exhausted", "tokens_exhausted", "seconds_exhausted", "cost_exhausted")
ROWS = [
    ("failed", {"failure": DOWN}),
    ("unknown_outcome", {"failure": UNKNOWN}),
    ("waiting", {"failure": WAITING}),
    ("overspent", {"overspent": "the endpoint reported 9 calls where 8 were admitted"}),
    ("interrupted", {"interrupted": True}),
    ("schema_unmet", {"unfit": True}),
    ("not_stated", {"codes": ("not_stated",)}),
    ("disagreement", {"codes": ("disagreement",)}),
    ("uncertain", {"codes": ("uncertain",)}),
    ("unverified", {"unjudged": True}),
    ("converged", {"converged": True, "grounded": True}),
    ("own_knowledge", {"converged": True, "grounded": False}),
    ("confident", {"confident": True}),
    ("ttl_expired", {"passes": 3, "ttl": 3}),
    ("tokens_exhausted", {"exhausted": "tokens_exhausted"}),
    ("needs_clarification", {"unclear": True}),
    ("diminishing_returns", {"diminishing": True}),
    ("stalled", {"stalled": True}),
    ("continue", {}),
]
CODES = ("not_stated", "disagreement", "uncertain", "completeness")
RULES = table(TABLE)
QUIET = PassSignals(passes=1, ttl=3)
SIGNALS = st.builds(
    PassSignals,
    interrupted=st.booleans(), overspent=st.sampled_from(("", "9 calls")),
    failure=st.sampled_from((None, DOWN, UNKNOWN, WAITING)), converged=st.booleans(),
    passes=st.integers(0, 9), ttl=st.integers(1, 9), exhausted=st.sampled_from((None, *BUDGETS)), stalled=st.booleans(),
    question=st.sampled_from((None, WHICH)), unclear=st.booleans(), confident=st.booleans(),
    diminishing=st.booleans(), codes=st.lists(st.sampled_from(CODES)).map(tuple), unjudged=st.booleans(),
    unfit=st.booleans(), grounded=st.booleans(),
)  # fmt: skip


@pytest.mark.requirement("K2", "K13")
@given(signals=SIGNALS)
def test_decide_is_total(signals: PassSignals) -> None:
    """Any signals give exactly one decision with a reason in words; the run goes on only to continue or to ask."""
    decision = decide(RULES, signals)
    assert decision.detail
    actions = {"continue": "CONTINUE", "needs_clarification": "ASK"}
    assert decision.action == actions.get(decision.reason, "OUTPUT")


@pytest.mark.requirement("K2")
@pytest.mark.parametrize(("reason", "signal"), ROWS)
def test_each_signal_alone_decides_for_its_own_reason(reason: str, signal: dict[str, object]) -> None:
    """One row, one reason."""
    assert decide(RULES, replace(QUIET, **signal)).reason == reason  # type: ignore[arg-type]


@pytest.mark.requirement("K2")
@pytest.mark.parametrize(("first", "second"), list(pairwise(ROWS)))
def test_an_earlier_row_wins(first: tuple[str, dict[str, object]], second: tuple[str, dict[str, object]]) -> None:
    """Where two neighbouring rows hold, the upper one decides."""
    assert decide(RULES, replace(QUIET, **(second[1] | first[1]))).reason == first[0]  # type: ignore[arg-type]


@pytest.mark.requirement("K2", "J8a")
@pytest.mark.parametrize("code", ["not_stated", "disagreement", "uncertain"])
def test_what_is_known_of_results_goes_before_that_nobody_judged_them(code: str) -> None:
    """The host knows these without a judge; of results that nobody judged it is the more telling reason."""
    unjudged = replace(QUIET, unjudged=True, converged=True)
    assert decide(RULES, replace(unjudged, codes=(code,))).reason == code
    assert decide(RULES, replace(unjudged, codes=("completeness_low",))).reason == "unverified"


@pytest.mark.requirement("K2")
def test_the_rows_under_test_are_the_table() -> None:
    """A row that is added to the table must be added here."""
    names = ["budget" if reason in BUDGETS else reason for reason, _ in ROWS]
    assert [rule.reason for rule in RULES] == names
    assert tuple(rule.reason for rule in TABLE) == (*(rule.reason for rule in OF_THE_ANSWER), *MOVABLE)


@pytest.mark.requirement("O4")
def test_only_what_is_good_enough_is_sufficient() -> None:
    """Convergence and confidence say so of the answer; every other reason makes it admit what is missing."""
    assert {rule.reason for rule in RULES if rule.sufficient} == {"converged", "own_knowledge", "confident"}


@pytest.mark.requirement("K9")
@pytest.mark.parametrize("reason", BUDGETS)
def test_an_exhausted_budget_is_named_as_the_reason(reason: str) -> None:
    """Each budget has a stop reason of its own."""
    decision = decide(RULES, replace(QUIET, exhausted=reason))
    assert decision == Decision(action="OUTPUT", reason=reason, detail=decision.detail)


@pytest.mark.requirement("K9")
@pytest.mark.parametrize(("passes", "action"), [(0, "CONTINUE"), (2, "CONTINUE"), (3, "OUTPUT"), (4, "OUTPUT")])
def test_the_ttl_counts_complete_passes(passes: int, action: str) -> None:
    """The run goes on until as many passes as the TTL are complete."""
    assert decide(RULES, PassSignals(passes=passes, ttl=3)).action == action
