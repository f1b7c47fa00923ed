"""Plans and changes in a model's words, and a planner on a scripted model."""

from __future__ import annotations

import json
from collections.abc import Sequence

from aeon.llm.scripted import Reply, Scripted
from aeon.plan.recursive import RecursivePlanner
from aeon.schema import Capabilities, LLMRequest, Task
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import Tool, ToolRegistry, tool
from aeon.tools.calculator import calculator

TASK = Task(text="What does the bakery take in?")
ENFORCING = Capabilities(json_schema=True, json_mode=True)


@tool(side_effects=False)
def lookup(place: str, limit: int = 3) -> str:
    """Look something up."""
    return place * limit


@tool(late_arguments=True, side_effects=False)
def note(text: str) -> str:
    """Keep a note."""
    return text


TOOLS = (calculator(), lookup, note)


def sums(expression: str, goal: str = "a total") -> dict[str, object]:
    """A calculator step in a model's words."""
    return {"goal": goal, "tool": "calculator", "expression": expression}


def thought(goal: str = "weigh it up") -> dict[str, object]:
    """A reasoning step in a model's words."""
    return {"goal": goal, "tool": "none"}


def written(*steps: dict[str, object]) -> str:
    """A plan in a model's words."""
    return json.dumps({f"s{n}": step for n, step in enumerate(steps, 1)})


def planner(
    replies: Sequence[Reply], can: Capabilities = ENFORCING, tools: Sequence[Tool] = TOOLS
) -> tuple[RecursivePlanner, Scripted]:
    """A planner of steps and its model."""
    model, registry = Scripted(replies, can), ToolRegistry(tools)
    briefing = Briefing(registry.describe())
    return RecursivePlanner(Supervisor(model), briefing, registry, thorough=True), model


def prompt(request: LLMRequest) -> str:
    """The user's part of a request."""
    return request.messages[-1].content
