"""Handlers on asyncio that answer as a world of the kernel's tests does, and jobs made of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from typing import TypeAlias

from kernel.rehearsal import chosen
from kernel.world import World

from aeon.errors import (
    AllowanceExhausted,
    EndpointTimeout,
    EndpointUnreachable,
    Malformed,
    OutcomeUnknown,
    ToolFailed,
    Waiting,
)
from aeon.kernel.passes import MULTIPASS
from aeon.kernel.ports import Job
from aeon.kernel.table import PassSignals
from aeon.runtime.ledger import current_ledger
from aeon.schema import Config, Failure, Result, Task, Value
from aeon.schema.effects import Effect

__all__ = ["TASK", "Handler", "error_of", "job", "ticking"]

Handler: TypeAlias = Callable[..., Awaitable[Value]]
ERRORS = {
    "endpoint": EndpointUnreachable,
    "request": EndpointTimeout,
    "completion": Malformed,
    "tool": ToolFailed,
    "handler": ValueError,
    "unknown": OutcomeUnknown,
    "waiting": Waiting,
}
TASK = Task(text="How much is it?")


def job(world: World, config: Config | None = None, **handlers: Handler) -> Job[Config, PassSignals, Result]:
    """A job whose effects this world answers, save those that have a handler of their own."""

    async def answer(effect: Effect) -> Value:
        await asyncio.sleep(0)
        world.effects.append(effect)
        reply = world.reply(effect)
        current_ledger().charge(world.price(effect))
        world.asked[effect.phase] += 1
        if isinstance(reply, Failure):
            raise AllowanceExhausted(reply.limit, reply.message) if reply.limit else error_of(reply)
        return reply

    return Job(chosen(MULTIPASS), TASK, config or Config(), dict.fromkeys(MULTIPASS.phases, answer) | handlers)


def error_of(failure: Failure) -> Exception:
    """The exception that a driver translates to such a failure."""
    return ERRORS.get(failure.kind, ValueError)(failure.message)


def ticking() -> Callable[[], float]:
    """A clock that goes on by an eighth of a second whenever it is read."""
    ticks = count(100)
    return lambda: next(ticks) / 8
