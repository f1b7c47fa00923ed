"""What a program says with Python's ``datetime``, said with the tools for dates.

A small model writes ``datetime`` although the prompt asks for tools. Both mean the same, but only tools make a plan.
"""

from __future__ import annotations

import ast
from datetime import datetime

__all__ = ["with_tools"]


def with_tools(program: ast.Module) -> ast.Module:
    """The program with dates as texts, and ``weekday``, ``add_days`` and ``days_between`` for what is done to them.

    Read are dates of three whole numbers, ``strptime``, ``timedelta`` of days, sums and differences of these, and the
    name of a weekday. The rest stays as it is.
    """
    changed: ast.Module = _Dates().visit(program)
    return changed


class _Dates(ast.NodeTransformer):
    """Goes through the statements in order; ``spans`` holds the days of each ``timedelta`` that has a name."""

    def __init__(self) -> None:
        self._spans: dict[str, ast.expr] = {}

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        self.generic_visit(node)
        days = self._days(node.value)
        match node.targets:
            case [ast.Name(id=name)] if days is not None:
                self._spans[name] = days
                return None
            case [ast.Name(id=name)]:
                self._spans.pop(name, None)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(
                func=ast.Name(id="date" | "datetime") | ast.Attribute(attr="date" | "datetime"),
                args=[ast.Constant(value=int(year)), ast.Constant(value=int(month)), ast.Constant(value=int(day))],
                keywords=[],
            ):
                return ast.Constant(f"{year:04}-{month:02}-{day:02}")
            case ast.Call(
                func=ast.Attribute(attr="strptime"),
                args=[ast.Constant(value=str(text)), ast.Constant(value=str(form))],
                keywords=[],
            ):
                return ast.Constant(_by_form(text, form))
            case ast.Call(func=ast.Attribute(attr="strptime"), args=[written, ast.Constant()], keywords=[]):
                return written
            case ast.Call(func=ast.Attribute(value=when, attr="date"), args=[], keywords=[]):
                return when
            case ast.Call(func=ast.Attribute(value=when, attr="strftime"), args=[ast.Constant(value="%Y-%m-%d")]):
                return when
            case ast.Call(func=ast.Attribute(value=when, attr="strftime"), args=[ast.Constant(value="%A")]):
                return _call("weekday", when)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        days = self._days(node.right)
        if days is None or not isinstance(node.op, ast.Add | ast.Sub):
            return node
        return _call("add_days", node.left, days if isinstance(node.op, ast.Add) else ast.UnaryOp(ast.USub(), days))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Attribute(value=ast.BinOp(left=last, op=ast.Sub(), right=first), attr="days"):
                return _call("days_between", first, last)
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        match node.format_spec:
            case ast.JoinedStr(values=[ast.Constant(value="%A")]):
                return ast.FormattedValue(_call("weekday", node.value), node.conversion)
        return node

    def _days(self, value: ast.expr) -> ast.expr | None:
        """The days of a ``timedelta``, written out or by its name."""
        match value:
            case ast.Name(id=name):
                return self._spans.get(name)
            case ast.Call(func=ast.Name(id="timedelta") | ast.Attribute(attr="timedelta"), args=[days], keywords=[]):
                return days
            case ast.Call(
                func=ast.Name(id="timedelta") | ast.Attribute(attr="timedelta"),
                args=[],
                keywords=[ast.keyword(arg="days", value=days)],
            ):
                return days
        return None


def _by_form(text: str, form: str) -> str:
    """A date as its format reads it; as it is where it has another."""
    try:
        return datetime.strptime(text, form).date().isoformat()
    except ValueError:
        return text


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name), list(args), [])
