"""Values as text behind --set: read by the type of the setting they are for."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import ConfigError, UsageError
from aeon.schema import Config
from aeon.settings import assignments, load_config, toml

ENGINE = "reasoning_engine."
ORDER = "stalled,converged,confident,ttl_expired,budget,needs_clarification,diminishing_returns"


@pytest.mark.parametrize(
    ("texts", "shape"),
    [
        ([], {}),
        (["max_passes=5"], {"max_passes": 5}),
        (["max_passes = 5 "], {"max_passes": 5}),
        (["max_passes=1_0"], {"max_passes": 10}),
        (["max_passes=5", "max_passes=6"], {"max_passes": 6}),
        (["budget.calls=20", "budget.cost=0.5"], {"budget": {"calls": 20, "cost": 0.5}}),
        (["budget={calls = 20}"], {"budget": {"calls": 20}}),
        ([f"{ENGINE}decide.max_iterations=4"], {"max_passes": 4}),
        ([f"{ENGINE}decide.cost_budget=4"], {"budget": {"cost": 4}}),
        ([f"{ENGINE}enabled=false"], {"reasoning_engine": {"enabled": False}}),
        ([f"{ENGINE}refine.strategy=PIVOT"], {"reasoning_engine": {"refine": {"strategy": "PIVOT"}}}),
        ([f'{ENGINE}refine.strategy="PIVOT"'], {"reasoning_engine": {"refine": {"strategy": "PIVOT"}}}),
        ([f"{ENGINE}evaluate.eval_model=5"], {"reasoning_engine": {"evaluate": {"eval_model": "5"}}}),
        ([f"{ENGINE}evaluate.eval_model=a=b"], {"reasoning_engine": {"evaluate": {"eval_model": "a=b"}}}),
        ([f"{ENGINE}evaluate.eval_model="], {"reasoning_engine": {"evaluate": {"eval_model": ""}}}),
        ([f"{ENGINE}decide.order={ORDER}"], {"reasoning_engine": {"decide": {"order": tuple(ORDER.split(","))}}}),
    ],
)
def test_assignments_have_the_shape_of_a_file(texts: list[str], shape: dict[str, Any]) -> None:
    """Paths become tables; bare words are strings; of two for the same setting the later one counts."""
    assert assignments(Config, texts) == shape


@pytest.mark.parametrize("text", ["max_passes", "=5", " = 5", "", "budget.calls.=5", "budget..calls=5"])
def test_what_is_no_assignment_is_refused(text: str) -> None:
    """Without an equals sign, or with a name missing, there is nothing to set."""
    with pytest.raises(UsageError, match="should look like budget"):
        assignments(Config, [text])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max_pases=5", "max_pases: unknown setting; did you mean max_passes?"),
        ("max_passes.x=5", "max_passes.x: unknown setting; max_passes is a setting, not a section"),
        ("nothing.at.all=5", "nothing: unknown setting; there are: budget, prices, "),
        ("max_iterations=5", "max_iterations: unknown setting; did you mean max_passes?"),
        ("completeness=1", "did you mean convergence.completeness or "),
        ("max_passes=many", "max_passes: should be a valid integer, not 'many'"),
        ("max_passes=5\nprompt_bytes=5", "max_passes: should be a valid integer"),
        ("max_passes=", "max_passes: should be a valid integer, not ''"),
        ("max_passes=none", "max_passes: should be a valid integer, not 'none'"),
        ("max_passes=1.0", "max_passes: should be a valid integer, not 1.0"),
        ("budget.seconds=inf", "budget.seconds: inf is not a value"),
        ("budget={seconds = nan}", "budget.seconds: nan is not a value"),
        ("budget=5", "budget: should be a section with settings of its own, not 5"),
        (f"budget.calls=1{'0' * 5000}", "budget.calls: should be a valid integer"),
        (f"budget.calls={'[' * 5000}", "budget.calls: should be a valid integer"),
        (f"{ENGINE}enabled=yes", f"{ENGINE}enabled: should be a valid boolean, not 'yes'"),
        (f"{ENGINE}decide.order=[1]", f"{ENGINE}decide.order.0: should be 'not_stated'"),
        (f"{ENGINE}refine.strategy=expand", "should be 'EXPAND', 'NARROW', 'PIVOT' or 'DEEPEN', not 'expand'"),
    ],
)
def test_a_wrong_assignment_is_named(text: str, words: str) -> None:
    """The error is one line with the path and what is wrong."""
    with pytest.raises(ConfigError) as caught:
        load_config(Config, None, assignments(Config, [text]))
    assert words in str(caught.value) and "\n" not in str(caught.value).replace("\\n", "")


def test_a_limit_that_may_be_absent_takes_none() -> None:
    """The word none lifts a limit, and only where there need not be one."""
    lowered = load_config(Config, None, assignments(Config, ["budget.calls=5"]), {"AEON_BUDGET__COST": "none"})
    assert (lowered.budget.calls, lowered.budget.cost) == (5, None)
    assert (
        load_config(Config, None, assignments(Config, ["budget.calls=none"]), {"AEON_BUDGET__CALLS": "4"}).budget.calls
        is None
    )


@given(st.text() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_value_is_written_as_toml_reads_it(value: object) -> None:
    """Writing a value and reading it again gives the value, in printable characters."""
    written = toml(value)
    assert written.isprintable() and tomllib.loads(f"value = {written}")["value"] == value
