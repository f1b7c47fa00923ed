"""``aeon verify``: the proof of an answer is verified, offline, or shown as clients know it; the verifier as a file."""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import cast

from aeon.cli.output import remark
from aeon.errors import InputFileError, UsageError
from aeon.proof.places import Host
from aeon.proof.renderings import SHAPES
from aeon.proof.signing import signed_by
from aeon.proof.standalone import verifier
from aeon.proof.verify import Report, verify_file

__all__ = ["command"]


def command(options: argparse.Namespace) -> int:
    """Verify ``options.file`` and say what came of it: 0 verified, 1 not, 2 no proof file.

    With ``options.shape`` the citations of a proof that is verified stand on standard output instead of the report.

    Raises:
        InputFileError: the verifier cannot be written where it was to be, or the public key cannot be used.
        MissingExtraError: a signature is to be checked, and the extra ``sign`` is not installed.
        UsageError: there is neither a file to verify nor one to write, or two kinds of output are wanted.
    """
    if options.shape and options.json:
        raise UsageError("verify: --as and --json are two kinds of output; name one")
    if options.write_verifier:
        _write_verifier(options.write_verifier)
    if options.file is None:
        if options.write_verifier:
            return 0
        raise UsageError("verify: name a proof file, or --write-verifier FILE")
    if options.durable is not None:
        return _of_run(options)
    key = signed_by(options.public_key) if options.public_key else None
    report = verify_file(options.file, options.journal, options.sources, key, _host(options))
    if options.shape:
        _render(options.file, options.shape, report)
    else:
        _show(json.dumps(report._asdict(), indent=2) if options.json else report.text)
    return report.code


def _host(options: argparse.Namespace) -> Host | None:
    """What reads files, asks tables and replays runs, where there is anything to compare the proof with."""
    if options.sources is None and options.journal is None:
        return None
    rechecks: ModuleType = importlib.import_module("aeon.assembly.rechecks")  # a proof alone needs none of that
    return cast("Host", rechecks.host())


def _of_run(options: argparse.Namespace) -> int:
    """Verify the proof of a run in a database."""
    proved: ModuleType = importlib.import_module("aeon.cli.proved")  # a proof file needs none of what that loads
    report, text = proved.verified(options)
    _show(json.dumps(report._asdict(), indent=2) if options.json else text)
    return cast("int", report.code)


def _write_verifier(path: str) -> None:
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(verifier())
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror}") from None
    print(f"wrote {path}; use it with: python {path} FILE")


def _render(path: str, shape: str, report: Report) -> None:
    """Print a proof that is verified in a shape that clients know; on standard error, what that has no place for."""
    for problem in report.problems:
        remark(f"not verified: {problem}")
    if report.problems:
        return
    rendering = SHAPES[shape](Path(path).read_bytes())
    _show(json.dumps(rendering.content, indent=2))
    if rendering.left_out:
        counts = ", ".join(f"{count} {what}" for what, count in rendering.left_out.items())
        remark(f"not in this shape: {counts}")


def _show(text: str) -> None:
    print("".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in text))
