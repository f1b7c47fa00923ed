"""Whatever a tool does, a call ends in a value or in a failure of one line, at once."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn

import pytest
from pydantic import AfterValidator, BaseModel

from aeon.assembly.build import build
from aeon.errors import ConfigError, ToolFailed, ToolTimeout
from aeon.llm.scripted import Scripted
from aeon.schema import LLMRequest, LLMResponse
from aeon.testing.obliging import oblige
from aeon.tools import Tool, ToolRegistry, tool
from tests.second import way_of


class _TextError(Exception):
    """An error that fails at making its text, and at that in any way."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def __str__(self) -> str:
        raise self.error


class _OwnError(BaseException):
    """None of those that are errors."""


RAISED = [
    asyncio.CancelledError(),
    KeyboardInterrupt(),
    SystemExit(3),
    GeneratorExit(),
    _OwnError("own"),
    StopIteration(1),
    StopAsyncIteration(1),
    _TextError(RuntimeError("no text")),
    _TextError(KeyboardInterrupt()),
]


def call(function: Callable[..., object], timeout: float = 600.0) -> object:
    """Call a tool of this function, which nobody waits for that long."""
    one = Tool("t", "d", {"type": "object"}, function, side_effects=False, timeout=timeout)
    return asyncio.run(ToolRegistry([one]).call("t", {})).value


@pytest.mark.parametrize("error", RAISED, ids=repr)
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_whatever_is_raised_is_a_failure_at_once(error: BaseException, kind: str) -> None:
    """Nothing that a tool raises ends the loop or a thread, and nobody waits until its time is over."""

    def plain() -> NoReturn:
        raise error

    async def awaited() -> NoReturn:
        raise error

    with pytest.raises(ToolFailed, match=r"^t: ") as failed:
        call(plain if kind == "plain" else awaited)
    assert "\n" not in str(failed.value)


@pytest.mark.requirement("K13")
@pytest.mark.parametrize("error", RAISED, ids=repr)
def test_a_run_goes_on_after_whatever_a_tool_raises(error: BaseException) -> None:
    """The step fails, and the run ends in an answer."""

    @tool(side_effects=False)
    async def shout(text: str) -> str:
        """Say it loudly."""
        raise error

    def answer(request: LLMRequest) -> LLMResponse | str:
        return 'print(shout("a"))' if way_of(request) == "program" else oblige(request)

    result = build(Scripted(answer), tools=[shout]).execute("Say it.")
    assert result.answer and result.stop_reason
    (step,) = result.history.passes[0].executed
    assert step.status == "failed" and step.problem is not None and "shout: " in step.problem


def test_a_tool_that_cancels_itself_has_failed() -> None:
    """It is told from a call that is cancelled from outside."""

    async def stop() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    with pytest.raises(ToolFailed, match="cancelled itself"):
        call(stop)


async def _never_stops() -> None:
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


async def _busy() -> None:
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)


@pytest.mark.parametrize("stubborn", [_never_stops, _busy])
def test_a_tool_that_swallows_its_cancellation_ends(
    stubborn: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its call fails once, for the time that it took, and the loop comes to its end."""
    monkeypatch.setattr("aeon.tools.invoke._CLEANUP", 0.0)
    with pytest.raises(ToolTimeout, match=r"^t did not return within 0\.01 s$"):
        call(stubborn, timeout=0.01)


def test_a_run_ends_whose_tool_swallows_its_cancellation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step fails with one reason."""
    monkeypatch.setattr("aeon.tools.invoke._CLEANUP", 0.0)
    stubborn = Tool("t", "Wait.", {"type": "object"}, _never_stops, side_effects=False, timeout=0.01)

    def answer(request: LLMRequest) -> LLMResponse | str:
        return "print(t())" if way_of(request) == "program" else oblige(request)

    result = build(Scripted(answer), tools=[stubborn]).execute("Wait.")
    failed = [step.problem for one in result.history.passes for step in one.executed if step.status == "failed"]
    assert failed[0] is not None and "t: t did not return within 0.01 s" in failed[0]


def test_a_cancelled_tool_may_clean_up() -> None:
    """What it awaits for that is awaited."""
    cleaned: list[str] = []

    async def tidy() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            cleaned.append("up")

    with pytest.raises(ToolTimeout):
        call(tidy, timeout=0.01)
    assert cleaned == ["up"]


async def _stream() -> AsyncIterator[int]:
    yield 1


class _Awaitable:
    """Is to be awaited."""

    def __await__(self) -> Iterator[None]:
        """Wait for nothing."""
        yield


def _endless() -> Iterator[int]:
    while True:
        yield 1


@dataclass
class _Row:
    cells: object


@dataclass(slots=True)
class _Slotted:
    cells: object


class _Model(BaseModel):
    cells: Any


def _itself() -> list[object]:
    """A list that holds itself twice."""
    value: list[object] = []
    value += [value, value]
    return value


def _doubled() -> object:
    """A small object that is written out without end."""
    value: object = 1
    for _ in range(60):
        value = [value, value]
    return value


class _Silent:
    """Fails at making its text."""

    def __str__(self) -> str:
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (_stream, "async_generator, which has no JSON form"),
        (lambda: [_stream()], "async_generator, which has no JSON form"),
        (object, "object, which has no JSON form"),
        (lambda: {"a": len}, "no JSON form"),
        (lambda: lambda: 1, "function, which has no JSON form"),
        (_Awaitable, "a _Awaitable to be awaited"),
        (_endless, "more than 100,000 items"),
        (lambda: {"a": [{"b": _endless()}]}, "more than 100,000 items"),
        (lambda: ({"a": itertools.count()},), "more than 100,000 items"),
        (lambda: _Row(_endless()), "more than 100,000 items"),
        (lambda: [_Slotted(_endless())], "more than 100,000 items"),
        (lambda: [_Model(cells=_endless())], "is a _Model with a generator in it; put a list there"),
        (lambda: {"a": _Model(cells=[_endless()])}, "is a _Model with a generator in it; put a list there"),
        (_itself, "no JSON form"),
        (_doubled, "more than 1,000 lists and objects"),
        (lambda: math.nan, "no JSON form"),
        (lambda: sys.exit(), "SystemExit"),
        (_Silent, "KeyboardInterrupt"),
    ],
)
def test_what_is_no_value_is_no_result(
    value: Callable[[], object], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a thing is and where it lies says nothing; it is a failure that says what to return."""
    monkeypatch.setattr("aeon.tools.output._MOST_OBJECTS", 1_000)
    with pytest.raises(ToolFailed, match=words) as failed:
        call(lambda: value())
    assert "\n" not in str(failed.value)


def test_what_an_iterator_gives_is_a_list() -> None:
    """It need not be one already."""
    assert call(lambda: iter([1, 2])) == [1, 2]
    assert call(lambda: (n for n in range(3))) == [0, 1, 2]
    assert call(lambda: {"a": [map(str, [1]), _Row(iter([2])), {3}]}) == {"a": [["1"], {"cells": [2]}, [3]]}
    assert call(lambda: _Model(cells=[1])) == {"cells": [1]}


def test_an_async_generator_is_refused_where_the_tool_is_made() -> None:
    """Nobody would collect what it yields."""
    with pytest.raises(ConfigError, match="async generator; let it return a list"):
        Tool("t", "d", {"type": "object"}, _stream)


def test_a_gigabyte_is_cut_without_being_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes are counted only where that takes no copy of it."""
    monkeypatch.setattr("aeon.tools.output._LONG", 1_000_000)
    assert str(call(lambda: "a" * 2_000_000)).endswith("… [cut: 2,000,000 bytes, the first 16,384 shown]")
    assert str(call(lambda: "ä" * 2_000_000)).endswith("… [cut: at least 2,000,000 bytes, the first 16,384 shown]")


def _looked_up(text: str) -> str:
    return {"a": "b"}[text]


def test_a_type_whose_validator_raises_anything_is_wrong_arguments() -> None:
    """They are told to the model as any others."""

    @tool(side_effects=False)
    def take(text: Annotated[str, AfterValidator(_looked_up)]) -> str:
        """Take it."""
        return text

    registry = ToolRegistry([take])
    assert registry.check("take", {"text": "c"}) == ["KeyError while the arguments were read"]
    assert asyncio.run(registry.call("take", {"text": "a"})).value == "b"
