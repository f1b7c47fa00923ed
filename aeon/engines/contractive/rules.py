"""When a node is not split any more, and how a run ends: the rows of both decision tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aeon.engines.contractive.config import BranchConfig, ContractiveConfig
from aeon.kernel.decide import BUDGET, CLARIFICATION, Rule, Signals

__all__ = ["BRANCH_TABLE", "TABLE", "BranchSignals", "ContractiveSignals", "branch_calls", "most_calls"]


@dataclass(slots=True)
class BranchSignals(Signals):
    """What the rows of a node rest on, after its latest look.

    ``unanswered``: no sample gave a usable answer. ``agreed``: the uncertainty is low enough. ``leaning``: it was not
    split, and is not uncertain enough for that. ``fixed``: the split left the answer as it was, and most samples give
    it. ``still``: the split changed nothing. ``deepest``, ``spent``, ``tried`` and ``short``: no level, no split, no
    other prompt, or no tokens for children are left.
    """

    unanswered: bool = False
    agreed: bool = False
    leaning: bool = False
    fixed: bool = False
    still: bool = False
    deepest: bool = False
    spent: bool = False
    tried: bool = False
    short: bool = False


BRANCH_TABLE: tuple[Rule, ...] = (
    Rule(
        "unanswered",
        "unanswered",
        "no sample gave an answer that can be used",
        when="no sample gave an answer that can be used",
    ),
    Rule(
        "agreed",
        "agreed",
        "the samples agree",
        sufficient=True,
        when="the uncertainty is at `collapse` or below",
    ),
    Rule(
        "majority",
        "leaning",
        "most samples agree",
        when="it was not split, and the uncertainty is below `decompose`",
    ),
    Rule(
        "fixed_point",
        "fixed",
        "the answer is the same before and after the split",
        sufficient=True,
        when="most samples give the same answer before and after a split, and the uncertainty is below `decompose`",
    ),
    Rule(
        "no_gain",
        "still",
        "the split did not make the samples agree more",
        when="the answer after a split is the same, or the uncertainty fell by less than `gain`",
    ),
    BUDGET,
    CLARIFICATION,
    Rule("depth", "deepest", "the tree is as deep as it may be", when="no level is left"),
    Rule("loops", "spent", "all splits are made", when="no split is left"),
    Rule("rebranches", "tried", "every prompt was tried", when="it was split with every prompt"),
    Rule(
        "short",
        "short",
        "samples are missing, or what is left does not pay for a split",
        when="samples of the look are missing, or what is left does not pay for two children and another look",
    ),
)
"""Why a node is not split any more; the first row that holds after a look."""


@dataclass(slots=True)
class ContractiveSignals(Signals):
    """What the rows of a run rest on, once its tree is there.

    ``stop`` is why the root was not split any more. ``rejected``: the peer rejected its answer; ``doubted``: the peer
    asks for a major revision.
    """

    stop: str = ""
    rejected: bool = False
    doubted: bool = False


def _as_root(reason: str) -> Rule:
    """The row for a root that ended for this reason: as the branch's, but by the reason."""
    row = next(rule for rule in BRANCH_TABLE if rule.reason == reason)
    return replace(row, signal="stop", relation="is", threshold=reason)


TABLE: tuple[Rule, ...] = (
    Rule(
        "rejected",
        "rejected",
        "the peer rejected every answer that it saw",
        when="the peer's score of the answer is below .3, and so is that of the next one",
    ),
    Rule(
        "major_revision",
        "doubted",
        "the peer asks for a major revision",
        when="the peer's score of the answer is from .3 to .4",
    ),
    _as_root("unanswered"),
    _as_root("agreed"),
    _as_root("fixed_point"),
    _as_root("majority"),
    _as_root("no_gain"),
    BUDGET,
    CLARIFICATION,
    Rule(
        "undecided",
        "stop",
        "the samples do not agree, and no split is left: {s.stop}",
        when="the samples do not agree, and no level, split, prompt or tokens are left for a split",
    ),
)
"""How a run ends, once its tree is there."""


def branch_calls(config: BranchConfig) -> int:
    """The most model calls of a node and all below it: looks before and after each split, splits, reviews."""
    caps, splits = config.caps, config.loops if config.depth else 0
    nodes = 1 + splits * config.limits.children
    look = caps.sample + caps.classify
    return nodes * (look + 2 * caps.review) + splits * (look + caps.decompose)


def most_calls(config: ContractiveConfig) -> int:
    """The most model calls of a run: its tree, and the answer."""
    return branch_calls(config.branch()) + config.caps.collapse
