"""A choice between two values, for a program that compares."""

from __future__ import annotations

from pydantic import JsonValue

from aeon.errors import ToolArgumentError
from aeon.tools.tool import Tool, tool

__all__ = ["CHOOSE", "choose"]

CHOOSE = "choose"


def choose() -> Tool:
    """Return the tool ``choose``, which no prompt names: programs say it with ``a if x > y else b``."""

    @tool(name=CHOOSE, side_effects=False, parallel_safe=True, offered=False)
    def chosen(condition: JsonValue, yes: JsonValue, no: JsonValue) -> JsonValue:
        """One value where a condition holds, else another.

        Args:
            condition: true or false
            yes: the value where it holds
            no: the value where it does not
        """
        if not isinstance(condition, bool):
            raise ToolArgumentError("choose: the condition is neither true nor false")
        return yes if condition else no

    return chosen
