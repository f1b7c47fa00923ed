"""Operations on plans as data: what a step gets from those that it builds on."""

from __future__ import annotations

import pytest

from aeon.multipass.plans import inputs, is_to_derive
from aeon.schema import Agreement, Derivation, Plan, Step, ToolCall
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


@pytest.mark.requirement("G4")
def test_what_tools_gave_is_derived_again_unless_something_else_has_settled_it() -> None:
    """Another derivation has, or judges have who vouch for what it is made of; a step that is open gives nothing."""
    call = ToolCall(tool="calculator", arguments={"expression": "41 - 26"})
    step = Step(id="s1", description="subtract", action=call, status="complete", mode="tool", output=15)
    made = Plan(steps=(step,), answer=("s1",))
    again = Agreement(derivations=(Derivation(method="program", text="41 - 26", answer="15", agrees=True),))
    assert is_to_derive(made)
    assert not is_to_derive(made.changed(vouched=0.7)) and not is_to_derive(made.changed(agreement=again))
    assert not is_to_derive(made.changed(steps=(step.changed(status="pending", output=None),)))
