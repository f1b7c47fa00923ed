"""The list of runs: what many ask of it at once is one transaction, and each gets its own answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aeon.server.problems import Problem
from aeon.server.runs import RunRecord, Runs

pytestmark = pytest.mark.requirement("V1a")


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    """An empty list."""
    made = Runs(tmp_path)
    yield made
    made.close()


def record(number: int, owner: str = "me", text: str = "x", calls: int = 1) -> RunRecord:
    """A run that waits."""
    made = RunRecord.new(f"{owner}-{number}", owner, "multi-pass/6", {"task": text}, None, "digest", None)
    return made._replace(calls=calls)


def at_once(asked: list[Awaitable[Any]]) -> list[Any]:
    """What came of each, or why it did not."""

    async def gathered() -> list[Any]:
        return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(gathered())


def test_many_share_a_transaction(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred runs that are accepted at once wait for the disk a few times, and stand in their order."""
    transact, sizes = Runs._transact, []

    def counted(self: Runs, batch: Any) -> list[object]:
        sizes.append(len(batch))
        return transact(self, batch)

    monkeypatch.setattr(Runs, "_transact", counted)
    added = at_once([runs.add(record(number)) for number in range(100)])
    assert [one.seq for one, _ in added] == list(range(1, 101)) and sum(sizes) == 100 and len(sizes) < 10
    names = [one.id for one in asyncio.run(runs.open())]
    assert names == [f"me-{number}" for number in range(100)]


def test_a_refusal_is_of_one_alone(runs: Runs) -> None:
    """A run beyond its owner's budget is refused; those in the same transaction are accepted."""
    asked = [runs.add(record(number, f"owner{number % 2}", calls=6), most=10) for number in range(4)]
    added = at_once([*asked, runs.add(record(9))])
    assert [isinstance(one, Problem) and one.kind for one in added] == [
        False,
        False,
        "over_budget",
        "over_budget",
        False,
    ]
    assert [one.id for one in asyncio.run(runs.open())] == ["owner0-0", "owner1-1", "me-9"]


@pytest.mark.requirement("V2d")
def test_a_full_disk_refuses_all_of_a_transaction(runs: Runs) -> None:
    """Where there is no room nothing of it is listed, and each of those who asked hears so; then it goes on."""
    pages = runs._file.execute("PRAGMA page_count").fetchone()[0]
    runs._file.execute(f"PRAGMA max_page_count={pages + 2}")
    refused = at_once([runs.add(record(number, text="long " * 20_000)) for number in range(3)])
    assert [(one.status, one.retryable) for one in refused] == [(507, True)] * 3
    assert asyncio.run(runs.open()) == []
    runs._file.execute("PRAGMA max_page_count=100000")
    at_once([runs.add(record(7))])
    assert [one.id for one in asyncio.run(runs.open())] == ["me-7"]
