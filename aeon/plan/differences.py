"""Differences that have no sign: how far apart two values are."""

from __future__ import annotations

import ast
import re

from aeon.plan.reader import CALCULATOR
from aeon.schema import JsonValue, Plan, Step, ToolCall

__all__ = ["without_sign"]

_APART = re.compile(r"\b(?:difference|apart|(?:lie|days|hours|minutes|years) between)\b", re.IGNORECASE)


def without_sign(plan: Plan, question: str) -> Plan:
    """The plan with the amounts of the differences that its answer gives, where the question asks how far apart."""
    if not _APART.search(question):
        return plan
    return plan.changed(steps=tuple(_amount(step) if step.id in plan.answer else step for step in plan.steps))


def _amount(step: Step) -> Step:
    action = step.action
    if not isinstance(action, ToolCall) or action.tool != CALCULATOR:
        return step
    expression = str((action.arguments or {}).get("expression", ""))
    match ast.parse(re.sub(r"\$(\w+)", r"\1", expression), mode="eval").body:
        case ast.BinOp(op=ast.Sub()):
            arguments: dict[str, JsonValue] = {"expression": f"abs({expression})"}
            return step.changed(action=action.changed(arguments=arguments))
        case _:
            return step
