"""The long run in LangGraph: its in-memory checkpointer stores every channel that changed, whole, at every step.

The state is as lean as it can be: the plan always has 50 steps, and outputs are kept by step, so that nothing in it
grows. With ``records`` it also holds a record of each pass, as Aeon's history does and as a list of messages would.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from lengthy import STEPS, alone, description, output, replaced, report

__all__ = ["checkpoints"]


RECORDS = "records" in sys.argv


def _merged(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    return {**old, **new}


class Step(TypedDict):
    """One step of the plan."""

    id: str
    description: str


class State(TypedDict):
    """The state of the run: ``pending`` are the ids of the steps to execute in this pass."""

    plan: list[Step]
    pending: list[str]
    outputs: Annotated[dict[str, str], _merged]
    issues: list[str]
    completeness: float
    passes: int
    most: int
    records: Annotated[list[dict[str, Any]], operator.add]
    answer: str


async def plan(state: State) -> dict[str, Any]:
    """The plan of 50 steps."""
    steps = [{"id": f"s{number}", "description": description(number, 0)} for number in range(STEPS)]
    return {"plan": steps, "pending": [step["id"] for step in steps]}


async def execute(step: Step) -> dict[str, Any]:
    """The result of a step."""
    return {"outputs": {step["id"]: output(step["description"])}}


async def validate(state: State) -> dict[str, Any]:
    """No issues."""
    return {"issues": [], "passes": state["passes"] + 1}


async def assess(state: State) -> dict[str, Any]:
    """Never enough."""
    return {"completeness": 0.5}


async def refine(state: State) -> dict[str, Any]:
    """One step in the place of another."""
    number, version = replaced(state["passes"])
    step: Step = {"id": f"s{number}", "description": description(number, version)}
    changed: dict[str, Any] = {"plan": [*state["plan"][:number], step, *state["plan"][number + 1 :]]}
    record = {"pass": state["passes"], "completeness": state["completeness"], "issues": state["issues"], "step": step}
    return changed | {"pending": [step["id"]], "records": [record] if RECORDS else []}


async def synthesize(state: State) -> dict[str, Any]:
    """How many parts there are."""
    return {"answer": f"{len(state['outputs'])} parts"}


def _fan_out(state: State) -> list[Send]:
    return [Send("execute", step) for step in state["plan"] if step["id"] in state["pending"]]


def _decide(state: State) -> Literal["refine", "synthesize"]:
    return "synthesize" if state["passes"] >= state["most"] else "refine"


def checkpoints(passes: int) -> InMemorySaver:
    """The checkpointer after a run of so many passes."""
    graph = StateGraph(State)
    for node in (plan, execute, validate, assess, refine, synthesize):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", _fan_out, ["execute"])
    graph.add_edge("execute", "validate")
    graph.add_edge("validate", "assess")
    graph.add_conditional_edges("assess", _decide)
    graph.add_conditional_edges("refine", _fan_out, ["execute"])
    graph.add_edge("synthesize", END)
    saver = InMemorySaver()
    config = {"configurable": {"thread_id": "1"}, "recursion_limit": 10 + 5 * passes}
    start = {"outputs": {}, "passes": 0, "most": passes, "records": []}
    end = alone(graph.compile(checkpointer=saver).ainvoke(start, config))
    if (end["passes"], end["answer"]) != (passes, f"{STEPS} parts"):
        raise AssertionError(f"{end['passes']} passes, {end['answer']}")
    return saver


def _bytes(held: object) -> Iterator[int]:
    """The sizes of all serialized values in the checkpointer's dictionaries."""
    if isinstance(held, bytes):
        yield len(held)
    elif isinstance(held, dict):
        for value in held.values():
            yield from _bytes(value)
    elif isinstance(held, tuple | list):
        for value in held:
            yield from _bytes(value)


if __name__ == "__main__":
    report(checkpoints, lambda saver: sum(_bytes([dict(saver.storage), dict(saver.writes), dict(saver.blobs)])))
