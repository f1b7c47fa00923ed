"""Handlers on asyncio that answer as a world of the kernel's tests does, and jobs made of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count

from aeon.errors import AllowanceExhausted, Malformed, ModelError, OutcomeUnknown, ToolFailed, Waiting
from aeon.kernel.effects import Effect
from aeon.kernel.ports import Job, Modules
from aeon.runtime.ledger import current_ledger
from aeon.schema import Config, Failure, Value, Task
from kernel.rehearsal import program
from kernel.world import World

ERRORS = {
    "endpoint": ModelError, "completion": Malformed, "tool": ToolFailed, "handler": ValueError,
    "unknown": OutcomeUnknown, "waiting": Waiting,
}  # fmt: skip
TASK = Task(text="How much is it?")


def job(world: World, config: Config | None = None, **handlers: Callable[[Effect], Awaitable[Value]]) -> Job:
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

    by_phase = {name: answer for name in Modules._fields} | handlers
    return Job(program, TASK, config or Config(), Modules(**by_phase))  # type: ignore[arg-type]


def error_of(failure: Failure) -> Exception:
    """The exception that a driver translates to such a failure."""
    return ERRORS.get(failure.kind, ValueError)(failure.message)


def ticking() -> Callable[[], float]:
    """A clock that goes on by an eighth of a second whenever it is read."""
    ticks = count(100)
    return lambda: next(ticks) / 8
