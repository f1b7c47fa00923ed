"""Engines that run others in simulated worlds: they hold, and what breaks one of their promises is noticed by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aeon.assembly.plugin import AnyPlugin
from aeon.assembly.registry import plugin
from aeon.engines.auto.record import Auto
from aeon.engines.chain.record import Chain
from aeon.engines.ensemble.record import Ballot, Ensemble
from aeon.kernel.engine import Run
from aeon.schema.effects import Program
from aeon.simulation.check import check
from aeon.simulation.crowd import simulate
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts

pytestmark = pytest.mark.requirement("E6", "E6l", "K13")
SEEDS = {"ensemble": 90, "auto": 80, "chain": 80, "team": 80}
MOST_SEEDS = 60


@pytest.mark.requirement("X3", "E6b")
@pytest.mark.parametrize("engine", SEEDS)
def test_the_engine_holds_in_many_worlds(engine: str) -> None:
    """Crashes, interrupts, questions that wait, models that say anything, budgets that run out."""
    tally = simulate(range(SEEDS[engine]), engine=engine)
    assert tally.failures == []
    fired = {kind for kind, times in tally.fired.items() if times}
    assert {"crash_each", "crash_called", "interrupt", "outage", "disk_full"} <= fired
    if engine == "ensemble":
        assert {"agreed", "doubted", "disagreement", "too_few_votes", "unanswered"} <= set(tally.reasons)


@pytest.mark.requirement("E6p", "X5a")
@pytest.mark.parametrize(
    ("engine", "seed", "faults"),
    [
        ("ensemble", 8, "probed,question_suspended,steps=1,passes=1"),
        ("ensemble", 60, "question_suspended,crash_called,passes=1"),
        ("ensemble", 145, "endpoint_slow,outage,passes=1"),
        ("ensemble", 14637, "budget_seconds,outage,disk_full,steps=1,passes=1"),
        ("team", 770021, "interrupt,passes=2"),
        ("ensemble", 25219, "malformed,tool_hangs,question_suspended,passes=1"),
    ],
)
def test_no_member_goes_on_where_the_run_cannot(engine: str, seed: int, faults: str) -> None:
    """While another one waits for a person, found the endpoint down or was interrupted: that would not count."""
    assert simulate(range(seed, seed + 1), faults, engine=engine).failures == []


@pytest.mark.requirement("K9", "X5")
@pytest.mark.parametrize(
    ("engine", "seed", "faults"),
    [
        ("auto", 880238, "empty,budget_seconds,question_assumed,clock_moved,crash_after,steps=1,passes=1"),
        ("ensemble", 880160, "budget_seconds,disk_full,steps=1,passes=1"),
        ("ensemble", 880230, "refused,budget_seconds,outage,clock_moved,steps=2,passes=1"),
        ("ensemble", 880510, "endpoint_slow,budget_seconds,disk_full,steps=1,passes=1"),
    ],
)
def test_a_call_that_took_all_its_time_ran_out_of_time_whatever_the_clock_shows(
    engine: str, seed: int, faults: str
) -> None:
    """A deadline is met on the microsecond, also in a process whose clock shows another time."""
    assert simulate(range(seed, seed + 1), faults, engine=engine).failures == []


@pytest.mark.requirement("E6d")
def test_answers_of_members_are_compared_as_data() -> None:
    """What a tool gave one member stands in no instruction of the comparison with another one's answer."""
    faults = "endpoint_dead,tool_output,passes=1"
    assert simulate(range(880_586, 880_587), faults, engine="ensemble").failures == []


@pytest.mark.requirement("E6j")
def test_a_routed_run_that_is_halted_says_what_its_rule_rested_on() -> None:
    """The profile that the rule was chosen by is on record, too, where the engine's budget ended the run."""
    faults = "budget_calls,steps=1,passes=1"
    assert simulate(range(770_103, 770_104), faults, engine="auto").failures == []


def ended(engine: str, change: Callable[[Any], Any]) -> Parts:
    """Parts whose program ends in another result."""
    shipped: AnyPlugin = plugin(engine)

    def program(run: Run[Any, Any]) -> Program[Any]:
        return change((yield from shipped.engine.program(run)))

    return Parts(replace(shipped, engine=replace(shipped.engine, program=program)))


def ballots(**fields: object) -> Callable[[Ensemble], Ensemble]:
    """A change of every ballot."""
    return lambda end: end.changed(ballots=tuple(one.changed(**fields) for one in end.ballots))


def _swapped(end: Ensemble) -> Ensemble:
    turned = tuple(one.changed(place=1 - one.place) if one.place in (0, 1) else one for one in end.ballots)
    return end.changed(ballots=turned) if len(end.classes) > 1 else end


def _one_more(end: Ensemble) -> Ensemble:
    if end.taken is None:
        return end
    more = Ballot(member=end.seats, engine="loop", answer="1", place=0)
    return end.changed(ballots=(*end.ballots, more)) if len(end.ballots) < end.seats else end


PLANTED: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "counts a call less": ("ensemble", ballots(calls=0, tokens=0), "a ballot says what its member took"),
    "takes all the tokens": ("ensemble", ballots(tokens=10**7), "a member within its share"),
    "counts other votes": ("ensemble", _swapped, "votes are what comparisons said"),
    "drops a vote": ("ensemble", ballots(place=None, missing=""), "votes are what comparisons said"),
    "asks one more": ("ensemble", _one_more, "nobody is asked after the vote is decided"),
    "takes nobody": ("ensemble", lambda end: end.changed(taken=None), "a majority is the answer"),
    "answers on its own": ("ensemble", lambda end: end.changed(answer="It is 7."), "a majority is the answer"),
    "hides answers": ("ensemble", lambda end: end.changed(answer="No majority.", taken=None), "all answers are shown"),
    "is surer than its member": ("ensemble", ballots(sufficient=False), "an answer is as good as its member's"),
    "names another rule": ("auto", lambda end: Auto.changed(end, rule="form"), "the first rule that holds is taken"),
    "names another engine": (
        "auto",
        lambda end: end.changed(chosen="research") if end.rule else end,
        "only the engine that was chosen works",
    ),
    "swaps its members": ("chain", lambda end: Chain.changed(end, links=end.links[::-1]), "members in their order"),
    "counts a call less in a chain": (
        "chain",
        lambda end: end.changed(links=tuple(link.changed(calls=0, tokens=0) for link in end.links)),
        "a link says what its member took",
    ),
    "counts a call less in a team": (
        "team",
        lambda end: end.changed(jobs=tuple(job.changed(calls=0, tokens=0) for job in end.jobs)),
        "a part says what its worker took",
    ),
    "asks a stranger": (
        "team",
        lambda end: end.changed(jobs=tuple(job.changed(engine="tutor") for job in end.jobs)),
        "parts within the limit, each with a specialist",
    ),
    "changes the parts": (
        "team",
        lambda end: end.changed(jobs=tuple(job.changed(question="Why?") for job in end.jobs)),
        "a worker sees its part alone",
    ),
    "hands on what nobody saw": (
        "chain",
        lambda end: end.changed(links=tuple(link.changed(answer="It is 7.", handed_on=True) for link in end.links)),
        "answers are handed on, never back",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_broken_promise_is_noticed_by_its_name(name: str) -> None:
    """Within a few seeds, without any other trouble or with little money."""
    engine, change, invariant = PLANTED[name]
    with Life(ended(engine, change)) as life:
        faults = "budget_tokens" if invariant == "a member within its share" else "none"
        reports = (check(scenario(seed, faults), life) for seed in range(MOST_SEEDS))
        assert any(problem.invariant == invariant for report in reports for problem in report.problems)
