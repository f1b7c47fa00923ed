"""Operations on plans as data: what a step gets from those that it builds on."""

from __future__ import annotations

import pytest

from aeon.multipass.plans import inputs
from aeon.schema import Agreement, Derivation, Plan, Step


@pytest.mark.requirement("K5")
def test_an_output_goes_by_the_id_of_its_step_and_by_its_fragment() -> None:
    """A later step may be told of either."""
    done = Step(id="s1_r2", description="add", status="complete", output=7)
    step = Step(id="s2", description="double", dependencies=("s1_r2",))
    (source,) = inputs(Plan(steps=(done, step)), step)
    assert source.names == ("s1_r2", "s1") and source.output == 7


@pytest.mark.requirement("G4")
def test_the_agreement_of_a_plan_is_that_of_its_answer() -> None:
    """What other programs gave for a step that is only a means to it says nothing of the answer."""
    other = Agreement(derivations=(Derivation(method="plain", text="SELECT 2", answer="2"),))
    first = Step(id="s1", description="a", agreement=other)
    steps = first, Step(id="s2", description="b", dependencies=("s1",))
    assert Plan(steps=steps, answer=("s2",)).agreement is None
    assert Plan(steps=steps, answer=("s1",)).agreement == other and other.disagrees
    again = Step(id="s2_r1", description="b", agreement=other)
    assert Plan(steps=(*steps, again), answer=("s2",)).agreement == other  # done again, it counts as it is now
    assert not other.changed(ahead=True).disagrees
