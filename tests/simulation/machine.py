"""Faults planted in the machine: budgets, decisions, the ledger, the driver. Each says what finds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import PropertyMock

from aeon.kernel import budget, decide, engine
from aeon.kernel.decide import Rule
from aeon.kernel.engine import Run
from aeon.llm import spending
from aeon.llm.spending import most_usage, true_usage
from aeon.runtime import driver
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.handling import Handled, Handling
from aeon.runtime.ledger import Ledger
from aeon.runtime.remainder import Remainder
from aeon.runtime.stream import RunStream
from aeon.schema import NOTHING, Allowance, Budget, Left, LLMRequest, LLMResponse, Outcome, Usage
from aeon.schema.effects import Effect
from aeon.supervisor import calls
from simulation.finding import Fault, seeds, test

__all__ = ["BUDGETS", "COUNTS", "DECISIONS", "STOPS"]

_BOUND, _COUNTED, _RESERVE = "within its bound", "whatever was used is counted", "the reserve is kept"
_ANSWER, _TABLE = "it ends in an answer", "the stop reason follows from the table"
_HONOURED, _LINES = "an interrupt is honoured within one effect", "events have their lines"
_SAME = "the same bytes as without trouble"


def _clipped(request: LLMRequest, response: LLMResponse, prompt: int | None = None, surplus: int = 0) -> Usage:
    used, most = true_usage(request, response, prompt, surplus), most_usage(request, prompt)
    return used.changed(
        prompt_tokens=min(used.prompt_tokens, most.prompt_tokens),
        generated_tokens=min(used.generated_tokens, most.generated_tokens), surplus=0,
    )  # fmt: skip


def _as_one(request: LLMRequest, response: LLMResponse, prompt: int | None = None, surplus: int = 0) -> Usage:
    used = true_usage(request, response.changed(unmetered=min(1, response.unmetered)), prompt, surplus)
    return used.changed(calls=max(used.calls, response.usage.calls))


def _believed(request: LLMRequest, response: LLMResponse, prompt: int | None = None, surplus: int = 0) -> Usage:
    used = true_usage(request, response, prompt, surplus)
    return used.changed(calls=response.usage.calls)


_failed = spending.lost


def _lost_as_one(*args: Any) -> Usage:
    used = _failed(*args)
    return used.changed(calls=min(1, used.calls))


_note = Ledger.admit


async def _notes_the_call_alone(ledger: Ledger, most: Usage) -> None:
    spent, ledger.spent = ledger.spent, NOTHING
    try:
        await _note(ledger, most)
    finally:
        ledger.spent = spent + ledger.spent


def _frees_nothing(ledger: Ledger, most: Usage, actual: Usage) -> None:
    ledger.charge(actual)


COUNTS: dict[str, Fault] = {
    "clips an over-report to what was admitted": seeds(calls, "true_usage", _clipped, "over_reported", _COUNTED),
    "charges several unmetered attempts as one": seeds(calls, "true_usage", _as_one, "dense,retried", _COUNTED),
    "believes an adapter that counts no calls": seeds(calls, "true_usage", _believed, "under_reported", _COUNTED),
    "charges the attempts of a failed request as one": seeds(
        calls, "lost", _lost_as_one, "endpoint_dead", _COUNTED
    ),
    "knows nothing of hidden prompts": seeds(
        Ledger, "surplus", PropertyMock(return_value=0), "hidden_prompt,budget_tokens",
        "what is counted beyond the bound ends the run",
    ),
    "notes the call, and not what was spent before it": seeds(
        Ledger, "admit", _notes_the_call_alone, "dense,crash_after,malformed", _COUNTED
    ),
    "frees nothing that was reserved": test(
        Ledger, "settle", _frees_nothing, "runtime.test_ledger",
        "test_a_note_holds_what_the_effect_was_charged_before_and_not_what_it_was_not",
    ),
}  # fmt: skip
"""Counts of calls and tokens."""


_left, _split, _allowance = budget.left, budget.split, budget.allowance


def _forgives_what_was_lost(run: Run[Any, Any], reserve: int, claimed: Usage = NOTHING) -> Left:
    return budget.left(run.config, run.bound, run.usage + claimed, run.elapsed - run.began, reserve)


def _all_to_each(whole: Allowance, effects: int, cap: int) -> list[Allowance]:
    return [whole] * effects


def _without_caps(remaining: Left, cap: int) -> Allowance:
    return _allowance(remaining, cap + 9)


def _all_to_each_run(budget: Budget, remaining: Left, runs: int) -> Budget:
    return _share(budget, remaining, 1)


def _two_more(*args: Any) -> Left:
    remaining = _left(*args)
    return remaining._replace(calls=remaining.calls + 2)


_share = budget.share


def _any_share(_: Remainder, __: Sequence[Effect]) -> None:
    return None


BUDGETS: dict[str, Fault] = {
    "forgives what earlier lives lost": seeds(
        Run, "rest", _forgives_what_was_lost, "crash_each,budget_calls", (_RESERVE, _BOUND, _ANSWER)
    ),
    "gives each of a batch all that is left": seeds(
        budget, "split", _all_to_each, "budget_tokens", (_RESERVE, _ANSWER)
    ),
    "gives effects more than their caps": seeds(
        budget, "allowance", _without_caps, "budget_calls", (_RESERVE, _ANSWER, _BOUND)
    ),
    "gives each nested run all that is left": test(
        budget, "share", _all_to_each_run, "kernel.test_shares",
        "test_what_a_run_beside_it_may_still_spend_is_not_shared_out_again",
    ),
    "counts two calls more than are left": seeds(budget, "left", _two_more, "budget_calls", (_RESERVE, _ANSWER)),
    "never says that a budget is used up": seeds(
        budget, "exhausted", lambda *_: None, "budget_calls,budget_tokens", (_BOUND, _TABLE)
    ),
    "holds no batch against the rest of the bound": test(
        Remainder, "exceeded", _any_share, "runtime.test_stepping",
        "test_no_budget_can_be_passed_by", "tmp_path", Budget(tokens=100), Allowance(calls=1, tokens=101), "tokens",
    ),
}  # fmt: skip
"""Budgets, allowances, shares and the bound."""


def _first_without(*reasons: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in decide._FIRST if rule.reason not in reasons)


_THREE = "test_three_failed_requests_in_a_row_are_an_endpoint_that_cannot_be_used"
_RELATIONS = {**decide._OPERATORS, ">=": lambda signal, threshold: signal > threshold}
_account = Run.account


def _never_forgets_a_failure(run: Run[Any, Any], outcome: Outcome) -> None:
    failing = run.failing
    _account(run, outcome)
    run.failing = max(run.failing, failing)


def _survives_the_dead(run: Run[Any, Any], outcome: Outcome) -> None:
    _account(run, outcome)
    run.failing = 0


def _last_of(rules: Sequence[Rule], signals: Any) -> Rule:
    holding = [rule for rule in rules if rule.holds(signals)]
    return holding[-2] if len(holding) > 1 else holding[0]


DECISIONS: dict[str, Fault] = {
    "never sees that a run is overspent": seeds(
        budget, "overspent", lambda *_: "", "over_reported", "what is counted beyond the bound ends the run"
    ),
    "asks on when a run is overspent": seeds(
        Remainder, "overspent", "", "over_reported", "what is counted beyond the bound ends the run"
    ),
    "has no row for an unknown outcome": seeds(
        decide, "_FIRST", _first_without("unknown_outcome"), "crash_begun,crash_called", (_TABLE, _ANSWER, _SAME)
    ),
    "has no row for an interrupt": seeds(decide, "_FIRST", _first_without("interrupted"), "interrupt", _HONOURED),
    "lets a pass go beyond the last": seeds(
        decide, "_OPERATORS", _RELATIONS, "bad_judgment", (_TABLE, "within its bound")
    ),
    "takes the last row that holds": seeds(engine, "first", _last_of, "interrupt,bad_judgment", (_HONOURED, _TABLE)),
    "holds answers good whose claims do not stand": seeds(
        engine, "borne_out", lambda decision, _: decision, "none", (_TABLE, "a good answer stands")
    ),
    "counts failed requests that were not in a row": test(
        Run, "account", _never_forgets_a_failure, "kernel.test_run", _THREE, (0, 1, 3), 4, "continue"
    ),
    "asks a dead endpoint for ever": test(
        Run, "account", _survives_the_dead, "kernel.test_run", _THREE, (0, 1, 2), 3, "failed"
    ),
}
"""The decision table and what it is asked with."""


def _lost_while_idle(handling: Handling) -> None:
    if handling._under_way:
        _interrupt(handling)


def _breaks_off_nothing(_: Handling) -> None:
    pass


_interrupt, _keep = Handling.interrupt, Handling._keep
_leave, _observe = RunStream._leave, RunStream._observe
_check_time = Ledger._check_time


def _goes_on_when_closed(ledger: Ledger) -> None:
    closed, ledger.closed = ledger.closed, False
    try:
        _check_time(ledger)
    finally:
        ledger.closed = closed


async def _says_nothing_of_it(handling: Handling, number: int, effect: Effect, outcome: Outcome) -> Handled:
    return await _keep(handling, number, effect, outcome.changed(interrupted=False))


def _leaves_the_run_alone(stream: RunStream[Any]) -> None:
    stream._on_leave = "continue"


def _forgets_what_nobody_read(stream: RunStream[Any]) -> None:
    while not stream._events.empty():
        stream._events.get_nowait()
    _leave(stream)


def _tells_twice(stream: RunStream[Any], event: Any) -> None:
    _observe(stream, event)
    if event.type == "noted":
        _observe(stream, event)


def _not_before_it_begins(asked: AsyncDriver, execution_id: str | None = None) -> None:
    for run in tuple(asked._running):
        if execution_id in (None, run.execution_id):
            run.handling.interrupt()


def _raises_what_an_observer_raises(run: Any, event: Any) -> None:
    for observer in run._observers:
        observer(event)


STOPS: dict[str, Fault] = {
    "loses an interrupt while nothing is under way": seeds(
        Handling, "interrupt", _lost_while_idle, "interrupt", _HONOURED
    ),
    "loses an interrupt while a run begins": test(
        AsyncDriver, "interrupt", _not_before_it_begins, "runtime.test_driver",
        "test_an_interrupt_while_the_journal_is_opened_stops_the_run", None,
    ),
    "breaks nothing off": test(
        Handling, "_break_off", _breaks_off_nothing, "runtime.test_driver",
        "test_an_interrupt_breaks_off_a_models_reasoning",
    ),
    "asks a model after the run was asked to stop": test(
        Ledger, "_check_time", _goes_on_when_closed, "runtime.test_ledger",
        "test_nothing_begins_once_the_run_was_asked_to_stop",
    ),
    "says nothing of an interrupt in the outcome": seeds(
        Handling, "_keep", _says_nothing_of_it, "interrupt", _HONOURED
    ),
    "lets a run go on whose stream was left": seeds(
        RunStream, "_leave", _leaves_the_run_alone, "stream_left", _HONOURED
    ),
    "forgets the events that nobody had read": seeds(
        RunStream, "_leave", _forgets_what_nobody_read, "stream_left", _LINES
    ),
    "tells a note twice": seeds(RunStream, "_observe", _tells_twice, "stream_left", _LINES),
    "ends with an observer that raises": test(
        driver._Run, "_tell", _raises_what_an_observer_raises, "runtime.test_driver",
        "test_an_observer_that_raises_is_told_nothing_more_and_the_run_continues", "caplog",
    ),
}  # fmt: skip
"""Interrupts, streams and observers."""
