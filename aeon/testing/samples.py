"""Sample effects of an engine's phases: those that its own file holds, else those that follow from their schemas."""

from __future__ import annotations

from pydantic import ValidationError

from aeon.errors import UsageError
from aeon.runtime.replay import AnyEngine
from aeon.schema import Allowance, JsonObject, Task
from aeon.schema.effects import AskUser, Effect
from aeon.testing import multipass, report, research
from aeon.testing.obliging import plainest
from aeon.testing.tasks import ANSWERED, PLAIN, QUESTIONS, TASKS

__all__ = ["phases", "samples"]


def phases(engine: AnyEngine) -> dict[str, type[Effect]]:
    """The effects that a handler of this engine may be tried with, by phase; those of nested engines are theirs."""
    effects: tuple[type[Effect], ...] = (*engine.effects, AskUser)
    return {effect.phase: effect for effect in effects}


def samples(engine: AnyEngine, phase: str) -> tuple[Effect, ...]:
    """Effects to try a handler of this phase with, each allowed what the default configuration allows.

    Raises:
        UsageError: the engine has no such phase, or no sample can be made from the schema of its effect.
    """
    kinds = phases(engine)
    if phase not in kinds:
        raise UsageError(f"engine '{engine.name}' has no effect of its own called '{phase}'; it has {', '.join(kinds)}")
    kind, allowance = kinds[phase], Allowance(calls=engine.config().caps.of(phase))
    own = multipass.SAMPLES.get(kind) or research.SAMPLES.get(kind) or report.SAMPLES.get(kind)
    effects = _ASKED if kind is AskUser else own or _derived(kind)
    return tuple(effect.changed(allowance=allowance) for effect in effects)


def _derived(kind: type[Effect]) -> tuple[Effect, ...]:
    """The plainest effects of this kind, one for each task; and one whose optional fields are filled, too."""
    schema: JsonObject = kind.model_json_schema()
    fields = plainest(schema)
    assert isinstance(fields, dict)
    required = schema.get("required")
    least = {name: fields[name] for name in required if isinstance(name, str)} if isinstance(required, list) else {}
    try:
        return (*(_of_task(kind, least, task) for task in TASKS), _of_task(kind, fields, PLAIN))
    except ValidationError as error:
        reason = error.errors()[0]
        why = f"{'.'.join(str(part) for part in reason['loc'])}: {reason['msg']}"
        raise UsageError(f"no sample of '{kind.phase}' follows from its schema ({why}); pass an effect") from None


def _of_task(kind: type[Effect], fields: JsonObject, task: Task) -> Effect:
    return kind.model_validate({**fields, "task": task, "after": (), "role": "worker", "scope": ""})


_ASKED = tuple(AskUser(task=task, question=question) for task in (PLAIN, ANSWERED) for question in QUESTIONS)
