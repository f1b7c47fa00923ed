"""What must hold of the contractive engine alone: its tree, its budgets and its verdicts."""

from __future__ import annotations

from collections.abc import Mapping

from aeon.engines.contractive.config import ContractiveConfig
from aeon.engines.contractive.entropy import uncertainty
from aeon.engines.contractive.presets import Limits
from aeon.engines.contractive.record import Contractive, Node
from aeon.engines.contractive.reviews import verdict_of
from aeon.runtime.journal import Journal
from aeon.simulation.world import World

__all__ = ["hold_contractive"]


def hold_contractive(world: World, result: Contractive, journal: Journal) -> None:
    """Hold the record of a run that has ended against the engine's own invariants; the world is told what broke."""
    limits = journal.config(ContractiveConfig).limits
    nodes = {node.place: node for node in result.tree}
    if len(nodes) < len(result.tree):
        world.wrong("a tree is whole", "a place is there twice")
    for node in result.tree:
        _hold_place(world, node, nodes)
        _hold_limits(world, node, limits)
        _hold_node(world, node)
    if sum(node.splits for node in result.tree) > limits.loops:
        world.wrong("a tree within its limits", f"more than {limits.loops} splits")
    if result.sufficient and result.tree and result.tree[0].rejected:
        world.wrong("a good answer was not rejected", result.answer[:200])


def _hold_place(world: World, node: Node, nodes: Mapping[str, Node]) -> None:
    """A node hangs below the one that its place says, and what its children took is part of what it took."""
    above = nodes.get(node.place.rpartition(".")[0])
    if node.place != "1" and (above is None or node.place not in above.children):
        world.wrong("a tree is whole", f"{node.place} hangs below nothing")
    below = [nodes[place] for place in node.children if place in nodes]
    if len(below) < len(node.children):
        world.wrong("a tree is whole", f"{node.place} lacks a child")
    if sum(child.tokens for child in below) > node.tokens:
        world.wrong("a branch within its tokens", f"the children of {node.place} took more than it")


def _hold_limits(world: World, node: Node, limits: Limits) -> None:
    if node.place.count(".") > limits.depth or node.splits > 1 + limits.rebranches:
        world.wrong("a tree within its limits", f"{node.place} was split {node.splits} times")
    if len(node.children) > limits.children * node.splits:
        world.wrong("a tree within its limits", f"{node.place} has {len(node.children)} children")
    most = limits.tokens if node.place == "1" else limits.branch_tokens
    beyond = sum(said.tokens for said in world.beyond.values())  # more was counted than anybody could ask for
    if node.tokens > most + beyond:
        world.wrong("a branch within its tokens", f"{node.place} took {node.tokens}, not {most}")


def _hold_node(world: World, node: Node) -> None:
    for number, one in enumerate(node.rounds):
        if one.uncertainty != uncertainty(one.places, one.unusable):
            world.wrong("uncertainty is that of the samples", f"{node.place}, look {number}: {one.uncertainty}")
    for candidate in node.candidates:
        if candidate.verdict != verdict_of(candidate.peer):
            world.wrong("a verdict is the band of its score", f"{candidate.verdict} with {candidate.peer}")
