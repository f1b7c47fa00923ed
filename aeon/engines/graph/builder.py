"""Engines as graphs: nodes that say what they read and write, and every edge; checked when the graph is built.

A node is a program over the graph's state, a `Value` whose fields have defaults. It sees the fields that it declares,
all others at their defaults, and writes none that it does not declare: so the picture is the truth. Where a node ends,
its first edge is taken whose condition holds and whose target may still be visited; the last edge has no condition.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Generic, TypeVar

from aeon.errors import EngineError, UsageError
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Run
from aeon.schema.config import Settings
from aeon.schema.effects import Note, Program
from aeon.schema.value import Value

__all__ = ["Edge", "Graph", "GraphBuilder", "Node", "NodeNote", "Visit", "Visited", "Walk"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
W = TypeVar("W", bound=Value)
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class NodeNote(Note):
    """The run comes to a node, for the time of this number (from 1)."""

    node: str
    visit: int


class Visited(Value):
    """A node that the run was at, and how many effects it issued there."""

    node: str
    effects: int = 0


@dataclass(frozen=True)
class Edge(Generic[W]):
    """A way to ``target``, open where ``when`` holds of what the node sees; ``label`` says when, for people."""

    target: str
    label: str = ""
    when: Callable[[W], bool] | None = None


@dataclass(frozen=True)
class Node(Generic[C, S, W]):
    """A node: its program, the fields that it ``reads`` and ``writes``, its edges in order, and its ``most`` visits."""

    name: str
    work: Callable[[Visit[C, S, W]], Program[None]]
    reads: frozenset[str]
    writes: frozenset[str]
    edges: tuple[Edge[W], ...]
    most: Callable[[C], int] | None = None


@dataclass(frozen=True)
class Graph(Generic[C, S, W]):
    """A graph that was checked. A walk begins at ``start`` and ends at ``response``, where the engine answers."""

    state: type[W]
    start: str
    response: str
    nodes: Mapping[str, Node[C, S, W]]

    def mermaid(self) -> str:
        """The graph as a Mermaid flowchart: nodes with their most visits marked as bounded, edges with conditions."""
        lines = ["flowchart TD", f"    begin([task]) --> {self.start}"]
        for node in self.nodes.values():
            lines.append(f"    {node.name}[{node.name}{' ↻' if node.most else ''}]")
            lines += [_drawn(node.name, edge) for edge in node.edges]
        return "\n".join([*lines, f"    {self.response}([{self.response}])", ""])


def _drawn(source: str, edge: Edge[W]) -> str:
    return f"    {source} --{f'>|{edge.label}|' if edge.label else '>'} {edge.target}"


@dataclass(slots=True)
class Walk(Generic[C, S, W]):
    """A run on its way through a graph. ``state`` is what the nodes wrote so far, also where the run is stopped."""

    graph: Graph[C, S, W]
    run: Run[C, S]
    state: W
    visits: Counter[str] = field(default_factory=Counter)
    path: list[Visited] = field(default_factory=list)

    def go(self) -> Program[None]:
        """Visit nodes until the response is reached.

        Raises:
            Halt: the decision table ended the run; what was written so far is in ``state``.
        """
        name = self.graph.start
        while name != self.graph.response:
            node, before = self.graph.nodes[name], len(self.run.timings)
            self.visits[name] += 1
            yield NodeNote(node=name, visit=self.visits[name])
            self.run.boundary()
            visit = Visit(self, node)
            try:
                yield from node.work(visit)
            finally:
                self.path.append(Visited(node=name, effects=len(self.run.timings) - before))
            name = self._next(node, visit.state)

    def _next(self, node: Node[C, S, W], seen: W) -> str:
        """The target of the first edge that is open. The last edge of a checked graph always is."""
        return next(
            edge.target for edge in node.edges if self.may_visit(edge.target) and (edge.when is None or edge.when(seen))
        )

    def may_visit(self, name: str) -> bool:
        """Whether a node may be visited once more."""
        most = self.graph.nodes[name].most if name in self.graph.nodes else None
        return most is None or self.visits[name] < most(self.run.config)


@dataclass(slots=True)
class Visit(Generic[C, S, W]):
    """What a node holds in its hand: the run, the fields that it declared, and how it writes them."""

    walk: Walk[C, S, W]
    node: Node[C, S, W]

    @property
    def run(self) -> Run[C, S]:
        """The run, for its boundaries and effects."""
        return self.walk.run

    @property
    def state(self) -> W:
        """The state: the fields that the node reads or writes as they are, all others at their defaults."""
        own = self.node.reads | self.node.writes
        return self.walk.graph.state(**{name: it for name, it in self.walk.state.fields().items() if name in own})

    def write(self, **fields: object) -> None:
        """Set these fields of the state.

        Raises:
            EngineError: the node does not declare that it writes one of them.
        """
        if undeclared := sorted(fields.keys() - self.node.writes):
            raise EngineError(f"node '{self.node.name}' writes {', '.join(undeclared)}, and does not declare it")
        self.walk.state = self.walk.state.changed(**fields)


class GraphBuilder(Generic[C, S, W]):
    """Puts a graph together, node by node; `build` checks it.

    ``state`` is the class of the state: a `Value`, each of whose fields has a default. ``start`` is the first node.
    """

    def __init__(self, state: type[W], start: str) -> None:
        self._state, self._start = state, start
        self._nodes: list[Node[C, S, W]] = []
        self._response = ""

    def node(
        self,
        work: Callable[[Visit[C, S, W]], Program[None]],
        edges: Iterable[Edge[W]],
        reads: Iterable[str] = (),
        writes: Iterable[str] = (),
        most: Callable[[C], int] | None = None,
    ) -> GraphBuilder[C, S, W]:
        """Add the node that does ``work`` and is named after it; ``most`` bounds its visits in a run."""
        name = work.__name__.strip("_")
        self._nodes.append(Node(name, work, frozenset(reads), frozenset(writes), tuple(edges), most))
        return self

    def respond(self, name: str = "respond") -> GraphBuilder[C, S, W]:
        """Say where the graph ends: every way out leads there, and the engine answers."""
        self._response = name
        return self

    def build(self) -> Graph[C, S, W]:
        """The graph.

        Raises:
            UsageError: a node is there twice, cannot be reached, names a node or a field that does not exist, reads
                what nobody wrote, is a dead end, or is on a cycle without a bound; or the graph cannot respond.
        """
        fields = frozenset(self._state.model_fields)
        nodes = {node.name: node for node in self._nodes}
        graph = Graph(self._state, self._start, self._response, nodes)
        names = [*(node.name for node in self._nodes), self._response]
        problems = chain(
            _named_wrong(names), _without_response(graph), _unknown(graph, fields), _dead_ends(graph),
            _unreachable(graph), _unbounded(graph), _unwritten(graph),
        )  # fmt: skip
        if problem := next(problems, ""):
            raise UsageError(f"graph: {problem}")
        return graph


def _named_wrong(names: list[str]) -> Iterator[str]:
    twice = (name for name, times in Counter(names).items() if times > 1)
    yield from (f"node '{name}' is there twice" for name in twice)
    bad = (name for name in names if name and not _NAME.fullmatch(name))
    yield from (f"node '{name}': a name has small letters, digits and underscores" for name in bad)


def _without_response(graph: Graph[C, S, W]) -> Iterator[str]:
    if not graph.response:
        yield "it has no way to respond: say where it ends with respond()"
    if graph.start not in graph.nodes:
        yield f"it starts at '{graph.start}', which is no node"


def _unknown(graph: Graph[C, S, W], fields: frozenset[str]) -> Iterator[str]:
    """Targets and fields that do not exist, and fields of the state without a default."""
    there = {*graph.nodes, graph.response}
    for node in graph.nodes.values():
        for edge in node.edges:
            if edge.target not in there:
                yield f"node '{node.name}' leads to '{edge.target}', which is no node"
        for name in sorted((node.reads | node.writes) - fields):
            yield f"node '{node.name}' reads or writes '{name}', which {graph.state.__name__} does not have"
    required = (name for name, one in graph.state.model_fields.items() if one.required)
    yield from (f"the field '{name}' of {graph.state.__name__} has no default" for name in required)


def _dead_ends(graph: Graph[C, S, W]) -> Iterator[str]:
    """Nodes that have no way on, or might have none; and edges that can never be taken or do not say when."""
    for node in graph.nodes.values():
        *others, last = node.edges or (None,)
        if last is None:
            yield f"node '{node.name}' is a dead end: it has no edge"
        elif last.when is not None:
            yield f"node '{node.name}' is a dead end where no condition holds: end it with an edge without one"
        elif _is_bounded(graph, last.target):
            yield (
                f"node '{node.name}' is a dead end once '{last.target}' was visited as often as it may be: "
                "end it with an edge to a node without such a bound"
            )
        for edge in filter(None, others):
            yield from _idle(graph, node, edge)


def _idle(graph: Graph[C, S, W], node: Node[C, S, W], edge: Edge[W]) -> Iterator[str]:
    """What is wrong with an edge that is not the last one of its node."""
    if not edge.label:
        yield f"node '{node.name}': its edge to '{edge.target}' needs a label that says when it is taken"
    if edge.when is None and not _is_bounded(graph, edge.target):
        yield f"node '{node.name}': no edge after the one to '{edge.target}' can ever be taken"


def _is_bounded(graph: Graph[C, S, W], name: str) -> bool:
    return name in graph.nodes and graph.nodes[name].most is not None


def _unreachable(graph: Graph[C, S, W]) -> Iterator[str]:
    """Nodes that no edge leads to from the start, and nodes from which no way leads to the response."""
    reached = _from(graph, graph.start)
    yield from (f"node '{name}' cannot be reached from '{graph.start}'" for name in graph.nodes if name not in reached)
    for name in graph.nodes:
        if graph.response not in _from(graph, name):
            yield f"node '{name}' has no way to respond"


def _from(graph: Graph[C, S, W], start: str, without: frozenset[str] = frozenset()) -> set[str]:
    """The nodes that a walk can come to from ``start``, itself only if it comes back, past those ``without``."""
    reached, waiting = set[str](), [start]
    while waiting:
        node = graph.nodes.get(waiting.pop())
        new = {edge.target for edge in node.edges} - reached - without if node else set()
        reached |= new
        waiting += new
    return reached | ({start} if not without else set())


def _unbounded(graph: Graph[C, S, W]) -> Iterator[str]:
    """Nodes on a cycle of nodes that may all be visited for ever."""
    bounded = frozenset(name for name in graph.nodes if _is_bounded(graph, name)) | {""}
    for name in graph.nodes:
        if name not in bounded and name in _from(graph, name, bounded):
            yield f"node '{name}' is on a cycle without a bound: give a node of it its most visits"


def _unwritten(graph: Graph[C, S, W]) -> Iterator[str]:
    """What a node reads that neither it nor any node before it writes."""
    for node in graph.nodes.values():
        before = [one for one in graph.nodes.values() if one is node or node.name in _from(graph, one.name)]
        for name in sorted(node.reads - {written for one in before for written in one.writes}):
            yield f"node '{node.name}' reads '{name}', which no node before it writes"
