"""The contractive engine in simulated worlds: it holds, and what breaks one of its promises is noticed by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from aeon.assembly.contractive import PLUGIN
from aeon.assembly.plugin import Plugin
from aeon.engines.contractive.config import ContractiveConfig
from aeon.engines.contractive.program import CONTRACTIVE
from aeon.engines.contractive.record import Contractive, Node
from aeon.engines.contractive.rules import ContractiveSignals
from aeon.kernel.engine import Run
from aeon.schema.effects import Program
from aeon.simulation.check import check
from aeon.simulation.crowd import simulate
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts

pytestmark = pytest.mark.requirement("E3", "E3c", "K13")

SEEDS = 150
MOST_SEEDS = 60


@pytest.mark.requirement("X3", "E3j")
def test_the_contractive_engine_holds_in_hundreds_of_worlds() -> None:
    """Crashes, interrupts, models that say anything, budgets that run out: with every way to end."""
    tally = simulate(range(SEEDS), engine="contractive")
    assert tally.failures == []
    assert {"agreed", "majority", "no_gain", "undecided", "unanswered", "calls_exhausted"} <= set(tally.reasons)
    fired = {kind for kind, times in tally.fired.items() if times}
    assert {"crash_each", "interrupt", "outage", "malformed", "disk_full"} <= fired


@pytest.mark.parametrize(("seed", "faults"), [(304, "crash_after"), (698, "empty,crash_torn"), (1489, "disk_full")])
def test_what_a_crash_cost_is_missing_from_the_tokens_of_the_tree(seed: int, faults: str) -> None:
    """So a run that lost some may split less than the same run without trouble, and is held to everything else."""
    assert simulate(range(seed, seed + 1), f"{faults},steps=1,passes=1", engine="contractive").failures == []


def ended(change: Callable[[Contractive], Contractive]) -> Parts:
    """Parts whose program ends in another result."""

    def program(run: Run[ContractiveConfig, ContractiveSignals]) -> Program[Contractive]:
        return change((yield from CONTRACTIVE.program(run)))

    return Parts(Plugin(replace(CONTRACTIVE, program=program), PLUGIN.handlers, fit=PLUGIN.fit))


def root(**fields: object) -> Callable[[Contractive], Contractive]:
    """A change of the root."""

    def changed(result: Contractive) -> Contractive:
        return result.changed(tree=(result.tree[0].changed(**fields), *result.tree[1:])) if result.tree else result

    return changed


def _repeated(result: Contractive) -> Contractive:
    return result.changed(tree=(*result.tree, *result.tree[-1:]))


def _orphaned(result: Contractive) -> Contractive:
    return result.changed(tree=(*result.tree, Node(place="9.9", question="?", stop="agreed")))


def _surer(result: Contractive) -> Contractive:
    nodes = (node.changed(rounds=tuple(one.changed(uncertainty=0.123) for one in node.rounds)) for node in result.tree)
    return result.changed(tree=tuple(nodes))


def _approved(result: Contractive) -> Contractive:
    nodes = (
        node.changed(candidates=tuple(one.changed(verdict="approved") for one in node.candidates))
        for node in result.tree
    )
    return result.changed(tree=tuple(nodes))


PLANTED: dict[str, tuple[Callable[[Contractive], Contractive], str]] = {
    "repeats a node": (_repeated, "a tree is whole"),
    "has a node without a parent": (_orphaned, "a tree is whole"),
    "splits too often": (root(splits=11), "a tree within its limits"),
    "has too many children": (root(children=("1.1", "1.2"), splits=0), "a tree within its limits"),
    "spends too much": (root(tokens=64_001), "a branch within its tokens"),
    "is surer than its samples": (_surer, "uncertainty is that of the samples"),
    "approves without a score": (_approved, "a verdict is the band of its score"),
    "takes what was rejected": (root(rejected=True), "a good answer was not rejected"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_broken_promise_is_noticed_by_its_name(name: str) -> None:
    """Within a few seeds, without any other trouble."""
    change, invariant = PLANTED[name]
    with Life(ended(change)) as life:
        reports = (check(scenario(seed, "none"), life) for seed in range(MOST_SEEDS))
        assert any(problem.invariant == invariant for report in reports for problem in report.problems)
