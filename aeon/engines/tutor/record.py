"""The record of a proof game: its graph, and the result that it ends in."""

from __future__ import annotations

from aeon.engines.tutor.graph import Node
from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue

__all__ = ["ProofGame"]


class ProofGame(Conclusion):
    """The result of a proof game. ``graph`` is its whole proof; ``cited`` are the claims that the answer rests on.

    ``score`` is what its moves scored, ``turns`` how many there were, ``hints`` the names of the hint cards given.
    """

    graph: tuple[Node, ...] = ()
    cited: tuple[int, ...] = ()
    score: int = 0
    turns: int = 0
    hints: tuple[str, ...] = ()

    def parts(self) -> dict[str, JsonValue]:
        """Each node of the graph under its number."""
        return {f"node {node.number}": node.model_dump(mode="json", exclude={"hash"}) for node in self.graph}
