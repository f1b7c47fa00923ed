"""What must hold of the Interpreter-Tutor alone: its graph, its verdicts, and what an answer rests on."""

from __future__ import annotations

from pydantic import TypeAdapter

from aeon.engines.tutor.actions import Action, Observation
from aeon.engines.tutor.checking import Checker
from aeon.engines.tutor.config import TutorConfig
from aeon.engines.tutor.export import statement_of
from aeon.engines.tutor.graph import Node, NodeKind, broken_at
from aeon.engines.tutor.looks import Seen
from aeon.engines.tutor.record import ProofGame
from aeon.runtime.journal import Journal
from aeon.simulation.world import World

__all__ = ["hold_game"]

_ACTION: TypeAdapter[Action] = TypeAdapter(Action)
_OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)


def hold_game(world: World, result: ProofGame, journal: Journal) -> None:
    """Hold the record of a game against the engine's own invariants; the world is told what broke."""
    config = journal.config(TutorConfig)
    if place := broken_at(result.graph):
        world.wrong("the chain is whole", f"node {place} is not as it was added")
    if result.turns > config.turns or len(result.hints) > config.hints:
        world.wrong("turns and hints within their limits", f"{result.turns} turns, {len(result.hints)} hints")
    if result.stop_reason in ("proved", "undecidable") and not (result.judged and result.judged.answers):
        world.wrong("a good answer was judged to be one", f"{result.stop_reason}: {result.judged}")
    if result.sufficient and not result.cited:
        world.wrong("a proved answer cites what is proved", result.answer[:200])
    for number in result.cited:
        _hold_cited(world, result, number)


def _hold_cited(world: World, result: ProofGame, number: int) -> None:
    """A claim that an answer cites has the verdict that the graph's observations give it, whoever asks."""
    claims = {node.number: statement_of(node) for node in _nodes(result, "claim")}
    seen = [_seen(node) for node in _nodes(result, "observation")]
    said = [node.content["verdict"] for node in _nodes(result, "verdict") if node.content["claim"] == number]
    ruling = Checker(seen, claims, {}).rule(claims[number])
    if not said or ruling.verdict != said[-1] or (result.sufficient and not ruling.rests_on):
        world.wrong("a proved answer cites what is proved", f"claim {number} is {ruling.verdict}, not {said[-1:]}")


def _nodes(result: ProofGame, kind: NodeKind) -> list[Node]:
    return [node for node in result.graph if node.kind == kind]


def _seen(node: Node) -> Seen:
    action, saw = node.content["action"], node.content["saw"]
    return Seen(node.number, _ACTION.validate_python(action), _OBSERVATION.validate_python(saw))
