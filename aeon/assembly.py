"""The composition root: the only place where kernel, modules, models, tools and driver meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from aeon.adaptive.profiler import Profiler
from aeon.asking.asker import Answerer, Asker
from aeon.convergence.calibrated import calibrated
from aeon.convergence.engine import ConvergenceEngine
from aeon.execution.executor import Executor
from aeon.errors import UsageError
from aeon.kernel.budget import bound
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.phases import run
from aeon.kernel.ports import Job, Modules
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select
from aeon.plan.recursive import RecursivePlanner
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import Observer
from aeon.runtime.journal import Journal
from aeon.runtime.replay import standing, take_up
from aeon.schema import Config, JsonObject, JsonValue, Price, Question, Result
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis.synthesizer import Synthesizer
from aeon.tools.registry import ToolRegistry
from aeon.tools.select import portable, resolve
from aeon.tools.tool import Tool
from aeon.validation.semantic import SemanticValidator

__all__ = ["Resumption", "Unattended", "assemble", "build", "priced", "resume", "resumption"]

Unattended: TypeAlias = Literal["assume", "suspend"] | None
"""What becomes of questions that nobody is there to answer; ``None``: what the configuration says."""

_OWN = "@"


def build(
    llm: LLMAdapter | str | None = None,
    tools: Iterable[Tool | str] = ("calculator",),
    config: Config | None = None,
    observers: Iterable[Observer] = (),
    journal: Callable[[], Journal] = Journal,
    ask: Answerer | None = None,
    spec: str | None = None,
) -> Orchestrator:
    """An orchestrator, ready to run tasks; without arguments, on the embedded model with the calculator.

    ``llm`` is an adapter, a catalogue name, a path to a GGUF file or the URL of an OpenAI-compatible endpoint; without
    it the environment decides. ``tools`` are tools made with ``@tool``, or names such as ``"files=DIR"``. ``ask``
    answers the questions of a run; without it ``config.questions.unattended`` says what becomes of them. ``spec`` is
    what an adapter was selected by: kept in the journal, so that the run can be taken up on the same model.

    Raises:
        UsageError: a model, tool or setting that does not exist or cannot be used.
        WeightsError: the embedded model had to be fetched and could not be.
    """
    config = config or Config()
    given = tuple(tools)
    adapter = select(llm)
    config = priced(config, adapter)
    setup: JsonObject = {
        "model": llm if isinstance(llm, str) else spec,
        "model_name": adapter.name,
        "tools": [portable(tool) if isinstance(tool, str) else f"{_OWN}{tool.name}" for tool in given],
    }
    driver = AsyncDriver(observers, journal, setup=setup)
    return Orchestrator(assemble(adapter, given, config, ask), driver, config)


def assemble(
    adapter: LLMAdapter,
    tools: Iterable[Tool | str],
    config: Config,
    ask: Answerer | None = None,
    unattended: Unattended = None,
) -> Modules:
    """The judgment modules, each under the name of the phase that it answers.

    Raises:
        UsageError: a tool, a model of the configuration or a calibration that does not exist or cannot be used.
    """
    engine = config.reasoning_engine
    chosen = [tool for given in tools for tool in (resolve(given) if isinstance(given, str) else [given])]
    registry = ToolRegistry(chosen, output_bytes=config.tool_output_bytes)
    supervisor = _supervisor(adapter, config)
    judging = _supervisor(adapter, config, engine.evaluate.eval_model)
    refining = _supervisor(adapter, config, engine.refine.refinement_model)
    confidence = calibrated(engine.state_monitor)
    briefing = Briefing(registry.describe())
    validator = SemanticValidator(judging, briefing)
    return Modules(
        profile=Profiler(supervisor, briefing).infer,
        plan=RecursivePlanner(supervisor, briefing, registry).draft,
        validate_plan=validator.validate_plan,
        refine_plan=RecursivePlanner(refining, briefing, registry, engine.refine).refine,
        execute=Executor(supervisor, briefing, registry, config.output_tokens).execute,
        validate_results=validator.validate_results,
        assess=ConvergenceEngine(judging, briefing, engine=engine, confidence=confidence).assess,
        ask=Asker(ask, unattended or config.questions.unattended).ask,
        synthesize=Synthesizer(supervisor, briefing, config.output_tokens).synthesize,
    )


def priced(config: Config, adapter: LLMAdapter) -> Config:
    """The configuration with the prices of just the models that a run on ``adapter`` uses: its bound rests on them.

    Raises:
        UsageError: a model of the configuration does not exist.
    """
    own = (config.reasoning_engine.evaluate.eval_model, config.reasoning_engine.refine.refinement_model)
    models = [adapter, *(select(name) for name in own if name)]
    return config.model_copy(update={"prices": {model.name: _price(model, config) for model in models}})


def _price(adapter: LLMAdapter, config: Config) -> Price | None:
    """The price that is set for a model, nothing for one that is free; ``None`` where it is not known."""
    return config.prices.get(adapter.name) or (Price(input=0, output=0) if adapter.free else None)


def _supervisor(adapter: LLMAdapter, config: Config, model: str = "") -> Supervisor:
    """The supervisor of the run's model, or of one of its own."""
    chosen = select(model) if model else adapter
    price = _price(chosen, config)
    return Supervisor(chosen, prompt_bytes=config.prompt_bytes, output_tokens=config.output_tokens, price=price)


class Resumption(NamedTuple):
    """A run that can be gone on with. ``model`` answers it; ``question`` is what it waits for, if it waits."""

    driver: AsyncDriver
    job: Job
    model: LLMAdapter
    question: Question | None

    def execute(self) -> Result:
        """Go on with the run to its end: nothing is done again that was done."""
        return self.driver.execute(self.job)


def resumption(
    journal: Journal,
    llm: LLMAdapter | str | None = None,
    tools: Iterable[Tool | str] | None = None,
    observers: Iterable[Observer] = (),
    ask: Answerer | None = None,
    answer: str | None = None,
    unattended: Unattended = None,
) -> Resumption:
    """What it takes to go on with the run of a journal, from `Journal.reopen`, or in memory.

    Model and tools are those of the run unless others are given; tools that were passed as objects must be passed
    again. ``answer`` answers the question that the run waits for. ``unattended`` says what becomes of others that
    nobody answers, this time; the run's configuration stays as it is.

    Raises:
        UsageError: an answer to no question, tools that only the caller has, or a model without a price where those of
            the run have one.
        Divergence: the journal is of another program or version.
    """
    found = standing(journal)
    if answer is not None and found.question is None:
        raise UsageError("the run waits for no answer: nothing was asked; leave the answer out")
    opening = journal.opened
    adapter = select(llm if llm is not None else _text(opening.setup.get("model")))
    if bound(journal.config).cost is not None and _price(adapter, journal.config) is None:
        raise UsageError(f"the run's cost is bounded, but {adapter.name} has no price; fork the run and set one")
    known = _recorded(opening.setup) if tools is None else tools
    modules = assemble(adapter, known, journal.config, _first(answer, ask), unattended)
    take_up(journal, found)
    driver = AsyncDriver(observers, lambda: journal)
    return Resumption(driver, Job(run, opening.task, opening.config, modules), adapter, found.question)


def resume(
    path: Path | str,
    llm: LLMAdapter | str | None = None,
    tools: Iterable[Tool | str] | None = None,
    observers: Iterable[Observer] = (),
    ask: Answerer | None = None,
    answer: str | None = None,
    unattended: Unattended = None,
) -> Result:
    """Go on with a saved run, after a question, an interrupt, a crash or a fork; see `resumption`.

    Raises:
        InputFileError: the file is no journal of this version, or another process is going on with it.
        JournalError: it is damaged.
        UsageError: as for `resumption`.
    """
    journal = Journal.reopen(path)
    try:
        return resumption(journal, llm, tools, observers, ask, answer, unattended).execute()
    finally:
        journal.close()


def _recorded(setup: JsonObject) -> list[str]:
    """The tools that the run had, by their specifications."""
    listed = setup.get("tools")
    specs = [str(spec) for spec in listed] if isinstance(listed, list) else []
    own = [spec.removeprefix(_OWN) for spec in specs if spec.startswith(_OWN)]
    if own:
        raise UsageError(f"the run had tools of the caller's own: {', '.join(own)}; pass all its tools again")
    return specs


def _first(answer: str | None, ask: Answerer | None) -> Answerer | None:
    """Answers the first question with ``answer``, if there is one, and the others as ``ask`` does."""
    if answer is None:
        return ask
    left = [answer]

    async def answerer(question: Question) -> str | None:
        return left.pop() if left else await Asker(ask).said(question)

    return answerer


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
