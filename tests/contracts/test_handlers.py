"""The shipped modules against the contracts, with a model that behaves in every way that models do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import pytest
from kernel.shorten import SHORTEN, Shorten, Words
from pydantic import Field

from aeon.assembly.build import build
from aeon.errors import AeonError, UsageError
from aeon.kernel.passes import MULTIPASS
from aeon.llm.scripted import Scripted
from aeon.runtime.ledger import Ledger
from aeon.schema import (
    Answer,
    Capabilities,
    Config,
    ConvergenceAssessment,
    Form,
    Issue,
    JsonValue,
    LLMResponse,
    Plan,
    Question,
    Refinement,
    RefinementAction,
    Reply,
    SemanticValidationReport,
    Step,
    StepResult,
    Task,
    TaskProfile,
    Value,
)
from aeon.schema.effects import Effect, EffectOf
from aeon.testing.contracts import check_handler, check_handlers
from aeon.testing.multipass import DONE
from aeon.testing.obliging import oblige
from aeon.testing.samples import samples
from aeon.testing.tasks import TASKS

PHASES = tuple(MULTIPASS.phases)
ENFORCING = Capabilities(json_schema=True, json_mode=True)
SCORING = Capabilities(json_schema=True, json_mode=True, logprobs=True)
BARE = Capabilities()


def retyped(value: JsonValue) -> JsonValue:
    """The value with every leaf of another type."""
    match value:
        case dict():
            return {name: retyped(field) for name, field in value.items()}
        case list():
            return [retyped(item) for item in value]
        case str():
            return 7
        case _:
            return "seven"


def fenced(response: LLMResponse) -> LLMResponse:
    """The answer in a code fence, with talk around it."""
    return response.changed(text=f"Sure, here it is:\n```json\n{response.text}\n```\nHope that helps!")


def truncated(response: LLMResponse) -> LLMResponse:
    """The first half of the answer."""
    return response.changed(text=response.text[: len(response.text) // 2], finish_reason="length")


def wrong_types(response: LLMResponse) -> LLMResponse:
    """An answer of the right shape in which numbers are words and words are numbers."""
    try:
        text = json.dumps(retyped(json.loads(response.text)))
    except ValueError:
        text = "[3]"
    return response.changed(text=text, first_token=())


def refusal(response: LLMResponse) -> LLMResponse:
    """A refusal that the endpoint marks as one."""
    return response.changed(text="I cannot help with that.", finish_reason="refusal")


def refusal_in_words(response: LLMResponse) -> LLMResponse:
    """A refusal that looks like an answer."""
    return response.changed(text="I'm sorry, but I can't help with that.", first_token=())


def empty(response: LLMResponse) -> LLMResponse:
    """Nothing at all."""
    return response.changed(text="", first_token=())


def doubtful(response: LLMResponse) -> LLMResponse:
    """An answer whose first token is no far more likely than yes."""
    turned = tuple(t.changed(probability=1 - t.probability) for t in response.first_token)
    return response.changed(text=response.text.replace('"yes"', '"no"'), first_token=turned)


KINDS = (fenced, truncated, wrong_types, refusal, refusal_in_words, empty, doubtful)


def handler(phase: str, model: Scripted) -> Callable[[Any], Any]:
    """The shipped handler of a phase on this model."""
    made: Callable[[Any], Any] = build(llm=model, config=Config(thorough=True)).handlers[phase]
    return made


def answered(phase: str, model: Scripted, effect: Effect) -> bool:
    """Whether the shipped handler has a result for the effect, rather than a typed failure."""

    async def ask() -> bool:
        with Ledger(effect.allowance):
            try:
                await handler(phase, model)(effect)
            except AeonError:
                return False
        return True

    return asyncio.run(ask())


@pytest.mark.requirement("J1", "J2", "J4", "J5", "J6", "S1", "S2")
@pytest.mark.parametrize("can", [ENFORCING, SCORING, BARE], ids=["enforcing", "scoring", "bare"])
@pytest.mark.parametrize("kind", [lambda response: response, *KINDS], ids=lambda kind: kind.__name__.strip("<>"))
@pytest.mark.parametrize("phase", PHASES)
def test_a_shipped_module_keeps_its_contract(
    phase: str, kind: Callable[[LLMResponse], LLMResponse], can: Capabilities
) -> None:
    """Whatever the model says, a module gives a result that the kernel can rely on, or a typed failure."""
    model = Scripted(lambda request: kind(oblige(request)), can)
    assert asyncio.run(check_handler(MULTIPASS, phase, handler(phase, model))) == []


@pytest.mark.requirement("S1", "J7")
@pytest.mark.parametrize("can", [ENFORCING, SCORING], ids=["enforcing", "scoring"])
@pytest.mark.parametrize("kind", [lambda response: response, fenced], ids=["valid", "fenced"])
@pytest.mark.parametrize("phase", [phase for phase in PHASES if phase != "ask"])
def test_a_usable_answer_is_used(phase: str, kind: Callable[[LLMResponse], LLMResponse], can: Capabilities) -> None:
    """A model that answers in the shape asked for, bare or in a fence, is never turned into a failure."""
    for number, effect in enumerate(samples(MULTIPASS, phase)):
        model = Scripted(lambda request: kind(oblige(request)), can)
        assert answered(phase, model, effect), f"sample {number} of {phase}"


@pytest.mark.requirement("J8")
@pytest.mark.parametrize(("can", "form"), [(ENFORCING, "verdict"), (SCORING, "probability")])
@pytest.mark.parametrize("phase", ["validate_plan", "validate_results", "assess"])
def test_a_judgment_is_asked_in_the_form_that_the_endpoint_is_good_at(
    phase: str, can: Capabilities, form: Form
) -> None:
    """With token probabilities a yes/no question is scored, without them a verdict is asked for, on record."""
    effect = next(each for each in samples(MULTIPASS, phase) if getattr(each, "plan", None) == DONE)
    with Ledger(effect.allowance):
        judgment = asyncio.run(handler(phase, Scripted(oblige, can))(effect))
    assert judgment.form == form


def always(value: object) -> Callable[[Any], Any]:
    """A handler that gives the same result for every effect."""

    async def handle(effect: Effect) -> object:
        return value

    return handle


LOOP = Plan(
    steps=(Step(id="s1", description="a", dependencies=("s2",)), Step(id="s2", description="b", dependencies=("s1",)))
)
NOWHERE = Issue(type="relevance", description="It is off the point.", location="s99")
UNDO = RefinementAction(type="REMOVE", target="s99")
WHICH = Question(text="Which year?")
MILD = Issue(type="relevance", severity="LOW", description="a", location="plan")
GRAVE = Issue(type="relevance", severity="CRITICAL", description="b", location="plan")


@pytest.mark.parametrize(
    ("phase", "value", "said"),
    [
        ("plan", LOOP, "in a circle"),
        ("plan", Plan(), "has no steps"),
        ("plan", TaskProfile(), "returned TaskProfile, not Plan"),
        ("validate_plan", SemanticValidationReport(issues=(NOWHERE,)), "'s99', which does not exist"),
        ("validate_results", SemanticValidationReport(issues=(MILD, GRAVE)), "order of their severity"),
        ("validate_results", SemanticValidationReport(issues=(GRAVE,), failed=True), "marked as failed"),
        ("refine_plan", Refinement(actions=(UNDO,)), "there is no such step"),
        ("execute", StepResult(output="", clarity="BLOCKED"), "does not say by what"),
        ("execute", StepResult(output="", mode="tool"), "a reasoning step was done in mode 'tool'"),
        ("assess", ConvergenceAssessment(converged=True), "though nobody judged it"),
        ("assess", ConvergenceAssessment(converged=True, completeness=0.5), "below the threshold in completeness"),
        ("assess", ConvergenceAssessment(converged=False), "no reason code"),
        ("refine_plan", Refinement(question=WHICH), "none may be asked"),
        ("refine_plan", Refinement(question=WHICH, actions=(UNDO,)), "a question and deltas"),
        ("ask", Reply(text=" "), "is empty"),
        ("ask", Reply(text="1066", assumed=True), "not the question's default"),
        ("synthesize", Answer(text=" "), "is empty"),
        ("synthesize", Answer(text="x", value=3), "has no schema for one"),
        ("profile", TaskProfile(reasoning_depth=9), "reasoning_depth: 9 is greater"),
        ("profile", {"reasoning_depth": 3}, "returned dict"),
    ],
)
def test_a_handler_that_breaks_its_contract_is_told_so(phase: str, value: Value, said: str) -> None:
    """The violation names the phase, the sample and what is wrong."""
    violations = asyncio.run(check_handler(MULTIPASS, phase, always(value)))
    assert any(said in violation for violation in violations), violations
    assert all(violation.startswith(f"{phase}, sample ") for violation in violations)


def test_an_error_of_its_own_is_a_violation_and_a_typed_failure_is_none() -> None:
    """A handler may fail with an AeonError only."""

    async def clumsy(effect: Effect) -> Value:
        raise KeyError("total")

    async def honest(effect: Effect) -> Value:
        raise AeonError("there is nothing to say")

    (effect, *_) = samples(MULTIPASS, "plan")
    assert asyncio.run(check_handler(MULTIPASS, "plan", clumsy, effect)) == [
        "plan, sample 0: it raised KeyError, which is no AeonError: 'total'"
    ]
    assert asyncio.run(check_handler(MULTIPASS, "plan", honest)) == []


@pytest.mark.requirement("M1", "M4")
def test_the_handlers_of_any_engine_are_held_to_contracts_that_follow_from_it() -> None:
    """Samples and schemas come from its effects: a missing handler, a wrong type and a wrong value are violations."""
    tasks: list[Task] = []

    async def shorten(effect: Shorten) -> Words:
        tasks.append(effect.task)
        return Words(text=effect.text)

    assert asyncio.run(check_handlers(SHORTEN, {"shorten": shorten})) == []
    assert all(task in tasks for task in TASKS)
    assert asyncio.run(check_handlers(SHORTEN, {})) == ["shorten: no handler answers it"]
    (first, *_) = asyncio.run(check_handlers(SHORTEN, {"shorten": always(Words(text=""))}))
    assert first.startswith("shorten, sample 0: text: ")
    (first, *_) = asyncio.run(check_handler(SHORTEN, "shorten", always(TaskProfile())))
    assert first == "shorten, sample 0: it returned TaskProfile, not Words"


@pytest.mark.requirement("M1")
def test_a_phase_that_is_none_of_the_engine_is_named_with_those_that_are() -> None:
    """Wrong usage is one clear line."""
    with pytest.raises(UsageError, match="'shorten/1' has no effect of its own called 'plan'; it has shorten, ask"):
        asyncio.run(check_handler(SHORTEN, "plan", always(Plan())))


class Coded(EffectOf[Words]):
    """An effect of which no plain value can be made up."""

    phase = "shorten"
    code: Annotated[str, Field(pattern="^[A-Z]{3}-[0-9]+$")]


@pytest.mark.requirement("M1")
def test_where_no_sample_follows_from_a_schema_an_effect_can_be_passed() -> None:
    """The error names the field; with an effect the handler is checked all the same."""
    engine = replace(SHORTEN, effects=(Coded,))
    with pytest.raises(UsageError, match=r"no sample of 'shorten' follows from its schema \(code: .*pass an effect"):
        samples(engine, "shorten")
    effect = Coded(task=Task(text="Shorten it."), code="ABC-1")
    assert asyncio.run(check_handler(engine, "shorten", always(Words(text="it")), effect)) == []


def test_the_obliging_model_carries_a_run_to_its_answer() -> None:
    """With the model that ships for tests a whole run works without any other set-up."""
    result = build(llm=Scripted(oblige)).execute("What is 2 + 2?")
    assert result.answer and not result.degraded
