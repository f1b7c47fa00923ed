"""Simulated trees: whatever samples, splitters and peers answer and cost, budgets and caps hold."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[3] / "scripts" / "bench"
sys.path.insert(0, str(BENCH))
try:
    from contractive_trees import Tree, grown, problems
finally:
    sys.path.remove(str(BENCH))

pytestmark = pytest.mark.requirement("E3c")
TREES = 1_000


@pytest.mark.parametrize("twenty", [False, True])
def test_budgets_hold_in_simulated_trees(twenty: bool) -> None:
    """Also where every splitter answers with twenty children, and effects take all that they are allowed."""
    nodes = 0
    for seed in range(TREES // 2):
        tree = Tree(seed, twenty)
        result = grown(tree)
        nodes += len(result.tree)
        assert problems(tree, result) == [], seed
        assert result.stop_reason and result.answer
    assert nodes > 2 * TREES // 2


def test_a_tree_that_broke_its_budgets_would_be_noticed() -> None:
    """The check counts what was spent itself."""
    tree = Tree(3, twenty=True)
    result = grown(tree)
    tree.spent["/1/9"] = 17_000
    assert any("branch /1/9" in problem for problem in problems(tree, result))
    assert any("counted" in problem for problem in problems(tree, result))
    assert problems(Tree(3), result.changed(usage=result.usage)) != []
