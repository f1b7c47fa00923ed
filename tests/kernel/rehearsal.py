"""Everything about runs is tested twice: straight, and with a replay after every effect.

In the second mode each reply is followed by a fresh program that is stepped over all replies so far: it must ask for
the same next thing, byte for byte. A program that knows anything but its outcomes is found at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import TypeAlias

import pytest

from aeon.kernel.effects import Batch, Note, Program
from aeon.kernel.phases import run
from aeon.schema import Config, Outcome, Result, Task

__all__ = ["Mode", "both_ways", "program", "rehearsed", "set_mode"]

Make: TypeAlias = Callable[[Task, Config, str], Program[Result]]
EVERY = 40  # replies; in a longer run a replay after each would take the square of its length: then it is every 40th


class Mode:
    """Which of the two is on."""

    replayed = False


def program(task: Task, config: Config, execution_id: str) -> Program[Result]:
    """The run, as it is, or replayed after every effect."""
    return (rehearsed(run) if Mode.replayed else run)(task, config, execution_id)


def rehearsed(make: Make) -> Make:
    """The same programs, replayed from their beginning after every reply."""

    def again(task: Task, config: Config, execution_id: str) -> Program[Result]:
        replies: list[tuple[Outcome, ...]] = []
        running = make(task, config, execution_id)
        request: Batch | Note | Result = next(running)
        while not isinstance(request, Result):
            replies.append((yield request))
            request = _next(running, replies[-1])
            if not isinstance(request, Note) and _due(len(replies), request):
                found = _stepped(make(task, config, execution_id), replies)
                assert found.model_dump_json() == request.model_dump_json(), f"after {len(replies)} replies"
        return request

    return again


def _due(replies: int, request: Batch | Result) -> bool:
    return replies <= EVERY or replies % EVERY == 0 or isinstance(request, Result)


def _stepped(fresh: Program[Result], replies: Sequence[tuple[Outcome, ...]]) -> Batch | Note | Result:
    """What a program asks for after these replies, or its result."""
    request: Batch | Note | Result = next(fresh)
    for reply in replies:
        assert not isinstance(request, Result), "it ends earlier"
        request = _next(fresh, reply)
    return request


def _next(running: Program[Result], reply: tuple[Outcome, ...]) -> Batch | Note | Result:
    try:
        return running.send(reply)
    except StopIteration as stop:
        result: Result = stop.value
        return result


def both_ways(metafunc: pytest.Metafunc) -> None:
    """Have each test of a module that drives runs made twice."""
    module: ModuleType = metafunc.module
    if hasattr(module, "World") and "mode" in metafunc.fixturenames:
        metafunc.parametrize("mode", ["straight", "replayed"], indirect=True)


def set_mode(request: pytest.FixtureRequest) -> Iterator[None]:
    """What the fixture ``mode`` does."""
    Mode.replayed = getattr(request, "param", "straight") == "replayed"
    yield
    Mode.replayed = False
