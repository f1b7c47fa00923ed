"""A run in a program's hand: boundaries, fallbacks, questions, unknown outcomes, dead endpoints and the conclusion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aeon.kernel.engine import Engine, Halt, Run
from aeon.schema import (
    Answer,
    Budget,
    Claim,
    Clarification,
    Decision,
    Failure,
    Question,
    Questions,
    Reading,
    Reply,
    Task,
    Usage,
    Verdict,
)
from aeon.schema.effects import Program
from kernel.shorten import SHORTEN, Caps1, Shorten, Shortened, ShortenSettings, Shortness, Words
from kernel.world import ENDPOINT_DOWN, World

TEXT = "one two three four five six"
WHICH = Question(text="Which words matter?", options=("all", "none"), default="all")
LOST = Question(text="Was it cut?", options=("done", "repeat", "stop"))
UNKNOWN = Failure(kind="unknown", message="the knife did not return", question=LOST)
REQUEST = Failure(kind="request", message="400: the prompt does not fit")
NO_ANSWER = Failure(kind="completion", message="the model declined")
WAITING = Failure(kind="waiting", message="Which words matter?", question=WHICH)

Body = Callable[[Run[ShortenSettings, Shortness]], Program[str]]


def engine(body: Body, **changes: Any) -> Engine[ShortenSettings, Shortness, Shortened]:
    """An engine whose program does this and answers with what it gives, or with why it was halted."""

    def program(run: Run[ShortenSettings, Shortness]) -> Program[Shortened]:
        try:
            text = yield from body(run)
            decision = run.decide()
        except Halt as halt:
            decision, text = halt.decision, f"halted{' midway' if halt.midway else ''}"
        return Shortened(**dict(run.conclude(decision, Answer(text=text))), versions=())

    return replace(SHORTEN, program=program, **changes)


def once(run: Run[ShortenSettings, Shortness]) -> Program[str]:
    """One effect, with a fallback."""
    words = yield from run.perform(Shorten(task=run.task, text=TEXT), Words(text="instead"))
    return words.text


def cut(effect: Shorten, _: int) -> Words:
    """The text without its last word."""
    return Words(text=effect.text.rsplit(" ", 1)[0])


@pytest.mark.requirement("M2", "K13")
def test_a_run_ends_at_the_boundary_where_a_rule_holds() -> None:
    """The whole tiny engine: each version is an effect, and the reason is the rule's."""
    world = World(shorten=cut)
    result = world.run_on(SHORTEN, ShortenSettings(), TEXT)
    assert (result.stop_reason, result.detail, result.sufficient) == ("short", "it is short enough", True)
    assert result.versions == (TEXT, *(TEXT[:n] for n in (23, 18, 13, 7)))
    assert (result.answer, result.engine, world.phases) == ("one two", "shorten/1", ["shorten"] * 4)
    assert (result.usage, result.seconds, result.bound) == (world.spent, 4.0, SHORTEN.bound(ShortenSettings()))


@pytest.mark.requirement("K9", "M2")
def test_performing_issues_one_effect_with_all_that_it_may_spend() -> None:
    """At most its cap of calls, and what is left of each budget."""
    config = ShortenSettings(budget=Budget(tokens=1000, seconds=10, cost=1.0))
    world = World(shorten=Words(text="six"))
    assert world.run_on(engine(once), config).answer == "six"
    (effect,) = world.effects
    assert (effect.allowance.calls, effect.allowance.tokens, effect.allowance.seconds) == (1, 1000, 10)
    assert (effect.allowance.cost, effect.scope, effect.role) == (1.0, "", "worker")


@pytest.mark.requirement("J7", "M2")
@pytest.mark.parametrize("failure", [NO_ANSWER, REQUEST, Failure(kind="handler", message="KeyError: 'x'")])
def test_a_failed_effect_has_its_fallback_and_is_on_record(failure: Failure) -> None:
    """One failed request, too, degrades its phase and does not end the run."""
    result = World(shorten=failure).run_on(engine(once), ShortenSettings())
    assert (result.answer, result.stop_reason) == ("instead", "continue")
    assert [(d.phase, d.message) for d in result.degraded] == [("shorten", failure.message)]


@pytest.mark.requirement("J7")
def test_a_value_of_another_type_is_a_failure() -> None:
    """It is not used, and the record says why."""
    result = World(shorten=Reply(text="six")).run_on(engine(once), ShortenSettings())
    assert (result.answer, result.degraded[0].message) == ("instead", "the handler returned a value of another type")


def thrice(run: Run[ShortenSettings, Shortness]) -> Program[str]:
    """Four effects, whatever they give."""
    for _ in range(4):
        yield from once(run)
    return "all four"


@pytest.mark.requirement("J7", "J7a", "K13")
@pytest.mark.parametrize(
    ("failures", "issued", "reason"),
    [
        ((0,), 4, "continue"),
        ((0, 1), 4, "continue"),
        ((0, 1, 2), 3, "failed"),
        ((1, 2, 3), 4, "failed"),
        ((0, 1, 3), 4, "continue"),
    ],
)
def test_three_failed_requests_in_a_row_are_an_endpoint_that_cannot_be_used(
    failures: tuple[int, ...], issued: int, reason: str
) -> None:
    """One or two degrade their phases; the third one ends the run, and an answer in between begins the count anew."""
    world = World(shorten=lambda _, n: REQUEST if n in failures else Words(text="six"))
    result = world.run_on(engine(thrice), ShortenSettings())
    assert (len(world.effects), result.stop_reason, len(result.degraded)) == (issued, reason, len(failures))
    if reason == "failed":
        assert result.detail == REQUEST.message


@pytest.mark.requirement("J7a", "K13")
def test_a_dead_endpoint_ends_the_run_midway_at_once() -> None:
    """What it broke off is not complete, and nothing more is asked."""
    world = World(shorten=ENDPOINT_DOWN)
    result = world.run_on(engine(thrice), ShortenSettings())
    assert (len(world.effects), result.answer) == (1, "halted midway")
    assert (result.stop_reason, result.detail) == ("failed", "nobody answers")


@pytest.mark.requirement("K9")
@pytest.mark.parametrize("limit", ["tokens", "seconds", "cost", "calls"])
def test_an_effect_that_a_budget_refused_ends_the_run_midway(limit: str) -> None:
    """The budget is named; calls too, where the effect was allowed fewer than its cap."""
    refused = Failure(kind="allowance", limit=limit, message="too dear")  # type: ignore[arg-type]
    config = ShortenSettings(budget=Budget(calls=1), caps=Caps1(shorten=2))
    result = World(shorten=refused, cost=Usage()).run_on(engine(thrice), config)
    assert (result.answer, result.stop_reason) == ("halted midway", f"{limit}_exhausted")


@pytest.mark.requirement("K9", "K12")
def test_an_effect_that_used_up_its_own_cap_degrades() -> None:
    """That is no budget of the run."""
    refused = Failure(kind="allowance", limit="calls", message="all 1 are used")
    result = World(shorten=refused).run_on(engine(thrice), ShortenSettings())
    assert (result.answer, result.stop_reason, len(result.degraded)) == ("all four", "continue", 4)


@pytest.mark.requirement("K9", "K13")
def test_an_interrupt_ends_the_run_at_the_next_boundary() -> None:
    """The effect that was under way keeps its outcome."""
    world = World(shorten=cut, interrupted_at=1)
    result = world.run_on(SHORTEN, ShortenSettings(), TEXT)
    assert (len(world.effects), result.stop_reason, len(result.versions)) == (2, "interrupted", 3)


def answering(run: Run[ShortenSettings, Shortness]) -> Program[str]:
    """Effects without end, and a final one for the answer."""
    try:
        while True:
            yield from once(run)
    except Halt as halt:
        effect = Shorten(task=run.task, text="the end")
        return (yield from run.final(effect, Words(text="assembled"), halt.decision)).text


@pytest.mark.requirement("K9", "K13", "K12")
def test_the_final_effect_has_the_reserve_and_is_issued_after_the_end() -> None:
    """A quarter of the tokens and the calls of its cap are kept for it."""
    world = World(shorten=lambda effect, _: Words(text=effect.text))
    config = ShortenSettings(budget=Budget(tokens=1000))
    result = world.run_on(engine(answering, final=Shorten), config)
    assert (result.answer, result.stop_reason) == ("the end", "calls_exhausted")
    assert (len(world.effects), world.effects[-1].allowance.calls) == (8, 1)
    assert world.effects[-1].allowance.tokens == 300


@pytest.mark.requirement("K13", "J7")
@pytest.mark.parametrize(("failure", "issued"), [(ENDPOINT_DOWN, 1), (NO_ANSWER, 9)])
def test_without_an_endpoint_no_final_effect_is_issued(failure: Failure, issued: int) -> None:
    """Else it is tried, and where it fails, too, what was prepared stands in."""
    world = World(shorten=failure)
    result = world.run_on(engine(answering), ShortenSettings())
    assert (result.answer, len(world.effects)) == ("assembled", issued)


def asking(*questions: Question) -> Body:
    """A program that asks these questions and says what it heard."""

    def body(run: Run[ShortenSettings, Shortness]) -> Program[str]:
        replies = []
        for question in questions:
            replies.append((yield from run.ask(question)))
        return ", ".join(f"{reply.text}{' (assumed)' if reply.assumed else ''}" for reply in replies)

    return body


@pytest.mark.requirement("O6", "M2")
def test_a_question_is_noted_as_a_decision_put_once_and_part_of_the_task() -> None:
    """The same one again has its default for an answer, without anybody's being asked."""
    world = World(ask=Reply(text="none"))
    result = world.run_on(engine(asking(WHICH, WHICH)), ShortenSettings())
    assert (result.answer, world.phases) == ("none, all (assumed)", ["ask"])
    assert [(n.decision.action, n.decision.detail) for n in world.notes if n.decision] == [("ASK", WHICH.text)]
    assert (result.question, result.assumptions, world.effects[0].allowance.calls) == (None, (), 0)


@pytest.mark.requirement("O6")
def test_a_question_that_the_task_answers_is_not_put() -> None:
    """Whoever sets a task can say things beforehand."""
    task = Task(text=TEXT, clarifications=(Clarification(question=WHICH.text, answer="none"),))
    world, asker = World(), engine(asking(WHICH))
    result = world.drive(asker.program(asker.start(task, ShortenSettings(), "run-1")))
    assert (result.answer, world.effects) == ("all (assumed)", [])


@pytest.mark.requirement("O6", "K12")
@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_run_puts_no_more_questions_than_it_may(most: int) -> None:
    """Those beyond the cap have their defaults, and what was assumed by a person's absence is listed."""
    questions = [Question(text=f"Which of {n}?", default=str(n)) for n in range(3)]
    world = World(ask=lambda effect, _: Reply(text="so", assumed=True))
    config = ShortenSettings(questions=Questions(most=most))
    result = world.run_on(engine(asking(*questions)), config)
    assert (world.phases, result.answer.count("so")) == (["ask"] * most, most)
    assert len(result.assumptions) == most


@pytest.mark.requirement("O6", "K13")
def test_a_run_whose_question_has_no_answer_yet_waits() -> None:
    """It ends midway, and the conclusion carries the question."""
    result = World(ask=WAITING).run_on(engine(asking(WHICH)), ShortenSettings())
    assert (result.stop_reason, result.question, result.answer) == ("waiting", WHICH, "halted midway")
    assert result.assembled


@pytest.mark.requirement("O6", "K9")
def test_no_question_is_noted_where_the_run_ends_instead() -> None:
    """An interrupt at the boundary before it: one decision, no open question."""

    def body(run: Run[ShortenSettings, Shortness]) -> Program[str]:
        yield from once(run)
        yield from run.ask(WHICH)
        return "asked"

    world = World(shorten=Words(text="six"), interrupted_at=0)
    result = world.run_on(engine(body), ShortenSettings())
    assert (result.stop_reason, result.answer, result.question, world.notes) == ("interrupted", "halted", None, [])


def resolving(run: Run[ShortenSettings, Shortness]) -> Program[str]:
    """An effect whose tool may have changed the world."""
    (outcome,) = yield from run.issue([Shorten(task=run.task, text=TEXT, allowance=run.allow("shorten"))])
    return (yield from run.resolve(outcome))


@pytest.mark.requirement("X3", "M2")
@pytest.mark.parametrize("said", ["done", "repeat"])
def test_a_person_says_what_to_do_about_an_unknown_outcome(said: str) -> None:
    """The question is the failure's own."""
    world = World(shorten=UNKNOWN, ask=Reply(text=said))
    assert world.run_on(engine(resolving), ShortenSettings()).answer == said
    assert world.effects[1].question == LOST  # type: ignore[attr-defined]


@pytest.mark.requirement("X3", "K13")
@pytest.mark.parametrize(
    ("failure", "reply", "questions", "asked"),
    [
        (UNKNOWN, Reply(text="stop"), Questions(), 1),
        (UNKNOWN, Reply(text="what?"), Questions(), 1),
        (UNKNOWN, Reply(text="done"), Questions(unknown_outcome="stop"), 0),
        (UNKNOWN, Reply(text="done"), Questions(most=0), 0),
        (UNKNOWN.changed(question=None), Reply(text="done"), Questions(), 0),
    ],
    ids=["stop", "another answer", "policy", "no question left", "no question"],
)
def test_without_a_clear_word_an_unknown_outcome_stops_the_run(
    failure: Failure, reply: Reply, questions: Questions, asked: int
) -> None:
    """Nothing that changes the world is repeated unasked."""
    world = World(shorten=failure, ask=reply)
    result = world.run_on(engine(resolving), ShortenSettings(questions=questions))
    assert (result.stop_reason, result.detail) == ("unknown_outcome", "the knife did not return")
    assert (result.answer, world.phases.count("ask")) == ("halted midway", asked)


@pytest.mark.requirement("X3", "K12")
def test_an_outcome_that_is_unknown_when_the_budget_is_used_up_is_the_reason() -> None:
    """There is nothing left to ask with, and the run says that nobody knows, not that its budget is used up."""
    world = World(shorten=UNKNOWN, ask=Reply(text="done"), seconds=9)
    result = world.run_on(engine(resolving), ShortenSettings(budget=Budget(seconds=5)))
    assert (result.stop_reason, result.detail) == ("unknown_outcome", "the knife did not return")
    assert world.phases.count("ask") == 0


@pytest.mark.requirement("X3", "K15")
def test_an_outcome_that_is_unknown_is_the_reason_also_where_an_endpoint_counts_too_much() -> None:
    """Nobody can be asked any more, and that nobody knows what a tool did goes before what was counted."""
    world = World(shorten=UNKNOWN, ask=Reply(text="done"), cost=Usage(calls=1, generated_tokens=10**9))
    result = world.run_on(engine(resolving), ShortenSettings())
    assert (result.stop_reason, result.detail) == ("unknown_outcome", "the knife did not return")
    assert world.phases.count("ask") == 0


@pytest.mark.requirement("K12")
def test_what_earlier_lives_spent_counts_against_the_budget_and_stands_apart() -> None:
    """An outcome brings along what was lost before it; the run ends by both together."""
    world = World(shorten=cut)
    lost = Usage(calls=6)
    answer = world.answer

    def burdened(*arguments: Any) -> Any:
        outcome = answer(*arguments)
        return outcome.changed(lost=lost) if len(world.effects) == 1 else outcome

    world.answer = burdened  # type: ignore[method-assign]
    result = world.run_on(SHORTEN, ShortenSettings(longest=1), TEXT)
    assert (result.stop_reason, result.usage.calls, result.lost) == ("calls_exhausted", 2, lost)


@pytest.mark.requirement("H3", "M2")
def test_settings_that_come_with_an_outcome_hold_from_there_on() -> None:
    """A fork's configuration decides from the effect after it, bound and table included."""
    world = World(shorten=cut)
    world.changes = {1: ShortenSettings(longest=18, most=5)}  # type: ignore[dict-item]
    result = world.run_on(SHORTEN, ShortenSettings(), TEXT)
    assert (result.answer, result.bound.calls) == (TEXT[:18], 5)


def claimed(*verdicts: Verdict) -> Answer:
    """An answer with a claim of each verdict."""
    claims = (
        Claim(
            id=f"c{n}", start=n, end=n + 1, text=str(n), kind="number",
            reading=Reading(value=str(n), form="point"), verdict=verdict,
        )
        for n, verdict in enumerate(verdicts, 1)
    )  # fmt: skip
    return Answer(text=" 1234", claims=tuple(claims))


@pytest.mark.requirement("G1", "G4", "M2")
@pytest.mark.parametrize(
    ("verdicts", "reason", "detail"),
    [
        ((), "good", "it is good"),
        (("supported", "partial", "not_checked"), "good", "it is good"),
        (("supported", "not_found", "not_found"), "unsupported", "2, 3"),
        (("not_found", "contradicted"), "contradicted", "2"),
    ],
)
def test_no_run_of_any_engine_ends_well_on_a_claim_that_does_not_stand(
    verdicts: tuple[Verdict, ...], reason: str, detail: str
) -> None:
    """The conclusion names what is contradicted, else what rests on nothing; what was not checked is no fault."""
    run = SHORTEN.start(Task(text=TEXT), ShortenSettings(), "run-1")
    good = Decision(action="OUTPUT", reason="good", detail="it is good", sufficient=True)
    end = run.conclude(good, claimed(*verdicts))
    assert (end.stop_reason, end.detail, end.sufficient) == (reason, detail, reason == "good")
    assert end.claims == claimed(*verdicts).claims


@pytest.mark.requirement("G4")
def test_a_run_that_ends_for_another_reason_keeps_it() -> None:
    """What is missing was said already."""
    run = SHORTEN.start(Task(text=TEXT), ShortenSettings(), "run-1")
    spent = Decision(action="OUTPUT", reason="calls_exhausted", detail="no call is left")
    assert run.conclude(spent, claimed("contradicted", "not_found")).stop_reason == "calls_exhausted"


@pytest.mark.requirement("M2")
def test_a_conclusion_does_not_hold_more_than_the_engine_puts_into_it() -> None:
    """Timings and signals stay with the run; the shared fields are all there."""
    run = SHORTEN.start(Task(text=TEXT), ShortenSettings(), "run-1")
    end = run.conclude(run.decide(), Answer(text="six", value={"words": 1}))
    assert (end.execution_id, end.engine, end.answer, end.value) == ("run-1", "shorten/1", "six", {"words": 1})
    assert (end.stop_reason, end.seconds, end.parts()) == ("continue", 0.0, {})
