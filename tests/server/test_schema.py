"""The OpenAPI document held against the server by schemathesis."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from equipment import SCHEMATHESIS, needs

from .conftest import TASK, Serve

pytestmark = pytest.mark.requirement("V2d")
HOW = ("--max-examples", "5", "--phases", "coverage,fuzzing,stateful", "--seed", "1", "--request-timeout", "20")
LEFT_OUT = "positive_data_acceptance"
"""What fits the schema may still name an engine, a collection or a setting that is not there."""


@needs(SCHEMATHESIS, "schemathesis", "the extra dev")
def test_every_answer_is_as_described(serve: Serve, tmp_path: Path) -> None:
    """Requests that fit the description and such as do not: no answer is a bug, or of a shape that is not described."""
    server = serve()
    name = server.post("/run", {"task": TASK}).json()["id"]
    config = tmp_path / "schemathesis.toml"
    paths = {"name": name, "other": name, "engine": "multi-pass", "number": 0}
    lines = [f'"path.{one}" = {value!r}' for one, value in paths.items()]
    config.write_text("\n".join(["[parameters]", *lines]))
    command = [str(SCHEMATHESIS), "--config-file", str(config), "run", f"{server.url}/openapi.json", "--no-color"]
    done = subprocess.run([*command, *HOW, "--exclude-checks", LEFT_OUT], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-4000:]
    made = re.search(r"([\d,]+) generated", done.stdout)
    assert made is not None and int(made[1].replace(",", "")) > 500
    assert server.get("/healthz").json()["status"] == "ok"
