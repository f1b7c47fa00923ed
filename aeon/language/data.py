"""The tables of words beside this package's code."""

import tomllib
from importlib import resources

__all__ = ["table"]


def table(name: str) -> dict[str, str]:
    """The texts in a file of this folder, by their names."""
    return tomllib.loads(resources.files("aeon.language").joinpath(name).read_text("utf-8"))
