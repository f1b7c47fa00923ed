"""The entry point ``aeon``: reads the arguments, has the command carried out, makes one line of what goes wrong."""

from __future__ import annotations

import codecs
import contextlib
import importlib
import importlib.metadata
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO, cast

from aeon.cli.options import parse
from aeon.errors import AeonError

__all__ = ["main"]

INTERRUPTED = 130
PIPE_CLOSED = 141
ENCODING_ERRORS = "aeon.plain"
_PLAIN = {"✓": "+", "✗": "x", "▸": ">", "○": "o", "…": "~", "→": "->"}


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out a command line (default: the process's own) and give the exit code.

    0 done, and the answer good enough by the engine's rules, 3 answered otherwise, 4 waiting for an answer, 2 wrong
    usage or input, 1 failure (of ``diff``: different), 130 interrupted, 141 nobody reads the output any more. What goes
    wrong is one line on standard error.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _complete_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ENCODING_ERRORS)
    try:
        code = _carry_out(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return _complain(arguments, "Interrupted", "interrupted", INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last resort: a bug becomes one line too
        return _explain(arguments, error)
    return code


def _complete_streams() -> None:
    """Open the standard streams that the process was started without, lest a file of the run become one of them."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _carry_out(arguments: list[str]) -> int:
    try:
        parsed = parse(arguments)
    except SystemExit:  # --help
        return 0
    if parsed.version:
        print(f"aeon {_version()}")
        return 0
    # loaded when it is known to be needed: a wrong option should not wait for an SDK
    with contextlib.nullcontext() if getattr(parsed, "quiet", False) else _starting(sys.stderr):
        command = importlib.import_module(f"aeon.cli.{parsed.command}")
    return cast("Callable[..., int]", command.command)(parsed)


@contextlib.contextmanager
def _starting(stream: TextIO) -> Iterator[None]:
    """While a command is loaded, a word about it on a terminal that can wipe it away again."""
    if not stream.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    try:
        stream.write("  starting …")
        stream.flush()
        yield
    finally:
        stream.write("\r\x1b[K")
        stream.flush()


def _version() -> str:
    try:
        return importlib.metadata.version("aeon-orchestrator")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def _explain(arguments: list[str], error: Exception) -> int:
    """One line for what went wrong, and the exit code: the caller's input, the world, or a bug."""
    kind, said = type(error).__name__, " ".join(str(error).split())
    match error:
        case AeonError():
            return _complain(arguments, kind, said, error.exit_code)
        case OSError():
            where = f"{error.filename}: " if error.filename else "what was to be written cannot be: "
            return _complain(arguments, kind, f"{where}{error.strerror or said}", 1)
        case _:
            if os.environ.get("AEON_DEBUG"):
                traceback.print_exception(error)
            hint = "this is a bug; run again with AEON_DEBUG=1 for the traceback"
            return _complain(arguments, kind, f"{kind}: {said}; {hint}", 1)


def _complain(arguments: list[str], kind: str, message: str, code: int) -> int:
    """One line on standard error and, where a JSON document is expected, the same in one."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
    try:
        print(f"aeon: {shown}", file=sys.stderr, flush=True)
    except OSError:
        _abandon(sys.stderr)
    try:
        if "--json" in arguments:
            print(json.dumps({"error": {"type": kind, "message": message}}))
        sys.stdout.flush()
    except OSError:
        _abandon(sys.stdout)
    return code


def _in_plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """Where a terminal cannot show a character: a plain one for Aeon's own marks, its code for any other."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_PLAIN.get(one) or one.encode("unicode_escape").decode() for one in text), error.end


codecs.register_error(ENCODING_ERRORS, _in_plain)


def _abandon(stream: TextIO) -> None:
    """Point a standard stream, which takes no more, elsewhere, so that closing it raises nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
