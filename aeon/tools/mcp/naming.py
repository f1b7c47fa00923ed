"""Names of tools that come from several servers: short, of the characters that plans take, and each there once."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["tool_names"]

_LONGEST = 64


def tool_names(tools: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """A name for each tool, given by its server's label and its own name there: ``time_now``.

    The label is not said twice: ``git_status`` of the server ``git`` stays so. Where two names become the same, the
    one that comes later in the alphabet gets a number: the order in which a server lists its tools changes nothing.
    """
    names: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for label, own in sorted(set(tools)):
        stem = name = _plain(label, own)
        number = 2
        while name in taken:
            ending = f"_{number}"
            name, number = f"{stem[: _LONGEST - len(ending)]}{ending}", number + 1
        taken.add(name)
        names[label, own] = name
    return names


def _plain(label: str, own: str) -> str:
    body = re.sub(r"[^A-Za-z0-9_]+", "_", own).strip("_") or "tool"
    lower = body.lower()
    named = lower == label or lower.startswith(f"{label}_")
    return (body if named else f"{label}_{body}")[:_LONGEST]
