"""What the command line understands. Nothing is loaded here that a wrong option would have to wait for."""

from __future__ import annotations

import argparse
import difflib
import math
from collections.abc import Callable, Sequence
from typing import NoReturn

from aeon.errors import UsageError

__all__ = ["COMMANDS", "parse"]

COMMANDS = ("run", "models", "history")
FORMATS = ("text", "json", "mermaid")
_RUN = """\
exit codes:
  0  converged             3  answered without converging
  2  wrong usage or input  1  failure

Ctrl-C ends the run at the next safe boundary with what there is; once more breaks off the wording of the answer too.
Without --model: AEON_BASE_URL or AEON_MODEL, else OPENAI_BASE_URL or OPENAI_API_KEY, else the model on this machine.
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are Aeon's errors."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("aeon").strip()
        raise UsageError(f"{f'{command}: ' if command else ''}{message}")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command and its options; ``command`` is one of `COMMANDS`.

    Raises:
        UsageError: something is missing, unknown or out of range.
    """
    parser, commands = _parser()
    first = argv[0] if argv else ""
    if not first:
        raise UsageError(f"name a command: {', '.join(COMMANDS)}; aeon --help shows them")
    if not first.startswith("-") and first not in COMMANDS:
        raise UsageError(f"there is no command {first!r}; there are {', '.join(COMMANDS)}{_guess(first, COMMANDS)}")
    parsed, extra = parser.parse_known_args(argv)
    if extra:
        raise _surplus(extra, parsed.command, commands[parsed.command])
    return parsed


def _surplus(extra: Sequence[str], name: str, command: argparse.ArgumentParser) -> UsageError:
    """The complaint about what is no option of the command, or one argument too many."""
    option = next((each.partition("=")[0] for each in extra if each.startswith("-")), None)
    if option is None:
        return UsageError(f"{name}: {extra[0]!r} is one argument too many; put a task of several words in quotes")
    known = [string for action in command._actions for string in action.option_strings]
    return UsageError(f"{name}: there is no option {option!r}{_guess(option, known)}")


def _parser() -> tuple[_Parser, dict[str, argparse.ArgumentParser]]:
    parser = _Parser(
        prog="aeon", description="Turns any language model into a bounded, auditable, replayable reasoner.",
        allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument("--version", action="store_true", help="show the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    made = {
        "run": _run_options(commands.add_parser(
            "run", help="work on a task and answer it", allow_abbrev=False, epilog=_RUN,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )),
        "models": _models_options(commands.add_parser("models", help="list or fetch models", allow_abbrev=False)),
        "history": _history_options(commands.add_parser("history", help="show a saved run", allow_abbrev=False)),
    }  # fmt: skip
    return parser, made


def _run_options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    add = parser.add_argument
    add("task", metavar="TASK", nargs="?", help="what you want to know, in words; - reads it from standard input")
    add("--tools", metavar="LIST", default="calculator", help="calculator,files=DIR,python (default: calculator)")
    add("--model", metavar="NAME|URL", help="a model of the catalogue, a .gguf file, or http://HOST/v1#MODEL")
    add("--max-passes", metavar="N", type=_whole, help="passes at most (default: 5)")
    add("--budget-calls", metavar="N", type=_whole, help="model calls at most")
    add("--budget-tokens", metavar="N", type=_whole, help="prompt and generated tokens at most")
    add("--budget-seconds", metavar="N", type=_seconds, help="seconds at most")
    add("--config", metavar="FILE", help="settings in TOML; options set here go before it")
    add("--context", metavar="FILE", help="text that the answer may rely on")
    add("--schema", metavar="FILE", help="a JSON Schema that the answer must fit")
    add("--save", metavar="FILE", help="save the run; see it again with: aeon history FILE")
    add("--log", metavar="FILE", help="write every event to FILE as JSON Lines")
    add("--json", action="store_true", help="print the result as one JSON document")
    add("--bound", action="store_true", help="print the most that the run could spend, and run nothing")
    return parser


def _models_options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("action", nargs="?", choices=("list", "pull", "path"), default="list", metavar="list|pull|path")
    parser.add_argument("name", nargs="?", metavar="NAME", help="which model, for pull and path")
    return parser


def _history_options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("file", metavar="FILE", help="a run saved with: aeon run TASK --save FILE")
    parser.add_argument("--format", choices=FORMATS, default="text", help="text (default), json or mermaid")
    return parser


def _guess(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _number(convert: Callable[[str], float], text: str, what: str) -> float:
    try:
        number = convert(text)
    except ValueError:
        number = -1
    if number <= 0 or not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not {what} above 0")
    return number


def _whole(text: str) -> int:
    return int(_number(int, text, "a whole number"))


def _seconds(text: str) -> float:
    return _number(float, text, "a number of seconds")
