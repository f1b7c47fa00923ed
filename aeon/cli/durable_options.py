"""What the commands for durable runs understand, and the option by which others read such runs."""

from __future__ import annotations

import argparse

from aeon.cli.arguments import casting, engine, name, of_engine, servers, settings, unattended, whole

__all__ = ["jobs_options", "kept_in", "limits", "served", "submit_options", "worker_options"]

_STATES = ("queued", "running", "waiting", "ended", "failed", "cancelled")
_MODELS = "a model of the catalogue, a .gguf file, or http://HOST/v1#MODEL"


def kept_in(parser: argparse.ArgumentParser) -> None:
    """Add the option that takes runs from a database: what else is a file is then the id of a run."""
    what = "take runs from this database: name them by their ids"
    parser.add_argument("--durable", metavar="URL", type=name, help=what)


def _database(parser: argparse.ArgumentParser) -> None:
    where = "where runs are kept: sqlite, sqlite:///FILE or postgresql://USER@HOST/NAME"
    parser.add_argument("--durable", metavar="URL", type=name, required=True, help=where)


def submit_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a run that others work on."""
    add = parser.add_argument
    add("task", metavar="TASK", nargs="?", help="what you want to know, in words; - reads it from standard input")
    _database(parser)
    engine(parser)
    add("--tools", metavar="LIST", action="append", help="the tools of the run (default: calculator)")
    folder = "a folder to answer from, which its worker must have at the same path; can be given again"
    add("--files", metavar="DIR", type=name, action="append", default=[], help=folder)
    servers(parser, "an MCP server whose tools the run gets, as its worker must offer them")
    of_engine(parser)
    add("--context", metavar="FILE", type=name, help="text that the answer may rely on")
    add("--schema", metavar="FILE", type=name, help="a JSON Schema that the answer must fit")
    add("--model", metavar="NAME|URL", type=name, help=_MODELS)
    casting(parser)
    add("--budget-calls", metavar="N", type=whole, help="model calls at most")
    add("--budget-tokens", metavar="N", type=whole, help="prompt and generated tokens at most")
    add("--budget-seconds", metavar="N", type=float, help="seconds at most")
    settings(parser)
    unattended(parser, "take the default (default), or wait for: aeon resume")
    first = "1 to 9: of the runs that wait, the lowest go first, and of these the oldest (default: 5)"
    every = 'submit it at each of these times: minute, hour, day, month, weekday, such as "0 8 * * 1-5"'
    add("--every", metavar="CRON", help=every)
    add("--times", metavar="N", type=whole, default=30, help="with --every: how many runs in all (default: 30)")
    add(
        "--zone",
        metavar="ZONE",
        default="UTC",
        help="with --every: the time zone, such as Europe/Berlin (default: UTC)",
    )
    add("--priority", metavar="N", type=int, choices=range(1, 10), default=5, help=first)
    add("--json", action="store_true", help="print one JSON document")


def worker_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a worker."""
    add = parser.add_argument
    _database(parser)
    add("--model", metavar="NAME|URL", type=name, help=_MODELS)
    add("--tools", metavar="LIST", action="append", help="its tools (default: calculator); can be given again")
    add("--files", metavar="DIR", type=name, action="append", default=[], help="a folder that runs may answer from")
    servers(parser, "an MCP server whose tools its runs have")
    here = "runs of each engine that this worker has at once (default: 4)"
    add("--parallel", metavar="N", type=whole, default=4, help=here)
    _role_models(parser)
    limits(parser)
    add("--name", metavar="NAME", type=name, help="its name in the list of workers (default: made from the host's)")


def served(parser: argparse.ArgumentParser) -> None:
    """Add the options by which a service shares its runs with other services and workers."""
    add = parser.add_argument
    add("--durable", metavar="URL", type=name, help="keep runs in this database instead, for any worker")
    add("--no-worker", action="store_true", help="with --durable: work on no runs here; others do")
    _role_models(parser)
    limits(parser)
    add("--name", metavar="NAME", type=name, help="with --durable: its name in the list of workers")


def _role_models(parser: argparse.ArgumentParser) -> None:
    text = "a model, beside its own, that roles of the runs it works on may have; can be given again"
    parser.add_argument("--role-model", metavar="NAME|URL", type=name, action="append", default=[], help=text)


def limits(parser: argparse.ArgumentParser) -> None:
    """Add the limits that all workers share: each must be told the same."""
    add = parser.add_argument
    limit = "runs that all workers with this model have at once: what its endpoint can take"
    add("--limit", metavar="N", type=whole, help=limit)
    token = "runs of one token of a service that workers have at once, of each engine; those of others go on"
    add("--per-token", metavar="N", type=whole, help=token)


def jobs_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the list of runs."""
    add = parser.add_argument
    add("run", metavar="ID", nargs="?", type=name, help="one run, in full; or, to be cancelled, a schedule")
    _database(parser)
    add("--cancel", action="store_true", help="ask this run to stop: it ends with what there is")
    add("--state", choices=_STATES, metavar="STATE", help=f"only runs that are {', '.join(_STATES)}")
    add("--most", metavar="N", type=whole, default=50, help="the latest N (default: 50)")
    add("--json", action="store_true", help="print one JSON document")
