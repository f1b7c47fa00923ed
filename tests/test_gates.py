"""The gates themselves: each lets a sound tree pass and names the place where one is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.checks import contracts, everywhere, kernel, programs, trace
from scripts.checks.sources import Gate

ROOT = Path(__file__).parents[1]

LONG_FUNCTION = "def f():\n" + "    x = 1\n" * 60
BRANCHES = "def f(x):\n" + "".join(f"    if x == {n}:\n        return {n}\n" for n in range(12))


def write(root: Path, name: str, text: str) -> Path:
    """A file below the root; gives the root."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return root


@pytest.mark.requirement("K14")
def test_the_kernel_may_have_799_lines_and_no_more(tmp_path: Path) -> None:
    """Source lines count, those of all files together; comments, docstrings and blank lines are free."""
    free = '"""What it is.\n\nAnd why.\n"""\n# why\n\n'
    write(tmp_path, "aeon/kernel/a.py", free + "x = 1\n" * 399)
    for lines in ("y = 1  # why\n\n" * 400, "# why\n" * 400 + "y = (\n    1,\n)\n" * 133):
        assert kernel.lines(write(tmp_path, "aeon/kernel/b.py", free + lines)) == []
    (problem,) = kernel.lines(write(tmp_path, "aeon/kernel/b.py", "y = 1\n" * 401))
    assert problem.startswith("aeon/kernel: 800 source lines, at most 799") and "a 399" in problem


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LONG_FUNCTION, "f has 61 lines"),
        ("def f(a, b, *c, d, e, **g):\n    pass\n", "f has 6 parameters"),
        (BRANCHES, "f has complexity 13"),
        ("class C:\n    def f(self, a, b, c, d, e, g): ...\n", "f has 6 parameters"),
    ],
)
def test_a_kernel_function_stays_small(tmp_path: Path, text: str, said: str) -> None:
    """Lines, parameters and complexity are limited, and the place is named."""
    problems = kernel.function_limits(write(tmp_path, "aeon/kernel/a.py", text))
    assert any(problem.startswith("aeon/kernel/a.py:") and said in problem for problem in problems), problems


@pytest.mark.requirement("K3")
@pytest.mark.parametrize(
    "text",
    [
        "import asyncio",
        "import os.path",
        "from datetime import datetime",
        "from aeon.llm.select import select",
        "from . import budget",
        "def f():\n    import json",
        "from typing import Any\nx: Any = 1",
        "hasattr(1, 'a')",
        "getattr(1, 'a', None)",
        "print(1)",
        "logger.info('x')",
        "try:\n    pass\nexcept Exception:\n    pass",
        "try:\n    pass\nexcept:\n    pass",
        "x = 1  # noqa: E501",
        "x = 1  # type: ignore[misc]",
        "open('x')",
        "import aeon.execution.reading",
        "from aeon.schema import (\n    Plan, Step,\n)  # fmt: skip",
    ],
)
def test_the_kernel_knows_nothing_of_the_world(tmp_path: Path, text: str) -> None:
    """Each ban is found, once or more, with its place."""
    problems = kernel.bans(write(tmp_path, "aeon/kernel/a.py", text))
    assert problems and all(problem.startswith("aeon/kernel/a.py:") for problem in problems)


def test_what_the_kernel_may_do_is_no_problem(tmp_path: Path) -> None:
    """Its own modules, the schema, the multi-pass engine's, pydantic and the short list of the standard library."""
    text = "from collections.abc import Sequence\nfrom aeon.schema import Plan\nimport aeon.kernel\ngetattr(1, 'a')\n"
    text += "import operator\nimport aeon.multipass.limits"
    assert kernel.bans(write(tmp_path, "aeon/kernel/a.py", f"{text}\nX = (\n    1, 2,\n)  # fmt: skip")) == []


PROGRAM = "from aeon.schema.effects import Program\nimport os\ndef search(run) -> Program[int]:\n    yield\n"


@pytest.mark.requirement("M5")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("aeon/multipass/limits.py", "import os"),
        ("aeon/engines/tree/program.py", "import os"),
        ("aeon/research/program.py", PROGRAM),
        ("aeon/research/loop.py", PROGRAM),
        ("aeon/reports/engine.py", "import os\nfrom aeon.kernel.engine import Engine\nX = Engine(name='a/1')"),
        ("aeon/reports/engine.py", "import os\nfrom aeon.kernel import engine\nX = engine.Engine[int](name='a/1')"),
        ("aeon/reports/engine.py", "import os\ndef f() -> 'effects.Program[int]': ..."),
    ],
)
def test_every_engines_program_is_held_to_the_bans_of_the_kernel(tmp_path: Path, name: str, text: str) -> None:
    """A program is told by what it is, wherever it stands; what it may not do is named with its place."""
    (problem,) = kernel.bans(write(tmp_path, name, text))
    assert problem.startswith(f"{name}:") and "do not import os" in problem
    write(tmp_path, name, f"{text}\n{BRANCHES}")
    assert any("complexity 13" in problem for problem in kernel.function_limits(tmp_path))


@pytest.mark.requirement("M5")
def test_what_a_program_imports_from_its_own_package_is_held_to_the_same(tmp_path: Path) -> None:
    """A ban cannot be evaded by a module next door, however far; handlers beside it are free."""
    write(tmp_path, "aeon/research/program.py", "from aeon.research import rules\nfrom aeon.kernel.engine import Run")
    write(tmp_path, "aeon/research/rules.py", "from aeon.research.sources import Sources\nimport aeon.tree.program")
    write(tmp_path, "aeon/research/sources.py", "import random")
    write(tmp_path, "aeon/research/handlers.py", "import asyncio\nfrom aeon.research.program import RESEARCH")
    write(tmp_path, "aeon/tree/program.py", "def f(run) -> Program[int]: ...")
    assert kernel.bans(tmp_path) == []
    write(tmp_path, "aeon/research/program.py", "from aeon.research import rules\nRESEARCH = Engine()")
    assert kernel.bans(tmp_path) == ["aeon/research/sources.py:1: the kernel and programs do not import random"]
    write(tmp_path, "aeon/research/rules.py", "from aeon.llm.select import select\nfrom aeon import build")
    assert [problem.rpartition(" ")[2] for problem in kernel.bans(tmp_path)] == ["aeon.llm.select", "aeon"]


def test_a_module_named_program_that_is_no_engines_is_free(tmp_path: Path) -> None:
    """The planner's language of programs reads a model's text; it runs in a handler."""
    text = "import os\nclass Program: ...\ndef read(text: str) -> Plan: ...\nengine = ReasoningEngine()"
    assert kernel.bans(write(tmp_path, "aeon/plan/program.py", text)) == []


DECIDING = """
class Policy(Frozen):
    def strategy(self, evaluations):
        if not self.enabled or not evaluations:
            return None
        return self.manual if self.set else self.chosen(evaluations)
"""
LOOPING = """
class Plan(Value):
    def waves(self):
        while self.pending:
            yield self.ready()
"""
DATA = """
class Plan(Value):
    def find(self, step_id):
        return next((step for step in self.steps if step.id == step_id), None)

    @field_validator("steps")
    @classmethod
    def _sound(cls, steps):
        for step in steps:
            if not step.id or not step.work or step.depth > 5:
                raise ValueError("no")
        return steps
"""


@pytest.mark.requirement("K14")
@pytest.mark.parametrize(
    ("text", "problem"),
    [(DECIDING, "3: strategy has complexity 4, at most 3 in the schema"), (LOOPING, "3: waves has a loop")],
)
def test_the_schema_decides_nothing(tmp_path: Path, text: str, problem: str) -> None:
    """Branches and loops are the shape of a decision; it belongs in the kernel or in a program."""
    (only,) = kernel.decisions(write(tmp_path, "aeon/schema/policy.py", text))
    assert only.startswith(f"aeon/schema/policy.py:{problem}")


@pytest.mark.requirement("K14")
def test_what_data_computes_of_itself_and_what_a_border_refuses_is_no_decision(tmp_path: Path) -> None:
    """Look-ups, validators, and the bases of all values."""
    write(tmp_path, "aeon/schema/plan.py", DATA)
    assert kernel.decisions(write(tmp_path, "aeon/schema/value.py", LOOPING)) == []


@pytest.mark.parametrize(
    ("gate", "name", "text"),
    [
        (everywhere.file_sizes, "aeon/a.py", "\n" * 400),
        (everywhere.function_sizes, "aeon/a.py", LONG_FUNCTION),
        (everywhere.complexity, "scripts/a.py", BRANCHES),
        (everywhere.public_names, "aeon/a.py", "def f(): ..."),
        (everywhere.public_names, "aeon/a.py", "__all__ = ['g']"),
        (everywhere.public_names, "aeon/a.py", "__all__ = ['f']\ndef f(): ...\nclass C: ..."),
        (everywhere.test_docstrings, "tests/test_a.py", "class TestA:\n    async def test_f(self): ..."),
        (everywhere.warnings_are_errors, "pyproject.toml", "[tool.pytest.ini_options]\nfilterwarnings = ['ignore']"),
    ],
)
def test_what_holds_for_every_file_is_held(tmp_path: Path, gate: Gate, name: str, text: str) -> None:
    """The gate gives one line that begins with file and line."""
    (problem,) = gate(write(tmp_path, name, text))
    assert problem.startswith(f"{name}:")


def test_public_names_may_be_imported_bound_or_conditional(tmp_path: Path) -> None:
    """What a module passes on is its own as well; what begins with an underscore need not be listed."""
    text = (
        "from typing import TYPE_CHECKING\nfrom a import b\nif TYPE_CHECKING:\n    from c import d\n"
        "X: int = 1\n__all__ = ['X', 'b', 'd']\ndef _f(): ...\n"
    )
    assert everywhere.public_names(write(tmp_path, "aeon/a.py", text)) == []


TESTED = """
import pytest
pytestmark = pytest.mark.requirement("K1")
class TestIt:
    @pytest.mark.requirement("K2")
    def test_one(self): ...
@pytest.mark.parametrize("x", [1])
@pytest.mark.requirement("K3", "K4")
async def test_two(x): ...
"""


def test_each_requirement_is_traced_to_its_tests(tmp_path: Path) -> None:
    """Marks of functions, classes and modules count; what is stated without test or named without statement is told."""
    write(tmp_path, "specs/001-a/spec.md", "# A\n\n" + "".join(f"- **K{n}** says.\n" for n in range(1, 6)))
    write(tmp_path, "tests/test_a.py", TESTED)
    assert trace.tests(tmp_path)["K2"] == ["tests/test_a.py::TestIt::test_one"]
    assert trace.untested(tmp_path) == ["specs/001-a/spec.md:7: K5 has no test"]
    write(tmp_path, "specs/001-a/spec.md", "- **K1** and\n- **K2** and\n- **K3** say.\n")
    assert trace.untested(tmp_path) == ["tests/test_a.py::test_two: the requirement K4 is stated in no specs/*/spec.md"]


def test_a_tree_without_requirements_is_not_traced(tmp_path: Path) -> None:
    """An empty list is no success."""
    assert trace.untested(tmp_path) == ["specs: no spec.md states a requirement"]


def test_contracts_out_of_step_are_told_with_their_line(tmp_path: Path) -> None:
    """A changed, a missing and a foreign file are each a problem."""
    shutil.copytree(ROOT / "contracts", tmp_path / "contracts")
    assert contracts.differences(tmp_path) == []
    config = tmp_path / "contracts" / "config.json"
    config.write_text(config.read_text().replace('"maximum": 1000', '"maximum": 9999'))
    (tmp_path / "contracts" / "task.json").unlink()
    write(tmp_path, "contracts/old.json", "{}")
    said = "\n".join(contracts.differences(tmp_path))
    assert "old.json:1: belongs to no model" in said and "task.json:1: is missing" in said
    assert "config.json:" in said and "differs from its model" in said


def test_a_layer_may_not_import_from_above(tmp_path: Path) -> None:
    """import-linter is run with the project's own table."""
    for name in ("aeon", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert programs.layers(tmp_path) == []
    with (tmp_path / "aeon" / "schema" / "task.py").open("a") as file:
        file.write("\nfrom aeon.kernel.decide import table\n")
    assert any("aeon.schema" in line for line in programs.layers(tmp_path))


@pytest.mark.requirement("M1", "M1a")
@pytest.mark.parametrize("module", ["kernel/decide.py", "runtime/driver.py", "llm/select.py", "supervisor/prompt.py"])
def test_the_machine_may_not_know_an_engine(tmp_path: Path, module: str) -> None:
    """What runs any program imports nothing of the multi-pass one, though some of it stands above it."""
    for name in ("aeon", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "aeon" / module).open("a") as file:
        file.write("\nfrom aeon.multipass.trends import gains\n")
    assert any("aeon.multipass" in line for line in programs.layers(tmp_path))


def test_check_says_which_gate_failed_and_exits_with_1(tmp_path: Path) -> None:
    """One line a gate, the problems below it, a count at the end; an unknown gate is wrong usage."""
    write(tmp_path, "aeon/kernel/a.py", "import os\n")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "scripts.checks"]
    done = subprocess.run(
        [*command, "kernel-lines", "kernel-bans"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and lines[0].startswith("ok ") and lines[1].startswith("FAILED")
    assert lines[2].strip() == "aeon/kernel/a.py:1: the kernel and programs do not import os"
    assert lines[-2:] == ["1 of 2 gates hold", "failed: kernel-bans"]
    wrong = subprocess.run([*command, "speed"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert wrong.returncode == 2 and "no gate is called speed" in wrong.stderr


def sandbox(folder: Path) -> Path:
    """A copy of the scripts in a folder of its own."""
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize("script", ["test", "demo"])
def test_without_a_python_the_scripts_say_what_to_install(tmp_path: Path, script: str) -> None:
    """One line on standard error, nothing made."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("bash", "dirname", "cat"):
        (tools / tool).symlink_to(str(shutil.which(tool)))
    write(tools, "python3", "#!/bin/sh\nexit 1\n")
    (tools / "python3").chmod(0o755)
    root = sandbox(tmp_path / "tree")
    done = subprocess.run(
        [root / "scripts" / script], env={"PATH": str(tools)}, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1 and not (root / ".venv").exists()
    assert done.stderr.splitlines() == [
        "error: Python 3.11 or later is needed and none was found; install one and run this again"
    ]


def test_without_an_environment_a_check_says_how_to_make_one(tmp_path: Path) -> None:
    """scripts/check, trace and contracts need the environment that scripts/test makes."""
    root = sandbox(tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    for script in ("check", "trace", "contracts"):
        done = subprocess.run([root / "scripts" / script], env=environment, capture_output=True, text=True)
        assert done.returncode == 1
        assert done.stderr.splitlines() == ["error: there is no environment yet; scripts/test makes it"]


def test_the_contracts_in_the_folder_are_json_with_a_trailing_newline() -> None:
    """Files that people and other programs read: stable key order, one final newline."""
    for path in sorted((ROOT / "contracts").glob("*.json")):
        text = path.read_text()
        assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


@pytest.mark.parametrize("option", ["", "--nothing-missing"])
def test_what_a_test_lacks_is_named_and_fails_where_nothing_may_be_missing(option: str) -> None:
    """Without Node on the path its tests are skipped with the reason; with the option they fail with it."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/server/test_window_story.py"]
    done = subprocess.run(
        [*command, *filter(None, [option])], capture_output=True, text=True, cwd=ROOT, timeout=120,
        env={**os.environ, "PATH": "/nonexistent"},
    )  # fmt: skip
    assert "missing here: Node (apt install nodejs)" in done.stdout, done.stdout
    assert done.returncode == (1 if option else 0)
