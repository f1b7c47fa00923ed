"""What a model writes when it plans: steps as a tagged union of the tools there are, and reasoning.

Ids, indices and dependencies are the host's: the model names a tool, fills its slots and refers to earlier steps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from aeon.plan.reader import CALCULATOR
from aeon.schema import JsonObject, JsonValue, Reasoning, Step, ToolCall
from aeon.tools.references import references
from aeon.tools.registry import ToolRegistry
from aeon.tools.tool import NO_TOOL

__all__ = ["faults", "plan_schema", "step_schema", "to_step"]

_MOST_BYTES = 8_000
_BARE_ID = re.compile(r"(?<![\w$.])s[0-9]{1,2}(?:_r[0-9]+)?(?![\w.])")
_FORMULAS = ((CALCULATOR, "expression"), ("simplify_fraction", "fraction"))
"""Tools and their slots whose text is calculated: a name there is a function or an earlier step, never free text."""


def step_schema(tools: ToolRegistry, earlier: int | None = None) -> JsonObject:
    """One step: ``goal``, ``tool`` and that tool's arguments, unless they are written when the step runs.

    With ``earlier`` its texts can refer to no step but the first so many.
    """
    text: JsonObject = {} if earlier is None else {"pattern": _referring(earlier)}
    variants = [_variant(name, *_arguments(tools, name, text), text) for name in tools.offered]
    return {"anyOf": [*variants, _variant(NO_TOOL, {}, (), text)]}


def plan_schema(tools: ToolRegistry, most: int, enforced: bool) -> JsonObject:
    """A whole plan of at most ``most`` steps, an object keyed by step id: so the model sees which step it is at.

    Where the endpoint enforces schemas, each step has one of its own that keeps it from referring to a later step, as
    long as that is not too much to send; elsewhere the schema is shown to the model, and has to be short.
    """
    ids = [f"s{number}" for number in range(1, most + 1)]
    whole: JsonObject = {"type": "object", "required": ["s1"], "additionalProperties": False}
    own: JsonObject = {step_id: step_schema(tools, earlier) for earlier, step_id in enumerate(ids)}
    if enforced and len(json.dumps(own)) <= _MOST_BYTES:
        return {**whole, "properties": own}
    shared: JsonObject = {step_id: {"$ref": "#/$defs/step"} for step_id in ids}
    return {**whole, "properties": shared, "$defs": {"step": step_schema(tools)}}


def to_step(raw: JsonObject, step_id: str, earlier: Sequence[str], tools: ToolRegistry, depth: int = 0) -> Step:
    """The step that a model's words mean.

    A tool step depends on the steps that it refers to. One that reasons, or whose arguments are written later, depends
    on those that its goal refers to, and where it refers to none on all ``earlier`` ones: it may need any of them.
    ``$s1`` refers to a step wherever it stands, a bare ``s1`` only in a formula or as the whole of an argument.
    """
    slots = dict(raw)
    goal, tool = str(slots.pop("goal")), str(slots.pop("tool"))
    schemas = tools.get(tool).parameters.get("properties") if tool in tools.names else None
    for name, schema in schemas.items() if isinstance(schemas, dict) else ():
        value = slots.get(name)
        if isinstance(value, str):
            slots[name] = _in_formula(value, earlier) if (tool, name) in _FORMULAS else _whole(value, schema, earlier)
    dependencies = references([goal, slots]) or (() if slots else tuple(earlier))
    action = Reasoning() if tool == NO_TOOL else ToolCall(tool=tool, arguments=slots or _without(tool, tools))
    return Step(
        id=step_id, description=goal, action=action, dependencies=dependencies, provides=(step_id,), depth=depth
    )


def _without(tool: str, tools: ToolRegistry) -> JsonObject | None:
    """What a call that says no arguments has: none, unless they are written when it runs."""
    return None if tool not in tools.names or tools.get(tool).late_arguments else {}


def _in_formula(text: str, earlier: Sequence[str]) -> str:
    """A formula with the bare ids of earlier steps, as in ``s1 / 2``, made references."""
    return _BARE_ID.sub(lambda match: f"${match[0]}" if match[0] in earlier else match[0], text)


def _whole(text: str, schema: JsonValue, earlier: Sequence[str]) -> str:
    """A text that is the bare id of an earlier step and nothing else, made a reference where any text may stand."""
    return f"${text.strip()}" if text.strip() in earlier and _takes_any_text(schema) else text


def _takes_any_text(schema: JsonValue) -> bool:
    """Whether a slot takes whatever text is written, rather than one of fixed values or of a given form."""
    if not isinstance(schema, dict):
        return False
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        return any(_takes_any_text(choice) for choice in choices)
    return schema.get("type") == "string" and not {"enum", "const", "pattern"} & schema.keys()


def faults(steps: Sequence[Step], earlier: Sequence[str], tools: ToolRegistry) -> list[str]:
    """What keeps steps from running, in words for the model: unknown tools, wrong arguments, wrong references."""
    names = list(earlier)
    lines: list[str] = []
    for step in steps:
        there = ", ".join(f"${name}" for name in names) or "none"
        missing = [name for name in step.dependencies if name not in names]
        lines += [f"step {step.id} refers to ${name}, which is no earlier step (they are: {there})" for name in missing]
        lines += [f"step {step.id}: {fault}" for fault in _tool_faults(step, tools)]
        names.append(step.id)
    return lines


def _tool_faults(step: Step, tools: ToolRegistry) -> list[str]:
    action = step.action
    if not isinstance(action, ToolCall):
        return []
    if action.tool not in tools.names:
        return [f"the tool '{action.tool}' does not exist"]
    return tools.check(action.tool, action.arguments, references=True) if action.arguments is not None else []


def _arguments(tools: ToolRegistry, name: str, text: JsonObject) -> tuple[JsonObject, Sequence[JsonValue]]:
    """The slots of a tool's arguments that a plan fills, and which of them it must fill."""
    tool = tools.get(name)
    if tool.late_arguments:
        return {}, ()
    properties, required = tool.parameters.get("properties"), tool.parameters.get("required")
    slots = {key: _open(value, text) for key, value in properties.items()} if isinstance(properties, dict) else {}
    return slots, required if isinstance(required, list) else ()


def _open(schema: JsonValue, text: JsonObject) -> JsonValue:
    """A slot that also takes a reference: its value is not known yet. Slots with fixed values take none."""
    if not isinstance(schema, dict):
        return schema
    bare: JsonObject = {key: value for key, value in schema.items() if key != "description"}
    if "enum" in bare:
        return bare
    if schema.get("type") == "string":
        return {**bare, **text} if "pattern" not in bare else bare
    return {"anyOf": [bare, {"type": "string", "pattern": r"^\$s[0-9]{1,2}$"}]}


def _variant(tool: str, arguments: JsonObject, must: Sequence[JsonValue], text: JsonObject) -> JsonObject:
    goal: JsonObject = {"type": "string", "minLength": 3, "maxLength": 160, **text}
    properties: JsonObject = {"goal": goal, "tool": {"const": tool}, **arguments}
    required: list[JsonValue] = [key for key in properties if key not in arguments or key in must]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _referring(earlier: int) -> str:
    """A pattern for texts that refer to no step but the first ``earlier`` ones; without quotes, which no slot needs."""
    ids = "|".join(str(number) for number in range(earlier, 0, -1))
    return rf'^([^$"\\\n]|\$s({ids})[^0-9$"\\\n])*(\$s({ids}))?$' if ids else r'^[^$"\\\n]*$'
