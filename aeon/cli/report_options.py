"""What ``aeon report`` understands beside the options of every run."""

from __future__ import annotations

import argparse

from aeon.cli.arguments import name, where_to_search

__all__ = ["report_options"]


def report_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a report."""
    add = parser.add_argument
    add("task", metavar="QUERY", nargs="?", help="what to report on, in words; - reads it from standard input")
    where_to_search(parser)
    items = "a JSON list of documents with url, name, site and description"
    add("--items", metavar="FILE", type=name, help=items)
    modes = "strict: known sources of tier 1 and 2 alone; discovery (default): all; monitor: tiers 1 and 5 side by side"
    add("--mode", choices=("strict", "discovery", "monitor"), metavar="strict|discovery|monitor", help=modes)
    tiers = "YAML or TOML with source_tiers, and other settings of reports, where there is no --config"
    add("--tiers", metavar="FILE", type=name, help=tiers)
    add("--plain", action="store_true", help="only search, without a model: the results are Items")
    out = "also write the report to FILE.md or FILE.html, the Items to FILE.items.json, all of it to FILE.json"
    add("--out", metavar="FILE", type=name, help=out)
    add("--logs", metavar="DIR", type=name, help="write what each agent said below DIR/iterations")
