"""The report engine in simulated worlds: its promises hold whatever happens."""

from __future__ import annotations

import pytest

from aeon.assembly.report import PLUGIN
from aeon.simulation.crowd import simulate
from aeon.simulation.faults import scenario
from aeon.simulation.life import Life, Parts
from aeon.simulation.report import hold_report
from aeon.simulation.troubles import Troubles
from aeon.simulation.world import World

pytestmark = pytest.mark.requirement("A1")
SEEDS = 90


def test_reports_hold_in_simulated_worlds() -> None:
    """Crashes, interrupts, outages, failing searches and hostile texts break no promise of any run, or of a report."""
    tally = simulate(range(SEEDS), engine=PLUGIN)
    assert tally.failures == []
    assert {"accepted", "unreviewed", "not_stated"} <= set(tally.reasons)


def test_a_report_that_breaks_a_promise_is_found() -> None:
    """A quote that stands nowhere, a number without a source and a round too many are each named."""
    with Life(Parts(PLUGIN)) as life:
        for seed in range(40):
            world = World(scenario(seed, "interrupt"))
            story = life.lived(world, Troubles())
            if story is None or not story.result.findings:
                continue
            result = story.result
            (first, *rest) = result.findings
            span = first.citations[0]
            wrong = span.changed(source=span.source.changed(text="It stands nowhere."))
            other = span.changed(number=99)
            broken = {
                "every quote stands in its source": first.changed(citations=(wrong,)),
                "every cited number exists": first.changed(citations=(other,)),
                "every finding cites": first.changed(citations=()),
            }
            for promise, finding in broken.items():
                world.problems.clear()
                draft = result.draft.changed(findings=(finding, *rest))
                hold_report(world, result.changed(draft=draft), story.journal)
                assert [name for name, _ in world.problems] == [promise]
            return
    raise AssertionError("no seed gave a report with a finding")
