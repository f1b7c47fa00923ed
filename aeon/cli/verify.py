"""``aeon verify``: the proof file of an answer is verified, offline; or the verifier is written as one file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from aeon.errors import InputFileError, UsageError
from aeon.proof.standalone import verifier
from aeon.proof.verify import verify_file

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Verify ``options.file`` and say what came of it: 0 verified, 1 not, 2 no proof file.

    Raises:
        InputFileError: the verifier cannot be written where it was to be.
        UsageError: there is neither a file to verify nor one to write.
    """
    if options.write_verifier:
        try:
            with Path(options.write_verifier).open("x", encoding="utf-8") as file:
                file.write(verifier())
        except OSError as error:
            raise InputFileError(f"{options.write_verifier}: cannot be written: {error.strerror}") from None
        print(f"wrote {options.write_verifier}; use it with: python {options.write_verifier} FILE")
    if options.file is None:
        if options.write_verifier:
            return 0
        raise UsageError("verify: name a proof file, or --write-verifier FILE")
    report = verify_file(options.file, options.journal, options.sources)
    shown = json.dumps(report._asdict(), indent=2) if options.json else report.text
    print("".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in shown))
    return report.code
