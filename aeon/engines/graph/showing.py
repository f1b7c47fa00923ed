"""Plans and looks as prompts show them: data in fences."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.engines.graph.values import Looked
from aeon.schema import Plan, Step
from aeon.supervisor.prompt import cut, fence

__all__ = ["fenced_failure", "fenced_plan", "seen"]

_LONGEST_PLAN = 2_000
_LONGEST_FAILURE = 800
_LONGEST_LOOK = 700
_LONGEST_OUTPUT = 200


def fenced_plan(plan: Plan) -> str:
    """The plan, a line for each step with what came of it."""
    return fence("plan", "\n".join(map(_line, plan.steps)) or "(no plan)", _LONGEST_PLAN)


def _line(step: Step) -> str:
    gave = f" = {cut(str(step.output), _LONGEST_OUTPUT)}" if step.output is not None else ""
    return f"{step.id} [{step.status}] {cut(step.description, _LONGEST_OUTPUT)}{gave}"


def fenced_failure(text: str) -> str:
    """What tools or models said of a failure."""
    return fence("failure", text, _LONGEST_FAILURE)


def seen(looks: Sequence[Looked]) -> str:
    """The looks that were taken and what they showed, in a fence; "" without any."""
    if not looks:
        return ""
    told = [f"{one.look.action} {one.look.argument}: {cut(one.showed or one.problem, _LONGEST_LOOK)}" for one in looks]
    return "Seen so far:\n" + fence("looks", "\n".join(told), _LONGEST_LOOK * len(told) + 500)
