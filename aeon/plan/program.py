"""A plan read out of a short program: every calculation is a step, and what is printed is the answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal

from aeon.errors import AeonError
from aeon.plan.datetimes import with_tools
from aeon.plan.evidence import Evidence, cited_lines
from aeon.plan.quotes import Quotes, UnfitError, UnstatedError
from aeon.plan.reader import CALCULATOR, ProgramReader
from aeon.schema import Action, JsonObject, JsonValue, Plan, Step, ToolCall, Writing
from aeon.tools.calculator import evaluate
from aeon.tools.references import REFERENCE, references
from aeon.tools.registry import ToolRegistry

__all__ = [
    "formulas_only",
    "is_code",
    "leaves_out",
    "mended",
    "misfits",
    "numbers",
    "planned",
    "read",
    "step_of",
    "unfenced",
    "with_values",
]

_FENCED = re.compile(r"```(?:[a-z]*\n)?(.*?)(?:```|$)", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_LONGEST = 6_000
_SPACED = re.compile(r"^([A-Za-z]\w*(?:[ &-]+\w+)+) = ", re.MULTILINE)
_GIVEN = re.compile(r"^[A-Za-z_]\w* = (?:-?\d[\d.]*|\"[^\"]*\"|'[^']*')(?: *#[ \d,]*)?$", re.MULTILINE)
_CALL = re.compile(r"\w\(|=")


def numbers(text: str) -> frozenset[Decimal]:
    """The numbers that are written with digits in a text."""
    return frozenset(Decimal(digits.replace(",", "")) for digits in _NUMBER.findall(text))


def planned(text: str, figures: frozenset[Decimal], most: int, tools: ToolRegistry) -> Plan:
    """The plan that leads to what the program in ``text`` prints, or its last line gives, in at most ``most`` steps.

    Empty where that is nothing that is computed, where nothing but formulas leave out all of the task's ``figures``, or
    where the program does what no tool can do: then it is no plan.
    """
    plan = read(text, tools)
    grounded = not formulas_only(plan.steps) or figures & numbers(" ".join(str(step.action) for step in plan.steps))
    return plan if grounded and len(plan.steps) <= most and not misfits(plan, tools) else Plan()


def read(
    text: str,
    tools: ToolRegistry,
    evidence: Evidence | None = None,
    known: str = "",
    faults: Callable[[str], None] = lambda fault: None,
) -> Plan:
    """The steps of the program in ``text``, whether or not they can run; none where it is no such program.

    What it copies from the ``evidence`` and is not ``known`` from the task is quoted. ``faults`` receives what is wrong
    with a program that has a value of its own, or a name without a value.
    """
    code = _with_names(unfenced(text))
    reader = ProgramReader(tools, Quotes(evidence or Evidence(), cited_lines(code), known))
    try:
        for statement in with_tools(_parsed(code[:_LONGEST])).body:
            reader.read(statement)
        return _renumber(reader.steps, reader.printed or reader.last)
    except UnstatedError as error:
        faults(str(error))
        return Plan()
    except (UnfitError, SyntaxError, ValueError, RecursionError, MemoryError):
        return Plan()


def with_values(program: str, later: str) -> str:
    """A program, after the lines of a later one that give a name a number or a text."""
    given = _GIVEN.findall(unfenced(later))
    return "\n".join([*given, unfenced(program)]) if given else ""


def unfenced(text: str) -> str:
    """What stands between the fences of a reply, or all of it."""
    found = _FENCED.search(text)
    return found[1] if found else text


def _parsed(code: str) -> ast.Module:
    """The program as a tree; where it closes all but its last parenthesis, with that. Raises ``SyntaxError``."""
    if code.rstrip().endswith(")"):  # else it was cut off
        with suppress(SyntaxError):
            return ast.parse(f"{code.rstrip()})")
    return ast.parse(code)


def _with_names(code: str) -> str:
    """The program with names of one word where it has names of several, as in ``used van = 3``."""
    names = sorted(set(_SPACED.findall(code)), key=len, reverse=True)
    for name in names:
        code = code.replace(name, re.sub(r"\W+", "_", name))
    return code


def mended(plan: Plan, tools: ToolRegistry) -> Plan:
    """The plan with what its steps evidently mean in the place of what their tools cannot take."""
    return plan.changed(steps=tuple(_mended(step, tools) for step in plan.steps))


def _mended(step: Step, tools: ToolRegistry) -> Step:
    action = step.action
    mend = tools.get(action.tool).mend if isinstance(action, ToolCall) and action.tool in tools.names else None
    if mend is None or not isinstance(action, ToolCall) or action.arguments is None:
        return step
    return step.changed(action=action.changed(arguments=mend(action.arguments)))


def misfits(plan: Plan, tools: ToolRegistry) -> dict[str, str]:
    """The tools that some step of the plan calls with what they cannot take, each with what is wrong with it."""
    calls = [(step.action.tool, _fault(step, tools)) for step in plan.steps if isinstance(step.action, ToolCall)]
    return {tool: fault for tool, fault in calls if fault}


def is_code(text: str) -> bool:
    """Whether a text is meant as a program that finds something out, rather than as prose or a print of it."""
    fenced = _FENCED.search(text)
    try:
        statements = ast.parse(fenced[1] if fenced else text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return fenced is not None or bool(_CALL.search(text.splitlines()[-1] if text else ""))
    return any(not isinstance(one, ast.Expr) or _calls(one.value) for one in statements)


def _calls(value: ast.expr) -> bool:
    """Whether an expression is a call that is given more than texts to print."""
    match value:
        case ast.Call(func=ast.Name(id="print"), args=arguments):
            return not all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in arguments)
        case _:
            return isinstance(value, ast.Call)


def formulas_only(steps: Sequence[Step]) -> bool:
    """Whether steps do nothing but calculate."""
    return all(isinstance(step.action, ToolCall) and step.action.tool == CALCULATOR for step in steps)


def leaves_out(steps: Sequence[Step], figures: frozenset[Decimal]) -> bool:
    """Whether steps that are nothing but formulas do without one of the task's ``figures``.

    19 is there as 0.19, 1.19 or 0.81 too: it may have been per cent.
    """
    used = numbers(" ".join(str(step.action) for step in steps))
    return (
        bool(steps) and formulas_only(steps) and not all({n, n / 100, 1 + n / 100, 1 - n / 100} & used for n in figures)
    )


def _renumber(steps: Sequence[tuple[str, Action]], printed: Sequence[str]) -> Plan:
    """The steps that what is printed rests on, numbered anew without gaps."""
    by_id = {f"s{number}": step for number, step in enumerate(steps, 1)}
    needs: set[str] = set(printed)
    for step_id in reversed(by_id):
        if step_id in needs:
            needs.update(references(_words(by_id[step_id][1])))
    ids = {old: f"s{number}" for number, old in enumerate((step_id for step_id in by_id if step_id in needs), 1)}
    answer = tuple(dict.fromkeys(ids[step_id] for step_id in printed))
    return Plan(steps=tuple(step_of(ids, old, *by_id[old]) for old in ids), answer=answer)


def _words(action: Action) -> JsonValue:
    """What an action says, in which references may stand."""
    return action.arguments if isinstance(action, ToolCall) else action.task if isinstance(action, Writing) else None


def step_of(ids: dict[str, str], old: str, goal: str, action: Action) -> Step:
    """The step of an action, under its new id; references to others get theirs."""
    if isinstance(action, ToolCall):
        own: JsonObject = {name: _with(value, ids) for name, value in (action.arguments or {}).items()}
        action = ToolCall(tool=action.tool, arguments=own)
    elif isinstance(action, Writing):
        action = Writing(task=str(_with(action.task, ids)))
    return Step(
        id=ids[old], description=goal, action=action, dependencies=references(_words(action)), provides=(ids[old],)
    )


def _with(value: JsonValue, ids: dict[str, str]) -> JsonValue:
    if isinstance(value, list):
        return [_with(item, ids) for item in value]
    return REFERENCE.sub(lambda match: f"${ids[match[1]]}", value) if isinstance(value, str) else value


def _fault(step: Step, tools: ToolRegistry) -> str:
    """What is wrong with the arguments of a tool's step, as far as they do not hang on earlier results."""
    action = step.action
    if not isinstance(action, ToolCall) or action.arguments is None:
        return "it has no arguments"
    if action.tool not in tools.names:
        return f"there is no function {action.tool}"
    if faults := tools.check(action.tool, action.arguments, references=bool(step.dependencies)):
        return "; ".join(faults)
    if action.tool != CALCULATOR or step.dependencies:
        return ""
    try:
        evaluate(str(action.arguments["expression"]))
    except AeonError as error:
        return str(error)
    return ""
