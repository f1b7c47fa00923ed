"""Faults planted in what a run keeps and does: journal, replay, resume, fork, tools, claims, repair, leases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from aeon.durable.presence import Watch
from aeon.durable.steps import StepStore
from aeon.errors import JournalError, OutcomeUnknown
from aeon.grounding import looped, matching
from aeon.grounding.outcomes import grounded_on
from aeon.grounding.results import PlanEvidence
from aeon.kernel.engine import Run
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.proof.checks import Checks
from aeon.runtime import basis, driver, fork, handling
from aeon.runtime import lines as journal_lines
from aeon.runtime.failures import unknown
from aeon.runtime.handling import Handling
from aeon.runtime.journal import Journal
from aeon.runtime.seals import Sealer
from aeon.runtime.store import FileStore
from aeon.schema import Answer, Claim, Conclusion, Decision, Outcome
from aeon.schema.effects import Effect
from aeon.server import told
from aeon.server.feed import Watcher
from aeon.simulation.check import Report
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts
from aeon.simulation.troubles import Troubles
from aeon.simulation.world import World
from aeon.supervisor import repair
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import invoke, registry
from aeon.tools.output import bounded
from aeon.tools.tool import Tool
from simulation.finding import Fault, seeds, test
from simulation.handed import stepped
from simulation.told import TELLING, hold_told, telling
from simulation.wired import Wired

__all__ = ["ANSWERS", "JOURNALS", "LEASES", "TOOLS"]

_SAME, _EDITED, _ONCE = (
    "the same bytes as without trouble",
    "an edited journal is refused",
    "each side effect happens once",
)
_ENDS, _ANSWER, _REPLAYED = "it ends", "it ends in an answer", "replay is byte-identical"
_CLAIMED, _RECORD = "the claims are those of the answer", "nothing is done before it is on record"
_TOLD = Parts(observers=telling)


def _told(seed: int, faults: str, life: Life) -> Report:
    """The seed with interrupts at its first two effects, and what the service told of it."""
    world = World(scenario(seed, faults))
    story = life.lived(world, Troubles(interrupts=[0.5, 2.0]))
    hold_told(world)
    report = Report(world.scenario)
    report.add(world, story)
    return report


def _any_end(_: Journal, __: Conclusion) -> None:
    pass


_of = Journal.of
_append, _outcome, _handle, _keep = Journal.append, Journal.outcome, Handling.handle, Handling._keep


def _numbered_anew(cls: type[Journal], *args: Any) -> Journal:
    journal = _of(*args)
    journal.line = len(journal.entries)
    return journal


_began = told.Life.__init__


def _from_the_first_line(life: told.Life, start: int = 0, before: tuple[told.Told, ...] = (), *rest: Any) -> None:
    _began(life, 0, before)


_ended = Watcher._ended


def _tells_it_again(watcher: Watcher, event: Any) -> None:
    _ended(watcher, event.changed(recorded=False))


def _by_itself(made: Sealer, line: bytes, before: str) -> str:
    return _seal(made, line, "")


_seal = Sealer.seal


async def _as_if_kept(journal: Journal, number: int, effect: Effect, outcome: Outcome) -> int:
    try:
        return await _append(journal, number, effect, outcome)
    except JournalError:
        return journal.line


def _nothing_recorded(journal: Journal, *args: Any) -> Outcome | None:
    return None


def _at_the_start(handled: Handling, number: int, effect: Effect, now: float, *rest: Any) -> Any:
    return _handle(handled, number, effect, 0.0, *rest)


def _asks_nobody(effect: Effect, tool: str, now: float) -> Outcome:
    outcome = unknown(effect, tool, now)
    assert outcome.failure is not None
    return outcome.changed(failure=outcome.failure.changed(kind="tool", question=None))


_at_once, _past, _altered = driver._Run._at_once, fork._past, fork._altered


async def _backwards(run: Any, first: int, effects: tuple[Effect, ...]) -> list[Outcome]:
    return (await _at_once(run, first, effects))[::-1]


def _a_little_more(journal: Journal, at: int, *rest: Any) -> Any:
    opening, entries = _past(journal, at, *rest)
    return opening, [*entries, *(journal.entries[n] for n in range(at, at + 1) if n in journal.entries)]


def _unmarked(*args: Any) -> Any:
    return _altered(*args).changed(altered=False)


JOURNALS: dict[str, Fault] = {
    "holds no result against the journal's end": seeds(Journal, "check_end", _any_end, "line_edited", _EDITED),
    "numbers lines anew in each life": seeds(
        Journal, "of", classmethod(_numbered_anew), "crash_after", "events have their lines"
    ),
    "tells notes of a life under the places of another": seeds(
        told.Life, "__init__", _from_the_first_line, "none", TELLING, brought=_TOLD, checked=_told
    ),
    "tells again what another life told": seeds(
        Watcher, "_ended", _tells_it_again, "none", TELLING, brought=_TOLD, checked=_told
    ),
    "seals each line by itself": seeds(Sealer, "seal", _by_itself, "line_twice", _EDITED),
    "takes the outcome of another request": test(
        journal_lines, "fingerprint", lambda _: "0" * 16, "runtime.test_replay",
        "test_an_entry_of_another_effect_is_a_divergence_that_names_it", 3,
    ),
    "goes on when the disk takes no outcome": seeds(
        Journal, "append", _as_if_kept, "disk_full", (_SAME, _REPLAYED, "no effect after the end", _ANSWER)
    ),
    "does again what is on record": seeds(
        Journal, "outcome", _nothing_recorded, "crash_after", (_ANSWER, _ONCE, _REPLAYED, _SAME)
    ),
    "begins each effect at the start": seeds(Handling, "handle", _at_the_start, "none", "time is what it took"),
    "takes what may have been done for failed": seeds(
        handling, "unknown", _asks_nobody, "crash_called,crash_begun", "what may have been done is in doubt"
    ),
    "does again what a tool did before it was taken back": test(
        Journal, "done", _nothing_recorded, "runtime.test_done",
        "test_what_was_taken_back_after_the_tool_had_its_outcome_is_not_done_again", "tmp_path", 1,
    ),
    "gives outcomes in another order": seeds(driver._Run, "_at_once", _backwards, "none", (_ANSWER, _REPLAYED)),
    "forks anywhere": test(
        fork, "_possible", lambda *_: range(1_000), "runtime.test_fork",
        "test_a_fork_elsewhere_is_refused", "tmp_path", 999,
    ),
    "shares an effect too many with a fork": test(
        fork, "_past", _a_little_more, "runtime.test_fork",
        "test_a_fork_without_a_change_has_the_same_past_and_comes_to_the_same_end", "tmp_path", 3, False,
    ),
    "marks no outcome that a fork put in": test(
        fork, "_altered", _unmarked, "runtime.test_fork", "test_a_fork_may_have_another_outcome"
    ),
    "forks below what its past took": test(
        fork, "_check_spent", lambda *_: None, "assembly.test_counting",
        "test_a_fork_whose_budget_is_below_what_its_past_took_is_refused_in_a_line", "tmp_path",
    ),
}  # fmt: skip
"""Journals, their seals, replay, resume, forks, and what is told of them."""


_invoke, _call, _complete = invoke.invoke, registry.ToolRegistry.call, OpenAICompatible.complete


async def _three_times_as_long(tool: Tool, arguments: Mapping[str, object], limit: int) -> Any:
    return await _invoke(replace(tool, timeout=3 * tool.timeout), arguments, limit)


async def _whether_or_not_it_is_sure(store: StepStore, line: bytes) -> None:
    await FileStore.append(store, line)


async def _as_a_failure(_: Tool, call: Any) -> Any:
    return await call


_bounded = bounded


async def _another_key(tools: registry.ToolRegistry, name: str, arguments: Any, key: str = "", **rest: Any) -> Any:
    return await _call(tools, name, arguments, f"{key}#{id(arguments)}", **rest)


async def _more_attempts(adapter: OpenAICompatible, request: Any) -> Any:
    return await _complete(adapter, request.changed(attempts=request.attempts + 6))


_until_usable = Supervisor._until_usable


async def _for_long(asker: Supervisor, *args: Any, repairs: int | None = None, **rest: Any) -> Any:
    asker.repairs = 7
    return await _until_usable(asker, *args, **rest)


TOOLS: dict[str, Fault] = {
    "gives a tool three times its time": seeds(
        registry, "invoke", _three_times_as_long, "tool_hangs", "a tool has its time"
    ),
    "calls a tool that pays after it stood still": seeds(
        StepStore, "append", _whether_or_not_it_is_sure, "handed_over", "who lost a run does no more",
        brought=Parts(store=stepped),
    ),
    "takes a tool that did not return for one that did nothing": test(
        registry, "_finish", _as_a_failure, "tools.test_registry", "test_hung_tool_times_out", True, True,
        OutcomeUnknown,
    ),
    "keeps outputs of any size": test(
        invoke, "bounded", lambda value, limit: _bounded(value, 10**9), "tools.test_registry",
        "test_result_above_the_cap_is_cut_and_marked",
    ),
    "gives each attempt at a tool another key": test(
        registry.ToolRegistry, "call", _another_key, "tools.test_registry", "test_the_host_fills_the_key"
    ),
    "lets through what a tool raises": seeds(
        invoke, "_translate_errors", lambda *_: nullcontext(), "tool_fails",
        (_ANSWER, "only errors of the hierarchy", _ENDS),
    ),
    "attempts requests more often than was admitted": seeds(
        OpenAICompatible, "complete", _more_attempts, "endpoint_dead", "within its bound",
        brought=Parts(endpoint=Wired),
    ),
    "asks eight times for a valid value": test(
        Supervisor, "_until_usable", _for_long, "supervisor.test_supervisor",
        "test_repairs_can_be_switched_off",
    ),
    "takes a mended value unseen": test(
        repair, "faults", lambda *_, **__: [], "supervisor.test_repair", "test_a_mended_value_is_validated_again"
    ),
}  # fmt: skip
"""Tools, the adapter's attempts, and repair."""


def _standing(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    return tuple(claim for claim in claims if claim.verdict != "not_found")


_conclude, _claim_of = Run.conclude, matching.claim_of


def _without_what_fails(run: Run[Any, Any], decision: Decision, answer: Answer) -> Conclusion:
    return _conclude(run, decision, answer.changed(claims=_standing(answer.claims)))


def _one_further(*args: Any) -> Claim:
    claim = _claim_of(*args)
    return claim.changed(start=claim.start + 1, end=claim.end + 1)


def _all_well(*args: Any) -> Claim:
    return _claim_of(*args).changed(verdict="supported")


def _standing_of(make: Callable[..., tuple[Claim, ...]]) -> Callable[..., tuple[Claim, ...]]:
    return lambda *args, **named: _standing(make(*args, **named))


ANSWERS: dict[str, Fault] = {
    "drops the claims that do not stand from the result": seeds(
        Run, "conclude", _without_what_fails, "none", _CLAIMED
    ),
    "finds no claims that do not stand": seeds(
        basis, "grounded_on", _standing_of(grounded_on), "none", _CLAIMED, engine="loop"
    ),
    "makes no claims that do not stand": seeds(
        PlanEvidence, "claims", _standing_of(PlanEvidence.claims), "none", _CLAIMED
    ),
    "points beside a claim": seeds(looped, "claim_of", _one_further, "none", _CLAIMED),
    "says of every claim that it stands": test(
        matching, "claim_of", _all_well, "grounding.test_matching",
        "test_a_value_that_stands_nowhere_rests_on_nothing", "it is 67 then",
    ),
    "verifies a proof with any journal": test(
        Checks, "check_journal", lambda *_: None, "proof.test_verify",
        "test_the_journal_must_be_the_one_of_the_proof", "tmp_path",
    ),
}  # fmt: skip
"""Claims and proofs."""


_dead = Watch.dead


def _whenever_it_looks(watch: Watch, beats: Mapping[str, int], now: float) -> set[str]:
    patience, watch._patience = watch._patience, 3e9
    dead = _dead(watch, beats, now)
    watch._patience = patience
    return dead | {name for name, (_, still) in watch._still.items() if still >= patience}


LEASES: dict[str, Fault] = {
    "takes nobody for dead": test(
        Watch, "dead", lambda *_, **__: set(), "durable.test_presence",
        "test_a_count_that_stands_still_for_the_whole_patience_is_a_dead_worker",
    ),
    "counts time in which nobody could look": test(
        Watch, "dead", _whenever_it_looks, "durable.test_presence",
        "test_time_in_which_nobody_could_look_does_not_count",
    ),
}  # fmt: skip
"""Which workers are there."""
