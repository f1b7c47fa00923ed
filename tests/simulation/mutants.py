"""Faults planted in the shipped code itself: each is patched in while seeds run, and the simulation has to notice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from aeon.convergence.engine import ConvergenceEngine
from aeon.errors import CompletionError, EndpointFailed, ModelError
from aeon.execution import turns
from aeon.kernel import budget, passes
from aeon.kernel.engine import Run
from aeon.kernel.passes import Progress
from aeon.llm import wire
from aeon.llm.adapter import LLMAdapter
from aeon.llm.asking import Form
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.spending import true_usage
from aeon.llm.wire import Gathering
from aeon.multipass import fallbacks, sampling
from aeon.multipass.effects import AssessConvergence, WritePrograms
from aeon.multipass.votes import Ballot, Class
from aeon.programs import prompts
from aeon.programs.writer import ProgramWriter
from aeon.runtime.ledger import Ledger
from aeon.schema import (
    Answer,
    ConvergenceAssessment,
    Decision,
    JsonValue,
    Left,
    LLMRequest,
    LLMResponse,
    Outcome,
    Price,
    SemanticValidationReport,
    Step,
    Usage,
)
from aeon.schema.effects import Program
from aeon.schema.programs import Programs
from aeon.simulation.life import Parts
from aeon.supervisor import calls, judge, judge_specs, supervisor
from aeon.supervisor.calls import Ask
from aeon.supervisor.supervisor import Supervisor
from aeon.synthesis import closing
from aeon.tools import registry
from aeon.tools.registry import ToolRegistry
from aeon.validation.semantic import SemanticValidator
from simulation.wired import Wired

__all__ = ["MUTANTS", "Mutant"]


_SHIPPED = Parts()


@dataclass(frozen=True)
class Mutant:
    """What is put in the place of what, the faults of the world that bring it to light, and what it violates."""

    patches: tuple[tuple[Any, str, object], ...]
    faults: str
    invariant: str
    parts: Parts = _SHIPPED

    @contextmanager
    def planted(self) -> Iterator[None]:
        """The faulty code, for the time of the block."""
        with ExitStack() as stack:
            for place, name, faulty in self.patches:
                stack.enter_context(patch.object(place, name, faulty))
            yield


def _mutant(place: Any, name: str, faulty: object, faults: str, invariant: str) -> Mutant:
    return Mutant(((place, name, faulty),), faults, invariant)


def _wired(place: Any, name: str, faulty: object, faults: str, invariant: str) -> Mutant:
    """A fault of the shipped HTTP adapter."""
    return Mutant(((place, name, faulty),), faults, invariant, Parts(endpoint=Wired))


def _settles_nothing(ledger: Ledger, most: Usage, actual: Usage) -> None:
    ledger._free(most)


async def _asks_past_the_ledger(llm: LLMAdapter, ask: Ask, price: Price | None = None) -> LLMResponse:
    """Questions with token probabilities are asked without admission and charge."""
    if not ask.top_logprobs:
        return await calls.call(llm, ask, price)
    return await llm.complete(
        LLMRequest(messages=ask.messages, max_tokens=ask.max_tokens, top_logprobs=ask.top_logprobs)
    )


_charge = Ledger.charge


def _charges_no_tool(ledger: Ledger, usage: Usage) -> None:
    _charge(ledger, usage.changed(tool_calls=0))


def _half(request: LLMRequest, response: LLMResponse, prompt: int | None = None, surplus: int = 0) -> Usage:
    usage = true_usage(request, response, prompt, surplus)
    return usage.changed(prompt_tokens=usage.prompt_tokens // 2, generated_tokens=usage.generated_tokens // 2)


def _double(request: LLMRequest, response: LLMResponse, prompt: int | None = None, surplus: int = 0) -> Usage:
    usage = true_usage(request, response, prompt, surplus)
    return usage.changed(prompt_tokens=usage.prompt_tokens + 1)


_left = budget.left


def _timeless(*args: Any) -> Left:
    return _left(*args)._replace(seconds=None)


def _keeps_nothing(*args: Any) -> Left:
    return _left(args[0], args[1], args[2], args[3], 0)


_account = Run.account


def _takes_no_time(run: Run[Any, Any], outcome: Outcome) -> None:
    _account(run, outcome)
    run.elapsed = run.began


_weight = judge._weight
_whole = Supervisor._whole


def _takes_what_was_cut(asker: Supervisor, response: LLMResponse) -> LLMResponse:
    if response.finish_reason == "length":
        response = response.changed(finish_reason="stop")
    return _whole(asker, response)


_assess = ConvergenceEngine.assess


async def _made_up(engine: ConvergenceEngine, effect: AssessConvergence) -> ConvergenceAssessment:
    """Where the model gives no usable answer, all is well."""
    try:
        return await _assess(engine, effect)
    except CompletionError:
        return ConvergenceAssessment(
            converged=True, completeness=1, coherence=1, consistency=1, standing="assumed", form="verdict"
        )


def _unfenced(label: str, text: str, limit: int) -> str:
    return f"{label}:\n{text[:limit]}"


async def _no_report(*_: object) -> SemanticValidationReport:
    return SemanticValidationReport()


async def _constant(*_: object) -> Answer:
    return Answer(text="The total is 4711.")


_PROGRAMS_TOO_MANY = 5
_sample = sampling.sample
_write = ProgramWriter.write


def _counts_no_round(task: Any, step: Step, inputs: Any, ballot: Any = None, rounds: int = 2) -> sampling.Sampling:
    return _sample(task, step, inputs, ballot, 99)


async def _writes_many(writer: ProgramWriter, effect: WritePrograms) -> Programs:
    written = await _write(writer, effect)
    return written.changed(programs=written.programs * _PROGRAMS_TOO_MANY)


def _made_up_value(_: Sequence[JsonValue]) -> str:
    return "4711"


def _any_class(ballot: Ballot, most: int) -> tuple[Class, ...]:
    """Classes that were weighed are weighed again."""
    return ballot.classes[:most] * 2


_synthesize = passes._synthesize


def _of_any_plan(progress: Progress, decision: Decision) -> Program[Answer]:
    progress.settled = None
    return (yield from _synthesize(progress, decision))


_response = Gathering.response
_total_usage = Gathering._total_usage
_converse = OpenAICompatible._converse


def _one_attempt(gathering: Gathering, calls: int, *rest: int) -> LLMResponse:
    return _response(gathering, 1, *rest)


def _half_the_prompt(gathering: Gathering, calls: int, put_off: int) -> Usage:
    usage = _total_usage(gathering, calls, put_off)
    return usage.changed(prompt_tokens=usage.prompt_tokens // 2)


async def _makes_no_attempts(adapter: OpenAICompatible, request: LLMRequest, ways: tuple[Form, ...]) -> LLMResponse:
    try:
        return await _converse(adapter, request, ways)
    except ModelError as error:
        error.attempts = 0
        raise


_CONVERGED = ConvergenceAssessment(converged=True, failed=True, standing="assumed")
_COUNTED = "whatever was used is counted"
_IN_TIME = "nothing begins after its time"
_FENCED = "data stays data"
_ROUNDS = "rounds within their limits"

MUTANTS: dict[str, Mutant] = {
    "settles no call": _mutant(Ledger, "settle", _settles_nothing, "none", _COUNTED),
    "asks past the ledger": _mutant(supervisor, "call", _asks_past_the_ledger, "none", _COUNTED),
    "charges no failed call": _mutant(calls, "lost", lambda *_: Usage(), "endpoint_dead", _COUNTED),
    "charges no retry": _mutant(calls, "true_usage", lambda _, answer, *__: answer.usage, "retried", _COUNTED),
    "charges no tool call": _mutant(Ledger, "charge", _charges_no_tool, "none", _COUNTED),
    "halves tokens": _mutant(calls, "true_usage", _half, "none", _COUNTED),
    "charges too much": _mutant(calls, "true_usage", _double, "none", "nothing else is charged"),
    "has no budget of seconds": _mutant(budget, "left", _timeless, "budget_seconds", _IN_TIME),
    "gives no deadline": _mutant(Ledger, "seconds_left", lambda _: None, "budget_seconds", _IN_TIME),
    "keeps no reserve": _mutant(budget, "left", _keeps_nothing, "budget_calls", "the reserve is kept"),
    "keeps no tokens": _mutant(budget, "left", _keeps_nothing, "budget_tokens", "the reserve is kept"),
    "keeps no money": _mutant(budget, "left", _keeps_nothing, "budget_cost", "the reserve is kept"),
    "keeps no time": _mutant(budget, "left", _keeps_nothing, "budget_seconds", "the reserve is kept"),
    "takes no time": _mutant(Run, "account", _takes_no_time, "none", "time is what it took"),
    "takes a failed assessment": _mutant(
        fallbacks, "UNASSESSED", _CONVERGED, "malformed,endpoint_dead", "converged rests on an assessment"
    ),
    "makes up an assessment": _mutant(
        ConvergenceEngine, "assess", _made_up, "malformed,empty", "a verdict is the model's"
    ),
    "inverts the judge": _mutant(judge, "_weight", lambda a: -_weight(a), "none", "a verdict is the model's"),
    "takes what was cut off": _mutant(
        Supervisor, "_whole", _takes_what_was_cut, "truncated", "what is cut off is not used"
    ),
    "fences no result of a turn": _mutant(turns, "fence", _unfenced, "tool_output", _FENCED),
    "fences no input of a program": _mutant(prompts, "fence", _unfenced, "tool_output", _FENCED),
    "fences no result": _mutant(closing, "fence", _unfenced, "tool_output", _FENCED),
    "fences no evidence": _mutant(judge_specs, "fence", _unfenced, "tool_output", _FENCED),
    "validates nothing": _mutant(SemanticValidator, "validate_results", _no_report, "none", "no report is dropped"),
    "lets tools run at once": _mutant(ToolRegistry, "_lock", lambda _: nullcontext(), "tool_hangs", "tools take turns"),
    "checks no arguments": Mutant(
        (
            (registry, "problems", lambda *_, **__: []),
            (registry, "_prepare", lambda _, arguments: (dict(arguments), [])),
        ),
        "malformed", "a tool gets what it takes",
    ),
    "answers the same": _mutant(closing.Closer, "close", _constant, "none", "an answer is made of the run"),
    "counts no round": _mutant(sampling, "sample", _counts_no_round, "none", _ROUNDS),
    "runs too many programs": Mutant(
        ((sampling, "PROGRAMS", 9), (ProgramWriter, "write", _writes_many)), "none", _ROUNDS
    ),
    "weighs twice": _mutant(Ballot, "unjudged", _any_class, "none", _ROUNDS),
    "makes up a result": _mutant(sampling, "told", _made_up_value, "none", "a result is what a program gave"),
    "answers from any plan": _mutant(
        passes, "_synthesize", _of_any_plan, "tool_fails,budget_seconds", "an answer is of a settled plan"
    ),
    "adapter counts one attempt": _wired(Gathering, "response", _one_attempt, "endpoint_dead", _COUNTED),
    "adapter forgets what failed": _wired(EndpointFailed, "unmetered", 0, "retried", _COUNTED),
    "adapter makes no attempts": _wired(OpenAICompatible, "_converse", _makes_no_attempts, "endpoint_dead", _COUNTED),
    "adapter halves tokens": _wired(Gathering, "_total_usage", _half_the_prompt, "none", _COUNTED),
    "adapter believes any count": _wired(Gathering, "_is_believable", lambda _: True, "endpoint_dead", _COUNTED),
    "adapter takes what was cut off": _wired(
        wire, "_FINISH_REASONS", dict.fromkeys(("stop", "length"), "stop"), "truncated", "what is cut off is not used"
    ),
}  # fmt: skip
"""By name: faults of the shipped code."""
