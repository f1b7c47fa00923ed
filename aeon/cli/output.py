"""What commands give besides the lines of a run: one JSON document, remarks on standard error, new files."""

from __future__ import annotations

import json
import os
import sys
import textwrap

from pydantic import BaseModel

from aeon.errors import InputFileError
from aeon.observability.lines import visible, visible_json
from aeon.schema import Value

__all__ = ["check_new", "print_answer", "print_json", "remark", "write_new"]


def print_json(value: BaseModel | Value) -> None:
    """The value as one JSON document in valid UTF-8, with nothing in it that could steer a terminal."""
    text = json.dumps(value.model_dump(mode="json"), ensure_ascii=False, indent=2, allow_nan=False)
    whole = text.encode("utf-8", "replace").decode()
    sys.stdout.flush()
    sys.stdout.buffer.write(visible_json(whole).encode() + b"\n")


def print_answer(text: str) -> None:
    """The answer on standard output, and there at once; indented where a person reads it among other lines."""
    print(textwrap.indent(text, "  ") if sys.stdout.isatty() else text, flush=True)


def remark(text: str) -> None:
    """One line on standard error; where that takes no more, as on a full disk, nothing is said from then on."""
    try:
        print(f"aeon: {' '.join(visible(text).split())}", file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def check_new(path: str, what: str) -> None:
    """Refuse a file that could not be written once all the work for it is done.

    Raises:
        InputFileError: it is there already, or its folder is not, or takes no file.
    """
    folder = os.path.dirname(path) or "."
    if os.path.lexists(path):
        raise InputFileError(f"{path}: exists already; {what} is never overwritten, name another file")
    if not os.path.isdir(folder):
        raise InputFileError(f"{path}: there is no folder {folder}; make it, or name another file for {what}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputFileError(f"{path}: the folder {folder} takes no file; name another one for {what}")


def write_new(path: str, text: str) -> None:
    """Write a file that is not there yet.

    Raises:
        InputFileError: it cannot be written.
    """
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputFileError(f"{path}: cannot be written: {error.strerror or error}") from None
