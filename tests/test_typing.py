"""Programs of users are checked by mypy as they stand in the README, without a plugin that only this project has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import aeon
from aeon.runtime import events

ROOT = Path(aeon.__file__).parents[1]
README = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), flags=re.DOTALL | re.MULTILINE)
STREAM = """
from aeon import Config, EffectEnded, RunEnded, RunStarted, build
from aeon.schema import CallCaps, ConvergenceThresholds, Questions, RefinementLimits


async def follow(task: str) -> str:
    config = Config(
        questions=Questions(most=1), limits=RefinementLimits(attempts=2), caps=CallCaps(plan=9),
        convergence=ConvergenceThresholds(coherence=0.5), prompt_bytes=9_000,
    )
    stream = build(config=config).stream(task)
    async for event in stream:
        print(event.type, event.line)
        if isinstance(event, RunStarted):
            print(event.bound.calls)
        elif isinstance(event, EffectEnded):
            print(event.number, event.outcome.usage.tokens)
        elif isinstance(event, RunEnded):
            print(event.conclusion.answer)
    return stream.result.answer


async def first(task: str) -> str:
    orchestrator = build()
    async with orchestrator.stream(task) as stream:
        event = await anext(aiter(stream))
        orchestrator.driver.interrupt()
    async with orchestrator.stream(task, on_leave="continue") as other:
        print(event.type, other.result.answer)
    return stream.result.answer
"""

TYPED = """
from pydantic import BaseModel

from aeon import Result, Typed, build


class Total(BaseModel):
    total: float


async def both() -> tuple[float, float, Typed[Result, Total]]:
    first = build().execute("How much?", answer_schema=Total)
    second = await build().aexecute("How much?", Total)
    return first.value.total, second.value.total, first
"""


def test_the_readmes_program_and_one_that_streams_pass_mypy_strict(tmp_path: Path) -> None:
    """The defaults of settings are seen without pydantic's plugin, and an event is what ``isinstance`` says."""
    for number, text in enumerate([*README, STREAM, TYPED]):
        (tmp_path / f"program{number}.py").write_text(text)
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nstrict = true\nmypy_path = {ROOT}\nfollow_imports = silent\n")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *(p.name for p in tmp_path.glob("*.py"))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_kind_of_event_is_public() -> None:
    """What a stream gives and an observer sees is imported from ``aeon``."""
    assert set(events.__all__) <= set(aeon.__all__)
    assert all(getattr(aeon, name) is getattr(events, name) for name in events.__all__)
