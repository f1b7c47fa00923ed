"""Two runs compared: where they part, what differs in each pass, and what is no difference."""

from __future__ import annotations

import pytest
from kernel.world import NOT_YET, World, add, step

from aeon.kernel.passes import MULTIPASS
from aeon.runtime.diff import Difference, Differing
from aeon.runtime.diff import diff as diff_of
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.fork import fork
from aeon.runtime.journal import Journal
from aeon.schema import Config, ConvergenceThresholds, Question, Refinement, StepResult, TaskProfile
from runtime.handlers import job, ticking

STEPS = (step("a"), step("b"), step("c", "a"))


def ran(world: World, config: Config | None = None) -> Journal:
    """The journal of a run in this world."""
    journal = Journal()
    AsyncDriver(journal=lambda execution_id: journal, clock=ticking()).execute(job(world, config))
    return journal


def diff(a: Journal, b: Journal) -> Difference:
    """How two runs of the multi-pass engine differ."""
    return diff_of(a, b, MULTIPASS, MULTIPASS)


def said(output: object) -> World:
    """A world in which step b comes out as this."""
    return World(STEPS, execute=lambda e, _: StepResult(output=output if e.step.id == "b" else "out"))


@pytest.mark.requirement("H3")
def test_a_run_does_not_differ_from_itself_nor_from_a_slower_one() -> None:
    """Times, ids and what follows from times alone are no difference."""
    slow = Journal()
    seconds = iter(range(0, 10_000, 7))
    AsyncDriver(journal=lambda execution_id: slow, clock=lambda: float(next(seconds))).execute(job(said(1)))
    found = diff(ran(said(1)), slow)
    assert found.same and found.parting is None and not found.parts and not found.settings


@pytest.mark.requirement("H3")
def test_the_first_effect_with_another_outcome_is_named() -> None:
    """Its number, phase and step, the path in it and both values; then the step in its pass."""
    found = diff(ran(said(1)), ran(said(2)))
    assert not found.same and found.parting is not None
    assert (found.parting.number, found.parting.phase, found.parting.subject) == (4, "execute", "step b (do b)")
    assert found.parting.what == "outcome"
    assert found.parting.differing == (Differing(path="value.output", a=1, b=2),)
    assert [(p.part, [d.path for d in p.differing]) for p in found.parts] == [("pass 1", ["executed.b.output"])]


@pytest.mark.requirement("H3")
def test_another_request_is_told_from_another_outcome() -> None:
    """With other thresholds the assessment is the first effect that is asked for differently."""
    other = Config(convergence=ConvergenceThresholds(completeness=0.5))
    found = diff(ran(said(1)), ran(said(1), other))
    assert found.settings == (Differing(path="convergence.completeness", a=0.95, b=0.5),)
    assert found.settings_from == 0 and found.parting is not None
    assert (found.parting.phase, found.parting.what) == ("assess", "request")
    assert found.parting.differing == (Differing(path="thresholds.completeness", a=0.95, b=0.5),)


@pytest.mark.requirement("H3")
def test_a_fork_differs_from_where_its_settings_do() -> None:
    """What a fork changes on the way is named with the effect from which on it holds."""
    journal = ran(said(1))
    found = diff(journal, fork(journal, 2, MULTIPASS, Config(max_passes=2)))
    assert (found.settings_from, found.settings) == (2, (Differing(path="max_passes", a=10, b=2),))
    assert found.parting is not None and (found.parting.number, found.parting.what) == (2, "end")
    assert found.b.stop_reason is None and found.a.stop_reason == "own_knowledge"


@pytest.mark.requirement("H3")
def test_another_pass_is_a_difference_of_its_own() -> None:
    """A pass that only one of the runs had is there as a whole, on its side."""
    longer = World(STEPS, assess=lambda _, n: NOT_YET if n == 0 else World().replies["assess"])
    longer.replies["refine_plan"] = lambda _, n: add(step(f"more{n}"))
    found = diff(ran(World(STEPS)), ran(longer, Config()))
    assert [part.part for part in found.parts] == ["pass 1", "pass 2"] and found.parts[1].differing[0].only == "b"
    assert found.parting is not None and found.parting.phase == "assess"


@pytest.mark.requirement("H3")
def test_runs_that_broke_off_or_wait_are_compared_as_far_as_they_go() -> None:
    """A suspended run ends in its question; the same one twice does not differ."""
    unclear = World(
        STEPS, profile=TaskProfile(reasoning_depth=3, ambiguity=0.9),
        refine_plan=Refinement(question=Question(text="which one?", default="this")),
    )  # fmt: skip
    whole = ran(unclear)
    asked = next(number for number, entry in whole.entries.items() if entry.phase == "ask")
    part = fork(whole, asked, MULTIPASS)
    found = diff(part, whole)
    assert found.a.stop_reason == "waiting" and found.parting is not None
    assert (found.parting.number, found.parting.what, found.parting.differing[0].only) == (asked, "end", "b")
    assert diff(part, part).same and diff(fork(whole, 1, MULTIPASS), fork(whole, 1, MULTIPASS)).same
