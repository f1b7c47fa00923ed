"""The contractive engine on the embedded model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aeon.assembly.build import build
from aeon.assembly.runs import replay
from aeon.engines.contractive.config import ContractiveConfig
from aeon.engines.contractive.record import Contractive
from aeon.llm.catalogue import CATALOGUE
from aeon.llm.local import Local
from aeon.runtime.journal import Journal


@pytest.mark.embedded
@pytest.mark.requirement("E3", "E3a")
def test_most_samples_of_the_embedded_model_agree_on_what_it_knows(tmp_path: Path) -> None:
    """They are drawn, classed and worded; the saved run replays."""
    model = Local(CATALOGUE["qwen2.5-coder-1.5b"], context_tokens=4096)
    path = tmp_path / "run.jsonl"
    config = ContractiveConfig(preset="fast")
    try:
        orchestrator = build(model, tools=(), config=config, engine="contractive", journal=lambda _: Journal(path))
        result: Contractive = orchestrator.execute("A box holds 6 eggs. How many eggs are in 3 boxes?")
    finally:
        asyncio.run(model.aclose())
    assert result.stop_reason in ("agreed", "majority") and "18" in result.short
    assert result.uncertainty is not None and result.uncertainty < config.limits.decompose
    assert len(result.tree[0].rounds[0].answers) == 3 and result.usage.tokens <= 16_000
    assert replay(Journal.read(path)).model_dump_json() == result.model_dump_json()
