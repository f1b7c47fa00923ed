"""The little Python that the program baseline of the everyday benchmark interprets."""

from __future__ import annotations

import ast
import datetime
import operator
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from everyday_folder import said
from everyday_scoring import dates, numbers

__all__ = ["Failed", "Unstated", "constant", "interpret", "needed"]

Thing: TypeAlias = Any
"""What an expression can be: a number, a text, a day, a row, rows."""

Function = Callable[[str], Awaitable[object]]
OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: lambda a, b: float(a) ** float(b),
    ast.USub: operator.neg,
    ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
PURE: dict[str, Callable[..., Any]] = {
    "round": round, "min": min, "max": max, "abs": abs, "sum": sum, "len": len, "int": int, "float": float, "str": str,
}  # fmt: skip
FIGURES = ("round", "abs", "int", "float", "min", "max", "sum")


class Failed(Exception):
    """The program cannot be run: it uses what there is not, or its values do not fit."""


class Unstated(Exception):
    """The program calculates with a fact that is not stated."""


def constant(tree: ast.Module) -> bool:
    """Whether a program only gives a number that it holds itself."""
    nodes = list(ast.walk(tree))
    held = [node.value for node in nodes if isinstance(node, ast.Constant)]
    made = [node for node in nodes if isinstance(node, ast.BinOp) or _called(node) not in ("", "print", "round")]
    return bool(held) and not made and not any(isinstance(value, str) for value in held)


def _called(node: ast.AST) -> str:
    """The name of the function that is called here."""
    return (_name(node.func) or "?") if isinstance(node, ast.Call) else ""


def needed(tree: ast.Module) -> list[ast.stmt]:
    """The statements that lead to what is printed; without a print, to the last one."""
    printing = [one for one in tree.body if _prints(one)] or tree.body[-1:]
    wanted: set[str] = set()
    kept: list[ast.stmt] = []
    for one in reversed(tree.body):
        if one in printing or wanted & _names(one, ast.Store):
            kept.append(one)
            wanted |= _names(one, ast.Load)
    return kept[::-1]


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def _prints(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and _called(one.value) == "print"


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


async def interpret(body: list[ast.stmt], functions: Mapping[str, Function]) -> str:
    """What the program prints. Raises `Failed`, `Unstated` and what the functions raise."""
    run = _Run(functions)
    try:
        for one in body:
            await run.statement(one)
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise Failed(f"{type(error).__name__}: {error}") from error
    return "\n".join(run.printed) if run.printed else said(run.last)


class _Run:
    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions, self._names = functions, dict[str, Any]()
        self.printed, self.last = list[str](), None

    async def statement(self, one: ast.stmt) -> None:
        if isinstance(one, ast.Assign):
            self.last = await self.value(one.value)
            for target in one.targets:
                self._assign(target, self.last)
        elif isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
            self._names[one.target.id] = _apply(one.op, self._names[one.target.id], await self.value(one.value))
        elif isinstance(one, ast.Expr):
            self.last = await self.value(one.value)
        else:
            raise Failed(f"{type(one).__name__} is not known")

    def _assign(self, target: ast.expr, value: Thing) -> None:
        if isinstance(target, ast.Name):
            self._names[target.id] = value
        elif isinstance(target, ast.Tuple) and len(target.elts) == len(value):
            for part, one in zip(target.elts, value, strict=True):
                self._assign(part, one)
        else:
            raise Failed("this is not assigned to")

    async def value(self, node: ast.AST) -> Thing:
        """The value of an expression."""
        known = getattr(self, f"_{type(node).__name__.lower()}", None)
        if known is None:
            raise Failed(f"{type(node).__name__} is not known")
        return await known(node)

    async def _constant(self, node: ast.Constant) -> Thing:
        return node.value

    async def _name(self, node: ast.Name) -> Thing:
        if node.id not in self._names:
            raise Failed(f"{node.id} is not known")
        return self._names[node.id]

    async def _binop(self, node: ast.BinOp) -> Thing:
        return _apply(node.op, await self.value(node.left), await self.value(node.right))

    async def _unaryop(self, node: ast.UnaryOp) -> Thing:
        return OPERATORS[type(node.op)](await self.value(node.operand))

    async def _compare(self, node: ast.Compare) -> bool:
        left = await self.value(node.left)
        for one, other in zip(node.ops, node.comparators, strict=True):
            right = await self.value(other)
            if not _apply(one, left, right):
                return False
            left = right
        return True

    async def _boolop(self, node: ast.BoolOp) -> Thing:
        result: Any = None
        for one in node.values:
            result = await self.value(one)
            if bool(result) == isinstance(node.op, ast.Or):
                break
        return result

    async def _ifexp(self, node: ast.IfExp) -> Thing:
        return await self.value(node.body if await self.value(node.test) else node.orelse)

    async def _tuple(self, node: ast.Tuple | ast.List) -> list[Any]:
        return [await self.value(one) for one in node.elts]

    _list = _tuple

    async def _subscript(self, node: ast.Subscript) -> Thing:
        whole, at = await self.value(node.value), await self.value(node.slice)
        return whole[at] if isinstance(whole, list | tuple) or at else whole  # a single value is its own first part

    async def _joinedstr(self, node: ast.JoinedStr) -> str:
        return "".join([str(await self.value(one)) for one in node.values])

    async def _formattedvalue(self, node: ast.FormattedValue) -> str:
        value = await self.value(node.value)
        form = str(await self.value(node.format_spec)) if node.format_spec else ""
        return format(_figure(value), form) if form else said(value)

    async def _call(self, node: ast.Call) -> Thing:
        name, given = _name(node.func), [await self.value(one) for one in node.args]
        if name == "print":
            self.printed.append(" ".join(map(said, given)))
            return None
        if name in self._functions and len(given) == 1:
            return _plain(await self._functions[name](str(given[0])))
        if name not in PURE or node.keywords:
            raise Failed(f"{name or 'this call'} is not known")
        return PURE[name](*(map(_figure, given) if name in FIGURES else given))


def _plain(value: Thing) -> Thing:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return float(value) if isinstance(value, Decimal) else value


def _figure(value: Thing) -> Thing:
    """What to calculate with: of a text its day or its first number."""
    if isinstance(value, list | tuple):
        return [_figure(one) for one in value]
    if isinstance(value, str):
        return _read(value)
    if value is None:
        raise Unstated
    return value.date() if isinstance(value, datetime.datetime) else value


def _read(text: str) -> datetime.date | float:
    if "not stated" in text.casefold():
        raise Unstated
    days, rest = dates(text)
    for year, month, day in (way for ways in days for way in ways):
        if year:
            return datetime.date(year, month, day)
    for found in numbers(rest):
        return float(found.value)
    raise Failed(f"{text[:40]!r} is no number")


def _apply(op: ast.AST, left: Thing, right: Thing) -> Thing:
    equal = isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is | ast.IsNot)
    if equal or (isinstance(op, ast.Add) and isinstance(left, str) and isinstance(right, str)):
        return OPERATORS[type(op)](left, right)
    if isinstance(left, list | tuple) or isinstance(right, list | tuple):
        raise Failed("rows are no number")
    result = OPERATORS[type(op)](_figure(left), _figure(right))
    return result.days if isinstance(result, datetime.timedelta) else result
