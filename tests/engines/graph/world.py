"""A world for graph and loop runs: it answers each of their effects from a table."""

from __future__ import annotations

from typing import Any

import kernel.world as kernel
from kernel.world import Said

from aeon.engines.graph.config import GraphConfig, WorkConfig
from aeon.engines.graph.program import GRAPH
from aeon.engines.graph.record import Worked
from aeon.engines.graph.values import Choice, Classified, Complexity, Reflection
from aeon.engines.loop.program import LOOP
from aeon.multipass.effects import ExecuteStep
from aeon.schema import Failure, Plan, Step, StepResult, ToolLoop, ToolUse, Usage
from aeon.schema.effects import Effect
from aeon.schema.experience import Lessons, Noted

__all__ = ["BROKEN", "ONE_TOOL_CALL", "World", "call", "executed", "planned", "tool_result", "way"]

BROKEN = Failure(kind="tool", message="no such table")
ONE_TOOL_CALL = Usage(calls=1, prompt_tokens=90, generated_tokens=10, tool_calls=1, cost=0.01)


def call(step_id: str, query: str, *dependencies: str) -> Step:
    """A step that queries the tables."""
    return Step(id=step_id, description=f"ask {query}", action=ToolLoop(), dependencies=dependencies)


def planned(*steps: Step) -> Plan:
    """A plan whose last step gives the answer."""
    return Plan(steps=steps, answer=(steps[-1].id,))


def tool_result(output: Any, query: str = "") -> StepResult:
    """What a tool gave."""
    use = ToolUse(id="s1.1", tool="sql", arguments={"query": query}, output=output)
    return StepResult(output=output, mode="program", uses=(use,))


def executed(effect: Effect, n: int) -> Any:
    """A query that names ``bad`` fails, any other gives its text."""
    assert isinstance(effect, ExecuteStep)
    query = effect.step.description.removeprefix("ask ")
    return BROKEN if "bad" in query else tool_result(f"out of {query}", query)


class World(kernel.World):
    """Runs the graph or the loop; the task is of this complexity, and each plan is one query unless others are given.

    ``plans`` are the plans in the order in which they are asked for; the last one is given again.
    """

    def __init__(self, *plans: Plan, complexity: Complexity = "MODERATE", **replies: Said) -> None:
        every = plans or (planned(call("s1", "q")),)
        usual: dict[str, Said] = {
            "classify": Classified(complexity=complexity),
            "plan": lambda effect, n: every[min(n, len(every) - 1)],
            "execute": executed,
            "recall": Lessons(),
            "choose_look": Choice(),
            "look": tool_result("[]"),
            "reflect": Reflection(cause="the table has another name", advice="ask the other table"),
            "note_lesson": Noted(id="run-1"),
        }
        super().__init__(cost=ONE_TOOL_CALL, **(usual | replies))

    def graph(self, task: str = "How much is it?", **settings: Any) -> Worked:
        """Run a task on the graph."""
        return self.run_on(GRAPH, GraphConfig(**settings), task)

    def loop(self, task: str = "How much is it?", **settings: Any) -> Worked:
        """Run a task on the loop."""
        return self.run_on(LOOP, WorkConfig(**settings), task)


def way(result: Worked) -> list[str]:
    """The nodes that a run was at."""
    return [one.node for one in result.path]
