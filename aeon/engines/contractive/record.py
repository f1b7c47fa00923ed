"""The record of a contractive run: its tree, node by node, with what was pruned, and the result that it ends in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.engines.contractive.values import Candidate
from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue
from aeon.schema.value import Value

__all__ = ["Branch", "Contractive", "Node", "PruneReason", "Pruned", "Round"]

PruneReason = Literal["over the cap", "repeated", "irrelevant", "rejected", "unanswered"]
_Share = Annotated[float, Field(ge=0, le=1)]


class Round(Value):
    """One look at a question: the answers that were drawn, and the place of the class of each.

    ``uncertainty`` (0-1) is the entropy over the classes, ``None`` where there were too few samples. ``solved`` counts
    the answers to parts that the samples saw, ``asked`` the pairs that a model was asked about.
    """

    answers: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    unusable: int = 0
    uncertainty: _Share | None = None
    solved: int = 0
    asked: int = 0
    tokens: int = 0


class Pruned(Value):
    """A sub-question that was not worked on, or whose answer was not used, and why."""

    place: str
    question: str
    reason: PruneReason
    relevance: _Share | None = None


class Node(Value):
    """A question of the tree. ``place`` is ``1`` for the root, ``1.2`` for its second child.

    ``stop`` is why no further split followed. ``candidates`` are the classes of its answers, best first; those that the
    peer rejected come last. ``children`` are the places of the nodes below it; ``splits`` counts the attempts.
    """

    place: str
    question: str
    stop: str
    answer: str = ""
    rejected: bool = False
    candidates: tuple[Candidate, ...] = ()
    rounds: tuple[Round, ...] = ()
    children: tuple[str, ...] = ()
    pruned: tuple[Pruned, ...] = ()
    splits: int = 0
    tokens: int = 0

    @property
    def before(self) -> float | None:
        """The uncertainty before the first split."""
        return self.rounds[0].uncertainty if self.rounds else None

    @property
    def uncertainty(self) -> float | None:
        """The uncertainty in the end."""
        return self.rounds[-1].uncertainty if self.rounds else None

    @property
    def best(self) -> Candidate | None:
        """The class whose answer is the node's."""
        return next(iter(self.candidates), None)

    @property
    def used(self) -> bool:
        """Whether it has an answer that the peer did not reject."""
        return bool(self.answer) and not self.rejected

    @property
    def samples(self) -> int:
        """How many samples were drawn at it, usable or not."""
        return sum(len(one.answers) + one.unusable for one in self.rounds)

    @property
    def others(self) -> tuple[Candidate, ...]:
        """The answers beside the best one that at least two samples gave, or a quarter of them."""
        return tuple(one for one in self.candidates[1:] if one.share * self.samples > 1.5 or one.share >= _MANY)


_MANY = 0.25


class Branch(Conclusion):
    """How a node ended, with all below it: ``nodes`` has the node itself first."""

    nodes: tuple[Node, ...] = ()

    @property
    def node(self) -> Node:
        """The node itself."""
        return self.nodes[0]


class Contractive(Conclusion):
    """The result of a contractive run. ``short`` is the bare answer, ``tree`` its nodes, the root first.

    ``uncertainty`` (0-1) is that of the root in the end: the entropy over what its samples answered. It is no
    probability of being wrong. ``contradictions`` are answers that many samples gave instead.
    """

    short: str = ""
    uncertainty: float | None = None
    contradictions: tuple[Candidate, ...] = ()
    tree: tuple[Node, ...] = ()

    def parts(self) -> dict[str, JsonValue]:
        """The nodes, each under its place."""
        return {f"node {node.place}": node.model_dump(mode="json") for node in self.tree}
