"""Graphs are checked when they are built: one clear error names what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import aeon
from aeon.engines.graph.builder import Edge, Graph, GraphBuilder, Visit, Walk
from aeon.engines.graph.program import SHIPPED
from aeon.engines.loop.program import SHIPPED as LOOP_GRAPH
from aeon.errors import EngineError, UsageError
from aeon.kernel.decide import Signals
from aeon.schema import Caps, Settings, Value
from aeon.schema.effects import Program

pytestmark = pytest.mark.requirement("E2a")


class Count(Value):
    """The state of the tests."""

    number: int = 0
    limit: int = 3
    note: str = ""


class Strict(Value):
    """A state with a field that has no default."""

    number: int


class Caps1(Caps):
    """No phases."""


class Counting(Settings):
    """The settings of the tests."""

    caps: Caps1 = Caps1()
    most: int = 4


CountVisit = Visit[Counting, Signals, Count]


def one(visit: CountVisit) -> Program[None]:
    """Counts."""
    visit.write(number=visit.state.number + 1)
    yield from ()


def two(visit: CountVisit) -> Program[None]:
    """Does nothing."""
    yield from ()


def builder(state: type[Any] = Count, start: str = "one") -> GraphBuilder[Counting, Signals, Count]:
    """A builder for graphs of the tests."""
    return GraphBuilder[Counting, Signals, Count](state, start)


def enough(state: Count) -> bool:
    """Whether the count has come to its end."""
    return state.number >= 3


def most(config: Counting) -> int:
    """The most visits."""
    return config.most


def counter() -> Graph[Counting, Signals, Count]:
    """A graph that counts to three, or as far as it may."""
    edges = (Edge("respond", "three", enough), Edge("one", "fewer"), Edge[Count]("respond"))
    return builder().node(one, edges, writes=("number",), most=most).respond().build()


def test_a_walk_takes_the_first_edge_that_is_open() -> None:
    """It counts to three, and no further than a node's most visits."""
    graph = counter()
    assert [edge.target for edge in graph.nodes["one"].edges] == ["respond", "one", "respond"]
    walk = Walk(graph, _Free(Counting()), Count())  # type: ignore[arg-type]
    _driven(walk)
    assert walk.state.number == 3 and [one.node for one in walk.path] == ["one"] * 3
    short = Walk(graph, _Free(Counting(most=2)), Count())  # type: ignore[arg-type]
    _driven(short)
    assert short.state.number == 2


class _Free:
    """A run without boundaries."""

    def __init__(self, config: Counting) -> None:
        self.config = config
        self.timings: list[object] = []

    def boundary(self) -> None:
        """Never stops."""


def _driven(walk: Walk[Counting, Signals, Count]) -> None:
    for _ in walk.go():
        pass


def test_a_node_sees_and_writes_only_what_it_declares() -> None:
    """Other fields have their defaults; a field that is not declared cannot be written."""
    seen: list[Count] = []

    def looks(visit: CountVisit) -> Program[None]:
        seen.append(visit.state)
        yield from ()

    graph = builder(start="looks").node(looks, (Edge("respond"),), writes=("number",)).respond().build()
    _driven(Walk(graph, _Free(Counting()), Count(number=7, note="secret")))  # type: ignore[arg-type]
    assert seen == [Count(number=7)]

    def writes(visit: CountVisit) -> Program[None]:
        visit.write(note="x")
        yield from ()

    wrong = builder(start="writes").node(writes, (Edge("respond"),)).respond().build()
    with pytest.raises(EngineError, match="node 'writes' writes note, and does not declare it"):
        _driven(Walk(wrong, _Free(Counting()), Count()))  # type: ignore[arg-type]


Built = Callable[[], GraphBuilder[Counting, Signals, Count]]
END: Edge[Count] = Edge("respond")
WRONG: dict[str, tuple[Built, str]] = {
    "unreachable": (
        lambda: builder().node(one, (END,)).node(two, (END,)).respond(), "node 'two' cannot be reached from 'one'"
    ),
    "dead end": (lambda: builder().node(one, ()).respond(), "node 'one' is a dead end: it has no edge"),
    "conditions only": (
        lambda: builder().node(one, (Edge("respond", "three", enough),)).respond(),
        "node 'one' is a dead end where no condition holds",
    ),
    "a last edge that closes": (
        lambda: builder().node(one, (Edge("two"),)).node(two, (END,), most=most).respond(),
        "node 'one' is a dead end once 'two' was visited",
    ),
    "unknown node": (
        lambda: builder().node(one, (Edge("three"),)).respond(), "node 'one' leads to 'three', which is no node"
    ),
    "unknown start": (lambda: builder(start="zero").node(one, (END,)).respond(), "it starts at 'zero'"),
    "cycle": (
        lambda: builder().node(one, (Edge("two"),)).node(two, (Edge("one", "more", enough), END)).respond(),
        "node 'one' is on a cycle without a bound",
    ),
    "itself": (
        lambda: builder().node(one, (Edge("one", "more", enough), END)).respond(),
        "node 'one' is on a cycle without a bound",
    ),
    "no response": (lambda: builder().node(one, (Edge("one"),)), "it has no way to respond"),
    "never responds": (
        lambda: builder().node(one, (Edge("two", "x", enough), END)).node(two, (Edge("two"),)).respond(),
        "node 'two' has no way to respond",
    ),
    "unwritten": (
        lambda: builder().node(one, (END,), reads=("note",)).respond(),
        "node 'one' reads 'note', which no node before it writes",
    ),
    "written too late": (
        lambda: builder().node(one, (Edge("two"),), reads=("note",)).node(two, (END,), writes=("note",)).respond(),
        "node 'one' reads 'note', which no node before it writes",
    ),
    "unknown field": (
        lambda: builder().node(one, (END,), writes=("total",)).respond(), "'total', which Count does not have"
    ),
    "no default": (lambda: builder(Strict).node(one, (END,)).respond(), "'number' of Strict has no default"),
    "twice": (lambda: builder().node(one, (END,)).node(one, (END,)).respond(), "node 'one' is there twice"),
    "no label": (
        lambda: builder().node(one, (Edge("respond", when=enough), END)).respond(), "needs a label that says when"
    ),
    "after the last": (
        lambda: builder().node(one, (Edge("respond", "always"), END)).respond(),
        "no edge after the one to 'respond' can ever be taken",
    ),
    "bad name": (lambda: builder().node(one, (END,)).respond("The End"), "node 'The End': a name has small letters"),
}  # fmt: skip


@pytest.mark.parametrize("fault", WRONG)
def test_a_graph_that_cannot_work_is_not_built(fault: str) -> None:
    """One line names the node and what is wrong with it."""
    made, said = WRONG[fault]
    with pytest.raises(UsageError) as caught:
        made().build()
    assert said in str(caught.value) and str(caught.value).startswith("graph: ")
    assert "\n" not in str(caught.value)


def test_the_picture_is_made_of_the_graph() -> None:
    """Every node, every edge with its condition, and nothing else."""
    lines = SHIPPED.mermaid().splitlines()
    edges = [edge for node in SHIPPED.nodes.values() for edge in node.edges]
    assert lines[0] == "flowchart TD"
    assert len([line for line in lines if "-->" in line]) == len(edges) + 1
    assert "    verify -->|no| reflect" in lines and "    plan[plan ↻]" in lines
    assert [*LOOP_GRAPH.nodes] == ["classify", "plan", "execute", "verify"]
    assert [*SHIPPED.nodes] == ["classify", "direct", "plan", "execute", "reflect", "verify"]


def test_a_graph_is_built_from_the_public_names_of_the_package() -> None:
    """Builder, edges, visits and walks; nothing of the engine's own package has to be named."""
    built = (
        aeon.GraphBuilder[Counting, Signals, Count](Count, "one")
        .node(one, writes=("number",), edges=(aeon.Edge("respond"),))
        .respond()
        .build()
    )
    assert isinstance(built, aeon.Graph) and (aeon.Visit, aeon.Walk) == (Visit, Walk)
