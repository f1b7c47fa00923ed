"""The marks that people put into numbers."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CONVENTIONS", "PLAIN", "QUOTES", "SPACES", "Convention"]


class Convention(NamedTuple):
    """The mark between groups of three digits, a text of the marks where there are several, and before decimals."""

    group: str
    point: str

    @property
    def example(self) -> str:
        """A number as it is written: ``1.234,5``."""
        return f"1{self.group[0]}234{self.point}5"


SPACES = " \u00a0\u202f\u2009"
QUOTES = "'\u2019"
PLAIN = Convention(",", ".")
CONVENTIONS = (PLAIN, Convention(".", ","), Convention(SPACES, ","), Convention(SPACES, "."),
               Convention(QUOTES, "."), Convention(QUOTES, ","))  # fmt: skip
"""Those that there are, the usual one first."""
