"""What the command line understands. Nothing is loaded here that a wrong option would have to wait for."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Sequence
from typing import NoReturn

from aeon.cli.arguments import (
    casting,
    count,
    engine,
    name,
    of_engine,
    providers,
    quiet,
    seconds,
    servers,
    settings,
    shown,
    unattended,
    where_to_search,
    whole,
)
from aeon.cli.bench_options import EPILOG as BENCH_EPILOG
from aeon.cli.bench_options import bench_options
from aeon.cli.chat_options import EPILOG as CHAT_EPILOG
from aeon.cli.chat_options import chat_options
from aeon.cli.durable_options import jobs_options, served, submit_options, worker_options
from aeon.cli.mcp_options import EPILOG as MCP_EPILOG
from aeon.cli.mcp_options import mcp_options
from aeon.cli.report_options import report_options
from aeon.cli.saved_options import (
    calibrate_options,
    diff_options,
    fork_options,
    history_options,
    inspect_options,
    metrics_options,
    proved,
    replay_options,
    resume_options,
    verify_options,
)
from aeon.errors import UsageError
from aeon.text import one_line

__all__ = ["COMMANDS", "parse", "parsers"]

COMMANDS = (
    "run", "research", "report", "resume", "replay", "fork", "diff", "history", "simulate", "models", "engines",
    "doctor", "metrics", "calibrate", "config", "verify", "collect", "tables", "serve", "inspect", "mcp", "submit",
    "worker", "jobs", "bench", "chat", "completions",
)  # fmt: skip
_LONGEST = 1_000
"""Characters of a complaint, which repeats what was written."""
_CODES = """\
exit codes:
  0  answered, and by the engine's rules well enough   3  answered otherwise
  2  wrong usage or input                              4  waiting for an answer
  1  failure

"""
_RUN = (
    _CODES
    + """\
Ctrl-C ends the run at the next safe boundary with what there is; once more breaks off the wording of the answer too.
Without --model: AEON_BASE_URL or AEON_MODEL, else OPENAI_BASE_URL or OPENAI_API_KEY, else the model on this machine.
"""
)
_RESUME = (
    _CODES
    + """\
What the run did before is read from its journal; no model and no tool is asked for it again.
"""
)
_FORK = (
    _CODES
    + """\
The number N of every effect: aeon history FILE --format effects
"""
)
_DIFF = """\
exit codes:
  0  the same   1  different, or a journal is damaged   2  wrong usage or input
"""
_VERIFY = """\
exit codes:
  0  verified   1  not verified   2  no proof file
"""


_WORKER = """\
A worker takes the runs that were submitted with the model and the tools that it has, on any engine that it has.
"""
_COMPLETIONS = """\
bash: source <(aeon completions bash)     zsh: source <(aeon completions zsh)     fish: aeon completions fish | source
"""
_COLLECT = """\
With --into, the folders are read, and the file is made or brought up to date; what has not changed is not read again.
Without it, what the collection holds is listed. A collection needs its folders no more: aeon run … --files FILE
"""

_TABLES = """\
Where each table begins, the names and types of its columns, units, cells without a value, totals, and what could be
read in another way ("open"). No model is asked without --ask. The exit code is 1 where a file cannot be read.
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are Aeon's errors."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("aeon").strip()
        raise UsageError(f"{f'{command}: ' if command else ''}{one_line(message, _LONGEST)}")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command and its options; ``command`` is one of `COMMANDS`.

    Raises:
        UsageError: something is missing, unknown or out of range.
    """
    parser, commands = _parser()
    first = argv[0] if argv else "-"
    if not first.startswith("-") and first not in COMMANDS:
        raise UsageError(f"there is no command {first!r}; there are {', '.join(COMMANDS)}{_guess(first, COMMANDS)}")
    parsed, extra = parser.parse_known_args(argv)
    if extra:
        raise _surplus(extra, parsed.command, commands.get(parsed.command, parser))
    if parsed.command is None and not parsed.version:
        raise UsageError(f"name a command: {', '.join(COMMANDS)}; aeon --help shows them")
    return parsed


def parsers() -> dict[str, argparse.ArgumentParser]:
    """What reads the options of each command, by its name."""
    return _parser()[1]


def _surplus(extra: Sequence[str], name: str | None, command: argparse.ArgumentParser) -> UsageError:
    """The complaint about what is no option of the command, or one argument too many."""
    place = f"{name}: " if name else ""
    option = next((each.partition("=")[0] for each in extra if each.startswith("-")), None)
    if option is None:
        return UsageError(f"{place}{extra[0]!r} is one argument too many; put a task of several words in quotes")
    options = [string for action in command._actions for string in action.option_strings]
    return UsageError(f"{place}there is no option {option!r}{_guess(option, options)}")


def _parser() -> tuple[_Parser, dict[str, argparse.ArgumentParser]]:
    parser = _Parser(
        prog="aeon", description="Turns any language model into a bounded, auditable, replayable reasoner.",
        allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument("-V", "--version", action="store_true", help="show the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    made: dict[str, argparse.ArgumentParser] = {}
    for command, (words, epilog, fill) in _COMMANDS.items():
        made[command] = commands.add_parser(
            command, help=words, description=words, allow_abbrev=False, epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        fill(made[command])
    return parser, made


def _run_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("task", metavar="TASK", nargs="?", help="what you want to know, in words; - reads it from standard input")
    engine(parser)
    tools = "calculator,algebra,dates,files=DIR,python (default: calculator); can be given again"
    add("--tools", metavar="LIST", action="append", help=tools)
    folder = "a folder to answer from: its tables and texts; can be given again; or a file that aeon collect made"
    add("--files", metavar="DIR", type=name, action="append", default=[], help=folder)
    servers(parser, "an MCP server whose tools the run gets")
    of_engine(parser)
    add("--experience", metavar="FILE", type=name, help="use and keep the lessons in this file (graph, loop)")
    add("--context", metavar="FILE", type=name, help="text that the answer may rely on")
    add("--schema", metavar="FILE", type=name, help="a JSON Schema that the answer must fit")
    _conducting(parser)


def _research_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("task", metavar="QUESTION", nargs="?", help="what you want to know, in words; - reads it from standard input")
    where_to_search(parser)
    tiers = "how much research: simple, standard (default) or deep; auto has the model choose"
    add("--tier", choices=("auto", "simple", "standard", "deep"), metavar="TIER", help=tiers)
    out = "also write the answer with its sources to FILE.md or FILE.html"
    add("--out", metavar="FILE", type=name, help=out)
    add("--no-check", action="store_true", help="do not have a judge say whether what a sentence cites supports it")
    _conducting(parser)
    parser.set_defaults(engine="research", context=None, schema=None)


def _report_options(parser: argparse.ArgumentParser) -> None:
    report_options(parser)
    _conducting(parser)
    parser.set_defaults(engine="report", context=None, schema=None)


def _conducting(parser: argparse.ArgumentParser) -> None:
    """Options of every command that runs something new."""
    add = parser.add_argument
    models = "a model of the catalogue, a .gguf file, or http://HOST/v1#MODEL"
    add("--model", metavar="NAME|URL", type=name, help=models)
    casting(parser)
    add("--budget-calls", metavar="N", type=whole, help="model calls at most")
    add("--budget-tokens", metavar="N", type=whole, help="prompt and generated tokens at most")
    add("--budget-seconds", metavar="N", type=seconds, help="seconds at most")
    settings(parser)
    unattended(parser, "take the default (default), or wait for: aeon resume")
    save = "save the run, to be shown, continued, replayed, forked and compared"
    add("--save", metavar="FILE", type=name, help=save)
    proved(parser)
    shown(parser)
    add("--bound", action="store_true", help="print the most that the run could spend, and run nothing")


def _serve_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--host", metavar="HOST", type=name, default="127.0.0.1", help="the address (default: this machine alone)")
    add("--port", metavar="N", type=count, default=8765, help="the port (default: 8765; 0: any that is free)")
    add("--files", metavar="DIR", type=name, action="append", default=[], help="a folder that runs may answer from")
    named = "the same, or a file that aeon collect made, under a name of its own; can be given again"
    add("--collection", metavar="NAME=PATH", type=name, action="append", default=[], help=named)
    providers(parser, "where research and reports search besides, such as searxng=http://127.0.0.1:8888")
    tools = "the tools of the runs (default: calculator); can be given again"
    add("--tools", metavar="LIST", action="append", help=tools)
    models = "a model of the catalogue, a .gguf file, or http://HOST/v1#MODEL"
    add("--model", metavar="NAME|URL", type=name, help=models)
    add("--config", metavar="FILE", type=name, help="settings in TOML or YAML, for all runs")
    add("--runs", metavar="DIR", type=name, help="where runs are kept (default: Aeon's folder for your data)")
    served(parser)
    add("--token-file", metavar="FILE", type=name, help="who may use it: a token a line; needed for any other --host")
    hosts = "a name by which the server is called, beside its address; can be given again"
    add("--allow-host", metavar="NAME", type=name, action="append", default=[], help=hosts)
    add("--parallel", metavar="N", type=whole, default=2, help="runs at once (default: 2); others wait")
    add("--queue", metavar="N", type=whole, default=1000, help="runs that may wait (default: 1000)")
    add("--log", metavar="FILE", type=name, help="write a line at the end of each phase to FILE, as JSON Lines")
    add("--most-calls", metavar="N", type=whole, help="refuse runs that could make more model calls")


def _config_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("action", nargs="?", choices=("show", "check"), default="show", metavar="show|check")
    add("file", nargs="?", metavar="FILE", type=name, help="which file, for check")
    engine(parser)
    settings(parser)
    add("--json", action="store_true", help="print the settings as one JSON document")


def _simulate_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--seeds", metavar="N", type=whole, default=1000, help="how many worlds (default: 1000)")
    add("--from", metavar="S", dest="start", type=count, default=0, help="the first seed (default: 0)")
    add("--faults", metavar="LIST", help="only these kinds of faults, separated by commas")
    add("--engine", metavar="NAME|all", help="an installed engine, or the seeds divided over all (default: multi-pass)")
    add("--jobs", metavar="N", type=whole, help="processes at once (default: one a core)")
    add("--json", action="store_true", help="print one JSON document")


def _models_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("list", "pull", "path"), default="list", metavar="list|pull|path")
    parser.add_argument("name", nargs="?", metavar="NAME", help="which model, for pull and path")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    quiet(parser)


def _completions_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="bash|zsh|fish")


def _engines_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _doctor_options(parser: argparse.ArgumentParser) -> None:
    models = "which one; without it, the one that a run would use"
    parser.add_argument("--model", metavar="NAME|URL", type=name, help=models)
    parser.add_argument("--quick", action="store_true", help="leave out the context length, which takes the longest")
    parser.add_argument("--forms", action="store_true", help="measure in which form it works better, on a dozen tasks")
    parser.add_argument("--judge", action="store_true", help="measure how good it is as a judge, on labelled cases")
    parser.add_argument("--cases", metavar="FILE", type=name, help="with --judge: a file of cases of your own as well")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _collect_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("paths", metavar="FOLDER", nargs="+", type=name, help="a folder to read, or, without --into, a collection")
    add("--into", metavar="FILE", type=name, help="the file of the collection, such as papers.aeon")
    add("--json", action="store_true", help="print one JSON document")


def _tables_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("path", metavar="FILE|DIR", type=name, help="a file of tables, or a folder")
    add("--write", action="store_true", help="write the reading of a file beside it, as NAME.toml, to be corrected")
    add("--ask", action="store_true", help="the same, with what is open as a model reads it, asked once")
    add("--model", metavar="NAME|URL", type=name, help="the model to ask")
    add("--json", action="store_true", help="print one JSON document")


_COMMANDS: dict[str, tuple[str, str | None, Callable[[argparse.ArgumentParser], None]]] = {
    "run": ("work on a task and answer it", _RUN, _run_options),
    "research": ("search, read and answer with citations", _RUN, _research_options),
    "report": ("report on a query: each sentence cites its sources, by tiers", _RUN, _report_options),
    "resume": ("continue a saved run: after a question, an interrupt, a crash", _RESUME, resume_options),
    "replay": ("derive a saved run again without a model, and say whether it is the same", None, replay_options),
    "fork": ("give a saved run another future", _FORK, fork_options),
    "diff": ("say where two saved runs part, and what differs then", _DIFF, diff_options),
    "history": ("show a saved run", None, history_options),
    "simulate": ("hold the invariants of a run against simulated worlds with faults", None, _simulate_options),
    "models": ("list or fetch models", None, _models_options),
    "engines": ("list the installed engines", None, _engines_options),
    "doctor": ("measure what a model's endpoint really does, and keep it for later runs", None, _doctor_options),
    "metrics": ("figures over saved runs, beside their targets", None, metrics_options),
    "calibrate": ("fit the confidence to saved runs that are known to be right or wrong", None, calibrate_options),
    "verify": ("verify the proof file of an answer, offline", _VERIFY, verify_options),
    "collect": (
        "keep the texts of folders in one file that can be searched and moved",
        _COLLECT,
        _collect_options,
    ),
    "tables": ("show how the tables of a file or a folder are read", _TABLES, _tables_options),
    "serve": ("work on runs over HTTP, with a window for the browser", None, _serve_options),
    "inspect": ("show a saved run in a browser", None, inspect_options),
    "mcp": ("be an MCP server, or see what one offers", MCP_EPILOG, mcp_options),
    "submit": ("put a run into a database, where workers find it", None, submit_options),
    "worker": ("work on the runs of a database, beside any number of other workers", _WORKER, worker_options),
    "jobs": ("list the runs of a database, show one, or stop one", None, jobs_options),
    "chat": ("ask turn by turn; each is shown the ones before it", CHAT_EPILOG, chat_options),
    "bench": ("measure engines against self-consistency at equal tokens", BENCH_EPILOG, bench_options),
    "completions": ("print what a shell needs to complete a command line", _COMPLETIONS, _completions_options),
    "config": ("show every setting and where it comes from, or check a file of settings", None, _config_options),
}


def _guess(word: str, words: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, words, n=1)
    return f"; did you mean {close[0]}?" if close else ""
