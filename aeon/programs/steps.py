"""A plan read out of a short program: every calculation is a step, and what is printed is the answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from aeon.errors import AeonError
from aeon.programs.datetimes import with_tools
from aeon.programs.evidence import Evidence, cited_lines
from aeon.programs.quotes import Quotes, UnfitError, UnstatedError
from aeon.programs.reader import CALCULATOR, ProgramReader
from aeon.schema import Action, JsonObject, JsonValue, Plan, Step, ToolCall, Writing
from aeon.tools.calculator import evaluate
from aeon.tools.references import REFERENCE, references
from aeon.tools.registry import ToolRegistry

__all__ = ["is_program", "misfits", "read", "unfenced"]

_FENCED = re.compile(r"```(?:[^\n`]*\n)?(.*?)(?:```|$)", re.DOTALL)
LONGEST = 6_000
"""Characters of a program; a longer one is none."""


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
    code = unfenced(text)
    reader = ProgramReader(tools, Quotes(evidence or Evidence(), cited_lines(code), known))
    try:
        for statement in with_tools(ast.parse(code)).body:
            reader.read(statement)
        return _renumber(reader.steps, reader.printed or reader.last)
    except UnstatedError as error:
        faults(str(error))
        return Plan()
    except (UnfitError, SyntaxError, ValueError, RecursionError, MemoryError):
        return Plan()


def unfenced(text: str) -> str:
    """What stands between the fences of a reply, or all of it."""
    found = _FENCED.search(text)
    return found[1] if found else text


def is_program(text: str) -> bool:
    """Whether a text can be read as Python; prose cannot."""
    try:
        return len(code := unfenced(text)) <= LONGEST and bool(ast.parse(code).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def misfits(plan: Plan, tools: ToolRegistry) -> dict[str, str]:
    """The tools that some step of the plan calls with what they cannot take, each with what is wrong with it."""
    calls = [(step.action.tool, _fault(step, tools)) for step in plan.steps if isinstance(step.action, ToolCall)]
    return {tool: fault for tool, fault in calls if fault}


def _renumber(steps: Sequence[tuple[str, Action]], printed: Sequence[str]) -> Plan:
    """The steps that what is printed rests on, numbered anew without gaps."""
    by_id = {f"s{number}": step for number, step in enumerate(steps, 1)}
    needs: set[str] = set(printed)
    for step_id in reversed(by_id):
        if step_id in needs:
            needs.update(references(_words(by_id[step_id][1])))
    needs &= by_id.keys()  # a dollar sign may stand in a text
    ids = {old: f"s{number}" for number, old in enumerate((step_id for step_id in by_id if step_id in needs), 1)}
    answer = tuple(dict.fromkeys(ids[step_id] for step_id in printed if step_id in ids))
    return Plan(steps=tuple(_step_of(ids, old, *by_id[old]) for old in ids), answer=answer)


def _words(action: Action) -> JsonValue:
    """What an action says, in which references may stand."""
    return action.arguments if isinstance(action, ToolCall) else action.task if isinstance(action, Writing) else None


def _step_of(ids: dict[str, str], old: str, goal: str, action: Action) -> Step:
    """The step of an action, under its new id; references to others get theirs."""
    if isinstance(action, ToolCall):
        own: JsonObject = {name: _with(value, ids) for name, value in (action.arguments or {}).items()}
        action = ToolCall(tool=action.tool, arguments=own)
    elif isinstance(action, Writing):
        action = Writing(task=str(_with(action.task, ids)))
    known = {*ids.values()}
    needed = tuple(one for one in references(_words(action)) if one in known)
    return Step(id=ids[old], description=goal, action=action, dependencies=needed, provides=(ids[old],))


def _with(value: JsonValue, ids: dict[str, str]) -> JsonValue:
    if isinstance(value, list):
        return [_with(item, ids) for item in value]
    return REFERENCE.sub(lambda match: f"${ids.get(match[1], match[1])}", value) if isinstance(value, str) else value


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
