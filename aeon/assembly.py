"""The composition root: the only place where kernel, modules, models, tools and driver meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from aeon.adaptive.profiler import Profiler
from aeon.convergence.engine import ConvergenceEngine
from aeon.execution.executor import Executor
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.ports import Modules
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.plan.recursive import RecursivePlanner
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import Observer
from aeon.runtime.journal import Journal
from aeon.schema import Config
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.synthesizer import Synthesizer
from aeon.tools.registry import ToolRegistry
from aeon.tools.select import resolve
from aeon.tools.tool import Tool
from aeon.validation.semantic import SemanticValidator

__all__ = ["build"]


def build(
    llm: LLMAdapter | str | None = None,
    tools: Iterable[Tool | str] = ("calculator",),
    config: Config | None = None,
    observers: Iterable[Observer] = (),
    journal: Callable[[], Journal] = Journal,
) -> Orchestrator:
    """An orchestrator, ready to run tasks; without arguments, on the embedded model with the calculator.

    ``llm`` is an adapter, a catalogue name, a path to a GGUF file or the URL of an OpenAI-compatible endpoint; without
    it the environment decides. ``tools`` are tools made with ``@tool``, or names such as ``"files=DIR"``.

    Raises:
        UsageError: a model, tool or setting that does not exist or cannot be used.
        WeightsError: the embedded model had to be fetched and could not be.
    """
    config = config or Config()
    adapter = select(llm)
    chosen = [tool for given in tools for tool in (resolve(given) if isinstance(given, str) else [given])]
    registry = ToolRegistry(chosen, output_bytes=config.tool_output_bytes)
    supervisor = Supervisor(adapter, prompt_bytes=config.prompt_bytes, output_tokens=config.output_tokens)
    briefing = Briefing(registry.describe())
    planner = RecursivePlanner(supervisor, briefing, registry)
    validator = SemanticValidator(supervisor, briefing)
    modules = Modules(
        profile=Profiler(supervisor, briefing).infer,
        plan=planner.draft,
        validate_plan=validator.validate_plan,
        refine_plan=planner.refine,
        execute=Executor(supervisor, briefing, registry, config.output_tokens).execute,
        validate_results=validator.validate_results,
        assess=ConvergenceEngine(supervisor, briefing).assess,
        synthesize=Synthesizer(supervisor, briefing, config.output_tokens).synthesize,
    )
    return Orchestrator(modules, AsyncDriver(observers, journal), config)
