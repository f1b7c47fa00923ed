"""Reading a program as a tree: which calls its statements are, and what it prints.

Nothing of the program is executed. What is no arithmetic, no call of a tool and no choice of two values is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from aeon.programs.calls import Text
from aeon.programs.constants import is_day_or_time, is_label
from aeon.programs.expressions import by_name, formatted, is_number, is_reference, scalar, short, truncate
from aeon.programs.quotes import Quotes, UnfitError, UnstatedError, place_of
from aeon.proof.functions import FUNCTIONS
from aeon.schema import JsonObject, JsonValue
from aeon.schema.turns import Call
from aeon.tools.choose import CHOOSE
from aeon.tools.dates import is_date
from aeon.tools.quote import QUOTE
from aeon.tools.references import references
from aeon.tools.registry import ToolRegistry

__all__ = ["CALCULATOR", "WRITE", "ProgramReader"]

CALCULATOR = "calculator"
WRITE = "write"
"""The function of a program that has the model write a text."""

_MOST_CALLS = 24
_OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_DAYS_BETWEEN = "days_between"


class ProgramReader:
    """Goes through the statements in order; ``made`` are the calls, ``printed`` ids of results.

    ``last`` is what the last line gives that is a mere expression, or cites a sentence. What the program copies from a
    sentence becomes a call that quotes it.
    """

    def __init__(self, tools: ToolRegistry, quotes: Quotes) -> None:
        self._tools = tools
        self._quotes = quotes
        self._variables: dict[str, ast.expr] = {}
        self._functions: dict[str, ast.FunctionDef] = {}
        self._calls_left = _MOST_CALLS
        self.made: list[Call | Text] = []
        self.printed: list[str] = []
        self.last: list[str] = []

    def read(self, statement: ast.stmt) -> None:
        """Take one statement in."""
        match statement:
            case ast.Import() | ast.ImportFrom():
                pass
            case ast.FunctionDef(name=name) if name == WRITE or (name in self._tools.names and name != CALCULATOR):
                pass  # what is called is the function that there is
            case ast.FunctionDef(name=name, decorator_list=[]):
                self._functions[name] = statement
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assign(name, value)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                whole = ast.BinOp(ast.Name(name), op, value)
                self._variables[name] = self._result(whole)
            case ast.Expr(value=value):
                self._expression(value)
            case _:
                raise UnfitError

    def _assign(self, name: str, value: ast.expr) -> None:
        """Give a name its value, which may be the result where nothing is printed after it and its line cites."""
        given = self._variables[name] = self._result(value)
        if self._quotes.cites(value):
            self.last = [*references(ast.unparse(given))]

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
                self.last = [*references(ast.unparse(self._result(value)))]

    def _print(self, arguments: Sequence[ast.expr]) -> None:
        """Take the printed values as the results. Refuse a print of nothing but text: it belongs to no calculation."""
        results = [found for argument in arguments for found in self._printed(argument)]
        if not any(isinstance(one, str) for one in results):
            raise UnfitError
        for one in results:  # a number beside a result is printed as well
            self.printed += [one] if isinstance(one, str) else references(ast.unparse(self._computed(one)))

    def _printed(self, argument: ast.expr) -> Iterator[str | ast.expr]:
        """The ids of the results in what is printed, and its numbers; a text counts only where it can be quoted."""
        parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
        labelled = any(isinstance(part, ast.FormattedValue) for part in parts)
        for part in parts:
            value = formatted(part) if isinstance(part, ast.FormattedValue) else part
            if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
                yield from self._given(value)
            elif self._quotes.there and not labelled and not is_label(value):
                yield from references(ast.unparse(self._quoted(value, printed=True)))

    def _given(self, value: ast.expr) -> Sequence[str | ast.expr]:
        """The ids of the results that a value is, or the number that it is as it stands."""
        result = self._result(value)
        return references(ast.unparse(result)) or ([result] if is_number(result) else [])

    def _result(self, value: ast.expr) -> ast.expr:
        """A number, or the reference to the call that gives the value."""
        match value:
            case ast.Constant(value=str()):
                return self._quoted(value)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return ast.List([self._result(item) for item in items])
            case ast.Name(id=listed) if isinstance(self._variables.get(listed), ast.List):
                return self._variables[listed]
            case ast.IfExp(test=test, body=body, orelse=other):
                return self._choice(test, body, other)
            case ast.JoinedStr():
                return ast.Constant(self._text(value))
            case ast.Call(func=ast.Name(id=called)):
                return self._called(value, called)
            case _:
                return self._calculated(value)

    def _called(self, value: ast.Call, called: str) -> ast.expr:
        """What a call of a tool gives, of a function of the program's own, or of one of the calculator's."""
        own = called in self._functions
        if not own and called in ("str", WRITE) and len(value.args) == 1 and not value.keywords:
            return self._result(value.args[0]) if called == "str" else self._written(self._text(value.args[0]))
        if (tool := self._tool(value)) is not None:
            return self._made(tool, self._arguments(value, tool))
        return self._value_of(value, called) if own else self._calculated(value)

    def _calculated(self, value: ast.expr) -> ast.expr:
        formula = self._formula(value)
        if isinstance(formula, ast.Name | ast.Constant | ast.UnaryOp):  # a number, or a result as it is
            return formula
        return self._computed(formula)

    def _written(self, task: str) -> ast.expr:
        if not task.strip():
            raise UnfitError
        return self._added(Text(self._next, task))

    def _quoted(self, value: ast.Constant, printed: bool = False) -> ast.expr:
        """The constant, or the reference to the call that quotes it."""
        read = self._quotes.reading(value) if printed else None
        source = read or self._quotes.source(value, printed)
        if source is None or not isinstance(value.value, str | int | float):
            return value
        return self._made(QUOTE, place_of(value.value if read is None else source.text, source))

    def _computed(self, formula: ast.expr) -> ast.expr:
        return self._made(CALCULATOR, {"expression": ast.unparse(formula)})

    def _made(self, tool: str, arguments: JsonObject) -> ast.expr:
        """The reference to what a call gives that is made behind the others."""
        return self._added(Call(id=self._next, tool=tool, arguments=arguments))

    @property
    def _next(self) -> str:
        return f"s{len(self.made) + 1}"

    def _added(self, one: Call | Text) -> ast.expr:
        self.made.append(one)
        return ast.Name(f"${one.id}")

    def _choice(self, test: ast.expr, body: ast.expr, other: ast.expr) -> ast.expr:
        """One of two values, by a comparison of numbers."""
        if not isinstance(test, ast.Compare) or not all(isinstance(op, _COMPARISONS) for op in test.ops):
            raise UnfitError
        sides = self._days(test) or [self._formula(side) for side in (test.left, *test.comparators)]
        compared = ast.Compare(sides[0], test.ops, sides[1:])
        yes, no = self._either(body), self._either(other)
        condition = self._plain(self._computed(compared))
        return self._made(CHOOSE, {"condition": condition, "yes": yes, "no": no})

    def _days(self, test: ast.Compare) -> list[ast.expr]:
        """The two sides of a comparison of days as numbers: nothing, and the days from the first to the second."""
        sides = [self._result(side) for side in (test.left, *test.comparators) if not isinstance(side, ast.BinOp)]
        if len(sides) != 2 or len(test.ops) != 1 or not all(map(self._is_day, sides)):
            return []
        first, last = map(self._plain, sides)
        return [ast.Constant(0), self._made(_DAYS_BETWEEN, {"first": first, "last": last})]

    def _is_day(self, value: ast.expr) -> bool:
        """Whether a value is a date, or the reference to a call that quotes one."""
        if isinstance(value, ast.Constant):
            return is_date(value.value)
        if not is_reference(value) or _DAYS_BETWEEN not in self._tools.names:
            return False
        made = self.made[int(ast.unparse(value).removeprefix("$s")) - 1]
        return isinstance(made, Call) and is_date(made.arguments.get("value"))

    def _either(self, value: ast.expr) -> JsonValue:
        """A value to choose; a text that stands in no sentence is the program's own name for what it found."""
        if not isinstance(value, ast.Constant):
            return self._argument(value)
        named = isinstance(value.value, str) and self._quotes.place(value) is None
        return self._plain(value if named else self._quoted(value))

    def _text(self, value: ast.expr) -> str:
        """A text with references in it, out of a text, an f-string or the name of one."""
        match value:
            case ast.Constant(value=str() as text):
                return text
            case ast.JoinedStr(values=parts):
                return short("".join(map(self._text, parts)))
            case ast.FormattedValue():
                return str(self._argument(formatted(value)))
            case ast.Name():
                return self._text(self._variable(value))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return short(self._text(left) + self._text(right))
            case _:
                raise UnfitError

    def _formula(self, value: ast.expr) -> ast.expr:
        """The expression in terms of numbers and of results of earlier steps."""
        match value:
            case ast.Call(func=ast.Name()) if self._tool(value) is not None:
                return self._result(value)
            case ast.Call(func=ast.Name(id=name)) if name in self._functions:
                return scalar(self._value_of(value, name))
            case ast.Constant(value=int() | float()) if not isinstance(value.value, bool):
                return self._quoted(value)
            case ast.Name() | ast.Subscript():
                return scalar(self._variable(value))
            case ast.BinOp(op=ast.Mod(), right=ast.UnaryOp()):
                raise UnfitError  # behind a sign of per cent the calculator takes it for a difference
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATIONS):
                return ast.BinOp(self._formula(left), op, self._formula(right))
            case ast.UnaryOp(op=ast.USub() as op, operand=operand):
                return ast.UnaryOp(op, self._formula(operand))
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=[]):
                return self._call(name, args)
            case _:
                raise UnfitError

    def _value_of(self, call: ast.Call, name: str) -> ast.expr:
        """Return the value of a call of one of the program's own functions."""
        value = self._call_own(call, name)
        if value is None:
            raise UnfitError
        return value

    def _call_own(self, call: ast.Call, name: str) -> ast.expr | None:
        """Return the value of a call of one of the program's own functions, if any: read its statements in its place.

        Inside of it the function itself is unknown, and the calls are counted: neither recursion nor functions that
        call each other over and over lead anywhere.
        """
        self._calls_left -= 1
        function = self._functions[name]
        names = [parameter.arg for parameter in function.args.args]
        arguments = {key: self._result(value) for key, value in by_name(call, names).items()}
        if self._calls_left < 0 or set(arguments) != {*names}:
            raise UnfitError
        variables, functions = self._variables, self._functions
        self._variables = {**variables, **arguments}
        self._functions = {key: value for key, value in functions.items() if key != name}
        value = self._return_value(function)
        self._variables, self._functions = variables, functions
        return value

    def _return_value(self, function: ast.FunctionDef) -> ast.expr | None:
        for statement in function.body:
            if isinstance(statement, ast.Return):
                return None if statement.value is None else self._result(statement.value)
            self.read(statement)
        return None

    def _variable(self, value: ast.expr) -> ast.expr:
        match value:
            case ast.Name(id=name) if name in self._variables:
                return self._variables[name]
            case ast.Subscript(value=ast.Name() as name, slice=ast.Constant(value=int(at))):
                listed = self._variable(name)
                if isinstance(listed, ast.List) and at < len(listed.elts):
                    return listed.elts[at]
        if isinstance(value, ast.Name):
            raise UnstatedError(f"{value.id} has no value: begin with {value.id} = and its number, # and its sentence")
        raise UnfitError

    def _call(self, name: str, args: Sequence[ast.expr]) -> ast.expr:
        if name in ("int", "float") and len(args) == 1:
            inner = self._formula(args[0])
            return inner if name == "float" or isinstance(inner, ast.Constant) else truncate(inner)
        if name not in FUNCTIONS:
            raise UnfitError
        return ast.Call(ast.Name(name), [self._formula(argument) for argument in self._spread(args)], [])

    def _spread(self, args: Sequence[ast.expr]) -> Sequence[ast.expr]:
        """The arguments one by one, where they are given as a list, by its name, or with a star."""
        match args:
            case [ast.List(elts=listed) | ast.Tuple(elts=listed)]:
                return listed
            case [ast.Starred(value=ast.Name(id=name))] | [ast.Name(id=name)]:
                value = self._variables.get(name)
                return value.elts if isinstance(value, ast.List) else args
            case _:
                return args

    def _tool(self, value: ast.expr) -> str | None:
        """The tool that a call names, but for the calculator, whose formulas are written out."""
        match value:
            case ast.Call(func=ast.Name(id=name)) if name not in self._functions:
                return name if name in self._tools.names and name != CALCULATOR else None
            case _:
                return None

    def _arguments(self, call: ast.expr, tool: str) -> JsonObject:
        """The arguments by their names: numbers, texts and lists as they are, what is computed as a reference."""
        properties = self._tools.get(tool).parameters.get("properties")
        properties = properties if isinstance(properties, dict) else {}
        if not isinstance(call, ast.Call):
            raise UnfitError
        first, schema = next(iter(properties.items()), ("", None))
        if isinstance(schema, dict) and schema.get("type") == "array" and not call.keywords:
            return {first: [self._argument(argument) for argument in self._spread(call.args)]}
        return {name: self._argument(argument) for name, argument in by_name(call, list(properties)).items()}

    def _argument(self, value: ast.expr) -> JsonValue:
        if isinstance(value, ast.Name | ast.Subscript) and not is_reference(value):
            value = self._variable(value)
        elif isinstance(value, ast.JoinedStr):
            return self._text(value)
        elif isinstance(value, ast.Constant) and is_day_or_time((value := self._dated(value)).value):
            value = self._quoted(value)
        elif not isinstance(value, ast.Constant):
            value = self._result(value)
        match value:
            case ast.List(elts=listed):
                return [self._plain(item) for item in listed]
            case _:
                return self._plain(value)

    def _dated(self, value: ast.Constant) -> ast.Constant:
        """The constant, a day with slashes as the sentences have it."""
        said = value.value
        return ast.copy_location(ast.Constant(self._quotes.day(said)), value) if isinstance(said, str) else value

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
                raise UnfitError
