"""The proof of a run in a database, made from its journal alone and verified beside that."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from aeon.assembly.proofs import proof_of
from aeon.assembly.rechecks import host
from aeon.assembly.runs import replay
from aeon.assembly.setup import recorded_tools
from aeon.cli.database import jobs_in
from aeon.errors import UsageError
from aeon.proof.document import proof_bytes
from aeon.proof.verify import Report, verify_file
from aeon.runtime.journal import Journal
from aeon.tools.select import opened

__all__ = ["verified"]


def verified(options: argparse.Namespace) -> tuple[Report, str]:
    """What came of it, as it is and in words.

    Raises:
        UsageError: an option is for a proof file, or there is no such run.
        JournalError: the run has not ended, or its journal is damaged.
    """
    if options.journal or options.public_key or options.shape or options.file is None:
        raise UsageError("verify: --durable takes the id of a run, without --journal, --public-key and --as")
    with jobs_in(options.durable) as jobs, tempfile.TemporaryDirectory() as folder:
        saved, proof = Path(folder) / "run.jsonl", Path(folder) / "proof.json"
        saved.write_bytes(jobs.written(options.file))
        journal = Journal.read(saved)
        given = opened(recorded_tools(journal.setup))
        proof.write_bytes(proof_bytes(proof_of(replay(journal), given, saved)))
        report = verify_file(str(proof), str(saved), options.sources, host=host())
        return report, report.text.replace(str(proof), options.file).replace(str(saved), "its journal")
