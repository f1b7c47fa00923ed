"""The options of ``aeon bench``."""

from __future__ import annotations

import argparse

from aeon.cli.arguments import count, name, whole

__all__ = ["EPILOG", "bench_options"]

EPILOG = """\
exit codes:
  0  every question was answered   1  some answers failed, or the model did   2  wrong usage or input

Beside each system stand chain of thought and self-consistency at as many tokens. docs/benchmarks.md has the scenarios,
the families and what the figures mean. Ctrl-C loses nothing: the same command with --resume goes on.
"""


def bench_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("what", choices=("engines",), metavar="engines", help="what is measured")
    scenarios = "scenarios, separated by commas (default: S0 to S6, or none where engines are named)"
    add("--scenarios", metavar="LIST", type=name, help=scenarios)
    add("--engines", metavar="LIST", type=name, help="engines beside them, such as loop,graph,multi-pass,contractive")
    add("--families", metavar="LIST", type=name, help="families of questions, separated by commas (default: all)")
    add("--sample", metavar="N", type=whole, default=3, help="questions of each family (default: 3)")
    add("--seed", metavar="N", type=count, default=1, help="what the questions are drawn from (default: 1)")
    models = "a model of the catalogue, a .gguf file, or http://HOST/v1#MODEL"
    add("--model", metavar="NAME|URL", type=name, help=models)
    add("--peer", metavar="NAME|URL", type=name, help="another model, which reviews answers (S4; S5 if of one family)")
    add("--out", metavar="FILE", type=name, help="write each answer to FILE as a line of JSON, replies to FILE.replies")
    add("--resume", action="store_true", help="continue with the file")
    add("--json", action="store_true", help="print the figures as one JSON document")
