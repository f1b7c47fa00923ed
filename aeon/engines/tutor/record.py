"""The record of a proof game: its graph, and the result that it ends in."""

from __future__ import annotations

from aeon.engines.tutor.effects import JudgedReply
from aeon.engines.tutor.graph import Node
from aeon.schema.conclusion import Conclusion
from aeon.schema.frozen import JsonValue

__all__ = ["ProofGame"]


class ProofGame(Conclusion):
    """The result of a proof game. ``graph`` is its whole proof; ``cited`` are the claims that the answer rests on.

    ``judged`` says whether it answers the task; ``None`` where it was not asked.
    ``score`` is what its moves scored, ``turns`` how many there were, ``hints`` the names of the hint cards given.
    """

    graph: tuple[Node, ...] = ()
    cited: tuple[int, ...] = ()
    judged: JudgedReply | None = None
    score: int = 0
    turns: int = 0
    hints: tuple[str, ...] = ()

    def parts(self) -> dict[str, JsonValue]:
        """Each node of the graph under its number, and what the answer was judged to be."""
        named: dict[str, JsonValue] = {} if self.judged is None else {"judged": self.judged.model_dump(mode="json")}
        nodes = {f"node {node.number}": node.model_dump(mode="json", exclude={"hash"}) for node in self.graph}
        return {**nodes, **named}
