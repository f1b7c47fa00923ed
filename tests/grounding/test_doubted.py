"""Claims over tables of which it is open how they are to be read."""

from __future__ import annotations

import pytest

from aeon.grounding.doubted import with_doubts
from aeon.kernel.decide import borne_out
from aeon.schema import Claim, Decision, FromClaim, FromTool, Reading, Support, ToolUse
from aeon.schema.claims import Verdict
from aeon.schema.turns import TableRead

pytestmark = pytest.mark.requirement("T5m")
READ = Reading(value="4", form="point")
DOUBT = "a.csv: n: it may be ','"


def use(number: int, *opened: str) -> ToolUse:
    """A query over a table with something open, or nothing."""
    table = TableRead(table="a", source="a.csv", told=("row 9 left out",), open=opened)
    return ToolUse(id=f"s1.{number}", tool="sql", arguments={}, output=4, tables=(table,))


def claim(name: str, *rests: str, verdict: Verdict = "supported") -> Claim:
    """A claim that rests on steps and on other claims."""

    def support(one: str) -> Support:
        if one.startswith("c"):
            return FromClaim(claim=one, reading=READ)
        return FromTool(step=one, path="", start=0, end=1, reading=READ)

    evidence = tuple(map(support, rests))
    return Claim(id=name, start=0, end=1, text="4", kind="number", reading=READ, evidence=evidence, verdict=verdict)


def test_doubts_pass_through_claims_in_whatever_order() -> None:
    """One that follows from another has its doubts, whichever of them stands first; others have none."""
    claims = (claim("c1", "c2", "s1.2"), claim("c2", "s1.1"), claim("c3", "s1.2"))
    found = with_doubts(claims, [use(1, "n: it may be ','"), use(2)])
    assert [(one.verdict, one.doubts) for one in found] == [
        ("partial", (DOUBT,)), ("partial", (DOUBT,)), ("supported", ()),
    ]  # fmt: skip


@pytest.mark.parametrize("verdict", ["contradicted", "not_found", "not_checked"])
def test_what_is_not_supported_stays_as_it_is(verdict: Verdict) -> None:
    """A doubt makes nothing better."""
    claims = (claim("c1", "s1.1", verdict=verdict),)
    assert with_doubts(claims, [use(1, "n: it may be ','")]) == claims


def test_claims_that_rest_on_each_other_end() -> None:
    """A circle, which no run makes, is no endless loop."""
    claims = (claim("c1", "c2", "s1.1"), claim("c2", "c1"))
    assert with_doubts(claims, [use(1, "n: it may be ','")])[0].verdict == "partial"


@pytest.mark.parametrize(
    ("verdicts", "reason"), [(["supported"], "open_reading"), (["supported", "not_found"], "unsupported")]
)
def test_an_answer_over_an_open_reading_is_not_good_enough(verdicts: list[Verdict], reason: str) -> None:
    """What stands nowhere counts first."""
    claims = with_doubts([claim("c1", "s1.1", verdict=one) for one in verdicts], [use(1, "n: it may be ','")])
    good = Decision(action="OUTPUT", reason="converged", sufficient=True)
    assert (borne_out(good, claims).reason, borne_out(good, claims).sufficient) == (reason, False)
