"""What ``aeon report`` understands beside the options of every run."""

from __future__ import annotations

import argparse

from aeon.cli.arguments import name

__all__ = ["report_options"]


def report_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a report."""
    add = parser.add_argument
    add("task", metavar="QUERY", nargs="?", help="what to report on, in words; - reads it from standard input")
    collection = "a folder to search, or a file made by: aeon collect; can be given again"
    add("--in", dest="files", metavar="DIR|FILE", type=name, action="append", default=[], help=collection)
    search = "where to search besides, such as searxng=http://127.0.0.1:8888; others are asked where it fails"
    add("--search", metavar="PROVIDER", type=name, action="append", default=[], help=search)
    allow = "an address of the own network that pages may be fetched from; can be given again"
    add("--allow", metavar="HOST:PORT", type=name, action="append", default=[], help=allow)
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
