"""Differences that have no sign: how far apart two values are."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from aeon.plan.reader import CALCULATOR
from aeon.schema import JsonValue, Plan, Step, ToolCall
from aeon.tools.dates import is_date, read_date
from aeon.tools.quote import QUOTE

__all__ = ["without_sign"]

_APART = re.compile(
    r"\b(?:difference|apart|(?:lie|days|hours|minutes|years) between|by how (?:much|many)|cheaper|dearer|"
    r"more expensive|(?:what|how much)\b[^.?!]*\b(?:cost|costs|price|fee|rent|pay|weigh))\b",
    re.IGNORECASE,
)
_DAYS = re.compile(r"\bdays\b", re.IGNORECASE)


def without_sign(plan: Plan, question: str) -> Plan:
    """The plan with the amounts of the differences that its answer gives, where the question asks how far apart.

    So it is where it asks for a price or a weight, which is never below nothing.

    Where it asks for days, these are counted from the earlier day to the later one.
    """
    amount = _amount if _APART.search(question) else _as_it_is
    days = _counted(plan) if _DAYS.search(question) else _as_it_is
    return plan.changed(steps=tuple(days(amount(step)) if step.id in plan.answer else step for step in plan.steps))


def _as_it_is(step: Step) -> Step:
    return step


def _counted(plan: Plan) -> Callable[[Step], Step]:
    """What counts the days of a step of the plan forwards, where both days are known."""
    calls = {f"${step.id}": step.action for step in plan.steps if isinstance(step.action, ToolCall)}
    quoted = {name: (call.arguments or {}).get("value") for name, call in calls.items() if call.tool == QUOTE}

    def forwards(step: Step) -> Step:
        action = step.action
        if not isinstance(action, ToolCall) or action.tool != "days_between" or action.arguments is None:
            return step
        ends = [action.arguments.get("first"), action.arguments.get("last")]
        days = [str(quoted.get(str(end), end)) for end in ends]
        if not all(map(is_date, days)) or read_date(days[0]) <= read_date(days[1]):
            return step
        return step.changed(action=action.changed(arguments={"first": ends[1], "last": ends[0]}))

    return forwards


def _amount(step: Step) -> Step:
    action = step.action
    if not isinstance(action, ToolCall) or action.tool != CALCULATOR:
        return step
    expression = str((action.arguments or {}).get("expression", ""))
    if not _is_difference(ast.parse(re.sub(r"\$(\w+)", r"\1", expression), mode="eval").body):
        return step
    arguments: dict[str, JsonValue] = {"expression": f"abs({expression})"}
    return step.changed(action=action.changed(arguments=arguments))


def _is_difference(node: ast.expr) -> bool:
    """Whether an expression is a difference, or so many times one."""
    match node:
        case ast.BinOp(op=ast.Sub()):
            return True
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return _is_difference(left) or _is_difference(right)
    return False
