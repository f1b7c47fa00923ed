"""Golden journals, one per kind of ending: each replays to the history that it had. Other versions are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.assembly.registry import plugin_of
from aeon.errors import InputFileError, UsageError
from aeon.kernel.passes import MULTIPASS
from aeon.runtime.journal import Journal
from aeon.runtime.lines import digest
from aeon.runtime.replay import replay, resume_point
from aeon.schema import Config
from aeon.schema.claims import ENDINGS
from golden.make import FOLDER, MADE

JOURNALS = sorted(FOLDER.glob("*.jsonl"))
CONVERGED = ("resumed", "crashed", "forked", "tools", "programs")
BUDGETS = {"calls_exhausted", "tokens_exhausted", "seconds_exhausted", "cost_exhausted"}
SMALL = 40_000  # bytes


@pytest.mark.requirement("K3", "H1")
@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_a_golden_journal_replays_to_its_history(path: Path) -> None:
    """Without a model, to the digest that its run ended with; one that waits still asks its question.

    A journal of a version that this Aeon does not read fails here: then all are to be made again, or to be read.
    """
    journal = Journal.read(path)
    result = replay(journal, MULTIPASS)
    expected = "converged" if path.stem in CONVERGED else path.stem
    assert (result.stop_reason, journal.opened.engine) == (expected, MULTIPASS.name)
    assert (result.lost.calls > 0) == (path.stem in ("resumed", "crashed"))
    if expected == "waiting":
        assert journal.ended is None and result.question == resume_point(journal, MULTIPASS).question is not None
    else:
        assert journal.ended is not None
        assert (journal.ended.stop_reason, journal.ended.digest) == (expected, digest(result))


@pytest.mark.requirement("K3", "K13")
def test_every_stop_reason_has_a_golden_journal() -> None:
    """A new kind of ending needs one as well, and nothing lies there that cannot be made again."""
    rules = {rule.reason for rule in MULTIPASS.rules(Config()) if rule.action == "OUTPUT"} - {"budget"}
    assert rules | {*ENDINGS.values()} | BUDGETS | set(CONVERGED) == set(MADE)
    assert {path.stem for path in JOURNALS} == set(MADE)
    assert max(path.stat().st_size for path in JOURNALS) < SMALL


@pytest.mark.requirement("K3", "H1", "H3")
def test_the_golden_journals_hold_a_line_of_every_kind() -> None:
    """Resumptions, endings, forks with another configuration, failures and questions are among what is kept."""
    every = b"".join(path.read_bytes() for path in JOURNALS)
    kinds = ("begun", "called", "entry", "resumed", "ended")
    for line in (*(f'"line":"{kind}"' for kind in kinds), '"parent":{"execution_id"', '"config":{"budget"'):
        assert line.encode() in every, line
    for kind in ("allowance", "endpoint", "interrupted", "tool", "unknown"):
        assert f'"failure":{{"kind":"{kind}"'.encode() in every, kind


@pytest.mark.requirement("H1")
def test_a_journal_of_the_version_before_is_refused_with_what_to_do() -> None:
    """In one line, whether it is looked at or continued."""
    path = FOLDER / "refused" / "version_1.jsonl"
    for opened in (Journal.read, Journal.reopen):
        with pytest.raises(InputFileError) as caught:
            opened(path)
        assert str(caught.value) == (
            f"{path}: journal version 1 is not one this Aeon reads (it reads version 2: use the Aeon that wrote it, "
            "or run the task again)"
        )


@pytest.mark.requirement("H1", "K3")
def test_a_journal_of_the_engine_before_is_refused_with_what_to_do() -> None:
    """In one line that names both versions: nothing of it is replayed by rules that it was not made by."""
    journal = Journal.read(FOLDER / "refused" / "multi_pass_5.jsonl")
    with pytest.raises(UsageError) as caught:
        plugin_of(journal)
    assert str(caught.value) == (
        "engine 'multi-pass/5' is needed and 'multi-pass/6' is installed: install the version of aeon-orchestrator "
        "that has it, or run the task again"
    )


@pytest.mark.requirement("H1")
def test_a_journal_of_a_newer_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """Nobody guesses what a later version means."""
    path = tmp_path / "run.jsonl"
    path.write_bytes((FOLDER / "stalled.jsonl").read_bytes().replace(b'"version":2', b'"version":3', 1))
    with pytest.raises(InputFileError, match=r"journal version 3 is not one this Aeon reads \(a newer Aeon wrote it"):
        Journal.read(path)
