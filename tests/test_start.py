"""What a program pays before its first run: importing Aeon loads what every run needs, and nothing else."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

MOST = 8.0
"""How many times the processor seconds of importing pydantic importing Aeon may take."""
LATER = ("openai", "httpx2", "duckdb", "rich", "mcp", "fastapi", "dbos", "aeon.search.client", "aeon.cli")


def _loaded(code: str) -> set[str]:
    """The modules that a fresh process has loaded after the code."""
    program = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(json.loads(ended.stdout))


def _seconds(code: str, home: Path) -> float:
    """The least processor seconds of three fresh processes whose modules are compiled, as pip leaves them."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    spent = []
    for _ in range(4):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, env={**env, "PYTHONPYCACHEPREFIX": str(home)})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent[1:])


def test_importing_aeon_loads_no_sdk_no_http_client_and_one_engine() -> None:
    """The SDK waits for the first request, an HTTP client for the first search, another engine for its name."""
    loaded = _loaded("from aeon import build\nfrom aeon.llm.scripted import Scripted\nbuild(Scripted(''))")
    assert not loaded.intersection(LATER)
    own = {name for name in loaded if name.startswith("aeon.assembly.")}
    assert "aeon.assembly.multipass" in own
    assert not own.intersection(f"aeon.assembly.{name}" for name in ("research", "report", "tutor", "combining"))


@pytest.mark.parametrize(("engine", "others"), [("loop", ("research", "tutor")), ("tutor", ("research", "report"))])
def test_naming_an_engine_loads_that_one(engine: str, others: tuple[str, ...]) -> None:
    """An engine by name is loaded without the ones beside it."""
    loaded = _loaded(f"from aeon.assembly.registry import plugin\nplugin({engine!r})")
    assert f"aeon.engines.{engine}" in loaded
    assert not loaded.intersection(f"aeon.assembly.{other}" for other in others)


def test_an_endpoint_is_there_before_its_sdk() -> None:
    """An adapter for an endpoint is made without the SDK; only a request loads it."""
    loaded = _loaded("from aeon.llm.select import select\nselect('http://127.0.0.1:9/v1#m')")
    assert "aeon.llm.openai_compatible" in loaded and "openai" not in loaded


def test_importing_build_takes_a_few_times_what_pydantic_takes(tmp_path: Path) -> None:
    """The processor time of ``from aeon import build``, beside that of pydantic on the same machine."""
    ratio = _seconds("from aeon import build", tmp_path) / _seconds("from pydantic import BaseModel", tmp_path)
    assert ratio <= MOST, f"{ratio:.1f} times what importing pydantic takes"
