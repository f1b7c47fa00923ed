"""A plan read out of a short program: every calculation is a step, and what is printed is the answer.

Nothing of the program is executed. It is read as a tree, and what is no arithmetic and no call of a tool is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from decimal import Decimal

from aeon.errors import AeonError
from aeon.plan.datetimes import with_tools
from aeon.schema import JsonObject, JsonValue, Step, ToolCall
from aeon.tools.calculator import evaluate
from aeon.tools.functions import FUNCTIONS
from aeon.tools.references import REFERENCE, references
from aeon.tools.registry import ToolRegistry

__all__ = ["CALCULATOR", "leaves_out", "numbers", "planned"]

CALCULATOR = "calculator"
_FENCED = re.compile(r"```(?:[a-z]*\n)?(.*?)(?:```|$)", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_LONGEST = 6_000
_LONGEST_GOAL = 160
_MOST_CALLS = 24
_OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


class _UnfitError(Exception):
    """The program does something that no step can do."""


def numbers(text: str) -> frozenset[Decimal]:
    """The numbers that are written with digits in a text."""
    return frozenset(Decimal(digits.replace(",", "")) for digits in _NUMBER.findall(text))


def planned(text: str, figures: frozenset[Decimal], most: int, tools: ToolRegistry) -> tuple[Step, ...]:
    """The steps that lead to what the program in ``text`` prints, or its last line gives, at most ``most`` of them.

    None at all where that is nothing that is computed, where it computes with none of the task's ``figures``, or does
    what neither the calculator nor another tool can do: then it is no plan.
    """
    fenced = _FENCED.search(text)
    code = fenced[1] if fenced else text
    reader = _Reader(tools)
    try:
        for statement in with_tools(ast.parse(code[:_LONGEST])).body:
            reader.read(statement)
        steps = _renumber(reader.steps, reader.printed or reader.last)
    except (_UnfitError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    grounded = figures & numbers(" ".join(str(step.action) for step in steps))
    return steps if grounded and len(steps) <= most and all(_runs(step, tools) for step in steps) else ()


def leaves_out(steps: Sequence[Step], figures: frozenset[Decimal]) -> bool:
    """Whether steps that are nothing but formulas do without one of the task's ``figures``.

    19 is there as 0.19, 1.19 or 0.81 too: it may have been per cent.
    """
    actions = [step.action for step in steps]
    formulas = [action for action in actions if isinstance(action, ToolCall) and action.tool == CALCULATOR]
    used = numbers(" ".join(str(formula.arguments) for formula in formulas))
    return len(formulas) == len(steps) and not all({n, n / 100, 1 + n / 100, 1 - n / 100} & used for n in figures)


class _Reader:
    """Goes through the statements in order; ``steps`` holds goal, tool and arguments, ``printed`` ids of results.

    ``last`` is what the last line gives that is a mere expression.
    """

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools
        self._variables: dict[str, ast.expr] = {}
        self._functions: dict[str, ast.FunctionDef] = {}
        self._calls_left = _MOST_CALLS
        self.steps: list[tuple[str, str, JsonObject]] = []
        self.printed: list[str] = []
        self.last: list[str] = []

    def read(self, statement: ast.stmt) -> None:
        """Take one statement in."""
        match statement:
            case ast.Import() | ast.ImportFrom():
                pass
            case ast.FunctionDef(name=name) if name in self._tools.names or name in FUNCTIONS:
                pass  # what is called is the tool, or the calculator's function
            case ast.FunctionDef(name=name, decorator_list=[]):
                self._functions[name] = statement
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._variables[name.casefold()] = self._result(value, name)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                whole = ast.BinOp(ast.Name(name), op, value)
                self._variables[name.casefold()] = self._result(whole, name)
            case ast.Expr(value=value):
                self._expression(value)
            case _:
                raise _UnfitError

    def _expression(self, value: ast.expr) -> None:
        """A line that assigns nothing: it prints, is a comment in quotes, or gives what may be the result."""
        match value:
            case ast.Call(func=ast.Name(id="print"), args=arguments):
                self._print(arguments)
            case ast.Call(func=ast.Name(id=name)) if name in self._functions:
                self._call_own(value, name)
            case ast.Constant(value=str()):
                pass
            case _:
                self.last = [*references(ast.unparse(self._result(value, "answer")))]

    def _print(self, arguments: Sequence[ast.expr]) -> None:
        """Take the printed values as the results. Refuse a print of nothing but text: it belongs to no calculation."""
        results: list[str] = []
        for argument in arguments:
            for part in argument.values if isinstance(argument, ast.JoinedStr) else [argument]:
                value = part.value if isinstance(part, ast.FormattedValue) else part
                if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
                    results += references(ast.unparse(self._result(value, "answer")))
        if not results:
            raise _UnfitError
        self.printed += results

    def _result(self, value: ast.expr, name: str) -> ast.expr:
        """A number, or the reference to the step that gives the value."""
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value
        if isinstance(value, ast.List | ast.Tuple):
            return ast.List([self._result(item, name) for item in value.elts])
        if (called := self._tool(value)) is not None:
            return self._step(name, called, self._arguments(value, called))
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in self._functions:
            return self._value_of(value, value.func.id)
        formula = self._formula(value)
        if isinstance(formula, ast.Name | ast.Constant | ast.UnaryOp):  # a number, or a result as it is
            return formula
        return self._step(name, CALCULATOR, {"expression": ast.unparse(formula)})

    def _step(self, name: str, tool: str, arguments: JsonObject) -> ast.expr:
        goal = " ".join(name.replace("_", " ").split())[:_LONGEST_GOAL]
        self.steps.append((goal, tool, arguments))
        return ast.Name(f"$s{len(self.steps)}")

    def _formula(self, value: ast.expr) -> ast.expr:
        """The expression in terms of numbers and of results of earlier steps."""
        match value:
            case ast.Call(func=ast.Name(id=name)) if self._tool(value) is not None:
                return self._result(value, name)
            case ast.Call(func=ast.Name(id=name)) if name in self._functions:
                return _scalar(self._value_of(value, name))
            case ast.Constant(value=int() | float()) if not isinstance(value.value, bool):
                return value
            case ast.Name() | ast.Subscript():
                return _scalar(self._variable(value))
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATIONS):
                return ast.BinOp(self._formula(left), op, self._formula(right))
            case ast.UnaryOp(op=ast.USub() as op, operand=operand):
                return ast.UnaryOp(op, self._formula(operand))
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=[]):
                return self._call(name, args)
            case _:
                raise _UnfitError

    def _value_of(self, call: ast.Call, name: str) -> ast.expr:
        """Return the value of a call of one of the program's own functions."""
        value = self._call_own(call, name)
        if value is None:
            raise _UnfitError
        return value

    def _call_own(self, call: ast.Call, name: str) -> ast.expr | None:
        """Return the value of a call of one of the program's own functions, if any: read its statements in its place.

        Inside of it the function itself is unknown, and the calls are counted: neither recursion nor functions that
        call each other over and over lead anywhere.
        """
        self._calls_left -= 1
        function = self._functions[name]
        names = [parameter.arg for parameter in function.args.args]
        arguments = {key.casefold(): self._result(value, key) for key, value in _by_name(call, names).items()}
        if self._calls_left < 0 or set(arguments) != {key.casefold() for key in names}:
            raise _UnfitError
        variables, functions = self._variables, self._functions
        self._variables = {**variables, **arguments}
        self._functions = {key: value for key, value in functions.items() if key != name}
        value = self._return_value(function)
        self._variables, self._functions = variables, functions
        return value

    def _return_value(self, function: ast.FunctionDef) -> ast.expr | None:
        for statement in function.body:
            if isinstance(statement, ast.Return):
                return None if statement.value is None else self._result(statement.value, function.name)
            self.read(statement)
        return None

    def _variable(self, value: ast.expr) -> ast.expr:
        match value:
            case ast.Name(id=name) if name.casefold() in self._variables:
                return self._variables[name.casefold()]
            case ast.Subscript(value=ast.Name() as name, slice=ast.Constant(value=int(at))):
                listed = self._variable(name)
                if isinstance(listed, ast.List) and at < len(listed.elts):
                    return listed.elts[at]
        raise _UnfitError

    def _call(self, name: str, args: Sequence[ast.expr]) -> ast.expr:
        if name in ("int", "float") and len(args) == 1:
            inner = self._formula(args[0])
            return inner if name == "float" or isinstance(inner, ast.Constant) else _truncate(inner)
        if name not in FUNCTIONS:
            raise _UnfitError
        return ast.Call(ast.Name(name), [self._formula(argument) for argument in self._spread(args)], [])

    def _spread(self, args: Sequence[ast.expr]) -> Sequence[ast.expr]:
        """The arguments one by one, where they are given as a list, by its name, or with a star."""
        match args:
            case [ast.List(elts=listed) | ast.Tuple(elts=listed)]:
                return listed
            case [ast.Starred(value=ast.Name(id=name))] | [ast.Name(id=name)]:
                value = self._variables.get(name.casefold())
                return value.elts if isinstance(value, ast.List) else args
            case _:
                return args

    def _tool(self, value: ast.expr) -> str | None:
        """The tool that a call names, but for the calculator, whose formulas are written out."""
        match value:
            case ast.Call(func=ast.Name(id=name)) if name in self._tools.names and name != CALCULATOR:
                return name
            case _:
                return None

    def _arguments(self, call: ast.expr, tool: str) -> JsonObject:
        """The arguments by their names: numbers, texts and lists as they are, what is computed as a reference."""
        properties = self._tools.get(tool).parameters.get("properties")
        if not isinstance(call, ast.Call) or not isinstance(properties, dict) or not properties:
            raise _UnfitError
        first, schema = next(iter(properties.items()))
        if isinstance(schema, dict) and schema.get("type") == "array" and not call.keywords:
            return {first: [self._argument(argument, first) for argument in self._spread(call.args)]}
        return {name: self._argument(argument, name) for name, argument in _by_name(call, list(properties)).items()}

    def _argument(self, value: ast.expr, name: str) -> JsonValue:
        if isinstance(value, ast.Name | ast.Subscript):
            value = self._variable(value)
        elif not isinstance(value, ast.Constant):
            value = self._result(value, name)
        match value:
            case ast.List(elts=listed):
                return [self._plain(item) for item in listed]
            case _:
                return self._plain(value)

    def _plain(self, value: ast.expr) -> JsonValue:
        """A number, a text, or a reference to a result."""
        match value:
            case ast.Constant(value=str() | int() | float() as constant):
                return constant
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as constant)):
                return -constant
            case ast.Name(id=name):
                return name
            case _:
                raise _UnfitError


def _by_name(call: ast.Call, names: Sequence[str]) -> dict[str, ast.expr]:
    """The arguments of a call by their names, those without a name in the order of the tool's own."""
    arguments = dict(zip(names, call.args, strict=False))
    arguments |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if len(arguments) != len(call.args) + len(call.keywords):
        raise _UnfitError
    return arguments


def _scalar(value: ast.expr) -> ast.expr:
    """Return the number or the reference. Refuse a list and a text."""
    if isinstance(value, ast.List) or (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        raise _UnfitError
    return value


def _truncate(value: ast.expr) -> ast.expr:
    """The value without its decimals, rounded towards zero as Python's ``int`` does."""
    down, up = (ast.Call(ast.Name(name), [value], []) for name in ("floor", "ceil"))
    above, below = (ast.Call(ast.Name(n), [ast.Constant(0), whole], []) for n, whole in (("max", down), ("min", up)))
    return ast.BinOp(above, ast.Add(), below)


def _renumber(steps: Sequence[tuple[str, str, JsonObject]], printed: Sequence[str]) -> tuple[Step, ...]:
    """The steps that what is printed rests on, numbered anew without gaps."""
    by_id = {f"s{number}": step for number, step in enumerate(steps, 1)}
    needs: set[str] = set(printed)
    for step_id in reversed(by_id):
        if step_id in needs:
            needs.update(references(by_id[step_id][2]))
    ids = {old: f"s{number}" for number, old in enumerate((step_id for step_id in by_id if step_id in needs), 1)}
    return tuple(_step_of(ids, old, *by_id[old]) for old in ids)


def _step_of(ids: dict[str, str], old: str, goal: str, tool: str, arguments: JsonObject) -> Step:
    own: JsonObject = {name: _with(value, ids) for name, value in arguments.items()}
    action = ToolCall(tool=tool, arguments=own)
    return Step(id=ids[old], description=goal, action=action, dependencies=references(own), provides=(ids[old],))


def _with(value: JsonValue, ids: dict[str, str]) -> JsonValue:
    if isinstance(value, list):
        return [_with(item, ids) for item in value]
    return REFERENCE.sub(lambda match: f"${ids[match[1]]}", value) if isinstance(value, str) else value


def _runs(step: Step, tools: ToolRegistry) -> bool:
    """Whether the tool takes the arguments; of a formula, as far as it does not hang on earlier results."""
    action = step.action
    if not isinstance(action, ToolCall) or tools.check(action.tool, action.arguments, references=True):
        return False
    if action.tool != CALCULATOR or step.dependencies or action.arguments is None:
        return True
    try:
        evaluate(str(action.arguments["expression"]))
    except AeonError:
        return False
    return True
