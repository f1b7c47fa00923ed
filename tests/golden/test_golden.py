"""Golden journals, one per kind of ending: each replays to the history that it had, or is refused by its version."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from aeon.errors import Divergence, InputFileError
from aeon.runtime.journal import Journal, digest
from aeon.runtime.replay import replay, standing
from aeon.schema import StopReason
from golden.make import FOLDER, MADE

JOURNALS = sorted(FOLDER.glob("*.jsonl"))
SMALL = 40_000  # bytes


def read(path: Path) -> Journal:
    """A journal of a version that this Aeon reads; of another one it says so."""
    try:
        return Journal.read(path)
    except InputFileError as error:
        if "version" not in str(error):
            raise
        pytest.skip(str(error))


@pytest.mark.requirement("K3", "H1")
@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_a_golden_journal_replays_to_its_history(path: Path) -> None:
    """Without a model, to the digest that its run ended with; one that waits still asks its question."""
    journal = read(path)
    result = replay(journal)
    expected = "converged" if path.stem in ("resumed", "forked") else path.stem
    assert result.stop_reason == expected
    if expected == "waiting":
        assert journal.ended is None and result.question == standing(journal).question is not None
    else:
        assert journal.ended is not None
        assert (journal.ended.stop_reason, journal.ended.digest) == (expected, digest(result.history))


@pytest.mark.requirement("K3", "K13")
def test_every_stop_reason_has_a_golden_journal() -> None:
    """A new kind of ending needs one as well, and nothing lies there that cannot be made again."""
    assert set(get_args(StopReason)) <= set(MADE)
    assert {path.stem for path in JOURNALS} == set(MADE)
    assert max(path.stat().st_size for path in JOURNALS) < SMALL


@pytest.mark.requirement("K3", "H1", "H3")
def test_the_golden_journals_hold_a_line_of_every_kind() -> None:
    """Resumptions, endings, forks with another configuration, failures and questions are among what is kept."""
    every = b"".join(path.read_bytes() for path in JOURNALS)
    for line in ('"line":"begun"', '"line":"resumed"', '"line":"ended"', '"parent":{"execution_id"', '"config":{"max'):
        assert line.encode() in every, line
    for kind in ("allowance", "endpoint", "interrupted", "tool", "unknown"):
        assert f'"failure":{{"kind":"{kind}"'.encode() in every, kind


@pytest.mark.requirement("K3")
def test_a_journal_of_a_kernel_that_issued_other_effects_is_refused_with_the_entry() -> None:
    """It was made when steps were issued wave by wave; replaying it must not give another history in silence."""
    journal = Journal.read(FOLDER / "refused" / "wave_by_wave.jsonl")
    with pytest.raises(Divergence, match=r"^entry 9: the journal holds the outcome of 'validate_results' for another"):
        replay(journal)
