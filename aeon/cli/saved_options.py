"""What the commands over saved runs and proofs take."""

from __future__ import annotations

import argparse

from aeon.cli.arguments import count, name, otherwise, setting, shown, unattended
from aeon.cli.durable_options import kept_in

__all__ = [
    "FORMATS",
    "SHAPES",
    "calibrate_options",
    "diff_options",
    "fork_options",
    "history_options",
    "inspect_options",
    "metrics_options",
    "proved",
    "replay_options",
    "resume_options",
    "verify_options",
]

FORMATS = ("text", "json", "mermaid", "effects", "ndjson")
SHAPES = ("openai", "cohere", "anthropic", "w3c")
_SEVERAL = "saved runs, or folders of them"
_LABELS = 'which answers are right: JSON Lines {"run": FILE NAME OR EXECUTION ID, "correct": true|false}'
_SAVED = "a run saved with: aeon run TASK --save FILE"


def proved(parser: argparse.ArgumentParser) -> None:
    """Add the options for what proves the answer."""
    add = parser.add_argument
    add("--proof", metavar="FILE", type=name, help="write what each value of the answer rests on, for: aeon verify")
    key = "also write PROOF.sig, signed with the Ed25519 private key in this PEM file; needs the extra sign"
    add("--sign", metavar="KEY", type=name, help=key)


def inspect_options(parser: argparse.ArgumentParser) -> None:
    """Fill in what ``aeon inspect`` takes."""
    add = parser.add_argument
    add("file", metavar="FILE", type=name, help=_SAVED)
    add("--html", metavar="FILE", type=name, help="write it as one page that needs no server, and loads nothing")
    add("--port", metavar="N", type=count, default=0, help="the port of the page (default: any that is free)")


def resume_options(parser: argparse.ArgumentParser) -> None:
    """Fill in what ``aeon resume`` takes."""
    add = parser.add_argument
    add("file", metavar="FILE", type=name, help=_SAVED)
    add("--answer", metavar="TEXT", help="the answer to the question that the run waits for, or its number")
    unattended(parser, "take the default, or wait on (default: as the run was started)")
    proved(parser)
    kept_in(parser)
    otherwise(parser)
    shown(parser)


def fork_options(parser: argparse.ArgumentParser) -> None:
    """Fill in what ``aeon fork`` takes."""
    add = parser.add_argument
    add("file", metavar="FILE", type=name, help=_SAVED)
    add("--at", metavar="N", type=count, required=True, help="keep the effects before number N")
    setting(parser, "a setting from there on")
    add("--value", metavar="JSON", help="what comes out of effect N, instead of asking for it")
    save = "where to save the fork (default: beside FILE, as NAME.fork1, the first free)"
    add("--save", metavar="FILE", type=name, help=save)
    kept_in(parser)
    otherwise(parser)
    shown(parser)


def replay_options(parser: argparse.ArgumentParser) -> None:
    """Fill in what ``aeon replay`` takes."""
    parser.add_argument("file", metavar="FILE", nargs="?", type=name, help=_SAVED)
    kept_in(parser)
    parser.add_argument("--all", action="store_true", help="with --durable: replay every run of the database")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def diff_options(parser: argparse.ArgumentParser) -> None:
    """Fill in what ``aeon diff`` takes."""
    parser.add_argument("a", metavar="A", type=name, help=_SAVED)
    parser.add_argument("b", metavar="B", type=name, help="another one")
    kept_in(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def history_options(parser: argparse.ArgumentParser) -> None:
    """Fill in what ``aeon history`` takes."""
    parser.add_argument("file", metavar="FILE", type=name, help=_SAVED)
    kept_in(parser)
    one = parser.add_mutually_exclusive_group()
    one.add_argument(
        "--format", choices=FORMATS, default="text", metavar="|".join(FORMATS),
        help="a report (text, the default), the record (json), a flowchart (mermaid), or a line an effect "
        "(effects, for machines ndjson)",
    )  # fmt: skip
    one.add_argument("--logs", metavar="DIR", type=name, help="of a report: write its iterations below DIR instead")
    one.add_argument(
        "--out", metavar="FILE", type=name,
        help="of research: write the answer as .md or .html instead; of a report: as .md, .html, .items.json or .json",
    )  # fmt: skip


def metrics_options(parser: argparse.ArgumentParser) -> None:
    """Fill in what ``aeon metrics`` takes."""
    parser.add_argument("runs", metavar="RUNS", nargs="+", type=name, help=_SEVERAL)
    parser.add_argument("--labels", metavar="FILE", type=name, help=f"{_LABELS}, for early exit accuracy")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def calibrate_options(parser: argparse.ArgumentParser) -> None:
    """Fill in what ``aeon calibrate`` takes."""
    parser.add_argument("runs", metavar="RUNS", nargs="+", type=name, help=_SEVERAL)
    parser.add_argument("--labels", metavar="FILE", type=name, required=True, help=_LABELS)
    out = "where to write the calibration (default: how often answers were right, for later runs of the same model)"
    parser.add_argument("--out", metavar="FILE", type=name, help=out)


def verify_options(parser: argparse.ArgumentParser) -> None:
    """Fill in what ``aeon verify`` takes."""
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", type=name, help="the proof file of an answer")
    add("--journal", metavar="FILE", type=name, help="also compare it with the saved run that it was made from")
    add("--sources", metavar="FOLDER", type=name, help="also compare its sources with the files below FOLDER")
    kept_in(parser)
    key = "also check its signature, FILE.sig, by the public key in this PEM file; needs the extra sign"
    add("--public-key", metavar="KEY", type=name, help=key)
    what = "print its citations in the shape of " + ", ".join(SHAPES[:-1]) + f" or {SHAPES[-1]}, if it is verified"
    add("--as", choices=SHAPES, dest="shape", metavar="|".join(SHAPES), help=what)
    add("--write-verifier", metavar="FILE", type=name, help="write the verifier as one Python file that needs no Aeon")
    add("--json", action="store_true", help="print one JSON document")
