"""The loop in pydantic-graph: steps and a decision; a pass's steps in one node, or by the graph's own parallel map."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic_graph import Graph, GraphBuilder, Step, StepContext, TypeExpression, reduce_list_append
from pydantic_graph.paths import EdgePath
from workload import Model, enough

__all__ = ["PACKAGES", "make"]

PACKAGES = ("pydantic-graph",)


@dataclass
class State:
    """The state of a run."""

    results: list[int] = field(default_factory=list)
    issues: list[str] = field(default_factory=list)
    passes: int = 0


Nothing = StepContext[State, None, None]
Texts = StepContext[State, None, list[str]]
Builder = GraphBuilder[State, None, None, str]
Lists = Step[State, None, Any, list[str]]
Collected = Step[State, None, list[int], None]
Edge = EdgePath[State, None]


def make(model: Model, mapped: str = "") -> Callable[[], Awaitable[str]]:
    """One run of the loop; ``mapped``: the graph maps the steps of a pass, instead of a node that gathers them."""
    graph = built(model, bool(mapped))

    async def run() -> str:
        return await graph.run(state=State())

    return run


def built(model: Model, mapped: bool) -> Graph[State, None, None, str]:
    """The graph of the loop."""
    g = GraphBuilder(state_type=State, output_type=str)

    @g.step
    async def plan(ctx: Nothing) -> list[str]:
        return await model.plan()

    @g.step
    async def check(ctx: Texts) -> list[str]:
        ctx.state.issues = await model.check(ctx.inputs)
        return ctx.inputs

    @g.step
    async def validate(ctx: StepContext[State, None, list[int]]) -> None:
        ctx.state.results += sorted(ctx.inputs)  # a join collects in the order of completion
        ctx.state.passes += 1
        ctx.state.issues = await model.validate(ctx.state.results)

    @g.step
    async def assess(ctx: Nothing) -> Literal["refine", "synthesize"]:
        completeness = await model.assess(ctx.state.results, ctx.state.issues)
        return "synthesize" if enough(ctx.state.passes, completeness) else "refine"

    @g.step
    async def refine(ctx: StepContext[State, None, object]) -> list[str]:
        return await model.refine(len(ctx.state.results))

    @g.step
    async def synthesize(ctx: StepContext[State, None, object]) -> str:
        return await model.synthesize(ctx.state.results)

    decision = (
        g.decision()
        .branch(g.match(TypeExpression[Literal["refine"]]).to(refine))
        .branch(g.match(TypeExpression[Literal["synthesize"]]).to(synthesize))
    )
    g.add(
        g.edge_from(g.start_node).to(plan),
        g.edge_from(plan).to(check),
        *(_mapping if mapped else _gathering)(g, model, (check, refine), validate),
        g.edge_from(validate).to(assess),
        g.edge_from(assess).to(decision),
        g.edge_from(synthesize).to(g.end_node),
    )
    return g.build()


def _gathering(g: Builder, model: Model, sources: tuple[Lists, Lists], then: Collected) -> tuple[Edge, ...]:
    @g.step
    async def execute(ctx: Texts) -> list[int]:
        return await asyncio.gather(*(model.execute(step) for step in ctx.inputs))

    return *(g.edge_from(source).to(execute) for source in sources), g.edge_from(execute).to(then)


def _mapping(g: Builder, model: Model, sources: tuple[Lists, Lists], then: Collected) -> tuple[Edge, ...]:
    @g.step
    async def execute(ctx: StepContext[State, None, str]) -> int:
        return await model.execute(ctx.inputs)

    collect = g.join(reduce_list_append, initial_factory=list[int])

    @g.step
    async def begin(ctx: Texts) -> list[str]:
        return ctx.inputs  # one node before the map: the join needs one fork that every way to it leads through

    return (
        *(g.edge_from(source).to(begin) for source in sources),
        g.edge_from(begin).map().to(execute),
        g.edge_from(execute).to(collect),
        g.edge_from(collect).to(then),
    )
