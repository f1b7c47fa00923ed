"""The multi-pass engine's handlers: its judgment modules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial

from aeon.adaptive.profiler import Profiler
from aeon.assembly.forms import form_of
from aeon.assembly.plugin import Plugin, Services, outline_of
from aeon.assembly.whole import WholeSteps
from aeon.convergence.calibrated import calibrated, experience
from aeon.convergence.engine import ConvergenceEngine
from aeon.documents.sentences import sentences
from aeon.execution import tutor as tutored_turns
from aeon.execution.texts import TextWriter
from aeon.execution.turns import TurnTaker
from aeon.grounding.prose import checked_sentences
from aeon.grounding.results import LatestEvidence, spans_of
from aeon.isolation.aside import aside
from aeon.kernel.passes import MULTIPASS
from aeon.kernel.ports import Handlers
from aeon.kernel.table import PassSignals
from aeon.multipass.effects import EFFECTS, Synthesize, TakeTurn, ValidateResults
from aeon.multipass.plans import is_by_programs
from aeon.observability.passes.view import VIEW
from aeon.plan.steps import StepPlanner
from aeon.programs import tutor as tutored_programs
from aeon.programs.reader import CALCULATOR
from aeon.programs.runner import ProgramRunner
from aeon.programs.unaided import UnaidedWriter
from aeon.programs.weigher import ResultWeigher
from aeon.programs.writer import ProgramWriter
from aeon.schema import Answer, Config, ModelTier, Result, SemanticValidationReport, TaskProfile, Turn, WorkForm
from aeon.schema.effects import Effect, Role
from aeon.schema.value import Value
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.closing import Closer
from aeon.tools.lookup import is_searched
from aeon.tools.registry import ToolRegistry
from aeon.validation.semantic import SemanticValidator
from aeon.validation.unplaced import unplaced, with_unplaced

__all__ = ["BESIDE", "PLUGIN", "work_form"]

BESIDE: Mapping[str, tuple[Role, ...]] = {"turn": ("tutor",), "write": ("tutor",)}
"""Who is asked beside the worker: a tutor does again what the worker could not settle."""
_TIERS: Mapping[ModelTier, Mapping[str, object]] = {
    "T0": {"derivations": 1, "brief": True}, "T1": {"derivations": 1}, "T2": {}, "T3": {"derivations": 3},
}  # fmt: skip
_PHASES = tuple(effect.phase for effect in EFFECTS)
_SEARCHED = ("turn", "write", "run_program", "weigh")
"""Phases that see a long context only as a text that is searched."""
_KEPT = 4
"""Contexts whose index is kept in memory."""


def _handlers(services: Services[Config]) -> Handlers:
    """The judgment modules, each under the name of the phase that it answers.

    A context that is too long for prompts is a text that is searched: then the modules are made with a search of it.
    """
    searching = _Searching(services)

    def answered(phase: str) -> Callable[[Effect], Awaitable[Value]]:
        def answer(effect: Effect) -> Awaitable[Value]:
            return searching.answer(phase, effect)

        return answer

    parts: Handlers = {phase: answered(phase) for phase in _PHASES}
    config = services.config
    return {**parts, "execute": WholeSteps(parts, config.limits.turns_per_step, config.derivations).execute}


async def work_form(config: Config, supervisor: Supervisor, tools: ToolRegistry | None = None) -> WorkForm:
    """How the model works: as configured, else as measured, else with tools where the endpoint calls them natively.

    Programs change nothing: where a tool does, it is called turn by turn.

    Raises:
        ModelError: the endpoint gives no answer to what finds that out.
    """
    if config.form != "auto" or config.model_tier == "T0":
        return "tools" if config.form == "tools" else "program"
    if tools is not None and any(tools.get(name).side_effects for name in tools.offered):
        return "tools"
    return await form_of(supervisor)


class _Searching:
    """The modules, with a search of a task's context where that is long, for the latest few contexts."""

    def __init__(self, services: Services[Config]) -> None:
        self._services = services
        self._made: dict[str, Handlers] = {"": _modules(services, "")}  # what is wrong with the settings shows here

    async def answer(self, phase: str, effect: Effect) -> Value:
        """What the module of the phase says."""
        context = effect.task.context if is_searched(effect.task) else ""
        if not context and context not in self._made:
            self._made = {**self._made, context: _modules(self._services, context)}
        elif context not in self._made:  # its index takes seconds where it has megabytes
            made = await aside(lambda: _modules(self._services, context))
            kept = list(self._made.items())[1 - _KEPT :]
            self._made = {**dict(kept), context: made}
        seen = effect.changed(task=effect.task.changed(context="")) if context and _is_searching(effect) else effect
        return await self._made[context][phase](seen)


def _is_searching(effect: Effect) -> bool:
    """Whether an effect sees a long context as a text that is searched; one that writes sees its start and its end."""
    writing = isinstance(effect, TakeTurn) and is_by_programs(effect.step)
    return effect.phase in _SEARCHED and not writing


def _modules(services: Services[Config], context: str) -> Handlers:
    """The judgment modules of these services, with a long ``context`` among what is searched."""
    programs = services.searching(context) if context else services
    services = services.looped(context)
    config, briefing, supervisor = services.config, services.briefing, services.supervisor
    engine = config.reasoning_engine
    judging = services.supervisor_of(engine.evaluate.eval_model)
    outline = replace(briefing, material=outline_of(briefing.material))
    able = bool(set(services.tools.offered) - {CALCULATOR})
    evidence = LatestEvidence()
    missing = partial(unplaced, able=able, evidence=evidence)
    unaided, judged = config.model_tier == "T0", config.model_tier not in ("T0", "T1")
    validator = SemanticValidator(judging, outline, missing=missing, thresholds=config.convergence, judged=judged)
    planner = StepPlanner(supervisor, briefing)
    refiner = StepPlanner(services.supervisor_of(engine.refine.refinement_model), briefing, engine.refine)
    worker = TurnTaker(supervisor, briefing, services.tools, config.output_tokens)
    closer = Closer(supervisor, briefing, config.output_tokens, config.brief)
    confidence = calibrated(engine.state_monitor)
    known = experience(engine.state_monitor, services.author)
    assessor = ConvergenceEngine(
        judging, outline, engine, confidence, experience=known, evidence=evidence,
        judge="tools" if unaided else "model" if judged else "nobody",
    )  # fmt: skip
    form = partial(work_form, config, supervisor, programs.tools)

    async def checked(effect: ValidateResults) -> SemanticValidationReport:
        report = await validator.validate_results(effect)
        return await aside(partial(with_unplaced, effect, report, able, evidence))

    async def answered(effect: Synthesize) -> Answer:
        answer = await closer.close(effect)
        return await aside(partial(_grounded, effect, answer, evidence, able))

    return {
        "turn": partial(_turn, _turns(services, worker), TextWriter(supervisor, briefing, config.output_tokens)),
        "use_tool": worker.use,
        "write": UnaidedWriter(programs.tools).write if unaided else _writer(services, programs.tools).write,
        "run_program": ProgramRunner(supervisor, programs.tools).run,
        "weigh": ResultWeigher(judging, programs.tools).weigh,
        "profile": _unprofiled if unaided else Profiler(supervisor, briefing, form, short=not config.thorough).infer,
        "plan": planner.draft,
        "validate_plan": validator.validate_plan,
        "refine_plan": refiner.refine,
        "validate_results": checked,
        "assess": assessor.assess,
        "synthesize": answered,
    }


async def _unprofiled(_: Effect) -> TaskProfile:
    """The profile of a run that has no model to ask."""
    return TaskProfile(inferred=False, form="program")


async def _turn(taker: TurnTaker | tutored_turns.Tutored, writer: TextWriter, effect: TakeTurn) -> Turn:
    """The next turn; of a step that is done by programs, the text that they found to be wanted."""
    return await (writer if is_by_programs(effect.step) else taker).turn(effect)


def _turns(services: Services[Config], worker: TurnTaker) -> TurnTaker | tutored_turns.Tutored:
    """Who takes turns: the worker, and where there is one the tutor."""
    config, briefing = services.config, services.briefing
    if not config.roles.tutor:
        return worker
    other = services.of_role("tutor").supervisor
    return tutored_turns.Tutored(
        worker, TurnTaker(other, briefing, services.tools, config.output_tokens), other.llm.name
    )


def _writer(services: Services[Config], tools: ToolRegistry) -> ProgramWriter | tutored_programs.Tutored:
    """Who writes programs: the worker, and where there is one the tutor."""
    config, briefing = services.config, services.briefing
    writer = ProgramWriter(services.supervisor, briefing, tools, config.derivations)
    if not config.roles.tutor:
        return writer
    other = services.of_role("tutor").supervisor
    return tutored_programs.Tutored(writer, ProgramWriter(other, briefing, tools, config.derivations), other.llm.name)


def _grounded(effect: Synthesize, answer: Answer, evidence: LatestEvidence, able: bool) -> Answer:
    """The answer with what each of its values and sentences rests on, where the model was ``able`` to look."""
    claims = evidence.of(effect.task, effect.plan).claims(answer.text, effect.calculations, able)
    spans = ((one.start, one.end) for one in sentences(answer.text))
    done = (step for step in effect.plan.steps if step.status == "complete")
    return answer.changed(claims=claims, sentence_checks=checked_sentences(answer.text, spans, claims, spans_of(done)))


def _models(config: Config) -> tuple[str, ...]:
    engine = config.reasoning_engine
    return tuple(name for name in (engine.evaluate.eval_model, engine.refine.refinement_model) if name)


PLUGIN: Plugin[Config, PassSignals, Result] = Plugin(MULTIPASS, _handlers, _models, VIEW, beside=BESIDE, tiers=_TIERS)
