"""The kernel stays a kernel, and programs stay pure: the gates hold on this very tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.checks import kernel
from scripts.checks.pure import pure_sources
from scripts.checks.sources import Gate

ROOT = Path(__file__).parents[2]


@pytest.mark.requirement("K3", "K14", "M5")
@pytest.mark.parametrize("gate", [kernel.lines, kernel.function_limits, kernel.bans, kernel.decisions])
def test_the_gates_of_the_kernel_hold(gate: Gate) -> None:
    """Under 800 lines, small functions, nothing from outside, and no decision in the schema."""
    assert gate(ROOT) == []


@pytest.mark.requirement("M5")
def test_the_multi_pass_engine_is_held_to_the_bans_of_the_kernel() -> None:
    """Every file of it, with all that its program imports."""
    names = {source.name for source in pure_sources(ROOT)}
    folder = ROOT / "aeon" / "multipass"
    assert names >= {path.relative_to(ROOT).as_posix() for path in folder.glob("*.py")}
