"""Verifies the proof file of an answer, offline: hashes, spans, quotes, values, computations. Standard library alone.

It trusts nothing in the proof: it hashes every text, looks every quote up, reads every value again, and does
computations and pure tool steps again. What only a tool or a model said is listed as recorded, never as verified.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from aeon.proof.canonical import MOST_BYTES, ProofError, load
from aeon.proof.checks import Checks
from aeon.proof.places import Host

__all__ = ["SIGNATURE", "Report", "SignedBy", "main", "verify", "verify_file"]

SIGNATURE = ".sig"
"""What the name of a signature ends with, behind the name of its proof file."""
_SIGNATURE_BYTES = 64


class Report(NamedTuple):
    """What came of a verification. ``code`` is 0 verified, 1 not, 2 no proof file.

    ``recorded`` is what the proof says and nobody can verify offline: judgments of a model, outputs of tools that are
    not pure.
    """

    code: int
    problems: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The report for people."""
        if self.problems:
            return "\n".join(f"not verified: {problem}" for problem in self.problems)
        lines = [f"verified: {line}" for line in self.verified]
        return "\n".join(lines + [f"only recorded: {line}" for line in self.recorded])


class SignedBy(NamedTuple):
    """A public key: its SHA-256, and whether a signature is one of it over some data."""

    fingerprint: str
    stands: Callable[[bytes, bytes], bool]


def verify_file(
    path: Path | str,
    journal: Path | str | None = None,
    folder: Path | str | None = None,
    key: SignedBy | None = None,
    host: Host | None = None,
) -> Report:
    """Verify a proof file; with the ``journal`` of its run, the ``folder`` of its sources, the ``key``, those too.

    ``host`` does what needs more than the standard library: reading other files than plain text, asking tables, making
    the proof of the journal again.
    """
    try:
        with Path(path).open("rb") as file:  # what says that it has no bytes may have no end
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        return Report(2, (f"it cannot be read: {error.strerror}",))
    if len(data) > MOST_BYTES:
        return Report(2, (f"it is too large: a proof has at most {MOST_BYTES:,} bytes",))
    return _with_signature(verify(data, journal, folder, host), Path(f"{path}{SIGNATURE}"), data, key)


def _with_signature(report: Report, place: Path, data: bytes, key: SignedBy | None) -> Report:
    """The report with what came of the signature, if there is one or a ``key`` asks for one."""
    if key is None:
        line = f"the signature {place.name!r}; aeon verify --public-key FILE checks it"
        return report._replace(recorded=(*report.recorded, line)) if place.exists() else report
    try:
        with place.open("rb") as file:
            made = file.read(_SIGNATURE_BYTES + 1)
    except OSError as error:
        problem = f"its signature {place.name!r} cannot be read: {error.strerror}"
    else:
        if len(made) == _SIGNATURE_BYTES and key.stands(made, data):
            return report._replace(verified=(*report.verified, f"the signature, by the public key {key.fingerprint}"))
        length = "of this key over this file" if len(made) == _SIGNATURE_BYTES else f"of {_SIGNATURE_BYTES} bytes"
        problem = f"its signature {place.name!r} is none {length}"
    return report._replace(code=report.code or 1, problems=(*report.problems, problem))


def verify(
    data: bytes, journal: Path | str | None = None, folder: Path | str | None = None, host: Host | None = None
) -> Report:
    """Verify the bytes of a proof file, as `verify_file` does."""
    try:
        proof = Checks(load(data))
    except ProofError as error:
        return Report(error.code, (str(error),))
    proof.check()
    proof.check_journal(journal, host)
    proof.check_files(folder, host)
    return Report(1 if proof.problems else 0, tuple(proof.problems), tuple(proof.verified), tuple(proof.recorded))


def main(arguments: list[str]) -> int:
    """Verify a file as the command line says, print the report, and give the exit code."""
    parser = argparse.ArgumentParser(description="Verify the proof of an answer, offline.")
    parser.add_argument("file", metavar="FILE", help="a proof file")
    parser.add_argument("--journal", metavar="FILE", help="the saved run that the proof was made from")
    parser.add_argument("--sources", metavar="FOLDER", help="the folder that the sources come from")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args(arguments)
    report = verify_file(options.file, options.journal, options.sources)
    shown = json.dumps(report._asdict()) if options.json else report.text
    print(shown.encode("ascii", "backslashreplace").decode())
    return report.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
