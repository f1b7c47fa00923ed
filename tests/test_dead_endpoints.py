"""Runs that an unusable endpoint ended, continued on one that works."""

from __future__ import annotations

from pathlib import Path

import pytest
from approving import Approving

from aeon.assembly.build import build, resume
from aeon.assembly.runs import replay
from aeon.errors import EndpointFailed
from aeon.llm.scripted import Scripted
from aeon.runtime.journal import Journal

TASK = "What is 240 * 0.45?"


@pytest.mark.requirement("X5")
def test_what_came_of_an_unusable_endpoint_is_done_again(tmp_path: Path) -> None:
    """A plan that could not be had was replaced; all that followed from that is taken back with it."""
    path = tmp_path / "run.jsonl"
    broken = build(llm=Scripted(lambda _: EndpointFailed("gone")), journal=lambda _: Journal(path)).execute(TASK)
    result = resume(path, llm=Approving(["print(240 * 0.45)", "Answer: 108", "The total is 108."]))
    assert broken.stop_reason == "failed" and result.stop_reason == "converged"
    assert result.answer == "The total is 108." and replay(Journal.read(path)) == result
