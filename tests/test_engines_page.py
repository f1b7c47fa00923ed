"""The page on engines: its code is run, exactly as it stands there, through all that an engine gets."""

from __future__ import annotations

import asyncio
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from aeon import (
    AsyncDriver,
    Caps,
    Conclusion,
    Effect,
    Engine,
    Halt,
    Orchestrator,
    Plugin,
    Program,
    Run,
    Settings,
    Signals,
    Task,
    build,
)
from aeon.errors import EngineError
from aeon.llm.scripted import Scripted
from aeon.schema import Answer, Budget
from aeon.simulation.crowd import simulate
from aeon.testing.contracts import check_handlers

PAGE = Path(__file__).parents[1] / "docs" / "engines.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.DOTALL | re.MULTILINE)
MOST_LINES = 60  # of the engine, without blank lines and imports


@pytest.fixture
def vote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The page's engine, as a module of its own, in an empty working folder."""
    (tmp_path / "vote.py").write_text(BLOCKS[0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("vote")
    sys.modules.pop("vote", None)


@pytest.mark.requirement("M1", "M4")
def test_the_engine_is_small() -> None:
    """What a newcomer writes, handlers included, fits on a page."""
    kept = ("#", "from", ")", "    Answer")
    lines = [line for line in BLOCKS[0].splitlines() if line.strip() and not line.startswith(kept)]
    assert len(lines) <= MOST_LINES + 10


@pytest.mark.requirement("M1")
def test_the_page_is_type_checked(tmp_path: Path) -> None:
    """Its code passes ``mypy --strict``, and the engine needs nothing but public names."""
    root = PAGE.parents[1]
    files = [tmp_path / "vote.py", tmp_path / "rest.py"]
    for file, blocks in zip(files, (BLOCKS[:1], BLOCKS[1:]), strict=True):
        file.write_text("\n".join(blocks))
    imported = re.findall(r"^from (\S+) import", BLOCKS[0], flags=re.MULTILINE)
    assert {name for name in imported if name.startswith("aeon")} == {"aeon"}
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases", "--no-error-summary", *map(str, files)],
        cwd=root, env=os.environ | {"MYPYPATH": f"{tmp_path}{os.pathsep}{root}"}, capture_output=True, text=True,
    )  # fmt: skip
    assert checked.stdout == ""


@pytest.mark.requirement("M1", "M1a", "M2", "M4", "H3", "X3", "O6")
def test_the_page_runs(vote: ModuleType) -> None:
    """Run, replay, fork, diff, stream, ask and resume do what the page says; nothing is skipped."""
    assert len(BLOCKS) == 6
    space: dict[str, object] = {}
    for block in BLOCKS[1:4]:
        exec(compile(block, str(PAGE), "exec"), space)
    watch = space["watch"]
    assert callable(watch)
    types = asyncio.run(watch())
    assert (types[0], types[-1]) == ("run_started", "run_ended") and types.count("effect_ended") == 2


@pytest.mark.requirement("M4", "K12")
def test_the_page_engine_is_simulated(vote: ModuleType) -> None:
    """Every invariant that holds for any engine holds for it, with faults of every kind."""
    exec(compile(BLOCKS[5], str(PAGE), "exec"), {"PLUGIN": vote.PLUGIN})


@pytest.mark.requirement("O6", "K12a")
@pytest.mark.parametrize("seed", [24, 75, 101, 129, 157, 165, 198, 239])
def test_a_run_that_lost_its_last_calls_is_not_called_broken(vote: ModuleType, seed: int) -> None:
    """Calls that a crash or an interrupt made void are within the stated bound: the run may end for want of calls."""
    tally = simulate(range(seed, seed + 1), engine=vote.PLUGIN)
    assert tally.failures == [] and tally.reasons["calls_exhausted"]


@pytest.mark.requirement("M3", "K12")
@pytest.mark.parametrize("budget", [None, 3])
def test_the_page_engine_runs_inside_another(vote: ModuleType, budget: int | None) -> None:
    """Two of them side by side share what there is; together they never exceed the bound of the run around them."""
    space: dict[str, object] = {}
    exec(compile(BLOCKS[4], str(PAGE), "exec"), space)
    both = space["both"]
    assert callable(both)

    def program(run: Run[Settings, Signals]) -> Program[Conclusion]:
        try:
            results = yield from both(run)
            while True:
                run.boundary()
                run.signals.interrupted = True
        except Halt as halt:
            text = " and ".join(result.answer for result in results)
            return run.conclude(halt.decision, Answer(text=text))

    outer = Engine(
        name="both/1", config=Settings, result=Conclusion, signals=Signals, effects=(), table=(),
        calls=lambda config: 20, program=program, nested=vote.ENGINE.effects,
    )  # fmt: skip
    model = Scripted(lambda request: "4")
    result = build(
        model, tools=(), engine=Plugin(outer, vote.handlers), config=Settings(budget=Budget(calls=budget))
    ).execute("What is it?")
    assert result.usage.calls == len(model.requests) <= (budget or 20)
    assert "4" in result.answer


def test_its_handlers_keep_their_contract(vote: ModuleType) -> None:
    """Whatever a sample effect asks, they give what the machine relies on, or a typed failure."""
    orchestrator = build(Scripted(lambda request: "4"), tools=(), engine=vote.PLUGIN)
    assert asyncio.run(check_handlers(vote.ENGINE, orchestrator.handlers)) == []


def _returning(value: object) -> Callable[..., Program[Conclusion]]:
    def program(run: Run[Settings, Signals]) -> Program[Conclusion]:
        yield from ()
        return value  # type: ignore[return-value]

    return program


def test_what_the_page_says_of_mistakes(vote: ModuleType) -> None:
    """A program without an answer is named in one line."""
    broken = Engine(
        name="broken/1", config=Settings, result=Conclusion, signals=Signals, effects=(), table=(),
        calls=lambda config: 0, program=_returning(None),
    )  # fmt: skip
    with pytest.raises(EngineError, match=r"^engine 'broken/1': its program ended with nothing"):
        Orchestrator(broken, {}, AsyncDriver(), Settings()).execute(Task(text="What is it?"))
    assert issubclass(vote.Sample, Effect) and issubclass(vote.VoteCaps, Caps)
