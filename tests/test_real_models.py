"""Whole runs on real models in their child process: the plumbing on the tiny one, the demo on the embedded one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aeon.assembly.build import build
from aeon.assembly.runs import replay
from aeon.kernel.passes import MULTIPASS
from aeon.llm.adapter import LLMAdapter
from aeon.llm.catalogue import CATALOGUE
from aeon.llm.local import Local
from aeon.runtime.journal import Journal
from aeon.schema import Config, Left, Result
from aeon.schema.claims import ENDINGS

DEMO = Path(__file__).parents[1] / "scripts" / "demo"
SMALL = Config.model_validate({
    "max_passes": 1,
    "budget": {"calls": 12},
    "limits": {"plan_steps": 2, "total_steps": 3, "attempts": 1},
    "caps": dict.fromkeys(("profile", "plan", "refine_plan", "execute", "synthesize"), 1)
    | dict.fromkeys(("validate_plan", "validate_results", "assess"), 2),
    "output_tokens": 96,
})  # fmt: skip


@pytest.fixture
def local() -> Iterator[Callable[[str], Local]]:
    """Makes models of the catalogue; their processes end with the test."""
    made: list[Local] = []

    def make(name: str) -> Local:
        made.append(Local(CATALOGUE[name], context_tokens=4096))
        return made[-1]

    yield make
    for model in made:
        asyncio.run(model.aclose())


def journalled(model: LLMAdapter | str, path: Path, task: str, config: Config | None = None) -> Result:
    """The result of a run whose journal lies at the path."""
    return build(llm=model, config=config, journal=lambda _: Journal(path)).execute(task)


@pytest.mark.tiny
@pytest.mark.requirement("K3", "K12", "K13", "H1")
def test_a_whole_run_on_the_tiny_model(local: Callable[[str], Local], tmp_path: Path) -> None:
    """Whatever so small a model says, the run ends typed and within its bound, and its journal gives it again."""
    path = tmp_path / "run.jsonl"
    result = journalled(local("smollm2-135m"), path, "What is 12 * 12?", SMALL)
    endings = {rule.reason for rule in MULTIPASS.rules(SMALL)} | {f"{name}_exhausted" for name in Left._fields}
    assert result.answer.strip() and result.stop_reason in {*endings, *ENDINGS.values()}
    assert 0 < result.usage.calls <= result.bound.calls == 12
    assert 0 < result.usage.tokens <= result.bound.tokens
    assert replay(Journal.read(path)).model_dump_json() == result.model_dump_json()


@pytest.mark.embedded
@pytest.mark.requirement("K13", "H1")
def test_the_demo_on_the_embedded_model(local: Callable[[str], Local], tmp_path: Path) -> None:
    """The task of ``scripts/demo`` is answered right, by tools, in few calls and tokens, and replays."""
    task = next(line.split('"')[1] for line in DEMO.read_text().splitlines() if line.startswith("TASK="))
    path = tmp_path / "run.jsonl"
    result = journalled(local("qwen2.5-coder-1.5b"), path, task)
    assert "348" in result.answer and "66.12" in result.answer
    assert result.usage.tool_calls >= 2 and result.pass_number >= 1
    assert result.usage.calls <= 9 and result.usage.generated_tokens <= 900
    assert replay(Journal.read(path)).model_dump_json() == result.model_dump_json()
