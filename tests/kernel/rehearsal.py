"""Everything about runs is tested twice: straight, and with a replay after every effect.

In the second mode each reply is followed by a fresh program that is stepped over all replies so far: it must ask for
the same next thing, byte for byte. A program that knows anything but its outcomes is found at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import TypeAlias, TypeVar

import pytest

from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine, Run
from aeon.schema import Conclusion, Outcome, Settings
from aeon.schema.effects import Batch, Note, Program

__all__ = ["Mode", "both_ways", "chosen", "rehearsed", "set_mode"]

C = TypeVar("C", bound=Settings)
S = TypeVar("S", bound=Signals)
R = TypeVar("R", bound=Conclusion)
Request: TypeAlias = Batch | Note | Conclusion
EVERY = 40  # replies; in a longer run a replay after each would take the square of its length: then it is every 40th


class Mode:
    """Which of the two is on."""

    replayed = False


def chosen(engine: Engine[C, S, R]) -> Engine[C, S, R]:
    """The engine as it is, or with a program that is replayed after every reply."""
    return rehearsed(engine) if Mode.replayed else engine


def rehearsed(engine: Engine[C, S, R]) -> Engine[C, S, R]:
    """The same engine; its programs are replayed from their beginning after every reply."""

    def program(run: Run[C, S]) -> Program[R]:
        task, config, replies = run.task, run.config, []
        running = engine.program(run)
        request = _next(lambda: next(running))
        while not isinstance(request, engine.result):
            replies.append((yield request))
            request = _next(lambda: running.send(replies[-1]))
            if not isinstance(request, Note) and _due(len(replies), request):
                again = _stepped(engine.program(engine.start(task, config, run.execution_id)), replies)
                assert again.model_dump_json() == request.model_dump_json(), f"after {len(replies)} replies"
        return request

    return replace(engine, program=program)


def _due(replies: int, request: Request) -> bool:
    return replies <= EVERY or replies % EVERY == 0 or isinstance(request, Conclusion)


def _stepped(fresh: Program[R], replies: Sequence[tuple[Outcome, ...]]) -> Request:
    """What a program asks for after these replies, or its result."""
    request = _next(lambda: next(fresh))
    for reply in replies:
        assert not isinstance(request, Conclusion), "it ends earlier"
        request = _next(lambda: fresh.send(reply))  # noqa: B023 - called at once
    return request


def _next(step: Callable[[], Batch | Note]) -> Request:
    try:
        return step()
    except StopIteration as stop:
        result: Conclusion = stop.value
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
