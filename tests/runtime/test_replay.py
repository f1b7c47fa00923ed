"""Replay: a journal determines its run byte for byte, and anything else is a divergence that names its entry."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel.world import NOT_YET, WildWorld, World, add, found, step

import aeon
from aeon.errors import Divergence, JournalError
from aeon.kernel.engine import Run
from aeon.kernel.passes import MULTIPASS
from aeon.kernel.table import PassSignals
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.replay import replay
from aeon.schema import Config, Result, StepResult, Task
from aeon.schema.effects import Program
from runtime.handlers import job, ticking

STEPS = (step("a"), step("b"), step("c", "a"))


def journalled(world: World, config: Config | None = None, path: Path | None = None) -> tuple[Result, Journal]:
    """A result and the journal of its run."""
    journal = Journal(path)
    result = AsyncDriver(journal=lambda execution_id: journal, clock=ticking()).execute(job(world, config))
    return result, Journal.read(path) if path else journal


def busy() -> World:
    """A world with refinement before and after a pass."""
    return World(
        STEPS, validate_plan=found("plan"), validate_results=found("a"), assess=NOT_YET,
        refine_plan=lambda _, n: add(step(f"more{n}")),
    )  # fmt: skip


def changed(journal: Journal, number: int, **changes: object) -> Journal:
    journal.entries[number] = journal.entries[number].changed(**changes)
    return journal


@pytest.mark.requirement("K3")
@pytest.mark.parametrize("on_disk", [False, True])
def test_a_replay_gives_the_result_byte_for_byte(tmp_path: Path, on_disk: bool) -> None:
    """From memory or from disk, without asking anybody."""
    result, journal = journalled(busy(), Config(max_passes=2), tmp_path / "run" if on_disk else None)
    assert result.passes == 2
    assert replay(journal, MULTIPASS).model_dump_json() == result.model_dump_json()


@pytest.mark.requirement("K3")
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_journal_of_any_run_replays_to_the_same_bytes(
    random: Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever the models said and however the run ended, the file on disk determines the result."""
    config = Config(max_passes=3)
    path = tmp_path_factory.mktemp("wild") / "run.jsonl"
    result, journal = journalled(WildWorld(random, config), config, path)
    assert replay(journal, MULTIPASS).model_dump_json() == result.model_dump_json()


@pytest.mark.requirement("K3")
@pytest.mark.parametrize("output", [float("nan"), float("inf"), 0.1 + 0.2, 10**20, "\x00\x1b[31m", {"é": [None]}])
def test_odd_outputs_replay_to_the_same_bytes(tmp_path: Path, output: object) -> None:
    """What JSON has no word for is the same in the run as in its replay, also where outputs become the answer."""
    broken = World(execute=StepResult(output=output), synthesize=found())  # type: ignore[arg-type]
    result, journal = journalled(broken, path=tmp_path / "run")
    assert result.assembled
    assert replay(journal, MULTIPASS).model_dump_json() == result.model_dump_json()


@pytest.mark.requirement("H1")
def test_an_edited_value_diverges_at_the_first_effect_that_it_would_change() -> None:
    """Another output of step a makes another request of step c, which is entry 8."""
    _, journal = journalled(busy())
    value = StepResult(output="forged").model_dump(mode="json")
    with pytest.raises(Divergence, match=r"^entry 8: the journal holds the outcome of 'execute' for another request"):
        replay(changed(journal, 5, value=value), MULTIPASS)


@pytest.mark.requirement("H1")
@pytest.mark.parametrize("number", range(9))
def test_an_entry_of_another_effect_is_a_divergence_that_names_it(number: int) -> None:
    """Whichever entry it is."""
    _, journal = journalled(World(STEPS))
    with pytest.raises(Divergence, match=f"^entry {number}: "):
        replay(changed(journal, number, fingerprint="0" * 16), MULTIPASS)


@pytest.mark.requirement("H1")
def test_a_value_of_another_type_is_a_divergence() -> None:
    """The message says which type it should be."""
    _, journal = journalled(World())
    with pytest.raises(Divergence, match=r"^entry 0: its value is no TaskProfile: "):
        replay(changed(journal, 0, value={"reasoning_depth": 9}), MULTIPASS)


@pytest.mark.requirement("H1")
@pytest.mark.parametrize("kept", range(9))
def test_a_journal_of_a_run_that_had_not_ended_says_how_far_it_goes(kept: int) -> None:
    """Nothing is issued beyond it; one that notes an end all the same contradicts itself."""
    _, journal = journalled(World(STEPS))
    unended = Journal.written(journal.opened, [journal.entries[number] for number in range(kept)])
    with pytest.raises(JournalError, match="the run had not ended when it was saved"):
        replay(unended, MULTIPASS)
    for number in range(kept, 9):
        del journal.entries[number]
    with pytest.raises(JournalError, match="says that the run had ended, but outcomes are missing"):
        replay(journal, MULTIPASS)


@pytest.mark.requirement("H1")
def test_a_journal_that_goes_on_after_the_end_is_a_divergence() -> None:
    """A program that asks for less than the journal holds is not the one that was run."""
    _, journal = journalled(World())
    journal.entries[7] = journal.entries[6].changed(number=7)
    with pytest.raises(Divergence, match=r"^entry 7: "):
        replay(journal, MULTIPASS)


@pytest.mark.requirement("H1")
def test_an_empty_journal_holds_no_run() -> None:
    """It says so."""
    with pytest.raises(JournalError, match="holds no run"):
        replay(Journal(), MULTIPASS)


@pytest.mark.requirement("H1")
def test_another_program_diverges_at_its_first_other_request() -> None:
    """The program of a replay can be chosen; one that skips the profile is found at entry 0."""
    _, journal = journalled(World())

    def hasty(run: Run[Config, PassSignals]) -> Program[Result]:
        return MULTIPASS.program(MULTIPASS.start(Task(text="Something else."), run.config, run.execution_id))

    with pytest.raises(Divergence, match=r"^entry 0: "):
        replay(journal, replace(MULTIPASS, program=hasty))


SCRIPT = """
import sys
from pathlib import Path
from aeon.kernel.passes import MULTIPASS
from aeon.runtime.journal import Journal
from aeon.runtime.replay import replay
from runtime.lives import lived, world
path = Path(sys.argv[1])
print(lived(path, world()).model_dump_json())
print(replay(Journal.read(path), MULTIPASS).model_dump_json())
print(path.read_text())
"""


@pytest.mark.requirement("K3", "H1", "O6")
def test_history_and_journal_are_the_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    """A run with branches, a failed step, a question and refinements comes out the same in any process."""
    roots = f"{Path(__file__).parents[1]}:{Path(aeon.__file__).parents[1]}"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / f"{seed}.jsonl")], capture_output=True, check=True,
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": roots},
        ).stdout
        for seed in (0, 1, 2)
    }  # fmt: skip
    assert len(outputs) == 1
    first, second, *lines = outputs.pop().splitlines()
    assert first == second and len(lines) > 20
