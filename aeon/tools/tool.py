"""What a tool is, and the decorator that makes one of a typed function."""

from __future__ import annotations

import inspect
import json
import math
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from pydantic import PydanticUserError, TypeAdapter
from pydantic_core import SchemaError as UnusableType

from aeon.errors import ConfigError
from aeon.jsonschemas.inlining import inlined
from aeon.jsonschemas.patterns import PatternValidator, bad_pattern
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.schema.turns import TableRead
from aeon.search.provider import Provider
from aeon.text import one_line
from aeon.tools.material import Material
from aeon.tools.tableinfo import Named, TableInfo

__all__ = ["KEY", "Tool", "tool"]

KEY = "idempotency_key"
"""A parameter of this name is filled by the host and is no part of a tool's schema."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_ARGUMENT = re.compile(r"(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


@dataclass(frozen=True)
class Tool:
    """One thing a model may call.

    ``parameters`` is a JSON Schema of type object. ``call`` takes the arguments by keyword and may be a coroutine
    function. A parameter of ``call`` named ``idempotency_key`` gets a text that is the same whenever the same step of
    the same run is tried again; it stays out of ``parameters``.

    ``side_effects``: whether calling it changes the world, so that a call of unknown outcome is never repeated.
    ``parallel_safe``: whether it may run while another tool runs. ``timeout`` is in seconds.
    ``hint`` holds a few more lines for the planner, such as a folder's listing. ``prepare`` turns arguments that fit
    the schema into those that ``call`` takes and raises ``ValueError`` where it cannot. ``offered``: whether prompts
    name it; else only the host uses it. ``reading``: its result is a list of passages, and what the step finds out is
    read out of them by the model. ``named`` gives the values of columns that stand in a text, ``reads`` says
    whether a query gives something that a table has. ``tables_read`` says how the tables were read that a call asks.
    ``tables`` are those that it asks, ``schema`` the statements that would make them, ``texts`` the names of the
    documents that it reads, ``material`` the sentences that a question is put to. ``provider`` is what
    research searches with.

    References in ``parameters`` are written out. Raises ``ConfigError`` for a name, schema or timeout that cannot work.
    """

    name: str
    description: str
    parameters: JsonObject = field(hash=False)
    call: Callable[..., object]
    side_effects: bool = True
    parallel_safe: bool = False
    timeout: float = 30.0
    hint: str = ""
    offered: bool = True
    reading: bool = False
    reads: Callable[[str], bool] | None = None
    tables_read: Callable[[JsonObject], tuple[TableRead, ...]] | None = None
    named: Callable[[str], tuple[Named, ...]] | None = None
    tables: tuple[TableInfo, ...] = ()
    schema: str = ""
    texts: tuple[str, ...] = ()
    material: Callable[[str], Material] | None = None
    provider: Provider | None = None
    prepare: Callable[[JsonObject], Mapping[str, object]] | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ConfigError(f"tool name {self.name!r}: use letters, digits and underscores, at most 64")
        if inspect.isasyncgenfunction(self.call):
            raise ConfigError(f"tool {self.name}: its function is an async generator; let it return a list")
        if not self.timeout > 0:
            raise ConfigError(f"tool {self.name}: timeout must be above 0 seconds, not {self.timeout}")
        object.__setattr__(self, "parameters", _written_out(self.name, self.parameters))

    @cached_property
    def validator(self) -> Validator:
        """What holds arguments against ``parameters``."""
        return PatternValidator(self.parameters)

    @property
    def takes_key(self) -> bool:
        """Whether the host fills the function's idempotency key."""
        try:
            taken = inspect.signature(self.call).parameters
        except ValueError:  # a builtin without a signature
            return False
        own = self.parameters.get("properties")
        return KEY in taken and not (isinstance(own, dict) and KEY in own)


@typing.overload
def tool(function: Callable[..., object], /) -> Tool: ...


@typing.overload
def tool(
    *,
    name: str = "",
    side_effects: bool = True,
    parallel_safe: bool = False,
    timeout: float = 30.0,
    hint: str = "",
    offered: bool = True,
) -> Callable[[Callable[..., object]], Tool]: ...


def tool(
    function: Callable[..., object] | None = None,
    /,
    *,
    name: str = "",
    side_effects: bool = True,
    parallel_safe: bool = False,
    timeout: float = 30.0,
    hint: str = "",
    offered: bool = True,
) -> Tool | Callable[[Callable[..., object]], Tool]:
    """Make a ``Tool`` of a typed function with a docstring; bare or with the options of ``Tool``.

    The description is the docstring's first paragraph, a parameter's description its entry under ``Args:``, the JSON
    Schema follows from the type hints. The function stays reachable as ``.call``. Raises ``ConfigError`` for a function
    without docstring, with a parameter that has no type, or with parameters that cannot be passed by keyword.
    """

    def make(target: Callable[..., object]) -> Tool:
        if not inspect.isroutine(target):
            what = one_line(repr(target), 60)
            raise ConfigError(f"@tool takes a function, not {what}; write a function with `def` that calls it")
        label = name or getattr(target, "__name__", "")
        text = inspect.getdoc(target)
        if not text:
            raise ConfigError(f"tool {label}: give the function a docstring; its first paragraph describes the tool")
        adapters = _adapters(label, target)
        return Tool(
            name=label,
            description=" ".join(text.split("\n\n")[0].split()),
            parameters=_schema(label, target, adapters, _argument_texts(text)),
            call=target,
            side_effects=side_effects,
            parallel_safe=parallel_safe,
            timeout=timeout,
            hint=hint,
            offered=offered,
            prepare=lambda arguments: {key: adapters[key].validate_python(v) for key, v in arguments.items()},
        )

    return make if function is None else make(function)


def _written_out(name: str, parameters: JsonObject) -> JsonObject:
    """Return the schema of a tool's parameters as models can be shown it: without references."""
    if not isinstance(parameters, dict) or parameters.get("type") != "object":
        raise ConfigError(f"tool {name}: parameters must be a JSON Schema of type object")
    try:
        _check(json.dumps(parameters, allow_nan=False))
        short = inlined(parameters)
    except SchemaError as error:
        raise ConfigError(f"tool {name}: parameters are no valid JSON Schema: {_line(error.message)}") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"tool {name}: parameters are no schema for a model: {_line(str(error))}") from None
    if problem := bad_pattern(short):
        raise ConfigError(f"tool {name}: {problem}")
    loops = short.get("$defs")
    if isinstance(loops, dict):
        names = " and ".join(loops)
        raise ConfigError(f"tool {name}: {names} can contain itself; take a flat type, or a text that you parse")
    return short


@lru_cache(maxsize=128)
def _check(parameters: str) -> None:
    """Raise ``SchemaError`` for what is no JSON Schema; the same tool is often made again, which then costs nothing."""
    Draft202012Validator.check_schema(json.loads(parameters))


def _adapters(label: str, function: Callable[..., object]) -> dict[str, TypeAdapter[object]]:
    """Return a pydantic adapter for each parameter that is the caller's to fill."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise ConfigError(f"tool {label}: a type hint cannot be resolved: {_line(str(error))}") from None
    adapters: dict[str, TypeAdapter[object]] = {}
    for parameter in _signature(label, function).values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ConfigError(f"tool {label}: parameter {parameter} cannot be passed by keyword; give it a plain name")
        if parameter.name not in hints:
            raise ConfigError(f"tool {label}: parameter {parameter.name} has no type; annotate it, as in `text: str`")
        if parameter.name == KEY:
            _check_key(label, hints[KEY])
            continue
        try:
            adapters[parameter.name] = TypeAdapter(hints[parameter.name])
        except (PydanticUserError, UnusableType) as error:
            reason = one_line(str(error).split("\nFor further")[0], 200)
            raise ConfigError(
                f"tool {label}: parameter {parameter.name} has a type that JSON cannot carry: {reason}"
            ) from None
    return adapters


def _signature(label: str, function: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        raise ConfigError(f"tool {label}: its parameters cannot be found out; write a function that calls it") from None


def _check_key(label: str, hint: object) -> None:
    """Refuse a parameter that takes the key's name for something else."""
    if hint is not str:
        raise ConfigError(f"tool {label}: the host fills a parameter named {KEY}; annotate it str or rename it")


def _schema(
    label: str,
    function: Callable[..., object],
    adapters: Mapping[str, TypeAdapter[object]],
    texts: Mapping[str, str],
) -> JsonObject:
    """Return the JSON Schema of the parameters, with what the docstring says about each."""
    try:
        schemas, shared = TypeAdapter.json_schemas([(k, "validation", adapter) for k, adapter in adapters.items()])
    except PydanticUserError as error:
        raise ConfigError(f"tool {label}: a parameter's type has no JSON Schema: {_line(error.message)}") from None
    signature = _signature(label, function)
    properties: JsonObject = {
        key: _property(signature[key], schemas[key, "validation"], texts.get(key)) for key in adapters
    }
    required: list[JsonValue] = [key for key in adapters if signature[key].default is inspect.Parameter.empty]
    result: JsonObject = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        result["required"] = required
    if "$defs" in shared:
        result["$defs"] = shared["$defs"]
    return result


def _property(parameter: inspect.Parameter, schema: Mapping[str, JsonValue], text: str | None) -> JsonObject:
    """Return one parameter's schema, with its description and default, without the title that pydantic puts on it."""
    entry = {key: value for key, value in schema.items() if key != "title"}
    if text is not None:
        entry["description"] = text
    default = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    if default is None or isinstance(default, str | int) or (isinstance(default, float) and math.isfinite(default)):
        entry["default"] = default
    return entry


def _argument_texts(docstring: str) -> dict[str, str]:
    """Return the entries of a Google-style ``Args:`` section."""
    texts: dict[str, str] = {}
    name, inside = "", False
    for line in docstring.splitlines():
        if not line.startswith(" "):
            inside = line.strip() in ("Args:", "Arguments:") or (inside and not line.strip())
            continue
        if not inside:
            continue
        match = _ARGUMENT.fullmatch(line.strip())
        if match and len(line) - len(line.lstrip()) <= 4:
            name = match[1]
            texts[name] = match[2]
        elif name:
            texts[name] = f"{texts[name]} {line.strip()}".strip()
    return texts


def _line(text: str) -> str:
    return one_line(text.strip().splitlines()[0], 200) if text.strip() else "no reason was given"
