"""Claims as data: they come back from JSON as they were, and nothing else does."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.schema import Claim, Source, Task

pytestmark = pytest.mark.requirement("G1")

SPANS = (Source(source="a.txt", start=0, end=9, text="It is 71."),)


def test_claims_of_every_support_survive_json() -> None:
    """Source, tool, task, inference and none."""
    found = claims(
        "71 + 5 = 76, 12 % of 8, and 99", Task(text="What is 12 % of it?"), [ToolOutput("s1", [5, 8])], SPANS
    )
    assert {claim.support for claim in found} == {"source", "tool", "task", "inference", "none"}
    assert [Claim.model_validate_json(claim.model_dump_json()) for claim in found] == list(found)


@pytest.mark.parametrize(
    "field", [{"start": -1}, {"verdict": "verified"}, {"support": "web"}, {"kind": "idea"}, {"more": 1}]
)
def test_what_is_no_claim_is_refused(field: dict[str, object]) -> None:
    """Where it comes from outside."""
    (claim,) = claims("It is 71", Task(text="?"), (), SPANS)
    with pytest.raises(ValidationError):
        Claim.model_validate(claim.model_dump() | field)
