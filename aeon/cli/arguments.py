"""Options that several commands share, and the kinds of values that they take."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

__all__ = [
    "casting",
    "count",
    "engine",
    "name",
    "of_engine",
    "otherwise",
    "providers",
    "quiet",
    "roles",
    "seconds",
    "servers",
    "setting",
    "settings",
    "shown",
    "unattended",
    "where_to_search",
    "whole",
]


def engine(parser: argparse.ArgumentParser) -> None:
    """Add the option that names an engine."""
    which = "which engine works on the task: aeon engines (default: multi-pass)"
    parser.add_argument("--engine", metavar="NAME", type=name, default="multi-pass", help=which)


def settings(parser: argparse.ArgumentParser) -> None:
    """Add the options for a file of settings and for single ones."""
    parser.add_argument("--config", metavar="FILE", type=name, help="settings in TOML or YAML; options go before it")
    setting(parser, "a setting")


def setting(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option that sets one setting."""
    parser.add_argument(
        "--set", metavar="PATH=VALUE", action="append", default=[],
        help=f"{what}, such as convergence.completeness=0.8; can be given again",
    )  # fmt: skip


def quiet(parser: argparse.ArgumentParser) -> None:
    """Add the option that leaves what was asked for, and errors."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print the answer, and what goes wrong, alone")


def shown(parser: argparse.ArgumentParser) -> None:
    """Add the options for a log, for JSON and for the answer alone."""
    quiet(parser)
    parser.add_argument("--log", metavar="FILE", type=name, help="write every event to FILE as JSON Lines")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON document")


def unattended(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option for questions that nobody is there to answer."""
    parser.add_argument(
        "--unattended", choices=("assume", "suspend"), metavar="assume|suspend",
        help=f"questions where nobody is at a terminal: {what}",
    )  # fmt: skip


def otherwise(parser: argparse.ArgumentParser) -> None:
    """Add the options for another model and other tools than a saved run had."""
    parser.add_argument("--model", metavar="NAME|URL", type=name, help="another model than the run had")
    roles(parser, "other models than roles of the run had")
    tools = "other tools than the run had; can be given again"
    parser.add_argument("--tools", metavar="LIST", action="append", help=tools)
    servers(parser, "an MCP server that the saved run may use, or another one for it")
    trust = "an endpoint that the saved run may name: it gets your key; can be given again"
    parser.add_argument("--trust", metavar="URL", type=name, action="append", default=[], help=trust)


def roles(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option that gives roles models of their own."""
    text = f"{what}: planner, worker, verifier, tutor or peer; can be given again"
    parser.add_argument("--roles", metavar="ROLE=MODEL,…", type=name, action="append", default=[], help=text)


def casting(parser: argparse.ArgumentParser) -> None:
    """Add the options for the models of a new run's roles, and for how much is asked of them."""
    roles(parser, "models of their own for roles")
    tiers = "how much to ask of models: T0 nothing, T1 no judge, T2 as usual (default), T3 all checks that there are"
    parser.add_argument("--model-tier", choices=("T0", "T1", "T2", "T3"), metavar="T0|T1|T2|T3", help=tiers)
    own = "your own instructions, in every prompt of the run: a persona, house rules"
    parser.add_argument("--instructions", metavar="FILE", type=name, help=own)


def where_to_search(parser: argparse.ArgumentParser) -> None:
    """Add the options for the collections and providers that are searched."""
    add = parser.add_argument
    collection = "a folder to search, or a file made by: aeon collect; can be given again"
    add("--in", dest="files", metavar="DIR|FILE", type=name, action="append", default=[], help=collection)
    providers(parser, "where to search besides, such as searxng=http://127.0.0.1:8888; others are asked where it fails")


def providers(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options for search providers."""
    add = parser.add_argument
    add("--search", metavar="PROVIDER", type=name, action="append", default=[], help=what)
    allow = "an address of the own network that pages may be fetched from; can be given again"
    add("--allow", metavar="HOST:PORT", type=name, action="append", default=[], help=allow)


def servers(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option for MCP servers."""
    text = f"{what}: a command such as 'npx some-server', or http://HOST:PORT/mcp; can be given again"
    parser.add_argument("--mcp", metavar="SERVER", type=name, action="append", default=[], help=text)


def name(text: str) -> str:
    """A name that is one: an empty one, as of a variable that is not set, would be as if nothing was said."""
    if not text:
        raise argparse.ArgumentTypeError("is empty; it takes a name")
    return text


def _number(convert: Callable[[str], float], text: str, what: str) -> float:
    try:
        number = convert(text)
    except ValueError:
        number = -1
    if number <= 0 or not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not {what} above 0")
    return number


def count(text: str) -> int:
    """A whole number from 0 on. Raises ``ArgumentTypeError`` for anything else."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def whole(text: str) -> int:
    """A whole number above 0. Raises ``ArgumentTypeError`` for anything else."""
    return int(_number(int, text, "a whole number"))


def seconds(text: str) -> float:
    """A number of seconds above 0. Raises ``ArgumentTypeError`` for anything else."""
    return _number(float, text, "a number of seconds")


def of_engine(parser: argparse.ArgumentParser) -> None:
    """Add the options that are settings of some engines."""
    add = parser.add_argument
    add("--brief", action="store_true", help="answer with the bare values, without a sentence around them")
    add(
        "--thorough",
        action="store_true",
        help="profile the task in full and plan it in steps, also in the program form",
    )
    add(
        "--form", choices=("auto", "tools", "program"),
        help="how the model works: calling tools turn by turn, or by short programs (default: what it can)",
    )  # fmt: skip
    add("--max-passes", metavar="N", type=whole, help="passes at most (default: 10)")
    add("--preset", metavar="NAME", type=name, help="settings that an engine has under a name, such as fast or deep")
