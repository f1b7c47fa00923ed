"""Presets and the numbers that are set beside them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from aeon.assembly.build import build
from aeon.engines.contractive.budgeting import budgeted
from aeon.engines.contractive.config import ContractiveConfig
from aeon.engines.contractive.presets import PRESETS, PresetName
from aeon.engines.contractive.program import CONTRACTIVE
from aeon.errors import UsageError
from aeon.llm.scripted import Scripted
from aeon.schema import Budget, Roles
from aeon.server.equipment import refuse_own
from aeon.server.problems import Problem

pytestmark = pytest.mark.requirement("E3h")


def test_there_are_six_presets_in_one_table() -> None:
    """With thresholds in their order, and within the budgets that hold for all."""
    assert set(PRESETS) == set(get_args(PresetName)) == {"factual", "complex", "math", "exploration", "fast", "deep"}
    for limits in PRESETS.values():
        assert limits.collapse < limits.decompose and limits.relevance == 0.15 and limits.gain == 0.05
        assert limits.tokens <= 64_000 and limits.branch_tokens <= 16_000 and limits.parallel == 4


@pytest.mark.requirement("E3b", "E3c")
def test_the_default_has_the_numbers_of_the_reference() -> None:
    """Four levels, ten splits, four samples, .5 and .4, 64,000 tokens and 16,000 a branch."""
    limits = ContractiveConfig().limits
    assert (limits.depth, limits.loops, limits.samples, limits.rebranches, limits.parallel) == (4, 10, 4, 2, 4)
    assert (limits.decompose, limits.collapse, limits.gain, limits.relevance) == (0.5, 0.4, 0.05, 0.15)
    assert (limits.tokens, limits.branch_tokens) == (64_000, 16_000)


def test_a_number_stands_before_its_preset() -> None:
    """The others stay those of the preset."""
    config = ContractiveConfig(preset="fast", samples=7, steps=False)
    assert config.limits == PRESETS["fast"].changed(samples=7, steps=False)


@pytest.mark.parametrize(
    "wrong",
    [{"preset": "slow"}, {"samples": 9}, {"samples": 1}, {"decompose": 1.1}, {"collapse": 0.9}, {"decompose": 0.3},
     {"rebranches": 3}, {"parallel": 5}, {"tokens": 5}],
)  # fmt: skip
def test_numbers_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    """Also a threshold to collapse at that is above the one to split from."""
    with pytest.raises(ValidationError):
        ContractiveConfig.model_validate(wrong)


@pytest.mark.requirement("E3c")
def test_the_tokens_of_the_preset_bound_the_run_unless_others_are_set() -> None:
    """Before it starts."""
    model = Scripted([])
    assert CONTRACTIVE.bound(budgeted(ContractiveConfig(preset="fast"), model)).tokens == 16_000
    own = ContractiveConfig(preset="fast", budget=Budget(tokens=5_000))
    assert CONTRACTIVE.bound(budgeted(own, model)).tokens == 5_000 and own.branch().budget.tokens == 5_000


def test_files_that_it_would_not_read_are_refused(tmp_path: Path) -> None:
    """Rather than passed over in silence."""
    with pytest.raises(UsageError, match="uses the task and its context alone"):
        build(Scripted([]), engine="contractive", files=str(tmp_path))


@pytest.mark.requirement("E3e")
def test_no_client_of_a_server_names_the_peer() -> None:
    """It would send what is asked to an address of its own."""
    with pytest.raises(Problem, match="peer"):
        refuse_own(ContractiveConfig, {"roles": {"peer": "http://example.com/v1"}})


def test_without_a_peer_no_calls_are_kept_for_reviews() -> None:
    """So that the whole budget is there for the tree."""
    assert ContractiveConfig().branch().caps.review == 0
    assert ContractiveConfig(roles=Roles(peer="other")).branch().caps.review > 0
