"""The options of ``aeon chat``."""

from __future__ import annotations

import argparse

from aeon.cli.arguments import casting, name, of_engine, quiet, seconds, servers, settings, unattended, whole

__all__ = ["EPILOG", "chat_options"]

EPILOG = """\
Each line is a turn: a run of the engine, which is shown the turns before it. /show lists them with their files,
/quit or the end of input leaves. Ctrl-C ends the run of a turn with what there is; at the prompt, it leaves.
"""


def chat_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    which = "which engine works on the turns: aeon engines (default: contractive)"
    add("--engine", metavar="NAME", type=name, default="contractive", help=which)
    add(
        "--tools", metavar="LIST", action="append", help="the tools of the runs (default: calculator, where it has any)"
    )
    add("--files", metavar="DIR", type=name, action="append", default=[], help="a folder to answer from")
    servers(parser, "an MCP server whose tools the runs get")
    of_engine(parser)
    models = "a model of the catalogue, a .gguf file, or http://HOST/v1#MODEL"
    add("--model", metavar="NAME|URL", type=name, help=models)
    casting(parser)
    add("--budget-calls", metavar="N", type=whole, help="model calls of a turn at most")
    add("--budget-tokens", metavar="N", type=whole, help="prompt and generated tokens of a turn at most")
    add("--budget-seconds", metavar="N", type=seconds, help="seconds of a turn at most")
    settings(parser)
    unattended(parser, "take the default (default), or wait for: aeon resume")
    add("--save", metavar="DIR", type=name, help="a new folder for the runs (default: in Aeon's folder for your data)")
    quiet(parser)
    add("--log", metavar="FILE", type=name, help="write every event to FILE as JSON Lines")
