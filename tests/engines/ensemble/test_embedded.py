"""A vote on the embedded model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.assembly.build import build
from aeon.assembly.runs import replay
from aeon.engines.ensemble.record import Ensemble
from aeon.llm.catalogue import CATALOGUE
from aeon.llm.local import Local
from aeon.runtime.journal import Journal


@pytest.mark.embedded
@pytest.mark.requirement("E6", "E6c")
def test_samples_of_the_embedded_model_agree_on_what_a_text_says(tmp_path: Path) -> None:
    """Two of three are enough, the answer is that of the engine alone, and the saved run replays."""
    folder, path = tmp_path / "office", tmp_path / "run.jsonl"
    folder.mkdir()
    (folder / "orders.txt").write_text("The Lyon branch ordered 1200 boxes in May. The Hull branch ordered 300.\n")
    model = Local(CATALOGUE["qwen2.5-coder-1.5b"], context_tokens=4096)
    try:
        vote = build(model, files=folder, engine="ensemble", journal=lambda _: Journal(path))
        result: Ensemble = vote.execute("How many boxes did the Lyon branch order in May?")
    finally:
        asyncio.run(model.aclose())
    assert (result.stop_reason, result.taken, len(result.ballots)) == ("agreed", 1, 2) and "1200" in result.answer
    assert replay(Journal.read(path)).model_dump_json() == result.model_dump_json()
