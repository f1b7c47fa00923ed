"""The handlers of the graph and of the loop engine: their own, and those that plan, execute and judge steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeAlias, TypeVar

from aeon.assembly import multipass
from aeon.assembly.plugin import Plugin, Services
from aeon.engines.graph.classifier import Classifier
from aeon.engines.graph.config import GraphConfig, WorkConfig
from aeon.engines.graph.memory import Memory
from aeon.engines.graph.program import GRAPH
from aeon.engines.graph.record import Worked
from aeon.engines.graph.reflector import Reflector
from aeon.engines.graph.rules import WorkSignals
from aeon.engines.graph.timing import limit
from aeon.engines.graph.verifier import Verifier
from aeon.engines.graph.view import VIEW
from aeon.engines.loop.program import LOOP
from aeon.kernel.ports import Handlers
from aeon.multipass.effects import DraftPlan, ExecuteStep
from aeon.schema import Config, ModelTier, Reasoning, ToolLoop, WorkForm
from aeon.schema.effects import Effect, Role
from aeon.schema.value import Value

__all__ = ["LOOP_PLUGIN", "PLUGIN"]

C = TypeVar("C", bound=WorkConfig)
_Handler: TypeAlias = Callable[[Effect], Awaitable[Value]]
_SHARED = ("validate_results", "synthesize")
_BESIDE: Mapping[str, tuple[Role, ...]] = {"execute": ("tutor",)}
"""A step is one effect here, so who is asked beside the worker is asked in it."""


def _common(services: Services[C]) -> Handlers:
    """The handlers that both engines have."""
    config, supervisor, briefing = services.config, services.supervisor, services.briefing
    inner = Config(
        output_tokens=config.output_tokens, derivations=config.derivations, roles=config.roles,
        model_tier=config.model_tier,
    )  # fmt: skip
    steps = multipass.PLUGIN.handlers(replace(services, config=inner))  # type: ignore[arg-type]
    memory = Memory(config.experience)

    async def form() -> WorkForm:
        return await multipass.work_form(inner, supervisor, services.tools)

    return {
        **{phase: steps[phase] for phase in _SHARED},
        "plan": _planned(steps["plan"], form),
        "execute": _limited(_formed(steps["execute"], form), config.step_seconds),
        "classify": Classifier(supervisor).classify,
        "recall": memory.recall,
        "note_lesson": memory.note,
        "verify": Verifier(supervisor, briefing).verify,
    }


def _planned(plan: _Handler, form: Callable[[], Awaitable[WorkForm]]) -> Callable[[DraftPlan], Awaitable[Value]]:
    """The handler of plans, whose steps are done in the form of work that the model is good at."""

    async def planned(effect: DraftPlan) -> Value:
        return await plan(effect.changed(profile=effect.profile.changed(form=await form())))

    return planned


def _formed(execute: _Handler, form: Callable[[], Awaitable[WorkForm]]) -> Callable[[ExecuteStep], Awaitable[Value]]:
    """The handler of steps: also the task itself, where no plan could be had, is done in the model's form of work."""

    async def formed(effect: ExecuteStep) -> Value:
        step = effect.step
        if isinstance(step.action, Reasoning):
            step = step.changed(action=ToolLoop(form=await form()))
        return await execute(effect.changed(step=step))

    return formed


def _limited(
    execute: Callable[[ExecuteStep], Awaitable[Value]], seconds: float
) -> Callable[[ExecuteStep], Awaitable[Value]]:
    """The handler of steps with a limit on the time of each."""

    async def limited(effect: ExecuteStep) -> Value:
        async with limit("step", seconds):
            return await execute(effect)

    return limited


def _handlers(services: Services[GraphConfig]) -> Handlers:
    """Those of the graph engine, which reflects too."""
    reflector = Reflector(services.supervisor, services.briefing, services.tools, services.config.look_seconds)
    return {
        **_common(services),
        "choose_look": reflector.choose,
        "look": reflector.look,
        "reflect": reflector.reflect,
    }


_TIERS: Mapping[ModelTier, Mapping[str, object]] = {
    "T1": {"derivations": 1, "verifier": "measured"}, "T2": {}, "T3": {"derivations": 3, "verifier": "model"},
}  # fmt: skip
PLUGIN: Plugin[GraphConfig, WorkSignals, Worked] = Plugin(GRAPH, _handlers, view=VIEW, beside=_BESIDE, tiers=_TIERS)
LOOP_PLUGIN: Plugin[WorkConfig, WorkSignals, Worked] = Plugin(LOOP, _common, view=VIEW, beside=_BESIDE, tiers=_TIERS)
