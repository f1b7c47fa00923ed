"""The loop in LangGraph: a state graph with reducers, one ``Send`` for each step, a conditional edge that decides."""

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Annotated, Any, Literal, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from workload import Model, enough

__all__ = ["PACKAGES", "make"]

PACKAGES = ("langgraph", "langgraph-checkpoint")


class State(TypedDict):
    """The state of a run."""

    steps: list[str]
    results: Annotated[list[int], operator.add]
    issues: list[str]
    completeness: float
    passes: int
    answer: str


class Work(TypedDict):
    """What one step gets."""

    step: str


def make(model: Model, checkpoints: str = "") -> Callable[[], Awaitable[str]]:
    """One run of the loop, with the in-memory checkpointer if there are to be ``checkpoints``."""
    graph = built(Nodes(model)).compile(checkpointer=InMemorySaver() if checkpoints else None)
    threads = count()

    async def run() -> str:
        config = {"configurable": {"thread_id": str(next(threads))}, "recursion_limit": 100}
        state = await graph.ainvoke({"results": [], "passes": 0}, config)
        return str(state["answer"])

    return run


def built(nodes: Nodes) -> StateGraph[Any]:
    """The graph of the loop."""
    graph = StateGraph(State)
    for node in ("plan", "check", "execute", "validate", "assess", "refine", "synthesize"):
        graph.add_node(node, getattr(nodes, node))
    graph.add_edge(START, "plan")
    graph.add_edge("plan", "check")
    graph.add_conditional_edges("check", _fan_out, ["execute"])
    graph.add_edge("execute", "validate")
    graph.add_edge("validate", "assess")
    graph.add_conditional_edges("assess", _decide)
    graph.add_conditional_edges("refine", _fan_out, ["execute"])
    graph.add_edge("synthesize", END)
    return graph


class Nodes:
    """The nodes: each asks the model once and returns what it changes."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def plan(self, state: State) -> dict[str, Any]:
        """The first steps."""
        return {"steps": await self._model.plan()}

    async def check(self, state: State) -> dict[str, Any]:
        """What is wrong with the plan."""
        return {"issues": await self._model.check(state["steps"])}

    async def execute(self, work: Work) -> dict[str, Any]:
        """The result of one step."""
        return {"results": [await self._model.execute(work["step"])]}

    async def validate(self, state: State) -> dict[str, Any]:
        """What is wrong with the results."""
        return {"issues": await self._model.validate(state["results"]), "passes": state["passes"] + 1}

    async def assess(self, state: State) -> dict[str, Any]:
        """How complete they are."""
        return {"completeness": await self._model.assess(state["results"], state["issues"])}

    async def refine(self, state: State) -> dict[str, Any]:
        """The steps that come next."""
        return {"steps": await self._model.refine(len(state["results"]))}

    async def synthesize(self, state: State) -> dict[str, Any]:
        """The answer."""
        return {"answer": await self._model.synthesize(state["results"])}


def _fan_out(state: State) -> list[Send]:
    return [Send("execute", {"step": step}) for step in state["steps"]]


def _decide(state: State) -> Literal["refine", "synthesize"]:
    return "synthesize" if enough(state["passes"], state["completeness"]) else "refine"
