"""Numbers of seconds from the environment."""

from __future__ import annotations

import math
from collections.abc import Mapping

from aeon.errors import UsageError
from aeon.text import one_line

__all__ = ["seconds_in"]


def seconds_in(environ: Mapping[str, str], variable: str, default: float) -> float:
    """The seconds that a variable says; the ``default`` where it says nothing.

    Raises:
        UsageError: it is no number above 0.
    """
    text = environ.get(variable, "").strip()
    try:
        seconds = float(text) if text else default
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(f"{variable}: {one_line(text, 40)!r} is no number of seconds above 0")
    return seconds
