"""The multi-pass engine's handlers: its judgment modules."""

from __future__ import annotations

from aeon.adaptive.profiler import Profiler
from aeon.assembly.plugin import Plugin, Services
from aeon.convergence.calibrated import calibrated, experience
from aeon.convergence.engine import ConvergenceEngine
from aeon.derivation.deriver import Deriver
from aeon.execution.executor import Executor
from aeon.grounding.results import grounded
from aeon.kernel.ports import Handlers
from aeon.multipass.effects import Synthesize, ValidateResults
from aeon.multipass.program import MULTIPASS
from aeon.multipass.rules import PassSignals
from aeon.plan.programmer import Programmer
from aeon.plan.reader import CALCULATOR
from aeon.plan.recursive import RecursivePlanner
from aeon.schema import Answer, Config, Result, SemanticValidationReport
from aeon.synthesis.synthesizer import Synthesizer
from aeon.validation.semantic import SemanticValidator
from aeon.validation.unfounded import with_unfounded

__all__ = ["PLUGIN"]


def _handlers(services: Services[Config]) -> Handlers:
    """The judgment modules, each under the name of the phase that it answers."""
    config, supervisor, briefing, tools = services.config, services.supervisor, services.briefing, services.tools
    engine = config.reasoning_engine
    judging = services.supervisor_of(engine.evaluate.eval_model)
    refining = services.supervisor_of(engine.refine.refinement_model)
    validator = SemanticValidator(judging, briefing)
    short = Programmer(supervisor, tools).able and not config.thorough
    confidence = calibrated(engine.state_monitor)
    known = experience(engine.state_monitor, services.adapter.name)
    synthesizer = Synthesizer(supervisor, briefing, config.output_tokens, config.brief)

    async def checked(effect: ValidateResults) -> SemanticValidationReport:
        report = await validator.validate_results(effect)
        return with_unfounded(effect, report) if set(tools.offered) - {CALCULATOR} else report

    async def answered(effect: Synthesize) -> Answer:
        answer = await synthesizer.synthesize(effect)
        return answer.changed(claims=grounded(answer.text, effect.task, effect.plan))

    return {
        "profile": Profiler(supervisor, briefing, waits=short).infer,
        "plan": RecursivePlanner(supervisor, briefing, tools, thorough=config.thorough).draft,
        "validate_plan": validator.validate_plan,
        "refine_plan": RecursivePlanner(refining, briefing, tools, engine.refine).refine,
        "execute": Executor(supervisor, briefing, tools, config.output_tokens).execute,
        "derive": Deriver(supervisor).derive,
        "validate_results": checked,
        "assess": ConvergenceEngine(judging, briefing, engine=engine, confidence=confidence, experience=known).assess,
        "synthesize": answered,
    }


def _models(config: Config) -> tuple[str, ...]:
    engine = config.reasoning_engine
    return tuple(name for name in (engine.evaluate.eval_model, engine.refine.refinement_model) if name)


PLUGIN: Plugin[Config, PassSignals, Result] = Plugin(MULTIPASS, _handlers, _models)
