"""Models of roles: a run that names some waits for a worker that has them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from cli.played_model import Model, served

from aeon.cli.main import main
from aeon.durable.equipment import Equipment
from aeon.durable.jobs import Jobs
from aeon.errors import UsageError
from aeon.llm.scripted import Scripted
from aeon.testing.obliging import oblige

from .conftest import until
from .services import TASK, Program, Service, ended

pytestmark = pytest.mark.requirement("X5e")
MEASURED = "qwen2.5-coder-1.5b"


class Played(NamedTuple):
    """A server with two models, and a database."""

    model: Model
    url: str
    judge: str


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    """A measured model and ``judge``, and where runs are."""
    with served() as model:
        model.was_measured()
        yield Played(model, f"sqlite:///{tmp_path / 'runs.sqlite'}", f"{model.root}/v1#judge")


def test_a_run_waits_for_a_worker_with_the_models_of_its_roles(
    played: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another leaves it alone, and ``aeon jobs`` says what it waits for; one that has them takes those without, too."""
    submit = ["submit", TASK, "--durable", played.url, "--model", played.model.url]
    assert main([*submit, "--thorough", "--roles", f"verifier={played.judge}"]) == 0
    said = capsys.readouterr()
    run, what = said.out.strip(), f"multi-pass/6 {MEASURED} calculator roles=judge"
    assert f"waits for a worker with {what}" in said.err
    without = Program(tmp_path, played.url, played.model.url, "worker")
    with ended(without), Jobs(played.url) as jobs:
        assert main(submit) == 0
        other = capsys.readouterr().out.strip()
        until(lambda: jobs.get(other).state == "ended")
        assert jobs.get(run).state == "queued"
        assert main(["jobs", "--durable", played.url]) == 0
        assert f"no worker has {what}" in capsys.readouterr().err
        assert main(["jobs", run, "--durable", played.url]) == 0
        assert f"{what}; no worker has that" in capsys.readouterr().out
        having = Program(tmp_path, played.url, played.model.url, "worker", "--role-model", played.judge)
        with ended(having):
            until(lambda: jobs.get(run).state == "ended", 60)
            assert jobs.get(run).worker == having.first
            assert "; for roles judge" in having.log.read_text()
            again = main([*submit, "--roles", f"planner={played.model.url},worker=same"])
            assert again == 0 and "roles=" not in capsys.readouterr().err, "its own model is no further one"
    assert {body["model"] for body in played.model.bodies} == {MEASURED, "judge"}


def test_a_service_has_the_models_that_its_settings_name(played: Played, tmp_path: Path) -> None:
    """Its runs name them, and its own worker takes them up."""
    (tmp_path / "settings.toml").write_text(f'[roles]\nverifier = "{played.judge}"\n')
    config = ["--config", str(tmp_path / "settings.toml")]
    service = Service(tmp_path, played.url, played.model.url, *config)
    with ended(service), Jobs(played.url) as jobs:
        name = service.job()
        assert service.reaches(name, "ended")["summary"] and jobs.get(name).needs.endswith(" roles=judge")
    assert "judge" in {body["model"] for body in played.model.bodies}


@pytest.mark.requirement("X5j")
def test_a_program_has_the_models_that_it_names(played: Played) -> None:
    """Its process works on its run, roles and all: one of its own here, since that goes on to be a worker."""
    code = (
        "import sys, aeon; from aeon.assembly.roles import named; _, model, url, judge, task = sys.argv;"
        "assert aeon.build(model, durable=url, roles=named([f'verifier={judge}'])).execute(task).answer"
    )
    given = [played.model.url, played.url, played.judge, TASK]
    subprocess.run([sys.executable, "-c", code, *given], timeout=90, check=True)
    with Jobs(played.url) as jobs:
        assert [job.needs.rpartition(" ")[2] for job in jobs.latest()] == ["roles=judge"]


@pytest.mark.requirement("X5h")
def test_a_worker_has_a_few_models_at_most() -> None:
    """More are one line; each set of those that it has is a queue, the plain ones first."""

    class Named(Scripted):
        """A model with a name."""

        def __init__(self, name: str) -> None:
            super().__init__(oblige)
            self.called = name

        @property
        def name(self) -> str:
            """Its name."""
            return self.called

    has = Equipment(Named("own"), others=[Named("b"), Named("own"), Named("a")])
    ends = [one.rpartition("calculator")[2] for one in has.queues() if one.startswith("multi-pass/")]
    assert ends == ["", " roles=a", " roles=b", " roles=a,b"]
    with pytest.raises(UsageError, match="--role-model: a worker has up to 4 models for roles beside its own, not 5"):
        Equipment(Named("own"), others=[*map(Named, "abcde")])
