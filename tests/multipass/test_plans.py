"""Operations on plans as data: what a step gets from those that it builds on."""

from __future__ import annotations

import pytest

from aeon.multipass.plans import inputs
from aeon.schema import Plan, Step
from aeon.tools.references import substitute


@pytest.mark.requirement("K5")
def test_an_output_goes_by_all_names_that_its_step_provides() -> None:
    """By its id, its fragment, and what the step says that it provides: a later step may refer to any of them."""
    done = Step(id="s1_r2", description="add", status="complete", output=7, provides=("s1_r2", "total"))
    step = Step(id="s2", description="double", dependencies=("s1_r2",))
    (source,) = inputs(Plan(steps=(done, step)), step)
    assert source.names == ("s1_r2", "s1", "total") and source.output == 7
    outputs = {name: source.output for name in source.names}
    assert substitute({"expression": "$total * 2"}, outputs) == {"expression": "7 * 2"}
