"""The graph on the embedded model; the loop is its nodes without a reflection."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeon.assembly.build import build
from aeon.engines.graph.config import GraphConfig
from aeon.llm.catalogue import CATALOGUE
from aeon.llm.local import Local


@pytest.fixture
def local() -> Iterator[Local]:
    """The embedded model; its process ends with the test."""
    model = Local(CATALOGUE["qwen2.5-coder-1.5b"], context_tokens=8192)
    yield model
    asyncio.run(model.aclose())


@pytest.mark.embedded
@pytest.mark.timeout(900)  # a whole run, on whatever the other tests leave of the machine
@pytest.mark.requirement("E2b")
def test_the_embedded_model_answers_from_a_table(local: Local, tmp_path: Path) -> None:
    """A query gives the total, and the answer says it; that ways agree is tested on played models."""
    rows = "\n".join(f"2025-0{month}-11,{city},{amount}" for month, city, amount in ROWS)
    (tmp_path / "orders.csv").write_text(f"day,city,amount\n{rows}\n")
    question = "What is the total amount of the orders from Porto?"
    config = GraphConfig(derivations=1)
    result = build(local, config=config, files=tmp_path, engine="graph").execute(question)
    assert "412" in result.answer.replace(",", ""), result.answer
    assert (result.stop_reason, result.sufficient) == ("verified", True)


ROWS = ((1, "Porto", 130), (2, "Lyon", 95), (3, "Porto", 282), (4, "Lyon", 61))
