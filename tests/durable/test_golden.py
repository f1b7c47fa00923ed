"""Golden journals in a database: the current code replays them all, and names what it would continue otherwise."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from aeon.cli.main import main
from aeon.durable.jobs import Jobs
from aeon.durable.values import workflow_id
from aeon.runtime.journal import Journal
from aeon.runtime.sealed import read_sealed, sealed
from aeon.runtime.seals import Sealer

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.jsonl"))
STEP = """
INSERT INTO operation_outputs (workflow_uuid, function_id, function_name, output, serialization)
VALUES (?, ?, 'line', ?, 'portable_json')
"""


def put(file: Path, run: str, lines: list[str]) -> None:
    """Have a run whose lives wrote these lines, one a step."""
    with sqlite3.connect(file, timeout=30) as database:
        rows = [(workflow_id(run, 1), number, json.dumps(line)) for number, line in enumerate(lines, 1)]
        database.executemany(STEP, rows)


def resealed(lines: list[bytes]) -> list[str]:
    """The lines with seals, as whoever may write to the database could make them."""
    seal, whole = "", []
    for line in lines:
        text, seal = sealed(line, seal, Sealer())
        whole.append(text.decode())
    return whole


@pytest.mark.requirement("X5b", "X5e")
def test_every_golden_journal_in_a_database_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All as recorded; one that the code would continue otherwise is named by its entry, with exit code 1."""
    file = tmp_path / "runs.sqlite"
    url = f"sqlite:///{file}"
    with Jobs(url, create=True) as jobs:
        for path in GOLDEN:
            opening = Journal.read(path).opened.changed(execution_id=path.stem)
            jobs.submit(opening)
            put(file, path.stem, path.read_text("utf-8").splitlines(keepends=True))
    assert main(["replay", "--all", "--durable", url]) == 0
    assert capsys.readouterr().out == f"replayed {len(GOLDEN)} runs: {len(GOLDEN)} as recorded\n"
    lines = read_sealed(GOLDEN[0])[0]
    at = next(number for number, line in enumerate(lines) if b'"fingerprint":"' in line)
    head, found, rest = lines[at].partition(b'"fingerprint":"')
    lines[at] = head + found + b"0" * 16 + rest[16:]
    with Jobs(url) as jobs:
        jobs.submit(Journal.read(GOLDEN[0]).opened.changed(execution_id="older"))
    put(file, "older", resealed(lines))
    assert main(["replay", "--all", "--durable", url, "--json"]) == 1
    every = json.loads(capsys.readouterr().out)
    assert every["same"] == every["runs"] - 1 and [*every["other"]] == ["older"]
    assert "entry 0" in every["other"]["older"]
