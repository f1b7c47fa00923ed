"""Texts that nobody writes: what the host reads out of them takes time in proportion to their length."""

from __future__ import annotations

import time

import pytest

from aeon.proof.equations import equations
from aeon.proof.figures import figures_in, figures_of_answer, values_of_source
from aeon.proof.mentions import values

pytestmark = pytest.mark.requirement("G2")

_LENGTH = 24_000
_SECONDS = 3.0
"""What a pattern that tries every end for every start takes several times over."""


@pytest.mark.parametrize("piece", ["\n", "|\n", "1", "\u0661", "```.", "\t"])
@pytest.mark.parametrize("start", ["1", "```\n"])
def test_repeated_signs(piece: str, start: str) -> None:
    """An answer, a source or a gap between two numbers of one sign over and over holds nobody up."""
    text = start + piece * (_LENGTH // len(piece)) + " 1"
    began = time.process_time()
    figures_of_answer(text)
    list(values_of_source(text))
    values(text)
    list(equations(text, figures_in(text, cell=False)))
    assert time.process_time() - began < _SECONDS
