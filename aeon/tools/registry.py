"""The tools of one run: found by name, described for prompts, checked, and called within limits."""

from __future__ import annotations

import asyncio
import difflib
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from weakref import WeakKeyDictionary

from pydantic import ValidationError

from aeon.errors import ConfigError, OutcomeUnknown, ToolArgumentError, ToolTimeout, UnknownNameError
from aeon.isolation.aside import aside
from aeon.schema.frozen import JsonObject, JsonValue
from aeon.text import one_line
from aeon.tools.arguments import problems
from aeon.tools.invoke import invoke
from aeon.tools.output import ToolOutput
from aeon.tools.tool import KEY, Tool
from aeon.tools.typetext import signature
from aeon.tools.watching import watched

__all__ = ["ToolRegistry"]


class ToolRegistry:
    """The tools a run may call, and nothing else: what is not in here is never executed.

    ``output_bytes`` caps each result. Raises ``ConfigError`` when two tools share a name.
    """

    def __init__(self, tools: Iterable[Tool] = (), output_bytes: int = 16_384) -> None:
        if output_bytes < 1:
            raise ConfigError(f"output_bytes must be at least 1, not {output_bytes}")
        self.output_bytes = output_bytes
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise ConfigError(f"two tools are named {tool.name}; give one of them another name")
            self._tools[tool.name] = tool
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the order they were given."""
        return tuple(self._tools)

    @property
    def offered(self) -> tuple[str, ...]:
        """The names of the tools that a plan may be told of."""
        return tuple(name for name, tool in self._tools.items() if tool.offered)

    def get(self, name: str) -> Tool:
        """Return the tool of that name. Raises ``UnknownNameError``, which lists the known ones."""
        if name in self._tools:
            return self._tools[name]
        names = ", ".join(self.offered) or "none"
        close = difflib.get_close_matches(name[:64], self._tools, n=1)
        guess = f"; did you mean {close[0]}?" if close else ""
        raise UnknownNameError(f"no tool is named {one_line(name, 64)!r}; the tools are: {names}{guess}")

    def describe(self) -> str:
        """All tools for a prompt: a line each, then what is said of its parameters, indented."""
        return "\n".join(self._entry(tool) for tool in self._tools.values() if tool.offered)

    def material(self) -> str:
        """What the tools can be used on, as their hints say, such as names of files and columns: data for a prompt."""
        hints = ((tool.name, tool.hint) for tool in self._tools.values() if tool.offered and tool.hint)
        return "\n".join(f"{name}: {hint}" for name, hint in hints)

    def check(self, name: str, arguments: JsonValue, *, references: bool = False) -> list[str]:
        """Return what is wrong with the arguments, in short texts that name the path; empty where they fit.

        With ``references`` a text that is exactly one reference, such as ``"$s1"``, fits any type: its value is not
        known yet. It may take as long as a query that is tried, or the check of a tool's author: an event loop has it
        done `aside`. Raises ``UnknownNameError`` for an unknown tool.
        """
        tool = self.get(name)
        faults = problems(tool.validator, arguments, references=references)
        if not faults and not references and isinstance(arguments, dict):
            faults = _prepare(tool, arguments)[1]
        return faults

    async def call(
        self,
        name: str,
        arguments: JsonObject,
        idempotency_key: str = "",
        guard: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
    ) -> ToolOutput:
        """Call the tool once and return its output.

        Tools that are not ``parallel_safe`` run one at a time. ``guard`` is entered when everything is ready, right
        before the call.

        Raises ``UnknownNameError``; ``ToolArgumentError`` before the tool is touched; ``ToolTimeout``, or
        ``OutcomeUnknown`` for a tool with side effects; ``ToolFailed``.
        """
        tool = self.get(name)
        faults = problems(tool.validator, arguments)
        if faults:
            raise ToolArgumentError(one_line(f"{name}: {'; '.join(faults)}", 600))
        async with nullcontext() if tool.parallel_safe else self._lock():
            prepared, faults = await self._prepared(tool, arguments)
            if faults:
                raise ToolArgumentError(one_line(f"{name}: {'; '.join(faults)}", 600))
            if tool.takes_key:
                prepared[KEY] = idempotency_key
            started = time.monotonic()
            with watched(name):
                async with guard():
                    value, cut = await _finish(tool, invoke(tool, prepared, self.output_bytes))
            tables = await aside(partial(tool.tables_read, arguments)) if tool.tables_read is not None else ()
            return ToolOutput(value=value, cut=cut, seconds=time.monotonic() - started, tables=tables)

    @staticmethod
    async def _prepared(tool: Tool, arguments: JsonObject) -> tuple[dict[str, object], list[str]]:
        """What `_prepare` gives; where it does something, that may take as long as a query."""
        work = partial(_prepare, tool, arguments)
        return work() if tool.prepare is None else await aside(work)

    def _lock(self) -> asyncio.Lock:
        """Return the lock of the running loop: a lock belongs to one loop, a registry may serve many."""
        return self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    @staticmethod
    def _entry(tool: Tool) -> str:
        lines = [f"{tool.name}({signature(tool.parameters)}) - {' '.join(tool.description.split())}"]
        properties = tool.parameters.get("properties")
        for key, schema in properties.items() if isinstance(properties, dict) else ():
            text = schema.get("description") if isinstance(schema, dict) else None
            if isinstance(text, str):
                lines.append(f"    {key}: {' '.join(text.split())}")
        return "\n".join(lines)


async def _finish(tool: Tool, call: Awaitable[tuple[JsonValue, bool]]) -> tuple[JsonValue, bool]:
    """What the call gave; where a tool that changes the world did not return in time, nobody knows what it did."""
    try:
        return await call
    except ToolTimeout as error:
        if tool.side_effects:
            raise OutcomeUnknown(str(error)) from None
        raise


def _prepare(tool: Tool, arguments: JsonObject) -> tuple[dict[str, object], list[str]]:
    """Return the arguments as the function takes them, or what keeps them from becoming that."""
    if tool.prepare is None:
        return dict(arguments), []
    try:
        return dict(tool.prepare(arguments)), []
    except ValidationError as error:
        return {}, [one_line(item["msg"], 200) for item in error.errors(include_url=False, include_context=False)]
    except ValueError as error:
        return {}, [one_line(str(error), 200)]
    except Exception as error:  # noqa: BLE001 - a type's own validator may raise anything
        return {}, [one_line(f"{type(error).__name__} while the arguments were read", 200)]
