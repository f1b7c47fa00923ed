"""Parts of the docs that are made from the code, and whether they are in step with it."""

from __future__ import annotations

import sys
from pathlib import Path

from aeon.kernel.decide import table
from aeon.multipass.rules import TABLE

__all__ = ["differences"]

PAGE = "docs/outer-loop.md"
BEGIN, END = "<!-- decision table -->\n", "<!-- end -->"


def differences(root: Path) -> list[str]:
    """The decision table in the docs is the one that the code has."""
    text = (root / PAGE).read_text()
    return [] if text == _written(text) else [f"{PAGE}: its decision table differs from the code; run scripts/docs"]


def _written(text: str) -> str:
    """The page with the table as the code has it."""
    head, _, rest = text.partition(BEGIN)
    return head + BEGIN + _table() + END + rest.partition(END)[2]


def _table() -> str:
    rows = [f"| `{rule.reason}` | {rule.action} | {rule.when} |" for rule in table(TABLE)]
    return "\n".join(["| row | action | holds if |", "|---|---|---|", *rows]) + "\n"


def main() -> int:
    """Write the table into the page."""
    page = Path.cwd() / PAGE
    page.write_text(_written(page.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
