"""The loop in Burr: actions that read and write an immutable state.

A pass's steps are gathered in one action, or mapped to sub-applications by Burr. The graph is built once; an
application, which holds the state of one run, for each run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from burr.core import ApplicationBuilder, ApplicationContext, Graph, GraphBuilder, State, action, default, expr
from burr.core.parallelism import MapStates, SubgraphType
from workload import Model, enough

__all__ = ["PACKAGES", "make"]

PACKAGES = ("apache-burr",)


def make(model: Model, mapped: str = "") -> Callable[[], Awaitable[str]]:
    """One run of the loop; ``mapped``: Burr runs the steps of a pass, instead of an action that gathers them."""
    graph = built(model, bool(mapped))

    async def run() -> str:
        start = {"steps": [], "results": [], "issues": [], "passes": 0, "done": False, "answer": ""}
        builder = ApplicationBuilder().with_graph(graph).with_state(**start).with_entrypoint("plan")
        _, _, state = await (await builder.abuild()).arun(halt_after=["synthesize"])
        return str(state["answer"])

    return run


def built(model: Model, mapped: bool) -> Graph:
    """The graph of the loop."""

    @action(reads=[], writes=["steps"])
    async def plan(state: State) -> State:
        return state.update(steps=await model.plan())

    @action(reads=["steps"], writes=["issues"])
    async def check(state: State) -> State:
        return state.update(issues=await model.check(state["steps"]))

    @action(reads=["steps", "results"], writes=["results"])
    async def execute(state: State) -> State:
        found = await asyncio.gather(*(model.execute(step) for step in state["steps"]))
        return state.update(results=state["results"] + list(found))

    @action(reads=["results", "passes"], writes=["issues", "passes"])
    async def validate(state: State) -> State:
        return state.update(issues=await model.validate(state["results"]), passes=state["passes"] + 1)

    @action(reads=["results", "issues", "passes"], writes=["done"])
    async def assess(state: State) -> State:
        completeness = await model.assess(state["results"], state["issues"])
        return state.update(done=enough(state["passes"], completeness))

    @action(reads=["results"], writes=["steps"])
    async def refine(state: State) -> State:
        return state.update(steps=await model.refine(len(state["results"])))

    @action(reads=["results"], writes=["answer"])
    async def synthesize(state: State) -> State:
        return state.update(answer=await model.synthesize(state["results"]))

    chosen = _mapping(model) if mapped else execute
    return (
        GraphBuilder()
        .with_actions(plan, check, validate, assess, refine, synthesize, execute=chosen)
        .with_transitions(
            ("plan", "check"),
            ("check", "execute"),
            ("execute", "validate"),
            ("validate", "assess"),
            ("assess", "synthesize", expr("done")),
            ("assess", "refine", default),
            ("refine", "execute"),
        )
        .build()
    )


def _mapping(model: Model) -> MapStates:
    @action(reads=["step"], writes=["result"])
    async def one(state: State) -> State:
        return state.update(result=await model.execute(state["step"]))

    class Execute(MapStates):
        def action(self, state: State, inputs: dict[str, Any]) -> SubgraphType:
            return one

        async def states(
            self, state: State, context: ApplicationContext, inputs: dict[str, Any]
        ) -> AsyncGenerator[State, None]:
            for step in state["steps"]:
                yield state.update(step=step)

        async def reduce(self, state: State, states: AsyncGenerator[State, None]) -> State:
            return state.update(results=state["results"] + [each["result"] async for each in states])

        def is_async(self) -> bool:
            return True

        @property
        def reads(self) -> list[str]:
            return ["steps", "results"]

        @property
        def writes(self) -> list[str]:
            return ["results"]

    return Execute()
