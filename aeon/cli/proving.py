"""The file that proves the answer of a finished run, and its signature."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from aeon.assembly.proofs import proof_of
from aeon.cli.output import check_new
from aeon.errors import InputFileError, UsageError
from aeon.observability.lines import Line, Span, visible
from aeon.proof.document import proof_bytes
from aeon.proof.signing import signer
from aeon.proof.verify import SIGNATURE
from aeon.runtime.journal import Journal
from aeon.schema import Conclusion
from aeon.tools.select import Given

__all__ = ["Proving", "Record", "check_apart", "check_proof", "signs"]

Signs = Callable[[bytes], bytes]


class Record:
    """The journal of a run, which is saved to ``path`` if one is given."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._journal: Journal | None = None

    def begin(self, execution_id: str) -> Journal:
        """A new journal for the run."""
        self._journal = Journal(self._path) if self._path else Journal()
        return self._journal

    @property
    def kept(self) -> Journal | str | None:
        """Where the run is on record: its file, or its journal in memory."""
        return self._path or self._journal


class Proving:
    """Writes the proof to ``path``, if one is given: with the tools of the run, and its record.

    ``sign`` makes its signature, which is written beside it.
    """

    def __init__(self, given: Sequence[Given], record: Record, path: str | None, sign: Signs | None = None) -> None:
        self._given = given
        self._record = record
        self._path = path
        self._sign = sign

    def __call__(self, result: Conclusion) -> list[Line]:
        """Write the proof where one is wanted, and say how it is checked.

        Raises:
            InputFileError: the proof or its signature cannot be written.
            UsageError: a text that the answer rests on is not there as it was read.
        """
        if self._path is None:
            return []
        data = proof_bytes(proof_of(result, self._given, self._record.kept))
        _write(Path(self._path), data, "proof")
        lines: list[Line] = [(Span("proof   ", "dim"), Span(f"aeon verify {visible(self._path)}"))]
        if self._sign is not None:
            path = f"{self._path}{SIGNATURE}"
            _write(Path(path), self._sign(data), "signature")
            lines.append((Span("signed  ", "dim"), Span(visible(path))))
        return lines


def signs(options: argparse.Namespace) -> Signs | None:
    """What signs the proof with the key that the options name, if they name one.

    Raises:
        UsageError: there is no proof to sign.
        InputFileError: the key cannot be used.
        MissingExtraError: the extra ``sign`` is not installed.
    """
    if options.sign and not options.proof:
        raise UsageError(f"{options.command}: --sign signs the proof of the answer; name a file for that with --proof")
    return signer(options.sign) if options.sign else None


def check_proof(options: argparse.Namespace) -> list[tuple[str, str]]:
    """The files that the options want for a proof and its signature, each with its option.

    Raises:
        InputFileError: one is there already, or cannot be made.
    """
    wanted = [("proof", options.proof)] if options.proof else []
    wanted += [("signature", f"{options.proof}{SIGNATURE}")] if options.sign else []
    for what, path in wanted:
        check_new(path, f"a {what}")
    return [("--proof", path) for _, path in wanted]


def check_apart(options: argparse.Namespace, files: Sequence[tuple[str, str]]) -> None:
    """Refuse one file for two things; the log is one of them. ``files`` are options with the files that they name.

    Raises:
        UsageError: two options name the same file.
    """
    log = options.log or os.environ.get("AEON_LOG")
    named = {os.path.realpath(log): "--log"} if log else {}
    for option, path in files:
        other = named.setdefault(os.path.realpath(path), option)
        if other != option and {other, option} != {"--log", "--save"}:  # a session says that
            raise UsageError(f"{options.command}: {other} and {option} name the same file, {path}; name two")


def _write(path: Path, data: bytes, what: str) -> None:
    try:
        with path.open("xb") as file:
            file.write(data)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise InputFileError(f"{path}: the {what} cannot be written: {why}") from None
