"""The multi-pass engine's handlers: its judgment modules."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial

from aeon.adaptive.profiler import Profiler
from aeon.assembly.plugin import Plugin, Services, outline_of
from aeon.convergence.calibrated import calibrated, experience
from aeon.convergence.engine import ConvergenceEngine
from aeon.derivation.deriver import Deriver
from aeon.documents.binding import bound
from aeon.documents.sentences import sentences
from aeon.execution.executor import Executor
from aeon.execution.turns import TurnTaker
from aeon.execution.tutor import Tutored
from aeon.grounding.citations import cited_claims
from aeon.grounding.prose import checked_sentences
from aeon.grounding.results import grounded, spans_of, told, written_from
from aeon.kernel.passes import MULTIPASS
from aeon.kernel.ports import Handlers
from aeon.kernel.table import PassSignals
from aeon.multipass.effects import (
    AssessConvergence,
    DraftPlan,
    ExecuteStep,
    InferProfile,
    RefinePlan,
    Synthesize,
    TakeTurn,
    UseTool,
    ValidatePlan,
    ValidateResults,
)
from aeon.multipass.plans import is_looped
from aeon.observability.passes.view import VIEW
from aeon.plan.programmer import Programmer
from aeon.plan.reader import CALCULATOR
from aeon.plan.recursive import RecursivePlanner
from aeon.plan.sources import Sources
from aeon.plan.steps import StepPlanner
from aeon.plan.unaided import UnaidedPlanner
from aeon.schema import Answer, Config, ModelTier, Result, SemanticValidationReport, StepResult, TaskProfile, WorkForm
from aeon.schema.effects import Effect, Role
from aeon.schema.value import Value
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.closing import Closer
from aeon.synthesis.synthesizer import Synthesizer
from aeon.tools.lookup import LOOKUP, is_searched
from aeon.validation.semantic import SemanticValidator
from aeon.validation.unfounded import with_unfounded
from aeon.validation.unplaced import unplaced, with_unplaced

__all__ = ["BESIDE", "PLUGIN", "work_form"]

BESIDE: Mapping[str, tuple[Role, ...]] = {"execute": ("tutor",)}
"""What a step's handler asks beside the worker."""
_TIERS: Mapping[ModelTier, Mapping[str, object]] = {
    "T0": {"derivations": 1, "brief": True}, "T1": {"derivations": 1}, "T2": {}, "T3": {"derivations": 3},
}  # fmt: skip
_KEPT = 4
"""Contexts whose index is kept in memory."""


def _handlers(services: Services[Config]) -> Handlers:
    """The judgment modules, each under the name of the phase that it answers.

    How the model works decides which ones: with tools turn by turn, or by programs. A plan shows it by its steps.
    """
    by_program, by_turns = _programmed(services), _Turned(services)

    async def form() -> WorkForm:
        return await work_form(services.config, services.supervisor)

    def answered(phase: str) -> Callable[[Effect], Awaitable[Value]]:
        async def answer(effect: Effect) -> Value:
            turned = await _is_turned(effect, form)
            return await (by_turns.answer(phase, effect) if turned else by_program[phase](effect))

        return answer

    return {phase: answered(phase) for phase in (*by_program, "turn", "use_tool")}


async def work_form(config: Config, supervisor: Supervisor) -> WorkForm:
    """How the model works: as configured, else as measured, else with tools where the endpoint calls them natively.

    Raises:
        ModelError: the endpoint gives no answer to what finds that out.
    """
    if config.form != "auto" or config.model_tier == "T0":
        return "tools" if config.form == "tools" else "program"
    can = await supervisor.capabilities()
    return can.form or ("tools" if can.tools else "program")


async def _is_turned(effect: Effect, form: Callable[[], Awaitable[WorkForm]]) -> bool:
    """Whether an effect is of a run whose model works turn by turn: its plan says so, or it has none yet."""
    match effect:
        case TakeTurn() | UseTool():
            return True
        case InferProfile() | DraftPlan():
            return await form() == "tools"
        case ValidatePlan() | RefinePlan() | ValidateResults() | AssessConvergence() | Synthesize():
            return is_looped(effect.plan)
        case _:
            return False


class _Turned:
    """The modules of a model that works turn by turn, with a search of a task's context where that is long."""

    def __init__(self, services: Services[Config]) -> None:
        self._services = services
        self._made: dict[str, Handlers] = {}

    async def answer(self, phase: str, effect: Effect) -> Value:
        """What the module of the phase says."""
        context = effect.task.context if is_searched(effect.task) else ""
        if not context:
            self._made.setdefault(context, _turning(self._services.looped()))
        elif context not in self._made:  # its index takes seconds where it has megabytes
            made = await asyncio.to_thread(lambda: _turning(self._services.looped(context)))
            self._made = {**dict(list(self._made.items())[1 - _KEPT :]), context: made}
        seen = effect.changed(task=effect.task.changed(context="")) if context and phase == "turn" else effect
        return await self._made[context][phase](seen)


def _turning(services: Services[Config]) -> Handlers:
    """The modules of a model that works turn by turn."""
    config, briefing, supervisor = services.config, services.briefing, services.supervisor
    engine = config.reasoning_engine
    judging = services.supervisor_of(engine.evaluate.eval_model)
    outline = replace(briefing, material=outline_of(briefing.material))
    able = bool(set(services.tools.offered) - {CALCULATOR})
    missing = partial(unplaced, able=able)
    judged = config.model_tier not in ("T0", "T1")
    validator = SemanticValidator(judging, outline, missing=missing, thresholds=config.convergence, judged=judged)
    planner = StepPlanner(supervisor, briefing)
    refiner = StepPlanner(services.supervisor_of(engine.refine.refinement_model), briefing)
    worker = TurnTaker(supervisor, briefing, services.tools, config.output_tokens)
    closer = Closer(supervisor, briefing, config.output_tokens)
    confidence = calibrated(engine.state_monitor)

    async def checked(effect: ValidateResults) -> SemanticValidationReport:
        return with_unplaced(effect, await validator.validate_results(effect), able)

    async def answered(effect: Synthesize) -> Answer:
        return _grounded(effect, await closer.close(effect), able)

    return {
        "profile": Profiler(supervisor, briefing, "tools").infer,
        "plan": planner.draft,
        "validate_plan": validator.validate_plan,
        "refine_plan": refiner.refine,
        "turn": worker.turn,
        "use_tool": worker.use,
        "validate_results": checked,
        "assess": ConvergenceEngine(judging, outline, engine, confidence, judged=judged).assess,
        "synthesize": answered,
    }


def _grounded(effect: Synthesize, answer: Answer, able: bool = False) -> Answer:
    """The answer with what each of its values and sentences rests on, where the model was ``able`` to look."""
    claims = grounded(answer.text, effect.task, effect.plan, effect.calculations, able)
    spans = ((one.start, one.end) for one in sentences(answer.text))
    done = (step for step in effect.plan.steps if step.status == "complete")
    return answer.changed(claims=claims, sentence_checks=checked_sentences(answer.text, spans, claims, spans_of(done)))


def _programmed(services: Services[Config]) -> Handlers:
    """The modules of a model that works by programs.

    A context that is too long for prompts is a text that is searched: then the modules are made with a search of it,
    and the planner is shown the sentences that it finds. With tools of the user's own, only plans in steps use both.
    """
    plain, tools = _modules(services), services.tools
    may_search = services.config.thorough or not tools.offered or Programmer(services.supervisor, tools).able
    if not may_search or (LOOKUP in tools.names and not tools.get(LOOKUP).reading):
        return plain
    searching = _Searching(services)

    def answered(phase: str) -> Callable[[Effect], Awaitable[Value]]:
        def answer(effect: Effect) -> Awaitable[Value]:
            return searching.answer(phase, effect) if is_searched(effect.task) else plain[phase](effect)

        return answer

    return {phase: answered(phase) for phase in plain}


class _Searching:
    """The judgment modules with a search of a task's context, for the latest few contexts."""

    def __init__(self, services: Services[Config]) -> None:
        self._services = services
        self._made: dict[str, Handlers] = {}

    async def answer(self, phase: str, effect: Effect) -> Value:
        context = effect.task.context
        if context not in self._made:  # its index takes seconds where it has megabytes
            made = await asyncio.to_thread(lambda: _modules(self._services.searching(context)))
            self._made = {**dict(list(self._made.items())[1 - _KEPT :]), context: made}
        seen = effect.changed(task=effect.task.changed(context="")) if isinstance(effect, DraftPlan) else effect
        return await self._made[context][phase](seen)


def _modules(services: Services[Config]) -> Handlers:
    """The judgment modules of these services."""
    config, supervisor, briefing, tools = services.config, services.supervisor, services.briefing, services.tools
    engine = config.reasoning_engine
    judging = services.supervisor_of(engine.evaluate.eval_model)
    refining = services.supervisor_of(engine.refine.refinement_model)
    unaided, judged = config.model_tier == "T0", config.model_tier not in ("T0", "T1")
    validator = SemanticValidator(judging, briefing, thresholds=config.convergence, judged=judged)
    short = Programmer(supervisor, tools).able and not config.thorough
    confidence = calibrated(engine.state_monitor)
    known = experience(engine.state_monitor, services.author)
    assessor = ConvergenceEngine(
        judging, briefing, engine=engine, confidence=confidence, experience=known, judged=judged, unaided=unaided
    )
    synthesizer = Synthesizer(supervisor, briefing, config.output_tokens, config.brief)

    async def checked(effect: ValidateResults) -> SemanticValidationReport:
        report = await validator.validate_results(effect)
        return with_unfounded(effect, report, able=bool(set(tools.offered) - {CALCULATOR}))

    async def answered(effect: Synthesize) -> Answer:
        answer = await synthesizer.synthesize(effect)
        if sources := written_from(effect.plan):
            cited = bound(answer.text, effect.task.text, sources)
            return answer.changed(claims=cited_claims(answer.text, told(effect.task), cited))
        return _grounded(effect, answer)

    return {
        "profile": _unprofiled if unaided else Profiler(supervisor, briefing, "program", short=short).infer,
        "plan": _planner(services).draft,
        "validate_plan": validator.validate_plan,
        "refine_plan": RecursivePlanner(refining, briefing, tools, engine.refine).refine,
        "execute": _execute(services),
        "derive": Deriver(supervisor, Sources(tools).shown).derive,
        "validate_results": checked,
        "assess": assessor.assess,
        "synthesize": answered,
    }


async def _unprofiled(_: Effect) -> TaskProfile:
    """The profile of a run that has no model to ask."""
    return TaskProfile(inferred=False, form="program")


def _planner(services: Services[Config]) -> RecursivePlanner | UnaidedPlanner:
    """The planner; at the lowest model tier, the one that asks no model."""
    config = services.config
    if config.model_tier == "T0":
        return UnaidedPlanner(services.tools)
    return RecursivePlanner(
        services.supervisor, services.briefing, services.tools, None, config.thorough, config.derivations
    )


def _execute(services: Services[Config]) -> Callable[[ExecuteStep], Awaitable[StepResult]]:
    """What does steps; where there is a tutor, with it."""
    config = services.config
    twice = config.derivations > 1
    executor = Executor(services.supervisor, services.briefing, services.tools, config.output_tokens, twice)
    if not config.roles.tutor:
        return executor.execute
    tutor = services.of_role("tutor").supervisor
    return Tutored(executor, tutor, config.output_tokens, shared=tutor is services.supervisor).execute


def _models(config: Config) -> tuple[str, ...]:
    engine = config.reasoning_engine
    return tuple(name for name in (engine.evaluate.eval_model, engine.refine.refinement_model) if name)


PLUGIN: Plugin[Config, PassSignals, Result] = Plugin(MULTIPASS, _handlers, _models, VIEW, beside=BESIDE, tiers=_TIERS)
