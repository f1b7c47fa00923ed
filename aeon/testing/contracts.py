"""Holding a handler to its contract: what it returns for sample effects is what its engine's program can rely on."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator

from aeon.errors import AeonError
from aeon.runtime.ledger import Ledger
from aeon.runtime.replay import AnyEngine
from aeon.schema import Reply, Value
from aeon.schema.effects import AskUser, Effect
from aeon.testing import multipass, report, research
from aeon.testing.samples import phases, samples

__all__ = ["AnyHandler", "check_handler", "check_handlers"]

AnyHandler: TypeAlias = Callable[[Any], Coroutine[Any, Any, object]]
"""A coroutine that answers the effects of one phase: a method of a class, or a function."""


async def check_handlers(engine: AnyEngine, handlers: Mapping[str, AnyHandler]) -> list[str]:
    """What handlers, by phase, do that the engine's contracts forbid, one line for each; nothing if they keep to them.

    A phase without a handler is a violation; a question needs none. Handlers for the effects of engines that it runs
    within its own are checked with those engines.

    Raises:
        UsageError: as for `check_handler`.
    """
    answered = engine.phases.keys()
    violations = [f"{phase}: no handler answers it" for phase in answered if phase not in (AskUser.phase, *handlers)]
    for phase in phases(engine):
        if phase in handlers:
            violations += await check_handler(engine, phase, handlers[phase])
    return violations


async def check_handler(engine: AnyEngine, phase: str, handler: AnyHandler, effect: Effect | None = None) -> list[str]:
    """What the handler does that its contract forbids, one line for each; nothing if it keeps to it.

    It is tried on ``effect``, or on every sample of the phase. It may raise an ``AeonError`` where it has no answer:
    that is a typed failure, and a program has a fallback for it. It may not spend more than the effect allows.

    Raises:
        UsageError: the engine has no such phase, or no sample can be made of its effect, so that one must be passed.
    """
    effects = samples(engine, phase) if effect is None else (effect,)
    violations: list[str] = []
    for number, sample in enumerate(effects):
        violations += [f"{phase}, sample {number}: {violation}" for violation in await _violations(handler, sample)]
    return violations


async def _violations(handler: AnyHandler, effect: Effect) -> list[str]:
    """What is wrong with what the handler does for one effect."""
    ledger = Ledger(effect.allowance)
    value: object = None
    failed: list[str] | None = None
    try:
        with ledger:
            value = await handler(effect)
    except AeonError:
        failed = []
    except Exception as error:  # noqa: BLE001 - whatever a handler raises is what is reported here
        failed = [f"it raised {type(error).__name__}, which is no AeonError: {error}"]
    over = ledger.spent.calls - effect.allowance.calls
    spent = [f"it made {ledger.spent.calls} model calls, {effect.allowance.calls} were allowed"] if over > 0 else []
    if failed is not None:
        return spent + failed
    if not isinstance(value, effect.result):
        return [*spent, f"it returned {type(value).__name__}, not {effect.result.__name__}"]
    return [*spent, *_faults(value), *_contradictions(effect, value)]


def _faults(value: Value) -> list[str]:
    """Where a value, as JSON, does not fit the schema of its own type."""
    checker = Draft202012Validator(type(value).model_json_schema(mode="validation"))
    errors = checker.iter_errors(value.model_dump(mode="json"))
    return [f"{'/'.join(map(str, error.absolute_path)) or 'value'}: {error.message}" for error in errors]


def _contradictions(effect: Effect, value: Value) -> Iterator[str]:
    """What no schema can say: whether the result makes sense as an answer to this effect."""
    if isinstance(effect, AskUser) and isinstance(value, Reply):
        yield from _of_reply(effect, value)
    yield from multipass.contradictions(effect, value)
    yield from research.contradictions(effect, value)
    yield from report.contradictions(effect, value)


def _of_reply(effect: AskUser, reply: Reply) -> Iterator[str]:
    if not reply.text.strip():
        yield "the reply is empty"
    if reply.assumed and reply.text != effect.question.default:
        yield "the reply is assumed, and is not the question's default"
