"""Engines that the simulation knows nothing of: what holds of every run holds of theirs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aeon.assembly.multipass import PLUGIN
from aeon.assembly.registry import shipped
from aeon.cli.main import main
from aeon.errors import UsageError
from aeon.simulation.crowd import ALL, simulate
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts
from aeon.simulation.troubles import Troubles
from aeon.simulation.world import World
from simulation.second import SECOND, Lines

SEEDS = 300


@pytest.mark.requirement("M1", "M3", "M4", "K12", "K13", "X3")
def test_a_second_engine_holds_in_hundreds_of_seeds() -> None:
    """Crashes, interrupts, full disks, outages and all else, with nested runs side by side under one bound."""
    tally = simulate(range(SEEDS), engine=SECOND)
    assert tally.failures == []
    assert tally.seeds == SEEDS and tally.runs > 2 * SEEDS
    assert {"continue", "calls_exhausted", "seconds_exhausted", "unknown_outcome"} <= set(tally.reasons)
    fired = {kind for kind, times in tally.fired.items() if times}
    assert {"crash_each", "crash_called", "disk_full", "interrupt", "outage", "question_suspended"} <= fired


@pytest.mark.requirement("M3", "K12")
@pytest.mark.parametrize("faults", ["budget_calls", "budget_tokens,retried", "budget_cost,empty", "interrupt,retried"])
def test_nested_runs_stay_within_the_bound_of_the_run_around_them(faults: str) -> None:
    """The world counts what all of them ask for, and each of them states its own part."""
    with Life(Parts(SECOND)) as life:
        for seed in range(40):
            world = World(scenario(seed, faults))
            story = life.lived(world, Troubles())
            assert story is not None and isinstance(story.result, Lines) and not world.problems
            result = story.result
            assert world.total().calls <= result.bound.calls and world.total().tokens <= result.bound.tokens
            for inner in result.nested:
                assert inner.usage.calls <= inner.bound.calls <= result.bound.calls
            assert sum(inner.usage.calls for inner in result.nested) <= result.usage.calls


@pytest.mark.requirement("K15", "M3")
@pytest.mark.parametrize("engine", ["ensemble", "team", "chain", "contractive", pytest.param(SECOND, id="second")])
def test_a_run_of_several_programs_that_is_overspent_ends_in_an_answer(engine: Any) -> None:
    """A program beside the one that heard of the count may ask once more; it is no error, and no call is made."""
    tally = simulate(range(12), "over_reported,budget_cost,budget_tokens", engine=engine)
    assert tally.failures == []
    assert tally.reasons["overspent"]


@pytest.mark.requirement("M1")
def test_an_engine_is_simulated_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    """The command line takes an installed engine; one that is not there is one clear line."""
    assert main(["simulate", "--seeds", "3", "--engine", "multi-pass", "--jobs", "1"]) == 0
    assert "every invariant held" in capsys.readouterr().out
    assert main(["simulate", "--seeds", "3", "--engine", "chess"]) == 2
    assert "engine 'chess' is not installed" in capsys.readouterr().err
    with pytest.raises(UsageError, match="not installed"):
        simulate(range(3), engine="chess")


@pytest.mark.requirement("M1b")
def test_the_seeds_are_divided_over_all_engines_that_ship(capsys: pytest.CaptureFixture[str]) -> None:
    """Each has its part, which is the same wherever the seeds begin; a failure would name its engine."""
    names = [one.name.partition("/")[0] for one in shipped()]
    whole = simulate(range(2 * len(names)), engine=ALL)
    assert whole.failures == [] and whole.engines == dict.fromkeys(names, 2)
    first, second = (simulate(some, engine=ALL) for some in (range(13), range(13, 2 * len(names) + 2)))
    rest = (simulate(range(seed, seed + 1), engine=names[seed % len(names)]) for seed in (22, 23))
    assert first.digest ^ second.digest ^ next(rest).digest ^ next(rest).digest == whole.digest
    assert main(["simulate", "--seeds", "11", "--engine", "all", "--jobs", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["engines"] == dict.fromkeys(sorted(names), 1)
    assert main(["simulate", "--seeds", "11", "--from", "7", "--engine", "all", "--jobs", "1"]) == 0
    assert "\nSeeds of each engine\n" in capsys.readouterr().out


@pytest.mark.requirement("M1b")
def test_too_few_seeds_for_all_engines_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """It says how many it takes."""
    assert main(["simulate", "--seeds", "10", "--engine", "all"]) == 2
    err = capsys.readouterr().err
    assert "--engine all: there are 11 engines; simulate 11 seeds or more, not 10" in err and err.count("\n") == 1


@pytest.mark.requirement("M1")
def test_the_shipped_engine_is_one_engine_among_others() -> None:
    """Named, passed or left out, it is the same simulation."""
    digests = {simulate(range(5), engine=engine).digest for engine in (None, "multi-pass", PLUGIN)}
    assert len(digests) == 1
