"""Running one tool's function: in a thread or as a task, with a deadline, every failure as a ``ToolError``."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from aeon.errors import OutcomeUnknown, ToolArgumentError, ToolError, ToolFailed, ToolTimeout
from aeon.isolation.aside import aside
from aeon.schema.frozen import JsonValue
from aeon.text import one_line
from aeon.tools.leash import Leash
from aeon.tools.output import bounded
from aeon.tools.tool import Tool

__all__ = ["invoke"]

_Result = tuple[JsonValue, bool]
_CLEANUP = 1.0
"""Seconds that a cancelled tool has to clean up."""


async def invoke(tool: Tool, arguments: Mapping[str, object], limit: int) -> _Result:
    """Call the tool and return its JSON value, cut at ``limit`` bytes, and whether it was cut.

    A plain function runs in a daemon thread, so that one that hangs blocks neither the loop nor the interpreter's exit;
    after its timeout it is abandoned, for a thread cannot be stopped. A coroutine function runs as a task of this loop,
    which is cancelled at the timeout, has a second to clean up, and is ended if it goes on all the same. Raises
    ``ToolTimeout``, or ``ToolFailed`` for whatever the tool raises.
    """
    if inspect.iscoroutinefunction(tool.call) or inspect.iscoroutinefunction(type(tool.call).__call__):
        pending: asyncio.Future[_Result] = asyncio.ensure_future(_await_call(tool, arguments, limit))
    else:
        pending = _start_thread(tool, arguments, limit)
    pending.add_done_callback(_collect_error)
    try:
        done, _ = await asyncio.wait({pending}, timeout=tool.timeout)
    except asyncio.CancelledError:
        pending.cancel()
        pending.get_loop().call_later(_CLEANUP, pending.cancel)
        raise
    if not done:
        pending.cancel()
        await asyncio.wait({pending}, timeout=_CLEANUP)
        pending.cancel()
        raise ToolTimeout(f"{tool.name} did not return within {tool.timeout:g} s")
    if pending.cancelled():  # by the tool itself: whoever cancels this call is told above
        raise ToolFailed(f"{tool.name}: it cancelled itself")
    return pending.result()


async def _await_call(tool: Tool, arguments: Mapping[str, object], limit: int) -> _Result:
    call: Callable[..., object] = tool.call
    with _translate_errors(tool.name, asyncio.current_task()):
        result = call(**arguments)
        return bounded(await Leash(result) if inspect.isawaitable(result) else result, limit)


def _start_thread(tool: Tool, arguments: Mapping[str, object], limit: int) -> asyncio.Future[_Result]:
    """Start the function in a thread; the future gets its result or its ``ToolError``."""

    def work() -> _Result:
        with _translate_errors(tool.name):
            return bounded(_call_plain(tool, arguments), limit)

    with _translate_errors(tool.name):
        return aside(work, own=f"tool-{tool.name}")


def _call_plain(tool: Tool, arguments: Mapping[str, object]) -> object:
    result = tool.call(**arguments)
    if not inspect.isawaitable(result):
        return result
    if inspect.iscoroutine(result):
        result.close()
    raise ToolFailed(f"the function returned a {type(result).__name__} to be awaited; declare it with `async def`")


def _collect_error(future: asyncio.Future[_Result]) -> None:
    """Take note of an abandoned call's error, so that nothing is reported when it is collected."""
    if not future.cancelled():
        future.exception()


@contextmanager
def _translate_errors(name: str, task: asyncio.Task[_Result] | None = None) -> Iterator[None]:
    """Whatever the tool raises, as a ``ToolError`` of one line that names the tool; but not that its ``task`` ends."""
    try:
        yield
    except ToolArgumentError as error:
        raise ToolArgumentError(_message(name, _text(error))) from error
    except OutcomeUnknown as error:  # a tool far away may know that nobody knows
        raise OutcomeUnknown(_message(name, _text(error))) from error
    except ToolError as error:
        raise ToolFailed(_message(name, _text(error))) from error
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise
        raise ToolFailed(_message(name, f"{type(error).__name__}: {_text(error)}".rstrip(": "))) from error


def _message(name: str, text: str) -> str:
    return one_line(f"{name}: {text}", 600)


def _text(error: BaseException) -> str:
    """Return the error's text; an error may fail even at making that."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - it is the tool's own code
        return "(its text cannot be shown)"
