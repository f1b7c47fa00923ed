"""Which of several failures a run ends by."""

from __future__ import annotations

import pytest

from aeon.schema import Failure

DOWN, LATER = (Failure(kind="endpoint", message=text) for text in ("down", "down again"))
OPEN, NEXT = (Failure(kind="waiting", message=text) for text in ("which?", "when?"))
FULL = Failure(kind="journal", message="No space left")


@pytest.mark.requirement("K13", "M3")
@pytest.mark.parametrize(
    ("earlier", "later", "ends"),
    [
        (None, DOWN, DOWN), (DOWN, LATER, LATER), (DOWN, OPEN, OPEN), (OPEN, DOWN, OPEN), (OPEN, NEXT, OPEN),
        (OPEN, FULL, FULL), (FULL, OPEN, FULL), (FULL, DOWN, FULL),
    ],
)  # fmt: skip
def test_what_the_record_lacks_goes_first(earlier: Failure | None, later: Failure, ends: Failure) -> None:
    """A journal that cannot be written, then the first question without an answer, then what came last."""
    assert later.after(earlier) == ends
